"""What time broke stops who makes it worse or touches it, and nobody who repairs it; the walks hold the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FIXTURES, PROPERTIES, REPLAYS
from steps import Edit, delete, replay, set_freeze, set_policy, set_property, together, unfreeze, write
from world import CLOCK, CONFTEST, ORDERS, PRODUCT, REFUND, TESTS, TOTAL, Start, Templates, World, on

LATER = "tests/test_later.py"
#: a day on which the window of every start has ended
DAY = 10


def expired(world: World) -> None:
    """Two freezes whose windows ended, and one that nobody owns; a live test protects their property."""
    world.write(LATER, '"""property_id: PROP-1"""\ndef test_later():\n    pass\n')
    world.set_fields(PROPERTIES, "PROP-1", tests=[REFUND, TOTAL, CLOCK, f"{LATER}::test_later"])
    world.replay(0)
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


def linked(path: str) -> Edit:
    """A symbolic link, whose content is no text on either side of the change."""
    return lambda world: (world.root / path).symlink_to("orders.py")


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
        (together(THAW, delete(PRODUCT)), {"freeze-expired", "freeze-unowned"}),
        (together(THAW, linked("src/link")), {"freeze-expired", "freeze-unowned"}),
        (OWNED, {"freeze-expired"}),  # it mends what time did not break
        (together(THAW, OWNED), set()),
        (together(THAW, OWNED, lambda world: world.freeze(REFUND, 0, 2)), {"freeze-expired"}),
        (together(THAW, OWNED, set_policy(warn_days=6)), {"freeze-expired", "policy-not-alone"}),
        (replay(DAY, test=TOTAL), {"freeze-unowned"}),
        (together(write(REPLAYS, ""), replay(DAY)), {"freeze-expired", "freeze-unowned", "log-rewritten"}),
    ],
)
def test_a_repair_clears_what_time_broke_and_breaks_nothing(
    edit: Edit, refused: set[str], templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "world", expired, "keyed", "block")
    edit(world)
    assert world.commit(DAY) == refused


def test_on_the_default_branch_nothing_is_forgiven(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", expired, "keyed", "block")
    together(THAW, OWNED)(world)
    assert world.commit(DAY) == set()
    assert world.judge_push(DAY, world.squash()) == {"freeze-expired"}


@pytest.mark.parametrize(
    ("start", "rule"),
    [(expired, "freeze-expired"), (uncovered, "property-unprotected")],
)
@pytest.mark.parametrize(
    ("edit", "touches"),
    [
        (PRODUCT_EDIT, False),
        (appended(CONFTEST, "LIMIT = 2\n"), False),
        (appended(LATER, "# read again\n"), False),
        (appended(PROPERTIES, "# read again\n"), False),
        (set_freeze(CLOCK, reason="said better"), False),
        (appended(TESTS, "# read again\n"), True),
        (set_property(statement="a refund"), True),
        (write(ORDERS, '{"a": 2}\n'), True),
        (lambda world: world.set_fields(FIXTURES, "FX-1", sha256="0" * 64), True),
    ],
)
def test_block_touched_stops_only_who_touches_the_row_or_what_it_is_about(
    start: Start, rule: str, edit: Edit, touches: bool, templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "world", start, "keyed", "block_touched")
    edit(world)
    assert (rule in world.commit(DAY)) == touches


@pytest.mark.parametrize("unknown", [set_freeze(REFUND, property_id="PROP-9"), set_property(fixtures=["FX-1", "FX-9"])])
def test_block_touched_can_tell_where_a_row_names_what_is_unknown(
    unknown: Edit, templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "world", expired, "keyed", "block_touched")
    unknown(world)
    world.record("unknown")
    PRODUCT_EDIT(world)
    assert "freeze-expired" not in world.commit(DAY)
    set_freeze(REFUND, reason="said better")(world)
    assert "freeze-expired" in world.commit(DAY)
