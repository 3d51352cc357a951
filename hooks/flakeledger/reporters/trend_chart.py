"""The open freezes of some weeks as a chart for terminals, drawn by plotille; the axes are plain text.

Invariants:
* `plain` gives ASCII only and no colour, whatever the environment says: for pipes, and for terminals that show no more.
* A week without an open freeze has no mark of its own: in the row of 0, too, a mark is a freeze.
* No line is wider than `width`, if that is at least `NARROWEST`; a row stands for a whole number of freezes.
* Nothing in it comes from a file: there is nothing to escape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flakeledger.repo.trend import Week

if TYPE_CHECKING:
    from plotille import Canvas

#: two dates and a gap below the chart, and room for the numbers beside it
NARROWEST = 40
_MOST_ROWS = 10
_HEADING = "open freezes at the end of each week"
#: terminals that have no Braille dots, whatever their encoding is
_DOTLESS = frozenset(("dumb", "linux"))
_NO_DOTS = "\u2800"
#: a character has so many dots above each other
_DOTS = 4


def shows_dots(encoding: str, terminal: str) -> bool:
    """Whether a terminal of this encoding and kind (its TERM) can show Braille dots."""
    try:
        _NO_DOTS.encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return terminal not in _DOTLESS


def chart(weeks: Sequence[Week], width: int, *, plain: bool, colour: bool) -> str:
    """The chart, with its heading and its axes; `weeks` has at least one."""
    peak = max(week.open for week in weeks)
    step = _round_number(peak // _MOST_ROWS + 1)
    rows = peak // step + 1
    digits = len(str((rows - 1) * step))
    columns = max(width, NARROWEST) - digits - len(" |")
    opens = [week.open for week in weeks]
    heights = [number * _DOTS // step for number in opens]
    canvas = _canvas(columns, rows, len(weeks))
    if plain:
        _points(canvas, heights, columns, opens)
    else:
        _line(canvas, heights, opens, "cyan" if colour else None)
    drawn = canvas.plot(linesep="\n").replace(_NO_DOTS, " ").split("\n")
    numbers = [f"{row * step:>{digits}} |" for row in reversed(range(rows))]
    lines = [f"{number}{line}".rstrip() for number, line in zip(numbers, drawn, strict=True)]
    margin = " " * (digits + 1)
    dates = f"{weeks[0].start}{weeks[-1].start:>{columns - len(weeks[0].start)}}"
    return "\n".join([_HEADING, *lines, f"{margin}+{'-' * columns}", f"{margin} {dates}", ""])


def _round_number(least: int) -> int:
    """The first of 1, 2, 5, 10, 20, 50, ... that is not less."""
    power: int = 10 ** (len(str(least)) - 1)
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)


def _canvas(columns: int, rows: int, weeks: int) -> Canvas:
    """What is drawn on: so many characters wide and high, measured in weeks and in dots."""
    from plotille import Canvas  # only a chart pays for it

    return Canvas(columns, rows, 0, 0, weeks, rows * _DOTS)


def _points(canvas: Canvas, heights: Sequence[int], columns: int, opens: Sequence[int]) -> None:
    """A star in every column with an open freeze, at the highest of its weeks."""
    count = len(heights)
    for column in range(columns):
        first, end = column * count // columns, (column + 1) * count // columns
        weeks = slice(first, max(end, first + 1))
        if any(opens[weeks]):
            canvas.point((column + 0.5) * count / columns, max(heights[weeks]), marker="*")


def _line(canvas: Canvas, heights: Sequence[int], opens: Sequence[int], colour: str | None) -> None:
    """A level line for each week with an open freeze, and a steep one where two weeks differ."""
    for number, (before, after) in enumerate(zip([heights[0], *heights], heights, strict=False)):
        if before != after:
            canvas.line(number, before, number, after, color=colour)
        if opens[number]:
            canvas.line(number, after, number + 1, after, color=colour)
