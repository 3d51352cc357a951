"""The window of a freeze: when it begins and ends, and how long it is.

Invariants:
* An absent field gives None, never a default; dates and instants were checked when the row was read.
* No clock is read: `now` is an argument. A window is open while `now < end`.
"""

from __future__ import annotations

from functools import lru_cache

from flakeledger.model.clock import DAY, parse_date, window_end
from flakeledger.model.records import Freeze


def end_of(freeze: Freeze) -> int | None:
    """The first second after the freeze's window; None where it has no end."""
    return None if freeze.expires is None else window_end(freeze.expires)


def start_of(freeze: Freeze) -> int | None:
    """The first second of the day on which it was frozen; None where it has none."""
    return None if freeze.frozen_on is None else parse_date(freeze.frozen_on)


def ends_within(end: int, days: int, now: int) -> bool:
    """Whether a window that ends then is over, or has fewer than so many days left (RULES.md, freeze-expiring)."""
    return now >= end or end - now < days * DAY


def time_left(end: int, now: int) -> str:
    """How long a window that ends then is still open, in days, for people."""
    return days_left(-(-(end - now) // DAY))


def days_left(days: int) -> str:
    """So many days, rounded up, that a window is still open, for people."""
    return "less than a day" if days <= 1 else f"{days} days"


def window_days(freeze: Freeze) -> int | None:
    """`expires - frozen_on` in days, rounded up; None where one of them is absent."""
    if freeze.frozen_on is None or freeze.expires is None:
        return None
    return _days_between(freeze.frozen_on, freeze.expires)


@lru_cache(maxsize=1024)
def _days_between(frozen_on: str, expires: str) -> int:
    end = window_end(expires)
    if len(expires) == len("2026-11-19"):
        end -= DAY
    return -(-(end - parse_date(frozen_on)) // DAY)
