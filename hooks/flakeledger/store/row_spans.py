"""Where the fields, items and comments of one row stand in its text: what an editor cuts and splices.

Invariants:
* Offsets count characters in the row's text, which starts with the line of its dash and ends in a newline.
* Only a row that the strict reader accepts may be given; its marks are those of the parser that the reader uses.
* Every character of a row is in a scalar, in a comment, or is punctuation or a blank: nothing else stands between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Literal, NamedTuple

from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent

from flakeledger.model.rows import Scalar, Value
from flakeledger.store.yaml_notes import Notes, last_line
from flakeledger.store.yaml_parser import GetEvent, start

_COMMENT = re.compile(r"#[^\r\n]*")
_ITEM_DASH = re.compile(r"^ *(-)(?=[ \r\n]|\Z)", re.MULTILINE)
BLOCK_HEADER = re.compile(r"[|>][0-9+-]*")


class Text(NamedTuple):
    """A scalar: its value and where it stands. Equal offsets: nothing is written."""

    value: Scalar
    start: int
    end: int


class Item(NamedTuple):
    """An item of a list, or an entry of a mapping (then it has a key). `start` is its dash's or its key's."""

    key: str | None
    start: int
    text: Text

    @property
    def end(self) -> int:
        """Where its value ends."""
        return self.text.end


class Field(NamedTuple):
    """A field of a row. `key` is where its name starts; `start` to `end` is its value."""

    name: str
    key: int
    start: int
    end: int
    shape: Literal["text", "list", "mapping"]
    flow: bool
    scalar: Scalar
    items: tuple[Item, ...]

    @property
    def value(self) -> Value:
        """What the field holds."""
        if self.shape == "text":
            return self.scalar
        if self.shape == "list":
            return [item.text.value for item in self.items]
        return {item.key or "": item.text.value for item in self.items}


class Comment(NamedTuple):
    """A comment, from its `#` to the end of its line. `own_line`: nothing but blanks and dashes stands before it."""

    start: int
    text: str
    own_line: bool


class RowSpans(NamedTuple):
    """The fields of a row in their order, and its comments."""

    fields: tuple[Field, ...]
    comments: tuple[Comment, ...]


def line_start(text: str, offset: int) -> int:
    """Where the line of an offset starts."""
    return text.rfind("\n", 0, offset) + 1


def line_end(text: str, offset: int) -> int:
    """Where the line after an offset's line starts."""
    return text.find("\n", offset) + 1 or len(text)


def spans_of(text: str) -> RowSpans:
    """The fields and comments of a row's text."""
    scan = _Scan(text)
    fields = tuple(scan.fields())
    return RowSpans(fields, tuple(_comments(text, scan.written)) if "#" in text else ())


class _Scan:
    """Walks over the events of a row. `written` collects the spans of all scalars."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.get: GetEvent = start(text)
        self.lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self.written: list[tuple[int, int]] = []

    def fields(self) -> Iterator[Field]:
        for _ in ("stream", "document", "list", "row"):
            self.get()
        while type(key := self.get()) is not MappingEndEvent:
            name = self._text(key)
            event = self.get()
            if type(event) is ScalarEvent:
                found = self._text(event)
                yield Field(key.value, name.start, found.start, found.end, "text", False, found.value, ())
            else:
                yield self._collection(key.value, name, event)

    def _collection(self, name: str, key: Text, first: Any) -> Field:
        is_mapping = type(first) is MappingStartEvent
        items: list[Item] = []
        before = key.end
        while type(event := self.get()) not in (MappingEndEvent, SequenceEndEvent):
            if is_mapping:
                entry = self._text(event)
                items.append(Item(event.value, entry.start, self._text(self.get())))
            else:
                found = self._text(event)
                begin = found.start if first.flow_style else self._dash(before, found.start)
                items.append(Item(None, begin, found))
            before = items[-1].end
        begin, end = self._at(first.start_mark), self._at(event.end_mark)
        shape: Literal["list", "mapping"] = "mapping" if is_mapping else "list"
        return Field(
            name, key.start, begin, end if first.flow_style else before, shape, first.flow_style, None, tuple(items)
        )

    def _text(self, event: Any) -> Text:
        begin, end = self._at(event.start_mark), self._at(event.end_mark)
        if event.style in ("|", ">"):
            header = BLOCK_HEADER.match(self.text, begin)
            assert header is not None
            body = line_end(self.text, begin)
            last = self.lines[last_line(event, Notes(self.text, 0, "")) + 1] - 1
            end = max(header.end(), last - self.text.startswith("\r", last - 1))
            self.written += [(begin, header.end()), (body, max(body, end))]
        else:
            self.written.append((begin, end))
        return Text(event.value if event.style or event.value else None, begin, end)

    def _dash(self, before: int, value: int) -> int:
        """The dash of a list item whose value starts here; the text between holds no scalar."""
        return [found.start(1) for found in _ITEM_DASH.finditer(self.text, line_start(self.text, before), value)][-1]

    def _at(self, mark: Any) -> int:
        offset: int = self.lines[mark.line] + mark.column
        return offset


def _comments(text: str, written: list[tuple[int, int]]) -> Iterator[Comment]:
    position = 0
    for begin, end in [*written, (len(text), len(text))]:
        for found in _COMMENT.finditer(text, position, begin):
            alone = not text[line_start(text, found.start()) : found.start()].strip(" -")
            yield Comment(found.start(), found[0].rstrip(" "), alone)
        position = max(position, end)
