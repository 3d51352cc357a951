"""What happens to rows, and which of it is freeze configuration."""

# mypy: disable-error-code="func-returns-value"
# An edit of several steps is a tuple of calls, made for what they do.

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.repo.base import resolve
from flakeledger.repo.changes import changes_of
from flakeledger.repo.repository import open_repository
from world import CLOCK, CONFTEST, ORDERS, REFUND, STRATEGIES, TESTS, TOTAL, World

Edit = Callable[[World], object]
B, F = "bookkeeping", "freeze_config"


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A repository at level keyed in which test_refund is frozen."""
    world = World.new(tmp_path_factory.mktemp("change") / "frozen")
    world.replay(0)
    world.freeze(REFUND, 0, 20)
    world.record("freeze")
    return world


def operations(world: World) -> list[tuple[str, str, str, str]]:
    """Class, file, key and kind of every row operation of the staged change."""
    world.git("add", "-A")
    with open_repository(str(world.root), dict(os.environ)) as repository:
        basis = resolve(repository.git, base=None, head=None, environment={})
        (change,) = changes_of(repository, basis).changes
        return [(one.name, one.path, one.key, one.what) for one in change.operations]


def relock(world: World) -> None:
    world.write(ORDERS, '{"a": 2}\n')
    world.lock()


EDITS: dict[str, tuple[Edit, list[tuple[str, str, str, str]]]] = {
    "comments, blank lines and order are nothing": (
        lambda world: world.write(FREEZES, "# a comment\n\n" + world.read(FREEZES)),
        [],
    ),
    "quotes are nothing": (lambda world: world.sub(FREEZES, REFUND, f'"{REFUND}"'), []),
    "a freeze is added": (lambda world: world.freeze(TOTAL, 3, 3), [(F, FREEZES, TOTAL, "added")]),
    "a freeze goes by choice": (lambda world: world.unfreeze(), [(F, FREEZES, REFUND, "removed")]),
    "a freeze is changed": (
        lambda world: world.set_fields(FREEZES, REFUND, owner='"@sam"'),
        [(F, FREEZES, REFUND, "changed")],
    ),
    "an issue is added": (
        lambda world: world.set_fields(FREEZES, REFUND, issue="https://example.org/1"),
        [(B, FREEZES, REFUND, "changed")],
    ),
    "a pin goes": (
        lambda world: world.set_fields(FREEZES, REFUND, test_hash=None),
        [(F, FREEZES, REFUND, "changed")],
    ),
    "a fixture is edited, its lock and the void freeze with it": (
        lambda world: (relock(world), world.unfreeze()),
        [(B, FIXTURES, "FX-1", "changed"), (B, FREEZES, REFUND, "voided")],
    ),
    "a generator is edited and the void freeze goes": (
        lambda world: (world.append(STRATEGIES, "more = 1\n"), world.unfreeze()),
        [(B, FREEZES, REFUND, "voided")],
    ),
    "the test is edited and the void freeze goes": (
        lambda world: (world.sub(TESTS, "x >= 0", "abs(x) >= 0"), world.unfreeze()),
        [(B, FREEZES, REFUND, "voided")],
    ),
    "another test is edited and the freeze goes by choice": (
        lambda world: (world.sub(TESTS, "== 3", "== 4"), world.unfreeze()),
        [(F, FREEZES, REFUND, "removed")],
    ),
    "a lock changes without its file": (
        lambda world: world.set_fields(FIXTURES, "FX-1", sha256="0" * 64),
        [(F, FIXTURES, "FX-1", "changed")],
    ),
    "a lock starts to hash a contract": (
        lambda world: world.set_fields(FIXTURES, "FX-1", hash="contract"),
        [(F, FIXTURES, "FX-1", "changed")],
    ),
    "`hash: bytes` written out is the default": (
        lambda world: world.set_fields(FIXTURES, "FX-1", hash="bytes"),
        [(F, FIXTURES, "FX-1", "changed")],
    ),
    "a fixture is added": (
        lambda world: (
            world.write("tests/fixtures/b.json", "{}\n"),
            world.add_fixture("FX-2", "tests/fixtures/b.json"),
        ),
        [(B, FIXTURES, "FX-2", "added")],
    ),
    "a fixture moves with its file": (
        lambda world: (
            world.move(ORDERS, "tests/fixtures/o.json"),
            world.set_fields(FIXTURES, "FX-1", path="tests/fixtures/o.json"),
        ),
        [(B, FIXTURES, "FX-1", "changed")],
    ),
    "a fixture row points elsewhere while its file stays": (
        lambda world: (
            world.write("tests/fixtures/o.json", world.read(ORDERS)),
            world.set_fields(FIXTURES, "FX-1", path="tests/fixtures/o.json"),
        ),
        [(F, FIXTURES, "FX-1", "changed")],
    ),
    "a fixture row goes while its file stays": (
        lambda world: world.remove_row(FIXTURES, "FX-1"),
        [(F, FIXTURES, "FX-1", "removed")],
    ),
    "a fixture row goes with its file": (
        lambda world: (world.remove_row(FIXTURES, "FX-1"), world.delete(ORDERS)),
        [(B, FIXTURES, "FX-1", "removed")],
    ),
    "a property is added": (
        lambda world: world.add_row(PROPERTIES, id="PROP-2", statement="s", fixtures=["FX-1"], tests=[TOTAL]),
        [(B, PROPERTIES, "PROP-2", "added")],
    ),
    "a property gains generators": (
        lambda world: world.set_fields(PROPERTIES, "PROP-1", generators=[CONFTEST, STRATEGIES, "tests/seeds"]),
        [(B, PROPERTIES, "PROP-1", "changed")],
    ),
    "a property loses a generator": (
        lambda world: world.set_fields(PROPERTIES, "PROP-1", generators=[CONFTEST]),
        [(F, PROPERTIES, "PROP-1", "changed")],
    ),
    "a property's statement changes": (
        lambda world: world.set_fields(PROPERTIES, "PROP-1", statement="something else"),
        [(F, PROPERTIES, "PROP-1", "changed")],
    ),
    "a property loses a test that is there": (
        lambda world: world.set_fields(PROPERTIES, "PROP-1", tests=[REFUND, TOTAL]),
        [(F, PROPERTIES, "PROP-1", "changed")],
    ),
    "a property loses a test that is gone": (
        lambda world: (
            world.set_fields(PROPERTIES, "PROP-1", tests=[REFUND, TOTAL]),
            world.sub(TESTS, "def test_clock():\n    assert total() > 0\n", ""),
        ),
        [(B, PROPERTIES, "PROP-1", "changed")],
    ),
    "a property gets a waiver": (
        lambda world: world.set_fields(PROPERTIES, "PROP-1", uncovered_until="2026-03-20", owner='"@finley"'),
        [(F, PROPERTIES, "PROP-1", "changed")],
    ),
    "a property goes while its tests stay": (
        lambda world: world.remove_row(PROPERTIES, "PROP-1"),
        [(F, PROPERTIES, "PROP-1", "removed")],
    ),
    "a property goes with its tests": (
        lambda world: (world.remove_row(PROPERTIES, "PROP-1"), world.delete(TESTS), world.unfreeze()),
        [(B, FREEZES, REFUND, "voided"), (B, PROPERTIES, "PROP-1", "removed")],
    ),
    "replays are appended": (lambda world: world.replay(1), [(B, REPLAYS, "", "edited")]),
    "the policy changes": (lambda world: world.set_policy(max_freezes=9), [(F, POLICY, "", "edited")]),
    "a witness appears": (
        lambda world: world.write("ledgers/witnesses/a.json", "{}\n"),
        [(F, "ledgers/witnesses/a.json", "", "edited")],
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_what_an_edit_does_to_rows(name: str, frozen: World, tmp_path: Path) -> None:
    edit, expected = EDITS[name]
    world = frozen.copy(tmp_path / "copy")
    edit(world)
    assert operations(world) == expected


def test_a_change_without_ledgers_reads_none(frozen: World, tmp_path: Path) -> None:
    world = frozen.copy(tmp_path / "copy")
    world.append(CONFTEST, "MORE = 1\n")
    assert operations(world) == []


def test_the_key_of_a_moved_row_is_its_test(frozen: World, tmp_path: Path) -> None:
    world = frozen.copy(tmp_path / "copy")
    world.freeze(CLOCK, 3, 3)
    rows = world.rows(FREEZES)
    world.write(FREEZES, "".join(reversed(rows)))
    assert operations(world) == [(F, FREEZES, CLOCK, "added")]
