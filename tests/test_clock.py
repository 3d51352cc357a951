"""Dates, instants and windows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.clock import DAY, format_date, format_instant, parse_date, parse_instant, window_end


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01", 0),
        ("1970-01-02", DAY),
        ("2026-11-19", 1_795_046_400),
        ("2024-02-29", 1_709_164_800),
    ],
)
def test_a_date_starts_at_midnight_utc(text: str, seconds: int) -> None:
    assert parse_date(text) == seconds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2026-11-31", "not a day of the calendar"),
        ("2026-02-29", "not a day of the calendar"),
        ("20261119", "YYYY-MM-DD"),
        ("2026-W47-4", "YYYY-MM-DD"),
        ("2026-1-1", "YYYY-MM-DD"),
        ("soon", "YYYY-MM-DD"),
        ("\uff12\uff10\uff12\uff16-11-19", "YYYY-MM-DD"),
        ("2026-11-19\n", "YYYY-MM-DD"),
    ],
)
def test_what_is_no_date(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_date(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T14:00:00+14:00", 0),
        ("1969-12-31T14:00:00-10:00", 0),
        ("2026-11-20T00:00:00.999999Z", 1_795_132_800),
    ],
)
def test_an_instant_knows_its_zone(text: str, seconds: int) -> None:
    assert parse_instant(text) == seconds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2026-11-19T12:00:00", "needs its zone"),
        ("2026-11-19 12:00", "needs its zone"),
        ("2026-11-19", "written 2026-11-19T12:00:00Z"),
        ("2026-11-19T25:00:00Z", "not an instant"),
        ("2026-11-19T12:00:00Zulu", "written"),
        ("now", "written"),
    ],
)
def test_what_is_no_instant(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_instant(text)


def test_a_date_is_inclusive_and_an_instant_is_not() -> None:
    last = parse_instant("2026-11-19T23:59:59Z")
    assert last < window_end("2026-11-19") == parse_instant("2026-11-20T00:00:00Z")
    assert window_end("2026-11-19T23:59:59Z") == last


@given(st.dates())
def test_every_date_is_its_own_text(day: object) -> None:
    text = str(day)
    assert format_date(parse_date(text)) == text
    assert format_instant(parse_date(text)) == f"{text}T00:00:00Z"
    assert window_end(text) == parse_date(text) + DAY


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (parse_date("9999-12-31") + DAY - 1, "9999-12-31T23:59:59Z"),
        (parse_date("9999-12-31") + DAY, "9999-12-31T23:59:59Z"),
        (parse_instant("9999-12-31T23:00:00-14:00"), "9999-12-31T23:59:59Z"),
        (parse_date("0001-01-01"), "0001-01-01T00:00:00Z"),
        (parse_instant("0001-01-01T00:00:00+14:00"), "0001-01-01T00:00:00Z"),
    ],
)
def test_a_time_beyond_the_calendar_has_a_text_all_the_same(seconds: int, text: str) -> None:
    assert format_instant(seconds) == text
