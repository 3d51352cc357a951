"""Runs a test under the one example of a witness, and judges it by what became of its body.

Part of what the tests' interpreter is given: see `seeding_plugin.py`.

Invariants:
* Nothing but the example is run: the test's own examples are dropped, nothing is generated, no database is read.
* The probe on the body judges, not the report: Hypothesis calls a rejected example passed.
* What cannot be placed is never run, and says why. The function is restored: parametrised tests share it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from .faithful import decoded_arguments
from .faithful_kinds import Refused
from .seeding_examples import given_function
from .seeding_failures import SKIPS

#: what a placed example changes in a function of Hypothesis (6.80 to 6.170), beside `hypothesis.inner_test`
ATTRIBUTES = ("hypothesis_explicit_examples", "_hypothesis_internal_use_settings")


class Trial:
    """One run of a test under an example."""

    def __init__(self) -> None:
        """The body did not run."""
        self.calls = 0
        self.end: BaseException | None = None

    @contextlib.contextmanager
    def placed(self, item: pytest.Item, witness: Mapping[str, Any]) -> Iterator[None]:
        """Let the test run under the example until the end of the `with`. Refused when it cannot."""
        function = given_function(item)
        handle = getattr(function, "hypothesis", None)
        if handle is None:
            what = "a state machine" if function is not None else "no test of Hypothesis"
            raise Refused(f"it is {what}, which is given no arguments")
        refuse_other_property(item, witness["property_id"])
        inner = handle.inner_test
        drawn = set(inspect.signature(inner).parameters) - set(inspect.signature(function).parameters)
        if drawn != set(witness["arguments"]):
            raise Refused(f"the test draws {', '.join(sorted(drawn))}, and the witness has other arguments")
        arguments = decoded_arguments(witness["arguments"], build=True)
        before = {name: getattr(function, name) for name in ATTRIBUTES if hasattr(function, name)}
        self._place(function, arguments)
        handle.inner_test = self._probing(inner)
        try:
            yield
        finally:
            handle.inner_test = inner
            for name in ATTRIBUTES:
                if name in before:
                    setattr(function, name, before[name])
                else:
                    delattr(function, name)

    def _place(self, function: Any, arguments: Mapping[str, Any]) -> None:
        hypothesis: Any = sys.modules["hypothesis"]
        function.hypothesis_explicit_examples = []
        hypothesis.example(**arguments)(function)
        # no public way leads to the settings of a test that is decorated already; Hypothesis' own plugin does the same
        function._hypothesis_internal_use_settings = hypothesis.settings(
            function._hypothesis_internal_use_settings, phases=[hypothesis.Phase.explicit], database=None
        )

    def _probing(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        @contextlib.contextmanager
        def watched() -> Iterator[None]:
            self.calls += 1
            try:
                yield
            except BaseException as error:
                self.end = error
                raise

        @functools.wraps(inner)
        def probe(*arguments: Any, **named: Any) -> Any:
            with watched():
                return inner(*arguments, **named)

        @functools.wraps(inner)
        async def probe_coroutine(*arguments: Any, **named: Any) -> Any:
            with watched():
                return await inner(*arguments, **named)

        return probe_coroutine if inspect.iscoroutinefunction(inner) else probe

    def verdict(self, reported: Mapping[str, Any]) -> dict[str, Any]:
        """What was reported of the run, with the outcome that the body had."""
        outcome, detail = self._outcome(reported)
        return {**reported, "outcome": outcome, "detail": detail or reported["detail"]}

    def _outcome(self, reported: Mapping[str, Any]) -> tuple[str, str]:
        known, failure = reported["outcome"], reported["failure"]
        if known == "error":
            return "error", ""
        if self.calls == 0:
            return ("skipped" if known == "skipped" else "not_run"), ""
        if self.calls > 1:
            return "error", f"its body ran {self.calls} times under one example"
        if self.end is None:
            late = failure.rpartition(".")[2] == "DeadlineExceeded"
            return ("fail" if late else known if known == "pass" else "error"), ""
        if isinstance(self.end, sys.modules["hypothesis"].errors.UnsatisfiedAssumption):
            return "rejected", "it assumes that it is never given this example"
        return ("skipped" if isinstance(self.end, SKIPS) else "fail"), ""


def refuse_other_property(item: pytest.Item, property_id: str) -> None:
    """Refused unless the module of the test names the property, as its docstrings, comments and marks may."""
    with open(str(item.path), encoding="utf-8", errors="replace") as file:
        text = file.read()
    named = rf"property_id(?::[ \t]*|\(\s*['\"]){re.escape(property_id)}(?![\w-]|\.\w)"
    if not re.search(named, text):
        raise Refused(f"its module does not name the property {property_id}")
