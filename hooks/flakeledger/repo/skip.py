"""A place in test code that takes a test out of the runs, or lets it fail: what `skip-unledgered` compares.

Invariants:
* One record for every language; places are lines of the file as git stores it, counted from 1.
* What is not looked at, because there is too much of it, is a skip of its own kind; so is what cannot
  be read because of its encoding.
* A skip is unconditional: what depends on the machine, the platform or a missing module is never one.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

#: "retry" runs a failing test again, "ignore" is pytest's `collect_ignore`, "unread" is the rest of a file with more
#: places than are looked at, "hidden" a file whose encoding may hide them
SkipKind = Literal["skip", "xfail", "flaky", "retry", "quarantine", "deselect", "ignore", "unread", "hidden"]
#: so many places of a file are looked at: nobody writes more, and what a stranger writes must not take long
MOST_PLACES = 10_000


class Skip(NamedTuple):
    """One unconditional skip, xfail, flaky, retry or quarantine mark, deselection or ignored path.

    `name` is how people write it, in full: "@pytest.mark.skip", "pytest.skip()", "it.skip", "--deselect",
    "pytestmark = pytest.mark.skip", "pytest.param(marks=pytest.mark.skip)", "pytest.skip() in helper()".
    `test` is what it takes out: a qualified name inside its file ("Class::test_x", "Class", a title), which may be a
    fixture that skips whoever asks for it; the deselected id or the ignored path, "" where it is computed; or "" for
    the whole file. `first` and `last` are the lines that write it, both included; `column` is that of its first
    character, in Python behind a decorator's `@`. `reason` is the text that it gives, on one line, or "".
    """

    kind: SkipKind
    name: str
    test: str
    first: int
    last: int
    column: int
    reason: str


def unread(first: int, last: int) -> Skip:
    """What stands for these lines of a file, both included, in which nobody looked: unknown is never fine."""
    return Skip("unread", "the rest of the file", "", first, last, 1, "")


def hidden(cookie: str, last: int) -> Skip:
    """What stands for a Python module of `last` lines in an encoding in which words are not written as themselves."""
    return Skip("hidden", f"coding: {cookie}", "", 1, last, 1, "")
