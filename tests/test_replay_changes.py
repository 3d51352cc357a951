"""The replay log is append-only: what may go, what must stay, in which order."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.rules.replay_changes import first_missing, log_lines

LINE = (
    '{{"test": "a.py::test_{0}", "run_at": "2026-03-02T00:00:00Z", "env": "local", '
    '"seeds": [1], "passed": 1, "total": 1}}'
)
A, B = LINE.format("a"), LINE.format("b")


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ("", "", None),
        ("ab", "ab", None),
        ("ab", "abc", None),
        ("ab", "xayb", None),
        ("ab", "ba", "b"),
        ("ab", "a", "b"),
        ("ab", "", "a"),
    ],
)
def test_every_old_line_is_still_there_in_order(old: str, new: str, missing: str | None) -> None:
    assert first_missing(list(old), list(new)) == missing


def test_duplicates_and_unreadable_lines_may_go() -> None:
    assert log_lines(f"{A}\nnot json\n{B}\n{A}\n".encode()) == [A, B]


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("xyz")), st.randoms())
def test_interleaving_new_lines_loses_nothing(old: list[str], new: list[str], random: Random) -> None:
    mixed = list(new)
    place = 0
    for line in old:
        place = random.randint(place, len(mixed))
        mixed.insert(place, line)
        place += 1
    assert first_missing(old, mixed) is None
