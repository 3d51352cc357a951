"""Tests of Hypothesis drawn under a prefix of the seed list: how many seeds the search for a witness has.

Invariants:
* The prefix is that of the list as it was read, in its order; the test ends at the first seed under which it fails.
* A seed reaches the test whatever a profile, a decorator or CI says (`hypothesis.seed`). No example database is read.
* Where no seeds are given nothing is changed.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from flakeledger.evidence.seeds import LARGEST_LIST, read_seeds
from flakeledger.model.errors import CannotTell


def seeds_within(path: str, budget: int | None) -> tuple[int, ...]:
    """The first `budget` seeds of a list in a file; None: all of them.

    CannotTell when the file is no list of seeds, or the budget is below 1 or above its length.
    """
    try:
        with open(path, "rb") as file:
            seeds = read_seeds(file.read(LARGEST_LIST + 1), path)
    except OSError as error:
        raise CannotTell(
            f"{path} cannot be read: {error.strerror}",
            "--flakeledger-seeds FILE   # with the list of seeds of the policy",
        ) from error
    count = len(seeds) if budget is None else budget
    if not 1 <= count <= len(seeds):
        raise CannotTell(
            f"a budget of {count} seeds, of a list of {len(seeds)}",
            f"--flakeledger-seed-budget N   # with a number from 1 to {len(seeds)}",
        )
    return seeds[:count]


@contextmanager
def under_seeds(item: pytest.Item, function: Any, seeds: tuple[int, ...] | None) -> Iterator[None]:
    """Let a collected test of Hypothesis run under one seed after the other, until the end of the `with`."""
    if seeds is None:
        yield
        return
    holder: Any = item
    collected = holder.obj
    hypothesis: Any = sys.modules["hypothesis"]

    @functools.wraps(collected)
    def seeded(*arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        found = None
        for seed in seeds:
            hypothesis.seed(seed)(function)
            found = collected(*arguments, **named)
        return found

    holder.obj = seeded
    try:
        yield
    finally:
        holder.obj = collected
