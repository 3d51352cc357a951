"""The frozen rows as a table: aligned for a terminal of any width, with tabs for a pipe.

Invariants:
* No line is wider than the terminal. Where the id of a test would get too little room it stands in a line of its own,
  with the rest of the row below it; what is still too wide is cut in the middle.
* Text from files is escaped, and what the terminal cannot encode becomes its escape before anything is measured.
* A colour is only ever added to words that say the same without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flakeledger.reporters.cells import cut_middle, in_its_column, width_of
from flakeledger.reporters.columns import columns
from flakeledger.reporters.escape import escape_line
from flakeledger.reporters.frozen_rows import time_left
from flakeledger.rules.overview import FrozenRow
from flakeledger.verdicts.interview import VerdictName
from flakeledger.verdicts.rates import percent

HEADINGS = ("test", "property", "owner", "age", "left", "replay", "bound", "verdict")
_LEFT, _VERDICT = HEADINGS.index("left"), HEADINGS.index("verdict")
_GAP = "  "
_INDENT = "    "
#: the least room for the id of a test beside the other columns
_LEAST_TEST = 32
#: the most that a property or an owner takes from it
_MOST_OTHERS = 24
_BAR = 6
_BOLD, _RED, _GREEN, _YELLOW, _RESET = (f"\x1b[{number}m" for number in (1, 31, 32, 33, 0))
_COLOURS: dict[VerdictName, str] = {
    "gone": _GREEN,
    "void": _YELLOW,
    "withdraw": _YELLOW,
    "delete_first": _RED,
    "replay": _YELLOW,
    "fix": _RED,
    "delete_test": _RED,
    "bind_property": _YELLOW,
    "thaw": _GREEN,
}


class Terminal(NamedTuple):
    """What a terminal can show."""

    width: int
    encoding: str
    colour: bool


class _Signs(NamedTuple):
    """What a bar and a cut are drawn with."""

    full: str
    empty: str
    cut: str


_SIGNS, _ASCII_SIGNS = _Signs("\u2588", "\u2591", "\u2026"), _Signs("#", ".", "~")


class _Line(NamedTuple):
    """The cells of a row, and the colour of those that have one."""

    cells: tuple[str, ...]
    colours: dict[int, str]


def cells(row: FrozenRow) -> tuple[str, ...]:
    """What stands below `HEADINGS`, unescaped."""
    one = row.interview
    return (
        one.freeze.test or "",
        one.freeze.property_id or "",
        one.freeze.owner or "nobody",
        "" if row.age_days is None else f"{row.age_days} d",
        time_left(row, "{} d".format),
        "none" if one.newest is None else f"{one.newest.passed}/{one.newest.total}",
        "" if row.bound is None else percent(row.bound),
        one.verdict.name,
    )


def for_pipe(rows: Sequence[FrozenRow]) -> str:
    """A line a row, a tab between cells, no headings."""
    return columns(HEADINGS, [cells(row) for row in rows], None)


def for_terminal(rows: Sequence[FrozenRow], terminal: Terminal) -> str:
    """The table with its headings; nothing when there are no rows."""
    if not rows:
        return ""
    signs = _SIGNS if _can_show("".join(_SIGNS), terminal) else _ASCII_SIGNS
    lines = [
        _Line(HEADINGS, dict.fromkeys(range(len(HEADINGS)), _BOLD)),
        *(_line(row, terminal, signs) for row in rows),
    ]
    widths = [max(width_of(line.cells[index]) for line in lines) for index in range(len(HEADINGS))]
    room = terminal.width - sum(widths[1:]) - len(_GAP) * len(widths[1:])
    if room >= min(widths[0], _LEAST_TEST):
        widths[0] = min(widths[0], room)
        return "".join(_joined(line, 0, widths, terminal, signs) for line in lines)
    return "".join(_folded(line, widths, terminal, signs) for line in lines)


def _can_show(text: str, terminal: Terminal) -> bool:
    return text.encode(terminal.encoding, "replace").decode(terminal.encoding) == text


def _line(row: FrozenRow, terminal: Terminal, signs: _Signs) -> _Line:
    """The row, escaped, with its bar, and no other column wider than its share."""
    shown = [_escaped(cell, terminal) for cell in cells(row)]
    shown[1:3] = [cut_middle(cell, _MOST_OTHERS, signs.cut) for cell in shown[1:3]]
    filled = _filled(row)
    shown[_LEFT] = f"{_bar(filled, signs)} {shown[_LEFT]}"
    left = _RED if filled == 0 else _YELLOW if filled == 1 else ""
    return _Line(tuple(shown), {_LEFT: left, _VERDICT: _COLOURS[row.interview.verdict.name]})


def _escaped(text: str, terminal: Terminal) -> str:
    shown = escape_line(text)
    return shown if shown.isascii() else shown.encode(terminal.encoding, "backslashreplace").decode(terminal.encoding)


def _filled(row: FrozenRow) -> int | None:
    """How much of the bar is full: what is left of the window, begun parts included. None: the window is not known."""
    if row.days_left is None or not row.window_days or row.window_days < 0:
        return None
    return min(-(-_BAR * row.days_left // row.window_days), _BAR)


def _bar(filled: int | None, signs: _Signs) -> str:
    return " " * _BAR if filled is None else signs.full * filled + signs.empty * (_BAR - filled)


def _joined(line: _Line, first: int, widths: Sequence[int], terminal: Terminal, signs: _Signs) -> str:
    """The cells from one column on, each in its width."""
    parts = [
        _shown(line, index, widths[index], terminal, signs, is_last=index == len(widths) - 1)
        for index in range(first, len(widths))
    ]
    return _GAP.join(parts).rstrip() + "\n"


def _shown(line: _Line, index: int, width: int, terminal: Terminal, signs: _Signs, *, is_last: bool = True) -> str:
    """One cell in a width; the last one of a line has no blanks behind it."""
    text = cut_middle(line.cells[index], width, signs.cut)
    blanks = "" if is_last else " " * (width - width_of(text))
    colour = line.colours.get(index, "") if terminal.colour else ""
    return f"{colour}{in_its_column(text)}{_RESET if colour else ''}{blanks}"


def _folded(line: _Line, widths: Sequence[int], terminal: Terminal, signs: _Signs) -> str:
    """The test in a line of its own, and the other cells below it: in columns, or where they do not fit, in lines."""
    head = _shown(line, 0, terminal.width, terminal, signs) + "\n"
    room = terminal.width - len(_INDENT)
    if sum(widths[1:]) + len(_GAP) * len(widths[2:]) <= room:
        return head + _INDENT + _joined(line, 1, widths, terminal, signs)
    lines: list[list[int]] = [[]]
    used = 0
    for index in filter(line.cells.__getitem__, range(1, len(widths))):
        width = width_of(line.cells[index])
        if lines[-1] and used + len(_GAP) + width > room:
            lines.append([])
            used = 0
        used += width + (len(_GAP) if lines[-1] else 0)
        lines[-1].append(index)
    flowed = (_GAP.join(_shown(line, index, max(room, 1), terminal, signs) for index in part) for part in lines)
    return head + "".join(f"{_INDENT}{text.rstrip()}\n" for text in flowed)
