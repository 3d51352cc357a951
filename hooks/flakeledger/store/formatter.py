"""The canonical layout of a ledger: order of fields, indentation, quotes, the newline at the end.

Invariants:
* No value, no row and no order of rows changes; every comment stays, above or behind the field or item it was at.
* Formatting twice changes nothing more, and a row that is canonical is not touched.
* A block text stays a block, and a list or mapping on one line stays on one line, unless a comment stands in it.
* Line ends stay what they are: LF, or CRLF where the first line has it.
* What comes out was read again: the same rows with the same comments. A second reader agrees, of a layout that changes
  thousands of rows about the first five hundred that differ: every row is laid out by the same few rules.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from flakeledger.model.fields import FieldTable
from flakeledger.model.rows import Value
from flakeledger.store.ledger_text import Known, LedgerText, Piece, Values, cut, proven
from flakeledger.store.row_spans import (
    BLOCK_HEADER,
    Comment,
    Field,
    Item,
    RowSpans,
    Text,
    line_end,
    line_start,
    spans_of,
)
from flakeledger.store.row_writing import Style, on_one_line, places, value_scalar
from flakeledger.store.scalars import ledger_scalar

_CANONICAL = Style()
_FIELD = " " * _CANONICAL.column
_INNER = " " * (_CANONICAL.column + _CANONICAL.list_offset)
_DIGITS = "0123456789"
#: a row without one of these has no comment, no block and no list or mapping on one line: its values say all of it
_SIGNS = re.compile(r"[#|>\[{]")
#: ruamel.yaml takes 0.3 ms for a row of two fields and 1 ms for a whole one; a hook lays out what a stranger wrote
_READ_TWICE = 500


def format_rows(data: bytes, path: str) -> bytes:
    """The ledger in canonical layout.

    CannotTell when the strict reader does not read it, or when the new text would not hold the same rows.
    """
    known: Known = {}
    before = cut(data, path, known)
    canonical: dict[str, str] = {}  # by the row as it is: of equal rows one is laid out
    layout = _Layout(before.table, places(before.table), before.newline)
    for piece in before.pieces:
        if piece.own not in canonical:
            canonical[piece.own] = _canonical_row(piece, layout)
    pieces = tuple(Piece(canonical[piece.own], _tidied(piece), piece.values) for piece in before.pieces)
    after = before._replace(head=_tidied_lines(before.head, None), pieces=pieces, ended=True)
    after = _with_tidy_end(after)
    if after.data() == data:
        return data
    edited = {
        number: new.values
        for number, (old, new) in enumerate(zip(before.pieces, pieces, strict=True))
        if old.own != new.own
    }
    return proven(before, after, edited, (), known, f"lay {path} out by hand, or leave it as it is", _READ_TWICE)


# between rows


def _tidied(piece: Piece) -> str:
    return _tidied_lines(piece.tail, piece.own.index("-"))


def _tidied_lines(text: str, dash: int | None) -> str:
    """Lines outside of rows: no blanks at the end, comments at the dash or, if they stood deeper, at the fields."""
    lines = []
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        end = line[len(bare) :]
        if bare.lstrip(" ").startswith("#"):
            deeper = dash is not None and len(bare) - len(bare.lstrip(" ")) > dash
            bare = (_FIELD if deeper else "") + bare.lstrip(" ")
        lines.append(bare.rstrip(" ") + end)
    return "".join(lines)


def _with_tidy_end(text: LedgerText) -> LedgerText:
    """Without blank lines at the end; those of a block text that keeps them are its row's own."""
    if not text.pieces:
        return text._replace(head=_without_last_blanks(text.head, text.newline))
    last = text.pieces[-1]
    return text._replace(pieces=(*text.pieces[:-1], last._replace(tail=_without_last_blanks(last.tail, text.newline))))


def _without_last_blanks(text: str, newline: str) -> str:
    bare = text.rstrip("\r\n")
    return bare + newline if bare else ""


# rows


class _Layout(NamedTuple):
    """What all rows of a ledger are laid out by: its fields, the place of each in a row, and the end of a line."""

    table: FieldTable
    place: Mapping[str, int]
    newline: str


class _Notes(NamedTuple):
    """The comments at one field or item: on lines above it, and behind it."""

    above: Sequence[str] = ()
    behind: Sequence[str] = ()


_NO_NOTES = _Notes()


class _Attached:
    """The comments of a row by the offset of the field's name or the item that they are at."""

    def __init__(self, spans: RowSpans) -> None:
        self._found: dict[int, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        self.below: list[str] = []
        if not spans.comments:
            return
        items = [item for field in spans.fields for item in field.items]
        self._starts = sorted([*(field.key for field in spans.fields), *(item.text.start for item in items)])
        for comment in spans.comments:
            self._attach(comment, spans.fields)

    def _attach(self, comment: Comment, fields: Sequence[Field]) -> None:
        following = bisect_right(self._starts, comment.start)
        if not comment.own_line:
            self._found[_owner(comment, fields)][1].append(comment.text)
        elif following < len(self._starts):
            self._found[self._starts[following]][0].append(comment.text)
        else:
            self.below.append(comment.text)

    def __contains__(self, start: int) -> bool:
        return start in self._found

    def at(self, start: int) -> _Notes:
        """The comments at the field or item that starts here."""
        return _Notes(*self._found[start]) if start in self._found else _NO_NOTES


def _owner(comment: Comment, fields: Sequence[Field]) -> int:
    """What a comment stands behind: the item or field before it; a list on one line as a whole."""
    field = [field for field in fields if field.key < comment.start][-1]
    items = [item for item in field.items if item.text.start < comment.start]
    return items[-1].text.start if items and not (field.flow and comment.start >= field.end) else field.key


def _canonical_row(piece: Piece, layout: _Layout) -> str:
    text = piece.own
    spans = spans_of(text) if _SIGNS.search(text) else _spans_of_values(piece.values)
    attached = _Attached(spans)
    table, place, newline = layout
    lines: list[str] = []
    for field in sorted(spans.fields, key=lambda field: place.get(field.name, len(place))):
        lines += _field_lines(text, field, attached, table)
    lines += [_FIELD + comment for comment in attached.below]
    lines[0] = f"- {lines[0][len(_FIELD) :]}"
    return newline.join(lines) + newline


def _spans_of_values(values: Values) -> RowSpans:
    """The fields of a row whose layout its values say; where they stand is not asked of it, and told as 0."""
    return RowSpans(tuple(_field_of(name, value) for name, value in values.items()), ())


def _field_of(name: str, value: Value) -> Field:
    if isinstance(value, dict):
        entries = tuple(Item(key, 0, Text(text, 0, 0)) for key, text in value.items())
        return Field(name, 0, 0, 0, "mapping", False, None, entries)
    if isinstance(value, list):
        return Field(name, 0, 0, 0, "list", False, None, tuple(Item(None, 0, Text(text, 0, 0)) for text in value))
    return Field(name, 0, 0, 0, "text", False, value, ())


def _field_lines(text: str, field: Field, attached: _Attached, table: FieldTable) -> list[str]:
    notes = attached.at(field.key)
    behind = notes.behind[:1]
    lines = _comments_above(_FIELD, notes)
    # the names that a table knows are plain
    head = f"{_FIELD}{field.name if field.name in table.by_name else ledger_scalar(field.name)}:"
    if field.shape == "text":
        value = Text(field.scalar, field.start, field.end)
        return lines + _text_lines(head, text, value, behind, table, field.name)
    if not field.items or (field.flow and not any(item.text.start in attached for item in field.items)):
        return [*lines, _with_comment(f"{head} {_flow(field, table)}", behind)]
    lines.append(_with_comment(head, behind))
    for item in field.items:
        lines += _item_lines(text, item, attached.at(item.text.start), table, field.name)
    return lines


def _comments_above(indent: str, notes: _Notes) -> list[str]:
    """The lines of the comments that stand above a field or an item in canonical layout: one at most stays behind."""
    return [indent + comment for comment in (*notes.above, *notes.behind[1:])]


def _flow(field: Field, table: FieldTable) -> str:
    texts = [
        value_scalar(table, field.name, item.text.value)
        if item.key is None
        else f"{ledger_scalar(item.key)}: {value_scalar(table, field.name, item.text.value)}".rstrip(" ")
        for item in field.items
    ]
    return on_one_line(texts, field.shape == "mapping")


def _item_lines(text: str, item: Item, notes: _Notes, table: FieldTable, name: str) -> list[str]:
    head = f"{_INNER}-" if item.key is None else f"{_INNER}{ledger_scalar(item.key)}:"
    return _comments_above(_INNER, notes) + _text_lines(head, text, item.text, notes.behind[:1], table, name)


def _text_lines(head: str, text: str, value: Text, behind: Sequence[str], table: FieldTable, name: str) -> list[str]:
    """The lines of one text: on the line of its head, or as the block that it is."""
    header = BLOCK_HEADER.match(text, value.start, value.end)
    if header is None:
        return [_with_comment(f"{head} {value_scalar(table, name, value.value)}".rstrip(" "), behind)]
    indent = len(head) - len(head.lstrip(" "))
    lines = (
        text[line_end(text, value.start) : line_end(text, value.end)].splitlines() if value.end > header.end() else []
    )
    stated = header[0].strip("|>+-")
    old = _stated_indent(text, value, int(stated)) if stated else _first_indent(lines)
    written = "".join(str(_CANONICAL.column) if sign in _DIGITS else sign for sign in header[0])
    body = [" " * (indent + _CANONICAL.column) + line[old:] if line[old:] else "" for line in lines]
    return [_with_comment(f"{head} {written}", behind), *body]


def _first_indent(lines: Sequence[str]) -> int:
    filled = next((line for line in lines if line.strip()), "")
    return len(filled) - len(filled.lstrip(" "))


def _stated_indent(text: str, value: Text, stated: int) -> int:
    """The column of a block's text whose header states how far it stands in from its parent."""
    line = text[line_start(text, value.start) : value.start]
    return len(line) - len(line.lstrip(" -")) + stated


def _with_comment(line: str, behind: Sequence[str]) -> str:
    return "  ".join([line, *behind]) if behind else line
