"""Runs the jobs of a replay and records each as it ends.

Invariants:
* A line is appended when its test is done, all of it or nothing: a crash costs the tests that run, and no other.
* What was not recorded is in the journal until it is, or is known to be unrecordable. Nothing partial is recorded.
* The clock is read once, when the command begins; that a test ended later is the time that passed since then.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from time import monotonic
from typing import NamedTuple

from flakeledger.cli.interrupts import Interrupts
from flakeledger.cli.replay_progress import Progress, progress
from flakeledger.evidence.engines import ENGINES, Abandoned, Engine, Event, Work
from flakeledger.evidence.journal import Journal, journal_of, sweep
from flakeledger.evidence.record import Recorded, Unrecordable, record
from flakeledger.evidence.runs import Job, SeedRun
from flakeledger.model.ledger_paths import REPLAYS
from flakeledger.rules.interviews import counted
from flakeledger.store.edits import Edits, append_lines, locked
from flakeledger.store.git import Git


class Clock(NamedTuple):
    """The one reading of the clock, in seconds, and when it was on the clock that never jumps."""

    began: int
    ticks: float

    def now(self) -> int:
        """The time as it must be by now."""
        return self.began + int(monotonic() - self.ticks)


class Task(NamedTuple):
    """A job, and whether Hypothesis draws the arguments of its test."""

    job: Job
    draws: bool


class Plan(NamedTuple):
    """What a command is to run, and where its lines go: `out` is a file, None the ledger; `dry` is nowhere.

    `scheduler` is the address of the Dask cluster that runs it, None for this machine.
    """

    git: Git
    commit: str
    tasks: tuple[Task, ...]
    at_once: int
    resume: bool
    dry: bool
    out: str | None
    clock: Clock
    scheduler: str | None


class Replayed(NamedTuple):
    """What came of a test. Neither a line nor a reason: it was interrupted, and its runs are in the journal."""

    job: Job
    runs: tuple[SeedRun, ...]
    recorded: Recorded | None = None
    unrecordable: Unrecordable | None = None


def replay(plan: Plan, interrupted: Interrupts) -> list[Replayed]:
    """Run everything and record what can be; what came of each test, in order.

    CannotTell when no worktree can be made, or a line or the journal cannot be written; what was done is kept then.
    """
    sweep(plan.git.git_dir, plan.clock.began)
    journals = [journal_of(plan.git.git_dir, plan.commit, task.job) for task in plan.tasks]
    runs = [_known(plan, journal, task.job) for journal, task in zip(journals, plan.tasks, strict=True)]
    open_output(plan)  # who may not write there learns it now
    shown = progress(sum(len(task.job.seeds) for task in plan.tasks), tuple(run for known in runs for run in known))
    ended: dict[int, Replayed] = {}
    try:
        with closing(_engine(plan)(_work(plan, runs), interrupted.stop)) as events:
            for event in events:
                if event.run is not None:
                    journals[event.number].add(event.run)
                    runs[event.number].append(event.run)
                    shown.seed(event.run)
                elif (found := _concluded(plan, event, runs[event.number])) is not None:
                    ended[event.number] = _kept(plan, found, journals[event.number], shown)
    except Abandoned:
        pass
    finally:
        shown.close()
    return [ended.get(number, Replayed(task.job, tuple(runs[number]))) for number, task in enumerate(plan.tasks)]


def open_output(plan: Plan) -> None:
    """Make the file that the user named for the lines, unless it is there. CannotTell when it cannot be written."""
    if plan.out is not None:
        _append(plan, b"")


def _engine(plan: Plan) -> Engine:
    if plan.scheduler is None:
        return ENGINES["serial" if plan.at_once == 1 else "pool"]
    from flakeledger.evidence.dask_engine import many_hosts

    return many_hosts(plan.scheduler)


def _known(plan: Plan, journal: Journal, job: Job) -> list[SeedRun]:
    if plan.resume:
        return list(journal.runs(job))
    journal.discard()
    return []


def _work(plan: Plan, runs: Sequence[Sequence[SeedRun]]) -> Work:
    """The jobs with the seeds that have not ended yet."""
    jobs = []
    for task, known in zip(plan.tasks, runs, strict=True):
        done = {run.seed for run in known}
        jobs.append(task.job._replace(seeds=tuple(seed for seed in task.job.seeds if seed not in done)))
    return Work(plan.git, plan.commit, tuple(jobs), plan.at_once)


def _concluded(plan: Plan, event: Event, runs: Sequence[SeedRun]) -> Replayed | None:
    """What comes of a job that is over; None when it was interrupted."""
    job, draws = plan.tasks[event.number]
    if event.refusal is not None:
        return Replayed(job, tuple(runs), None, Unrecordable("refused", event.refusal.reason, event.refusal.fix))
    if len(runs) < len(job.seeds):
        return None
    found = record(job, runs, plan.commit, plan.clock.now(), draws=draws)
    if isinstance(found, Recorded):
        return Replayed(job, tuple(runs), found)
    return Replayed(job, tuple(runs), None, found)


def _kept(plan: Plan, found: Replayed, journal: Journal, shown: Progress) -> Replayed:
    """Append the line, forget the journal, and say so."""
    if found.recorded is not None and not plan.dry:
        _append(plan, f"{found.recorded.text}\n".encode())
    journal.discard()
    shown.say(f"{found.job.test}: {told(found)}")
    return found


def told(found: Replayed) -> str:
    """What came of a test, in a few words."""
    if found.recorded is not None:
        return counted(found.recorded.replay)
    if found.unrecordable is not None:
        return f"{found.unrecordable.kind}: {found.unrecordable.reason}"
    return f"interrupted after {len(found.runs)} of {len(found.job.seeds)} seeds"


def _append(plan: Plan, lines: bytes) -> None:
    if plan.out is None:
        append_lines(plan.git, REPLAYS, lines)
        return
    folder, name = os.path.split(os.path.abspath(plan.out))
    with locked(plan.git):
        Edits(folder).append_lines(name, lines)
