"""From the versions of a ledger to the life of each freeze: when it came, was renewed, expired and left.

Invariants:
* Pure: versions come oldest first, their times never fall, and none is later than `now`.
* A freeze lives as long as its test has a row. A row that moves to another test in one commit lives on.
* A window ends once: it expires with its row still there, or its row is renewed or leaves before that.
* A row with no end never expires.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from flakeledger.model.records import Freeze
from flakeledger.model.window import end_of
from flakeledger.repo.ids import split_test_id


class Row(NamedTuple):
    """What counts of a freeze. `end` is the first second after its window, None where it has none."""

    test: str
    owner: str | None
    property_id: str | None
    frozen_on: str | None
    end: int | None


class Version(NamedTuple):
    """The rows that stood from a time on, by test."""

    at: int
    rows: Mapping[str, Row]


class FreezeLife(NamedTuple):
    """A freeze from the commit that brought its row to the one that removed it (`left` is None while it stands).

    `renewed` are the times of its renewals, `expired` the ends of windows that its row outlived, and `early` the
    times at which a window ended before that, by a renewal or because the row left.
    """

    row: Row
    came: int
    left: int | None = None
    renewed: tuple[int, ...] = ()
    expired: tuple[int, ...] = ()
    early: tuple[int, ...] = ()


class _Standing(NamedTuple):
    """A life so far. Its row says what it says since a time; `over`: its window has ended."""

    life: FreezeLife
    since: int
    over: bool


def row_of(freeze: Freeze) -> Row | None:
    """What counts of a row; None where its test cannot be read."""
    if freeze.test is None:
        return None
    end = end_of(freeze)
    return Row(freeze.test, freeze.owner, freeze.property_id, freeze.frozen_on, end)


def lives(versions: Iterable[Version], now: int) -> list[FreezeLife]:
    """The life of every freeze that stood in a version, those that left first."""
    standing: dict[str, _Standing] = {}
    rows: Mapping[str, Row] = {}
    gone: list[FreezeLife] = []
    for at, new_rows in versions:
        moved = _moved(rows, new_rows)
        left = {test: standing.pop(test) for test in sorted(rows.keys() - new_rows.keys())}
        gone += [_leave(one, at) for test, one in left.items() if test not in moved]
        for test, row in new_rows.items():
            if rows.get(test) != row:
                standing[test] = _write(standing.get(test), row, at)
        for old, new in moved.items():
            standing[new] = _write(left[old], new_rows[new], at)
        rows = new_rows
    return gone + [_expire(one, now + 1).life for one in standing.values()]


def _write(old: _Standing | None, row: Row, at: int) -> _Standing:
    """A row is written at a time: a new one, or a new text of one that stood until then."""
    if old is None:
        return _Standing(FreezeLife(row, at), at, over=False)
    life, _, over = _expire(old, at)
    if life.row.frozen_on == row.frozen_on:
        return _Standing(life._replace(row=row), at, over)
    early = life.early if over else (*life.early, at)
    return _Standing(life._replace(row=row, renewed=(*life.renewed, at), early=early), at, over=False)


def _leave(standing: _Standing, at: int) -> FreezeLife:
    life, _, over = _expire(standing, at)
    return life._replace(left=at, early=life.early if over else (*life.early, at))


def _expire(standing: _Standing, until: int) -> _Standing:
    """The life at a time: its window has ended if its end lies before that.

    A row whose end was already past when it was written expired at that moment.
    """
    life, since, over = standing
    if over or life.row.end is None or (at := max(life.row.end, since)) >= until:
        return standing
    return _Standing(life._replace(expired=(*life.expired, at)), since, over=True)


def _moved(old: Mapping[str, Row], new: Mapping[str, Row]) -> dict[str, str]:
    """The tests whose row went while one for the same freeze came: old test -> new test.

    It is the same freeze if it names the same property and day, and its function has the same name and parameters.
    (A renamed function is not known again: rows that were frozen together differ in nothing but their test.)
    """
    came: dict[object, list[str]] = {}
    for test in new.keys() - old.keys():
        came.setdefault(_identity(new[test]), []).append(test)
    for candidates in came.values():
        candidates.sort(reverse=True)
    found: dict[str, str] = {}
    for test in sorted(old.keys() - new.keys()) if came else ():
        row = old[test]
        tests = came.get(_identity(row))
        if tests and row.property_id is not None and row.frozen_on is not None:
            found[test] = tests.pop()
    return found


def _identity(row: Row) -> tuple[object, ...]:
    """What a freeze keeps when its test moves to another file or class; an odd test id is its own name."""
    try:
        test = split_test_id(row.test)
    except ValueError:
        return row.property_id, row.frozen_on, row.test
    return row.property_id, row.frozen_on, test.parts[-1], test.parameters
