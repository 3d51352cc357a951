"""Columns: what comes out is what went in."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from flakeledger.repo.columns import columns_of, rows_of

VALUES = (
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "a", "1", "None"])
    | st.lists(st.sampled_from("ab"), max_size=2) | st.dictionaries(st.sampled_from("ab"), st.integers(0, 1))
)  # fmt: skip


@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(VALUES, min_size=width, max_size=width), max_size=12)))
def test_rows_survive_as_columns_and_json(rows: list[list[object]]) -> None:
    kept = json.loads(json.dumps(columns_of(rows)))
    assert repr([list(row) for row in rows_of(kept)]) == repr(rows)


def test_what_repeats_is_kept_once() -> None:
    assert columns_of([["a", "x"], ["b", "x"], ["c", "x"]]) == [[None, ["a", "b", "c"]], [["x"], 3]]
    assert columns_of([["x"], ["y"], ["x"], ["x"]]) == [[["x", "y"], [0, 1, 0, 0]]]
