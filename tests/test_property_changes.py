"""What a change may do to a property: a freeze that cites it and tests that live on decide."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FIXTURES, PROPERTIES
from steps import base, standing
from world import CLOCK, ORDERS, REFUND, TESTS, TOTAL, Templates, World, on, run_main

RULES = ("--only", "property-redefined", "--only", "property-weakened")
THREE = [REFUND, TOTAL, CLOCK]

Edit = Callable[[World], None]


def judged(world: World) -> list[tuple[str, str]]:
    """The level and the message of what the two rules find in what lies here."""
    world.git("add", "-A")
    _, out = run_main(world.root, ["check-change", "--now", f"{on(1)}T12:00:00Z", *RULES, "--format", "json"], {})
    return [(found["level"], found["message"]) for found in json.loads(out)["findings"]]


def reworded(world: World) -> None:
    world.set_fields(PROPERTIES, "PROP-1", statement="it holds")


def gone(world: World) -> None:
    world.remove_row(PROPERTIES, "PROP-1")


def gone_with_its_tests(world: World) -> None:
    gone(world)
    world.delete(TESTS)


def given_away(world: World) -> None:
    gone(world)
    world.add_row(PROPERTIES, id="PROP-2", statement="it holds", fixtures=["FX-1"], tests=THREE)


def given_away_without_the_fixture(world: World) -> None:
    gone(world)
    world.write("tests/more.json", "{}")
    world.add_row(FIXTURES, id="FX-2", path="tests/more.json", sha256="0" * 64)
    world.add_row(PROPERTIES, id="PROP-2", statement="it holds", fixtures=["FX-2"], tests=THREE)


def one_test_less(world: World) -> None:
    world.set_fields(PROPERTIES, "PROP-1", tests=[REFUND, TOTAL])


def no_fixture(world: World) -> None:
    world.set_fields(PROPERTIES, "PROP-1", fixtures=[])


WAS = "it was: a refund is never negative"
PROTECTED = f"the property PROP-1 disappeared, but {', '.join(THREE)} protects it still"
CITED = "the property PROP-1 disappeared, but a freeze cites it"
LOST = f"PROP-1 lost the test {CLOCK}, which still exists"

#: an edit, what it is where nothing is frozen, and what it is while a freeze cites the property
EDITS: list[tuple[Edit, list[tuple[str, str]], list[tuple[str, str]]]] = [
    (
        reworded,
        [("warning", f"the statement of PROP-1 changed; {WAS}")],
        [("error", f"the statement of PROP-1 changed while a freeze cites it ({WAS})")],
    ),
    (gone, [("error", PROTECTED)], [("error", PROTECTED)]),
    (gone_with_its_tests, [], []),
    (given_away, [], [("error", CITED)]),
    (given_away_without_the_fixture, [("error", PROTECTED)], [("error", PROTECTED)]),
    (one_test_less, [("error", LOST)], [("error", LOST)]),
    (
        no_fixture,
        [("error", "PROP-1 lost the fixture FX-1, which still exists")],
        [("error", "PROP-1 lost the fixture FX-1, which still exists")],
    ),
]


@pytest.mark.parametrize(("edit", "found", "_cited"), EDITS)
def test_while_nothing_is_frozen(
    templates: Templates, tmp_path: Path, edit: Edit, found: list[tuple[str, str]], _cited: object
) -> None:
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    edit(world)
    assert judged(world) == found


@pytest.mark.parametrize(("edit", "_free", "found"), EDITS)
def test_while_a_freeze_cites_it(
    templates: Templates, tmp_path: Path, edit: Edit, _free: object, found: list[tuple[str, str]]
) -> None:
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    edit(world)
    assert judged(world) == found


def test_a_fixture_that_is_gone_is_not_lost(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    no_fixture(world)
    world.remove_row(FIXTURES, "FX-1")
    world.delete(ORDERS)
    assert judged(world) == []
