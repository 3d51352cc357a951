"""What freezes say to the test cases of reports: which failures they cover, and which frozen tests did not run.

Invariants:
* Pure but for `facts`, which asks the tree, once for a freeze whose failure it might cover.
* A failure that is not excused fails, whether its test is frozen or not. A freeze never licenses not running: a frozen
  test of this runner class that no report shows to have run is named, whatever its freeze's window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from flakeledger.evidence.excuses import TreeFacts, why_not_covered
from flakeledger.evidence.frozen_tests import Frozen
from flakeledger.evidence.junit import Case
from flakeledger.evidence.junit_matching import Match
from flakeledger.evidence.standing import runner_class_of
from flakeledger.model.policy import Policy
from flakeledger.model.records import Freeze

#: the report does not list the test, lists it as skipped, or does not tell which of its cases is the test
Absence = Literal["missing", "skipped", "unclear"]


class Failure(NamedTuple):
    """A test case that failed: where it stands (report and number), its frozen test, and why that is no excuse."""

    report: int
    number: int
    case: Case
    #: None where the case is of no frozen test
    freeze: Freeze | None
    #: empty when the failure is excused
    reason: str


class NotRun(NamedTuple):
    """A frozen test of this runner class that no report shows to have run."""

    freeze: Freeze
    absence: Absence
    #: what leaves the doubt, for `unclear`
    detail: str = ""


class Judged(NamedTuple):
    """What became of all test cases."""

    failures: tuple[Failure, ...]
    not_run: tuple[NotRun, ...]

    @property
    def passes(self) -> bool:
        """Every failure is excused, and every frozen test ran."""
        return not self.not_run and not any(failure.reason for failure in self.failures)


def judge(
    reports: Sequence[Sequence[Case]],
    matches: Sequence[Sequence[Match]],
    frozen: Mapping[str, Frozen],
    policy: Policy,
    runner: str,
    facts: Callable[[Freeze], TreeFacts],
) -> Judged:
    """The verdict on reports whose cases are matched. `facts` may raise CannotTell: then nothing is covered."""
    failures: list[Failure] = []
    for report, (cases, found) in enumerate(zip(reports, matches, strict=True)):
        for number, (case, match) in enumerate(zip(cases, found, strict=True)):
            if case.outcome == "fail":
                one = frozen.get(match.test)
                reason = match.unclear or _why_not(case, one, policy, facts)
                failures.append(Failure(report, number, case, None if one is None else one.freeze, reason))
    ours = [one.freeze for one in frozen.values() if runner_class_of(one.freeze, policy) == runner]
    return Judged(tuple(failures), tuple(_not_run(ours, reports, matches)))


def _why_not(case: Case, frozen: Frozen | None, policy: Policy, facts: Callable[[Freeze], TreeFacts]) -> str:
    """Why no freeze covers the failure; empty when one does."""
    if frozen is None:
        return "no freeze is of this test"
    if case.failed.beyond:
        return case.failed.beyond
    if frozen.standing.state != "open":
        return frozen.standing.reason
    return why_not_covered(frozen.freeze, policy, case.failed.exceptions, partial(facts, frozen.freeze))


def _not_run(
    freezes: Sequence[Freeze], reports: Sequence[Sequence[Case]], matches: Sequence[Sequence[Match]]
) -> list[NotRun]:
    ran: set[str] = set()
    skipped: set[str] = set()
    unclear: dict[str, str] = {}
    for cases, found in zip(reports, matches, strict=True):
        for case, match in zip(cases, found, strict=True):
            if match.unclear:
                unclear.update(dict.fromkeys(match.tests, match.unclear))
            elif match.test:
                (skipped if case.outcome == "skipped" else ran).add(match.test)
    absent = []
    for freeze in freezes:
        test = freeze.test or ""
        if test in unclear:
            absent.append(NotRun(freeze, "unclear", unclear[test]))
        elif test not in ran:
            absent.append(NotRun(freeze, "skipped" if test in skipped else "missing"))
    return absent
