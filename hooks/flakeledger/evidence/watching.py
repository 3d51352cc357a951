"""Watches tests of Hypothesis while they run, for whoever asks under which arguments they failed.

Capture asks for its witnesses, and a freeze that covers one example alone asks for that example.

Invariants:
* One watch serves both: notes are taken off an exception once, and before pytest prints it.
* Only tests that somebody asks about are wrapped; any other costs the question.
* It is registered before `capture.py`, which swaps the function of a test under it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import pytest

from flakeledger.evidence.excuses import Example
from flakeledger.evidence.observing import Failure, Observed, observed
from flakeledger.evidence.seeding_examples import given_function
from flakeledger.model.witness import example_digest, example_of

_MACHINE = Failure("", None, None, "it is a state machine, whose steps are no arguments that it could be given again")


class Watching:
    """The hooks of one run of pytest."""

    def __init__(self, wanted: Callable[[pytest.Item], bool]) -> None:
        """`wanted` says whether somebody asks about a test."""
        self._wanted = wanted
        self._observed: Observed | None = None
        self._read: tuple[pytest.CallInfo[None], list[Failure]] | None = None

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """Observe a test that is asked about, inside of what Hypothesis itself counts."""
        function = given_function(item) if self._wanted(item) else None
        self._observed = None
        if getattr(function, "hypothesis", None) is None:
            return (yield)
        with observed(function) as self._observed:
            return (yield)

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Read what failed: behind unittest's own hook, which brings the exception of a TestCase."""
        if call.excinfo is None:
            self._read = None  # what failed before is held no longer
        else:
            self.failures(item, call)

    def failures(self, item: pytest.Item, call: pytest.CallInfo[None]) -> list[Failure]:
        """The ways in which the call that is reported just now failed; none for a test that nobody asks about."""
        if self._read is None or self._read[0] is not call:
            self._read = call, self._failures(item, call)
        return self._read[1]

    def _failures(self, item: pytest.Item, call: pytest.CallInfo[None]) -> list[Failure]:
        if call.when != "call" or call.excinfo is None or not self._wanted(item) or given_function(item) is None:
            return []
        return [_MACHINE] if self._observed is None else self._observed.failures(call.excinfo.value)

    def examples(self, item: pytest.Item, call: pytest.CallInfo[None], test: str) -> list[Example]:
        """The examples of the failures, as those of a test by the id that the ledgers have."""
        return [_example(failure, test) for failure in self.failures(item, call)]


def _example(failure: Failure, test: str) -> Example:
    if failure.arguments is None:
        return Example("", failure.reason)
    return Example(example_digest(example_of(failure.arguments, test)))
