"""Seed lists: what they may hold, and how many of them a replay takes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.evidence.seeds import first_seeds, read_seeds, seeds_of
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Limits, Policy
from flakeledger.repo.tree import Listing, Tree
from flakeledger.store.git import TreeEntry

PATH = "tests/seeds/gate.json"
POLICY = Policy((), (), limits=Limits(min_seeds=3), seeds=PATH)


def tree(data: bytes | None) -> Tree:
    entries = {} if data is None else {PATH: TreeEntry("100644", "1")}
    return Tree("commit 1", lambda: Listing(entries), lambda _oid: data or b"")


@given(st.lists(st.integers(1 - 2**64, 2**64 - 1), unique=True), st.sampled_from([None, 1, 4]))
def test_a_list_is_read_as_it_was_written(seeds: list[int], indent: int | None) -> None:
    assert read_seeds(json.dumps(seeds, indent=indent).encode(), PATH) == tuple(seeds)


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (b"[1, 2, 1]", "1:8", "the seed 1 stands twice"),
        (b"[\n  1,\n  true\n]", "3:3", "whole number"),
        (b"[1.0]", "1:2", "whole number"),
        (b'[1, "]", 2]', "1:5", "whole number"),
        (b"[[1, 2], 2]", "1:2", "whole number"),
        (b"[1, 18446744073709551616]", "1:5", "64 bits"),
        (b'{"seeds": [1]}', "1:1", "is a JSON array"),
        (b"\n 3", "2:2", "is a JSON array"),
        (b"[1, 2", "1:6", "no JSON"),
        (b"", "1:1", "no JSON"),
        (b"[NaN]", "1:2", "whole number"),
        (b"\xef\xbb\xbf[1]", "1:1", "no JSON"),
        (b"[1,\n\xff]", "2:1", "UTF-8"),
        (b"[" * 100_000, "1:1", "nested too deep"),
        (b"[" + b"1" * 5000 + b"]", "1:1", "thousands of digits"),
        (b" " * (1 << 20) + b"[1]", "1:1", "larger than 1 MiB"),
    ],
)
def test_what_is_no_list_of_seeds_is_told_with_its_place(text: bytes, place: str, said: str) -> None:
    with pytest.raises(CannotTell, match=said) as refused:
        read_seeds(text, PATH)
    assert refused.value.place == f"{PATH}:{place}"
    assert refused.value.fix


@pytest.mark.parametrize(("count", "seeds"), [(None, (5, 4, 3)), (1, (5,)), (4, (5, 4, 3, 2))])
def test_the_first_ones_are_taken(count: int | None, seeds: tuple[int, ...]) -> None:
    assert seeds_of(tree(b"[5, 4, 3, 2]"), POLICY, count) == seeds


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "--seeds 0"), (-1, "--seeds -1"), (3, "--seeds asks for 3"), (None, "the policy asks for 3")],
)
def test_too_many_and_too_few_are_told(count: int | None, said: str) -> None:
    with pytest.raises(CannotTell, match=said):
        first_seeds((1, 2), POLICY, count)


@pytest.mark.parametrize(
    ("policy", "said", "fix"),
    [
        (POLICY._replace(seeds=None), "names no list of seeds", f"add `seeds: {PATH}`"),
        (POLICY, f"commit 1 has no file {PATH}", "at least 3 different whole numbers"),
    ],
)
def test_without_a_list_it_is_said_how_to_make_one(policy: Policy, said: str, fix: str) -> None:
    with pytest.raises(CannotTell, match=said) as refused:
        seeds_of(tree(None), policy, None)
    assert fix in refused.value.fix
