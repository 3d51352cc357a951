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

from flakeledger.model.findings import MOST_TOLD, Finding, unread_below
from flakeledger.model.rows import FieldPlace, Places, Row, Scalar, Value
from flakeledger.model.wording import shown
from flakeledger.store.chunks import RowChunk
from flakeledger.store.mistakes import Complaint, Mistake, Spot, continuation, explain, repairs
from flakeledger.store.yaml_parser import GetEvent, YamlError, complaint_of, first_complaint, start

#: how many mistakes of one row are told at once
MOST_MISTAKES = 4
#: the list, the row, a list or mapping in it, and what must not be
_DEEPEST = 4
PLAIN = (None, "")
_BLOCK = ("|", ">")


class ChunkRead(NamedTuple):
    """A chunk's row, None when it cannot be told, and everything that is wrong with it."""

    row: Row | None
    findings: list[Finding]


class UnreadableError(Exception):
    """The rest of this text cannot be told; a finding says why."""


class Notes:
    """The findings of one text, and what they need to know of it. `first` is the line on which the text starts."""

    def __init__(self, text: str, first: int, path: str) -> None:
        """Start without findings."""
        self.text = text
        self.first = first
        self.path = path
        self.findings: list[Finding] = []
        self.whole = True

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        return [line.removesuffix("\r") for line in self.text.split("\n")]

    def say(self, spot: Spot, rule: str, message: str, fix: str) -> None:
        """Note a finding. libyaml puts the end of a text without a newline on the line below, where nothing stands."""
        line = self.first + min(spot.line, self.text.count("\n"))
        if len(self.findings) >= MOST_TOLD:
            self.whole = False
            self.findings.append(unread_below(self.path, line, "yaml-forbidden"))
            raise UnreadableError
        self.findings.append(Finding(self.path, line, spot.column, rule, message, fix))

    def mistake(self, mistake: Mistake) -> None:
        """Note what is no YAML, instead of what was noted of the same line: one line, one mistake."""
        self.findings = [known for known in self.findings if known.line != self.first + mistake.spot.line]
        self.say(mistake.spot, "yaml-syntax", mistake.message, mistake.fix)

    def forbid(self, event: Any, message: str, fix: str) -> None:
        """Note that what this event starts may not be."""
        self.say(spot_of(event), "yaml-forbidden", message, fix)

    def refuse(self, event: Any, message: str, fix: str) -> NoReturn:
        """Note that what this event starts may not be, and stop."""
        self.forbid(event, message, fix)
        raise UnreadableError


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


def text_of(event: Any, notes: Notes) -> Scalar:
    """A scalar's text; None where nothing is written. Notes what a scalar may not be."""
    if event.anchor or event.tag:
        forbid_decoration(event, notes)
    text: str = event.value
    if event.style in PLAIN:
        if not text:
            return None
        if event.end_mark.line != event.start_mark.line:
            mistake = continuation(notes.lines, event.start_mark.line, notes.first)
            notes.say(mistake.spot, "yaml-forbidden", mistake.message, mistake.fix)
    elif event.style in _BLOCK:
        _check_first_line(event.start_mark.line + 1, notes)
    return text


def _check_first_line(line: int, notes: Notes) -> None:
    """A block text may not start with a line of blanks: YAML's parsers do not agree on what that means."""
    lines = notes.lines
    if line < len(lines) and lines[line] and not lines[line].strip():
        message = "a text of `|` or `>` starts with a line that holds only blanks"
        notes.say(Spot(line, 1), "yaml-forbidden", message, "delete the blanks on this line")


def key_of(event: Any, indent: int | None, notes: Notes) -> str:
    """A key's name. `indent` is the column of its mapping, None in flow style. Notes what a key may not be."""
    kind = type(event)
    if kind is not ScalarEvent or event.style in _BLOCK:
        notes.refuse(event, "a field's name is a plain word", "write `name: value`")
    if event.anchor or event.tag:
        forbid_decoration(event, notes)
    name: str = event.value
    if name == "<<":
        notes.refuse(event, "a merge key (`<<`), which no ledger may hold", "write the fields out")
    if indent is not None and event.start_mark.column != indent:
        notes.forbid(event, "a name is written without `?`", "write `name: value`")
    return name


def spot_of(event: Any) -> Spot:
    """Where an event starts."""
    return Spot(event.start_mark.line, event.start_mark.column + 1)


def forbid_duplicate(key: Any, name: str, line: int, notes: Notes) -> None:
    """Note that a key stands twice; `line` is the first one's."""
    message = f"{shown(name)} stands twice in one mapping, first on line {line}"
    notes.say(spot_of(key), "duplicate-key", message, f"delete one of the two {shown(name)}")


def forbid_alias(event: Any, notes: Notes) -> None:
    """Note that an alias stands where a value should."""
    message = f"{shown('*' + event.anchor)} is a YAML alias, which no ledger may hold"
    notes.forbid(event, message, f'write the value out; if it is text, quote it: "*{event.anchor}…"')


def forbid_decoration(event: Any, notes: Notes) -> None:
    """Note that a value has an anchor or a tag."""
    what = f"{shown('&' + event.anchor)} is a YAML anchor" if event.anchor else f"{shown(event.tag)} is a YAML tag"
    notes.forbid(event, f"{what}, which no ledger may hold", 'delete it; if it is text, quote the whole text: "…"')


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


def last_line(event: Any, notes: Notes) -> int:
    """The last line of a scalar. The mark of a block scalar's end stands on the next token's line."""
    end: int = event.end_mark.line
    if event.style not in _BLOCK:
        return end
    first: int = event.start_mark.line
    lines = notes.lines
    if "+" in lines[first][event.start_mark.column :].partition("#")[0]:
        return max(first, end - 1)
    return max((line for line in range(first, end) if lines[line].strip()), default=first)


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
