"""The journal of a replay: the seeds of a test that have ended, kept below the git directory until its line stands.

Invariants:
* A journal belongs to one job on one commit: other seeds, another interpreter or time limit have another journal.
* A line is whole or is not there: what a killed process left unfinished is cut off before more is written.
* Whatever is no run of a seed of this job, or is the second of its seed, is left out.
* The folder is a folder and never a symbolic link; no link is followed in it.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from shlex import quote
from typing import NamedTuple

from flakeledger.evidence.runs import Job, SeedRun, run_from_json, to_json
from flakeledger.model.clock import DAY
from flakeledger.model.errors import CannotTell
from flakeledger.store.cache import FOLDER

_FOLDER = "replays"
_SUFFIX = ".jsonl"
#: nobody resumes after so many days, in which most commits have been replaced
_KEPT_DAYS = 30
#: more than twenty runs with everything that a run can say
_LARGEST = 1 << 26


class Journal(NamedTuple):
    """The journal of one job; `journal_of` names it."""

    path: str

    def runs(self, job: Job) -> tuple[SeedRun, ...]:
        """The seeds of the job that have ended, in the order in which they did. CannotTell when it cannot be read."""
        data = self._read()
        whole = data[: data.rfind(b"\n") + 1]
        if whole != data:
            self._cut(len(whole))
        found: dict[int, SeedRun] = {}
        for run in filter(None, map(_run, whole.splitlines())):
            if run.seed in job.seeds:
                found.setdefault(run.seed, run)
        return tuple(found.values())

    def add(self, run: SeedRun) -> None:
        """Note a seed that has ended. CannotTell when that cannot be done."""
        line = json.dumps(to_json(run)).encode() + b"\n"
        try:
            _make_folder(os.path.dirname(self.path))
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o644)
            try:
                written = os.write(file, line)
            finally:
                os.close(file)
        except OSError as error:
            raise self._refusal(error) from error
        if written != len(line):
            raise CannotTell(f"{self.path} cannot be written: no space is left", "free some space on its disk")

    def discard(self) -> None:
        """Forget what it holds. CannotTell when that cannot be done."""
        try:
            os.unlink(self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._refusal(error) from error

    def _read(self) -> bytes:
        try:
            file = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise self._refusal(error) from error
        with open(file, "rb") as opened:
            return opened.read(_LARGEST)

    def _cut(self, length: int) -> None:
        try:
            os.truncate(self.path, length)
        except OSError as error:
            raise self._refusal(error) from error

    def _refusal(self, error: OSError) -> CannotTell:
        fix = f"make {os.path.dirname(self.path)} a folder that you may write"
        return CannotTell(f"{self.path} cannot be used: {error.strerror}", fix)


def journal_of(git_dir: str, commit: str, job: Job) -> Journal:
    """The journal of a job on a commit, whether there is one or not."""
    from hashlib import sha256

    key = sha256(json.dumps([commit, *job]).encode()).hexdigest()
    return Journal(f"{_folder(git_dir)}/{key}{_SUFFIX}")


def sweep(git_dir: str, now: int) -> None:
    """Remove the journals that nobody went on with for a month; what cannot be removed stays."""
    folder = _folder(git_dir)
    with suppress(OSError), os.scandir(folder) as entries:
        old = [entry.path for entry in entries if entry.name.endswith(_SUFFIX) and _age(entry, now) > _KEPT_DAYS * DAY]
        for path in old:
            with suppress(OSError):
                os.unlink(path)


def _age(entry: os.DirEntry[str], now: int) -> float:
    return now - entry.stat(follow_symlinks=False).st_mtime


def _folder(git_dir: str) -> str:
    return f"{git_dir}/{FOLDER}/{_FOLDER}"


def _make_folder(folder: str) -> None:
    for path in (os.path.dirname(folder), folder):
        with suppress(FileExistsError):
            os.mkdir(path)
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise CannotTell(f"{path} is no folder", f"rm {quote(path)}")


def _run(line: bytes) -> SeedRun | None:
    """The run that a line holds; None when it holds none."""
    try:
        values = json.loads(line)
        return run_from_json(values) if isinstance(values, dict) else None
    except (ValueError, RecursionError):
        return None
