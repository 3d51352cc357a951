"""The freezes that a run of tests begins with, read from disk without git."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import noon
from flakeledger.evidence.frozen_tests import frozen_tests
from flakeledger.model.clock import parse_instant
from flakeledger.model.ledger_paths import FREEZES, POLICY
from world import CLOCK, REFUND, TOTAL, World

NOW = parse_instant(noon(2))


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World.new(tmp_path / "world", level="ledger")
    world.freeze(REFUND, 1, 10)
    world.freeze(TOTAL, 1, 10, replay_env="local-fixture")
    world.freeze(CLOCK, 0, 1)
    return world


def test_rows_stand_under_their_tests(world: World) -> None:
    found = frozen_tests(str(world.root), {}, NOW)
    assert (found.runner, found.problem) == ("pinned-py311", "")
    states = {test: frozen.standing.state for test, frozen in found.by_test.items()}
    assert states == {REFUND: "open", TOTAL: "other_runner", CLOCK: "expired"}
    assert [freeze.test for freeze in found.open] == [REFUND]


@pytest.mark.parametrize(("value", "expected"), [("local-fixture", TOTAL), ("", REFUND)])
def test_the_environment_names_the_runner_class_unless_it_is_empty(world: World, value: str, expected: str) -> None:
    found = frozen_tests(str(world.root), {"FLAKELEDGER_RUNNER": value}, NOW)
    assert [freeze.test for freeze in found.open] == [expected]


def test_no_git_directory_is_needed_and_nothing_is_written(world: World) -> None:
    (world.root / ".git").rename(world.root.parent / "git")
    before = sorted(path for path in world.root.rglob("*"))
    assert len(frozen_tests(str(world.root), {}, NOW).by_test) == 3
    assert sorted(path for path in world.root.rglob("*")) == before


def test_what_the_hooks_learnt_is_the_same_answer(world: World) -> None:
    before = frozen_tests(str(world.root), {}, NOW)
    world.git("add", "-A")
    world.judge(2)
    assert (world.root / ".git/flakeledger").is_dir()
    # no process could read them again
    after = frozen_tests(str(world.root), {"PYTHONHOME": "/nowhere"}, NOW)
    assert after.policy == before.policy
    assert [freeze[1:] for freeze in after.open] == [freeze[1:] for freeze in before.open]


def test_a_ledger_is_read_once_until_it_is_edited(world: World) -> None:
    before = frozen_tests(str(world.root), {}, NOW)
    broken = {"PYTHONHOME": "/nowhere"}  # no process could read them again
    after = frozen_tests(str(world.root), broken, NOW)
    assert [freeze[1:] for freeze in after.open] == [freeze[1:] for freeze in before.open] != []
    world.write(FREEZES, "[]\n")
    assert frozen_tests(str(world.root), broken, NOW).problem != ""
    assert frozen_tests(str(world.root), {}, NOW).by_test == {}


def test_a_machine_that_cannot_read_them_says_so(world: World) -> None:
    found = frozen_tests(str(world.root), {"PYTHONHOME": "/nowhere"}, NOW)
    assert found.policy is None
    assert found.problem.startswith("the process that reads the ledgers ended with 1: ")


def test_a_policy_without_freezes_is_fine(world: World) -> None:
    world.delete(FREEZES)
    found = frozen_tests(str(world.root), {}, NOW)
    assert (found.by_test, found.problem) == ({}, "")


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        (POLICY, None, "ledgers/policy.yaml is missing; fix: flakeledger init"),
        (POLICY, "version: 1\n", "ledgers/policy.yaml:1:1: missing-field: "),
        (FREEZES, "- [\n", "ledgers/freezes.yaml:"),
        (FREEZES, "- test: a.py::test_x\n", "ledgers/freezes.yaml:1:3: missing-field: "),
    ],
)
def test_all_or_nothing(world: World, path: str, text: str | None, problem: str) -> None:
    world.delete(path)
    if text is not None:
        world.write(path, text)
    found = frozen_tests(str(world.root), {}, NOW)
    assert (found.policy, found.by_test) == (None, {})
    assert found.problem.startswith(problem)
    assert "; fix: " in found.problem
