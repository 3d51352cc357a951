"""New text for rows and fields, in the layout of the rows around them.

Invariants:
* Every text that comes out is what the strict reader reads as the value that went in.
* Texts for people (owner, reason, statement, issue) are quoted, names and digests and dates stand plain where they can.
* Lines come without their ends and without the indentation of the row's fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from flakeledger.model import kinds
from flakeledger.model.fields import FieldTable
from flakeledger.model.rows import Scalar
from flakeledger.store.row_spans import Field, line_start, spans_of
from flakeledger.store.scalars import ledger_scalar, quoted

#: what an edit gives a field
NewValue = str | int | Sequence[str] | Mapping[str, str]
_PROSE = (kinds.TEXT, kinds.REASON)
#: how far lists and mappings stand in from the name of their field
_INDENT = 2


class Style(NamedTuple):
    """The layout of a row. Columns count from 0; offsets count from the column of the fields."""

    newline: str = "\n"
    dash: int = 0
    column: int = 2
    dash_alone: bool = False
    list_offset: int = _INDENT
    list_gap: str = " "
    mapping_offset: int = _INDENT
    #: the fields whose lists and mappings are written on one line
    flow: frozenset[str] = frozenset()


def style_of(texts: Iterable[str], newline: str) -> Style:
    """The layout that rows have; of two that differ the first one's. `texts` are the rows' own lines."""
    spans = [(text, spans_of(text).fields) for text in texts]
    if not spans:
        return Style(newline)
    text, fields = spans[0]
    dash, column = text.index("-"), fields[0].key - line_start(text, fields[0].key)
    found = Style(newline, dash, column, dash_alone=not text[dash + 1 : text.index("\n")].strip())
    held = [(text, field) for text, fields in spans for field in fields if field.items]
    first_uses = {field.name: field.flow for _, field in reversed(held)}
    found = found._replace(flow=frozenset(name for name, flow in first_uses.items() if flow))
    for text, field in reversed(held):
        if not field.flow:
            found = _with_offsets(found, text, field)
    return found


def _with_offsets(style: Style, text: str, field: Field) -> Style:
    item = field.items[0]
    name = field.key - line_start(text, field.key)
    offset = item.start - line_start(text, item.start) - name
    if field.shape == "mapping":
        return style._replace(mapping_offset=offset)
    gap = text[item.start + 1 : item.text.start]
    return style._replace(list_offset=offset, list_gap=gap if gap.strip(" ") == "" and gap else " ")


def is_prose(table: FieldTable, name: str) -> bool:
    """Whether a field holds a text for people."""
    return name in table.by_name and table.by_name[name].kind in _PROSE


def value_scalar(table: FieldTable, name: str, text: Scalar) -> str:
    """One text of a field as a scalar; nothing is written for None."""
    if text is None:
        return ""
    field = table.by_name.get(name)
    if field is not None and field.kind.shape == "number" and not field.kind.complaint(text):
        return text  # the schemas that editors use ask for an integer
    return quoted(text) if is_prose(table, name) else ledger_scalar(text)


def field_lines(table: FieldTable, name: str, value: NewValue, style: Style) -> list[str]:
    """The lines of one field."""
    head = f"{ledger_scalar(name)}:"
    if isinstance(value, str | int):
        return [f"{head} {value_scalar(table, name, str(value))}"]
    texts = item_texts(table, name, value)
    is_mapping = isinstance(value, Mapping)
    if not texts or name in style.flow:
        return [f"{head} {on_one_line(texts, is_mapping)}"]
    lead = " " * style.mapping_offset if is_mapping else " " * style.list_offset + "-" + style.list_gap
    return [head, *(lead + text for text in texts)]


def item_texts(table: FieldTable, name: str, value: Sequence[str] | Mapping[str, str]) -> list[str]:
    """The items of a list, or the entries of a mapping, each as it is written."""
    if isinstance(value, Mapping):
        return [f"{ledger_scalar(key)}: {value_scalar(table, name, text)}" for key, text in value.items()]
    return [value_scalar(table, name, text) for text in value]


def on_one_line(texts: Sequence[str], is_mapping: bool, padding: str = "") -> str:
    """A list or mapping in flow style."""
    inner = ", ".join(texts)
    inner = f"{padding}{inner}{padding}" if texts else ""
    return f"{{{inner}}}" if is_mapping else f"[{inner}]"


def row_text(table: FieldTable, fields: Mapping[str, NewValue], style: Style) -> str:
    """A whole row with its dash, each line with its end; fields in the order of the table, unknown ones last."""
    names = ordered(table, fields)
    lines = [line for name in names for line in field_lines(table, name, fields[name], style)]
    indent = " " * style.column
    if style.dash_alone:
        whole = [" " * style.dash + "-", *(indent + line for line in lines)]
    else:
        lead = " " * style.dash + "-" + " " * (style.column - style.dash - 1)
        whole = [lead + lines[0], *(indent + line for line in lines[1:])]
    return "".join(line + style.newline for line in whole)


def ordered(table: FieldTable, names: Iterable[str]) -> list[str]:
    """Names in the order of the table; those it does not know stay in their order at the end."""
    place = places(table)
    return sorted(names, key=lambda name: place.get(name, len(place)))


def places(table: FieldTable) -> dict[str, int]:
    """The place of each field in its table."""
    return {field.name: number for number, field in enumerate(table.fields)}
