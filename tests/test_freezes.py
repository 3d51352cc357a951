"""Who owns a freeze, how long its window is, and which absent field is a misspelt one."""

from __future__ import annotations

import pytest

from flakeledger.model.records import Freeze
from flakeledger.model.rows import Places
from flakeledger.model.window import window_days
from flakeledger.rules.freezes import is_owner, lacks


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("@finley", True),
        ("@org/team", True),
        ("@org/group/team", True),
        ("finley@example.org", True),
        ("finley", False),
        ("@", False),
        ("@unassigned", False),
        ("unassigned", False),
        ("TBD", False),
        ("None", False),
        ("todo", False),
        ("N/A", False),
        ("?", False),
        ("@finley and @sam", False),
        ("finley@localhost", False),
        ("", False),
        (None, False),
    ],
)
def test_who_is_an_owner(text: str | None, answer: bool) -> None:
    assert is_owner(text) is answer


def row(frozen_on: str | None, expires: str | None, fields: tuple[str, ...] = ()) -> Freeze:
    places = Places(1, 3, {name: [0, 3, 0, 10, None] for name in fields})
    return Freeze(places, "a.py::test_a", None, frozen_on, expires, *[None] * 12)


@pytest.mark.parametrize(
    ("frozen_on", "expires", "days"),
    [
        ("2026-03-02", "2026-03-02", 0),
        ("2026-03-02", "2026-04-01", 30),
        ("2026-03-02", "2026-03-01", -1),
        ("2026-03-02", "2026-04-01T00:00:00Z", 30),
        ("2026-03-02", "2026-04-01T00:00:01Z", 31),
        ("2026-03-02", "2026-04-01T02:00:00+02:00", 30),
        ("2026-03-02", None, None),
        (None, "2026-03-02", None),
    ],
)
def test_how_long_a_window_is(frozen_on: str | None, expires: str | None, days: int | None) -> None:
    assert window_days(row(frozen_on, expires)) == days


@pytest.mark.parametrize(
    ("written", "field", "answer"),
    [
        (("expires",), "expires", False),
        (("expiers",), "expires", False),
        (("owner",), "expires", True),
        ((), "expires", True),
        (("propertyid",), "property_id", False),
    ],
)
def test_a_misspelt_field_is_not_absent_too(written: tuple[str, ...], field: str, answer: bool) -> None:
    assert lacks(row(None, None, written), field) is answer
