"""Temporary folders that go however their process ends: by itself, or with the next one that makes such a folder.

Invariants:
* Beside each folder lies a file that its process holds (`held_files.py`), made before the folder and removed after it:
  what a killed process left is known for certain, and what a living one uses is never touched.
* A folder is of a kind; whoever makes one sweeps those of its kind.
* Nobody but its user may look into a folder, and only that user's are swept.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from shlex import quote

from flakeledger.model.errors import CannotTell
from flakeledger.store.held_files import has_locks, make_held, taken_over

PREFIX = "flakeledger-"
SPACE_FIX = "point TMPDIR at a folder that you may write, with room for the files of the commit"
_HOLD = ".held"
#: where temporary files go: what these variables say, else one of these folders
_VARIABLES, _FOLDERS = ("TMPDIR", "TEMP", "TMP"), ("/tmp", "/var/tmp", "/usr/tmp")  # noqa: S108  # as Python has it
#: a process that is being ended may still write into a folder while it is removed
_REMOVALS = 5


@contextmanager
def temporary_folder(kind: str, abandoned: Callable[[str], object] = bool) -> Iterator[str]:
    """A new folder, which is gone at the end of the `with`; `abandoned` is told of each that is swept before.

    CannotTell when it cannot be made, or not be removed.
    """
    base = temporary_base()
    _sweep(base, kind, abandoned)
    folder = f"{base}/{PREFIX}{kind}-{os.urandom(8).hex()}"
    try:
        descriptor = make_held(f"{folder}{_HOLD}", 0o600)
    except OSError as error:
        raise _refusal(error) from error
    keeps = has_locks()  # a system without locks removes no file that is open
    if not keeps:
        os.close(descriptor)
    try:
        try:
            os.mkdir(folder, 0o700)
        except OSError as error:
            os.unlink(f"{folder}{_HOLD}")
            raise _refusal(error) from error
        yield folder
    finally:
        _remove(folder)
        if keeps:
            os.close(descriptor)


def temporary_base() -> str:
    """The folder for temporary files, without links. CannotTell when there is none.

    The order is that of Python's tempfile, which would write a file of another name into it to try it.
    """
    named = filter(None, map(os.environ.get, _VARIABLES))
    for folder in (*named, *_FOLDERS):
        if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
            return os.path.realpath(folder)
    raise CannotTell("there is no folder for temporary files", "point TMPDIR at a folder that you may write")


def remove_tree(path: str) -> None:
    """Remove a folder with all that is in it, whatever its rights. CannotTell when something stays."""
    import shutil

    for _ in range(_REMOVALS):
        with suppress(FileNotFoundError):
            try:
                shutil.rmtree(path)
            except OSError:
                _give_rights(path)
        if not os.path.lexists(path):
            return
    raise CannotTell(f"{path} cannot be removed", f"remove it: rm -rf {quote(path)}")


def _sweep(base: str, kind: str, abandoned: Callable[[str], object]) -> None:
    with suppress(OSError), os.scandir(base) as entries:
        holds = [e.path for e in entries if e.name.startswith(f"{PREFIX}{kind}-") and e.name.endswith(_HOLD)]
        for hold in holds:
            folder = hold.removesuffix(_HOLD)
            with taken_over(hold) as free:
                if free and _is_own_folder(folder):
                    abandoned(folder)
                    with suppress(CannotTell):  # what cannot be removed now is tried again by the next one
                        _remove(folder)


def _remove(folder: str) -> None:
    """Remove a folder and then its hold, whose lock we have. CannotTell, with the hold kept, when something stays."""
    if os.path.lexists(folder):
        remove_tree(folder)
    with suppress(OSError):
        os.unlink(f"{folder}{_HOLD}")


def _is_own_folder(path: str) -> bool:
    """Whether a folder of this user stands there, or nothing."""
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        return True
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid()


def _refusal(error: OSError) -> CannotTell:
    return CannotTell(f"no temporary folder can be made: {error.strerror}", SPACE_FIX)


def _give_rights(path: str) -> None:
    """Let the owner into every folder below; what is gone or somebody else's is left."""
    with suppress(OSError):
        os.chmod(path, 0o700)
        with os.scandir(path) as entries:
            folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        for folder in folders:
            _give_rights(folder)
