"""Rows of cells for people and for pipes.

Invariants:
* A pipe gets a tab between cells and one line a row; a terminal gets aligned columns under their headings.
* Every cell is escaped: text from files can neither drive a terminal nor begin a line of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from flakeledger.reporters.cells import padded, width_of
from flakeledger.reporters.escape import escape_line

_GAP = "  "


def columns(headings: Sequence[str], rows: Sequence[Sequence[str]], *, aligned: bool) -> str:
    """The rows as text; nothing when there are none. Each row has as many cells as there are headings."""
    cells = [[escape_line(cell) for cell in row] for row in rows]
    if not aligned:
        return "".join("\t".join(row) + "\n" for row in cells)
    if not cells:
        return ""
    lines = [list(headings), *cells]
    widths = [max(width_of(row[index]) for row in lines) for index in range(len(headings))]
    aligned_rows = (_GAP.join(padded(cell, width) for cell, width in zip(row, widths, strict=True)) for row in lines)
    return "".join(f"{line.rstrip()}\n" for line in aligned_rows)
