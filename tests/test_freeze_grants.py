"""What evidence a new freeze needs: a fresh replay from its own runner, and at level `witnessed` an eligible note."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steps import base, freeze, replay, set_freeze, together
from world import CLOCK, REFUND, Templates, World, on, run_main

NOTE = "a" * 64
FILE = f"ledgers/notes/{NOTE}.json"


def levels(world: World, day: int) -> list[str]:
    """The levels of the rule's findings, of what lies here."""
    return [str(found["level"]) for found in findings(world, day)]


def findings(world: World, day: int) -> list[dict[str, str]]:
    world.git("add", "-A")
    arguments = ["check-change", "--now", f"{on(day)}T12:00:00Z", "--only", "freeze-unevidenced", "--format", "json"]
    return list(json.loads(run_main(world.root, arguments, {})[1])["findings"])


@pytest.mark.parametrize(
    ("replayed", "days", "found"),
    [
        (None, 3, []),  # a window this short needs none
        (None, 4, ["error"]),
        ({"day": 14}, 30, []),
        ({"day": 2}, 30, []),  # 13 and a bit days old
        ({"day": 1}, 30, ["error"]),
        ({"day": 14, "env": "local-fixture"}, 30, ["error"]),
        ({"day": 14, "test": CLOCK}, 30, ["error"]),
        ({"day": 14, "passed": 0}, 30, []),  # bad news is evidence; that the row hides a bug is another rule's
        ({"day": 14, "passed": 20}, 30, ["warning"]),
        ({"day": 1, "passed": 20}, 30, ["error", "warning"]),
        ({"day": 14, "passed": 20}, 3, ["warning"]),
    ],
)
def test_a_row_needs_a_replay_of_its_test_from_its_runner(
    replayed: dict[str, object] | None, days: int, found: list[str], templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "world", base, "ledger", "block")
    if replayed is not None:
        replay(**replayed)(world)  # type: ignore[arg-type]  # a table of keyword arguments
    freeze(15, days)(world)
    assert sorted(levels(world, 15)) == found


def test_the_warning_says_the_bound(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "ledger", "block")
    together(replay(1, 20), freeze(1, 20))(world)
    (found,) = findings(world, 1)
    assert found["message"] == f"{REFUND} is frozen, but every seed passed: 20/20 passed, failing at most 13.9 %"


def test_a_row_that_is_corrected_on_its_own_branch_is_judged_again(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "ledger", "block")
    freeze(1, 3)(world)
    world.record("emergency")
    set_freeze(expires=on(20))(world)
    assert levels(world, 1) == ["error"]


def test_a_row_that_reached_main_is_judged_no_more(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "ledger", "block")
    freeze(1, 3)(world)
    world.record("emergency")
    world.squash()
    set_freeze(issue="https://example.org/1")(world)
    assert levels(world, 1) == []


def test_a_scheduled_run_leaves_it_to_the_rules_about_time(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "ledger", "block")
    together(replay(1), freeze(1, 30))(world)
    world.record("freeze")
    assert world.judge_push(1, world.squash()) == frozenset()
    assert world.judge_schedule(20) == {"replay-stale"}


def test_a_scheduled_run_refuses_what_never_had_evidence(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "ledger", "block")
    freeze(1, 30)(world)
    world.record("freeze")
    world.squash()
    assert "freeze-unevidenced" in world.judge_schedule(2)


@pytest.mark.parametrize(
    ("note", "text", "found"),
    [
        (None, None, ["error"]),
        (NOTE, None, ["error"]),
        (NOTE, '{"freeze": "eligible_short"}', []),
        (NOTE, '{"freeze": "deny:stable_fail"}', ["error"]),
        (NOTE, "[1]", ["error"]),
        (NOTE, '{"freeze": ', ["error"]),
    ],
)
def test_at_level_witnessed_a_given_test_needs_an_eligible_note(
    note: str | None, text: str | None, found: list[str], templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "world", base, "witnessed", "block")
    if text is not None:
        world.write(FILE, text)
    together(replay(1), freeze(1, 20, **({} if note is None else {"note": note})))(world)
    assert levels(world, 1) == found


def test_at_level_witnessed_any_other_test_needs_no_note(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "witnessed", "block")
    together(replay(1, test=CLOCK), freeze(1, 20, CLOCK))(world)
    assert levels(world, 1) == []
