"""Reads one row of a ledger from its YAML events.

Invariants:
* A value is a text, a list of texts or one mapping of texts. The stream is left at what nests deeper, so that
  hostile nesting costs nothing.
* A row is given when every key and value of it can be told, and everything wrong with it is in the findings.
* Of a key that stands twice, the first value counts.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from flakeledger.model.findings import Finding
from flakeledger.model.rows import FieldPlace, Places, Row, Scalar, Value
from flakeledger.model.wording import shown
from flakeledger.store.chunks import RowChunk
from flakeledger.store.mistakes import Complaint, Spot, explain, repairs
from flakeledger.store.yaml_notes import (
    Notes,
    UnreadableError,
    forbid_alias,
    forbid_decoration,
    forbid_duplicate,
    key_of,
    last_line,
    text_of,
)
from flakeledger.store.yaml_parser import GetEvent, YamlError, complaint_of, first_complaint, start

#: how many mistakes of one row are told at once
MOST_MISTAKES = 4
#: the list, the row, a list or mapping in it, and what must not be
_DEEPEST = 4


class ChunkRead(NamedTuple):
    """A chunk's row, None when it cannot be told, and everything that is wrong with it."""

    row: Row | None
    findings: list[Finding]


def read_row(chunk: RowChunk, path: str) -> ChunkRead:
    """The row of one chunk, parsed alone."""
    notes = Notes(chunk.data.decode(), chunk.line, path)
    row = None
    try:
        get = start(notes.text)
        for _ in ("stream", "document", "list"):
            get()
        row = _row(get, notes)
        for end in (SequenceEndEvent, DocumentEndEvent, StreamEndEvent):
            event = get()
            if type(event) is not end:
                notes.refuse(event, "a row ends where the next dash stands below its own", "align the dashes")
    except UnreadableError:
        row = None
    except YamlError as error:
        row = None
        _note_mistakes(complaint_of(error), notes)
    return ChunkRead(row if notes.whole else None, notes.findings)


def _row(get: GetEvent, notes: Notes) -> Row:
    first = get()
    kind = type(first)
    if kind is not MappingStartEvent or first.flow_style:
        _refuse_row(first, notes)
    if first.anchor or first.tag:
        forbid_decoration(first, notes)
    base, indent = first.start_mark.line, first.start_mark.column
    values: dict[str, Value] = {}
    fields: dict[str, FieldPlace] = {}
    last = base
    while True:
        key = get()
        if type(key) is MappingEndEvent:
            break
        name = key_of(key, indent, notes)
        event = get()
        value, items, last = _value(get, event, base, notes)
        if name in values:
            forbid_duplicate(key, name, notes.first + base + _line(fields[name]), notes)
            continue
        values[name] = value
        name_mark, mark = key.start_mark, event.start_mark
        fields[name] = [name_mark.line - base, name_mark.column + 1, mark.line - base, mark.column + 1, items]
    line = notes.first + base
    return Row(Places(line, indent + 1, fields), notes.first + last, values)


def _line(place: FieldPlace) -> int:
    line = place[0]
    assert isinstance(line, int)
    return line


_Items = list[list[int]] | dict[str, list[int]] | None


def _value(get: GetEvent, event: Any, base: int, notes: Notes) -> tuple[Value, _Items, int]:
    """A value, the places of its items, and the last line it stands on."""
    kind = type(event)
    if kind is ScalarEvent:
        return text_of(event, notes), None, last_line(event, notes)
    if kind is SequenceStartEvent:
        return _list(get, event, base, notes)
    if kind is MappingStartEvent:
        return _mapping(get, event, base, notes)
    forbid_alias(event, notes)
    notes.whole = False
    return None, None, event.end_mark.line


def _list(get: GetEvent, first: Any, base: int, notes: Notes) -> tuple[Value, _Items, int]:
    if first.anchor or first.tag:
        forbid_decoration(first, notes)
    items: list[Scalar] = []
    places: list[list[int]] = []
    last = first.end_mark.line
    while True:
        event = get()
        kind = type(event)
        if kind is SequenceEndEvent:
            return items, places, event.end_mark.line if first.flow_style else last
        if kind is not ScalarEvent:
            _refuse_item(event, notes, "a list holds texts only")
        items.append(text_of(event, notes))
        places.append([event.start_mark.line - base, event.start_mark.column + 1])
        last = last_line(event, notes)


def _mapping(get: GetEvent, first: Any, base: int, notes: Notes) -> tuple[Value, _Items, int]:
    if first.anchor or first.tag:
        forbid_decoration(first, notes)
    indent = None if first.flow_style else first.start_mark.column
    entries: dict[str, Scalar] = {}
    places: dict[str, list[int]] = {}
    last = first.end_mark.line
    while True:
        key = get()
        kind = type(key)
        if kind is MappingEndEvent:
            return entries, places, key.end_mark.line if first.flow_style else last
        name = key_of(key, indent, notes)
        event = get()
        kind = type(event)
        if kind is not ScalarEvent:
            _refuse_item(event, notes, "a mapping in a row holds texts only")
        last = last_line(event, notes)
        if name in entries:
            forbid_duplicate(key, name, notes.first + base + places[name][0], notes)
            continue
        entries[name] = text_of(event, notes)
        places[name] = [event.start_mark.line - base, event.start_mark.column + 1]


def _refuse_item(event: Any, notes: Notes, rule: str) -> NoReturn:
    if type(event) is AliasEvent:
        forbid_alias(event, notes)
        raise UnreadableError
    notes.refuse(event, f"nested too deep: {rule}", "write each value as one text; quote texts with `: `")


def _refuse_row(event: Any, notes: Notes) -> NoReturn:
    if type(event) is AliasEvent:
        forbid_alias(event, notes)
        raise UnreadableError
    if type(event) is MappingStartEvent:
        notes.refuse(event, "a row is written in block style", "write each field on its own line as `name: value`")
    if type(event) is SequenceStartEvent:
        notes.refuse(event, "a row is a mapping of fields, not a list", "write `- name: value`")
    if not event.value:
        notes.refuse(event, "a row without fields", "delete the dash, or write `- name: value`")
    written = next(repairs(notes.lines, event.start_mark.line), "").strip()
    message = f"a row is a mapping of fields, and this one is the text {shown(event.value)}"
    notes.refuse(event, message, f"put a space after the colon: {written}" if written else "write `- name: value`")


def _note_mistakes(complaint: Complaint, notes: Notes) -> None:
    """Note each mistake of a row that is no YAML, reading on as if the ones above were repaired."""
    lines = notes.lines
    found: Complaint | None = complaint
    for _ in range(MOST_MISTAKES):
        if found is None:
            return
        mistake = explain(found, lines, notes.first)
        before = [*lines]
        repaired = _repair(found, mistake.spot, lines)
        fix = mistake.fix if repaired is None else _written(before[repaired], lines[repaired])
        notes.mistake(mistake._replace(fix=fix))
        if repaired is None:
            return
        found = first_complaint("\n".join(lines), _DEEPEST)


def _written(before: str, after: str) -> str:
    """How a repaired line is shown: what changed may be the blanks before it."""
    text = after.strip(" ")
    if before.strip(" ") == text:
        return f"write it with {len(after) - len(text)} spaces before it: {text}"
    return f"write {text}"


def _repair(complaint: Complaint, spot: Spot, lines: list[str]) -> int | None:
    """Repair the line of a complaint in place with the first text after which the parser comes further; its number."""
    for line in dict.fromkeys((spot.line, complaint.began.line)):
        for candidate in repairs(lines, line):
            trial = [*lines[:line], candidate, *lines[line + 1 :]]
            after = first_complaint("\n".join(trial), _DEEPEST)
            if after is None or explain(after, trial, 0).spot.line > spot.line:
                lines[line] = candidate
                return line
    return None
