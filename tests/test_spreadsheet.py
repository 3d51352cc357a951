"""CSV for spreadsheets: nothing is computed, and what is read back is what was written."""

from __future__ import annotations

import csv
import io

import pytest

from flakeledger.reporters.spreadsheet import csv_text


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("plain", "plain"),
        ('a "quoted", cell', 'a "quoted", cell'),
        ("@finley", "'@finley"),
        ('=HYPERLINK("http://x","y")', "'=HYPERLINK(\"http://x\",\"y\")"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("a=1", "a=1"),
        ("two\nlines", "two\\nlines"),
        ("\t=1", "\\t=1"),
        ("\x1b[31m", "\\x1b[31m"),
        (-3, "-3"),
        (0.5, "0.5"),
        (None, ""),
        ("", ""),
    ],
)  # fmt: skip
def test_what_a_cell_becomes(value: str | float | None, cell: str) -> None:
    text = csv_text(("heading", "other"), [(value, "x")])
    assert list(csv.reader(io.StringIO(text))) == [["heading", "other"], [cell, "x"]]
    assert text.count("\n") == 2
