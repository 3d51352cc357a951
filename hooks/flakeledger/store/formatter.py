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

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakeledger.model.fields import FieldTable
from flakeledger.store.ledger_text import Known, LedgerText, Piece, cut, proven
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
#: ruamel.yaml takes 0.3 ms for a row of two fields and 1 ms for a whole one; a hook lays out what a stranger wrote
_READ_TWICE = 500


def format_rows(data: bytes, path: str) -> bytes:
    """The ledger in canonical layout.

    CannotTell when the strict reader does not read it, or when the new text would not hold the same rows.
    """
    known: Known = {}
    before = cut(data, path, known)
    canonical: dict[str, str] = {}  # by the row as it is: of equal rows one is laid out
    for piece in before.pieces:
        if piece.own not in canonical:
            canonical[piece.own] = _canonical_row(piece.own, before.table, before.newline)
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


class _Notes(NamedTuple):
    """The comments at one field or item: on lines above it, and behind it."""

    above: list[str]
    behind: list[str]


class _Attached:
    """The comments of a row by the offset of the field's name or the item that they are at."""

    def __init__(self, spans: RowSpans) -> None:
        self.at: dict[int, _Notes] = defaultdict(lambda: _Notes([], []))
        self.below: list[str] = []
        items = [item for field in spans.fields for item in field.items]
        self._starts = sorted([*(field.key for field in spans.fields), *(item.text.start for item in items)])
        for comment in spans.comments:
            self._attach(comment, spans.fields)

    def _attach(self, comment: Comment, fields: Sequence[Field]) -> None:
        following = bisect_right(self._starts, comment.start)
        if not comment.own_line:
            self.at[_owner(comment, fields)].behind.append(comment.text)
        elif following < len(self._starts):
            self.at[self._starts[following]].above.append(comment.text)
        else:
            self.below.append(comment.text)


def _owner(comment: Comment, fields: Sequence[Field]) -> int:
    """What a comment stands behind: the item or field before it; a list on one line as a whole."""
    field = [field for field in fields if field.key < comment.start][-1]
    items = [item for item in field.items if item.text.start < comment.start]
    return items[-1].text.start if items and not (field.flow and comment.start >= field.end) else field.key


def _canonical_row(text: str, table: FieldTable, newline: str) -> str:
    spans = spans_of(text)
    attached = _Attached(spans)
    place = places(table)
    lines: list[str] = []
    for field in sorted(spans.fields, key=lambda field: place.get(field.name, len(place))):
        lines += _field_lines(text, field, attached, table)
    lines += [_FIELD + comment for comment in attached.below]
    lines[0] = f"- {lines[0][len(_FIELD) :]}"
    return "".join(line + newline for line in lines)


def _field_lines(text: str, field: Field, attached: _Attached, table: FieldTable) -> Iterator[str]:
    notes = attached.at[field.key]
    behind = notes.behind[:1]
    yield from (_FIELD + comment for comment in [*notes.above, *notes.behind[1:]])
    head = f"{_FIELD}{ledger_scalar(field.name)}:"
    if field.shape == "text":
        yield from _text_lines(head, text, Text(field.scalar, field.start, field.end), behind, table, field.name)
    elif not field.items or (field.flow and not any(item.text.start in attached.at for item in field.items)):
        yield _with_comment(f"{head} {_flow(field, table)}", behind)
    else:
        yield _with_comment(head, behind)
        for item in field.items:
            yield from _item_lines(text, item, attached.at[item.text.start], table, field.name)


def _flow(field: Field, table: FieldTable) -> str:
    texts = [
        value_scalar(table, field.name, item.text.value)
        if item.key is None
        else f"{ledger_scalar(item.key)}: {value_scalar(table, field.name, item.text.value)}".rstrip(" ")
        for item in field.items
    ]
    return on_one_line(texts, field.shape == "mapping")


def _item_lines(text: str, item: Item, notes: _Notes, table: FieldTable, name: str) -> Iterator[str]:
    yield from (_INNER + comment for comment in [*notes.above, *notes.behind[1:]])
    head = f"{_INNER}-" if item.key is None else f"{_INNER}{ledger_scalar(item.key)}:"
    yield from _text_lines(head, text, item.text, notes.behind[:1], table, name)


def _text_lines(
    head: str, text: str, value: Text, behind: Sequence[str], table: FieldTable, name: str
) -> Iterator[str]:
    """The lines of one text: on the line of its head, or as the block that it is."""
    header = BLOCK_HEADER.match(text, value.start, value.end)
    if header is None:
        yield _with_comment(f"{head} {value_scalar(table, name, value.value)}".rstrip(" "), behind)
        return
    indent = len(head) - len(head.lstrip(" "))
    lines = (
        text[line_end(text, value.start) : line_end(text, value.end)].splitlines() if value.end > header.end() else []
    )
    stated = header[0].strip("|>+-")
    old = _stated_indent(text, value, int(stated)) if stated else _first_indent(lines)
    written = "".join(str(_CANONICAL.column) if sign in _DIGITS else sign for sign in header[0])
    yield _with_comment(f"{head} {written}", behind)
    yield from ((" " * (indent + _CANONICAL.column) + line[old:]) if line[old:] else "" for line in lines)


def _first_indent(lines: Sequence[str]) -> int:
    filled = next((line for line in lines if line.strip()), "")
    return len(filled) - len(filled.lstrip(" "))


def _stated_indent(text: str, value: Text, stated: int) -> int:
    """The column of a block's text whose header states how far it stands in from its parent."""
    line = text[line_start(text, value.start) : value.start]
    return len(line) - len(line.lstrip(" -")) + stated


def _with_comment(line: str, behind: Sequence[str]) -> str:
    return "  ".join([line, *behind])
