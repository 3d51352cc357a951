"""Tables of cells: for pipes, for terminals of every width, and with text of strangers in them."""

from __future__ import annotations

import os
import pty
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.reporters.cells import width_of
from flakeledger.reporters.columns import columns, terminal_width
from flakeledger.reporters.escape import escape_line

HEADINGS = ("verdict", "test", "left", "next")
ROWS = (
    ("thaw", "tests/test_a.py::test_a", "5 days", "flakeledger thaw tests/test_a.py::test_a"),
    ("replay", "test_b.py::test_b", "", "flakeledger replay test_b.py::test_b"),
)
WIDE = """\
verdict  test                     left    next
thaw     tests/test_a.py::test_a  5 days  flakeledger thaw tests/test_a.py::test_a
replay   test_b.py::test_b                flakeledger replay test_b.py::test_b
"""
#: the last column does not fit
FOLDED = """\
verdict  test                     left
    next
thaw     tests/test_a.py::test_a  5 days
    flakeledger thaw tests/test_a.py::test_a
replay   test_b.py::test_b
    flakeledger replay test_b.py::test_b
"""
#: the id of a test does not fit either; a command is not cut
NARROW = """\
verdict
    test  left  next
thaw
    tests/test_a.py::test_a
    5 days
    flakeledger thaw tests/test_a.py::test_a
replay
    test_b.py::test_b
    flakeledger replay test_b.py::test_b
"""


@pytest.mark.parametrize(
    ("width", "expected"), [(200, WIDE), (82, WIDE), (81, FOLDED), (40, FOLDED), (31, NARROW), (23, NARROW)]
)
def test_what_has_no_room_beside_the_others_goes_on_below(width: int, expected: str) -> None:
    assert columns(HEADINGS, ROWS, width) == expected


def test_a_pipe_gets_a_line_a_row_and_no_headings() -> None:
    assert columns(HEADINGS, ROWS, None) == "".join("\t".join(row) + "\n" for row in ROWS)


def test_no_rows_are_no_table() -> None:
    assert columns(HEADINGS, (), 80) == columns(HEADINGS, (), None) == ""


TEXTS = st.text(max_size=40) | st.sampled_from(["", "日本語" * 9, "\x1b[31m", "a\nb\tc", "שלום", "e\u0301" * 9])


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS, TEXTS), min_size=1, max_size=4), st.integers(1, 120))
def test_a_line_is_wider_than_the_terminal_only_where_one_cell_is(
    rows: list[tuple[str, str, str, str]], width: int
) -> None:
    shown = columns(HEADINGS, rows, width)
    assert "\x1b" not in shown
    assert "\t" not in shown
    cells = {escape_line(cell).rstrip() for row in [HEADINGS, *rows] for cell in row}
    for line in shown.split("\n"):
        assert width_of(line) <= width or line.removeprefix("    ").rstrip() in cells


def test_the_width_is_that_of_the_terminal_behind_the_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    monkeypatch.setenv("COLUMNS", "57")
    with open(theirs, "w", encoding="utf-8") as terminal, (tmp_path / "file").open("w") as file:
        assert (terminal_width(terminal), terminal_width(file)) == (57, None)
    os.close(ours)
