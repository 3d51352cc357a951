"""What failed a test, by name and in one line.

Part of what the tests' interpreter is given (see `seeding_plugin.py`), and of the pytest plugin: both name alike.

Invariants:
* The name of a failure is found by the checks, which see only text: an accepted ancestor stands for its subclass.
* Only a group of exceptions stands for its leaves. Every leaf counts, however deep, and each once.
* Nothing that a test wrote is called, but for the texts of its exceptions that pytest has made already.
"""

from __future__ import annotations

import unittest
from collections.abc import Iterator
from typing import Any

import pytest

LONGEST_SENTENCE = 300
#: the base of every group: built in from Python 3.11, and of this name in the package `exceptiongroup` before
GROUP = "BaseExceptionGroup"
#: what ends a test without failing it
SKIPS = (pytest.skip.Exception, unittest.SkipTest)
#: functions of unittest between which a TestCase's own code runs that is not the test
AROUND = frozenset(("_callSetUp", "_callTearDown", "_callCleanup"))
UNITTEST = frozenset(("unittest.case", "unittest.async_case"))


def failure_name(errors: list[BaseException], accepted: list[str]) -> str:
    """The class of what failed, by the name under which the checks find it among the accepted ones.

    Of several exceptions, and in a group, the first that is not accepted counts.
    """
    found = [(accepted_name(type(leaf), accepted), type(leaf)) for error in errors for leaf in leaves(error)]
    name, kind = next((one for one in found if one[0] is None), found[0])
    return name or qualified(kind)


def accepted_name(kind: type, accepted: list[str]) -> str | None:
    """The class's own name when it is accepted, else that of the accepted ancestor; None when there is none."""
    for parent in kind.__mro__:
        name = qualified(parent)
        last = name.rpartition(".")[2]
        for one in accepted:
            if one in (name, last, f"builtins.{name}"):
                return name if parent is kind and one in (name, last) else one
    return None


def qualified(kind: type) -> str:
    """The name of a class with its module, built-in ones without."""
    module = kind.__module__ if isinstance(kind.__module__, str) else "?"
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


def class_names(error: BaseException) -> tuple[str, ...]:
    """The qualified name of an exception's class, then of its ancestors; built-in ones stand without a module."""
    return tuple(qualified(kind) for kind in type(error).__mro__)


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions of a group that are no groups themselves, in their order; the exception when it is no group."""
    pending: list[Any] = [error]
    seen: set[int] = set()
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if any(kind.__name__ == GROUP for kind in type(one).__mro__):
            pending += reversed(one.exceptions)
        else:
            yield one


def is_around_a_test(error: BaseException) -> bool:
    """Whether it came from setUp, tearDown or a cleanup of a TestCase, which pytest reports as the test's own call."""
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_name in AROUND and step.tb_frame.f_globals.get("__name__") in UNITTEST:
            return True
        step = step.tb_next
    return False


def sentence_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """What a report says in one line: what was raised, the reason of a skip, the last line of anything else."""
    said: Any = report.longrepr
    crash = getattr(said, "reprcrash", None)
    if crash is not None:
        lines = str(crash.message).splitlines()
    elif isinstance(said, tuple):
        lines = [str(said[-1])]
    else:
        # pytest's own mark of the lines that say what was raised
        lines = [line[1:] if line.startswith("E  ") else line for line in str(said or "").splitlines()[::-1]]
    return next((line.strip() for line in lines if line.strip()), "")[:LONGEST_SENTENCE]
