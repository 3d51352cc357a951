"""The table of a status: its layout in every width, its bars, its colours, and text of strangers in it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flakeledger.reporters.cells import width_of
from flakeledger.reporters.status_table import Terminal, for_pipe, for_terminal
from flakeledger.rules.overview import FrozenRow
from frozen import renamed, rows_of, three_owners
from world import REFUND, Templates

LONG = (
    "tests/billing/regional/test_partial_refunds_of_split_payments.py::TestRefund::test_never_exceeds_the_charge[eur]"
)
SGR = re.compile(r"\x1b\[\d+m")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[FrozenRow]:
    folder = tmp_path_factory.mktemp("rows")
    return rows_of(Templates(folder).start(folder / "world", three_owners, "keyed", "block"), 6)


def shown(rows: list[FrozenRow], width: int, encoding: str = "utf-8", colour: bool = False) -> list[str]:
    return for_terminal(rows, Terminal(width, encoding, colour)).splitlines()


WIDE = """\
test                               property  owner            age  left            replay  bound   verdict
tests/test_orders.py::test_total   PROP-1    ada@example.org  6 d  ░░░░░░ expired  none            delete_first
tests/test_orders.py::test_clock   PROP-1    @org/clocks      6 d  ███░░░ 5 d      20/20   13.9 %  thaw
tests/test_orders.py::test_refund  PROP-1    @finley          6 d  █████░ 25 d     18/20   28.3 %  delete_test
"""
#: too narrow for the ids beside the rest
FOLDED = """\
test
    property  owner            age  left            replay  bound   verdict
tests/test_orders.py::test_total
    PROP-1    ada@example.org  6 d  ░░░░░░ expired  none            delete_first
tests/test_orders.py::test_clock
    PROP-1    @org/clocks      6 d  ███░░░ 5 d      20/20   13.9 %  thaw
tests/test_orders.py::test_refund
    PROP-1    @finley          6 d  █████░ 25 d     18/20   28.3 %  delete_test
"""
#: too narrow for the rest as well
FLOWING = """\
test
    property  owner  age  left
    replay  bound  verdict
tests/tes…rders.py::test_total
    PROP-1  ada@example.org
    6 d  ░░░░░░ expired  none
    delete_first
tests/tes…rders.py::test_clock
    PROP-1  @org/clocks  6 d
    ███░░░ 5 d  20/20  13.9 %
    thaw
tests/tes…ders.py::test_refund
    PROP-1  @finley  6 d
    █████░ 25 d  18/20  28.3 %
    delete_test
"""


@pytest.mark.parametrize(("width", "expected"), [(111, WIDE), (109, FOLDED), (80, FOLDED), (30, FLOWING)])
def test_the_layout_fits_the_terminal(rows: list[FrozenRow], width: int, expected: str) -> None:
    assert shown(rows, width) == expected.splitlines()


@pytest.mark.parametrize(("width", "lines"), [(109, 8), (110, 4)])
def test_an_id_that_has_the_least_room_is_cut_before_it_gets_a_line_of_its_own(
    rows: list[FrozenRow], width: int, lines: int
) -> None:
    assert len(shown([renamed(rows[0], test=LONG), *rows[1:]], width)) == lines


def test_a_long_id_is_cut_in_its_middle(rows: list[FrozenRow]) -> None:
    lines = shown([renamed(rows[0], test=LONG), *rows[1:]], 120)
    assert (
        lines[1].startswith("tests/billing/r…n::test_never_exceeds_the_charge[eur]  PROP-1  ")
        or lines[1].count("…") == 1
    )
    assert width_of(lines[1]) == 120
    assert {line.index("PROP-1") for line in lines[1:]} == {lines[0].index("property")}


def test_nothing_is_no_table() -> None:
    assert for_terminal([], Terminal(80, "utf-8", True)) == for_pipe([]) == ""


def test_a_pipe_gets_whole_cells_between_tabs(rows: list[FrozenRow]) -> None:
    found = for_pipe([renamed(rows[0], test=LONG), renamed(rows[2], owner=None)])
    assert [line.split("\t") for line in found.splitlines()] == [
        [LONG, "PROP-1", "ada@example.org", "6 d", "expired", "none", "", "delete_first"],
        [REFUND, "PROP-1", "nobody", "6 d", "25 d", "18/20", "28.3 %", "delete_test"],
    ]


def test_colours_are_added_and_say_nothing_of_their_own(rows: list[FrozenRow]) -> None:
    coloured = for_terminal(rows, Terminal(111, "utf-8", True))
    assert SGR.sub("", coloured) == WIDE
    assert "\x1b[31mdelete_first\x1b[0m" in coloured
    assert "\x1b" not in for_terminal(rows, Terminal(111, "utf-8", False))


@pytest.mark.parametrize(
    ("left", "window", "bar"),
    [(30, 30, "██████"),
     (26, 30, "██████"), (25, 30, "█████░"), (1, 30, "█░░░░░"), (0, 30, "░░░░░░"), (31, 30, "██████"),
     (None, None, "      "), (3, None, "      "), (3, -2, "      "), (3, 0, "      ")],
)  # fmt: skip
def test_the_bar_is_what_is_left_of_the_window(
    rows: list[FrozenRow], left: int | None, window: int | None, bar: str
) -> None:
    line = shown([rows[2]._replace(days_left=left, window_days=window)], 120)[1]
    assert line.partition("6 d  ")[2].startswith(f"{bar} ")


BACKSLASHED = "tests/\\u30c6\\u30b9\\u30c8.py::test_x"


def test_a_terminal_without_unicode_gets_signs_that_it_has(rows: list[FrozenRow]) -> None:
    lines = shown([renamed(rows[2], test="tests/テスト.py::test_x", owner="@名前")], 120, "ascii")
    assert lines[1].startswith(f"{BACKSLASHED}  PROP-1    @\\u540d\\u524d  6 d  #####. 25 d  18/20 ")
    assert "\n".join(lines).isascii()


TEXTS = st.text(max_size=60) | st.sampled_from(
    [
        LONG,
        "",
        "日本語" * 20,
        "שלום::x",
        "\x1b[31m\x1b]0;x\x07",
        "\u202eabc",
        "a" * 10_000,
        "::error::x",
        "x\ny\tz",
        "e\u0301" * 30,
    ]
)


@given(
    st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=3),
    st.integers(8, 140),
    st.sampled_from(["utf-8", "latin-1"]),
)
@settings(max_examples=150)
def test_no_line_is_wider_than_the_terminal(
    rows: list[FrozenRow], texts: list[tuple[str, str, str]], width: int, encoding: str
) -> None:
    hostile = [renamed(rows[at], test=test, owner=who, property_id=name) for at, (test, who, name) in enumerate(texts)]
    text = for_terminal(hostile, Terminal(width, encoding, True))
    text.encode(encoding)
    lines = SGR.sub("", text).removesuffix("\n").split("\n")
    assert max(map(width_of, lines)) <= width
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "".join(lines))


@given(st.lists(TEXTS, min_size=3, max_size=3))
def test_columns_stand_below_their_headings(rows: list[FrozenRow], owners: list[str]) -> None:
    lines = shown([renamed(row, owner=owner or None) for row, owner in zip(rows, owners, strict=True)], 140)
    ends = {width_of(line[: line.rindex("  ") + 2]) for line in lines}
    assert ends == {width_of(lines[0].removesuffix("verdict"))}
