"""What stands beside an interview: ages, what is left, windows, bounds, generators."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES, REPLAYS
from frozen import rows_of, three_owners
from steps import Edit, edit_conftest, set_freeze
from world import CLOCK, REFUND, TOTAL, Templates, World


def nothing(_world: World) -> None:
    """The tree as it is."""


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", three_owners, "keyed", "block")


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (0, {TOTAL: (0, 4, 3), CLOCK: (0, 11, 10), REFUND: (0, 31, 30)}),
        (3, {TOTAL: (3, 1, 3), CLOCK: (3, 8, 10), REFUND: (3, 28, 30)}),
        (4, {TOTAL: (4, 0, 3), CLOCK: (4, 7, 10), REFUND: (4, 27, 30)}),
        (40, {TOTAL: (40, 0, 3), CLOCK: (40, 0, 10), REFUND: (40, 0, 30)}),
        # days run from midnight to midnight, so at noon of the day before none has passed
        (-1, {TOTAL: (0, 5, 3), CLOCK: (0, 12, 10), REFUND: (0, 32, 30)}),
    ],
)
def test_age_what_is_left_and_the_window_in_days(world: World, day: int, expected: dict[str, tuple[int, ...]]) -> None:
    found = {row.interview.freeze.test: (row.age_days, row.days_left, row.window_days) for row in rows_of(world, day)}
    assert found == expected


def test_the_soonest_end_comes_first_and_a_row_without_an_end_before_it(world: World) -> None:
    set_freeze(REFUND, expires=None)(world)
    assert [row.interview.freeze.test for row in rows_of(world, 1)] == [REFUND, TOTAL, CLOCK]
    assert rows_of(world, 1)[0][1:4] == (1, None, None)


def test_the_bound_is_that_of_the_newest_replay_and_none_without_one(world: World) -> None:
    found = {row.interview.freeze.test: row.bound for row in rows_of(world, 1)}
    assert found == {TOTAL: None, CLOCK: pytest.approx(0.1391, abs=1e-4), REFUND: pytest.approx(0.2826, abs=1e-4)}


def test_a_replay_without_a_run_bounds_nothing(world: World) -> None:
    world.replay(1, 0, 0, test=TOTAL)
    assert {row.interview.freeze.test: row.bound for row in rows_of(world, 2)}[TOTAL] == 1


@pytest.mark.parametrize(
    ("level", "edit", "expected"),
    [("keyed", nothing, "unchanged"), ("keyed", edit_conftest, "changed"), ("ledger", nothing, "not pinned")],
)
def test_what_became_of_the_generators(
    templates: Templates, tmp_path: Path, level: str, edit: Edit, expected: str
) -> None:
    world = templates.start(tmp_path / level, three_owners, level, "block")
    edit(world)
    assert {row.generators for row in rows_of(world, 1)} == {expected}


@pytest.mark.parametrize("ledger", [FREEZES, REPLAYS])
def test_what_cannot_be_read_as_a_whole_cannot_be_told(world: World, ledger: str) -> None:
    world.append(ledger, "?\n")
    with pytest.raises(CannotTell, match="cannot be read as a whole"):
        rows_of(world, 1)


def test_no_row_is_no_row(world: World) -> None:
    world.write(FREEZES, "")
    assert rows_of(world, 1) == []
