"""Runs one test under its seeds: the one function that the pool, the shards and many hosts call.

Invariants:
* A seed is yielded when it has ended, in the order of the job; nothing of it runs any more then.
* Every way out (the end, `stop`, an exception, the generator closed) ends what was started.
* The worktree is as its commit says before every seed, whatever the seed before left behind.
* What cannot be evidence raises `CannotTell` with its reason; what happened to one seed is its outcome.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from flakeledger.evidence.command_run import command_runs
from flakeledger.evidence.environment import VARY
from flakeledger.evidence.pytest_session import fork_runs, process_runs
from flakeledger.evidence.runs import Job, SeedRun
from flakeledger.evidence.worktree import Worktree
from flakeledger.model.errors import CannotTell
from flakeledger.model.wording import shown
from flakeledger.repo.ids import is_python, split_test_id


def run_seeds(job: Job, worktree: Worktree, stop: Callable[[], bool]) -> Iterator[SeedRun]:
    """What each seed of the job showed, in a worktree that nobody else uses meanwhile.

    `stop` is asked before each seed; once it says yes, no further seed is begun. It is asked again and again while one
    runs, and what it raises ends that. CannotTell when the environment is
    not the one that the job's runner names, the test cannot be forked, or the working tree was seen.
    """
    refused = refusal_of(job)
    if refused is not None:
        raise refused
    if job.runner.command is not None:
        return command_runs(job, worktree, stop)
    return (fork_runs if job.mode == "fork" else process_runs)(job, worktree, stop)


def refusal_of(job: Job) -> CannotTell | None:
    """Why a job can be no evidence, whatever its test does; None when it can."""
    runner = shown(job.runner.name)
    try:
        path = split_test_id(job.test).path
    except ValueError as error:
        return CannotTell(f"{shown(job.test)} is no test id: {error}", "name one test: path::name")
    for inside in (path, job.suite or "."):
        if os.path.isabs(inside) or os.path.normpath(inside).split(os.sep)[0] == os.pardir:
            return CannotTell(
                f"{shown(inside)} leads out of the repository", "--suite=PATH   # with a path below its root"
            )
    if job.runner.command is None and not is_python(path):
        fix = f"give the runner {runner} a `command:` that runs it, or name another runner"
        return CannotTell(f"{shown(path)} is no Python file, and the runner {runner} has no command", fix)
    if job.runner.command is not None and job.runner.python is not None:
        reason = f"the runner {runner} has a command, so that its `python:` cannot be checked"
        return CannotTell(reason, "take `python:` out of that runner, or its command")
    if job.mode == "fork" and job.runner.command is None and job.runner.hash_seed == VARY:
        reason = f"the runner {runner} varies the hash seed, which is set when a process starts"
        return CannotTell(reason, "leave --fast out: every seed then gets a process of its own")
    return None
