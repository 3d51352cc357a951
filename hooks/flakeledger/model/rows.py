"""What a text says before it has a meaning: rows and nodes, every value with its place.

Invariants:
* A scalar is text, or None where nothing was written; the field table gives it a type.
* Lines and columns count from 1 and count characters. Inside a row, lines are offsets from the row's
  first line, so that a row that merely moved is equal to what it was.
* Everything is JSON, so that rows can be cached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

Scalar = str | None
Value = Scalar | list[Scalar] | dict[str, Scalar]

#: [key line offset, key column, value line offset, value column, places of the items or None];
#: the places of the items are a list of [line offset, column], or a mapping of them by key.
FieldPlace = list[int | list[list[int]] | dict[str, list[int]] | None]


class Place(NamedTuple):
    """A place in a file; line and column count from 1."""

    line: int
    column: int


class Places(NamedTuple):
    """Where a row and its fields stand."""

    line: int
    column: int
    fields: dict[str, FieldPlace]

    def of(self, field: str = "", item: int | str | None = None) -> Place:
        """The place of a field's value, or of one item of it; the row's own place when it is absent."""
        found = self.fields.get(field)
        if found is None:
            return Place(self.line, self.column)
        line, column, items = found[2], found[3], found[4]
        if item is not None and items is not None:
            where = items[item]  # type: ignore[index]  # a list takes an int, a mapping a str: the caller knows
            return Place(self.line + where[0], where[1])
        assert isinstance(line, int) and isinstance(column, int)
        return Place(self.line + line, column)

    def of_key(self, field: str) -> Place:
        """The place of a field's name."""
        found = self.fields.get(field)
        if found is None:
            return Place(self.line, self.column)
        line, column = found[0], found[1]
        assert isinstance(line, int) and isinstance(column, int)
        return Place(self.line + line, column)


class LatePlaces:
    """The places of a row that an earlier run read: found again when somebody asks, which a finding does."""

    __slots__ = ("_find", "_index")

    def __init__(self, find: Callable[[int], Places], index: int) -> None:
        """`find` gives the places of the row with this index in its ledger."""
        self._find = find
        self._index = index

    def found(self) -> Places:
        """The places themselves."""
        return self._find(self._index)

    @property
    def line(self) -> int:
        """The row's own line."""
        return self.found().line

    @property
    def column(self) -> int:
        """The row's own column."""
        return self.found().column

    @property
    def fields(self) -> Mapping[str, FieldPlace]:
        """Where the fields stand."""
        return self.found().fields

    def of(self, field: str = "", item: int | str | None = None) -> Place:
        """The place of a field's value, or of one item of it; the row's own place when it is absent."""
        return self.found().of(field, item)

    def of_key(self, field: str) -> Place:
        """The place of a field's name."""
        return self.found().of_key(field)


class Row(NamedTuple):
    """One row of a ledger as it is written. `last_line` is the line of its last scalar's end."""

    places: Places
    last_line: int
    values: dict[str, Value]


class ScalarNode(NamedTuple):
    """A scalar of the policy."""

    text: Scalar
    line: int
    column: int


class ListNode(NamedTuple):
    """A list of the policy."""

    items: tuple[Node, ...]
    line: int
    column: int


class Entry(NamedTuple):
    """One key of a mapping with its value."""

    key: str
    line: int
    column: int
    value: Node


class MappingNode(NamedTuple):
    """A mapping of the policy; its keys are distinct."""

    entries: tuple[Entry, ...]
    line: int
    column: int


Node = ScalarNode | ListNode | MappingNode
