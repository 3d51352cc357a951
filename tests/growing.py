"""How the work of a call grows with its input, measured against itself in the same run.

    assert_linear(lambda size: partial(read, b"- a\n" * (size // 4)), 1_000_000)

Invariants:
* No duration is compared with a number of seconds. A call with the whole input is compared with the same call with an
  eighth of it: a linear reader takes 8 times as long, a quadratic one 64 times, and the speed of the machine drops out.
  The limit, 24 times, is three times as far as the one and less than half as far as the other.
* What is measured is processor time, which other programs do not use up; what is done only once is done before, and of
  the part the smaller of two times counts. The collector is off, as in the process that is one command (`cli/main.py`):
  among the objects of all tests, its time would be that of the tests before.
* A part counts as FLOOR at least: below, the clock and the call itself say more than the input. So what is said of a
  call needs a size with which a quadratic one takes longer than 24 times FLOOR.
* What may grow with the square of a bounded input is asked whether it grows faster than that (`assert_growth`).
* The first round that holds is enough: a linear call that was disturbed gets another one, a quadratic one fails each.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time
from typing import TypeVar

#: the whole is so many times the part
SHARE = 8
#: the whole must take less than so many times as long as it should
TIMES = 3
#: seconds as which a shorter part counts
FLOOR = 0.001
ROUNDS = 5

Answer = TypeVar("Answer")


def assert_linear(
    work: Callable[[int], Callable[[], Answer]], size: int, clock: Callable[[], float] = process_time
) -> Answer:
    """Demand that a call grows no faster than its input. See `assert_growth`."""
    return assert_growth(work, size, 1, clock)


def assert_growth(
    work: Callable[[int], Callable[[], Answer]], size: int, power: int, clock: Callable[[], float] = process_time
) -> Answer:
    """Demand that a call grows no faster than a power of its input. AssertionError, with every round, when it does.

    Gives what the call with the whole input gave. `work` prepares an input of a size, which is not measured, and gives
    the call, which is made several times; `clock` tells seconds of work.
    """
    part, whole = work(size // SHARE), work(size)
    rounds: list[str] = []
    with _no_collector():
        part()
        for _ in range(ROUNDS):
            least = max(FLOOR, min(_seconds(part, clock)[0], _seconds(part, clock)[0]))
            took, answer = _seconds(whole, clock)
            if took < TIMES * SHARE**power * least:
                return answer
            rounds.append(f"{took / least:.0f} times ({took:.3f} s against {least:.3f} s)")
    raise AssertionError(f"{SHARE} times the input took {', '.join(rounds)}")


def _seconds(call: Callable[[], Answer], clock: Callable[[], float]) -> tuple[float, Answer]:
    begun = clock()
    answer = call()
    return clock() - begun, answer


@contextmanager
def _no_collector() -> Iterator[None]:
    """The garbage collector is off, and afterwards as it was."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
