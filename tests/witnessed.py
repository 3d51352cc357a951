"""Repositories with property tests that fail, and real runs of pytest in them that capture witnesses.

Invariants:
* Every run is a process of its own, with the plugin and no others but those that a case asks for.
* No example database is there, so that each run searches for itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from flakeledger.model.ledger_paths import PROPERTIES
from flakeledger.model.witness import Witness, read_witness
from world import World

SUITE = "tests/test_suite.py"
FOLDER = "captured"
PROPERTY = "PROP-2"
IGNORED = f"{FOLDER}/\n__pycache__/\n.pytest_cache/\n.hypothesis/\n"
HEAD = f'''\
"""property_id: {PROPERTY}"""
import pytest
from hypothesis import assume, example, given, settings, strategies as st, Phase
'''


class Captured(NamedTuple):
    """What a run printed, its exit code, the witnesses by the digests that name them, and the refusals."""

    code: int
    out: str
    files: dict[str, bytes]
    refused: list[dict[str, Any]]

    @property
    def witnesses(self) -> list[Witness]:
        """The witnesses, by test and example."""
        return sorted(
            (read_witness(data) for data in self.files.values()), key=lambda one: (one.test, str(one.example))
        )

    @property
    def arguments(self) -> dict[str, list[object]]:
        """The arguments of the witnesses by the name of their test."""
        found: dict[str, list[object]] = {}
        for one in self.witnesses:
            found.setdefault(one.test.partition("::")[2], []).append(dict(one.arguments))
        return found

    @property
    def reasons(self) -> dict[str, str]:
        """Why there is no witness, by the name of the test."""
        return {one["test"].partition("::")[2]: one["reason"] for one in self.refused}


def property_suite(root: Path, text: str, *names: str, level: str = "witnessed", **policy: str) -> World:
    """A new world with a suite whose named tests protect one property, committed."""
    world = World.new(root, level=level, **policy)
    world.write(".gitignore", IGNORED)
    world.write(SUITE, HEAD + text)
    tests = [f"{SUITE}::{name}" for name in names]
    world.add_row(PROPERTIES, id=PROPERTY, statement="an answer comes", fixtures=["FX-1"], tests=tests)
    world.record("suite")
    return world


def capture(world: World, *arguments: str, python: str = sys.executable, **environment: str) -> Captured:
    """Run the suite and capture what fails."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    clean |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "400"} | environment
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "flakeledger.evidence.pytest_plugin"]
    done = subprocess.run(
        [*command, "-p", "_hypothesis_pytestplugin", f"--flakeledger-witness={FOLDER}", *(arguments or [SUITE])],
        cwd=world.root,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    out = done.stdout + done.stderr
    assert "INTERNALERROR" not in out, out
    folder = world.root / FOLDER
    found = {path.name: path.read_bytes() for path in sorted(folder.iterdir())} if folder.is_dir() else {}
    assert not [name for name in found if name.endswith(".unfinished")]
    refused = [json.loads(data) for name, data in found.items() if name.endswith(".refused.json")]
    files = {name.removesuffix(".json"): data for name, data in found.items() if not name.endswith(".refused.json")}
    return Captured(done.returncode, out, files, refused)
