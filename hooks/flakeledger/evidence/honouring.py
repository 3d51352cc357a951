"""Honours open freezes while tests run: the hooks that judge each failure, and what they print.

Invariants:
* Only the report of a failing test's own call is rewritten, and only when an open freeze covers all that failed it.
  Setup, teardown, crashes, collection and a strict xfail stay what they are, and so does a test that passes.
* A test that passes costs a look at its outcome. The tree is asked about pins when the first frozen test fails, once.
* Every frozen test that failed is told in the summary, excused or not, with the owner of its freeze.
* Nothing is imported while tests run: a test may have replaced the file system, and the tests may shadow a module.
* Text from files is escaped wherever it is printed.
"""

from __future__ import annotations

from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import pytest

from flakeledger.evidence import pins
from flakeledger.evidence.excuses import Example, Names, TreeFacts, why_not_covered
from flakeledger.evidence.frozen_tests import Frozen, FrozenTests
from flakeledger.evidence.outcome_log import OutcomeLog, subtest_of
from flakeledger.evidence.seeding_failures import class_names, is_around_a_test, leaves
from flakeledger.evidence.telling import Mode, failure_line, freeze_text, header_text
from flakeledger.evidence.verdict_on_report import VerdictOnReport, attach, verdict_on
from flakeledger.model.errors import CannotTell
from flakeledger.model.records import Freeze
from flakeledger.model.window import end_of, time_left
from flakeledger.reporters.escape import escape_line, escape_text

if TYPE_CHECKING:
    from flakeledger.evidence.watching import Watching

#: what pytest-xdist gives as the phase of a test whose process died
_CRASHED = "???"


class Setting(NamedTuple):
    """What a run was started with. `environment` is what pytest itself started with."""

    root: str
    environment: dict[str, str]
    mode: Mode
    now: int


class Honouring:
    """The hooks of one run of pytest."""

    def __init__(
        self,
        setting: Setting,
        frozen: FrozenTests,
        log: OutcomeLog | None,
        wants_log: bool,
        watching: Watching | None = None,
    ) -> None:
        """`log` is where outcomes go; a worker has none, but judges every failure when one is wanted.

        `watching` watches the tests that are frozen for one example alone; None where there are none.
        """
        self.setting = setting
        self.frozen = frozen
        self.log = log
        self.wants_log = wants_log
        self.watching = watching
        self._facts: dict[str | None, TreeFacts] | CannotTell | None = None

    # while tests run

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Judge a failure when all other plugins have made of it what they wanted."""
        report = yield
        if report.outcome == "failed":
            self._judge(item, call, report)
        return report

    def _judge(self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        frozen = self.frozen.by_test.get(test_id(item, self.frozen.by_test))
        if frozen is None and not self.wants_log:
            return
        error = None if call.excinfo is None else call.excinfo.value
        failed = [] if error is None else list(leaves(error))
        failures = [class_names(one) for one in failed]
        examples: list[Example] = []
        if frozen is not None and self.watching is not None:
            examples = self.watching.examples(item, call, frozen.freeze.test or "")
        reason = "" if frozen is None else self._why_not(report, frozen, failed, failures, examples)
        verdict = self._verdict(frozen, [names[0] for names in failures], reason)
        attach(report, verdict)
        if frozen is not None and verdict.excused:
            report.outcome = "skipped"
            report.wasxfail = escape_text(f"flakeledger: {freeze_text(verdict)}")

    def _why_not(
        self,
        report: pytest.TestReport,
        frozen: Frozen,
        failed: Sequence[BaseException],
        failures: Sequence[Names],
        examples: Sequence[Example],
    ) -> str:
        """Why the freeze does not cover the failure; empty when it does."""
        if report.when != "call":
            return f"its {report.when} failed, and a freeze covers the test alone"
        if not failed:
            return "it failed without an exception, as a strict xfail that passes does, and no freeze covers that"
        if any(map(is_around_a_test, failed)):
            return "setUp, tearDown or a cleanup of its TestCase failed, and a freeze covers the test alone"
        if frozen.standing.state != "open":
            return frozen.standing.reason
        assert self.frozen.policy is not None
        facts = partial(self._facts_of, frozen.freeze)
        return why_not_covered(frozen.freeze, self.frozen.policy, failures, facts, examples)

    def _facts_of(self, freeze: Freeze) -> TreeFacts:
        if self._facts is None:
            self._facts = _facts(self.setting, self.frozen.open)
        if isinstance(self._facts, CannotTell):
            raise self._facts
        return self._facts[freeze.test]

    def _verdict(self, frozen: Frozen | None, exceptions: list[str], reason: str) -> VerdictOnReport:
        freeze = None if frozen is None else frozen.freeze
        end = None if freeze is None else end_of(freeze)
        covered = frozen is not None and not reason
        return VerdictOnReport(
            raw_outcome="failed",
            exceptions=exceptions,
            is_frozen=frozen is not None,
            covered=covered,
            excused=covered and self.setting.mode == "enforce",
            reason=reason,
            property_id=None if freeze is None else freeze.property_id,
            owner=None if freeze is None else freeze.owner,
            time_left="" if end is None or end <= self.setting.now else time_left(end, self.setting.now),
        )

    # what is printed

    def pytest_report_header(self) -> list[str]:
        """How many freezes there are, or why none counts; nothing where nothing is honoured."""
        if self.frozen.policy is None and not self.frozen.problem:
            return []
        return [escape_line(f"flakeledger: {header_text(self.frozen, self.setting.mode)}")]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Each frozen test that failed, excused or not; and what keeps freezes from being honoured."""
        problems = [f"nothing is excused: {self.frozen.problem}"] if self.frozen.problem else []
        problems += [self.log.problem] if self.log is not None and self.log.problem else []
        told = list(self.told(terminalreporter.stats))
        if not problems and not told:
            return
        terminalreporter.write_sep("=", "flakeledger")
        for problem in problems:
            terminalreporter.write_line(escape_line(problem), red=True)
        # a test that was run again, or has subtests, may tell the same twice
        lines = {escape_line(failure_line(test, verdict)): verdict.covered for test, verdict in told}
        for line, covered in lines.items():
            terminalreporter.write_line(line, yellow=covered, red=not covered)

    def told(self, reports: Mapping[str, Sequence[object]]) -> Iterator[tuple[str, VerdictOnReport]]:
        """The frozen tests that failed, of all reports by category; looked for at the end, when nobody changes them."""
        for report in chain.from_iterable(reports.values()):
            if not isinstance(report, pytest.TestReport) or report.outcome not in ("failed", "skipped"):
                continue
            verdict = verdict_on(report)
            test = test_id(report, self.frozen.by_test)
            crashed = self.frozen.by_test.get(test) if report.when == _CRASHED else None
            if crashed is not None:
                verdict = self._verdict(crashed, [], "its process died, and no freeze covers that")
            if verdict is not None and verdict.is_frozen:
                subtest = subtest_of(report)
                yield f"{test} ({subtest})" if subtest else test, verdict


def test_id(one: pytest.Item | pytest.TestReport, frozen: Container[str]) -> str:
    """The test's id as the ledgers have it: pytest-xdist appends the test's group under `--dist loadgroup`."""
    test = one.nodeid
    if test in frozen or "@" not in test or "xdist_group" not in one.keywords:
        return test
    return test.rpartition("@")[0]


def _facts(setting: Setting, freezes: list[Freeze]) -> dict[str | None, TreeFacts] | CannotTell:
    """What the tree says to each open freeze, by test; or why it says nothing."""
    try:
        found = pins.ask(setting.root, setting.environment, freezes)
    except CannotTell as error:
        return error
    return {freeze.test: facts for freeze, facts in zip(freezes, found, strict=True)}
