"""The raw outcomes of a run as JSON lines: one object for each phase of a test that has an outcome.

Invariants:
* A line is whole or absent: each is written at once.
* The fields are always the same, in the same order: `FIELDS`. They are documented, and only ever added to.
* A disk that is full ends the log, with a reason, and never the run.
"""

from __future__ import annotations

import os
import reprlib
from json import dumps
from typing import Any

import pytest

from flakeledger.evidence.verdict_on_report import verdict_on

FIELDS = (
    "test",
    "subtest",
    "when",
    "outcome",
    "raw_outcome",
    "exceptions",
    "excused",
    "reason",
    "property_id",
    "seconds",
)


class OutcomeLog:
    """A file of outcomes, written as they come: the hooks of one run of pytest."""

    def __init__(self, path: str) -> None:
        """Begin the file anew, with the folders that lead to it. OSError when it cannot be written."""
        self.path = path
        #: why outcomes are missing; empty when none is
        self.problem = ""
        os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
        self._file = open(path, "wb", buffering=0)  # noqa: SIM115  # open for the whole run

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the line of a report: last, since others still change outcomes."""
        if self.problem:
            return
        line = dumps(line_of(report), separators=(",", ":")) + "\n"
        try:
            self._file.write(line.encode())
        except OSError as error:
            self.problem = f"{self.path} cannot be written: {error.strerror}; its outcomes end there"

    def pytest_unconfigure(self) -> None:
        """Close the file."""
        self._file.close()


def line_of(report: pytest.TestReport) -> dict[str, object]:
    """The object of a report, by field."""
    verdict = verdict_on(report)
    outcome = _outcome(report)
    values = (
        report.nodeid,
        subtest_of(report),
        report.when,
        outcome,
        outcome if verdict is None else verdict.raw_outcome,
        [] if verdict is None else verdict.exceptions,
        verdict is not None and verdict.excused,
        "" if verdict is None else verdict.reason,
        None if verdict is None else verdict.property_id,
        round(report.duration, 6),
    )
    return dict(zip(FIELDS, values, strict=True))


def _outcome(report: pytest.TestReport) -> str:
    if hasattr(report, "wasxfail"):
        return {"skipped": "xfailed", "passed": "xpassed"}.get(report.outcome, report.outcome)
    return report.outcome


def subtest_of(report: pytest.TestReport) -> str | None:
    """What tells a subtest from its test: its message and its values; None for the test itself.

    pytest 9 and the plugin pytest-subtests both give its report a context.
    """
    context: Any = getattr(report, "context", None)
    if context is None:
        return None
    values = ", ".join(f"{name}={_text(value)}" for name, value in context.kwargs.items())
    return " ".join(filter(None, (context.msg, values)))


def _text(value: object) -> str:
    """A value of a subtest: pytest 9 gives texts, pytest-subtests the value itself, whose own __repr__ may fail."""
    return value if isinstance(value, str) else reprlib.repr(value)
