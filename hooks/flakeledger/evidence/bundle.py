"""How a commit gets to another host: as a git bundle, and there as one clone that every replay of it uses.

Invariants:
* What arrives is what was sent: it is unpacked only when its digest is right.
* A clone is complete or has another name: it is made beside its place and renamed. One that a killed process left half
  made is never used, and removed after a day.
* The folder of the clones belongs to one user and nobody else may look into it.
* The folder of a clone is named as the work tree that the commit came from: some tests know that name.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from shlex import quote
from typing import NamedTuple

from flakeledger.model.clock import DAY
from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git
from flakeledger.store.git_bundles import bundled, open_clone, unpack
from flakeledger.store.held_files import require_locks
from flakeledger.store.temporary import remove_tree

FOLDER = "flakeledger-clones"
_UNFINISHED = "new-"
_DIGEST_DIGITS = 32
_KEPT_DAYS, _UNFINISHED_DAYS = 30, 1
_SPACE_FIX = "point TMPDIR of the worker at a folder that it may write, with room for the commit"


class Bundle(NamedTuple):
    """What a host is told about a bundle. `root` is the work tree that the commit came from, on the host of before."""

    digest: str
    commit: str
    object_format: str
    root: str


def bundle_of(git: Git, commit: str) -> tuple[Bundle, bytes]:
    """The bundle of a commit. See `git_bundles.bundled` for when there is none."""
    data = bundled(git, commit)
    return Bundle(_digest(data), commit, git.object_format, git.root), data


def clone_of(bundle: Bundle, environment: Mapping[str, str]) -> Git | None:
    """This host's clone of a bundle, None when it has not arrived here. CannotTell when it cannot be used."""
    _, place = _places(bundle)
    try:
        os.utime(place)  # it is in use
    except FileNotFoundError:
        return None
    return open_clone(f"{place}/{_name(bundle)}", environment)


def receive(bundle: Bundle, data: bytes, environment: Mapping[str, str]) -> None:
    """Make this host's clone of a bundle, unless there is one. CannotTell when that cannot be done."""
    base, place = _places(bundle)
    if os.path.isdir(place):
        return
    if _digest(data) != bundle.digest:
        raise CannotTell(
            "the commit arrived damaged: its bundle has another digest", "run the same command again, with --resume"
        )
    try:
        _make(bundle, data, base, place, environment)
    except OSError as error:
        raise CannotTell(f"{place} cannot be made: {error.strerror}", _SPACE_FIX) from error


def _places(bundle: Bundle) -> tuple[str, str]:
    """The folder of the clones, and where that of a bundle is. CannotTell where no replay can run."""
    from tempfile import gettempdir

    require_locks()  # nor are there user ids where there are none
    base = _private_folder(f"{os.path.realpath(gettempdir())}/{FOLDER}-{os.getuid()}")
    key = _digest(f"{bundle.digest} {_name(bundle)}".encode(errors="surrogateescape"))
    return base, f"{base}/{key[:_DIGEST_DIGITS]}"


def _make(bundle: Bundle, data: bytes, base: str, place: str, environment: Mapping[str, str]) -> None:
    from tempfile import mkdtemp

    new = mkdtemp(dir=base, prefix=_UNFINISHED)
    try:
        _sweep(base, os.stat(new).st_mtime)
        folder = f"{new}/{_name(bundle)}"
        os.mkdir(folder)
        unpack(data, folder, bundle.commit, bundle.object_format, environment)
        try:
            os.rename(new, place)
        except OSError:
            if not os.path.isdir(place):  # else another process was first, and its clone is as good
                raise
    finally:
        remove_tree(new)


def _name(bundle: Bundle) -> str:
    return os.path.basename(bundle.root) or "root"


def _private_folder(path: str) -> str:
    """The folder, made when it is not there. CannotTell when it is somebody else's, or others may look into it."""
    try:
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)
        about = os.lstat(path)
    except OSError as error:
        raise CannotTell(f"{path} cannot be made: {error.strerror}", _SPACE_FIX) from error
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise CannotTell(f"{path} is no folder of this user alone", f"remove it, or: chmod 700 {quote(path)}")
    return path


def _sweep(base: str, now: float) -> None:
    """Remove clones that nobody used for a month, and those that were left half made a day ago or earlier."""
    with os.scandir(base) as entries:
        for entry in entries:
            days = _UNFINISHED_DAYS if entry.name.startswith(_UNFINISHED) else _KEPT_DAYS
            with suppress(OSError, CannotTell):  # another process sweeps as well
                if now - entry.stat(follow_symlinks=False).st_mtime > days * DAY:
                    remove_tree(entry.path)


def _digest(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()
