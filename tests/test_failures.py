"""The exceptions that failed a test, and the names of their classes."""

from __future__ import annotations

import asyncio
import unittest
from collections.abc import Callable

import pytest

from flakeledger.evidence.failures import class_names, is_around_a_test_case, leaves

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
    assert leaves(error) == expected


def test_deep_and_shared_groups_are_bounded() -> None:
    group: Exception = ONE
    for _ in range(5000):
        group = ExceptionGroup("", [group, group])
    assert leaves(group) == [ONE]


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
    assert not is_around_a_test_case(caught.value)
    assert not is_around_a_test_case(TimeoutError())


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
    assert [is_around_a_test_case(error) for error in seen] == [around]
