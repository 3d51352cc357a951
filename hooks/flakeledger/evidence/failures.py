"""What failed a test: the exceptions themselves, by the names of their classes.

Invariants:
* Every leaf of an exception group counts, however deep, and each once.
* An exception is known by its own class and all ancestors of it, so that "subclasses included" can be judged by name.
"""

from __future__ import annotations

#: functions of unittest between which a TestCase's own code runs that is not the test: they are in its traceback
_AROUND = frozenset({"_callSetUp", "_callTearDown", "_callCleanup"})
_UNITTEST = frozenset({"unittest.case", "unittest.async_case"})


def leaves(error: BaseException) -> list[BaseException]:
    """The exceptions of a group that are no groups themselves, in their order; the exception when it is no group."""
    found: list[BaseException] = []
    seen: set[int] = set()
    pending = [error]
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, BaseExceptionGroup):
            pending += reversed(one.exceptions)
        else:
            found.append(one)
    return found


def class_names(error: BaseException) -> tuple[str, ...]:
    """The qualified name of an exception's class, then of its ancestors; built-in ones stand without a module."""
    return tuple(_qualified(kind) for kind in type(error).__mro__)


def _qualified(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def is_around_a_test_case(error: BaseException) -> bool:
    """Whether it came from setUp, tearDown or a cleanup of a TestCase, which pytest reports as the test's own call."""
    step = error.__traceback__
    while step is not None:
        code, module = step.tb_frame.f_code, step.tb_frame.f_globals.get("__name__")
        if code.co_name in _AROUND and module in _UNITTEST:
            return True
        step = step.tb_next
    return False
