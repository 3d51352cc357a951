"""Rows for the cache, column by column: in a ledger most values of a column are the same few.

Invariants:
* What comes out is what went in, row by row; a list or a mapping that repeats comes out as one object.
* A column whose values repeat (owners, days, runners) is kept as its distinct values and one number a row: of ten
  thousand rows that is two fifths of the text, and half of the time to load it. One value that all rows share is kept
  with how many they are: a row has many fields that nobody ever fills.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import repeat

#: the distinct values (None: every value stands for itself), and the values, their numbers, or how often the only one
#: stands there
Column = list[object]


def columns_of(rows: Iterable[Sequence[object]]) -> list[Column]:
    """The columns of rows of one length, as JSON; no rows have none."""
    return [_column(values) for values in zip(*rows, strict=True)]


def rows_of(columns: Iterable[Column]) -> Iterator[tuple[object, ...]]:
    """The rows of columns."""
    return zip(*map(_values, columns), strict=True)


def _column(values: Sequence[object]) -> Column:
    numbers: dict[Hashable, int] = {}
    # a number and a truth value may be equal, and are not the same
    keys = [(type(value), value if isinstance(value, Hashable) else repr(value)) for value in values]
    items = [numbers.setdefault(key, len(numbers)) for key in keys]
    if len(numbers) * 2 > len(values):
        return [None, list(values)]
    if len(numbers) == 1:
        return [[values[0]], len(values)]
    distinct: dict[int, object] = dict(zip(items, values, strict=True))
    return [[distinct[number] for number in range(len(numbers))], items]


def _values(column: Column) -> Iterable[object]:
    distinct, items = column
    if isinstance(items, int):
        assert isinstance(distinct, list)
        return repeat(distinct[0], items)
    assert isinstance(items, list)
    return map(distinct.__getitem__, items) if isinstance(distinct, list) else items
