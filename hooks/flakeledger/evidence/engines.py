"""Who runs the jobs of a replay: this process one after the other, or several at once.

Invariants:
* Every engine calls the same function, `runner.run_seeds`, and makes what it shows known as events.
* The seeds of one test run one after the other; only different tests run beside each other.
* `stop` is asked before each seed, and again and again while one runs. Once it says yes nothing new begins; what it
  raises ends what runs.
* Every way out ends what was started and removes the worktrees, before the way out is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.evidence.runner import run_seeds
from flakeledger.evidence.runs import Job, SeedRun
from flakeledger.evidence.worktree import Worktree, worktrees
from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git

if TYPE_CHECKING:
    from queue import SimpleQueue

Stop = Callable[[], bool]


class Abandoned(Exception):
    """What runs is to end at once; `stop` raises it."""


class Work(NamedTuple):
    """Jobs on one commit of a repository; at most `at_once` of them at the same time."""

    git: Git
    commit: str
    jobs: tuple[Job, ...]
    at_once: int


class Event(NamedTuple):
    """What happened to the job of this number: a seed ended (`run`), or no more will come of the job.

    In the latter case `refusal` says why nothing of it is evidence, if that is so.
    """

    number: int
    run: SeedRun | None = None
    refusal: CannotTell | None = None


Events = Generator[Event, None, None]
Engine = Callable[[Work, Stop], Events]


def serial(work: Work, stop: Stop) -> Events:
    """One job after the other, in this thread."""
    with worktrees(work.git, work.commit, 1) as (worktree,):
        for number, job in enumerate(work.jobs):
            yield from _events(number, job, worktree, stop)


def pool(work: Work, stop: Stop) -> Events:
    """Several jobs at once, each in a worktree of its own.

    Threads are enough: what costs time is in the processes of the tests, and waiting for them holds no lock.
    """
    from concurrent.futures import ThreadPoolExecutor
    from queue import SimpleQueue

    given_up: list[bool] = []
    free: SimpleQueue[Worktree] = SimpleQueue()
    found: SimpleQueue[Event | None] = SimpleQueue()

    def asked() -> bool:
        if given_up:
            raise Abandoned
        return stop()

    def work_on(number: int, job: Job) -> None:
        worktree = free.get()
        try:
            for event in _events(number, job, worktree, asked):
                found.put(event)
        finally:
            free.put(worktree)
            found.put(None)

    count = max(min(work.at_once, len(work.jobs)), 1)
    with worktrees(work.git, work.commit, count) as made, ThreadPoolExecutor(count) as threads:
        for worktree in made:
            free.put(worktree)
        futures = [threads.submit(work_on, number, job) for number, job in enumerate(work.jobs)]
        try:
            yield from _until_all_ended(found, len(futures))
            for future in futures:
                future.result()  # what ended a thread ends us
        finally:
            given_up.append(True)
            for future in futures:
                future.cancel()


#: the engines of one machine by name
ENGINES: dict[str, Engine] = {"serial": serial, "pool": pool}


def _until_all_ended(found: SimpleQueue[Event | None], jobs: int) -> Iterator[Event]:
    """The events of so many jobs, each of which ends with None."""
    while jobs:
        event = found.get()
        if event is None:
            jobs -= 1
        else:
            yield event


def _events(number: int, job: Job, worktree: Worktree, stop: Stop) -> Iterator[Event]:
    runs: Iterator[SeedRun] = iter(())
    try:
        runs = run_seeds(job, worktree, stop)
        for run in runs:
            yield Event(number, run)
    except CannotTell as refusal:
        yield Event(number, refusal=refusal)
    else:
        yield Event(number)
    finally:
        if isinstance(runs, Generator):
            runs.close()  # at once: an exception that is kept would keep it, and its processes, alive
