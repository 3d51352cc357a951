"""Captures witnesses while tests run: the smallest arguments under which a property test failed, one file for each.

Invariants:
* A witness is written only when its arguments have a faithful form and nothing speaks against their being the smallest,
  or when the test was flaky and the witness says so, and nothing in it looks like a secret. Otherwise a file beside it
  holds the reason.
* A test that passes, and one that protects no property, leaves nothing.
* A file appears whole or not at all, under a name that says what is in it: workers of pytest-xdist may write the same.
* No outcome of a test is changed, and a disk that is full ends no run.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Generator, Iterator
from hashlib import sha256
from typing import NamedTuple

import pytest

from flakeledger.evidence import property_facts, secrets
from flakeledger.evidence.honouring import test_id
from flakeledger.evidence.observing import Failure
from flakeledger.evidence.property_facts import PropertyFacts
from flakeledger.evidence.seed_budget import under_seeds
from flakeledger.evidence.seeding_examples import function_of, given_function
from flakeledger.evidence.seeding_failures import SKIPS, is_around_a_test, leaves
from flakeledger.evidence.watching import Watching
from flakeledger.model.errors import CannotTell
from flakeledger.model.witness import Witness, example_digest, example_of, example_text, witness_file
from flakeledger.repo.modules import named_properties
from flakeledger.reporters.escape import escape_line
from flakeledger.store.unfinished import unfinished

REFUSED = ".refused.json"
_KEY = "flakeledger_witnesses"
_LONGEST_NAME = 80


class CaptureSetting(NamedTuple):
    """What a run was started with.

    `folder` is where witnesses go, None for nowhere; `seeds` what every test of Hypothesis draws under, None for its
    own. `environment` is what pytest itself started with. A worker of pytest-xdist reports to its controller, which
    tells.
    """

    root: str
    environment: dict[str, str]
    folder: str | None
    seeds: tuple[int, ...] | None
    is_worker: bool


class Capture:
    """The hooks of one run of pytest."""

    def __init__(self, setting: CaptureSetting, watching: Watching) -> None:
        """Nothing failed yet. `watching` watches every test."""
        self.setting = setting
        self.watching = watching
        self._lines: list[str] = []
        self.told: list[str] = []

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """Let a test of Hypothesis draw under the seeds, inside of what Hypothesis itself counts."""
        function = given_function(item)
        if getattr(function, "hypothesis", None) is None:
            return (yield)
        with under_seeds(item, function, self.setting.seeds):
            return (yield)

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Write what failed: behind unittest's own hook, which brings the exception of a TestCase."""
        if call.when != "call" or call.excinfo is None or given_function(item) is None:
            return
        error = call.excinfo.value
        if self.setting.folder is None or isinstance(error, SKIPS) or any(map(is_around_a_test, leaves(error))):
            return
        self._lines += self._written(self.setting.folder, item, self.watching.failures(item, call))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Let the report carry what was written to whoever tells it."""
        if self._lines:
            vars(report)[_KEY], self._lines = self._lines, []
        if not self.setting.is_worker:
            self.told += vars(report).get(_KEY, ())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Each witness, and why there is none."""
        if self.told:
            terminalreporter.write_sep("=", "flakeledger witnesses")
            for line in dict.fromkeys(self.told):
                terminalreporter.write_line(escape_line(line))

    def _written(self, folder: str, item: pytest.Item, failures: list[Failure]) -> Iterator[str]:
        """Write a file for each failure; a line about each."""
        test = test_id(item, ())
        try:
            facts = property_facts.ask(self.setting.root, self.setting.environment, test)
        except CannotTell as error:
            if names_a_property(item):
                reason = f"{error.reason} (fix: {error.fix})"
                yield self._refused(folder, test, [], Failure("", None, None, reason))
            return
        for failure in failures:
            yield from self._one(folder, test, failure, facts)

    def _one(self, folder: str, test: str, failure: Failure, facts: PropertyFacts) -> Iterator[str]:
        example = {} if failure.arguments is None else example_of(failure.arguments, test)
        size = len(example_text(example))
        if failure.shrink is not None and size > facts.largest:
            reason = f"its example takes {size} bytes, and `witness_bytes` of the policy is {facts.largest}"
            failure = failure._replace(shrink=None, reason=reason)
        if failure.shrink is not None:
            failure = self._without_secret(failure, example)
        if failure.shrink is None:
            yield self._refused(folder, test, list(facts.generators), failure)
            return
        budget = None if self.setting.seeds is None else len(self.setting.seeds)
        digest = example_digest(example)
        for property_id, hashes in facts.generators.items():
            witness = Witness(property_id, test, budget, example, digest, hashes, failure.shrink)
            file = witness_file(witness)
            path = f"{folder}/{file.digest}.json"
            yield _placed(path, file.data) or f"witness of {test} ({property_id}, shrink {failure.shrink}): {path}"

    def _without_secret(self, failure: Failure, example: dict[str, object]) -> Failure:
        """The failure, without its witness where that would keep something that looks like a secret."""
        try:
            secret = secrets.ask(self.setting.root, self.setting.environment, example)
        except CannotTell as error:
            return failure._replace(shrink=None, reason=f"{error.reason} (fix: {error.fix})")
        if secret is None:
            return failure
        return failure._replace(shrink=None, reason=f"its example holds {secret.told}")

    def _refused(self, folder: str, test: str, properties: list[str], failure: Failure) -> str:
        value = {"test": test, "properties": properties, "exception": failure.exception, "reason": failure.reason}
        data = (json.dumps(value, sort_keys=True, indent=1) + "\n").encode()
        name = re.sub(r"[^A-Za-z0-9_.-]+", "-", test.rpartition("::")[2])[:_LONGEST_NAME]
        path = f"{folder}/{name}-{sha256(data).hexdigest()[:12]}{REFUSED}"
        return _placed(path, data) or f"no witness of {test}: {failure.reason}"


def names_a_property(item: pytest.Item) -> bool:
    """Whether a test itself says that it protects a property, by its mark or in its docstring."""
    text = getattr(function_of(item), "__doc__", None)
    return item.get_closest_marker("property_id") is not None or bool(isinstance(text, str) and named_properties(text))


def _placed(path: str, data: bytes) -> str:
    """Write a file whole; why it cannot be, else the empty text."""
    try:
        with unfinished(path, data, durable=False) as written:
            os.replace(written, path)
    except OSError as error:
        return f"{path} cannot be written: {error.strerror}"
    return ""
