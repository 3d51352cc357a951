"""When the window of a freeze begins and ends, how long it is, and how much of it is left."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.clock import DAY, parse_date, parse_instant
from flakeledger.model.records import Freeze
from flakeledger.model.rows import Places
from flakeledger.model.window import end_of, ends_within, start_of, time_left, window_days

BARE = Freeze._make((Places(1, 1, {}), *([None] * (len(Freeze._fields) - 1))))
END = parse_date("2026-03-13")


def window(frozen_on: str | None, expires: str | None) -> Freeze:
    return BARE._replace(frozen_on=frozen_on, expires=expires)


@pytest.mark.parametrize(
    ("expires", "end"),
    [
        ("2026-03-12", END),
        ("2026-03-13T00:00:00Z", END),
        ("2026-03-12T23:59:59Z", END - 1),
        ("2026-03-13T02:00:00+02:00", END),
        (None, None),
    ],
)
def test_a_date_is_the_last_day_of_a_window_and_an_instant_its_end(expires: str | None, end: int | None) -> None:
    assert end_of(window("2026-03-02", expires)) == end
    assert end_of(window(None, expires)) == end


@pytest.mark.parametrize(
    ("frozen_on", "start"), [("2026-03-02", parse_instant("2026-03-02T00:00:00Z")), ("1970-01-01", 0), (None, None)]
)
def test_a_window_begins_with_its_day(frozen_on: str | None, start: int | None) -> None:
    assert start_of(window(frozen_on, "2026-03-12")) == start
    assert start_of(window(frozen_on, None)) == start


@pytest.mark.parametrize(
    ("frozen_on", "expires", "days"),
    [
        ("2026-03-02", "2026-03-02", 0),
        ("2026-03-02", "2026-04-01", 30),
        ("2026-03-02", "2026-03-01", -1),
        ("2026-03-02", "2026-03-02T00:00:00Z", 0),
        ("2026-03-02", "2026-03-02T00:00:01Z", 1),
        ("2026-03-02", "2026-04-01T00:00:00Z", 30),
        ("2026-03-02", "2026-04-01T00:00:01Z", 31),
        ("2026-03-02", "2026-04-01T02:00:00+02:00", 30),
        ("2026-03-02", "2026-02-28T23:59:59Z", -1),
        ("2024-02-28", "2024-03-01", 2),
        ("2026-03-02", None, None),
        (None, "2026-03-02", None),
        (None, None, None),
    ],
)
def test_how_long_a_window_is(frozen_on: str | None, expires: str | None, days: int | None) -> None:
    assert window_days(window(frozen_on, expires)) == days


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(9000, 1, 1)), st.integers(-400, 400), st.integers(1, DAY))
def test_a_window_is_the_shortest_one_in_whole_days_that_holds_its_end(day: date, days: int, second: int) -> None:
    frozen_on, expires = day.isoformat(), (day + timedelta(days)).isoformat()
    assert window_days(window(frozen_on, expires)) == days
    before = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days - 1, second)
    assert window_days(window(frozen_on, before.isoformat())) == days


@pytest.mark.parametrize(
    ("seconds", "days", "within"),
    [
        (7 * DAY + 1, 7, False),
        (7 * DAY, 7, False),
        (7 * DAY - 1, 7, True),
        (1, 0, False),
        (0, 0, True),
        (-1, 0, True),
        (-30 * DAY, 7, True),
    ],
)
def test_fewer_days_are_left_or_none(seconds: int, days: int, within: bool) -> None:
    assert ends_within(END, days, END - seconds) is within


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1, "less than a day"),
        (DAY - 1, "less than a day"),
        (DAY, "less than a day"),
        (DAY + 1, "2 days"),
        (2 * DAY, "2 days"),
        (30 * DAY - 1, "30 days"),
    ],
)
def test_what_is_left_of_an_open_window(seconds: int, text: str) -> None:
    assert time_left(END, END - seconds) == text
