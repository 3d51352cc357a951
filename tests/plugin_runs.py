"""Suites with frozen tests, and real runs of pytest in them with the plugin.

Invariants:
* A run is a process of its own, without the plugins of this run's environment: it names those that it wants.
* What became of each test is read from the plugin's own log, and pytest's exit code and output are given as they are.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from commands import noon
from flakeledger.model.ledger_paths import PROPERTIES
from world import World

SUITE = "tests/test_suite.py"
#: by the name of its entry point
PLUGIN = ("-p", "flakeledger")
#: the day on which the suites' tests are frozen, and for how many days
FROZEN, DAYS = 10, 14
LOG = "outcomes.jsonl"
#: nothing that a run leaves behind is part of the tree
IGNORED = f"{LOG}\n.pytest_cache/\n__pycache__/\n*.xml\n"

Line = dict[str, Any]


class Run(NamedTuple):
    """What a run of pytest ended with, printed and logged."""

    code: int
    out: str
    lines: list[Line]

    def outcomes(self, name: str) -> list[str]:
        """The outcomes of a test's own calls, by the end of its id."""
        return [line["outcome"] for line in self.lines if line["test"].endswith(name) and line["when"] == "call"]

    def line(self, name: str, when: str = "call") -> Line:
        """The line of one phase of a test."""
        (found,) = [line for line in self.lines if line["test"].endswith(f"::{name}") and line["when"] == when]
        return found

    @property
    def summary(self) -> list[str]:
        """The lines of the plugin's section."""
        _, _, section = self.out.partition("= flakeledger =")
        return section.partition("\n=")[0].split("\n")[1:]

    @property
    def header(self) -> str:
        """The plugin's line at the top; empty where there is none."""
        return next((line for line in self.out.split("\n") if line.startswith("flakeledger: ")), "")


def suite(world: World, text: str, frozen: Sequence[str], level: str = "keyed", days: int = DAYS) -> World:
    """Give a world a suite of one module whose named tests are frozen, each by a right row; all committed."""
    world.write(".gitignore", IGNORED)
    world.write(SUITE, f'"""property_id: PROP-2"""\n{text}')
    tests = [f"{SUITE}::{name}" for name in frozen]
    world.add_row(PROPERTIES, id="PROP-2", statement="an answer comes", fixtures=["FX-1"], tests=tests)
    world.set_policy(level=level)
    world.freeze_all(tests, FROZEN, days)
    world.record("frozen")
    return world


def run(world: World, *arguments: str, day: int = FROZEN, path: str | None = None, **environment: str) -> Run:
    """Run pytest at the root of a world, at noon of a day."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    clean |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "400"} | environment
    clean |= {} if path is None else {"PATH": path}
    log = world.root / LOG
    log.unlink(missing_ok=True)
    options = ("-p", "no:cacheprovider") if not {"--lf", "--cache-clear"} & set(arguments) else ()
    command = [sys.executable, "-m", "pytest", *options, *PLUGIN, f"--flakeledger-now={noon(day)}"]
    done = subprocess.run(
        [*command, f"--flakeledger-log={LOG}", *arguments],
        cwd=world.root,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    out = done.stdout + done.stderr
    assert "INTERNALERROR" not in out, out
    return Run(done.returncode, out, read_log(log.read_text()) if log.exists() else [])


def read_log(text: str) -> list[Line]:
    """The objects of a log; each line is whole."""
    assert not text or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]
