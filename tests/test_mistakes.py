"""Repairs: the texts that a line may have meant."""

from __future__ import annotations

from unicodedata import category

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.store.mistakes import field_column, quoted, repairs


@pytest.mark.parametrize(
    ("lines", "line", "candidates"),
    [
        (["- owner: @a"], 0, ['- owner: "@a"']),
        (["- owner: @a  # why"], 0, ['- owner: "@a"  # why']),
        (["- see: x: y #12"], 0, ['- see: "x: y #12"']),
        (["- a:b"], 0, ["- a: b", '- a: "b"']),
        (["- a: b", "    c: d"], 1, ["  c: d", '    c: "d"']),
        (["- a: b", "    more words"], 1, []),
        (['- a: "b'], 0, ['- a: "b"', "- a: '\"b'"]),
        (["- a: [x[1], y"], 0, ["- a: [x[1], y]", '- a: "[x[1], y"']),
        (["- a: [x[1], y]"], 0, ['- a: ["x[1]", "y"]', '- a: "[x[1], y]"']),
        (["- a:"], 0, []),
        (["- a"], 0, []),
        (["- a: b"], 7, []),
    ],
)
def test_repairs_come_with_the_likeliest_first(lines: list[str], line: int, candidates: list[str]) -> None:
    assert list(repairs(lines, line)) == candidates


@pytest.mark.parametrize(
    ("lines", "column"),
    [
        (["- a: b"], 2),
        (["  -   a: b"], 6),
        (["-", "", "  # x", "   a: b"], 3),
        (["- # x", "  a: b"], 2),
        (["-", ""], 0),
    ],
)
def test_the_column_of_the_fields(lines: list[str], column: int) -> None:
    assert field_column(lines) == column


@given(st.text(st.characters().filter(lambda sign: category(sign)[0] in "LNPS" or sign == " "), min_size=1))
def test_a_quoted_text_reads_as_itself(text: str) -> None:
    assert yaml.load(quoted(text), Loader=yaml.BaseLoader) == text
