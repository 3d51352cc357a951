"""Who owns a freeze, and which absent field is a misspelt one."""

from __future__ import annotations

import pytest

from flakeledger.model.records import Freeze
from flakeledger.model.rows import Places
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


def row(fields: tuple[str, ...]) -> Freeze:
    places = Places(1, 3, {name: [0, 3, 0, 10, None] for name in fields})
    return Freeze._make((places, *[None] * (len(Freeze._fields) - 1)))


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
    assert lacks(row(written), field) is answer
