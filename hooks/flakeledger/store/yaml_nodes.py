"""Reads whole YAML documents from their events: the policy, and other tools' files as plain values.

Invariants:
* The policy keeps its places and is refused like a ledger: anchors, aliases, tags, duplicate keys, deep nesting.
* Plain values are what other tools see in their file: aliases and merge keys are followed, the last of two equal keys
  counts, every scalar is text. Depth and size are bounded, aliases counted as often as they are used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from flakeledger.model.rows import Entry, ListNode, MappingNode, Node, ScalarNode
from flakeledger.store.mistakes import explain
from flakeledger.store.yaml_notes import (
    Notes,
    UnreadableError,
    forbid_alias,
    forbid_decoration,
    forbid_duplicate,
    key_of,
    spot_of,
    text_of,
)
from flakeledger.store.yaml_parser import GetEvent, YamlError, complaint_of, start

#: how deep the lists and mappings of the policy may nest
DEEPEST = 8
#: bounds of plain values
DEEPEST_PLAIN = 32
MOST_PLAIN = 100_000


def read_mapping(text: str, notes: Notes) -> MappingNode | None:
    """The mapping that the text is; None, with the reason in the notes, when it is not a mapping that can be told."""
    node = _told(_policy, text, notes)
    return node if isinstance(node, MappingNode) else None


def read_node(text: str, notes: Notes) -> Node | None:
    """The one document of another tool's file, as strictly as the policy; None, with the reason in the notes."""
    return _told(_document, text, notes)


def _told(read: Callable[[GetEvent, Notes], Node], text: str, notes: Notes) -> Node | None:
    """What `read` makes of a text; None where that cannot be told, which the notes say."""
    try:
        get = start(text)
        get()
        node = read(get, notes)
    except UnreadableError:
        return None
    except YamlError as error:
        notes.mistake(explain(complaint_of(error), notes.lines, notes.first))
        return None
    return node if notes.whole else None


def _policy(get: GetEvent, notes: Notes) -> Node:
    event = get()
    if type(event) is DocumentStartEvent:
        if event.version or event.tags:
            notes.refuse(event, "the policy holds no YAML directives", "delete this line")
        event = get()
    if type(event) is not MappingStartEvent:
        notes.refuse(event, "the policy is a mapping: `version`, `level`, `paths`, …", "write `version: 1` first")
    node = _mapping(get, event, notes, 1)
    _end(get, notes, "the policy is one YAML document")
    return node


def _document(get: GetEvent, notes: Notes) -> Node:
    if type(get()) is StreamEndEvent:
        return ScalarNode(None, notes.first, 1)
    node = _node(get, get(), notes, 1)
    _end(get, notes, "this file is one YAML document")
    return node


def _end(get: GetEvent, notes: Notes, rule: str) -> None:
    """Refuse whatever follows the document."""
    get()
    event = get()
    if type(event) is not StreamEndEvent:
        notes.refuse(event, rule, "delete this line and what follows it")


def _node(get: GetEvent, event: Any, notes: Notes, depth: int) -> Node:
    kind = type(event)
    if kind is ScalarEvent:
        return ScalarNode(text_of(event, notes), notes.first + event.start_mark.line, event.start_mark.column + 1)
    if kind is AliasEvent:
        forbid_alias(event, notes)
        raise UnreadableError
    if depth > DEEPEST:
        notes.refuse(event, f"nested more than {DEEPEST} deep", "see the documentation of the policy")
    if kind is MappingStartEvent:
        return _mapping(get, event, notes, depth)
    return _list(get, event, notes, depth)


def _list(get: GetEvent, first: Any, notes: Notes, depth: int) -> ListNode:
    if first.anchor or first.tag:
        forbid_decoration(first, notes)
    items: list[Node] = []
    while type(event := get()) is not SequenceEndEvent:
        items.append(_node(get, event, notes, depth + 1))
    spot = spot_of(first)
    return ListNode(tuple(items), notes.first + spot.line, spot.column)


def _mapping(get: GetEvent, first: Any, notes: Notes, depth: int) -> MappingNode:
    if first.anchor or first.tag:
        forbid_decoration(first, notes)
    indent = None if first.flow_style else first.start_mark.column
    entries: dict[str, Entry] = {}
    while type(key := get()) is not MappingEndEvent:
        name = key_of(key, indent, notes)
        value = _node(get, get(), notes, depth + 1)
        if name in entries:
            forbid_duplicate(key, name, entries[name].line, notes)
            continue
        spot = spot_of(key)
        entries[name] = Entry(name, notes.first + spot.line, spot.column, value)
    spot = spot_of(first)
    return MappingNode(tuple(entries.values()), notes.first + spot.line, spot.column)


class _Plain:
    """Builds plain values. `anchors` holds each anchored value with its size."""

    def __init__(self, get: GetEvent) -> None:
        self.get = get
        self.anchors: dict[str, tuple[object, int]] = {}
        self.size = 0

    def value(self, event: Any, depth: int) -> object:
        before = self.size
        self.size += 1
        if self.size > MOST_PLAIN or depth > DEEPEST_PLAIN:
            raise UnreadableError
        kind = type(event)
        if kind is AliasEvent:
            if event.anchor not in self.anchors:
                raise UnreadableError
            known, size = self.anchors[event.anchor]
            self.size += size
            return known
        value: object
        if kind is ScalarEvent:
            value = event.value
        elif kind is SequenceStartEvent:
            value = self._list(depth)
        else:
            value = self._mapping(depth)
        if event.anchor:
            self.anchors[event.anchor] = value, self.size - before
        return value

    def _list(self, depth: int) -> list[object]:
        items: list[object] = []
        while type(event := self.get()) is not SequenceEndEvent:
            items.append(self.value(event, depth + 1))
        return items

    def _mapping(self, depth: int) -> dict[str, object]:
        own: dict[str, object] = {}
        merged: dict[str, object] = {}
        while type(key := self.get()) is not MappingEndEvent:
            name = self.value(key, depth + 1)
            value = self.value(self.get(), depth + 1)
            if not isinstance(name, str):
                raise UnreadableError
            if name == "<<":
                for source in value if isinstance(value, list) else [value]:
                    merged = (source if isinstance(source, dict) else {}) | merged
            else:
                own[name] = value
        return merged | own


def read_plain_values(text: str) -> object | None:
    """The lists, mappings and texts of one document; None when it cannot be read or is too large."""
    try:
        get = start(text)
        get()
        event = get()
        if type(event) is StreamEndEvent:
            return None
        value = _Plain(get).value(get(), 0)
        get()
        return value if type(get()) is StreamEndEvent else None
    except (UnreadableError, YamlError):
        return None
