"""Putting files into the work tree: a new one where nothing stands, or longer text in the place of the old.

Invariants:
* Nothing is overwritten that is not exactly what the caller read; nothing is written through a symbolic link.
* A path goes down from the root by plain folder names; a folder on the way that is no folder is refused.
* A file appears whole or not at all, and a rewritten one keeps its mode.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from flakeledger.model.errors import CannotTell


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
            raise CannotTell(f"{folder} is {what}, and nothing is written through it", f"git mv {folder} elsewhere")
    return _mode(f"{root}/{path}") is not None


def read_regular(root: str, path: str) -> bytes | None:
    """The bytes of the file at the path, None where nothing stands.

    CannotTell for a symbolic link, a folder, or a file that cannot be read.
    """
    if not stands(root, path):
        return None
    mode = _mode(f"{root}/{path}")
    if mode is None or not stat.S_ISREG(mode):
        raise CannotTell(f"{path} is no regular file", f"put a regular file in the place of {path}")
    try:
        with open(f"{root}/{path}", "rb") as file:
            return file.read()
    except OSError as error:
        raise CannotTell(f"{path} cannot be read: {error.strerror}", f"make {path} readable") from error


def place(root: str, path: str, before: bytes | None, after: bytes) -> None:
    """Write a file whose bytes were `before` (None: nothing stood there) a moment ago.

    CannotTell when something else stands there now, or it cannot be written.
    """
    if read_regular(root, path) != before:
        raise CannotTell(f"{path} changed while this ran", "run it again")
    target = f"{root}/{path}"
    unfinished = f"{target}.{os.urandom(8).hex()}"
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(unfinished, "xb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        mode = _mode(target)
        if mode is not None:
            os.chmod(unfinished, stat.S_IMODE(mode))
        os.replace(unfinished, target)
    except OSError as error:
        with suppress(OSError):
            os.unlink(unfinished)
        raise CannotTell(f"{path} cannot be written: {error.strerror}", f"make its folder writable: {path}") from error


def _mode(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CannotTell(f"{path} cannot be examined: {error.strerror}", "check the rights of its folder") from error
