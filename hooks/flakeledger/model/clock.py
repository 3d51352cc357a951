"""Dates, instants and windows. `now` is always an argument: this module never reads a clock.

Invariants:
* A time is whole seconds since 1970-01-01T00:00:00Z, as int.
* A window is open while `now < end`. A date is inclusive and UTC: the end of `2026-11-19` is
  2026-11-20T00:00:00Z. An instant is its own end.
* An instant without a zone is refused; a date is exactly `YYYY-MM-DD`.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import cache, lru_cache

DAY = 86_400
_EPOCH = date(1970, 1, 1).toordinal()
#: the first and the last second that has a name
FIRST_SECOND = (date.min.toordinal() - _EPOCH) * DAY
LAST_SECOND = (date.max.toordinal() + 1 - _EPOCH) * DAY - 1
_NO_ZONE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"


@cache
def _instant() -> re.Pattern[str]:
    """Compiled when the first instant comes: most runs know the instants of the log as numbers."""
    return re.compile(
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})", re.ASCII
    )


@lru_cache(maxsize=1024)  # the rows of a ledger share a handful of days
def parse_date(text: str) -> int:
    """The start (00:00:00Z) of the day `YYYY-MM-DD`, in seconds; ValueError says what is wrong."""
    digits = text[:4] + text[5:7] + text[8:]
    if len(text) != 10 or text[4] + text[7] != "--" or not (digits.isascii() and digits.isdigit()):
        raise ValueError("a date is written YYYY-MM-DD, such as 2026-11-19")
    try:
        return (date.fromisoformat(text).toordinal() - _EPOCH) * DAY
    except ValueError:
        raise ValueError(f"{text} is not a day of the calendar") from None


def parse_instant(text: str) -> int:
    """The instant `YYYY-MM-DDTHH:MM:SS` with `Z` or an offset, in seconds; ValueError says what is wrong."""
    if not _instant().fullmatch(text):
        if re.fullmatch(_NO_ZONE, text, re.ASCII):
            raise ValueError(f"an instant needs its zone: {text.replace(' ', 'T')}Z")
        raise ValueError("an instant is written 2026-11-19T12:00:00Z")
    try:
        moment = datetime.fromisoformat(text)
        return int(moment.timestamp() // 1)
    except (ValueError, OverflowError):
        raise ValueError(f"{text} is not an instant of the calendar") from None


@lru_cache(maxsize=1024)
def window_end(text: str) -> int:
    """The first second at which a window that ends at this date or instant is closed."""
    if len(text) == 10:
        return parse_date(text) + DAY
    return parse_instant(text)


def format_instant(seconds: int) -> str:
    """`2026-11-19T00:00:00Z` for a time in seconds; the calendar's first or last second for one beyond it."""
    named = max(FIRST_SECOND, min(seconds, LAST_SECOND))
    return (datetime(1970, 1, 1) + timedelta(seconds=named)).isoformat() + "Z"  # noqa: DTZ001  # the Z says UTC


def format_date(seconds: int) -> str:
    """`2026-11-19` for a time in seconds: the UTC day that holds it."""
    return format_instant(seconds)[:10]
