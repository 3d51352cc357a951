"""New rows look like the rows around them."""

from __future__ import annotations

import pytest

from flakeledger.model.fields import FREEZE_FIELDS, PROPERTY_FIELDS
from flakeledger.store.row_writing import NewValue, Style, row_text, style_of

DIGEST = "4f" * 32


def test_fields_stand_in_the_order_of_the_table_and_unknown_ones_last() -> None:
    row: dict[str, NewValue] = {"odd": "x", "renewed": 1, "reason": "a b c", "test": "a.py::t", "owner": "@a"}
    expected = '- test: a.py::t\n  owner: "@a"\n  reason: "a b c"\n  renewed: 1\n  odd: x\n'
    assert row_text(FREEZE_FIELDS, row, Style()) == expected


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ([], Style("\n")),
        (["- id: a\n"], Style("\n", 0, 2)),
        (["  -  id: a\n"], Style("\n", 2, 5)),
        (["-\n   id: a\n"], Style("\n", 0, 3, dash_alone=True)),
        (["- # c\n  id: a\n"], Style("\n", 0, 2)),
        (["- id: a\n  tests:\n  - b\n"], Style("\n", 0, 2, list_offset=0)),
        (["- id: a\n  tests:\n      -   b\n"], Style("\n", 0, 2, list_offset=4, list_gap="   ")),
        (["- id: a\n  tests:\n    -\n      b\n"], Style("\n", 0, 2)),
        (["- id: a\n  tests: [b]\n  fixtures: []\n"], Style("\n", 0, 2, flow=frozenset({"tests"}))),
        (["- id: a\n  pins:\n      b: c\n"], Style("\n", 0, 2, mapping_offset=4)),
        (["- id: a\n", "  - id: b\n    tests: [c]\n"], Style("\n", 0, 2, flow=frozenset({"tests"}))),
        (["- id: a\n  tests:\n  - b\n", "- id: c\n  tests: [d]\n"], Style("\n", 0, 2, list_offset=0)),
    ],
)
def test_the_style_of_rows(samples: list[str], expected: Style) -> None:
    assert style_of(samples, "\n") == expected


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (Style(), '- id: A\n  statement: "so"\n  fixtures: []\n  tests:\n    - a\n    - "b[1]"\n'),
        (
            Style("\r\n", 1, 4, dash_alone=True, list_offset=0, list_gap="  ", flow=frozenset({"fixtures"})),
            ' -\r\n    id: A\r\n    statement: "so"\r\n    fixtures: []\r\n    tests:\r\n    -  a\r\n    -  "b[1]"\r\n',
        ),
        (Style(flow=frozenset({"tests"})), '- id: A\n  statement: "so"\n  fixtures: []\n  tests: [a, "b[1]"]\n'),
    ],
)
def test_a_row_in_a_style(style: Style, expected: str) -> None:
    row: dict[str, NewValue] = {"id": "A", "statement": "so", "fixtures": [], "tests": ["a", "b[1]"]}
    assert row_text(PROPERTY_FIELDS, row, style) == expected
