"""The prefix of a seed list: what it is, and what is no budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.evidence.seed_budget import seeds_within
from flakeledger.model.errors import CannotTell


@pytest.mark.parametrize(("budget", "seeds"), [(1, (7,)), (2, (7, 3)), (3, (7, 3, 5)), (None, (7, 3, 5))])
def test_the_prefix_in_its_order(tmp_path: Path, budget: int | None, seeds: tuple[int, ...]) -> None:
    (tmp_path / "seeds.json").write_text("[7, 3, 5]")
    assert seeds_within(str(tmp_path / "seeds.json"), budget) == seeds


@pytest.mark.parametrize(
    ("text", "budget", "reason"),
    [
        ("[7, 3, 5]", 0, "a budget of 0 seeds"),
        ("[7, 3, 5]", -1, "a budget of -1 seeds"),
        ("[7, 3, 5]", 4, "a budget of 4 seeds"),
        ("[]", None, "a budget of 0 seeds"),
        ("[7, 7]", 1, "stands twice"),
        ("[1.5]", 1, "a whole number"),
        ("{}", 1, "a JSON array"),
        (None, 1, "cannot be read"),
    ],
)
def test_what_is_no_budget_of_a_list_is_refused(
    tmp_path: Path, text: str | None, budget: int | None, reason: str
) -> None:
    path = tmp_path / "seeds.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(CannotTell, match=reason):
        seeds_within(str(path), budget)
