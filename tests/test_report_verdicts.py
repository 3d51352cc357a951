"""What freezes say to the cases of reports, as a pure function. Real reports are in test_verdict."""

from __future__ import annotations

import pytest

from flakeledger.evidence.excuses import TreeFacts
from flakeledger.evidence.frozen_tests import frozen_by_test
from flakeledger.evidence.junit import Case, Outcome
from flakeledger.evidence.junit_failures import Failed
from flakeledger.evidence.junit_matching import Match
from flakeledger.evidence.report_verdicts import Judged, judge
from flakeledger.model.errors import CannotTell
from flakeledger.model.records import Freeze
from test_excuses import FREEZE, policy
from test_standing import NOW

LATE = Failed((("TimeoutError",),))
MINE, OTHER = Match((FREEZE.test or "",)), Match()
DOUBT = Match(MINE.tests, "2 test cases may be it")
HOLDS = TreeFacts((), flipped=False)


def case(outcome: Outcome, failed: Failed = LATE) -> Case:
    return Case("test_x", "", "", (), outcome, failed if outcome == "fail" else Failed())


def judged(cases: list[Case], matches: list[Match], freeze: Freeze = FREEZE) -> Judged:
    """The verdict on one report, for the runner class `box`."""
    frozen = frozen_by_test([freeze], policy(), "box", NOW)
    return judge([cases], [matches], frozen, policy(), "box", lambda _freeze: HOLDS)


@pytest.mark.parametrize(
    ("cases", "matches", "reasons", "absences"),
    [
        ([case("pass")], [MINE], [], []),
        ([case("fail")], [MINE], [""], []),
        ([case("pass"), case("pass")], [MINE, OTHER], [], []),
        ([case("pass"), case("fail")], [MINE, OTHER], ["no freeze is of this test"], []),
        ([case("pass")], [OTHER], [], ["missing"]),
        ([case("skipped")], [MINE], [], ["skipped"]),
        ([case("skipped"), case("pass")], [MINE, MINE], [], []),
        ([case("pass")], [DOUBT], [], ["unclear"]),
        ([case("fail")], [DOUBT], ["2 test cases may be it"], ["unclear"]),
        # a test that was run again: each failure is judged
        ([case("fail"), case("pass")], [MINE, MINE], [""], []),
        ([case("fail"), case("fail", Failed(beyond="an error"))], [MINE, MINE], ["", "an error"], []),
    ],
)
def test_failures_and_frozen_tests_that_did_not_run(
    cases: list[Case], matches: list[Match], reasons: list[str], absences: list[str]
) -> None:
    found = judged(cases, matches)
    assert [failure.reason for failure in found.failures] == reasons
    assert [absent.absence for absent in found.not_run] == absences
    assert found.passes is not (any(reasons) or bool(absences))


@pytest.mark.parametrize(
    ("freeze", "absences"),
    [
        (FREEZE._replace(expires="2026-03-03"), ["missing"]),
        (FREEZE._replace(failure_class="invariant"), ["missing"]),
        (FREEZE._replace(runner_class="laptop"), []),
        (FREEZE._replace(runner_class=None), []),
    ],
)
def test_a_freeze_of_this_runner_class_never_licenses_not_running(freeze: Freeze, absences: list[str]) -> None:
    assert [absent.absence for absent in judged([case("pass")], [OTHER], freeze).not_run] == absences


def test_a_tree_that_cannot_be_read_excuses_nothing() -> None:
    def broken(_freeze: Freeze) -> TreeFacts:
        raise CannotTell("no git", "install git")

    frozen = frozen_by_test([FREEZE], policy(), "box", NOW)
    (failure,) = judge([[case("fail")]], [[MINE]], frozen, policy(), "box", broken).failures
    assert failure.reason.startswith("its pins cannot be checked: no git")
