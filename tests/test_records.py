from __future__ import annotations

import pytest

from flakeledger.model.records import Fixture, covering, repeated
from flakeledger.model.rows import Places


@pytest.mark.parametrize(
    ("listed", "test", "expected"),
    [
        ("a.py::t", "a.py::t", True),
        ("a.py::t", "a.py::t[x]", True),
        ("a.py::t", "a.py::t[x[y]]", True),
        ("a.py::t[x]", "a.py::t[x]", True),
        ("a.py::t[x]", "a.py::t[y]", False),
        ("a.py::t[x]", "a.py::t", False),
        ("a.py::t", "a.py::t2", False),
        ("a.py::t", "a.py::t[x", False),
        ("a.py", "a.py::t", False),
    ],
)
def test_a_listed_test_covers_its_cases(listed: str, test: str, expected: bool) -> None:
    assert (listed in covering(test)) is expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("", []),
        ("abc", []),
        ("aba", [(3, 1)]),
        ("abaab", [(3, 1), (4, 1), (5, 2)]),
        ("??a", []),
    ],
)
def test_a_row_is_repeated_where_one_before_it_says_the_same(names: str, expected: list[tuple[int, int]]) -> None:
    """`?` stands for a row without the field."""
    rows = [
        Fixture(Places(line, 1, {}), None if name == "?" else name, None, None, None)
        for line, name in enumerate(names, 1)
    ]
    assert [(row.places.line, first.places.line) for row, first in repeated(rows, "id")] == expected
