"""The chart of open freezes: what stands where, in dots and in ASCII, and which terminals get which."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from flakeledger.repo.trend import Week
from flakeledger.reporters.trend_chart import NARROWEST, chart, shows_dots
from timelines import on


def weeks(opens: Sequence[int]) -> list[Week]:
    return [Week(on(7 * number), count, 0, 0, 0, 0) for number, count in enumerate(opens)]


def drawn(opens: Sequence[int], width: int = NARROWEST, *, plain: bool = True, colour: bool = False) -> list[str]:
    return chart(weeks(opens), width, plain=plain, colour=colour).splitlines()


def test_in_ascii() -> None:
    assert drawn([0, 2, 1, 3]) == [
        "open freezes at the end of each week",
        "3 |                            *********",
        "2 |          *********",
        "1 |                   *********",
        "0 |",
        "  +-------------------------------------",
        "   2026-03-02                 2026-03-23",
    ]


def test_in_dots() -> None:
    assert drawn([0, 2, 1, 3], plain=False) == [
        "open freezes at the end of each week",
        "3 |                            ⣀⣀⣀⣀⣀⣀⣀⣀⣀",
        "2 |         ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀         ⡇",
        "1 |         ⡇        ⢸⣀⣀⣀⣀⣀⣀⣀⣀⣀⡇",
        "0 |         ⡇",
        "  +-------------------------------------",
        "   2026-03-02                 2026-03-23",
    ]


def numbers(lines: Sequence[str]) -> list[int]:
    return [int(line.partition("|")[0]) for line in lines[1:-2]]


@pytest.mark.parametrize(
    ("peak", "rows"),
    [
        (0, [0]),
        (1, [1, 0]),
        (9, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        (10, [10, 8, 6, 4, 2, 0]),
        (19, [18, 16, 14, 12, 10, 8, 6, 4, 2, 0]),
        (99, [90, 80, 70, 60, 50, 40, 30, 20, 10, 0]),
        (25, [25, 20, 15, 10, 5, 0]),
        (300, [300, 250, 200, 150, 100, 50, 0]),
        (10_000, [10_000, 8000, 6000, 4000, 2000, 0]),
    ],
)
def test_a_row_is_a_round_number_of_freezes(peak: int, rows: list[int]) -> None:
    assert numbers(drawn([0, peak])) == rows


@given(st.lists(st.integers(0, 300), min_size=1, max_size=200), st.integers(1, 120))
@example([0, 9] * 100, NARROWEST)
def test_every_column_with_a_freeze_stands_in_the_row_of_its_highest_week(opens: list[int], width: int) -> None:
    lines = drawn(opens, width)
    assert {len(line) for line in lines[-2:]} == {max(width, NARROWEST)}
    assert "".join(lines).isascii()
    rows = numbers(lines)
    margin = lines[1].index("|") + 1
    columns = len(lines[-1]) - margin
    stars = {number: row for row, line in zip(rows, lines[1:-2], strict=True) for number in marked(line[margin:])}
    step = rows[-2] if len(rows) > 1 else max(opens) + 1
    for column in range(columns):
        first, end = column * len(opens) // columns, (column + 1) * len(opens) // columns
        highest = max(opens[first : max(end, first + 1)])
        assert (column in stars) == (highest > 0)
        assert 0 <= highest - stars.get(column, 0) < step


def marked(line: str) -> list[int]:
    return [number for number, character in enumerate(line) if character == "*"]


@pytest.mark.parametrize("plain", [True, False])
def test_no_freeze_is_no_mark(plain: bool) -> None:
    assert drawn([0, 0, 0], plain=plain)[1:-2] == ["0 |"]


@given(st.lists(st.integers(1, 300), min_size=1, max_size=300))
def test_dots_reach_from_edge_to_edge_and_up_to_the_peak(opens: list[int]) -> None:
    lines = drawn(opens, plain=False)
    margin = lines[1].index("|") + 1
    assert lines[1][margin:].strip(), "the highest row is that of the peak"
    body = [line[margin:].ljust(len(lines[-1]) - margin) for line in lines[1:-2]]
    assert all("".join(column).strip() for column in zip(*body, strict=True))


def test_colour_is_for_those_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[36m" in "".join(drawn([1], plain=False, colour=True))
    assert "\x1b" not in "".join(drawn([1], plain=False, colour=False))
    assert "\x1b" not in "".join(drawn([1], plain=True, colour=True))


@pytest.mark.parametrize(
    ("encoding", "terminal", "shows"),
    [
        ("utf-8", "xterm-256color", True),
        ("utf-8", "", True),
        ("utf-8", "dumb", False),
        ("utf-8", "linux", False),
        ("iso8859-1", "xterm", False),
        ("ascii", "xterm", False),
        ("no such encoding", "xterm", False),
    ],
)
def test_which_terminals_show_dots(encoding: str, terminal: str, shows: bool) -> None:
    assert shows_dots(encoding, terminal) is shows
