"""What the commit that is being made grows from and touches: real repositories in the middle of a commit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.repo.commit_at_hand import Touched, parents_at_hand, touched, touched_paths, touches_row
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.store.git import Git
from steps import base
from world import CLOCK, ORDERS, PRODUCT, REFUND, TESTS, TOTAL, Templates, World


def frozen(world: World) -> None:
    base(world)
    world.freeze(REFUND, 0, 20)
    world.record("start")


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", frozen, "keyed", "block")


def parents(world: World, source: str = "", name: str = "") -> tuple[str, ...]:
    return parents_at_hand(Git.open(str(world.root), os.environ), source, name)


def now_touched(world: World, source: str = "", name: str = "") -> Touched:
    """What a commit of all that lies here touches."""
    world.git("add", "-A")
    with open_repository(str(world.root), os.environ) as repository:
        grown_from = parents_at_hand(repository.git, source, name)
        return touched(repository, grown_from, touched_paths(repository, grown_from))


def diverge(world: World) -> None:
    """Two branches that both edit the tests and the ledger of freezes; HEAD is on work."""
    world.git("switch", "-q", "-c", "side")
    world.write(TESTS, "# side\n" + world.read(TESTS))
    world.freeze(CLOCK, 0, 20)
    world.record("side")
    world.git("switch", "-q", "work")
    world.append(PRODUCT, "# work\n")
    world.record("work")


def test_a_commit_grows_from_head(world: World) -> None:
    head = world.head()
    for source, name in (("", ""), ("message", ""), ("template", ""), ("commit", "nowhere"), ("commit", "HEAD~1")):
        assert parents(world, source, name) == (head,)


def test_an_amended_commit_grows_from_the_parents_of_the_one_that_it_replaces(world: World) -> None:
    assert parents(world, "commit", "HEAD") == (world.git("rev-parse", "HEAD~1"),)
    diverge(world)
    world.git("merge", "-q", "--no-edit", "side")
    assert parents(world, "commit", "HEAD") == tuple(world.git("rev-parse", "HEAD^1", "HEAD^2").split())


def test_a_root_grows_from_nothing(repository: Path) -> None:
    world = World(repository)
    empty = Git.open(str(repository), os.environ).empty_tree()
    assert parents(world) == (empty,)
    world.write("file", "")
    world.record("root")
    assert parents(world, "commit", "HEAD") == (empty,)


def test_a_merge_grows_from_all_its_heads(world: World) -> None:
    diverge(world)
    world.git("merge", "-q", "--no-commit", "side")
    assert parents(world, "merge") == tuple(world.git("rev-parse", "HEAD", "side").split())


def test_paths_and_rows_that_differ(world: World) -> None:
    world.append(PRODUCT, "# edited\n")
    world.set_fields(FREEZES, REFUND, owner="@robin")
    world.freeze(CLOCK, 0, 20)
    world.set_fields(PROPERTIES, "PROP-1", statement="never less than zero")
    world.add_fixture("FX-2", PRODUCT)
    world.write(FIXTURES, "# a comment moves every row\n" + world.read(FIXTURES))
    paths = {PRODUCT, FREEZES, PROPERTIES, FIXTURES}
    assert now_touched(world) == Touched(
        frozenset(paths), frozenset({REFUND, CLOCK}), frozenset({"PROP-1"}), frozenset({"FX-2"})
    )


def test_rows_that_go_are_touched_and_a_comment_is_no_row(world: World) -> None:
    world.unfreeze()
    world.append(PROPERTIES, "# a comment\n")
    assert now_touched(world) == Touched(
        frozenset({FREEZES, PROPERTIES}), frozenset({REFUND}), frozenset(), frozenset()
    )


def test_without_a_ledger_no_row_is_touched(world: World) -> None:
    world.append(TESTS, "# edited\n")
    assert now_touched(world) == Touched(frozenset({TESTS}), frozenset(), frozenset(), frozenset())


def test_of_a_merge_only_what_it_does_itself(world: World) -> None:
    diverge(world)
    world.git("merge", "-q", "--no-commit", "side")
    nothing: frozenset[str] = frozenset()
    assert now_touched(world, "merge") == Touched(nothing, nothing, nothing, nothing)
    world.append(TESTS, "# by the merge\n")
    world.set_fields(FREEZES, CLOCK, owner="@robin")
    done = now_touched(world, "merge")
    assert (set(done.paths), set(done.tests)) == ({TESTS, FREEZES}, {CLOCK})


def test_an_amend_touches_what_the_whole_commit_does(world: World) -> None:
    world.append(TESTS, "# edited\n")
    world.record("edit")
    world.append(PRODUCT, "# edited\n")
    assert now_touched(world).paths == {PRODUCT}
    assert now_touched(world, "commit", "HEAD").paths == {PRODUCT, TESTS}


@pytest.mark.parametrize(
    ("tests", "properties", "fixtures", "expected"),
    [
        ({REFUND}, set(), set(), True),
        (set(), {"PROP-1"}, set(), True),
        (set(), set(), {"FX-1"}, True),
        ({TOTAL}, {"PROP-2"}, {"FX-2"}, False),
        (set(), set(), set(), False),
    ],
)
def test_a_row_is_touched_with_its_property_and_its_fixtures(
    tests: set[str], properties: set[str], fixtures: set[str], expected: bool, world: World
) -> None:
    found = Touched(frozenset({ORDERS}), frozenset(tests), frozenset(properties), frozenset(fixtures))
    with open_repository(str(world.root), os.environ) as repository:
        ledger = repository.ledger(repository.tree(INDEX))
        assert touches_row(found, ledger, ledger.freezes[0]) is expected
