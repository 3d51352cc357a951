"""Repositories whose commits, merges and pushes are judged by hooks that a real hook runner installed.

Invariants:
* The hooks come from a git repository that holds the working files of this project, as a user's do.
* One environment a runner and session, shared by the workers of pytest-xdist: both runners lock their homes.
* Days are counted as in `world.py`; the hooks read the real clock, so rows are made yesterday.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from conftest import FIXED_ENVIRONMENT, SERVICE_VARIABLES
from flakeledger.model.ledger_paths import GUARD
from world import DAY_0, World

PROJECT = Path(__file__).resolve().parents[1]
HOOKS = ("check-ledgers", "check-change")
INSTALLED_TYPES = ("pre-commit", "pre-merge-commit", "pre-push")
YESTERDAY = (datetime.now(UTC).date() - DAY_0).days - 1
#: a commit that no hook sees, as the environment of git
UNJUDGED = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": os.devnull}
_FINDING = re.compile(r"^ *\S.*?:\d+:\d+: (?!warning: )([a-z-]+): ", re.MULTILINE)


class Done(NamedTuple):
    """A process that ended."""

    code: int
    output: str

    @property
    def rules(self) -> frozenset[str]:
        """The rules of the findings that refuse."""
        return frozenset(_FINDING.findall(self.output))


class Tool(NamedTuple):
    """Where hooks are installed from."""

    repository: Path
    revision: str


class HookRunner(NamedTuple):
    """pre-commit or prek, with the home of its environments."""

    name: str
    home: Path

    def run(self, where: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> Done:
        """Run one of its commands."""
        command = str(Path(sys.executable).with_name(self.name))
        return run(where, command, *arguments, environment=self.variables | dict(environment or {}))

    @property
    def variables(self) -> dict[str, str]:
        """What tells the runner where its environments are, and pip where it finds what it downloaded before."""
        home = "PRE_COMMIT_HOME" if self.name == "pre-commit" else "PREK_HOME"
        return {home: str(self.home), "PIP_CACHE_DIR": str(self.home.with_name("downloads"))}


def run(where: Path, *command: str, environment: Mapping[str, str] | None = None, inherit: bool = True) -> Done:
    """Run a command; `inherit`: add to the environment of this process instead of replacing it."""
    variables = (dict(os.environ) if inherit else {}) | dict(environment or {})
    done = subprocess.run(
        command, cwd=where, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=300
    )
    return Done(done.returncode, done.stdout.decode(errors="replace"))


def must(where: Path, *command: str, environment: Mapping[str, str]) -> str:
    """What a command prints that may not fail, in exactly this environment."""
    done = run(where, *command, environment=environment, inherit=False)
    assert done.code == 0, f"{command}: {done.output}"
    return done.output


def session_environment() -> dict[str, str]:
    """The environment outside of any test: the user's own, so that packages are found, but no git settings."""
    dropped = ("GIT_", "GITHEAD_", *SERVICE_VARIABLES)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return kept | FIXED_ENVIRONMENT | {"GIT_CONFIG_GLOBAL": os.devnull}


def shared_folder(base: Path) -> Path:
    """A folder that all workers of a session see; `base` is the worker's own."""
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "hooked"
    folder.mkdir(exist_ok=True)
    return folder


def publish_tool(shared: Path, own: Path) -> Tool:
    """The repository of this project's working files below `shared`, made at `own` by the worker that is first."""
    environment = session_environment()
    published = shared / "tool"
    if not published.exists():
        own.mkdir()
        listed = must(
            PROJECT,
            *("git", "-c", f"safe.directory={PROJECT}", "ls-files", "-z", "-c", "-o", "--exclude-standard"),
            environment=environment,
        )
        for name in filter(None, listed.split("\0")):
            if (PROJECT / name).is_file():
                (own / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(PROJECT / name, own / name)
        for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "working files")):
            must(own, "git", *arguments, environment=environment)
        try:
            own.rename(published)
        except OSError:
            assert published.exists(), "another worker was faster"
    revision = must(published, "git", "rev-parse", "HEAD", environment=environment).strip()
    return Tool(published, revision)


def configuration(tool: Tool, names: Sequence[str] = HOOKS, types: Sequence[str] = INSTALLED_TYPES) -> str:
    """A user's `.pre-commit-config.yaml`."""
    hooks = "".join(f"      - id: {name}\n" for name in names)
    return (
        f"default_install_hook_types: [{', '.join(types)}]\n"
        f"repos:\n  - repo: {tool.repository}\n    rev: {tool.revision}\n    hooks:\n{hooks}"
    )


def install_environment(runner: HookRunner, tool: Tool, scratch: Path) -> None:
    """Let the runner build the environment of the hooks: the slow part, once."""
    scratch.mkdir()
    environment = session_environment()
    must(scratch, "git", "init", "-q", environment=environment)
    (scratch / GUARD).write_text(configuration(tool), encoding="utf-8")
    command = str(Path(sys.executable).with_name(runner.name))
    must(scratch, command, "install-hooks", environment=environment | runner.variables)


class Hooked:
    """A world whose repository has the hooks installed. HEAD is on the branch work."""

    def __init__(self, world: World, runner: HookRunner) -> None:
        self.world = world
        self.runner = runner

    @classmethod
    def new(cls, root: Path, runner: HookRunner, tool: Tool) -> Hooked:
        """The base tree and the configuration on main; the hooks installed by their runner."""
        hooked = cls(World.new(root), runner)
        hooked.world.write(GUARD, configuration(tool))
        hooked.world.record("hooks")
        hooked.install()
        hooked.world.git("switch", "-q", "-c", "work")
        return hooked

    def install(self) -> None:
        """Install the hooks of every type that the configuration names."""
        done = self.runner.run(self.world.root, "install")
        assert done.code == 0, done.output
        installed = {file.name for file in (self.world.root / ".git/hooks").iterdir()}
        assert installed >= set(INSTALLED_TYPES), installed

    def copy(self, root: Path) -> Hooked:
        """The same repository at another place."""
        return Hooked(self.world.copy(root), self.runner)

    def git(self, *arguments: str, where: Path | None = None, environment: Mapping[str, str] | None = None) -> Done:
        """A git command that may run hooks, and may fail."""
        variables = self.runner.variables | dict(environment or {})
        return run(where or self.world.root, "git", *arguments, environment=variables)

    def record(self, message: str = "unjudged") -> None:
        """A commit of everything that lies here, unseen by the hooks."""
        self.world.record(message, **UNJUDGED)

    def publish(self, remote: Path) -> None:
        """A bare repository that holds main, as origin."""
        self.world.git("clone", "-q", "--bare", "--single-branch", "--branch=main", str(self.world.root), str(remote))
        self.world.git("remote", "add", "origin", str(remote))
        self.world.git("fetch", "-q", "origin")
        self.world.git("remote", "set-head", "origin", "main")
