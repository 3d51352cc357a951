"""Commands as a person types them in a world, and git with the hooks that judge what they wrote.

Invariants:
* A command runs in this process, at the root of the world or in a folder of it; its two streams are told apart.
* The hooks are a shell script that runs the installed command line, as a hook runner does; they read the real clock.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from flakeledger.cli.main import main
from world import World, on, run_main

TOOL = Path(sys.executable).with_name("flakeledger")
_FINDING = re.compile(r"^\S.*?:\d+:\d+: ([a-z-]+): (.*)$", re.MULTILINE)
_HOOK = f"#!/bin/sh\nset -e\n'{TOOL}' check-ledgers\n'{TOOL}' check-change\n"


class Answer(NamedTuple):
    """What a command printed on each stream, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def findings(self) -> list[tuple[str, str]]:
        """Rule and message of each error that it printed."""
        return _FINDING.findall(self.out)


def typed(world: World, *arguments: str, folder: str = "") -> Answer:
    """Run a command of the tool in a world."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(world.root / folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main(list(arguments))
    return Answer(code, out.getvalue(), err.getvalue())


def noon(day: int) -> str:
    """Noon of a day of the world, when the hooks judge."""
    return f"{on(day)}T12:00:00Z"


def hook_findings(world: World, day: int) -> list[tuple[str, str]]:
    """Rule and message of each error that the two hooks print about everything that lies here, staged."""
    world.git("add", "-A")
    reports = [
        json.loads(run_main(world.root, [check, "--format", "json", "--now", noon(day)], {})[1])
        for check in ("check-ledgers", "check-change")
    ]
    found = [finding for report in reports for finding in report["findings"] if finding["level"] == "error"]
    return [(finding["rule"], finding["message"]) for finding in found]


def commit_with_hooks(world: World, *paths: str) -> str:
    """Stage the paths and commit them with the hooks: what they refused, or the empty text."""
    hook = world.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(_HOOK)
    hook.chmod(0o755)
    world.git("add", *paths)
    command = ["git", "commit", "-q", "-m", "edited by a command"]
    done = subprocess.run(command, cwd=world.root, env=os.environ, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr
