"""Which row a test had before, in which tree last, and which tree followed: real histories of freezes.yaml."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.model.records import Freeze
from flakeledger.repo.history import EarlierRow, History, Version
from flakeledger.repo.repository import open_repository
from world import CLOCK, REFUND, World, on


@pytest.fixture
def world(tmp_path: Path) -> World:
    """The base tree, without a freeze."""
    return World.new(tmp_path / "world", "ledger")


def row_of(test: str, version: Version) -> Freeze | None:
    return version.by_test.get(test)


@contextmanager
def earlier(world: World, *starts: str, test: str = REFUND) -> Iterator[EarlierRow | None]:
    with open_repository(str(world.root), os.environ) as repository:
        commits = [world.git("rev-parse", start) for start in starts or ("HEAD",)]
        yield History(repository, commits).earlier_row(lambda version: row_of(test, version))


def step(world: World, message: str = "step") -> None:
    """A commit that touches no ledger."""
    world.write("src/step.py", f"# {world.head()}\n")
    world.record(message)


def test_a_test_that_was_never_frozen_has_no_earlier_row(world: World) -> None:
    world.freeze(CLOCK, 0, 30)
    world.record()
    with earlier(world) as found:
        assert found is None


def test_nothing_is_before_the_first_commit(world: World) -> None:
    with open_repository(str(world.root), os.environ) as repository:
        history = History(repository, [repository.git.empty_tree()])
        assert history.earlier_row(lambda version: row_of(REFUND, version)) is None


def test_a_row_that_stands_where_the_search_begins(world: World) -> None:
    world.freeze(REFUND, 0, 30)
    world.record()
    with earlier(world) as found:
        assert found is not None
        assert (found.row.frozen_on, found.stands, found.follower) == (on(0), True, None)


def test_the_newest_row_is_found_with_the_last_tree_that_held_it_and_the_next(world: World) -> None:
    for day in (0, 50):
        world.freeze(REFUND, day, 20)
        world.record(f"freeze {day}")
        world.write("src/held.py", f"# last to hold {day}\n")
        world.record()
        world.unfreeze()
        world.write("src/held.py", f"# first without {day}\n")
        world.record()
        step(world)
    with earlier(world) as found:
        assert found is not None
        assert found.follower is not None
        assert (found.row.frozen_on, found.stands) == (on(50), False)
        assert found.holder().tree.read("src/held.py") == b"# last to hold 50\n"
        assert found.follower().tree.read("src/held.py") == b"# first without 50\n"


def test_a_row_that_was_edited_is_found_as_it_was_last(world: World) -> None:
    world.freeze(REFUND, 0, 30)
    world.record()
    world.set_fields(FREEZES, REFUND, expires=on(10))
    world.record()
    world.unfreeze()
    world.record()
    with earlier(world) as found:
        assert found is not None
        assert found.row.expires == on(10)


def test_the_whole_ledger_deleted_removes_the_row(world: World) -> None:
    world.freeze(REFUND, 0, 30)
    world.record()
    world.delete(FREEZES)
    world.record()
    with earlier(world) as found:
        assert found is not None
        assert found.follower is not None
        assert found.follower().freezes == ()


def test_a_version_that_cannot_be_read_holds_the_rows_that_can(world: World) -> None:
    world.freeze(REFUND, 0, 30)
    world.record()
    world.append(FREEZES, "- test: [\n")
    world.record("broken")
    world.write(FREEZES, "<<<<<<< HEAD\n")
    world.record("worse")
    world.write(FREEZES, "")
    world.record("mended")
    with earlier(world) as found:
        assert found is not None
        assert found.row.frozen_on == on(0)


def test_a_row_that_a_merge_took_from_no_side_was_never_seen_to_leave(world: World) -> None:
    world.git("switch", "-q", "-c", "side")
    step(world)
    world.git("switch", "-q", "main")
    world.freeze(REFUND, 0, 30)
    world.record()
    world.git("switch", "-q", "side")
    world.git("merge", "-q", "--no-edit", "-s", "ours", "main")
    with earlier(world) as found:
        assert found is not None
        assert (found.row.frozen_on, found.stands, found.follower) == (on(0), False, None)


def test_of_a_row_that_left_and_a_younger_one_that_vanished_in_a_merge_the_younger_counts(world: World) -> None:
    world.freeze(REFUND, 0, 10)
    world.record()
    world.unfreeze()
    world.record()
    world.git("switch", "-q", "-c", "side")
    step(world)
    world.git("switch", "-q", "main")
    world.freeze(REFUND, 50, 30)
    world.record()
    world.git("switch", "-q", "side")
    world.git("merge", "-q", "--no-edit", "-s", "ours", "main")
    with earlier(world) as found:
        assert found is not None
        assert (found.row.frozen_on, found.follower) == (on(50), None)


def test_a_side_line_that_holds_the_row_still_does_not_hide_how_it_left(world: World) -> None:
    world.freeze(REFUND, 0, 30)
    world.record()
    world.git("switch", "-q", "-c", "side")
    world.append(FREEZES, "# a comment\n")
    world.record()
    world.git("switch", "-q", "main")
    world.unfreeze()
    world.record()
    left = world.head()
    world.git("merge", "-q", "--no-edit", "-s", "ours", "side")
    with earlier(world) as found:
        assert found is not None
        assert found.follower is not None
        assert found.follower().tree.label == f"commit {left[:12]}"


def test_every_start_is_asked(world: World) -> None:
    world.git("branch", "other")
    world.freeze(REFUND, 0, 30)
    world.record()
    with earlier(world, "other", "main") as found:
        assert found is not None
        assert found.stands


def test_too_little_history_cannot_tell_and_enough_of_it_can(world: World, tmp_path: Path) -> None:
    world.freeze(REFUND, 0, 30)
    world.record()
    world.unfreeze()
    world.record()
    step(world)
    for depth in (1, 2):
        world.git("clone", "-q", f"--depth={depth}", f"file://{world.root}", str(tmp_path / str(depth)))
        with pytest.raises(CannotTell, match="too shallow"), earlier(World(tmp_path / str(depth))):
            pass
    world.git("clone", "-q", "--depth=3", f"file://{world.root}", str(tmp_path / "3"))
    with earlier(World(tmp_path / "3")) as found:
        assert found is not None
        assert found.row.frozen_on == on(0)
