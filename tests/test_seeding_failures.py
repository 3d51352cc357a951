"""The name of what failed: found among the accepted ones by those who see only text."""

from __future__ import annotations

import asyncio
import socket
import unittest
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from flakeledger.evidence.seeding_failures import (
    LONGEST_SENTENCE,
    class_names,
    failure_name,
    is_around_a_test,
    leaves,
    sentence_of,
)
from flakeledger.rules.freeze_evidence import is_environment

ACCEPTED = ["TimeoutError", "ConnectionError", "socket.gaierror", "broker.Unreachable"]


class Unreachable(Exception):
    __module__ = "broker"


class Refused(Unreachable):
    __module__ = "client"


class Mine(AssertionError):
    pass


class OwnTimeoutError(TimeoutError):
    pass


GROUP = ExceptionGroup("both", [TimeoutError(), ExceptionGroup("inner", [KeyError("k"), ValueError()])])
NAMES: list[tuple[BaseException, str, bool]] = [
    (AssertionError(), "AssertionError", False),
    (TimeoutError(), "TimeoutError", True),
    (ConnectionRefusedError(), "ConnectionError", True),
    (socket.gaierror(), "socket.gaierror", True),
    (Unreachable(), "broker.Unreachable", True),
    (Refused(), "broker.Unreachable", True),
    (Mine(), f"{__name__}.Mine", False),
    (OwnTimeoutError(), "TimeoutError", True),
    (GROUP, "KeyError", False),
    (ExceptionGroup("all", [TimeoutError(), ConnectionResetError()]), "TimeoutError", True),
    (SystemExit(3), "SystemExit", False),
]


@pytest.mark.parametrize(("error", "name", "accepted"), NAMES)
def test_the_checks_find_a_failure_as_the_policy_accepts_it(error: BaseException, name: str, accepted: bool) -> None:
    assert failure_name([error], ACCEPTED) == name
    assert is_environment(name, tuple(ACCEPTED)) == accepted


@pytest.mark.parametrize("policy", ["TimeoutError", "builtins.TimeoutError", "OSError"])
def test_however_the_policy_names_a_class(policy: str) -> None:
    assert is_environment(failure_name([TimeoutError()], [policy]), (policy,))


def test_of_several_failures_the_first_that_is_not_accepted_counts() -> None:
    errors: list[BaseException] = [TimeoutError(), ConnectionError(), KeyError(), ValueError()]
    assert failure_name(errors, ACCEPTED) == "KeyError"
    assert failure_name(errors[:2], ACCEPTED) == "TimeoutError"


def test_what_holds_exceptions_and_is_no_group_is_judged_itself() -> None:
    class Several(Exception):
        exceptions = (TimeoutError(),)

    error = Several()
    assert list(leaves(error)) == [error]
    assert not is_environment(failure_name([error], ACCEPTED), tuple(ACCEPTED))


ONE, TWO, THREE = TimeoutError("one"), ValueError("two"), KeyboardInterrupt()


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ONE, [ONE]),
        (ExceptionGroup("", [ONE, TWO]), [ONE, TWO]),
        (BaseExceptionGroup("", [ExceptionGroup("", [ONE]), THREE, ExceptionGroup("", [TWO])]), [ONE, THREE, TWO]),
        (ExceptionGroup("", [ONE, ExceptionGroup("", [ONE, TWO])]), [ONE, TWO]),
    ],
)
def test_every_leaf_counts_once(error: BaseException, expected: list[BaseException]) -> None:
    assert list(leaves(error)) == expected


def test_deep_and_shared_groups_are_bounded() -> None:
    group: Exception = ONE
    for _ in range(5000):
        group = ExceptionGroup("", [group, group])
    assert list(leaves(group)) == [ONE]


class Outer:
    class Late(TimeoutError):
        pass


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ONE, ("TimeoutError", "OSError", "Exception", "BaseException", "object")),
        (Outer.Late(), (f"{__name__}.Outer.Late", "TimeoutError", "OSError", "Exception", "BaseException", "object")),
        (asyncio.QueueEmpty(), ("asyncio.queues.QueueEmpty", "Exception", "BaseException", "object")),
    ],
)
def test_a_class_is_named_with_its_ancestors(error: BaseException, expected: tuple[str, ...]) -> None:
    assert class_names(error) == expected


def fail(*_: object) -> None:
    raise TimeoutError


async def fail_later(*_: object) -> None:
    raise TimeoutError


def test_the_plain_function_is_no_part_of_a_test_case() -> None:
    with pytest.raises(TimeoutError) as caught:
        fail()
    assert not is_around_a_test(caught.value)
    assert not is_around_a_test(TimeoutError())


@pytest.mark.parametrize(
    ("base", "method", "body", "around"),
    [
        (unittest.TestCase, "test_it", fail, False),
        (unittest.TestCase, "setUp", fail, True),
        (unittest.TestCase, "tearDown", fail, True),
        (unittest.TestCase, "test_it", lambda case: case.addCleanup(fail), True),
        (unittest.IsolatedAsyncioTestCase, "test_it", fail_later, False),
        (unittest.IsolatedAsyncioTestCase, "asyncSetUp", fail_later, True),
        (unittest.IsolatedAsyncioTestCase, "asyncTearDown", fail_later, True),
    ],
)
def test_what_surrounds_the_test_of_a_test_case_is_told_apart(
    base: type[unittest.TestCase], method: str, body: Callable[[unittest.TestCase], object], around: bool
) -> None:
    seen: list[BaseException] = []

    class Result(unittest.TestResult):
        def addError(self, test: unittest.TestCase, err: object) -> None:  # noqa: ARG002, N802  # unittest's names
            assert isinstance(err, tuple)
            seen.append(err[1])

    case = type("Case", (base,), {"test_it": lambda _: None} | {method: body})
    case("test_it").run(Result())
    assert [is_around_a_test(error) for error in seen] == [around]


def report_of(said: object) -> pytest.TestReport:
    return pytest.TestReport("a.py::test_a", ("a.py", 0, "test_a"), {}, "failed", said, "call")  # type: ignore[arg-type]  # whatever plugins make of it


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (SimpleNamespace(reprcrash=SimpleNamespace(message="\n  ValueError: no\nmore")), "ValueError: no"),
        (("a.py", 3, "Skipped: no network"), "Skipped: no network"),
        ("a.py:3: in test_a\nE   ValueError: no\n", "ValueError: no"),
        ("first\nlast\n\n", "last"),
        (None, ""),
        ("", ""),
        ("x" * (LONGEST_SENTENCE + 1), "x" * LONGEST_SENTENCE),
    ],
)
def test_a_report_is_one_sentence(said: object, sentence: str) -> None:
    assert sentence_of(report_of(said)) == sentence
