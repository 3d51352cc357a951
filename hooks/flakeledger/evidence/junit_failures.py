"""What failed a test case of a JUnit XML report: the names of the exceptions, as far as the report tells them.

Invariants:
* A name is taken from where frameworks write it (the table in `docs/commands.md`), never guessed from prose. One result
  without a name, and it is not known what the test failed with.
* Classes are known by their names alone: a report does not tell what they descend from.
* An error is not the test's own, unless the stack trace shows that it went through the test's own method.
* Every text is looked at from its start, in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

#: longer names than this are prose
_LONGEST = 200
_NAME = re.compile(r"[^\W\d][\w$]*+(?:[.\\][^\W\d][\w$]*+)*+")
#: how node's test runner shows the exception that a test raised: its class, and its name or code
_NODE_CAUSE = re.compile(r"^  failureType: '\w++',\n  cause: ([\w.$]++)(?: \[([\w.$]++)\])?+", re.MULTILINE)
#: how pytest begins the message of a strict xfail that passed
_STRICT_XFAIL = "[XPASS(strict)]"


class Result(Protocol):
    """A failure, an error or a skip of a test case, as junitparser reads it."""

    @property
    def message(self) -> str | None:
        """Its attribute `message`."""

    @property
    def type(self) -> str | None:
        """Its attribute `type`."""

    @property
    def text(self) -> str | None:
        """The text that it holds."""


class Failed(NamedTuple):
    """What a test case failed with: the names of each exception; none when one of them is not known.

    `beyond` says why no freeze can cover it, whatever it was; empty when one can.
    """

    exceptions: tuple[tuple[str, ...], ...] = ()
    beyond: str = ""


def failed_with(results: Sequence[Result], classname: str | None, name: str | None) -> Failed:
    """What the failures and errors of a test case, at least one, say."""
    from junitparser import Error
    from junitparser.xunit2 import RerunError

    beyond = ""
    if any((one.message or "").startswith(_STRICT_XFAIL) for one in results):
        beyond = "it is a strict xfail that passed, and no freeze covers that"
    errors = [one for one in results if isinstance(one, Error | RerunError)]
    if not all(_went_through(one, classname or "", name or "") for one in errors):
        beyond = "the report calls it an error, not a failure of the test, and a freeze covers the test alone"
    names = [names_of(one) for one in results]
    return Failed(tuple(names) if all(names) else (), beyond)


def _went_through(error: Result, classname: str, name: str) -> bool:
    """Whether a stack trace of the JVM has a frame of the test's own method, or of a lambda in it.

    JUnit calls every exception that is no assertion an error, wherever it comes from.
    """
    text = error.text or ""
    return f"at {classname}.{name}(" in text or f"at {classname}.lambda${name}$" in text


def names_of(result: Result) -> tuple[str, ...]:
    """The names of the exception that a result tells, the one for people first; empty when it tells none.

    The first of these that is there decides: node's `cause`, the attribute `type`, the start of the attribute
    `message`, the start of the text.
    """
    kind, message, text = result.type or "", result.message or "", result.text or ""
    cause = _NODE_CAUSE.search(text)
    if cause is not None:
        plain, label = cause[1], cause[2]
        names = [plain] if label is None else [label, plain] if plain == "Error" else [plain, label]
        return _spellings([*names, *_whole(kind)])
    if kind:
        return _spellings(_whole(kind))
    return _spellings(_beginning(message or text.lstrip()))


def _whole(text: str) -> list[str]:
    return [text] if len(text) <= _LONGEST and _NAME.fullmatch(text) else []


def _beginning(text: str) -> list[str]:
    """The name with which `NAME: message`, or the one line `NAME`, begins."""
    found = _NAME.match(text[: _LONGEST + 1])
    if found is None or len(found[0]) > _LONGEST:
        return []
    return [found[0]] if text[found.end() : found.end() + 1] in (":", "\n", "") else []


def _spellings(names: list[str]) -> tuple[str, ...]:
    """Each name, and where another language separates the parts by other signs, also with dots."""
    dotted = (re.sub(r"[$\\]", ".", name) for name in names)
    return tuple(dict.fromkeys((*names, *dotted)))
