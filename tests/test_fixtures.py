"""The rule `fixture-unlocked`: data that a frozen test reads is locked, and whoever records that is not stopped."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from commands import hook_findings, noon, typed
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES, REPLAYS
from steps import standing
from world import ORDERS, REFUND, STRATEGIES, World

DAY = 5
RATES = "tests/fixtures/rates.csv"
RULE = "fixture-unlocked"


def touching(world: World, *paths: str, day: int = DAY) -> None:
    """Record a replay that opened these files."""
    world.replay(day)
    *others, last = world.read(REPLAYS).splitlines()
    line = json.dumps({**json.loads(last), "touched": list(paths)})
    world.write(REPLAYS, "".join(f"{text}\n" for text in (*others, line)))


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An honest freeze, and a data file that nothing locks."""
    world = World.new(tmp_path / "world")
    world.write(RATES, "EUR,1\n")
    standing(world)
    return world


def found(world: World, day: int = DAY) -> list[str]:
    """What the rule says of the tree as it lies here."""
    world.git("add", "-A")
    answer = typed(world, "check-ledgers", "--now", noon(day), "--only", RULE, "--format", "json")
    return [finding["message"] for finding in json.loads(answer.out)["findings"] if finding["rule"] == RULE]


@pytest.mark.parametrize("path", ["tests/fixtures/deep/a b.json", "tests/seeds/other.json", RATES, "fixtures/x"])
def test_a_data_file_of_class_generator_needs_a_lock(path: str, world: World) -> None:
    world.write(path, "1\n")
    touching(world, path)
    assert found(world) == [f"a replay of {REFUND} opened {path}, whose content no fixture locks"]


@pytest.mark.parametrize(
    "path",
    [
        ORDERS,  # locked
        STRATEGIES,  # a module, which the generator hash pins
        "tests/seeds/gate.json",  # the seeds themselves
        "src/orders.txt",  # no generator
        "tests/fixtures/gone.csv",
        "tests/fixtures/link.csv",
        "tests/fixtures",
        "../outside.csv",
        "",
    ],
)
def test_what_needs_no_lock(path: str, world: World) -> None:
    world.write("src/orders.txt", "1\n")
    os.symlink("rates.csv", world.root / "tests/fixtures/link.csv")
    if path:
        touching(world, path)
    assert found(world) == []


@pytest.mark.parametrize(("day", "count"), [(-14, 1), (-15, 0)])
def test_replays_before_the_evidence_of_the_freeze_do_not_count(day: int, count: int, world: World) -> None:
    touching(world, RATES, day=day)
    assert len(found(world)) == count


def test_a_test_that_is_frozen_twice_is_told_once(world: World) -> None:
    world.append(FREEZES, world.row(FREEZES, REFUND))
    touching(world, RATES)
    assert len(found(world)) == 1


def test_data_that_the_freeze_pins_as_a_generator_needs_no_lock(world: World) -> None:
    world.set_fields(PROPERTIES, "PROP-1", generators=[STRATEGIES, RATES])
    touching(world, RATES)
    assert len(found(world)) == 0
    world.set_policy(level="ledger")
    world.set_fields(FREEZES, REFUND, generator_hash=None)
    assert len(found(world)) == 1


def test_a_second_run_reads_the_same_of_the_cache(world: World) -> None:
    touching(world, RATES)
    first = found(world)
    assert first
    assert found(world) == first
    touching(world, ORDERS, day=DAY + 1)
    assert found(world, DAY + 1) == first


def test_who_records_a_replay_is_not_stopped_and_a_lock_clears_it(world: World) -> None:
    world.git("switch", "-qc", "nightly")
    touching(world, RATES)
    assert hook_findings(world, DAY) == []
    world.record("nightly")
    world.write("src/extra.py", "EXTRA = 1\n")
    assert [rule for rule, _ in hook_findings(world, DAY)] == [RULE]
    world.delete("src/extra.py")
    fix = f"flakeledger lock --add {RATES}"
    assert fix in typed(world, "check-ledgers", "--now", noon(DAY)).out
    assert typed(world, *fix.split()[1:]).code == 0
    assert hook_findings(world, DAY) == []
    world.record("lock")
    world.write("src/extra.py", "EXTRA = 1\n")
    assert hook_findings(world, DAY) == []
