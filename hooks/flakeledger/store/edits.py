"""Writes edited ledgers: one command at a time, all files of a command or none.

Invariants:
* Whoever edits holds the lock, a file below the git directory that the system frees when its process dies, however
  that is: a killed command leaves no lock behind, and no unfinished file that the next one does not remove.
* Who waits for the lock knows for whom, and not for ever.
* A file that changed since it was read is never overwritten, and none is begun anew that git keeps off the disk.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from shlex import quote
from time import sleep
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.store.cache import FOLDER
from flakeledger.store.git import Git
from flakeledger.store.placing import place_all, read_regular

LOCK = "edit.lock"
#: how long a command waits for another one: seconds, and how often it looks
PATIENCE = 10.0
_LOOKS_A_SECOND = 50
_LONGEST_PID = 20


def on_disk(git: Git, path: str) -> bytes | None:
    """The bytes of a file of the work tree, None where nothing stands.

    CannotTell for what is no regular file, and where nothing stands because the work tree leaves the file out.
    """
    data = read_regular(git.root, path)
    if data is None:
        refuse_off_disk(git, (path,))
    return data


def refuse_off_disk(git: Git, paths: Sequence[str]) -> None:
    """CannotTell when the index has a file at or below one of the paths that the work tree leaves out."""
    left_out = git.off_disk(paths)
    if left_out:
        raise CannotTell(
            f"git has {left_out[0]}, but this work tree leaves it out, as a sparse one does",
            f"git sparse-checkout disable   # or: git sparse-checkout add with the folder of {left_out[0]}",
        )


class Edits(NamedTuple):
    """The right to edit; `locked` gives it."""

    root: str

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, None where nothing stands. CannotTell for what is no regular file."""
        return read_regular(self.root, path)

    def write(self, changes: Mapping[str, tuple[bytes | None, bytes]]) -> None:
        """Put texts in place, each given as what was read (None: nothing) and what is to stand there.

        CannotTell, with nothing changed, when a file changed since, or one of them cannot be written.
        """
        place_all(self.root, changes)

    def append_lines(self, path: str, lines: bytes) -> None:
        """Add whole lines to a file, or make it. CannotTell, with nothing changed, when that cannot be done."""
        before = self.read(path)
        joint = b"\n" if before and not before.endswith(b"\n") else b""
        self.write({path: (before, (before or b"") + joint + lines)})


def append_lines(git: Git, path: str, lines: bytes) -> None:
    """Lock, and add whole lines to a file of the work tree as `Edits.append_lines` does."""
    with locked(git) as edits:
        on_disk(git, path)
        edits.append_lines(path, lines)


@contextmanager
def locked(git: Git, patience: float = PATIENCE) -> Iterator[Edits]:
    """Hold the lock on editing. What is read and written meanwhile no other command changes.

    CannotTell, with the number of the process that holds it, after `patience` seconds.
    """
    take = _system_lock()
    lock = _open(f"{git.git_dir}/{FOLDER}")
    try:
        _wait(lock, take, patience)
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        try:
            yield Edits(git.root)
        finally:
            os.ftruncate(lock, 0)
    finally:
        os.close(lock)


def _system_lock() -> Callable[[int], None]:
    """What locks an open file, or raises BlockingIOError while another process holds it.

    CannotTell where the system has none: it does not know either what a lock is opened and written with.
    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError as error:
        fix = "edit the ledger by hand, or run this where the system locks files, such as in WSL"
        raise CannotTell("this system has no locks on files", fix) from error
    return lambda lock: flock(lock, LOCK_EX | LOCK_NB)


def _open(folder: str) -> int:
    try:
        with suppress(FileExistsError):
            os.mkdir(folder)
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            raise CannotTell(f"{folder} is no folder", f"rm {quote(folder)}")
        return os.open(f"{folder}/{LOCK}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise CannotTell(
            f"the lock on editing cannot be made: {folder}/{LOCK}: {error.strerror}",
            f"make {folder} a folder that you may write",
        ) from error


def _wait(lock: int, take: Callable[[int], None], patience: float) -> None:
    for _ in range(int(patience * _LOOKS_A_SECOND)):
        with suppress(BlockingIOError):
            take(lock)
            return
        sleep(1 / _LOOKS_A_SECOND)
    holder = os.pread(lock, _LONGEST_PID, 0).decode(errors="replace") or "of an unknown number"
    raise CannotTell(
        f"another flakeledger (process {holder}) is editing the ledgers",
        f"wait until it is done; if it hangs, end it: kill {holder}",
    )
