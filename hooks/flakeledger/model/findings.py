"""A finding: one thing that is wrong, with its place and how to repair it.

Invariants:
* `line` and `column` count from 1; a finding about a whole file stands at 1:1.
* `message` is one sentence without a trailing newline; `fix` is a command or the exact text to write.
* Text from files enters findings as it is; every reporter escapes it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["error", "warning"]


#: so many things wrong with one file are told: whoever has more mends these first, and nobody waits for the others
MOST_TOLD = 1000


class Finding(NamedTuple):
    """One thing that is wrong. Tuples sort by path, line and column: the order of every report."""

    path: str
    line: int
    column: int
    rule: str
    message: str
    fix: str = ""
    level: Level = "error"
    #: the row's key (test id, property id, fixture id) that the finding is about, or ""
    subject: str = ""
    #: time or fresh evidence caused it, not an edit (the rules marked t)
    by_time: bool = False


def unread_below(path: str, line: int, rule: str) -> Finding:
    """Says that a file with so many mistakes was not read from this line on."""
    message = f"more than {MOST_TOLD} mistakes stand above; from here on the file was not read"
    return Finding(path, line, 1, rule, message, "mend what is above, then check again")
