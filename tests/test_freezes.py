"""Who owns a freeze, which absent field is a misspelt one, and what is said of a row without a test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FREEZES
from flakeledger.model.records import Freeze
from flakeledger.model.rows import Places
from flakeledger.rules.freezes import is_owner, lacks
from world import World, on, run_main


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


def test_of_a_row_without_a_test_nothing_is_said_but_that(tmp_path: Path) -> None:
    world = World.new(tmp_path / "world")
    world.add_row(FREEZES, owner="@finley", property_id="PROP-1")
    world.git("add", "-A")
    _, out = run_main(world.root, ["check-ledgers", "--now", f"{on(1)}T12:00:00Z", "--format", "json"], {})
    found = [(one["rule"], one["message"]) for one in json.loads(out)["findings"]]
    assert not {"freeze-not-bound", "freeze-dangling", "freeze-unknown-property"}.intersection(
        rule for rule, _ in found
    )
    assert "missing-field" in [rule for rule, _ in found]
    assert [message for _, message in found if "None" in message] == []
