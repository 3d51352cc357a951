"""From versions of a ledger to lives: renewed, expired, left and moved, at which time."""

from __future__ import annotations

import pytest

from flakeledger.repo.trend_lives import FreezeLife, Row, Version, lives

A, B = "tests/test_a.py::test_a", "tests/test_a.py::test_b"
NOW = 1_000


def row(test: str = A, frozen_on: str | None = "1", end: int | None = 500, **other: str | None) -> Row:
    values = {"owner": "@finley", "property_id": "PROP-1"} | other
    return Row(test, frozen_on=frozen_on, end=end, **values)


def told(*versions: tuple[int, list[Row]], now: int = NOW) -> list[FreezeLife]:
    return lives([Version(at, {one.test: one for one in rows}) for at, rows in versions], now)


def times(life: FreezeLife) -> tuple[int, int | None, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """When it came, left, was renewed, expired, and ended early."""
    return life.came, life.left, life.renewed, life.expired, life.early


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ([(10, [row()])], (10, None, (), (500,), ())),
        ([(10, [row(end=1_001)])], (10, None, (), (), ())),
        ([(10, [row(end=1_000)])], (10, None, (), (1_000,), ())),
        ([(10, [row(end=None)])], (10, None, (), (), ())),
        ([(10, [row()]), (499, [])], (10, 499, (), (), (499,))),
        ([(10, [row()]), (500, [])], (10, 500, (), (), (500,))),
        ([(10, [row()]), (501, [])], (10, 501, (), (500,), ())),
        ([(10, [row()]), (10, [])], (10, 10, (), (), (10,))),
        # renewed before the end, and after it
        ([(10, [row()]), (400, [row(frozen_on="2", end=900)])], (10, None, (400,), (900,), (400,))),
        ([(10, [row()]), (600, [row(frozen_on="2", end=900)])], (10, None, (600,), (500, 900), ())),
        ([(10, [row()]), (600, [row(frozen_on="2", end=900)]), (700, [])], (10, 700, (600,), (500,), (700,))),
        # what else changes in a row is no renewal; an end that is moved into the past ends when it is moved
        ([(10, [row()]), (400, [row(owner="@robin")])], (10, None, (), (500,), ())),
        ([(10, [row()]), (400, [row(end=450)])], (10, None, (), (450,), ())),
        ([(10, [row()]), (400, [row(end=300)])], (10, None, (), (400,), ())),
        ([(10, [row()]), (400, [row(end=300)]), (400, [row()])], (10, None, (), (500,), ())),
        # a window ends once, also where it is extended in place
        ([(10, [row()]), (600, [row(end=900)])], (10, None, (), (500,), ())),
        ([(10, [row()]), (600, [row(end=900)]), (700, [])], (10, 700, (), (500,), ())),
        ([(600, [row()])], (600, None, (), (600,), ())),
        ([(10, [row(frozen_on=None)]), (20, [row(frozen_on="1")])], (10, None, (20,), (500,), (20,))),
    ],
)
def test_the_life_of_one_row(
    versions: list[tuple[int, list[Row]]],
    expected: tuple[int, int | None, tuple[int, ...], tuple[int, ...], tuple[int, ...]],
) -> None:
    assert [times(life) for life in told(*versions)] == [expected]


def test_a_row_that_comes_back_in_another_commit_has_another_life() -> None:
    assert [times(life) for life in told((10, [row()]), (20, []), (30, [row()]))] == [
        (10, 20, (), (), (20,)),
        (30, None, (), (500,), ()),
    ]


def test_a_life_has_its_last_row() -> None:
    (life,) = told((10, [row()]), (20, [row(owner="@robin", end=600)]))
    assert life.row == row(owner="@robin", end=600)


@pytest.mark.parametrize(
    ("new", "is_moved"),
    [
        (row("tests/test_moved.py::test_a"), True),
        (row("tests/test_moved.py::test_a", end=400), True),
        (row("tests/test_a.py::TestA::test_a", owner="@robin"), True),
        (row("tests/test_a.py::test_renamed"), False),
        (row("tests/test_a.py::test_a[1]"), False),
        (row("tests/test_moved.py::test_a", frozen_on="2"), False),
        (row("tests/test_moved.py::test_a", property_id="PROP-2"), False),
        (row("web/cart.spec.ts::test_a"), True),
        (row("no id"), False),
    ],
)
def test_a_row_that_moves_lives_on(new: Row, is_moved: bool) -> None:
    found = told((10, [row()]), (20, [new]))
    assert len(found) == (1 if is_moved else 2)
    assert found[-1].row == new
    assert found[-1].came == (10 if is_moved else 20)


@pytest.mark.parametrize("old", [row(property_id=None), row(frozen_on=None)])
def test_without_a_property_and_a_day_nothing_says_that_a_row_moved(old: Row) -> None:
    assert len(told((10, [old]), (20, [old._replace(test="tests/test_moved.py::test_a")]))) == 2


def test_each_row_moves_once() -> None:
    old = [row(f"tests/old.py::test_a[{number}]", end=500 + number) for number in range(3)]
    new = [one._replace(test=one.test.replace("old", "new")) for one in reversed(old)]
    found = told((10, old), (20, new[:2]))
    assert [(life.row.test, life.came, life.left) for life in found] == [
        (old[0].test, 10, 20),
        (new[0].test, 10, None),
        (new[1].test, 10, None),
    ]


def test_of_two_that_look_alike_one_moves() -> None:
    found = told((10, [row("a.py::test_a"), row("b.py::test_a")]), (20, [row("c.py::test_a")]))
    assert [(life.row.test, life.left) for life in found] == [("b.py::test_a", 20), ("c.py::test_a", None)]


def test_a_moved_row_may_be_renewed_later() -> None:
    moved = row("tests/test_moved.py::test_a")
    found = told((10, [row()]), (20, [moved]), (30, [moved._replace(frozen_on="2")]))
    assert [times(life) for life in found] == [(10, None, (30,), (500,), (30,))]
