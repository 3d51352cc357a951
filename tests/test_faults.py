"""Commands that write, killed and refused at counted steps; commands at once; and clocks that jump.

`benchmarks/faults.py` does the same at every step of every command.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from commands import TOOL, noon, typed
from fault_cases import CASES, NOON, SAID, Case, replayed
from fault_ground import Ground
from faulted import Fault, Forker
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES, REPLAYS
from flakeledger.store.reader import read_rows
from world import CLOCK, REFUND, TOTAL, World, on

#: each with its own way to write: two files and a row, a table of files, git's file, a message, a report, the cache
TRIED = (
    "freeze, witnessed",
    "init",
    "merge-driver, policy",
    "record-decisions",
    "verdict --write",
    "check-change, refused",
)
KINDS = ("kill", "ENOSPC", "EROFS", "git")
#: git has begun to work by then, or not
DELAYS = (0.0, 0.004)
AT_ONCE = 4


@pytest.fixture
def forker(tmp_path: Path) -> Iterator[Forker]:
    forker = Forker(tmp_path / "streams")
    yield forker
    forker.close()


@pytest.mark.parametrize("case", [case for case in CASES if case.name in TRIED], ids=lambda case: case.name)
def test_a_fault_leaves_nothing_half_done(case: Case, tmp_path: Path, forker: Forker) -> None:
    ground = Ground(tmp_path, case, forker, os.environ)
    chance = random.Random(case.name)
    steps = ground.known.first.steps
    programs = sum(step.startswith("subprocess.Popen git") for step in steps)
    for kind in KINDS:
        at = chance.randint(1, programs if kind == "git" else len(steps))
        fault = Fault(kind, at, stays=kind == "EROFS", delay=chance.choice(DELAYS))
        assert ground.suffer(fault) == [], (fault, steps[at - 1])


def test_the_last_step_before_a_row_stands_and_the_first_after_it(tmp_path: Path, forker: Forker) -> None:
    """The row is not there, and is there; either way the same command ends well."""
    ground = Ground(tmp_path, next(case for case in CASES if case.name == "freeze"), forker, os.environ)
    steps = ground.known.first.steps
    (renamed,) = (n for n, step in enumerate(steps, 1) if step.startswith("os.rename .freezes.yaml"))
    rows = []
    for at in (renamed, renamed + 1):
        assert ground.suffer(Fault("kill", at)) == []
        here = ground.fresh()
        assert ground.command(here, Fault("kill", at)).code == -9
        rows.append((here / "world" / FREEZES).read_text().count("- test: "))
    assert rows == [0, 1]


def test_what_a_row_names_stands_before_the_row(tmp_path: Path, forker: Forker) -> None:
    """Whoever is killed between the two leaves a witness and a note too many, and never a row without them."""
    ground = Ground(tmp_path, next(case for case in CASES if case.name == "freeze, witnessed"), forker, os.environ)
    named = re.compile(r"os\.rename \.(\w{64}\.json|freezes\.yaml)\.")
    placed = [found[1] for step in ground.known.first.steps if (found := named.match(step))]
    assert (len(placed), placed[-1]) == (3, "freezes.yaml")


def test_a_merge_driver_that_is_killed_leaves_a_marker_or_the_whole_result(tmp_path: Path, forker: Forker) -> None:
    """At every step, so that git and people see a conflict. Our version is whole until the first byte is written."""
    ground = Ground(tmp_path, next(case for case in CASES if case.name == "merge-driver"), forker, os.environ)
    ours, merged = (known["out/A"] for known in (ground.known.old, ground.known.new))
    left = []
    for at in range(1, len(ground.known.first.steps) + 1):
        here = ground.fresh()
        assert ground.command(here, Fault("kill", at)).code == -9
        left.append((here / "out" / "A").read_bytes())
    assert all(one in (ours, merged) or one.startswith(b"<<<<<<< ours\n") for one in left)
    assert {left[0], left[-1]} == {ours, merged}
    assert len(set(left)) > 3


@pytest.mark.parametrize(
    "command",
    [
        ("check", *NOON),
        ("status", "--format=json", *NOON),
        ("classify", FREEZES),
        ("schema", "freezes"),
        ("help",),
        ("thaw", "--help"),
    ],
)
def test_what_cannot_be_printed_is_said(command: tuple[str, ...], tmp_path: Path) -> None:
    world = World.new(tmp_path / "world")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [TOOL, *command], cwd=world.root, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert ": No space left on device\n    fix: " in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


# at once


def at_once(world: World, commands: Sequence[tuple[str, ...]]) -> list[int]:
    """The exit codes of commands that are started together."""
    running = [subprocess.Popen([TOOL, *one], cwd=world.root, stdout=-3, stderr=-3) for one in commands]
    return [one.wait() for one in running]


def frozen_tests(world: World) -> list[str]:
    """The tests of all rows; the ledger must be one that can be read."""
    rows, findings = read_rows((world.root / FREEZES).read_bytes(), FREEZES)
    assert findings == []
    return sorted(str(row.values["test"]) for row in rows)


def test_of_two_that_freeze_and_one_that_thaws_every_one_is_done(tmp_path: Path) -> None:
    world = World.new(tmp_path / "world")
    replayed(world)
    world.replay(0, 20, test=CLOCK)
    world.replay(0, test=TOTAL)
    world.set_fields(PROPERTIES, "PROP-1", uncovered_until=on(30), owner="@finley")  # whoever comes first
    world.freeze(CLOCK, 0, 30)
    world.record("frozen")
    commands = [("freeze", test, *SAID, *NOON) for test in (REFUND, TOTAL)]
    assert at_once(world, [*commands, ("thaw", CLOCK, *NOON)]) == [0, 0, 0]
    assert frozen_tests(world) == sorted([REFUND, TOTAL])


def test_lines_that_come_at_once_are_all_there_once(tmp_path: Path) -> None:
    world = World.new(tmp_path / "world")
    parts = []
    for number in range(AT_ONCE):
        world.write(REPLAYS, "")
        world.replay(number)
        parts.append(world.read(REPLAYS))
        tmp_path.joinpath(f"{number}.jsonl").write_text(parts[-1])
    world.write(REPLAYS, "")
    commands = [("replays", "merge", f"../{number}.jsonl") for number in range(AT_ONCE)]
    assert at_once(world, commands) == [0] * AT_ONCE
    assert sorted(world.read(REPLAYS).splitlines(keepends=True)) == sorted(parts)


# clocks


def test_a_clock_that_jumps_changes_no_answer(tmp_path: Path) -> None:
    """What an earlier run kept says nothing of the time: with its cache as without one."""
    world = World.new(tmp_path / "world")
    world.replay(0)
    world.freeze(REFUND, 0, 20)
    world.record("frozen")
    alone = world.copy(tmp_path / "alone")
    for day in (30, 5, 19, 400, 1):
        for command in (("check",), ("status", "--format", "json"), ("review", "--format", "json")):
            kept = typed(world, *command, "--now", noon(day))
            fresh = typed(alone.copy(tmp_path / f"{day}{command[0]}"), *command, "--now", noon(day))
            assert kept == fresh, (day, command)
    assert json.loads(typed(world, "check", "--format", "json", "--now", noon(400)).out)["findings"] != []
