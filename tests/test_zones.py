"""The same tree at the same time is judged alike in every zone; the edges of a window; what the command line answers.

Each run is a process of its own: a zone is read once, when a process starts.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flakeledger import __version__
from steps import standing
from world import CHECKS, DAY_0, REFUND, World

ZONES = ("UTC", "Pacific/Kiritimati", "Pacific/Honolulu")
CONSOLE_SCRIPT = str(Path(sys.executable).with_name("flakeledger"))
EXPIRES = "2026-11-19"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A freeze that is open through 19 November, the whole day; in the environment of the first test."""
    made = World.new(tmp_path_factory.mktemp("zones") / "world")
    standing(made)
    replay = (made.root / "ledgers/replays.jsonl").read_text(encoding="utf-8")
    made.write("ledgers/replays.jsonl", replay.replace(DAY_0.isoformat(), "2026-11-15"))
    made.set_fields("ledgers/freezes.yaml", REFUND, frozen_on="2026-10-20", expires=EXPIRES)
    made.record()
    return made


def run(where: Path, *arguments: str, zone: str = "UTC") -> tuple[int, str, str]:
    """The exit code, standard output and standard error of the console script."""
    environment = os.environ | {"TZ": zone}
    command = [CONSOLE_SCRIPT, *arguments]
    done = subprocess.run(command, cwd=where, env=environment, capture_output=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("now", "code"),
    [
        ("2026-11-19T23:59:59Z", 0),
        ("2026-11-20T00:00:00Z", 1),
        ("2026-11-20T13:59:59+14:00", 0),
        ("2026-11-20T14:00:00+14:00", 1),
        ("2026-11-19T13:59:59-10:00", 0),
        ("2026-11-19T14:00:00-10:00", 1),
    ],
)
def test_a_window_closes_at_the_same_instant_everywhere(now: str, code: int, world: World) -> None:
    for zone in ZONES:
        found = run(world.root, "check-ledgers", "--now", now, zone=zone)
        assert (found[0], "freeze-expired: " in found[1]) == (code, bool(code)), (zone, found)


@pytest.mark.parametrize("check", [*CHECKS, "check"])
@pytest.mark.parametrize("now", ["2026-11-19T23:59:59Z", "2026-11-20T00:00:00Z"])
def test_every_zone_prints_the_same(check: str, now: str, world: World) -> None:
    first, *others = (run(world.root, check, "--now", now, zone=zone) for zone in ZONES)
    assert f"now: {now}" in first[1]
    assert others == [first, first]


#: arguments, the exit code, and what stands on standard output or on standard error
ANSWERS: dict[str, tuple[tuple[str, ...], int, str]] = {
    "help": (("--help",), 0, "check-ledgers"),
    "help of a command": (("check-change", "--help"), 0, "--no-base warn"),
    "version": (("--version",), 0, __version__),
    "nothing wrong": (("check-ledgers", "--now", "2026-11-19T00:00:00Z"), 0, "0 findings"),
    "a finding": (("check-ledgers", "--now", "2026-11-20T00:00:00Z"), 1, "freeze-expired"),
    "a finding that was not asked for": (
        ("check-ledgers", "--now", "2026-11-20T00:00:00Z", "--only", "fixture-drifted"),
        0,
        "0 findings",
    ),
    "no command": ((), 2, "COMMAND"),
    "unknown command": (("chek",), 2, "chek"),
    "unknown option": (("check-ledgers", "--nwo", "x"), 2, "--nwo"),
    "abbreviated option": (("check-ledgers", "--no", "2026-11-19T00:00:00Z"), 2, "--no"),
    "unknown rule": (("check-ledgers", "--only", "fixture-drited"), 2, "did you mean fixture-drifted?"),
    "now without a zone": (("check-ledgers", "--now", "2026-11-19T00:00:00"), 2, "2026-11-19T00:00:00Z"),
    "now that is a date": (("check-ledgers", "--now", "2026-11-19"), 2, "an instant is written"),
    "now that is no day": (("check-ledgers", "--now", "2026-11-31T00:00:00Z"), 2, "not an instant of the calendar"),
    "unknown base": (("check-change", "--base", "nowhere"), 2, "nowhere"),
    "base that is an option": (("check-change", "--base=--all"), 2, "--all"),
    "unknown format": (("check-ledgers", "--format", "yaml"), 2, "yaml"),
    "no-base that is no warn": (("check-change", "--no-base=pass"), 2, "warn"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_command_line_answers(name: str, world: World) -> None:
    arguments, code, said = ANSWERS[name]
    found, out, error = run(world.root, *arguments)
    assert found == code, out + error
    assert said in (error if code == 2 else out) or (name == "no command" and said in out + error)
    assert "Traceback" not in error


def test_outside_of_a_repository_nothing_can_be_told(tmp_path: Path) -> None:
    for check in (*CHECKS, "check"):
        code, out, error = run(tmp_path, check)
        assert (code, out) == (2, "")
        assert "not a git repository" in error
        assert "git init" in error


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_terminal_of_another_encoding_is_no_reason_to_fail(encoding: str, world: World, tmp_path: Path) -> None:
    copy = world.copy(tmp_path / "copy")
    copy.set_fields("ledgers/freezes.yaml", REFUND, owner="naïve 日本 “x”")
    copy.git("add", "-A")
    command = [CONSOLE_SCRIPT, "check-ledgers", "--now", "2026-11-19T00:00:00Z"]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run(command, cwd=copy.root, env=environment, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert done.stdout.count(b"ledgers/freezes.yaml:") >= 1
