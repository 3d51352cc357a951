"""Putting files into the work tree: a new one where nothing stands, or another text in the place of the old.

Invariants:
* Nothing is overwritten that is not exactly what the caller read; nothing is written through a symbolic link.
* A path goes down from the root by plain folder names; a folder on the way that is no folder is refused.
* A file appears whole or not at all, and a rewritten one keeps its mode; one that nobody may write is refused.
* Of several files none is put in its place before all of them are on the disk.
* When one cannot be put in its place, those before it are taken back.
* An unfinished file goes on every way out; what a killed process left goes with the next one (`unfinished.py`).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from shlex import quote

from flakeledger.model.errors import CannotTell
from flakeledger.store.unfinished import unfinished

#: what helps where the reason is not that somebody lacks a right
_FIXES = {
    errno.ENOSPC: "free some space on its disk, then run this again; nothing was changed",
    errno.EDQUOT: "free some of your quota, then run this again; nothing was changed",
    errno.EFBIG: "raise the limit on the size of files (ulimit -f), then run this again; nothing was changed",
    errno.EROFS: "mount its disk so that it can be written, then run this again",
    errno.EIO: "look after its disk (dmesg says what failed), then run this again",
    errno.ENAMETOOLONG: "give it a shorter name",
}


def stands(root: str, path: str) -> bool:
    """Whether anything stands at the path. CannotTell when a folder on the way is a link or a file."""
    names = path.split("/")
    for number in range(1, len(names)):
        folder = "/".join(names[:number])
        mode = _mode(f"{root}/{folder}")
        if mode is None:
            return False
        if not stat.S_ISDIR(mode):
            what = "a symbolic link" if stat.S_ISLNK(mode) else "no folder"
            raise CannotTell(
                f"{folder} is {what}, and nothing is written through it", f"git mv {quote(folder)} elsewhere"
            )
    return _mode(f"{root}/{path}") is not None


def read_regular(root: str, path: str) -> bytes | None:
    """The bytes of the file at the path, None where nothing stands.

    CannotTell for a symbolic link, a folder, or a file that cannot be read.
    """
    if not stands(root, path):
        return None
    mode = _mode(f"{root}/{path}")
    if mode is None or not stat.S_ISREG(mode):
        what = _kind(mode)
        raise CannotTell(f"{path} is no regular file{what}", f"put a regular file in the place of {path}")
    try:
        with open(f"{root}/{path}", "rb") as file:
            return file.read()
    except OSError as error:
        raise CannotTell(f"{path} cannot be read: {error.strerror}", f"make {path} readable") from error


def place(root: str, path: str, before: bytes | None, after: bytes) -> None:
    """Write a file whose bytes were `before` (None: nothing stood there) a moment ago.

    CannotTell when something else stands there now, or it cannot be written.
    """
    place_all(root, {path: (before, after)})


def place_all(root: str, changes: Mapping[str, tuple[bytes | None, bytes]]) -> None:
    """Write several files, in the order given, each by what was read and what is to stand there.

    CannotTell, with nothing changed, when something else stands there now or one of them cannot be written.
    """
    placed: dict[str, bytes | None] = {}
    with ExitStack() as stack:
        written = {}
        for path, (before, after) in changes.items():
            _refuse_changed(root, path, before)
            written[path] = _prepare(root, path, after, stack)
        try:
            for path, (before, _) in changes.items():
                _refuse_changed(root, path, before)
                _finish(root, path, written[path])
                placed[path] = before
        except CannotTell as refusal:
            raise _taken_back(root, placed, refusal) from refusal


def _refuse_changed(root: str, path: str, before: bytes | None) -> None:
    if read_regular(root, path) != before:
        raise CannotTell(f"{path} changed while this ran", "run the same command again; nothing was written")


def _prepare(root: str, path: str, after: bytes, stack: ExitStack) -> str:
    """Put the bytes on the disk under another name, with the mode of the file that they replace; gives that name."""
    target = f"{root}/{path}"
    mode = _mode(target)
    if mode is not None and not (mode & 0o222 and os.access(target, os.W_OK)):
        raise CannotTell(f"{path} is read-only", f"chmod u+w {quote(path)}")
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        written = stack.enter_context(unfinished(target, after, durable=True))
        if mode is not None:
            os.chmod(written, stat.S_IMODE(mode))
    except OSError as error:
        raise _refusal(root, path, error) from error
    return written


def _finish(root: str, path: str, written: str) -> None:
    target = f"{root}/{path}"
    try:
        os.replace(written, target)
    except OSError as error:
        raise _refusal(root, path, error) from error
    with suppress(OSError):  # not every disk can sync a folder; the file is whole either way
        folder = os.open(os.path.dirname(target), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _taken_back(root: str, placed: Mapping[str, bytes | None], refusal: CannotTell) -> CannotTell:
    """Put back what stood in the place of files that are written already; the refusal, which says what stays."""
    stay = []
    for path, before in placed.items():
        try:
            if before is None:
                os.unlink(f"{root}/{path}")
            else:
                with ExitStack() as stack:
                    _finish(root, path, _prepare(root, path, before, stack))
        except (CannotTell, OSError):
            stay.append(path)
    if not stay:
        return refusal
    reason = f"{refusal.reason}; already written, and it could not be taken back: {', '.join(stay)}"
    return CannotTell(reason, "git diff   # shows what was written; let the disk be written to, and run this again")


def _refusal(root: str, path: str, error: OSError) -> CannotTell:
    folder = os.path.dirname(f"{root}/{path}")
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    fix = _FIXES.get(error.errno or 0, f"make its folder writable: chmod u+wx {quote(folder)}")
    return CannotTell(f"{path} cannot be written: {error.strerror}", fix)


def _kind(mode: int | None) -> str:
    if mode is None:
        return ""
    return ", but a symbolic link" if stat.S_ISLNK(mode) else ", but a folder" if stat.S_ISDIR(mode) else ""


def _mode(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CannotTell(
            f"{path} cannot be examined: {error.strerror}",
            f"ls -ld {quote(os.path.dirname(path))}   # shows the rights of its folder",
        ) from error
