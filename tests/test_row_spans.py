"""Every field, item and comment of a row is found where it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flakeledger.model.ledger_paths import FREEZES
from flakeledger.store.ledger_text import cut
from flakeledger.store.row_spans import line_end, line_start, spans_of

STYLED = sorted((Path(__file__).parent / "styled").glob("*.yaml"))


def test_fields_hold_what_the_reader_reads() -> None:
    for file in STYLED:
        for piece in cut(file.read_bytes(), FREEZES).pieces:
            assert {field.name: field.value for field in spans_of(piece.own).fields} == piece.values


def test_what_is_written_empty_is_no_missing_value() -> None:
    (quoted, absent, listed) = spans_of("- a: \x27\x27\n  b:\n  c: [\x27\x27, d]\n").fields
    assert [quoted.value, absent.value, listed.value] == ["", None, ["", "d"]]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("- a: b # c\n", {"a": "b"}),
        ("- a: 'b''c' # d\n", {"a": "'b''c'"}),
        ('- "a": "b\n    c"\n', {"a": '"b\n    c"'}),
        ("- a:\n  b: # c\n", {"a": "", "b": ""}),
        ("- a: | # c\n    x\n\n    y\n\n  b: z\n", {"a": "| # c\n    x\n\n    y", "b": "z"}),
        ("- a: >2-\n     x\n  # c\n  b: z\n", {"a": ">2-\n     x", "b": "z"}),
        ("- a: |+\n    x\n\n  b: z\n", {"a": "|+\n    x\n", "b": "z"}),
        ("- a: |\r\n    x\r\n  b: é\r\n", {"a": "|\r\n    x", "b": "é"}),
        ("- a: [b, 'c'] # d\n", {"a": "[b, 'c']"}),
        ("- a: {b: c,\n   d: e}\n", {"a": "{b: c,\n   d: e}"}),
        ("- a:\n  - b # c\n  # d\n  - 'e' # f\n  # g\n  h: i\n", {"a": "- b # c\n  # d\n  - 'e'", "h": "i"}),
        ("- a:\n    b: c\n    d:\n", {"a": "b: c\n    d:"}),
    ],
)
def test_where_a_value_stands(text: str, written: dict[str, str]) -> None:
    assert {field.name: text[field.start : field.end] for field in spans_of(text).fields} == written


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("- a:\n  - b\n  -   'c'\n", ["- b", "-   'c'"]),
        ("- a:\n    -\n      b\n    - # x\n      c\n    -\n", ["-\n      b", "- # x\n      c", "-"]),
        ("- a:\n    - 'x\n      - y'\n    - z\n", ["- 'x\n      - y'", "- z"]),
        ("- a: [b , 'c']\n", ["b", "'c'"]),
        ("- a: {b: c, 'd': , e}\n", ["b: c", "'d': ", "e"]),
        ("- a:\n    b: c\n    'd': e\n", ["b: c", "'d': e"]),
    ],
)
def test_where_an_item_stands(text: str, items: list[str]) -> None:
    (field,) = spans_of(text).fields
    assert [text[item.start : item.end] for item in field.items] == items


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("- a: b\n", []),
        ("- # one\n  a: b # two\n  # three\n", [("# one", True), ("# two", False), ("# three", True)]),
        ("- a: '# no'\n  b: \"# no\" # yes\n  c: x#no\n", [("# yes", False)]),
        ("- a: | # yes\n    # no\n  # yes\n  b: c\n", [("# yes", False), ("# yes", True)]),
        (
            "- a: [ # one\n  b, # two  \n  # three\n  ] # four\r\n",
            [("# one", False), ("# two", False), ("# three", True), ("# four", False)],
        ),
        ("- a:\n  - # of b\n    b\n  - c#d\n", [("# of b", True)]),
    ],
)
def test_which_comments_there_are(text: str, comments: list[Any]) -> None:
    found = spans_of(text).comments
    assert [(comment.text, comment.own_line) for comment in found] == comments
    assert all(text.startswith(comment.text, comment.start) for comment in found)


def test_lines() -> None:
    text = "ab\ncd\nef"
    assert [line_start(text, offset) for offset in range(8)] == [0, 0, 0, 3, 3, 3, 6, 6]
    assert [line_end(text, offset) for offset in range(8)] == [3, 3, 3, 6, 6, 6, 8, 8]
    assert [line_start("\na", offset) for offset in range(3)] == [0, 1, 1]
