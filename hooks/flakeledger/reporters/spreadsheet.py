"""Rows as CSV (RFC 4180, but lines end in a newline alone) that a spreadsheet opens without computing anything.

Invariants:
* A cell that a spreadsheet would take for a formula begins with an apostrophe: the first character decides
  (https://owasp.org/www-community/attacks/CSV_Injection). So an owner becomes `'@name`.
* Control, bidirectional and invisible characters become their escapes: a cell is one line.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from flakeledger.reporters.escape import escape_text

#: the last four are what Excel in Japanese and Chinese takes for the first four
_COMPUTED = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[str | int | float | None]]) -> str:
    """A line of headings and a line a row. None is an empty cell; numbers are written as they are."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: str | float | None) -> str | float | None:
    if not isinstance(value, str):
        return value
    shown = escape_text(value)
    return f"'{shown}" if shown.startswith(_COMPUTED) else shown
