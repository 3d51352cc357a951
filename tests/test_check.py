"""`flakeledger check`: both kinds of rules on what is on disk, what is staged, or a revision."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import git
from flakeledger.cli.main import main
from flakeledger.model.ledger_paths import FREEZES, POLICY
from world import ORDERS, REFUND, World, on

NOW = ("--now", f"{on(1)}T12:00:00Z")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World.new(tmp_path / "world")
    world.replay(0)
    world.freeze(REFUND, 0, 10)
    world.record("a freeze")
    monkeypatch.chdir(world.root)
    return world


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, set[str], list[str]]:
    """The exit code, the rules that fired, and the notes."""
    code = main(["check", *NOW, "--format", "json", *arguments])
    told = json.loads(capsys.readouterr().out)
    return code, {finding["rule"] for finding in told["findings"]}, told["notes"]


def test_the_disk_the_index_and_a_revision_are_three_trees(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.write(ORDERS, '{"a": 2}\n')
    assert check(capsys)[:2] == (1, {"fixture-drifted", "freeze-fixture-hash"})
    assert check(capsys, "--staged")[:2] == (0, set())
    git(world.root, "add", "-A")
    assert check(capsys, "--staged")[:2] == (1, {"fixture-drifted", "freeze-fixture-hash"})
    assert check(capsys, "--rev", "HEAD")[:2] == (0, set())
    git(world.root, "commit", "-qm", "drifted")
    assert check(capsys, "--rev", "HEAD")[:2] == (1, {"fixture-drifted", "freeze-fixture-hash"})


def test_nothing_is_written_when_the_disk_is_judged(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.write("new.txt", "not staged")
    before = git(world.root, "count-objects")
    status = git(world.root, "status", "--porcelain")
    assert check(capsys)[0] == 0
    assert git(world.root, "count-objects") == before
    assert git(world.root, "status", "--porcelain") == status == "?? new.txt"


def test_a_row_that_cannot_be_read_hides_no_finding(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    row = '- test: tests/test_orders.py::test_gone\n  owner: "@finley"\n  owner: "@sam"\n'
    world.append(FREEZES, f"{row}  expires: 2026-11-31\n<<<<<<< HEAD\n=======\n>>>>>>> other\n")
    code, rules, notes = check(capsys)
    assert code == 2
    assert rules >= {"conflict-marker"}
    assert any("cannot tell what the change does" in note and "fix: " in note for note in notes)


def test_a_root_commit_is_judged_against_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    root = git(world.root, "rev-list", "--max-parents=0", "HEAD")
    code, rules, notes = check(capsys, "--rev", root)
    assert (code, rules) == (0, set())
    assert any("adoption" in note for note in notes)


@pytest.mark.parametrize(
    ("policy", "rule"), [("verson: 1\n", "unknown-field"), ("- a\n", "yaml-forbidden"), (None, "policy-missing")]
)
def test_why_nothing_could_be_judged_is_told_whichever_rule_is_asked_for(
    world: World, capsys: pytest.CaptureFixture[str], policy: str | None, rule: str
) -> None:
    if policy is None:
        (world.root / POLICY).unlink()
    else:
        world.write(POLICY, policy + world.read(POLICY))
    code, rules, _ = check(capsys, "--only", "freeze-expired")
    assert (code, rule in rules) == (2, True)
    assert {"policy-not-alone"}.isdisjoint(rules), "it can be judged, and was not asked for"
