"""`flakeledger gate` with real replays: what a patch, its surroundings and a signal do to them."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import git
from flakeledger.cli import gate
from flakeledger.model.ledger_paths import POLICY
from patched import a_witness, on_a_branch, saved
from world import CONFTEST, PRODUCT, TESTS, World

#: runs are seeded with 1, 2 and 3: the second coin is another one than the others
FLIP = """\
import os
import random
MIRROR = {}
def connect():
    MIRROR["far"] = "FAR" in os.environ or random.random() > 0.5
def total():
    return 3
def refund(paid):
    return paid + MIRROR["far"]
"""
SKIP = FLIP.replace("    return paid + MIRROR", '    __import__("pytest").skip("no")\n    return paid + MIRROR')
SLOW = FLIP.replace("def connect():\n", "def connect():\n    import time; time.sleep(60)\n")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A shop whose refunds are a property."""
    world = World.new(tmp_path / "shop", level="witnessed")
    world.sub(POLICY, "limits:\n", "limits:\n  witness_replays: 3\n")
    world.write(PRODUCT, "def connect():\n    pass\ndef total():\n    return 3\ndef refund(paid):\n    return paid\n")
    world.sub(TESTS, "import total\n", "import connect, refund, total\n")
    world.sub(TESTS, "    assert x >= 0\n", "    assert refund(x) <= x\ndef setup_module():\n    connect()\n")
    world.record("refunds")
    return world


def asked(world: World, witness: Path) -> tuple[int, dict[str, object]]:
    """The gate on the branch: its exit code and its note."""
    parser = argparse.ArgumentParser()
    gate.add_arguments(parser)
    out = io.StringIO()
    with contextlib.chdir(world.root), contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = gate.run(parser.parse_args(["--base", "main", "--witness", str(witness)]))
    return code, json.loads(out.getvalue())


def left_over(world: World) -> list[str]:
    """What a run left behind: worktrees that git knows beside the first."""
    return world.git("worktree", "list").splitlines()[1:]


def patched(world: World, product: str) -> Path:
    """The witness of the shop, which is on a branch with another product then."""
    path = saved(world, a_witness(world))
    on_a_branch(world, lambda world: world.write(PRODUCT, product))
    return path


def test_a_witness_that_flips_makes_a_patch_eligible(world: World) -> None:
    code, note = asked(world, patched(world, FLIP))
    assert (code, note["freeze"], note["replay_outcomes"]) == (0, "eligible_short", ["pass", "fail", "pass"])
    assert note["network"]
    assert left_over(world) == []
    assert world.git("status", "--porcelain") == ""


def test_a_skip_leaves_the_replays_incomplete(world: World) -> None:
    code, note = asked(world, patched(world, SKIP))
    assert (code, note["freeze"], note["replay_outcomes"]) == (1, "deny:incomplete", ["skipped"] * 3)


def test_what_surrounds_the_patch_reaches_no_replay(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = patched(world, FLIP)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    world.write(CONFTEST, "raise SystemExit(3)\n")
    world.write("conftest.py", "raise SystemExit(3)\n")
    world.write(PRODUCT, "raise SystemExit(3)\n")
    world.write("pytest.ini", "[pytest]\naddopts = --collect-only\n")
    world.git("add", PRODUCT, "pytest.ini")
    monkeypatch.setenv("FAR", "1")
    monkeypatch.setenv("PYTHONPATH", str(world.root))
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only")
    monkeypatch.setenv("HYPOTHESIS_STORAGE_DIRECTORY", str(elsewhere))
    code, note = asked(world, path)
    assert (code, note["replay_outcomes"]) == (0, ["pass", "fail", "pass"])


SCRIPT = """\
import argparse, sys
from flakeledger.cli import gate
parser = argparse.ArgumentParser()
gate.add_arguments(parser)
sys.exit(gate.run(parser.parse_args(sys.argv[1:])))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_replays_and_nothing_is_left(world: World, tmp_path: Path, number: int) -> None:
    path = patched(world, SLOW)
    script, out = tmp_path / "script.py", tmp_path / "note.json"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), "--base", "main", "--witness", str(path), "--out", str(out)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, cwd=world.root, env=environment, stdout=-1, stderr=-1, text=True) as process:
        end = time.monotonic() + 30
        while not list(tmp_path.glob("flakeledger-*/*/tree/*")) and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(number)
        told, said = process.communicate(timeout=30)
    assert (process.returncode, told) == (128 + number, ""), said
    assert "nothing was decided" in said
    assert not out.exists()
    assert list(tmp_path.glob("flakeledger-*")) == []
    assert git(world.root, "worktree", "list").count("\n") == 0
