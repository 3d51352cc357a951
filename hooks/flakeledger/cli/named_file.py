"""Files that a person names on the command line, wherever they lie: read whole, or refused.

Invariants:
* Only a regular file is read: a pipe or a device could keep us waiting, or never end.
* A file is refused by its size before a byte of it is read, and never more than the limit and one byte is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from flakeledger.model.canonical import NotCanonical
from flakeledger.model.errors import CannotTell

_MIB = 1024 * 1024
#: a contract is read by people: 64 MiB are ten thousand pages of one. Parsed, a byte can cost forty (`[[],[],…`),
#: so this is what bounds the memory: to less than three gigabytes at the worst, to some hundred megabytes for data.
LARGEST_CONTRACT = 64 * _MIB
#: a record is seven short texts
LARGEST_RECORD = 64 * 1024
#: no larger Python module is parsed (`repo.modules.LARGEST`), and no test in another language is longer
LARGEST_MODULE = _MIB


def read_named(path: str, largest: int) -> bytes:
    """The bytes of the regular file at `path`. CannotTell when it is none, cannot be read, or is too large."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise CannotTell(f"{path} is no regular file", "name a file that can be read whole")
        if status.st_size > largest:
            raise _too_large(path, largest)
        with open(path, "rb") as file:
            data = file.read(largest + 1)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = getattr(error, "strerror", None) or error
        raise CannotTell(f"{path} cannot be read: {reason}", "name a file that can be read") from None
    if len(data) > largest:  # it grew, or its size was a lie, as in /proc
        raise _too_large(path, largest)
    return data


def of_contract(path: str, work: Callable[[bytes], str], fix: str) -> str:
    """What the work makes of the bytes of a contract: one of `canonical_text`, `digest`, `contract_digest`.

    CannotTell, with the place, for what it refuses; `fix` is for that. Also where this machine has too little memory.
    """
    try:
        return work(read_named(path, LARGEST_CONTRACT))
    except NotCanonical as refused:
        raise CannotTell(refused.message, fix, f"{path}:{refused.line}:{refused.column}") from None
    except MemoryError:
        raise CannotTell(f"{path} needs more memory than there is", "run it on a machine that has more") from None


def _too_large(path: str, largest: int) -> CannotTell:
    unit, name = (_MIB, "MiB") if largest >= _MIB else (1024, "KiB")
    return CannotTell(f"{path} is larger than {largest // unit} {name}", "name a smaller file")
