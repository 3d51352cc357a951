"""Blobs by their id: one interface, a live `git cat-file --batch` or pygit2 behind it.

Invariants:
* An id is 40 or 64 hexadecimal digits and names a blob; whatever else is asked for is `CannotTell`.
* A blob that is not here is `CannotTell` with the reason: nothing is fetched, nothing reads as empty.
* One blob is in memory at a time; the requests under way always fit into a pipe, so nobody waits for ever.
* Both readers read what the repository of `Git` holds: no replaced objects, no discovery of their own.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple, NoReturn, Protocol

from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git, TreeEntry
from flakeledger.store.git_output import folder_records, telling_line
from flakeledger.store.git_refusals import DEEPEN, FETCH_ALL, UNFETCHED

#: Importing pygit2 takes 50 ms here and then 12 us a blob; `BatchReader.read` imports nothing and takes 20 to 85 us
#: a blob, as the scheduler places the two processes. Measured in ms, small packed blobs, one `read` after the other,
#: batch and pygit2: 10: 3 and 51, 100: 8 and 52, 1,000: 25-90 and 60-78, 3,000: 64-296 and 76-97, 9,000: 180-620
#: and 164-189. `BatchReader.read_many` keeps requests under way and beats both at every size: 1,000: 16, 3,000: 45,
#: 9,000: 127. Blobs of 1 MB cost 2.7 ms there and 3.8 ms with pygit2, which hashes what it reads.
READS_THAT_PAY_FOR_PYGIT2 = 1_500
#: 60 requests of at most 65 bytes fit into the smallest pipe, of 4 KiB; larger windows gain nothing
WINDOW = 60
_BATCH = ("cat-file", "--batch")
FOLDER_MODE = "040000"
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
#: what says that a clone holds only a part of the objects it names
_PARTIAL = r"^(extensions\.partialclone|remote\..*\.promisor)$"
_OTHER_OBJECTS = ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")


class Folder(NamedTuple):
    """One level of a tree: its id, and what stands under each name; a folder in it has the mode `FOLDER_MODE`."""

    oid: str
    entries: dict[str, TreeEntry]


class ObjectReader(Protocol):
    """Reads blobs by their id. `close` ends it; it may be called twice."""

    def read(self, oid: str) -> bytes:
        """The content of a blob. CannotTell when it is missing, broken, or no blob."""

    def read_many(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The id and the content of each blob in the order given, one at a time; errors as in `read`."""

    def close(self) -> None:
        """End what runs behind the reader."""


def open_objects(git: Git, expected: int) -> ObjectReader:
    """The reader that is quicker for about `expected` calls of `read`. (`read_many` never pays for pygit2.)"""
    if expected < READS_THAT_PAY_FOR_PYGIT2 or any(name in git.environment for name in _OTHER_OBJECTS):
        return BatchReader(git)
    try:
        return Pygit2Reader(git)
    except _LibgitRefusalError:
        return BatchReader(git)


class BatchReader:
    """Reads blobs, and folders too, through `git cat-file --batch`; works wherever git does."""

    def __init__(self, git: Git) -> None:
        """Nothing is started before the first read."""
        self._git = git
        self._absence = _Absence(git)
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, oid: str) -> bytes:
        """The content of a blob. CannotTell when it is missing, broken, or no blob."""
        _check(oid)
        return self._content(oid, "blob")[1]

    def folder(self, oid: str) -> Folder:
        """One level of a tree. CannotTell when it is missing, broken, or no tree."""
        _check(oid)
        return Folder(oid, folder_records(self._content(oid, "tree")[1], len(oid)))

    def root(self, revision: str) -> Folder:
        """The first level of a commit's tree, given by a name of our own making. CannotTell as in `folder`."""
        oid, data = self._content(f"{revision}^{{tree}}", "tree")
        return Folder(oid, folder_records(data, len(oid)))

    def _content(self, name: str, kind: str) -> tuple[str, bytes]:
        """The id and the content of an object of this kind."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = self._git.start(*_BATCH)
        self._ask(self._process, (name,))
        return self._answer(self._process, name, kind)

    def read_many(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The id and the content of each blob in the order given, one at a time; errors as in `read`.

        It has a process of its own, so that `read` may be called in between and the rest may be left unread.
        """
        waiting = iter(oids)
        if (first := next(waiting, None)) is None:
            return
        waiting = chain((first,), waiting)
        with self._git.start(*_BATCH) as process:
            while window := tuple(islice(waiting, WINDOW)):
                for oid in window:
                    _check(oid)
                self._ask(process, window)
                for oid in window:
                    yield oid, self._answer(process, oid, "blob")[1]

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            with self._process:
                self._process = None

    def _ask(self, process: subprocess.Popen[bytes], oids: Sequence[str]) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write("".join(f"{oid}\n" for oid in oids).encode())
            process.stdin.flush()
        except BrokenPipeError:
            raise self._absence.of(oids[0], _last_words(process)) from None

    def _answer(self, process: subprocess.Popen[bytes], oid: str, wanted: str) -> tuple[str, bytes]:
        """One answer, read to its end whatever it says, so that the next one starts where it should."""
        assert process.stdout is not None
        header = process.stdout.readline().decode().split()
        if not header:
            raise self._absence.of(oid, _last_words(process))
        if len(header) != 3:
            raise self._absence.of(oid)
        found, kind, size = header
        data = process.stdout.read(int(size))
        if process.stdout.read(1) != b"\n":
            raise self._absence.of(oid, _last_words(process))
        return (found, data) if kind == wanted else _refuse(oid, kind, wanted)


class Pygit2Reader:
    """Reads through libgit2; a job for a few thousand single reads."""

    def __init__(self, git: Git) -> None:
        """Open the repository. Raises a private error where libgit2 refuses it."""
        import pygit2
        from pygit2.enums import ObjectType, RepositoryOpenFlag

        self._absence = _Absence(git)
        self._kinds = {kind.value: kind.name.lower() for kind in ObjectType}
        self._broken = pygit2.GitError
        try:
            # the git directory that git itself found: libgit2's own search knows another environment
            self._repository = pygit2.Repository(git.git_dir, RepositoryOpenFlag.NO_SEARCH)
        except pygit2.GitError as error:
            raise _LibgitRefusalError(str(error)) from error

    def read(self, oid: str) -> bytes:
        """The content of a blob. CannotTell when it is missing, broken, or no blob."""
        _check(oid)
        try:
            kind, data = self._repository.read(oid)
        except KeyError:
            raise self._absence.of(oid) from None
        except (ValueError, self._broken) as error:
            raise self._absence.of(oid, str(error)) from error
        name = self._kinds[int(kind)]
        return bytes(data) if name == "blob" else _refuse(oid, name, "blob")

    def read_many(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The id and the content of each blob in the order given, one at a time; errors as in `read`."""
        for oid in oids:
            yield oid, self.read(oid)

    def close(self) -> None:
        """Let go of the repository's files."""
        self._repository.free()


class _LibgitRefusalError(Exception):
    """libgit2 cannot open the repository; git can."""


class _Absence:
    """Says why a blob cannot be read; asks the repository once."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def of(self, oid: str, detail: str = "") -> CannotTell:
        """The error for a blob: missing, or broken as `detail` says."""
        if detail and UNFETCHED not in detail:
            return CannotTell(f"object {oid} cannot be read: {detail}", "git fsck, then fetch it again")
        where, fix = self._where
        return CannotTell(f"object {oid} cannot be read: it is missing from this {where}", fix)

    @cached_property
    def _where(self) -> tuple[str, str]:
        if self._git.run("config", "--get-regexp", _PARTIAL, ok=(0, 1)):
            return "partial clone", FETCH_ALL
        if self._git.shallow:
            return "shallow clone", DEEPEN
        return "repository, or broken", "git fsck, then fetch it again"


def is_object_id(text: str) -> bool:
    """Whether the text is a full id: nothing that git would take for an option or for the name of a revision."""
    return _OBJECT_ID.fullmatch(text) is not None


def _check(oid: str) -> None:
    if not is_object_id(oid):
        raise CannotTell(f"{oid!r} is no object id", "give all 40 (or 64) hexadecimal digits")


def _refuse(oid: str, kind: str, wanted: str) -> NoReturn:
    what = {"blob": "the content of a file", "tree": "a folder"}[wanted]
    raise CannotTell(f"object {oid} is a {kind}, not {what}", f"give the id of a {wanted}")


def _last_words(process: subprocess.Popen[bytes]) -> str:
    """What a git that ended said."""
    return telling_line(process.communicate()[1]) or f"git cat-file ended with {process.returncode}"
