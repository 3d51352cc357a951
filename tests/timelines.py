"""Histories of a ledger of freezes with dates, made by git itself in one go.

Invariants:
* A commit is made at the second that it is given, whatever the order of history; nothing else is in its tree.
* A row is what people write, but for the pins, which no timeline looks at.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from conftest import git
from flakeledger.model.clock import DAY
from flakeledger.model.ledger_paths import FREEZES

#: a Monday
DAY_0 = date(2026, 3, 2)
EPOCH = date(1970, 1, 1)


class Step(NamedTuple):
    """A commit: when it was made, the text of the ledger in it (None: no file), and what it merges, if anything.

    `mark` names it for later steps; `first` is the mark of its first parent, None for the step before.
    """

    at: int
    ledger: str | None
    mark: int | None = None
    first: int | None = None
    second: int | None = None


def day(number: float) -> int:
    """The second at which a day begins; 0.5 is its noon."""
    return int(((DAY_0 - EPOCH).days + number) * DAY)


def on(number: int) -> str:
    """The date of a day."""
    return (DAY_0 + timedelta(days=number)).isoformat()


def row(test: str, frozen: int, expires: int | None, property_id: str | None = "PROP-1", **fields: str) -> str:
    """The text of a row; a test is given by its name, and lies in tests/test_a.py unless it names its file."""
    name = test if "::" in test else f"tests/test_a.py::{test}"
    values = {"owner": '"@finley"', "frozen_on": on(frozen), "reason": "depends on the wall clock"}
    if expires is not None:
        values["expires"] = on(expires)
    if property_id is not None:
        values["property_id"] = property_id
    return f"- test: {name}\n" + "".join(f"  {key}: {value}\n" for key, value in (values | fields).items())


def write_history(root: Path, steps: Sequence[Step]) -> None:
    """Put the commits on main, the oldest first."""
    done = subprocess.run(
        ["git", "fast-import", "--quiet", "--date-format=raw", "--force"],
        cwd=root,
        input="".join(_commands(steps)).encode(),
        env=os.environ,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    git(root, "symbolic-ref", "HEAD", "refs/heads/main")


def _commands(steps: Sequence[Step]) -> Iterator[str]:
    marks = [1_000 + number if step.mark is None else step.mark for number, step in enumerate(steps)]
    for number, step in enumerate(steps):
        message = f"step {number}"
        yield f"commit refs/heads/main\nmark :{marks[number]}\n"
        yield f"committer Finley <finley@example.org> {step.at} +0000\ndata {len(message)}\n{message}\n"
        first = step.first if step.first is not None else marks[number - 1] if number else None
        if first is not None:
            yield f"from :{first}\n"
        if step.second is not None:
            yield f"merge :{step.second}\n"
        yield "deleteall\n"
        if step.ledger is not None:
            yield f"M 100644 inline {FREEZES}\ndata {len(step.ledger.encode())}\n{step.ledger}\n"
