"""Versions along real lines with their times: dates that go back, blobs that come again, what nobody can read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.repo.repository import open_repository
from flakeledger.repo.trend_history import agreed_times, line_of, read_versions
from timelines import Step, day, row, write_history

NOW = day(400)
BROKEN = "- test: [\n"


def read(root: Path) -> tuple[list[tuple[int, list[str]] | None], list[tuple[int, int]]]:
    """The time and the tests of each version, None for one that is passed over; and what was told meanwhile."""
    heard: list[tuple[int, int]] = []
    with open_repository(str(root), os.environ) as repository:
        line = line_of(repository, git(root, "rev-parse", "HEAD"), NOW)
        found = read_versions(repository, line, lambda done, total: heard.append((done, total)))
        told = [None if one is None else (one.at, [test.rpartition("_")[2] for test in one.rows]) for one in found]
    return told, heard


# times


@pytest.mark.parametrize(
    ("dates", "times"),
    [
        ([], []),
        ([1, 2, 3], [1, 2, 3]),
        ([1, 1, 2], [1, 1, 2]),
        ([1, 9, 2, 3], [1, 1, 2, 3]),
        ([5, 0, 6, 7], [5, 5, 6, 7]),
        ([9, 1, 2], [1, 1, 2]),
        ([1, 2, 3, 0], [1, 2, 3, 3]),
        ([5, 3], [5, 5]),
        ([1, 99, 2], [1, 1, 2]),
        ([99], [10]),
        ([98, 99], [10, 10]),
        ([1, 10, 99], [1, 10, 10]),
    ],
)
def test_one_wrong_clock_moves_one_commit(dates: list[int], times: list[int]) -> None:
    assert agreed_times(dates, 10) == times


@given(st.lists(st.integers(0, 12), max_size=9))
@example([3, 1, 2, 1, 2])
def test_times_never_fall_and_the_most_dates_count(dates: list[int]) -> None:
    times = agreed_times(dates, 10)
    assert all(one <= other for one, other in pairwise(times))
    assert all(time <= 10 for time in times)
    assert sum(date == time for date, time in zip(dates, times, strict=True)) >= most_that_agree(dates, 10)


def most_that_agree(dates: Sequence[int], now: int) -> int:
    """The length of the longest part of the dates that never falls, by trying all of them."""
    usable = [date for date in dates if date <= now]
    return max(
        size
        for size in range(len(usable) + 1)
        for part in combinations(usable, size)
        if all(one <= other for one, other in pairwise(part))
    )


def test_a_hundred_thousand_dates_that_fall_are_no_work() -> None:
    assert agreed_times(list(range(100_000, 0, -1)), 200_000) == [100_000] * 100_000


# versions


def test_every_change_of_the_ledger_is_a_version_with_its_time(repository: Path) -> None:
    one, two = row("test_one", 0, 9), row("test_two", 1, 9)
    write_history(
        repository,
        [Step(day(0), None), Step(day(1), one), Step(day(2), one), Step(day(3), one + two), Step(day(4), None)],
    )
    versions, heard = read(repository)
    assert versions == [(day(1), ["one"]), (day(3), ["two", "one"]), (day(4), [])]
    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_a_blob_that_comes_again_says_the_same(repository: Path) -> None:
    one, two = row("test_one", 0, 9), row("test_two", 1, 9)
    write_history(repository, [Step(day(number), text) for number, text in enumerate([one, two, one, two, one, ""])])
    assert [version and version[1] for version in read(repository)[0]] == [
        ["one"],
        ["two"],
        ["one"],
        ["two"],
        ["one"],
        [],
    ]


@pytest.mark.parametrize("broken", [BROKEN, "<<<<<<< HEAD\n", "what is this\n", "- test: a::b\n  test: a::c\n", "\0"])
def test_a_version_that_cannot_be_read_is_passed_over(broken: str, repository: Path) -> None:
    one = row("test_one", 0, 9)
    write_history(repository, [Step(day(0), one), Step(day(1), one + broken), Step(day(2), one)])
    versions, heard = read(repository)
    assert versions == [(day(0), ["one"]), None, (day(2), ["one"])]
    assert len(heard) == 3


def test_a_row_with_a_bad_value_is_a_row(repository: Path) -> None:
    write_history(repository, [Step(day(0), "- test: tests/a.py::test_one\n  expires: tomorrow\n  nonsense: 1\n")])
    assert read(repository)[0] == [(day(0), ["one"])]


def test_of_two_rows_for_a_test_there_is_one(repository: Path) -> None:
    first, second = row("test_one", 0, 9), row("test_one", 1, 20)
    write_history(repository, [Step(day(0), first + second)])
    with open_repository(str(repository), os.environ) as opened:
        (version,) = read_versions(opened, line_of(opened, git(repository, "rev-parse", "HEAD"), NOW), lambda *_: None)
        assert version is not None
        assert [one.frozen_on for one in version.rows.values()] == ["2026-03-02"]


@pytest.mark.parametrize("broken", [BROKEN, None])
def test_the_newest_version_must_be_readable(broken: str | None, repository: Path) -> None:
    write_history(repository, [Step(day(0), row("test_one", 0, 9)), Step(day(1), broken)])
    if broken is None:
        git(repository, "reset", "-q", "--hard")
        (repository / FREEZES).parent.mkdir()
        (repository / FREEZES).symlink_to("elsewhere")
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", "link")
    with pytest.raises(CannotTell, match=f"{FREEZES} of commit [0-9a-f]{{12}} cannot be read: ") as caught:
        read(repository)
    assert caught.value.place.startswith(f"{FREEZES}:1:")
    assert caught.value.fix.startswith("mend the file and commit it: ")
