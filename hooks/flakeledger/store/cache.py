"""What earlier runs learnt, below the git directory: JSON values under fixed names.

Invariants:
* A value that is damaged, cut off or written by another version is not there; no reader ever sees half of one.
* A value is believed from a file that this user owns and nobody else may write, under the name that it was saved by.
* Where nothing can be written (a read-only checkout, another owner) nothing is, in silence: a cache is no result.
* The folder is a folder and never a symbolic link; nothing outside of it is written.
* What a killed process left half written goes with the next run, `sweep`.
"""

from __future__ import annotations

import json
import os
import re
import stat
from contextlib import suppress
from typing import NamedTuple
from zlib import crc32

from flakeledger import __version__

FOLDER = "flakeledger"
#: what a file starts with; another version of flakeledger may mean something else by the same value
HEADING = f"flakeledger {__version__} cache 2 ".encode()
#: whatever the user's umask lets others do
_MODE = 0o600
_NAME = re.compile(r"[a-z][a-z0-9-]*")


class Cache(NamedTuple):
    """The cache of the repository whose git directory this is."""

    git_dir: str

    def load(self, name: str) -> object | None:
        """The value under a name; None when there is none that is whole and of this version."""
        path = self._path(name)
        try:
            if not stat.S_ISDIR(os.lstat(self._folder).st_mode):
                return None
            with open(path, "rb") as file:
                if not _is_ours_alone(os.fstat(file.fileno())):
                    return None
                heading, payload = file.readline(), file.read()
            return json.loads(payload) if heading == _heading(name, payload) else None
        except (OSError, ValueError, RecursionError):
            return None

    def save(self, name: str, value: object) -> None:
        """Put a JSON value under a name, whole or not at all; where nothing can be written nothing happens."""
        path = self._path(name)
        payload = json.dumps(value, separators=(",", ":")).encode()
        with suppress(OSError):
            with suppress(FileExistsError):
                os.mkdir(self._folder)
            if stat.S_ISDIR(os.lstat(self._folder).st_mode):
                _replace(path, _heading(name, payload) + payload)

    def sweep(self) -> None:
        """Remove what killed runs left half written."""
        with suppress(OSError):
            if stat.S_ISDIR(os.lstat(self._folder).st_mode) and any(map(_is_unfinished, os.listdir(self._folder))):
                from flakeledger.store.unfinished import sweep_folder

                sweep_folder(self._folder)

    @property
    def _folder(self) -> str:
        return f"{self.git_dir}/{FOLDER}"

    def _path(self, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a cache")
        return f"{self._folder}/{name}.json"


def _heading(name: str, payload: bytes) -> bytes:
    return HEADING + b"%s %d %08x\n" % (name.encode(), len(payload), crc32(payload))


def _is_ours_alone(status: os.stat_result) -> bool:
    # a system without user ids (Windows) keeps files apart by other means
    is_ours = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return is_ours and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _is_unfinished(name: str) -> bool:
    return name.endswith(".unfinished")


def _replace(path: str, data: bytes) -> None:
    """Put a file with these bytes in the place of another, or leave everything as it was."""
    from flakeledger.store.unfinished import unfinished  # a run that learnt nothing does not pay for it

    with unfinished(path, data, _MODE, durable=False) as written:
        os.replace(written, path)
