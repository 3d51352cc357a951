"""Rows that leave by choice: whose policy judges, what the finding says, and what is no choice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FREEZES
from steps import base, edit_conftest, freeze, replay, set_freeze, standing, together
from world import REFUND, Templates, World, on, run_main


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", standing, "keyed", "block")


def found(world: World, day: int) -> list[dict[str, str]]:
    """The rule's findings of what lies here."""
    world.git("add", "-A")
    command = ["check-change", "--now", f"{on(day)}T12:00:00Z", "--only", "thaw-unearned", "--format", "json"]
    return list(json.loads(run_main(world.root, command, {})[1])["findings"])


def test_the_finding_says_why_and_what_else_may_be_done(world: World) -> None:
    world.unfreeze()
    (finding,) = found(world, 5)
    assert (finding["path"], finding["subject"], finding["level"]) == (FREEZES, REFUND, "error")
    assert finding["message"] == (
        f"the freeze of {REFUND} was removed, but its newest replay from pinned-py311 has 18/20 passed, "
        "failing 10.0 % (at most 28.3 %): `delete_test`"
    )
    assert finding["fix"] == (
        "put the row back, or delete the test together with its row, and give PROP-1 another one; "
        f"once it has expired, it may go: flakeledger thaw {REFUND}"
    )


def test_the_policy_of_the_base_judges(world: World) -> None:
    together(replay(5, 20), World.unfreeze)(world)
    world.set_policy(max_replay_age_days=1)
    assert found(world, 7) == []
    world.git("checkout", "-q", "HEAD", "--", "ledgers")
    world.set_policy(max_replay_age_days=1)
    world.record("replays age sooner")
    world.squash()
    together(replay(5, 20), World.unfreeze)(world)
    assert [finding["message"].rpartition(" ")[2] for finding in found(world, 7)] == ["`replay`"]


def test_the_row_of_the_base_is_judged_not_one_that_was_edited_first(world: World) -> None:
    set_freeze(owner="tbd", expires=on(1))(world)
    assert found(world, 5) == []
    world.unfreeze()
    assert len(found(world, 5)) == 1


def test_a_row_that_falls_with_the_change_is_no_choice(world: World) -> None:
    together(edit_conftest, World.unfreeze)(world)
    assert found(world, 5) == []


def test_a_row_of_the_branch_itself_may_be_taken_back(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "own", base, "keyed", "block")
    together(replay(1), freeze(1, 20))(world)
    world.record("freeze")
    world.unfreeze()
    assert found(world, 8) == []
    world.git("reset", "-q", "--hard")
    world.squash()
    world.unfreeze()
    assert len(found(world, 8)) == 1


@pytest.mark.parametrize(("day", "green"), [(2, False), (5, True)])
def test_a_scheduled_run_does_not_refuse_what_was_right_when_it_was_pushed(day: int, green: bool, world: World) -> None:
    if green:
        world.replay(day, 20)
    world.unfreeze()
    world.record("thaw")
    assert world.judge_push(day, world.squash()) == frozenset()
    assert world.judge_schedule(day + 20) == frozenset()
    assert world.judge_push(day + 20, world.git("rev-parse", "HEAD^")) == {"thaw-unearned"}


def test_each_step_of_a_push_is_judged(world: World) -> None:
    world.git("switch", "-q", "main")
    before = world.head()
    world.unfreeze()
    world.record("remove")
    world.write("src/more.py", "MORE = 1\n")
    world.record("more")
    assert world.judge_push(5, before) == {"thaw-unearned"}
