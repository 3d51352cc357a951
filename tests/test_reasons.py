"""Patterns of reasons: what is permanent, and how long it takes to tell."""

from __future__ import annotations

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.reasons import LONGEST, is_permanent
from growing import assert_linear

TABLE = [
    ("needs a display*", "needs a display", True),
    ("needs a display*", "needs a display server", True),
    ("needs a display*", "Needs a display", False),
    ("needs a display*", "it needs a display", False),
    ("needs a display", "needs a display server", False),
    ("needs a display", "needs  a\n   display", True),
    ("*display*", "needs a display server", True),
    ("*: not on this\n  platform", "os: not on this platform", True),
    ("a*b*c", "a-b-b-c", True),
    ("a*b*c", "a-c-b", False),
    ("ab*ba", "aba", False),
    ("ab*ba", "abba", True),
    ("*", "anything", True),
    ("*", "", False),
    ("", "", False),
    ("[a-z]+", "abc", False),
    ("a.c", "abc", False),
    ("why?", "why?", True),
    ("why?", "whys", False),
]


@pytest.mark.parametrize(("pattern", "reason", "expected"), TABLE)
def test_a_pattern_is_about_the_whole_reason(pattern: str, reason: str, expected: bool) -> None:
    assert is_permanent(reason, [pattern]) is expected


def test_one_of_several_patterns_is_enough() -> None:
    assert is_permanent("needs a screen", ["needs a display*", "needs a screen"])
    assert not is_permanent("needs a screen", [])


@given(st.text("ab*", max_size=8), st.text("ab", min_size=1, max_size=10))
def test_the_answer_is_that_of_a_regular_expression(pattern: str, reason: str) -> None:
    expression = ".*".join(map(re.escape, pattern.split("*")))
    assert is_permanent(reason, [pattern]) is (re.fullmatch(expression, reason) is not None)


def test_a_long_reason_is_cut_and_no_pattern_takes_long() -> None:
    assert is_permanent("a" * 10_000_000, ["a*"])
    assert not is_permanent("a" * LONGEST + "b", ["*b"])
    assert not is_permanent("a" * 10_000_000, ["*a" * 255 + "*b"] * 100)
    assert_linear(lambda size: partial(is_permanent, "a" * size, ["*a" * 255 + "*b"] * 100), 10_000_000)
    assert_linear(lambda pieces: partial(is_permanent, "a" * LONGEST, ["*a" * pieces + "*b"] * 1000), 500)
