"""What time broke stops who makes it worse or touches it, and nobody who repairs it; the walks hold the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import PROPERTIES
from steps import Edit, set_freeze, set_property, together, unfreeze
from world import CLOCK, PRODUCT, REFUND, TESTS, TOTAL, Templates, World, on

LATER = "tests/test_later.py"
#: a day on which the window of every start has ended
DAY = 10


def expired(world: World) -> None:
    """Two freezes whose windows ended, and one that nobody owns; a live test protects their property."""
    world.write(LATER, '"""property_id: PROP-1"""\ndef test_later():\n    pass\n')
    world.set_fields(PROPERTIES, "PROP-1", tests=[REFUND, TOTAL, CLOCK, f"{LATER}::test_later"])
    world.freeze(REFUND, 0, 3)
    world.freeze(TOTAL, 0, 3)
    world.freeze(CLOCK, 9, 3, owner="tbd")
    world.record("freezes")


def uncovered(world: World) -> None:
    """A property that only frozen tests protect, and whose owner answered for that until day 5."""
    for test in (REFUND, TOTAL, CLOCK):
        world.replay(0, test=test)
    world.freeze_all((REFUND, TOTAL, CLOCK), 0, 30)
    world.set_fields(PROPERTIES, "PROP-1", uncovered_until=on(5), owner="@finley")
    world.write(LATER, "def test_later():\n    pass\n")
    world.record("freezes")


def appended(path: str, text: str) -> Edit:
    """A line more at the end of a file."""
    return lambda world: world.append(path, text)


PRODUCT_EDIT = appended(PRODUCT, "x = 1\n")
THAW, OTHER_THAW = unfreeze(REFUND), unfreeze(TOTAL)
OWNED = set_freeze(CLOCK, owner="@finley")


@pytest.mark.parametrize(
    ("edit", "refused"),
    [
        (PRODUCT_EDIT, {"freeze-expired", "freeze-unowned"}),
        (THAW, {"freeze-unowned"}),
        (together(THAW, OTHER_THAW, OWNED), set()),
        (together(THAW, PRODUCT_EDIT), {"freeze-expired", "freeze-unowned"}),
        (OWNED, {"freeze-expired"}),  # it mends what time did not break
        (together(THAW, OWNED), set()),
        (together(THAW, OWNED, lambda world: world.freeze(REFUND, 0, 2)), {"freeze-expired"}),
    ],
)
def test_a_repair_clears_what_time_broke_and_breaks_nothing(
    edit: Edit, refused: set[str], templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "world", expired, "keyed", "block")
    edit(world)
    assert world.commit(DAY) == refused


@pytest.mark.parametrize(
    ("edit", "refused"),
    [
        (PRODUCT_EDIT, set()),
        (appended(LATER, "# read again\n"), set()),
        (appended(TESTS, "# read again\n"), {"property-unprotected"}),
        (appended(PROPERTIES, "# read again\n"), set()),
        (set_property(statement="a refund"), {"property-unprotected", "property-redefined"}),
    ],
)
def test_block_touched_stops_who_touches_a_property_that_nobody_answers_for_any_more(
    edit: Edit, refused: set[str], templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "world", uncovered, "keyed", "block_touched")
    edit(world)
    assert world.commit(DAY) == refused
