"""Runs a test of any framework by the command of its runner, once for each seed.

Invariants:
* The command is a list of words, never a text for a shell; what is filled into a word cannot make two of it.
* What is filled in is not searched for placeholders again.
* The exit status decides: 0 is a pass, any other a failure; a command that could not run the test is an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from time import monotonic

from flakeledger.evidence.environment import variables
from flakeledger.evidence.processes import Process
from flakeledger.evidence.pytest_session import TEMPORARY, how_it_ended
from flakeledger.evidence.runs import Job, SeedRun, too_long
from flakeledger.evidence.worktree import Worktree, clean, empty_folder

SEED_VARIABLE = "FLAKELEDGER_SEED"
#: exit codes of a command that cannot be run, or is not found: what every shell and env(1) give
_NOT_RUN = (126, 127)
_PLACEHOLDER = re.compile(r"\{(test|path|name|seed)\}")


def is_seeded(command: tuple[str, ...]) -> bool:
    """Whether the seed is one of the command's words; what reads it from FLAKELEDGER_SEED alone cannot be seen."""
    return any("{seed}" in word for word in command)


def filled(command: tuple[str, ...], test: str, seed: int) -> list[str]:
    """The command for a test and a seed."""
    path, _, name = test.partition("::")
    values = {"test": test, "path": path, "name": name, "seed": str(seed)}
    return [_PLACEHOLDER.sub(lambda found: values[found[1]], word) for word in command]


def command_runs(job: Job, worktree: Worktree, stop: Callable[[], bool]) -> Iterator[SeedRun]:
    """A process for each seed. See `runner.run_seeds`."""
    assert job.runner.command is not None
    for seed in job.seeds:
        if stop():
            return
        begun = monotonic()
        clean(worktree)
        run = _seed_run(job, worktree, seed, stop)
        yield run._replace(seconds=monotonic() - begun)


def _seed_run(job: Job, worktree: Worktree, seed: int, stop: Callable[[], bool]) -> SeedRun:
    temporary = f"{worktree.scratch}/{TEMPORARY}"
    empty_folder(temporary)
    environment = variables(os.environ, job.runner, seed, temporary, (worktree.root, worktree.path))
    environment[SEED_VARIABLE] = str(seed)
    assert job.runner.command is not None
    command = filled(job.runner.command, job.test, seed)
    try:
        process = Process(command, worktree.path, environment, ask=stop)
    except (OSError, ValueError) as error:
        return SeedRun(seed, "error", detail=f"{command[0]} cannot be started: {error}")
    try:
        code = process.wait(monotonic() + job.timeout)
    except TimeoutError:
        return SeedRun(seed, "timeout", detail=too_long(job.timeout))
    finally:
        process.end(marker=f"TMPDIR={temporary}")
    return _judged(seed, code, process.last_words())


def _judged(seed: int, code: int, words: str) -> SeedRun:
    if code == 0:
        return SeedRun(seed, "pass")
    ended = f"it ended {how_it_ended(code)}"
    outcome = SeedRun(seed, "error" if code < 0 or code in _NOT_RUN else "fail")
    return outcome._replace(detail=f"{ended}: {words}" if words else ended)
