"""The runners of the first policy: the tests' own Python, or what package.json says where there is a Node project.

Invariants:
* A command is proposed only for a tool whose way to run one test is known; for any other a person is asked.
* package.json is read as data, and only its first 64 KiB: whatever is odd about it proposes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from flakeledger.cli.policy_text import RUNNER
from flakeledger.model.ledger_paths import POLICY
from flakeledger.model.policy import Runner
from flakeledger.repo.layout import LARGEST_READ, Layout

PACKAGE = "package.json"
_NODE_RUNNER = "node"
_NODE_TEST = re.compile(r"\.[cm]?[jt]sx?", re.ASCII)
_TOOL = r"(?:^|[\s;&|/]){}(?=$|[\s;&|])"
#: what a test script starts -> the command that runs one test by its name in its file; the first that is there counts
_COMMANDS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(_TOOL.format("vitest")), ("npx", "--no-install", "vitest", "run", "-t", "{name}", "{path}")),
    (re.compile(_TOOL.format("jest")), ("npx", "--no-install", "jest", "-t", "{name}", "{path}")),
    (re.compile(_TOOL.format("mocha")), ("npx", "--no-install", "mocha", "--grep", "{name}", "{path}")),
    (re.compile(r"\s--test(?=$|[\s;&|])"), ("node", "--test", "--test-name-pattern", "{name}", "{path}")),
)


def starting_runners(layout: Layout) -> tuple[Runner, ...]:
    """The runners to begin with, the default one first: a Node project without Python tests has its own command."""
    command = _command(_test_script(layout))
    if command is None:
        return (Runner(RUNNER),)
    if any(path.endswith(".py") for path in layout.test_files):
        return (Runner(RUNNER), Runner(_NODE_RUNNER, command=command))
    return (Runner(RUNNER, command=command),)


def runner_advice(layout: Layout) -> Iterator[str]:
    """What a person has to know or to say about the command of a Node project."""
    script = _test_script(layout)
    if not script or not any(_NODE_TEST.search(path) for path in layout.test_files):
        return
    if _command(script) is None:
        yield f"{PACKAGE} runs its tests by `{script}`: let a runner of {POLICY} run one test of it by its name"
    else:
        yield f"the command in {POLICY} must fail where no test has the name: try it with a name that none has"


def _test_script(layout: Layout) -> str:
    """What `npm test` runs; the empty text where that is not known."""
    data = layout.read(PACKAGE) if PACKAGE in layout.paths else None
    if data is None or len(data) > LARGEST_READ:
        return ""
    try:
        package = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    scripts = package.get("scripts") if isinstance(package, dict) else None
    script = scripts.get("test") if isinstance(scripts, dict) else None
    return script if isinstance(script, str) else ""


def _command(script: str) -> tuple[str, ...] | None:
    return next((command for tool, command in _COMMANDS if tool.search(script)), None)
