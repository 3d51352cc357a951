"""The name of what failed: found among the accepted ones by those who see only text."""

from __future__ import annotations

import builtins
import socket
import unittest

import pytest

from flakeledger.evidence.seeding_failures import failure_name, is_around_a_test, leaves
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


def test_a_group_that_holds_itself_ends() -> None:
    class Odd(Exception):
        exceptions: tuple[BaseException, ...] = ()

    one, other = Odd(), Odd()
    one.exceptions = (other, ValueError())
    other.exceptions = (one,)
    assert [type(leaf) for leaf in leaves(one)] == [ValueError]


def test_an_error_in_set_up_is_around_the_test_and_one_in_the_test_is_not() -> None:
    class Case(unittest.TestCase):
        def setUp(self) -> None:
            if self._testMethodName == "test_set_up":
                raise ValueError

        def test_set_up(self) -> None:
            """Never reached."""

        def test_itself(self) -> None:
            raise ValueError

    class Kept(unittest.TestResult):
        kept: BaseException | None = None

        def addError(self, test: object, err: object) -> None:  # noqa: N802, ARG002
            assert isinstance(err, tuple)
            self.kept = err[1]

    found = {}
    for name in ("test_set_up", "test_itself"):
        result = Kept()
        Case(name).run(result)
        assert isinstance(result.kept, builtins.ValueError)
        found[name] = is_around_a_test(result.kept)
    assert found == {"test_set_up": True, "test_itself": False}
