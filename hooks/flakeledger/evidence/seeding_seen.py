"""One run of one test, seen from inside pytest: its phases, its reports, and the verdict on them.

Part of what the tests' interpreter is given: see `seeding_plugin.py`.

Invariants:
* A test runs setup, call and teardown once, and is judged by its own reports: no plugin repeats it.
* A failure counts as one of the test only when it came from the call itself; around it, it is an error.
* A process that the test forked and let come back ends here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator
from typing import Any

import pytest

from .seeding_examples import Examples
from .seeding_failures import failure_name, is_around_a_test, sentence_of


class Seen:
    """What happened to one test, phase by phase. Registered last, so that its protocol is the one that runs."""

    def __init__(self, wanted: pytest.Item, environment: Callable[[], dict[str, Any]]) -> None:
        """Nothing was seen yet."""
        self.wanted = wanted
        self.process = os.getpid()
        self.read_environment = environment
        self.environment: dict[str, Any] | None = None
        self.examples = Examples()
        self.reports: dict[str, pytest.TestReport] = {}
        self.failed: dict[str, tuple[str, list[BaseException]]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Setup, call and teardown, each once."""
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        if self._phase(item, "setup").passed:
            if item is self.wanted:
                self.environment = self.read_environment()
            with self.examples.of(item) if item is self.wanted else contextlib.nullcontext():
                self._phase(item, "call")
        self._phase(item, "teardown", nextitem=nextitem)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
        """Keep the exceptions of the test and of its subtests: reports hold only texts."""
        outcome = yield
        report = outcome.get_result()
        if item is self.wanted and report.failed:
            known = self.failed.setdefault(report.when, (sentence_of(report), []))
            known[1].extend([call.excinfo.value] if call.excinfo is not None else [])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A report that some plugin made without an exception counts too."""
        if report.nodeid == self.wanted.nodeid and report.failed:
            self.failed.setdefault(str(report.when), (sentence_of(report), []))

    def _phase(self, item: pytest.Item, when: Any, **arguments: Any) -> pytest.TestReport:
        hook = getattr(item.ihook, f"pytest_runtest_{when}")
        call = pytest.CallInfo.from_call(lambda: hook(item=item, **arguments), when=when)
        if os.getpid() != self.process:  # the test forked, and its child came back
            os._exit(0)
        report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
        item.ihook.pytest_runtest_logreport(report=report)
        if item is self.wanted:
            self.reports[when] = report
        return report

    def verdict(self, accepted: list[str]) -> dict[str, Any]:
        """The outcome, and what goes with it."""
        phase = next((when for when in ("setup", "teardown", "call") if when in self.failed), None)
        sentence, errors = self.failed.get(phase or "", ("", []))
        outcome = self._outcome(phase, errors)
        if phase is None:
            skipped = [report for report in self.reports.values() if report.skipped]
            sentence = sentence_of(skipped[0]) if skipped else ""
        return {
            "outcome": outcome,
            "failure": failure_name(errors, accepted) if errors else "",
            "detail": f"{phase}: {sentence}" if outcome == "error" and phase else sentence,
            "environment": self.environment,
            **self.examples.facts(self.wanted),
        }

    def _outcome(self, phase: str | None, errors: list[BaseException]) -> str:
        if phase is None:
            skipped = any(report.skipped for report in self.reports.values())
            return "skipped" if skipped else "pass" if "call" in self.reports else "error"
        gave_up = (KeyboardInterrupt, pytest.exit.Exception)
        if phase != "call" or any(isinstance(error, gave_up) or is_around_a_test(error) for error in errors):
            return "error"
        return "fail"
