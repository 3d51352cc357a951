"""Reads quarantine lists in YAML: Elasticsearch's muted-tests.yml (`class`, `method` or `methods`, `issue`), or ids.

Invariants:
* The strict reader reads the text; nothing is constructed, and neither aliases nor depth make it large.
* A muted class without methods is one entry: the whole class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flakeledger.model.errors import CannotTell
from flakeledger.model.rows import ListNode, MappingNode, Node, Place, ScalarNode
from flakeledger.store.quarantine_entries import Entry, Selector, bad_entry, entry_of_fields
from flakeledger.store.reader import read_document


def read_yaml(text: str, path: str) -> Iterator[Entry]:
    """The entries of a YAML list. CannotTell, with its place, for what the strict reader refuses."""
    node, findings = read_document(text.encode(), path)
    if node is None:
        first = findings[0]
        raise CannotTell(first.message, first.fix, f"{path}:{first.line}:{first.column}")
    rows = node
    if isinstance(node, MappingNode):
        rows = next((entry.value for entry in node.entries if isinstance(entry.value, ListNode)), node)
    if isinstance(rows, ScalarNode) and not rows.text:
        return
    if not isinstance(rows, ListNode):
        raise CannotTell("this file holds no list of tests", "write `tests:` above the list", f"{path}:{rows.line}:1")
    for row in rows.items:
        yield from _yaml_entries(row, path)


def _yaml_entries(row: Node, path: str) -> Iterator[Entry]:
    place = Place(row.line, row.column)
    if isinstance(row, ScalarNode) and row.text:
        yield Entry(path, place, Selector(row.text, "id"))
    elif not isinstance(row, MappingNode):
        yield bad_entry(path, place, "", "an entry is a test id or a mapping with `class` or `test`")
    else:
        values = {entry.key: entry.value for entry in row.entries}
        if "class" in values:
            yield from _muted(values, path, place)
        else:
            texts = {key: value.text if isinstance(value, ScalarNode) else 0 for key, value in values.items()}
            yield entry_of_fields(texts, path, place)


def _muted(values: Mapping[str, Node], path: str, place: Place) -> Iterator[Entry]:
    """The methods of one muted class; the whole class where it names none."""
    class_name, issue = _text(values["class"]), _text(values.get("issue"))
    if not class_name:
        yield bad_entry(path, place, "", "`class` is a text")
        return
    methods: list[Node | None] = [values["method"]] if "method" in values else []
    listed = values.get("methods")
    if listed is not None:
        methods += listed.items if isinstance(listed, ListNode) else [listed]
    for method in methods or [None]:
        name = _text(method)
        if method is not None and not name:
            yield bad_entry(path, Place(method.line, method.column), class_name, "a method is a text")
            continue
        where = place if method is None else Place(method.line, method.column)
        selector = Selector(f"{class_name}.{name}" if name else class_name, "class", name or "", (class_name,))
        yield Entry(path, where, selector, issue=issue)


def _text(node: Node | None) -> str | None:
    return node.text if isinstance(node, ScalarNode) else None
