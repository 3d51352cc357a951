"""The part of a replay that one host runs in one go: one seed of a test, or all of them where they are forked.

Invariants:
* A host runs a unit by the same function as every engine, in a worktree of its own that is gone when it ends.
* It runs a unit of its own version of flakeledger and no other.
* What cannot be evidence comes back as a reason that names the host; it is never an outcome.
* The work tree that the commit came from is seen on no host, also where one has it at the same path.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from flakeledger import __version__
from flakeledger.evidence.bundle import Bundle, clone_of
from flakeledger.evidence.engines import Abandoned
from flakeledger.evidence.environment import default_python
from flakeledger.evidence.runner import run_seeds
from flakeledger.evidence.runs import Job, SeedRun
from flakeledger.evidence.worktree import worktrees
from flakeledger.model.errors import CannotTell


class Unit(NamedTuple):
    """The job of this number with the seeds of this unit, sent for the `attempt`th time, from 0.

    `version` is that of the flakeledger that sends it.
    """

    number: int
    job: Job
    attempt: int
    bundle: Bundle
    version: str


class Shown(NamedTuple):
    """What came of a unit on the worker of this address: the runs of its seeds, or why they are no evidence.

    `refusal` is the reason and the fix. `again` says why the unit is to be sent again: the worker had not got the
    commit, or was told to end before the unit did.
    """

    worker: str
    runs: tuple[SeedRun, ...] = ()
    refusal: tuple[str, str] | None = None
    again: Literal["lacks", "ends"] | None = None


def units_of(number: int, job: Job, bundle: Bundle) -> Iterator[Unit]:
    """The units of a job: forks share a session, and so a host."""
    parts = [job.seeds] if job.mode == "fork" else [(seed,) for seed in job.seeds]
    for seeds in parts:
        yield Unit(number, job._replace(seeds=seeds), 0, bundle, __version__)


def shown_by(unit: Unit, worker: str, stop: Callable[[], bool]) -> Shown:
    """Run a unit on this host, to which its bundle was sent before.

    `stop` is that of `runner.run_seeds`, and may raise Abandoned.
    """
    if unit.version != __version__:
        return Shown(worker, refusal=wrong_version(__version__))
    job = unit.job._replace(python=unit.job.python or default_python(os.environ))
    try:
        git = clone_of(unit.bundle, os.environ)
        if git is None:
            return Shown(worker, again="lacks")
        with worktrees(git, unit.bundle.commit, 1) as (worktree,):
            runs = tuple(run_seeds(job, worktree._replace(root=unit.bundle.root), stop))
    except CannotTell as refusal:
        return Shown(worker, refusal=(refusal.reason, refusal.fix))
    except Abandoned:
        return Shown(worker, again="ends")
    return Shown(worker, tuple(_placed(run, worker) for run in runs))


def wrong_version(found: str | None) -> tuple[str, str]:
    """The reason and the fix of a refusal of a host with another flakeledger, or with none."""
    has = f"it has flakeledger {found}" if found is not None else "it has no flakeledger"
    return f"{has}, and the units come from {__version__}", f"there: pip install 'flakeledger[dask]=={__version__}'"


def _placed(run: SeedRun, worker: str) -> SeedRun:
    """A run that is no evidence says where that happened."""
    if run.outcome in ("pass", "fail"):
        return run
    return run._replace(detail=f"{run.detail} (on the worker {worker})".strip())
