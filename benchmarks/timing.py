"""How everything here is timed.

Invariants:
* What is compared is run alternately in one loop, and who goes first changes, so that a busy machine slows all of it;
  one round goes before, which fills caches and does not count. A number is the median of the rounds.
* A process is timed with its start and its end and must end as its work deserves; else nothing is measured.
* F, the floor, is `python -c "import pygit2, yaml"` as a process of the same interpreter.
"""

from __future__ import annotations

import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from bars import Row
from repositories import environment

PYTHON = sys.executable
PRODUCT = str(Path(PYTHON).with_name("flakeledger"))
#: as many rounds as every number needs, and as many as a number of milliseconds gets
RUNS, MANY_RUNS, QUICK_RUNS = 7, 15, 1
#: characters that are shown of what a process printed that did not end as it should
MOST_SHOWN = 2_000

Ended = subprocess.CompletedProcess[bytes]


def nothing() -> None:
    """No preparation."""


class Work(NamedTuple):
    """What is timed, and what is done before each time."""

    do: Callable[[], object]
    before: Callable[[], object] = nothing


class Took(NamedTuple):
    """The seconds that something took by the clock, and of the processors' time, all processes below it included."""

    clock: float
    processor: float


def passed(done: Ended) -> None:
    """Judges a process. SystemExit when it did not end with 0."""
    if done.returncode:
        output = (done.stdout + done.stderr).decode(errors="replace")[:MOST_SHOWN]
        raise SystemExit(f"{' '.join(map(str, done.args))} ended with {done.returncode}:\n{output}")


def process(
    root: Path,
    *command: str,
    before: Callable[[], object] = nothing,
    variables: Mapping[str, str] | None = None,
    judge: Callable[[Ended], None] = passed,
) -> Work:
    """A command in a folder, with more variables than the plain environment has."""
    known = environment() | dict(variables or {})

    def do() -> None:
        judge(subprocess.run(command, cwd=root, env=known, capture_output=True, check=False))

    return Work(do, before)


def timed(do: Callable[[], object]) -> Took:
    """How long something takes."""
    before, started = _processor_time(), time.perf_counter()
    do()
    return Took(time.perf_counter() - started, _processor_time() - before)


def _processor_time() -> float:
    """The processors' time of this process and of all that ended below it."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def medians(runs: int, *compared: Work) -> list[Took]:
    """The median of each, in their order."""
    rounds: list[dict[int, Took]] = []
    for number in range(runs + 1):
        for work in compared:
            work.before()
        order = sorted(range(len(compared)), reverse=number % 2 == 1)
        rounds.append({index: timed(compared[index].do) for index in order})
    counted = rounds[1:]
    return [
        Took(*(statistics.median(took) for took in zip(*(one[index] for one in counted), strict=True)))
        for index in range(len(compared))
    ]


def floor_of(root: Path) -> Work:
    """F."""
    return process(root, PYTHON, "-c", "import pygit2, yaml")


def forget(root: Path) -> Callable[[], None]:
    """What makes the next run a cold one: no cache."""
    return lambda: shutil.rmtree(root / ".git/flakeledger", ignore_errors=True)


def in_floors(what: str, limit: float, runs: int, root: Path, work: Work) -> Row:
    """A bar that is a multiple of F."""
    floor, took = medians(runs, floor_of(root), work)
    ratio = took.clock / floor.clock
    measured = f"{ratio:.2f} F ({1000 * took.clock:.0f} ms, F {1000 * floor.clock:.0f} ms)"
    return Row(what, f"at most {limit:g} F", measured, ratio <= limit)


def in_seconds(what: str, limit: float | None, runs: int, work: Work) -> Row:
    """A bar of seconds by the clock, or no bar; processor time is told beside it, for who reads it on another day."""
    (took,) = medians(runs, work)
    holds = None if limit is None else took.clock <= limit
    measured = f"{took.clock:.2f} s ({took.processor:.2f} s of processor time)"
    return Row(what, "none" if limit is None else f"at most {limit:g} s", measured, holds)
