"""Repositories whose tests are replayed for real: one that is flaky by its seed, a steady one, and one that draws.

Invariants:
* Rows are frozen some days before today: the command that replays reads the real clock.
* pytest's own plugins are not loaded by themselves unless a case asks for them: that takes most of a session's time.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from commands import TOOL
from flakeledger.model.ledger_paths import REPLAYS
from world import DAY_0, REFUND, TESTS, TOTAL, World

SEEDS = list(range(1, 25))
SEED_LIST = "tests/seeds/gate.json"
#: the seeds under which the flaky test fails
UNLUCKY = [3, 7, 11]
#: days since the rows were granted, and how long they are
AGE, WINDOW = 5, 20
QUICKLY = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
CODE = f'''\
"""What an order adds up to. property_id: PROP-1"""
import random
from hypothesis import given, settings, strategies as st
UNLUCKY = [random.Random(seed).random() for seed in {UNLUCKY}]
def test_refund():
    if random.random() in UNLUCKY:
        raise TimeoutError("the clock")
def test_total():
    with open("tests/fixtures/orders.json") as file:
        assert file.read()
@settings(max_examples=5)
@given(st.integers())
def test_clock(number):
    assert number == number
'''


def today() -> int:
    """The day of the world that is today."""
    return (datetime.now(UTC).date() - DAY_0).days


def replayable(world: World) -> None:
    """Two frozen tests that lack evidence, and a live one."""
    world.write(SEED_LIST, json.dumps(SEEDS))
    world.write(TESTS, CODE)
    world.record("tests")
    world.freeze_all([REFUND, TOTAL], today() - AGE, WINDOW)
    world.record("freezes")


def lines(world: World) -> list[dict[str, Any]]:
    """The lines of the log on disk."""
    return [json.loads(line) for line in world.read(REPLAYS).splitlines()]


def failing(line: Mapping[str, Any]) -> list[int]:
    """The seeds that failed, as a line says; every other one must have passed."""
    assert set(line["outcomes"]) <= {"pass", "fail"}
    return [seed for seed, outcome in zip(line["seeds"], line["outcomes"], strict=True) if outcome == "fail"]


def replay_process(world: World, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """The command as a process of its own, in a temporary folder of its own."""
    folder = temporary_folder(world)
    return subprocess.Popen(
        [TOOL, "replay", *arguments],
        cwd=world.root,
        env=os.environ | QUICKLY | {"TMPDIR": str(folder)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def temporary_folder(world: World) -> Path:
    """Where `replay_process` puts worktrees."""
    folder = world.root.with_name(f"{world.root.name}-tmp")
    folder.mkdir(exist_ok=True)
    return folder


def wait_until(happened: Callable[[], object], patience: float = 60.0) -> None:
    """Return when something has happened; a test failure when it does not in time."""
    until = time.monotonic() + patience
    while not happened():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)
