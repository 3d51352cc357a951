"""Which failure a freeze covers, as a pure function. The pins of real rows are in test_honouring."""

from __future__ import annotations

import pytest

from flakeledger.evidence.excuses import Example, Names, TreeFacts, why_not_covered
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import LevelName, Policy, Runner
from flakeledger.model.records import Freeze
from flakeledger.model.rows import Places
from flakeledger.rules.freeze_witnesses import WitnessFacts

PIN = "0" * 64
FREEZE = Freeze(
    places=Places(1, 1, {}),
    test="t.py::test_x",
    owner="@finley",
    frozen_on="2026-03-02",
    expires="2026-03-12",
    reason="late at times",
    property_id="PROP-1",
    replay_env="box",
    runner_class="box",
    failure_class="environment",
    fixture_hashes={},
    generator_hash=PIN,
    test_hash=PIN,
    witness=None,
    note=None,
    renewed=None,
    issue=None,
)
UNPINNED = FREEZE._replace(
    fixture_hashes=None, generator_hash=None, test_hash=None, runner_class=None, failure_class=None
)
LATE = ("TimeoutError", "OSError", "Exception")
BUG = ("ValueError", "Exception")


def policy(level: LevelName = "keyed", accepted: tuple[str, ...] = ("TimeoutError",)) -> Policy:
    return Policy(paths=(), runners=(Runner("box"),), level=level, environment_failures=accepted)


def never() -> TreeFacts:
    raise AssertionError("the tree was asked")


@pytest.mark.parametrize(
    ("failures", "flipped", "void", "reason"),
    [
        ([LATE], False, (), ""),
        ([("x.Late", *LATE)], False, (), ""),
        ([LATE, LATE], False, (), ""),
        ([BUG], True, (), ""),
        ([LATE, BUG], True, (), ""),
        ([BUG], False, (), "names `ValueError`, and no replay shows"),
        ([LATE, BUG, BUG], False, (), "names `ValueError`, and no replay shows"),
        ([("OSError", "Exception")], False, (), "names `OSError`"),
        ([], True, (), ""),
        ([], False, (), "what it failed with is not known, and no replay shows"),
        ([LATE], True, ("test_hash",), "its freeze is void: the text of the test"),
        ([BUG], True, ("fixture_hashes", "generator_hash"), "a fixture and a generator of its property changed"),
    ],
)
def test_what_an_open_freeze_covers_at_level_keyed(
    failures: list[Names], flipped: bool, void: tuple[str, ...], reason: str
) -> None:
    said = why_not_covered(FREEZE, policy(), failures, lambda: TreeFacts(void, flipped))
    assert (reason in said) if reason else said == ""


@pytest.mark.parametrize("failures", [[LATE], [BUG], []])
def test_at_level_ledger_every_failure_is_covered_and_the_tree_is_not_asked(failures: list[Names]) -> None:
    assert why_not_covered(UNPINNED, policy("ledger"), failures, never) == ""


def test_a_pin_that_is_present_counts_at_level_ledger() -> None:
    pinned = UNPINNED._replace(test_hash=PIN)
    assert why_not_covered(pinned, policy("ledger"), [BUG], lambda: TreeFacts((), False)) == ""
    said = why_not_covered(pinned, policy("ledger"), [BUG], lambda: TreeFacts(("test_hash",), False))
    assert "its freeze is void" in said


MINE, OTHER, UNREAD = Example("1" * 64), Example("2" * 64), Example("", "it drew through data()")
GOOD, DENIED, WRONG = WitnessFacts("1" * 64, "", ""), WitnessFacts("1" * 64, "", "a deny"), WitnessFacts("", "gone", "")
UNKNOWN = "under which example it failed is not known"


@pytest.mark.parametrize(
    ("witness", "failures", "examples", "exact", "any_of_it"),
    [
        (None, [LATE], [OTHER], "", ""),
        (None, [LATE], [], "", ""),
        (GOOD, [LATE], [MINE], "", ""),
        (GOOD, [BUG], [MINE, MINE], "", ""),
        (GOOD, [LATE], [OTHER], "under another example (222222222222), and", ""),
        (GOOD, [LATE, BUG], [MINE, OTHER], "under another example (222222222222), and", ""),
        (GOOD, [LATE], [MINE, UNREAD], f"{UNKNOWN} (it drew through data()), and", ""),
        (GOOD, [LATE], [], f"{UNKNOWN}, and `witness_match: exact`", ""),
        (DENIED, [LATE], [MINE], "", "its review note does not count: a deny"),
        (DENIED, [BUG], [MINE], "names `ValueError`, and no replay shows", "its review note does not count: a deny"),
        (WRONG, [LATE], [MINE], "its witness does not count: gone", "its witness does not count: gone"),
    ],
)
def test_a_witness_narrows_what_a_freeze_covers(
    witness: WitnessFacts | None, failures: list[Names], examples: list[Example], exact: str, any_of_it: str
) -> None:
    known = TreeFacts((), witness == GOOD, witness)
    for match, reason in (("exact", exact), ("property", any_of_it)):
        asked = policy("witnessed")._replace(witness_match=match)  # type: ignore[arg-type]  # one of its two texts
        said = why_not_covered(FREEZE, asked, failures, lambda: known, examples)
        assert (reason in said) if reason else said == ""


def test_a_tree_that_cannot_be_read_covers_nothing() -> None:
    def broken() -> TreeFacts:
        raise CannotTell("no git", "install git", "a.yaml:1:2")

    said = why_not_covered(FREEZE, policy(), [LATE], broken)
    assert said == "its pins cannot be checked: a.yaml:1:2: no git (fix: install git)"
