"""Signals during a long command: once, what runs may end; again, or when we are to go, it is ended.

Invariants:
* A handler only notes what came and says what follows from it. So no cleaning up is ever cut short.
* The handlers of before are back at the end.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from flakeledger.evidence.engines import Abandoned

#: what a shell makes of the end of a process by a signal
_BY_SIGNAL = 128
_ONCE = b"\nflakeledger: interrupted; the seeds that run may end, nothing new begins. Again: they are killed\n"
_AT_ONCE = b"\nflakeledger: the seeds that run are killed\n"
_ERRORS = 2
#: Windows has no hanging up
_NOTED = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupts:
    """What came so far. `interrupts` makes one."""

    def __init__(self) -> None:
        """Nothing came."""
        self._signal: int | None = None
        self._at_once = False

    @property
    def code(self) -> int | None:
        """The exit code of a process that was interrupted so; None when it was not."""
        return None if self._signal is None else _BY_SIGNAL + self._signal

    def stop(self) -> bool:
        """Whether nothing new may begin. Abandoned when what runs is to end at once."""
        if self._at_once:
            raise Abandoned
        return self._signal is not None

    def handle(self, number: int, _frame: FrameType | None) -> None:
        """Note a signal."""
        self._at_once = self._at_once or self._signal is not None or number != signal.SIGINT
        self._signal = number if self._signal is None else self._signal
        # not by way of `sys.stderr`: we may be in the middle of a write to it
        os.write(_ERRORS, _AT_ONCE if self._at_once else _ONCE)


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Note signals instead of dying of them. Only in the main thread."""
    noted = Interrupts()
    before = {number: signal.signal(number, noted.handle) for number in _NOTED}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
