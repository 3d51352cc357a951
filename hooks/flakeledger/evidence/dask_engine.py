"""The engine of many hosts: the units of a replay as tasks of a Dask cluster that somebody else started.

With `dask_cluster.py` the only module that imports `distributed`, and only once a scheduler is asked for.

Invariants:
* A unit counts once, however often Dask runs it: by its job, its seeds and its attempt. A unit that was lost with its
  worker is run again, and nothing of what the lost one saw is kept.
* The seeds of one test ran in one environment, or the workers that differ are named and nothing is evidence.
* Whatever ends us ends what the workers run for us: a task that nobody waits for any more ends its test.
* Nobody waits for ever: that no worker is left is said.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from flakeledger.evidence.bundle import Bundle, bundle_of, clone_of, receive
from flakeledger.evidence.dask_cluster import answered, connected, gone, of_worker, refuse_workers, wrong_worker
from flakeledger.evidence.engines import Abandoned, Engine, Event, Events, Stop, Work
from flakeledger.evidence.runner import refusal_of
from flakeledger.evidence.runs import Job, comparable
from flakeledger.evidence.units import Shown, Unit, shown_by, units_of
from flakeledger.model.errors import CannotTell

if TYPE_CHECKING:
    from distributed import Client, Future, Worker

#: how often `stop` is asked, in seconds
_LOOK = 0.05
#: after so many seconds without a result it is asked whether there are workers
_QUIET = 60.0
#: how often a unit is sent, where workers are told to end while they run it
_ATTEMPTS = 5
#: the states of a worker that is about to end, as distributed names them
_ENDING = frozenset(("closing", "closed", "failed"))


def many_hosts(scheduler: str) -> Engine:
    """The engine that uses the workers of a scheduler at this address, such as tcp://host:8786.

    CannotTell when Dask is not installed, no scheduler answers, or not every worker has this flakeledger.
    """

    def engine(work: Work, stop: Stop) -> Events:
        with connected(scheduler) as client:
            refuse_workers(client, scheduler)
            yield from _Cluster(client, scheduler, work, stop).events()

    return engine


class _Cluster:
    """The units that are on a cluster, by their keys there, and what came of the others."""

    def __init__(self, client: Client, scheduler: str, work: Work, stop: Stop) -> None:
        from distributed import as_completed

        self._client, self._scheduler, self._work, self._stop = client, scheduler, work, stop
        self._ended = as_completed(loop=client.loop, with_results=True, raise_errors=False)
        self._run = uuid4().hex
        self._bundle: tuple[Bundle, bytes] | None = None
        self._sent: dict[str, tuple[Future, Unit]] = {}
        self._order = count()
        self._left: Counter[int] = Counter()
        self._over: set[int] = set()
        #: which worker ran a job first, and in which environment
        self._first: dict[int, tuple[str, dict[str, Any] | None]] = {}
        self._heard = monotonic()
        self._stopping = False

    def events(self) -> Events:
        """Send everything, and tell what comes back."""
        try:
            if not self._stop():
                yield from self._send_all()
            while self._sent:
                if self._stop() and not self._stopping:
                    self._stopping = True
                    self._withdraw_waiting()
                yield from self._next_events()
            for number in range(len(self._work.jobs)):
                yield from self._end(number)
        finally:
            self._withdraw(list(self._sent))

    # sending

    def _send_all(self) -> Iterator[Event]:
        jobs: list[tuple[int, Job]] = []
        for number, job in enumerate(self._work.jobs):
            refusal = refusal_of(job)
            if refusal is not None or not job.seeds:
                yield from self._end(number, refusal)
            else:
                jobs.append((number, job))
        if not jobs:
            return
        self._bundle = bundle_of(self._work.git, self._work.commit)
        with answered(self._scheduler):
            known = self._client.run(has_commit, self._bundle[0], on_error="return")
        self._deliver([worker for worker, answer in known.items() if answer is False])
        for number, job in jobs:
            for unit in units_of(number, job, self._bundle[0]):
                self._left[number] += 1
                self._send(unit)

    def _deliver(self, workers: list[str]) -> None:
        """Let these workers have the commit. CannotTell when one has no place for it.

        Not as data of Dask: units would be sent to the workers that have it, and wait there while others are idle.
        """
        if not workers:
            return
        with answered(self._scheduler):
            answers = self._client.run(received, self._bundle, workers=workers, on_error="return")
        for worker, answer in answers.items():
            if isinstance(answer, tuple):  # a worker that is gone gives an exception: nothing is sent to it either
                raise of_worker(worker, *answer)

    def _send(self, unit: Unit) -> None:
        seeds = unit.job.seeds[0] if len(unit.job.seeds) == 1 else "all"
        key = f"flakeledger-{self._run}-{unit.number}-{seeds}-{unit.attempt}"
        future = self._client.submit(run_unit, unit, key=key, pure=False, priority=-next(self._order))
        self._sent[key] = (future, unit)
        self._ended.add(future)

    # hearing

    def _next_events(self) -> Iterator[Event]:
        """The events of what has ended by now, or within a moment."""
        batch = self._ended.next_batch(block=False)
        if not batch:
            sleep(_LOOK)
            self._look_for_workers()
        for future, result in batch:
            _, unit = self._sent.pop(future.key, (None, None))
            if unit is not None:  # else nobody waits for it any more
                self._heard = monotonic()
                yield from self._told(unit, future, result)

    def _told(self, unit: Unit, future: Future, result: object) -> Iterator[Event]:
        if isinstance(result, Shown):
            yield from self._shown(unit, result)
        elif future.status == "error":
            with answered(self._scheduler):
                refusal = _failure(self._client, unit, future.exception())
            yield from self._end(unit.number, refusal)
        else:
            raise gone(self._scheduler)

    def _shown(self, unit: Unit, result: Shown) -> Iterator[Event]:
        if result.again and self._stopping:
            return
        if result.again and unit.attempt + 1 < _ATTEMPTS:
            if result.again == "lacks":  # it joined the cluster later
                self._deliver([result.worker])
            self._send(unit._replace(attempt=unit.attempt + 1))
            return
        refusal = _refusal(result) or self._other_environment(unit.number, result)
        if refusal is not None:
            yield from self._end(unit.number, refusal)
            return
        for run in result.runs:
            yield Event(unit.number, run)
        self._left[unit.number] -= 1
        if not self._left[unit.number]:
            yield from self._end(unit.number)

    def _end(self, number: int, refusal: CannotTell | None = None) -> Iterator[Event]:
        """Say once that a job is over, and let nothing of it run any more."""
        if number not in self._over:
            self._over.add(number)
            self._withdraw([key for key, (_, unit) in self._sent.items() if unit.number == number])
            yield Event(number, refusal=refusal)

    def _other_environment(self, number: int, result: Shown) -> CannotTell | None:
        for run in result.runs:
            found = comparable(run.environment)
            worker, first = self._first.setdefault(number, (result.worker, found))
            if found != first:
                return _different(worker, first, result.worker, found)
        return None

    def _look_for_workers(self) -> None:
        if monotonic() - self._heard < _QUIET:
            return
        self._heard = monotonic()
        with answered(self._scheduler):
            workers = self._client.nthreads()
        if not workers:
            raise CannotTell(
                f"the scheduler at {self._scheduler} has no workers any more",
                "start workers, and run the same command with --resume",
            )

    # withdrawing

    def _withdraw_waiting(self) -> None:
        """Withdraw what no worker has begun."""
        with answered(self._scheduler):
            begun = self._client.run(begun_tasks, on_error="ignore")
        running = {key for keys in begun.values() for key in keys}
        self._withdraw([key for key in self._sent if key not in running])

    def _withdraw(self, keys: list[str]) -> None:
        """Wait no longer for these; a worker that runs one ends it."""
        futures = [self._sent.pop(key)[0] for key in keys]
        if futures and self._client.status == "running":
            with suppress(OSError):  # a scheduler that is gone withdraws everything by that
                self._client.cancel(futures, force=True)


# on a worker


def has_commit(bundle: Bundle) -> bool:
    """Whether a commit has arrived on this worker."""
    return clone_of(bundle, os.environ) is not None


def received(sent: tuple[Bundle, bytes]) -> tuple[str, str] | None:
    """Keep a commit on this worker; the reason and the fix where that cannot be done."""
    try:
        receive(*sent, os.environ)
    except CannotTell as refusal:
        return refusal.reason, refusal.fix
    return None


def run_unit(unit: Unit) -> Shown:
    """What came of a unit, on the Dask worker that this is called on."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def stop() -> bool:
        if _is_unwanted(worker, key):
            raise Abandoned
        return False

    return shown_by(unit, worker.address, stop)


def begun_tasks(dask_worker: Worker) -> list[str]:
    """The keys of what a worker runs now; Dask fills in the argument by its name."""
    return [task.key for task in tuple(dask_worker.state.executing)]


def _is_unwanted(worker: Worker, key: str) -> bool:
    """Whether a worker is told to end, or nobody waits for a task: it was withdrawn, or who sent it is gone."""
    task = worker.state.tasks.get(key)
    return worker.status.name in _ENDING or task is None or task.state == "cancelled"


# refusals


def _failure(client: Client, unit: Unit, error: BaseException) -> CannotTell:
    """Why a task failed before our own function could say anything."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        seeds = unit.job.seeds
        which = f"seed {seeds[0]}" if len(seeds) == 1 else "its seeds"
        return CannotTell(
            f"every worker that ran {which} died meanwhile, the last one was {error.last_worker.address}",
            "read the worker's log, and give it the memory that the test needs",
        )
    return wrong_worker(client) or CannotTell(
        f"a worker could not run it: {type(error).__name__}: {error}", "read the logs of the workers"
    )


def _refusal(result: Shown) -> CannotTell | None:
    if result.again:
        return of_worker(result.worker, "it came too late or went too early, as others before it", "keep workers up")
    return None if result.refusal is None else of_worker(result.worker, *result.refusal)


def _different(worker: str, first: dict[str, Any] | None, other: str, found: dict[str, Any] | None) -> CannotTell:
    """The refusal of two workers whose environments differ; what differs is named by its field."""
    names = [name for name in first or found or {} if (first or {}).get(name) != (found or {}).get(name)]
    return CannotTell(
        f"the workers {worker} and {other} differ in {', '.join(names)}: their seeds are not those of one replay",
        "install the same Python, packages and plugins on every worker",
    )
