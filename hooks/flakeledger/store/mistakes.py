"""Says what is wrong with a row that is no YAML, and finds the text that repairs it.

Invariants:
* A parser's complaint becomes a sentence for the person who wrote the row, at the place where the mistake is,
  which is not always the place where the parser noticed.
* A repair is offered only after the parser accepted it up to a later line; nothing here writes it anywhere.
* Lines count from 0 and columns from 1 here; the reader adds the row's first line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple


class Spot(NamedTuple):
    """A place in a row's text: line from 0, column from 1."""

    line: int
    column: int


class Complaint(NamedTuple):
    """What a YAML parser says when it gives up: the problem and its place, what it was doing and where that began."""

    problem: str
    spot: Spot
    context: str
    began: Spot


class Mistake(NamedTuple):
    """A complaint in the words of a ledger."""

    spot: Spot
    message: str
    fix: str


class _Known(NamedTuple):
    context: str
    problem: str
    place: Literal["problem", "context"]
    message: str
    fix: str = "write each field as `name: value`, and quote a text that holds more than words"


_ROWS = "a row starts with its dash below the dash above, and its fields stand deeper"
_ALIGN = "align the dash with the one above, or the field with the fields of its row"
_DEEPER = "this line belongs to the value of line {above}: it is indented deeper than the fields of its row"
#: the first entry whose texts are parts of the parser's context and problem says what is wrong
_KNOWN = (
    _Known("", "cannot start any token", "problem", "a text that begins with `{character}` must be quoted"),
    _Known("", "mapping values are not allowed", "problem", "a text that holds `: ` must be quoted"),
    _Known("", "sequence entries are not allowed", "problem", "a text that begins with `- ` must be quoted"),
    _Known("a simple key", "", "context", "this is no field: write `name: value`, with a space after the colon"),
    _Known("a quoted scalar", "unexpected", "context", "the quote that opens here is not closed within its row"),
    _Known("-quoted scalar", "unexpected", "context", "the quote that opens here is not closed within its row"),
    _Known("", "unknown escape", "problem", "double quotes do not know this escape: use single quotes"),
    _Known("an alias", "", "context", "a text that begins with `*` must be quoted"),
    _Known("an anchor", "", "context", "a text that begins with `&` must be quoted"),
    _Known("a tag", "", "context", "a text that begins with `!` must be quoted"),
    _Known("a flow sequence", "", "problem", "the list of line {began} does not go on so: quote texts with brackets"),
    _Known("a flow mapping", "", "problem", "the mapping of line {began} does not go on so: quote texts with braces"),
    _Known("a block scalar", "", "problem", "the text of `|` or `>` starts on the next line: quote it instead"),
    _Known("a flow node", "content", "problem", "an item is missing before this"),
    _Known("a block node", "content", "problem", "a text that begins with `{character}` must be quoted"),
    _Known("a block collection", "", "problem", _ROWS, _ALIGN),
    _Known("", "document start", "problem", _ROWS, _ALIGN),
)
_FIELD = "write each field as `name: value`, aligned with the field above"
_QUOTE_OR_ALIGN = "align it with the field above if it is a field of its own; if it is text, quote the whole text"
_MISALIGNED = "this line is not aligned with the fields of its row"
_AFTER_END = "nothing may follow a closing quote or bracket: quote the whole text"

_CLOSING = {"[": "]", "{": "}"}
_INDENT = re.compile(r" *")
_HEAD = re.compile(r"(?P<head> *+(?:- ++)?[A-Za-z_][A-Za-z0-9_]*+):(?P<space> *+)(?P<value>[^\r\n]*)")
_COMMENT = re.compile(r"(?<! ) ++# ")


def explain(complaint: Complaint, lines: list[str], first: int) -> Mistake:
    """The mistake behind a parser's complaint about these lines; `first` is the line of the file they start on."""
    spot = complaint.spot
    if spot.line < len(lines) and _is_deeper(lines, spot.line) and "mapping values" in complaint.problem:
        return Mistake(
            _start(lines, spot.line), _DEEPER.format(above=first + _line_above(lines, spot.line)), _QUOTE_OR_ALIGN
        )
    for known in _KNOWN:
        if known.context in complaint.context and known.problem in complaint.problem:
            spot = complaint.began if known.place == "context" else spot
            words = {"character": _character(lines, spot), "began": first + complaint.began.line}
            return Mistake(_within(lines, spot), known.message.format(**words), known.fix)
    if "block mapping" in complaint.context:
        return Mistake(_within(lines, spot), _MISALIGNED if _starts_line(lines, spot) else _AFTER_END, _FIELD)
    return Mistake(_within(lines, spot), f"this is no YAML: {complaint.problem}", _FIELD)


def repairs(lines: list[str], line: int) -> Iterator[str]:
    """Texts that the line may have meant, the likeliest first; for the caller to try."""
    if line >= len(lines):
        return
    text = lines[line]
    column = field_column(lines)
    if line and len(text) - len(text.lstrip(" ")) != column and _HEAD.match(text):
        yield " " * column + text.lstrip(" ")
    found = _HEAD.match(text)
    if found is None:
        return
    comment = _COMMENT.search(found["value"])
    value = found["value"][: comment.start()] if comment else found["value"].rstrip(" ")
    rest = found["value"][comment.start() :] if comment else ""
    for candidate in _values(value, bool(found["space"])):
        yield f"{found['head']}: {candidate}{rest}"


def _values(value: str, spaced: bool) -> Iterator[str]:
    if value and not spaced:
        yield value
    if value[:1] in ("'", '"'):
        yield value + value[0]
        if value.endswith(value[0]):
            yield quoted(value[1:-1])
    if value[:1] in _CLOSING and not value.endswith(_CLOSING[value[0]]):
        yield value + _CLOSING[value[0]]
    if value[:1] == "[" and value.endswith("]"):
        yield f"[{', '.join(quoted(item.strip(' ')) for item in value[1:-1].split(','))}]"
    if value:
        yield quoted(value)


def quoted(text: str) -> str:
    """The text as a quoted YAML scalar, in double quotes unless those would need escapes."""
    if '"' in text or "\\" in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


def field_column(lines: list[str]) -> int:
    """How many characters stand before the fields of the row."""
    dash = re.match(r" *+- *+", lines[0])
    if dash is not None and lines[0][dash.end() :].strip() and lines[0][dash.end()] != "#":
        return dash.end()
    below = next((line for line in lines[1:] if line.strip() and line.lstrip(" ")[0] != "#"), "")
    return len(below) - len(below.lstrip(" "))


def continuation(lines: list[str], line: int, first: int) -> Mistake:
    """What to say of the plain text that starts on this line and goes on below it."""
    below = next((number for number in range(line + 1, len(lines)) if lines[number].strip()), line)
    return Mistake(_start(lines, below), _DEEPER.format(above=first + line), _QUOTE_OR_ALIGN)


def _is_deeper(lines: list[str], line: int) -> bool:
    return line > 0 and len(lines[line]) - len(lines[line].lstrip(" ")) > field_column(lines)


def _line_above(lines: list[str], line: int) -> int:
    return next((number for number in range(line - 1, 0, -1) if lines[number].strip()), 0)


def _start(lines: list[str], line: int) -> Spot:
    indent = _INDENT.match(lines[line])
    assert indent is not None
    return Spot(line, indent.end() + 1)


def _starts_line(lines: list[str], spot: Spot) -> bool:
    return spot.line < len(lines) and not lines[spot.line][: spot.column - 1].strip(" -")


def _character(lines: list[str], spot: Spot) -> str:
    text = lines[spot.line] if spot.line < len(lines) else ""
    return text[spot.column - 1 : spot.column]


def _within(lines: list[str], spot: Spot) -> Spot:
    """The spot, or the end of the last line that holds text when the parser complains about the end."""
    if spot.line < len(lines) and (spot.line + 1 < len(lines) or lines[spot.line]):
        return spot
    last = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    return Spot(last, len(lines[last].rstrip()) + 1)
