"""Replays a witness: its test under its one example, in a clean worktree, again and again, a process for each run.

Invariants:
* Nobody's edits on disk are seen, and nothing of the witness but its arguments reaches the test.
* Only `pass` and `fail` say anything; whatever else happened stays what it is, with a sentence about it.
* With `scrub` the test sees the variables on a list, and no network where the system lets us; which one is told.
* Every way out ends what was started and removes the worktree.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from flakeledger.evidence.faithful import decoded_arguments
from flakeledger.evidence.faithful_kinds import Refused
from flakeledger.evidence.pytest_session import Around, process_runs
from flakeledger.evidence.runner import refusal_of
from flakeledger.evidence.runs import Job, Outcome
from flakeledger.evidence.sealing import ALLOWED_VARIABLES, Sealing, sealing
from flakeledger.evidence.worktree import worktrees
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Runner
from flakeledger.model.witness import Witness
from flakeledger.model.wording import shown
from flakeledger.store.git import Git

_UNTOUCHED = Sealing("on")


class WitnessReplay(NamedTuple):
    """What came of each run, a sentence about each (empty where there is nothing to say, not escaped), the network."""

    outcomes: tuple[Outcome, ...]
    network: str
    details: tuple[str, ...]


def replay_witness(
    git: Git,
    commit: str,
    witness: Witness,
    runs: int,
    runner: Runner,
    timeout: float,
    python: str,
    scrub: bool = True,
    allowed: frozenset[str] = ALLOWED_VARIABLES,
    stop: Callable[[], bool] = bool,
) -> WitnessReplay:
    """Replay a witness so often on a commit, each run at most `timeout` seconds long.

    `python` is the interpreter that runs the test. Run number n is seeded with n, for what the test draws without
    Hypothesis. `stop` is that of `runner.run_seeds`. CannotTell when the example is no arguments, the runner has a
    command, or the environment is not the one that it names.
    """
    job = Job(witness.test, runner, tuple(range(1, runs + 1)), "process", None, timeout, (), _program(python))
    _refuse(job, witness)
    sealed = sealing(git.environment) if scrub else _UNTOUCHED
    placed = {"property_id": witness.property_id, "arguments": dict(witness.arguments)}
    around = Around(placed, allowed if scrub else None, sealed)
    with worktrees(git, commit, 1) as (worktree,):
        found = list(process_runs(job, worktree, stop, around))
    return WitnessReplay(tuple(run.outcome for run in found), sealed.network, tuple(run.detail for run in found))


def _program(python: str) -> str:
    """Where an interpreter is: it is started in another folder than this one. CannotTell when it is no program."""
    from shutil import which

    found = which(python)
    if found is None:
        raise CannotTell(f"{shown(python)} is no program that can be started", "name an interpreter: --python PATH")
    return os.path.abspath(found)


def _refuse(job: Job, witness: Witness) -> None:
    """CannotTell when a replay could say nothing, whatever the test does."""
    if job.runner.command is not None:
        reason = f"the runner {shown(job.runner.name)} has a command, and no command takes an example"
        raise CannotTell(reason, "name a runner without a command: pytest runs the test then")
    refused = refusal_of(job)
    if refused is not None:
        raise refused
    try:
        decoded_arguments(witness.arguments, build=False)
    except Refused as why:
        fix = "capture it again: pytest --flakeledger-witness DIR"
        raise CannotTell(f"the example of the witness cannot be given to a test: {why}", fix) from None
