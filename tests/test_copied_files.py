"""What is copied into the tests' interpreter: all of it, once, and said where it cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import flakeledger.evidence
from flakeledger.evidence.copied_files import FILES, install
from flakeledger.model.errors import CannotTell

HOUSE = Path(flakeledger.evidence.__file__).parent


def test_every_file_of_the_seeding_package_and_of_the_faithful_form_is_copied() -> None:
    assert sorted(FILES) == sorted(
        path.name for path in HOUSE.glob("*.py") if path.name.startswith(("seeding_", "faithful"))
    )


def test_what_is_right_already_is_left_alone(tmp_path: Path) -> None:
    package = tmp_path / "package"
    install(str(package), {"seed": 1})
    assert {path.name for path in package.iterdir()} == {*FILES, "__init__.py", "session.json"}
    before = {path.name: path.stat().st_mtime_ns for path in package.iterdir()}
    (package / "seeding_seen.py").write_text("raise SystemExit\n")
    install(str(package), {"seed": 2})
    assert (package / "seeding_seen.py").read_bytes() == (HOUSE / "seeding_seen.py").read_bytes()
    assert json.loads((package / "session.json").read_text()) == {"seed": 2}
    after = {path.name: path.stat().st_mtime_ns for path in package.iterdir()}
    assert {name for name in before if before[name] != after[name]} == {"seeding_seen.py", "session.json"}


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotTell, match="cannot be written"):
        install(str(tmp_path / "file" / "package"), {})
