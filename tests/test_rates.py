"""Upper bounds of rates: known figures, and a slow exact sum."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.verdicts.rates import USUAL_RATES, bound_text, percent, replays_needed, upper_bound
from growing import assert_linear


@pytest.mark.parametrize(
    ("failed", "runs", "text"),
    [
        (0, 1, "95.0 %"),
        (0, 20, "13.9 %"),
        (0, 50, "5.8 %"),
        (0, 300, "1.0 %"),
        (1, 20, "21.6 %"),  # tables of Clopper and Pearson
        (2, 20, "28.3 %"),
        (5, 50, "19.9 %"),
        (20, 20, "100.0 %"),
        (0, 0, "100.0 %"),  # nothing ran
    ],
)
def test_known_bounds(failed: int, runs: int, text: str) -> None:
    assert bound_text(failed, runs) == text


BILLION = 10**9


def is_likely(failed: int, runs: int, rate: int) -> bool:
    """Whether so few failures are seen in more than 5 % of all tries, at a rate in billionths: the exact sum."""
    ways = sum(comb(runs, count) * rate**count * (BILLION - rate) ** (runs - count) for count in range(failed + 1))
    return bool(20 * ways > BILLION**runs)


@pytest.mark.parametrize("runs", [1, 2, 7, 20, 100])
def test_the_bound_is_the_rate_at_which_so_few_failures_are_seen_in_5_percent_of_all_tries(runs: int) -> None:
    for failed in range(runs):
        rate = int(upper_bound(failed, runs) * BILLION)
        assert is_likely(failed, runs, rate - 1)
        assert not is_likely(failed, runs, rate + 2)


@pytest.mark.parametrize("failed", [0, 1, 1000, 250_000, 499_999, 500_000])
def test_the_work_grows_with_the_square_root_of_the_runs(failed: int) -> None:
    assert failed / 500_000 <= upper_bound(failed, 500_000) <= 1

    def work(root: int) -> Callable[[], object]:
        return partial(upper_bound.__wrapped__, failed * root**2 // 500_000, root**2)  # nothing is remembered

    assert_linear(work, 4000)


def test_a_rate_as_text() -> None:
    assert percent(0.1) == "10.0 %"


def test_how_many_replays_the_usual_rates_need() -> None:
    assert [replays_needed(rate) for rate in USUAL_RATES] == [29, 59, 149, 299]


@given(st.floats(1e-5, 0.999))
def test_no_fewer_replays_show_a_rate(rate: float) -> None:
    runs = replays_needed(rate)
    assert upper_bound(0, runs) <= rate
    assert runs == 1 or upper_bound(0, runs - 1) > rate


@given(st.integers(1, 100_000))
def test_the_bound_of_a_count_needs_that_count(runs: int) -> None:
    assert replays_needed(upper_bound(0, runs)) == runs
