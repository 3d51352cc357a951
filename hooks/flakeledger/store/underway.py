"""A git that runs beside us: started now, asked for its answer when that is needed.

Invariants:
* What it prints waits in a file, not in a pipe: it never waits for us, however much it has to say.
* A refusal of git is `CannotTell` with git's own words, never an empty answer.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import BinaryIO, NamedTuple, cast

from flakeledger.model.errors import CannotTell
from flakeledger.store.git_refusals import failure, not_started


class Outcome(NamedTuple):
    """How a git ended, and what it printed."""

    code: int
    out: bytes
    errors: bytes


class Underway:
    """One question, asked of a git beside us."""

    def __init__(
        self, git: Sequence[str], arguments: Sequence[str], directory: str, environment: Mapping[str, str]
    ) -> None:
        """Start `git` with these arguments. CannotTell when it cannot be started."""
        self._arguments = arguments
        self._out, self._errors = _nameless_file(), _nameless_file()
        try:
            self._process = subprocess.Popen(
                [*git, *arguments],
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=self._out,
                stderr=self._errors,
            )
        except OSError as error:
            raise not_started(error) from error

    def answer(self) -> bytes:
        """What it printed, once it has ended; CannotTell when it failed. To be asked once."""
        code, out, errors = self.outcome()
        if code:
            raise failure(self._arguments, code, errors)
        return out

    def outcome(self) -> Outcome:
        """How it ended, for a question whose answer is also its exit code. To be asked once, instead of `answer`."""
        code = self._process.wait()
        out, errors = _content(self._out), _content(self._errors)
        self.close()
        return Outcome(code, out, errors)

    def close(self) -> None:
        """End it, if nobody wants its answer any more."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._out.close()
        self._errors.close()


def _nameless_file() -> BinaryIO:
    """A file without a name, which goes when it is closed; CannotTell where none can be made."""
    with suppress(AttributeError, OSError):
        return open(os.memfd_create("flakeledger"), "w+b")  # tempfile takes 3 ms to import
    from tempfile import TemporaryFile

    try:
        return cast("BinaryIO", TemporaryFile())
    except OSError as error:
        raise CannotTell(f"no temporary file can be made: {error}", "point TMPDIR at a writable folder") from error


def _content(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()
