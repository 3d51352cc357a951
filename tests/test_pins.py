"""What the tree on disk says to freezes, asked of a process of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from commands import noon
from flakeledger.evidence import pins
from flakeledger.evidence.excuses import TreeFacts
from flakeledger.evidence.frozen_tests import frozen_tests
from flakeledger.model.clock import parse_instant
from flakeledger.model.errors import CannotTell
from flakeledger.model.records import Freeze
from world import CLOCK, CONFTEST, REFUND, TOTAL, World

FINE = TreeFacts((), False)


def frozen(root: Path) -> tuple[World, list[Freeze]]:
    """A world with three frozen tests, and their rows as a run of tests begins with them."""
    world = World.new(root)
    world.freeze_all([REFUND, TOTAL, CLOCK], 1, 10)
    world.record()
    return world, frozen_tests(str(world.root), {}, parse_instant(noon(2))).open


def test_pins_that_match_and_flips_that_were_seen(tmp_path: Path) -> None:
    world, rows = frozen(tmp_path / "world")
    world.replay(1, test=TOTAL)  # a plain test: 18 of 20
    world.replay(1, test=REFUND)  # it draws its input, so no two runs have the same
    world.replay(1, test=CLOCK, passed=20)
    world.sub(CONFTEST, "1", "2")
    world.sub("tests/test_orders.py", "assert total() > 0", "assert total() > 1")
    assert pins.ask(str(world.root), os.environ, rows) == [
        TreeFacts(("generator_hash",), False),
        TreeFacts(("generator_hash",), True),
        TreeFacts(("generator_hash", "test_hash"), False),
    ]


def test_a_module_of_the_tree_does_not_stand_in_for_ours(tmp_path: Path) -> None:
    world, rows = frozen(tmp_path / "world")
    for name in ("yaml.py", "pygit2.py", "json.py", "flakeledger.py"):
        world.write(name, "raise SystemExit('not ours')\n")
    assert pins.ask(str(world.root), os.environ, rows) == [FINE] * 3


def test_what_an_interpreter_prints_as_it_starts_is_no_answer(tmp_path: Path) -> None:
    world, rows = frozen(tmp_path / "world")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("print('hello')\n")
    assert pins.ask(str(world.root), os.environ | {"PYTHONPATH": str(tmp_path / "site")}, rows) == [FINE] * 3


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    world, rows = frozen(tmp_path / "world")
    world.write("new.txt", "untracked")
    before = world.git("status", "--porcelain"), world.git("count-objects", "-v")
    pins.ask(str(world.root), os.environ, rows)
    assert (world.git("status", "--porcelain"), world.git("count-objects", "-v")) == before


@pytest.mark.parametrize(
    ("environment", "interpreter", "reason"),
    [
        ({"PATH": "/nowhere"}, sys.executable, "git"),
        ({}, "/nowhere/python", "no process can be started"),
        ({"PYTHONHOME": "/nowhere"}, sys.executable, "the process that reads the ledgers ended with 1"),
    ],
)
def test_a_machine_that_cannot_check_says_so(
    tmp_path: Path,
    environment: dict[str, str],
    interpreter: str,
    reason: str,
) -> None:
    world, rows = frozen(tmp_path / "world")
    with pytest.raises(CannotTell, match=reason):
        pins.ask(str(world.root), os.environ | environment, rows, interpreter)


def test_a_ledger_that_is_not_wholly_readable_gives_no_answer(tmp_path: Path) -> None:
    world, rows = frozen(tmp_path / "world")
    world.append("ledgers/fixtures.yaml", "- id: [\n")
    with pytest.raises(CannotTell) as caught:
        pins.ask(str(world.root), os.environ, rows)
    assert caught.value.place.startswith("ledgers/fixtures.yaml:")
    world.delete("ledgers/fixtures.yaml", "ledgers/policy.yaml")
    with pytest.raises(CannotTell, match="there is no policy"):
        pins.ask(str(world.root), os.environ, rows)
