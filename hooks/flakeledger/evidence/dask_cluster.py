"""A Dask cluster that somebody else started: reaching it, and telling who of it can do what is asked.

With `dask_engine.py` the only module that imports `distributed`, and only once a scheduler is asked for.

Invariants:
* Only workers with this version of flakeledger are used; another one is a refusal with its address.
* A scheduler that does not answer, does not speak as one, or goes away is said; nobody waits for it for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from flakeledger import __version__
from flakeledger.evidence.units import wrong_version
from flakeledger.model.errors import CannotTell
from flakeledger.model.wording import shown

if TYPE_CHECKING:
    from distributed import Client

#: seconds for a scheduler to answer
ANSWER = 5.0
_START = "start them: dask scheduler, and on each host: dask worker tcp://HOST:8786"


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """A client of the scheduler at an address. CannotTell when Dask is not installed, or none answers there."""
    try:
        import distributed  # noqa: F401  # whether it is there
    except ModuleNotFoundError as error:
        fix = "pip install 'flakeledger[dask]', here and on every worker"
        raise CannotTell(f"--scheduler needs Dask, and {error.name} is not installed", fix) from error
    answer = _answer_of(scheduler)
    if isinstance(answer, Exception):
        raise CannotTell(f"no scheduler answers at {shown(scheduler)}: {answer}", _START) from answer
    with closing(answer):
        yield answer


def _answer_of(scheduler: str) -> Client | Exception:
    """A client of the scheduler, or why there is none.

    In a thread, which may go on waiting when we do not: distributed sets a time limit for the connection, and none for
    what a listener that is no scheduler may say next.
    """
    from queue import Empty, SimpleQueue
    from threading import Thread

    from distributed import Client

    answers: SimpleQueue[Client | Exception] = SimpleQueue()

    def connect() -> None:
        try:
            answers.put(Client(scheduler, timeout=ANSWER, set_as_default=False))
        except (ImportError, OSError, ValueError) as error:  # the first one where its Dask and ours do not fit
            answers.put(error)

    Thread(target=connect, daemon=True).start()
    try:
        return answers.get(timeout=2 * ANSWER)
    except Empty:
        return TimeoutError("what listens there does not speak as one")


def refuse_workers(client: Client, scheduler: str) -> None:
    """CannotTell unless there are workers and every one has this flakeledger."""
    with answered(scheduler):
        workers, wrong = client.nthreads(), wrong_worker(client)
    if not workers:
        raise CannotTell(
            f"the scheduler at {shown(scheduler)} has no workers",
            f"on each host: dask worker {scheduler}; where workers come on demand, keep one",
        )
    if wrong is not None:
        raise wrong


def wrong_worker(client: Client) -> CannotTell | None:
    """The refusal of a worker without this flakeledger; None when every one has it."""
    # a function of the standard library: it reaches a worker that has nothing of ours
    for worker, found in client.run(version, "flakeledger", on_error="return").items():
        if found != __version__ and not isinstance(found, OSError):  # else it is gone by now
            return of_worker(worker, *wrong_version(found if isinstance(found, str) else None))
    return None


@contextmanager
def answered(scheduler: str) -> Iterator[None]:
    """A question to the scheduler. CannotTell when it is gone."""
    try:
        yield
    except OSError as error:
        raise gone(scheduler) from error


def gone(scheduler: str) -> CannotTell:
    """The error for a scheduler that went away."""
    return CannotTell(
        f"the scheduler at {shown(scheduler)} is gone", "start it again, and run the same command with --resume"
    )


def of_worker(worker: str, reason: str, fix: str) -> CannotTell:
    """The refusal of a worker."""
    return CannotTell(f"the worker {worker} is none for this: {reason}", fix)
