"""The shell steps of services, run as their runners run them, and the checkouts that these make.

Invariants:
* A step is taken from the YAML as it stands. Only what the service itself would put there is put there.
* Days are counted as in `world.py`; the steps read the real clock, so rows are made yesterday.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hooked import YESTERDAY
from steps import Edit, edit_conftest, freeze, replay, together
from world import CLOCK, TOTAL, World

_EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")
_HEREDOC = re.compile(r"(?m)^([\w-]+)(?:=(.*)|<<(.+)\n((?:.*\n)*?)\3)$")

#: what a pull request does that nothing refuses, and one that is refused
good = together(replay(YESTERDAY, 18, test=CLOCK), freeze(YESTERDAY, 20, CLOCK))
bad = together(edit_conftest, freeze(YESTERDAY, 3, CLOCK))


class Hosted(NamedTuple):
    """A pull request on its service: the repository there, and the commits that matter."""

    world: World
    main: str
    work: str
    merge: str


def host(root: Path, edit: Edit) -> Hosted:
    """A repository of a service with a pull request, its test merge at the reference that GitHub gives it."""
    world = World.new(root)
    world.replay(YESTERDAY, test=TOTAL)
    world.freeze(TOTAL, YESTERDAY, 20)
    world.record("freeze")
    main = world.head()
    world.git("switch", "-q", "-c", "work")
    edit(world)
    world.record("work")
    work = world.head()
    world.git("switch", "-q", "--detach", "main")
    world.git("merge", "-q", "--no-ff", "-m", "test merge", "work")
    merge = world.head()
    world.git("update-ref", "refs/pull/7/merge", merge)
    world.git("update-ref", "refs/pull/7/head", work)
    world.git("switch", "-q", "main")
    return Hosted(world, main, work, merge)


def checked_out(hosted: Hosted, where: Path, commit: str, *fetched: str) -> World:
    """A clone with HEAD detached at a commit, of which only what is named was fetched."""
    where.mkdir(parents=True)
    world = World(where)
    world.git("init", "-q", "--template=")
    world.git("remote", "add", "origin", f"file://{hosted.world.root}")
    world.git("fetch", "-q", "--no-tags", "origin", *fetched)
    world.git("checkout", "-q", "--detach", "--force", commit)
    return world


class Done(NamedTuple):
    """What a script printed on both streams, and its exit code."""

    code: int
    output: str


def bash(script: str, where: Path, environment: Mapping[str, str], *options: str) -> Done:
    """Run a script in an environment of its own, as a runner does: errors end it, the ones in pipes too."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", *options, "-c", script],
        cwd=where,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return Done(done.returncode, done.stdout)


def variables(**more: str) -> dict[str, str]:
    """The environment of a step: that of this test, and what a service adds."""
    return dict(os.environ) | {"CI": "true"} | more


class Runner:
    """GitHub's runner, for the steps of a composite action or of a job."""

    def __init__(self, workspace: Path, files: Path, environment: Mapping[str, str], values: Mapping[str, str]) -> None:
        """`values` are the expressions that are known; `files` is where the runner keeps its own."""
        files.mkdir(parents=True, exist_ok=True)
        self.workspace = workspace
        self.summary = files / "summary"
        self._output = files / "output"
        #: what each step wrote to GITHUB_OUTPUT
        self.written: list[str] = []
        self.values = dict(values)
        self.environment = variables(
            **environment, GITHUB_STEP_SUMMARY=str(self.summary), GITHUB_WORKSPACE=str(workspace)
        )

    def run(self, steps: Sequence[Mapping[str, Any]]) -> Done:
        """Run the steps that have a script until one fails; what they put out becomes known."""
        printed = ""
        for step in steps:
            if "run" not in step:
                continue
            done = self._step(step)
            printed += done.output
            if done.code:
                return Done(done.code, printed)
        return Done(0, printed)

    def _step(self, step: Mapping[str, Any]) -> Done:
        self._output.write_text("", encoding="utf-8")
        own = {name: self.filled(value) for name, value in step.get("env", {}).items()}
        where = self.workspace / self.filled(step.get("working-directory", "."))
        done = bash(step["run"], where, self.environment | {"GITHUB_OUTPUT": str(self._output)} | own)
        self.written.append(self._output.read_text(encoding="utf-8"))
        for name, value in outputs(self.written[-1]).items():
            self.values[f"steps.{step['id']}.outputs.{name}"] = value
        return done

    def filled(self, text: str) -> str:
        """The text with every expression's value in its place; an output that no step set is empty, as on GitHub."""

        def value(found: re.Match[str]) -> str:
            return self.values.get(found[1], "") if found[1].startswith("steps.") else self.values[found[1]]

        return _EXPRESSION.sub(value, text)


def outputs(text: str) -> dict[str, str]:
    """What a step wrote to GITHUB_OUTPUT: `name=value`, or the lines up to a delimiter."""
    assert _HEREDOC.sub("", text).strip("\n") == "", text
    found = _HEREDOC.findall(text)
    return {name: lines.removesuffix("\n") if delimiter else value for name, value, delimiter, lines in found}
