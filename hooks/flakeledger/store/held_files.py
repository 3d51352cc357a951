"""Files that say whether the process that made them lives: it holds a lock on them, which goes with it however it ends.

Invariants:
* Whoever removes what a dead process left holds the lock meanwhile, so that two of them are never at it at once.
* A file is not used by its maker before it is locked: one that somebody took for left behind just then is made again.
* Where the system has no locks on files nothing is taken for left behind.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from flakeledger.model.errors import CannotTell


def has_locks() -> bool:
    """Whether the system locks files."""
    try:
        import fcntl  # noqa: F401  # whether it is there is the question
    except ImportError:
        return False
    return True


def require_locks() -> None:
    """CannotTell where the system locks no files, and so cannot tell what a dead replay left."""
    if not has_locks():
        fix = "run this where the system locks files and forks, such as in WSL"
        raise CannotTell("this system has no locks on files", fix)


def make_held(path: str, mode: int) -> int:
    """Make a file that this process holds until it closes the descriptor, which is given. OSError when it cannot.

    FileExistsError when something stands there.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        _wait_for(descriptor)
        if os.fstat(descriptor).st_nlink:
            return descriptor
        os.close(descriptor)


@contextmanager
def taken_over(path: str) -> Iterator[bool]:
    """Whether this is a regular file of this user that no living process holds. Nobody else takes it over meanwhile."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK) if has_locks() else None
    except OSError:
        descriptor = None
    try:
        yield descriptor is not None and _is_own(os.fstat(descriptor)) and _is_free(descriptor)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _is_own(about: os.stat_result) -> bool:
    return stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid()


def _wait_for(descriptor: int) -> None:
    """Hold the lock; whoever else has it is about to remove the file. Nothing where the disk knows no locks."""
    if has_locks():
        from fcntl import LOCK_EX, flock

        with suppress(OSError):
            flock(descriptor, LOCK_EX)


def _is_free(descriptor: int) -> bool:
    """Hold the lock, if nobody does and the file is still there."""
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except OSError:  # another process holds it, or the disk knows no locks
        return False
    return os.fstat(descriptor).st_nlink > 0
