"""`flakeledger merge-driver`: what git runs to merge a ledger, row by row or line by line.

Invariants:
* 0 only for a merge that was proven right. Everything else leaves conflict markers in the file and gives 1.
* The result goes to the file of our version, as git expects it; no other file of the repository is written. It has a
  conflict marker from the beginning until the result is whole in it, whatever ends this process.
* Rows and lines are merged without git; only what has no rows is left to git's own merge of texts.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES, REPLAYS
from flakeledger.reporters.escape import escape_line
from flakeledger.store.git import Git
from flakeledger.store.placing import place

EXAMPLES = """\
  flakeledger init --merge-driver   # registers it; git runs it from then on
  git config merge.flakeledger.driver "flakeledger merge-driver %O %A %B %P\""""

#: how a text with markers begins; written at once, as no other part is
_OURS = b"<<<<<<< ours\n"
#: Windows would write CR LF for every LF
_AS_IT_IS = getattr(os, "O_BINARY", 0)


class Versions(NamedTuple):
    """The three versions of a file as git hands them over: where they lie, what they hold, what the file is called."""

    base_file: str
    our_file: str
    their_file: str
    path: str
    base: bytes
    ours: bytes
    theirs: bytes


class Result(NamedTuple):
    """The merged text, whether a conflict is left in it, and what to say."""

    data: bytes
    conflict: bool
    notes: tuple[str, ...] = ()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command, in git's order."""
    parser.add_argument("base", metavar="%O", help="the file that holds the common ancestor")
    parser.add_argument("ours", metavar="%A", help="the file that holds our version, and then the result")
    parser.add_argument("theirs", metavar="%B", help="the file that holds their version")
    parser.add_argument("path", metavar="%P", help="the path that is merged, from the root of the repository")


def run(arguments: argparse.Namespace) -> int:
    """Merge: 0, or 1 with markers in the file; CannotTell when a file cannot be read or written."""
    files = (arguments.base, arguments.ours, arguments.theirs)
    versions = Versions(*files, arguments.path, *map(_read, files))
    _write(versions.our_file, _whole(versions.ours, versions.theirs), _marker_first)
    merge = _MERGES.get(versions.path, _merge_text)
    try:
        result = merge(versions)
    except CannotTell as error:
        result = Result(_unproven(versions), conflict=True, notes=(f"{error.reason}; {error.fix}",))
    _write(versions.our_file, result.data, _marker_last)
    sys.stderr.writelines(f"{escape_line(f'{versions.path}: {note}')}\n" for note in result.notes)
    return int(result.conflict)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise CannotTell(
            f"{path!r} cannot be read: {error}", "flakeledger init --merge-driver   # lets git run this command"
        ) from error


def _write(path: str, data: bytes, in_order: Callable[[int, bytes], object]) -> None:
    """Write over the file, in an order in which it has a marker until it is whole, whatever ends this process."""
    try:
        descriptor = os.open(path, os.O_WRONLY | _AS_IT_IS)
        try:
            in_order(descriptor, data)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise CannotTell(f"{path!r} cannot be written: {error.strerror}", "git merge --abort") from error


def _marker_first(descriptor: int, data: bytes) -> None:
    """From a whole text to one with markers."""
    _put(descriptor, data[: len(_OURS)], 0)
    _put(descriptor, data[len(_OURS) :], len(_OURS))
    os.ftruncate(descriptor, len(data))


def _marker_last(descriptor: int, data: bytes) -> None:
    """From a text with markers, one at its beginning and one at its end, to a whole one."""
    _put(descriptor, data[len(_OURS) :], len(_OURS))
    if len(data) > len(_OURS):
        os.ftruncate(descriptor, len(data))
    _put(descriptor, data[: len(_OURS)], 0)
    os.ftruncate(descriptor, len(data))


def _put(descriptor: int, data: bytes, offset: int) -> None:
    """Write all of it at an offset: a disk may take a part, and refuse the next."""
    os.lseek(descriptor, offset, os.SEEK_SET)
    while data:
        data = data[os.write(descriptor, data) :]


def _merge_rows(versions: Versions) -> Result:
    from flakeledger.repo.row_merge import merge_rows

    merged = merge_rows(versions.base, versions.ours, versions.theirs, versions.path)
    notes = [f"both sides changed the row of {key}" for key in merged.conflicts]
    notes += [f"a comment of the other side was left out: {line}" for line in merged.lost_comments]
    return Result(merged.data, bool(merged.conflicts), tuple(notes))


def _merge_log(versions: Versions) -> Result:
    from flakeledger.repo.log_merge import merge_log

    return Result(merge_log(versions.ours, versions.theirs), conflict=False)


def _merge_text(versions: Versions) -> Result:
    data, conflict = _merged_by_git(versions)
    return Result(data, conflict)


def _merged_by_git(versions: Versions) -> tuple[bytes, bool]:
    from flakeledger.store.temporary import temporary_folder

    git = Git.open(os.curdir, os.environ)
    with temporary_folder("merge") as folder:  # the file of our version has markers by now
        place(folder, "ours", None, versions.ours)
        return git.merge_file(f"{folder}/ours", *map(os.path.abspath, (versions.base_file, versions.their_file)))


def _unproven(versions: Versions) -> bytes:
    """Markers for what cannot be proven: around the texts that git cannot merge, else around both whole texts."""
    try:
        data, conflict = _merged_by_git(versions)
    except CannotTell:
        conflict = False
    return data if conflict else _whole(versions.ours, versions.theirs)


def _whole(ours: bytes, theirs: bytes) -> bytes:
    return b"".join((_OURS, _ended(ours), b"=======\n", _ended(theirs), b">>>>>>> theirs\n"))


def _ended(data: bytes) -> bytes:
    return data if not data or data.endswith(b"\n") else data + b"\n"


_MERGES: dict[str, Callable[[Versions], Result]] = {
    FREEZES: _merge_rows,
    FIXTURES: _merge_rows,
    PROPERTIES: _merge_rows,
    REPLAYS: _merge_log,
}
