"""Cells of a terminal: widths, cuts, padding, and text from right to left."""

from __future__ import annotations

import sys
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.reporters.cells import cut_middle, in_its_column, padded, width_of
from flakeledger.reporters.escape import escape_line


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("abc", 3), ("é", 1), ("e\u0301", 1), ("日本", 4), ("😀", 2), ("שלום", 4), ("\uff46", 2)],
)
def test_how_wide_a_text_is(text: str, width: int) -> None:
    assert width_of(text) == width
    assert width_of(padded(text, 10)) == 10


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("test_refund", 11, "test_refund"),
        ("tests/a/b/test_refund", 10, "tes…refund"),
        ("tests/a/b/test_refund", 1, "…"),
        ("tests/a/b/test_refund", 0, ""),
        ("日本語日本語", 8, "日…本語 "),
        ("日本語日本語", 7, "日…本語"),
    ],
)
def test_the_middle_is_cut(text: str, most: int, expected: str) -> None:
    shown = cut_middle(text, most, "…")
    assert width_of(shown) == min(width_of(text), most)
    assert sorted(shown.replace(" ", "")) == sorted(expected.replace(" ", ""))


@given(st.text(max_size=40), st.integers(0, 30))
def test_no_escaped_text_is_wider_than_it_was_cut_to(text: str, most: int) -> None:
    shown = cut_middle(escape_line(text), most, "…")
    assert width_of(shown) <= most
    assert width_of(padded(shown, 40)) == 40


def test_every_character_has_a_width_once_it_is_escaped() -> None:
    """All that Unicode has a name for; of the private and unassigned planes, which are all alike, one in a hundred."""
    named = (code for code in range(sys.maxunicode + 1) if category(chr(code)) not in ("Cn", "Co") or code % 101 == 0)
    odd = [code for code in named if not 0 <= width_of(f"a{escape_line(chr(code))}") - 1 <= 12]
    assert [hex(code) for code in odd] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", "abc"),
        ("日本", "日本"),
        ("שם", "\u200eשם\u200e"),
        ("a::العربية", "\u200ea::العربية\u200e"),
    ],
)
def test_text_from_right_to_left_stays_in_its_column(text: str, expected: str) -> None:
    assert in_its_column(text) == expected
    assert width_of(expected) == width_of(text)
