"""Judges an edit of a ledger from outside: by PyYAML's and ruamel's own readers and by the lines, not by our reader.

Invariants:
* Nothing here imports what edits or reads ledgers in the product.
* Every scalar is text; what two readers do not read alike fails.
* A newline that is missing at the end of the file is no part of a value, as it is none for the product.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, NamedTuple

import yaml
from ruamel.yaml import YAML

Values = dict[str, Any]
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_COMMENT = re.compile(r"#[^\r\n]*")


class Lines(NamedTuple):
    """First and last line, from 0."""

    first: int
    last: int

    def __contains__(self, line: object) -> bool:
        """Whether a line is one of them."""
        return isinstance(line, int) and self.first <= line <= self.last


class SeenRow(NamedTuple):
    """A row: its values, its lines, the lines of each field."""

    values: Values
    lines: Lines
    fields: dict[str, Lines]


class Seen(NamedTuple):
    """A ledger as others see it. `comments` are pairs of line and text."""

    lines: list[str]
    rows: list[SeenRow]
    comments: list[tuple[int, str]]

    @property
    def values(self) -> list[Values]:
        """What the rows hold."""
        return [row.values for row in self.rows]

    def comments_outside(self, *areas: Lines) -> Counter[str]:
        """The comments that are in none of these lines."""
        return Counter(text for line, text in self.comments if not any(line in area for area in areas))


@lru_cache(maxsize=256)
def see(data: bytes) -> Seen:
    """What PyYAML and ruamel see; an AssertionError where they differ."""
    text = _ended(data).decode()
    loaded = yaml.load(text, Loader=LOADER) or []
    assert (YAML(typ="base", pure=True).load(text) or []) == loaded
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    root = yaml.compose(text, Loader=LOADER)
    nodes = root.value if root is not None else []
    rows = [_row(node, values, lines) for node, values in zip(nodes, loaded, strict=True)]
    return Seen(lines, rows, list(_comments(text)))


def _row(node: Any, values: Values, lines: list[str]) -> SeenRow:
    assert len(node.value) == len(values), "a key stands twice"
    fields = {key.value: Lines(key.start_mark.line, _last_line(value, lines)) for key, value in node.value}
    first = node.start_mark.line
    while not lines[first].lstrip(" ").startswith("-"):
        first -= 1
    return SeenRow(values, Lines(first, max(field.last for field in fields.values())), fields)


def _last_line(node: Any, lines: list[str]) -> int:
    if isinstance(node, yaml.ScalarNode):
        first, end = node.start_mark.line, int(node.end_mark.line)
        if node.style not in ("|", ">"):
            return end
        kept = "+" in lines[first].partition("#")[0]
        return max([first, *(number for number in range(first, end) if kept or lines[number].strip())])
    if node.flow_style:
        return int(node.end_mark.line)
    inner = [part for entry in node.value for part in (entry if isinstance(entry, tuple) else (entry,))]
    return max(_last_line(part, lines) for part in inner)


def _comments(text: str) -> Iterator[tuple[int, str]]:
    position = 0
    for token in [*yaml.scan(text, Loader=LOADER), None]:
        if token is not None and not isinstance(token, yaml.ScalarToken):
            continue
        begin = len(text) if token is None else token.start_mark.index
        if token is not None and token.style in ("|", ">"):
            begin = max(text.find("\n", begin), begin)
        for found in _COMMENT.finditer(text, position, begin):
            yield text.count("\n", 0, found.start()), found[0].rstrip(" ")
        position = begin if token is None else token.end_mark.index


# what an edit may do


def judge_added(before: bytes, after: bytes, values: Values) -> None:
    """One row more, as one run of lines; every byte of before is still there."""
    old, new = see(before), see(after)
    assert [row for row in new.values if row not in old.values] == [values]
    assert [row for row in new.values if row != values] == old.values
    assert new.comments_outside() == old.comments_outside()
    if old.rows:
        kept, grown = _ended(before), _ended(after)
        pairs = enumerate(zip(kept, grown, strict=False))
        shared = next((place for place, (one, other) in pairs if one != other), len(kept))
        assert grown.endswith(kept[shared:]), "other bytes than those of the new row differ"
        assert before.endswith(b"\n") == after.endswith(b"\n")


def judge_changed(before: bytes, after: bytes, number: int, changes: Mapping[str, Any]) -> None:
    """Only lines of the changed fields differ, and comments go only with what is in those fields."""
    old, new = see(before), see(after)
    row = old.rows[number]
    given = {name: value for name, value in changes.items() if value is not None}
    kept = {name: value for name, value in row.values.items() if name not in changes}
    assert new.values == [*old.values[:number], kept | given, *old.values[number + 1 :]]
    areas = [row.fields[name] for name in changes if name in row.fields]
    assert not old.comments_outside(*areas) - new.comments_outside()
    assert not new.comments_outside() - old.comments_outside()
    # first fields that go or come move their neighbour to or from the line of the dash
    heads = [row.lines.first, *sorted(lines.first for lines in row.fields.values())[: len(changes) + 1]]
    may_differ = [*areas, *(Lines(head, head) for head in heads)]
    stays = [text for line, text in enumerate(old.lines) if not any(line in area for area in may_differ)]
    while stays and not stays[-1]:
        stays.pop()  # where a text ends: a blank line there is the newline of the line above
    remaining = iter(new.lines)
    assert [text for text in stays if text not in remaining] == [], "lines of other fields differ"
    _same_around(before, after, row.lines)


def judge_removed(before: bytes, after: bytes, number: int) -> None:
    """Only the lines of the row are gone, and blank lines beside them."""
    old, new = see(before), see(after)
    row = old.rows[number]
    assert new.values == [values for place, values in enumerate(old.values) if place != number]
    rest = [*old.lines[: row.lines.first], *old.lines[row.lines.last + 1 :]]
    matcher = SequenceMatcher(None, rest, new.lines, autojunk=False)
    for tag, first, last, begin, end in matcher.get_opcodes():
        gone, come = rest[first:last], new.lines[begin:end]
        assert tag == "equal" or not "".join([*gone, *come]).strip(), (gone, come)
    assert new.comments_outside() == old.comments_outside(row.lines)


def judge_formatted(before: bytes, after: bytes) -> None:
    """The same rows in the same order, the same comments, a newline at the end."""
    old, new = see(before), see(after)
    assert new.values == old.values
    assert new.comments_outside() == old.comments_outside()
    assert after.endswith(b"\n") or not after


def _same_around(before: bytes, after: bytes, lines: Lines) -> None:
    old = before.split(b"\n")
    above, below = b"\n".join(old[: lines.first]), b"\n".join(old[lines.last + 1 :])
    assert after.startswith(above), "bytes above the row differ"
    assert after.endswith(below), "bytes below the row differ"


def _ended(data: bytes) -> bytes:
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    return data if data.endswith(b"\n") or not data else data + newline
