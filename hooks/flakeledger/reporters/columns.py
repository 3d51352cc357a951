"""Rows of cells for people and for pipes.

Invariants:
* A pipe gets a tab between cells and one line a row; a terminal gets aligned columns under their headings.
* On a terminal, columns that have no room beside the others go on below their row. No cell is ever cut, so that a
  command can be copied: a line is wider than the terminal only where one cell alone is.
* Every cell is escaped: text from files can neither drive a terminal nor begin a line of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TextIO

from flakeledger.reporters.cells import padded, width_of
from flakeledger.reporters.escape import escape_line

_GAP = "  "
_INDENT = "    "


def terminal_width(stream: TextIO) -> int | None:
    """How many cells a line has on the terminal behind a stream; None where no terminal is behind it."""
    if not stream.isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def columns(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> str:
    """The rows as text for a terminal of this width, None for a pipe; nothing when there are no rows.

    Each row has as many cells as there are headings.
    """
    cells = [[escape_line(cell) for cell in row] for row in rows]
    if width is None:
        return "".join("\t".join(row) + "\n" for row in cells)
    if not cells:
        return ""
    lines = [list(headings), *cells]
    widths = [max(width_of(row[index]) for row in lines) for index in range(len(headings))]
    ends = accumulate(widths, lambda used, one: used + len(_GAP) + one)
    beside = max(sum(end <= width for end in ends), 1)
    return "".join(f"{text}\n" for line in lines for text in _lines(line, widths[:beside], width))


def _lines(cells: Sequence[str], widths: Sequence[int], width: int) -> Iterator[str]:
    """The cells that have their columns, in one line; the others below it, as many in a line as there is room for."""
    yield _GAP.join(map(padded, cells, widths)).rstrip()
    waiting = ""
    for cell in filter(None, cells[len(widths) :]):
        longer = f"{waiting}{_GAP}{cell}" if waiting else f"{_INDENT}{cell}"
        if waiting and width_of(longer) > width:
            yield waiting
            longer = f"{_INDENT}{cell}"
        waiting = longer
    if waiting:
        yield waiting
