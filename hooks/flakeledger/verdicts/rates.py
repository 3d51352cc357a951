"""What counts of failures say about a rate: its upper bound with a confidence of 95 %, one-sided.

Invariants:
* The bound is exact (Clopper and Pearson): the rate at which so few failures, or fewer, are seen in 5 % of all tries.
* The work is bounded: it grows with the square root of the number of runs.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p

_UNLIKELY = 0.05
#: each one halves what is left of the interval: enough for every digit that is printed
_HALVINGS = 40
#: what adds less than this part of the sum is left out
_NEGLIGIBLE = 1e-12
#: rates of failure that teams ask about
USUAL_RATES = (0.1, 0.05, 0.02, 0.01)


@lru_cache(maxsize=4096)  # a log has few different counts
def upper_bound(failed: int, runs: int) -> float:
    """The highest rate of failure that so many failures in so many runs (at least one) leave possible."""
    if failed == 0:
        return float(1 - _UNLIKELY ** (1 / runs))
    low, high = failed / runs, 1.0
    for _ in range(_HALVINGS if failed < runs else 0):
        rate = (low + high) / 2
        if _at_most(failed, runs, rate) > _UNLIKELY:
            low = rate
        else:
            high = rate
    return high


def _at_most(failed: int, runs: int, rate: float) -> float:
    """How likely so many failures or fewer are at a rate of at least `failed / runs` and below 1."""
    ways = lgamma(runs + 1) - lgamma(failed + 1) - lgamma(runs - failed + 1)
    term = exp(ways + failed * log(rate) + (runs - failed) * log1p(-rate))
    total = 0.0
    for count in range(failed, -1, -1):  # the terms only fall: the likeliest count is above them all
        total += term
        if term <= total * _NEGLIGIBLE:
            break
        term *= count * (1 - rate) / ((runs - count + 1) * rate)
    return total


def replays_needed(rate: float) -> int:
    """How many runs without a failure leave no higher rate of failure possible than this one, between 0 and 1."""
    runs = max(int(log(_UNLIKELY) / log1p(-rate)), 1)
    while upper_bound(0, runs) > rate:  # at most twice: the quotient is right but for its last digits
        runs += 1
    return runs


def percent(rate: float) -> str:
    """The rate as text: `13.9 %`."""
    return f"{100 * rate:.1f} %"


def bound_text(failed: int, runs: int) -> str:
    """The upper bound of so many failures in so many runs as text; without a run nothing is bounded."""
    return percent(upper_bound(failed, runs) if runs else 1.0)
