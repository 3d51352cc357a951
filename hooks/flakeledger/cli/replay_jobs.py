"""How each test of a replay is run: the arguments of the command, checked against the tree, made into jobs.

Invariants:
* What cannot be run so is refused before anything runs.
* A path is one of the repository, and the tree that is replayed has it.
"""

from __future__ import annotations

import argparse
import os
from shlex import quote
from typing import NamedTuple

from flakeledger.cli.replay_tests import Chosen
from flakeledger.cli.replaying import Task
from flakeledger.cli.typed_paths import repository_path
from flakeledger.evidence.environment import default_python
from flakeledger.evidence.runs import Job, Mode
from flakeledger.evidence.seeds import seeds_of
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Policy
from flakeledger.model.wording import shown
from flakeledger.repo.ledger import Ledger

#: what `--suite` alone means
THE_MODULE = ""
_ROOT = "."


class Way(NamedTuple):
    """How tests are run. `suite` is a path of the tree, THE_MODULE for the module of each test, None for none."""

    seeds: tuple[int, ...]
    python: str
    suite: str | None
    fast: bool
    timeout: float


def way_of(root: str, ledger: Ledger, policy: Policy, arguments: argparse.Namespace) -> Way:
    """The way that the arguments say. CannotTell for seeds, an interpreter or a suite that there are not."""
    seeds = seeds_of(ledger.tree, policy, arguments.seeds)
    python = _python(arguments.python) if arguments.scheduler is None else _python_there(arguments.python)
    suite = _suite(root, ledger, arguments.suite)
    return Way(seeds, python, suite, arguments.fast, arguments.timeout)


def task_of(ledger: Ledger, policy: Policy, chosen: Chosen, way: Way) -> Task:
    """One test as a task. CannotTell when the suite has it not, or its runner runs none."""
    test, runner = chosen
    if way.suite is not None and runner.command is not None:
        raise CannotTell(
            f"--suite: the runner {shown(runner.name)} has a command, and that says what is run",
            "leave --suite out, or name a runner without a command: --runner NAME",
        )
    path = test.partition("::")[0]
    suite = path if way.suite == THE_MODULE else way.suite
    if suite not in (None, _ROOT, path) and not path.startswith(f"{suite}/"):
        raise CannotTell(f"--suite {suite} does not hold {test}", f"--suite={quote(path)}   # or a folder around it")
    # a command is started anew for each seed: there is nothing that could be forked
    mode: Mode = "fork" if way.fast and runner.command is None else "process"
    job = Job(test, runner, way.seeds, mode, suite, way.timeout, policy.environment_failures, way.python)
    return Task(job, ledger.sources.is_given(test))


def _suite(root: str, ledger: Ledger, typed: str | None) -> str | None:
    if not typed:
        return typed
    path = repository_path(root, typed)
    if path != _ROOT and ledger.tree.entry(path) is None and not ledger.tree.is_folder(path):
        raise CannotTell(
            f"--suite: {ledger.tree.label} has no {path}", "--suite=PATH   # with a file or folder of tests"
        )
    return path


def _python(typed: str | None) -> str:
    """The path of the interpreter. Links are not followed: that of a virtual environment leads out of it."""
    if typed is None:
        return default_python(os.environ)
    from shutil import which

    found = which(typed)
    if found is None:
        raise CannotTell(f"--python: {typed} is no program that can be started", "name an interpreter: --python PATH")
    return os.path.abspath(found)


def _python_there(typed: str | None) -> str:
    """The path of the interpreter on the workers of a cluster, "" for the one that each has by itself."""
    if typed is not None and not os.path.isabs(typed):
        raise CannotTell(f"--python {typed} is looked for on every worker", "give its whole path: --python /PATH")
    return typed or ""
