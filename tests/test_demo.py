"""`flakeledger demo`, once for real: four commits that go as said, whatever the user's own git is set to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import git
from flakeledger.cli.demo_steps import STEPS, differences
from flakeledger.cli.main import main

HOSTILE = """\
[commit]
\tgpgsign = true
[core]
\thooksPath = /nowhere
\tautocrlf = true
[init]
\tdefaultBranch = trunk
\ttemplateDir = /nowhere
"""


def test_four_commits_go_as_said(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (isolated / ".gitconfig").write_text(HOSTILE)
    monkeypatch.setenv("SKIP", "check-ledgers,check-change")
    monkeypatch.setenv("GITHUB_EVENT_NAME", "push")
    folder = tmp_path / "a shop"
    assert main(["demo", "--folder", str(folder)]) == 0
    out = capsys.readouterr().out
    places = [out.index(f"== {step.title}\n") for step in STEPS]
    assert places == sorted(places)
    told = dict(zip(("passes", *filter(None, (step.rule for step in STEPS))), _split(out, places), strict=True))
    assert "Failed" not in told["passes"]
    for rule in ("fixture-drifted", "mixed-change", "freeze-extended"):
        assert f": {rule}: " in told[rule]
        assert "fix:" in told[rule]
    assert "\x1b" not in out
    assert str(folder) in out
    # what is left is a shop to play in: clean, two commits, green tests, hooks that run
    assert git(folder, "status", "--porcelain") == ""
    assert git(folder, "log", "--format=%s %an").splitlines() == [
        "Count the things of an order Finley",
        "Open the shop Finley",
    ]
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert tests.returncode == 0, tests.stdout
    (folder / "tests/fixtures/refunds.json").write_text('{"schema": 2}')
    monkeypatch.delenv("SKIP")
    refused = subprocess.run(["git", "commit", "-qam", "x"], cwd=folder, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert ": freeze-fixture-hash: " in refused.stderr


def _split(text: str, places: list[int]) -> list[str]:
    return [text[start:end] for start, end in zip(places, [*places[1:], len(text)], strict=True)]


def test_a_folder_in_use_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("")
    assert main(["demo", "--folder", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["mine.txt"]


def test_what_differs_is_told() -> None:
    said = "a.yaml:1:1: other-rule: x"
    ordinary, refused = STEPS[0], STEPS[1]
    assert differences(ordinary, 0, "") == []
    assert differences(ordinary, 1, said) == ["'An ordinary commit' was refused"]
    assert differences(refused, 0, "") == [f"{refused.title!r} was not refused"]
    assert differences(refused, 1, said) == [f"{refused.title!r} was not refused by fixture-drifted"]
