"""Files that are being written, beside the place where they are to stand: they appear there whole or not at all.

Invariants:
* An unfinished file goes on every way out. What a killed process left goes when the next one writes the same file.
* That of a living process is nobody else's business: it holds a lock on it (`held_files.py`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from flakeledger.store.held_files import has_locks, make_held, taken_over

_NAME = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{16}\.unfinished", re.DOTALL)


@contextmanager
def unfinished(target: str, data: bytes, mode: int = 0o666, *, durable: bool) -> Iterator[str]:
    """A file with these bytes beside the target, to be renamed to it; it goes with the `with` unless it was.

    With `durable` its bytes are on the disk. OSError when it cannot be written.
    """
    sweep(target)
    folder, name = os.path.split(target)
    path = f"{folder}/.{name}.{os.urandom(8).hex()}.unfinished"
    descriptor = make_held(path, mode)
    keeps = has_locks()  # a system without locks renames no file that is open
    try:
        with open(descriptor, "wb", closefd=not keeps) as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(descriptor)
        yield path
    finally:
        with suppress(OSError):
            os.unlink(path)
        if keeps:
            os.close(descriptor)


def sweep(target: str) -> None:
    """Remove what killed processes left unfinished beside a file."""
    folder, name = os.path.split(target)
    _sweep(folder, name)


def sweep_folder(folder: str) -> None:
    """Remove what killed processes left unfinished in a folder that nobody else writes to."""
    _sweep(folder, None)


def _sweep(folder: str, name: str | None) -> None:
    with suppress(OSError):
        for found in os.listdir(folder):
            leftover = _NAME.fullmatch(found)
            if leftover is not None and name in (None, leftover["name"]):
                with taken_over(f"{folder}/{found}") as free:
                    if free:
                        os.unlink(f"{folder}/{found}")
