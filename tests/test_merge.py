"""The three-way result against which a merge is judged."""

from __future__ import annotations

import pytest

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.repo.merge import expected, expected_entries
from flakeledger.store.git import PathChange, TreeEntry


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "result", "wanted"),
    [
        ("a", "a", "a", "a", "a"),
        ("a", "a", "b", "b", "b"),
        ("a", "a", "b", "a", "b"),  # the merge threw their edit away
        ("a", "b", "a", "b", "b"),
        ("a", "b", "a", "a", "b"),  # the merge threw our edit away
        ("a", "b", "b", "b", "b"),
        ("a", "b", "c", "c", "c"),  # both changed: either side is right
        ("a", "b", "c", "b", "b"),
        ("a", "b", "c", "d", "b"),  # an edit of the merge's own counts against ours
        ("a", None, "a", None, None),  # we deleted
        ("a", "a", None, "a", None),  # they deleted, the merge resurrects
        (None, None, "a", "a", "a"),  # they added
        (None, "a", "b", "b", "b"),  # both added
    ],
)
def test_the_expected_version(
    base: str | None, ours: str | None, theirs: str | None, result: str | None, wanted: str | None
) -> None:
    assert expected(base, ours, theirs, result) == wanted


def change(path: str, old: str, new: str) -> PathChange:
    return PathChange(path, old and "100644", old, new and "100644", new)


def test_paths_are_expected_as_one_side_made_them() -> None:
    from_base = [change("ours", "1", "2"), change("theirs", "1", "2"), change("own", "1", "3")]
    from_ours = [change("theirs", "1", "2"), change("own", "1", "3")]
    from_theirs = [change("ours", "1", "2"), change("own", "1", "3"), change("dropped", "2", "1")]
    assert expected_entries(from_base, from_ours, from_theirs) == {
        "dropped": TreeEntry("100644", "2"),
        "ours": TreeEntry("100644", "2"),
        "own": TreeEntry("100644", "1"),
        "theirs": TreeEntry("100644", "2"),
    }


@pytest.mark.parametrize(
    ("path", "judged"), [(FREEZES, True), (FIXTURES, True), (PROPERTIES, True), (REPLAYS, True), (POLICY, False)]
)
@pytest.mark.parametrize(("ours", "theirs", "result"), [("b", "c", "b"), ("b", "c", "c"), ("b", "c", "d")])
def test_a_ledger_that_both_sides_changed_differs_from_every_result(
    path: str, judged: bool, ours: str, theirs: str, result: str
) -> None:
    differences = [[change(path, old, result)] if old != result else [] for old in ("a", ours, theirs)]
    (entry,) = expected_entries(*differences).values()
    assert entry is not None
    assert (entry.oid != result) == (judged or result == "d")
