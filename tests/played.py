"""The commands of `odd_commands.py`, all in one process of an interpreter that plays a system (`elsewhere.py`).

Invariants:
* Each command that writes has a world of its own; the others share one.
* Temporary files go into a folder of the run's own, which is empty in the end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import elsewhere
from odd_commands import NEW, REPLAY, ROWS, Expected, Row


class Played(NamedTuple):
    """What a command did on a system that was played; `crash` is the traceback of what it did not catch."""

    code: int
    out: str
    err: str
    crash: str


class System(NamedTuple):
    """A system: what is played (`elsewhere.SYSTEMS`), and how its streams write text."""

    name: str = "plain"
    encoding: str = "utf-8"
    newline: str = "\n"


def play(
    folder: Path, kind: str, system: System, environment: Mapping[str, str], python: str = sys.executable
) -> dict[Row, Played]:
    """What every command does in a world of this kind."""
    plain, own = folder / kind, folder / "temporary"
    NEW[kind](plain)
    own.mkdir()
    rows = [row for row in (*ROWS, REPLAY) if getattr(row, kind) is not None]
    runs = []
    for number, row in enumerate(rows):
        place = plain
        if row.writes:
            place = folder / f"{kind}{number}"
            subprocess.run(["cp", "-a", plain, place], check=True)
        runs.append(
            (str(place / "world"), [argument.format(given=place / "given", up="") for argument in row.arguments])
        )
    command = [python, "-X", "warn_default_encoding", "-W", "error::EncodingWarning", elsewhere.__file__]
    done = subprocess.run(
        [*command, *system],
        input=json.dumps(runs),
        env={**os.environ, "TMPDIR": str(own), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert os.listdir(own) == []
    return {row: Played(**one) for row, one in zip(rows, json.loads(done.stdout), strict=True)}


def expected(row: Row, kind: str) -> Expected:
    """What the table says of a row in a world of this kind."""
    found: Expected | None = getattr(row, kind)
    assert found is not None
    return found
