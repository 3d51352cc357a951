"""The smallest edit of one row's text: a field added, changed or removed.

Invariants:
* Only the lines of the named field differ, and in a line that stays only its value: quotes, alignment and the comment
  behind it remain. Comments above a field, and of items that stay, remain too.
* A field that is new goes below the field that stands before it in the table.
* What cannot be done so is `CannotEdit`, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from flakeledger.model.fields import FieldTable
from flakeledger.model.rows import Scalar, Value
from flakeledger.store.row_spans import BLOCK_HEADER, Field, Item, line_end, line_start, spans_of
from flakeledger.store.row_writing import (
    NewValue,
    Style,
    field_lines,
    item_texts,
    on_one_line,
    places,
    value_scalar,
)
from flakeledger.store.scalars import ledger_scalar, scalar_like

_COMMA_AFTER = re.compile(r"(?:[ \r\n]|#[^\n]*)*+,")


class CannotEdit(Exception):
    """This row has to be edited by hand; the text says why."""


def with_fields(text: str, table: FieldTable, changes: Mapping[str, NewValue | None], style: Style) -> str:
    """The row's text with these fields changed; None removes a field. CannotEdit where that needs a person."""
    place = places(table)
    for name, value in sorted(changes.items(), key=lambda change: place.get(change[0], len(place))):
        fields = spans_of(text).fields
        found = next((field for field in fields if field.name == name), None)
        if value is None:
            text = text if found is None else _without(text, fields, found, style)
        elif found is None:
            text = _with_new(text, fields, name, field_lines(table, name, value, style), table, style)
        elif not is_held(found, value):
            text = _with_changed(text, found, value, table, style)
    return text


def is_held(field: Field, value: NewValue) -> bool:
    """Whether the field holds this value already."""
    return field.value == plain_value(value)


def plain_value(value: NewValue) -> Value:
    """A new value as the reader gives it: numbers as text, plain lists and mappings."""
    if isinstance(value, str | int):
        return str(value)
    return dict(value.items()) if isinstance(value, Mapping) else [*value]


def _without(text: str, fields: Sequence[Field], field: Field, style: Style) -> str:
    begin, end = line_start(text, field.key), line_end(text, field.end)
    if text[begin : field.key].strip(" ") != "-":
        return text[:begin] + text[end:]
    if len(fields) == 1:
        raise CannotEdit(f"`{field.name}` is the only field of its row")
    following = fields[1]
    if line_start(text, following.key) == end:
        return text[: field.key] + text[following.key :]
    return text[: field.key].rstrip(" ") + style.newline + text[end:]


def _with_new(
    text: str, fields: Sequence[Field], name: str, lines: Sequence[str], table: FieldTable, style: Style
) -> str:
    place = places(table)
    first = fields[0]
    indent = " " * (first.key - line_start(text, first.key))
    before = [field for field in fields if place.get(field.name, -1) < place.get(name, len(place))]
    if before:
        nearest = max(before, key=lambda field: place.get(field.name, -1)) if name in place else fields[-1]
        at = line_end(text, nearest.end)
        return text[:at] + "".join(indent + line + style.newline for line in lines) + text[at:]
    new = (style.newline + indent).join(lines) + style.newline + indent
    return text[: first.key] + new + text[first.key :]


def _with_changed(text: str, field: Field, value: NewValue, table: FieldTable, style: Style) -> str:
    if isinstance(value, str | int):
        if field.shape != "text":
            raise CannotEdit(f"`{field.name}` is written as a {field.shape}")
        return _with_scalar(text, field.start, field.end, value_scalar(table, field.name, str(value)), str(value))
    if field.shape == "text":
        if field.scalar is not None:
            raise CannotEdit(f"`{field.name}` is written as one text")
        return _with_first_items(text, field, field_lines(table, field.name, value, style), style)
    if isinstance(value, Mapping) is not (field.shape == "mapping"):
        raise CannotEdit(f"`{field.name}` is written as a {field.shape}")
    return _with_items(text, field, value, table, style)


def _with_scalar(text: str, begin: int, end: int, fresh: str, value: str) -> str:
    """The scalar from `begin` to `end` replaced: `fresh` where nothing or a block stood, else in the quotes it had."""
    if begin == end:
        return f"{text[:begin]} {fresh}{text[begin:]}"
    header = BLOCK_HEADER.match(text, begin)
    if header is None:
        stays_plain = fresh == value and text[begin] not in "\"'"  # a number is none by its text alone
        return text[:begin] + (fresh if stays_plain else scalar_like(value, text[begin:end])) + text[end:]
    body = line_end(text, begin)
    after = line_end(text, end) if end > body else body
    return text[:begin] + fresh + text[header.end() : body] + text[after:]


def _with_first_items(text: str, field: Field, lines: Sequence[str], style: Style) -> str:
    """Items below a field that was empty, or on its line."""
    head, *items = lines
    on_line = head[len(ledger_scalar(field.name)) + 1 :]
    at = line_end(text, field.start)
    indent = " " * (field.key - line_start(text, field.key))
    below = "".join(indent + line + style.newline for line in items)
    return text[: field.start] + on_line + text[field.start : at] + below + text[at:]


_Identity = tuple[str | None, Scalar]


def _with_items(
    text: str, field: Field, value: Sequence[str] | Mapping[str, str], table: FieldTable, style: Style
) -> str:
    fresh = item_texts(table, field.name, value)
    new: list[_Identity] = list(value.items()) if isinstance(value, Mapping) else [(None, item) for item in value]
    old: list[_Identity] = [(item.key, item.text.value) for item in field.items]
    if field.flow and "\n" not in text[field.start : field.end]:
        known = {identity: text[item.start : item.end] for identity, item in zip(old, field.items, strict=True)}
        padding = " " if field.items and text[field.start + 1] == " " else ""
        written = [known.get(identity, one) for identity, one in zip(new, fresh, strict=True)]
        return text[: field.start] + on_one_line(written, field.shape == "mapping", padding) + text[field.end :]
    if not new and not field.flow:
        return _with_no_items(text, field)
    if not old:
        raise CannotEdit(f"`{field.name}` is an empty list or mapping of several lines")
    return _Items(text, field, style).edited(old, new, fresh)


def _with_no_items(text: str, field: Field) -> str:
    for item in reversed(field.items):
        text = text[: line_start(text, item.start)] + text[line_end(text, item.end) :]
    colon = text.index(":", field.key + len(field.name)) + 1
    return text[:colon] + (" {}" if field.shape == "mapping" else " []") + text[colon:]


class _Items:
    """Edits the items of a list or mapping that has a line for each, the last one first so that offsets hold."""

    def __init__(self, text: str, field: Field, style: Style) -> None:
        self.text = text
        self.field = field
        self.newline = style.newline
        first = field.items[0]
        gap = text[first.start : first.text.start] if first.key is None and not field.flow else ""
        self.lead = " " * (first.start - line_start(text, first.start))
        self.dash = ("- " if "\n" in gap or "#" in gap else gap) if gap else ""

    def edited(self, old: Sequence[_Identity], new: Sequence[_Identity], fresh: Sequence[str]) -> str:
        from difflib import SequenceMatcher

        for tag, first, last, begin, end in reversed(SequenceMatcher(None, old, new).get_opcodes()):
            if tag == "equal":
                continue
            shared = min(last - first, end - begin)
            self._insert(first + shared, fresh[begin + shared : end])
            for item in reversed(self.field.items[first + shared : last]):
                self._remove(item)
            for offset in reversed(range(shared)):
                self._replace(self.field.items[first + offset], new[begin + offset], fresh[begin + offset])
        return self.text

    def _insert(self, place: int, texts: Sequence[str]) -> None:
        """Put items before the item that has this place, which is the number of items for the end."""
        if not texts:
            return
        items, text = self.field.items, self.text
        if self.field.flow:
            at = items[place - 1].end if place else items[0].start
            new = "".join(f", {one}" for one in texts) if place else "".join(f"{one}, " for one in texts)
        else:
            at = line_end(text, items[place - 1].end) if place else line_start(text, items[0].start)
            new = "".join(f"{self.lead}{self.dash}{one}{self.newline}" for one in texts)
        self.text = text[:at] + new + text[at:]

    def _remove(self, item: Item) -> None:
        text = self.text
        if not self.field.flow:
            self.text = text[: line_start(text, item.start)] + text[line_end(text, item.end) :]
            return
        comma = _COMMA_AFTER.match(text, item.end)
        if comma is not None:
            text = text[: item.start] + text[item.end : comma.end() - 1] + text[comma.end() :]
        else:
            text = text[: item.start] + text[item.end :]
        begin, end = line_start(text, item.start), line_end(text, item.start)
        self.text = text if text[begin:end].strip() else text[:begin] + text[end:]

    def _replace(self, item: Item, new: _Identity, fresh: str) -> None:
        text = self.text
        if item.key == new[0] and item.text.start != item.end:
            plain = fresh if item.key is None else fresh[len(ledger_scalar(item.key)) + 2 :]
            self.text = _with_scalar(text, item.text.start, item.end, plain, new[1] or "")
        elif item.key is None and not self.field.flow:
            self.text = f"{text[: item.end]} {fresh}{text[item.end :]}"
        else:
            self.text = text[: item.start] + fresh + text[item.end :]
