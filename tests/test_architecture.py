"""The page about the architecture is true: its drawing has every wing, and its walk is the way that a commit takes."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType

import pytest

import flakeledger
from flakeledger.cli.main import main
from flakeledger.model.ledger_paths import FREEZES
from pages import ROOT, sections
from test_wings import WINGS
from world import REFUND, World, on

HOUSE = Path(flakeledger.__file__).parent
PARTS = sections(ROOT / "docs" / "architecture.md")


def test_the_drawing_has_every_wing_once() -> None:
    drawing = PARTS["The wings"].split("```")[1]
    assert sorted(re.findall(r"─ ([a-z]+) ─", drawing)) == sorted(WINGS)


def entered(arguments: list[str]) -> tuple[set[str], int]:
    """The modules that a run of the program calls something of, and its exit code."""
    seen: set[str] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            seen.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        code = main(arguments)
    finally:
        sys.setprofile(None)
    paths = (Path(name) for name in seen)
    return {f"{path.parent.name}/{path.name}" for path in paths if path.is_relative_to(HOUSE)}, code


def test_the_walk_of_one_commit_is_the_way_that_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = World.new(tmp_path / "shop")
    world.freeze(REFUND, 0, 3)
    world.git("add", FREEZES)
    monkeypatch.chdir(world.root)
    seen, code = entered(["check-change", "--now", f"{on(0)}T12:00:00Z"])
    table = PARTS["The walk of one commit"].rpartition("\n\n`check-ledgers`")[0]
    walk = set(re.findall(r"`([a-z]+/\w+\.py)`", table))
    assert (code, capsys.readouterr().err) == (0, "")
    assert len(walk) > 30
    assert walk - seen == set()
