"""Judging an edit before it is written: what it adds is told from what was there, and nothing is touched."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from commands import hook_findings, noon
from flakeledger.model.clock import parse_instant
from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY
from flakeledger.repo.base import INDEX
from flakeledger.repo.repository import open_repository
from flakeledger.rules.rehearsal import Rehearsal, rehearse
from world import CONFTEST, ORDERS, REFUND, TOTAL, World

NOW = parse_instant(noon(1))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.new(tmp_path / "world")


def rehearsed(world: World, files: Mapping[str, str]) -> Rehearsal:
    with open_repository(str(world.root), os.environ, from_disk=True) as repository:
        return rehearse(repository, {path: text.encode() for path, text in files.items()}, NOW)


def rules(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings]


def everything(world: World) -> dict[str, bytes]:
    """Every file of the repository, its git directory included, but for the cache."""
    files = (path for path in world.root.rglob("*") if path.is_file() and "flakeledger" not in path.parts)
    return {str(path.relative_to(world.root)): path.read_bytes() for path in files}


def with_row(world: World, test: str, **fields: str) -> str:
    """The text of freezes.yaml with a row more; the file itself is put back."""
    before = world.read(FREEZES)
    world.freeze(test, 1, 3, **fields)
    after = world.read(FREEZES)
    world.write(FREEZES, before)
    world.git("reset", "-q")
    return after


def test_nothing_is_written_anywhere(world: World) -> None:
    text = with_row(world, REFUND)
    world.write("untracked.txt", "x\n")
    before = everything(world)
    rehearsed(world, {FREEZES: text, FIXTURES: ""})
    assert everything(world) == before


def test_it_says_what_the_hooks_say_of_the_same_edit(world: World) -> None:
    text = with_row(world, REFUND, owner="nobody", runner_class="no-such")
    world.write(CONFTEST, "LIMIT = 2\n")
    said = rehearsed(world, {FREEZES: text}).refusals()
    world.write(FREEZES, text)
    assert {(finding.rule, finding.message) for finding in said} == set(hook_findings(world, 1))
    assert {"mixed-change", "freeze-unowned"} <= set(rules(said))


def test_what_an_edit_only_moves_is_not_its_own(world: World) -> None:
    """A row that is wrong stands below a new comment, and below a row that is put before it."""
    world.freeze(REFUND, 1, 3, owner="nobody")
    world.append(FREEZES, world.read(FREEZES))
    world.record("frozen twice")
    found = rehearsed(world, {FREEZES: "# above\n\n" + with_row(world, TOTAL)})
    assert found.refusals() == []
    assert {"freeze-unowned", "freeze-duplicate"} <= {finding.rule for finding in found.before}
    assert set(rules(found.refusals({REFUND}))) == {"freeze-unowned", "freeze-duplicate"}


def test_one_more_of_the_same_is_its_own(world: World) -> None:
    world.freeze(REFUND, 1, 3)
    world.append(FREEZES, world.read(FREEZES))
    world.record("frozen twice")
    thrice = world.read(FREEZES) + world.row(FREEZES, REFUND)
    assert set(rules(rehearsed(world, {FREEZES: thrice}).refusals())) == {"freeze-duplicate"}


def test_what_is_on_disk_counts_and_the_index_does_not(world: World) -> None:
    old = world.digest_of(ORDERS)
    world.write(ORDERS, '{"a": 2}\n')
    found = rehearsed(world, {FIXTURES: world.read(FIXTURES).replace(old, world.digest_of(ORDERS))})
    assert [finding.rule for finding in found.before] == ["fixture-drifted"]
    assert found.after == ()


def test_the_edit_is_stored_as_git_would_store_it(world: World) -> None:
    world.write(".gitattributes", "*.yaml text\n")
    text = world.read(FIXTURES)
    with open_repository(str(world.root), os.environ, from_disk=True) as repository:
        with repository.with_files({FIXTURES: text.replace("\n", "\r\n").encode()}) as edited:
            assert edited.tree(INDEX).read(FIXTURES) == text.encode()
        with repository.with_files({"a new one": b"x"}) as edited:
            assert edited.tree(INDEX).read("a new one") == b"x"
        assert repository.tree(INDEX).read("a new one") is None


def test_a_file_keeps_its_mode(world: World) -> None:
    (world.root / FIXTURES).chmod(0o755)
    with (
        open_repository(str(world.root), os.environ, from_disk=True) as repository,
        repository.with_files({FIXTURES: b"# x\n"}) as edited,
    ):
        entry = edited.tree(INDEX).entry(FIXTURES)
        assert entry is not None
        assert entry.mode == "100755"


def test_a_hook_runner_around_it_does_not_change_what_is_judged(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the environment of a push the change at hand is still the edit."""
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", world.head())
    monkeypatch.setenv("PRE_COMMIT_TO_REF", world.head())
    world.write(CONFTEST, "LIMIT = 2\n")
    assert "mixed-change" in rules(rehearsed(world, {FREEZES: with_row(world, REFUND)}).refusals())


def test_without_a_policy_of_the_base_it_cannot_be_told(world: World) -> None:
    world.sub(POLICY, "version: 1", "version: 7")
    world.record("a policy that nobody can read")
    with pytest.raises(CannotTell, match="policy"):
        rehearsed(world, {FREEZES: f"- test: {REFUND}\n"})


def test_at_the_adoption_only_the_tree_is_judged(tmp_path: Path) -> None:
    """Before the first commit there is no base; the rules about one tree hold all the same."""
    world = World.new(tmp_path / "world")
    text = with_row(world, REFUND, owner="nobody")
    world.git("update-ref", "-d", "HEAD")
    assert rules(rehearsed(world, {FREEZES: text}).refusals()) == ["freeze-unowned"]
