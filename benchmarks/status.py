"""How long `flakeledger status` and `remind` take for 10,000 frozen rows, beyond the reading of the ledgers.

Invariants:
* What is read is what `flakeledger review` reads for its rows: the ledgers and the tree behind them, warm. It is timed
  in this process and taken away; the rest of a run, imports and the start of Python included, is what counts.
* Every run is a process, with its start and its end, on a terminal of 120 columns where a table is asked for.
"""

from __future__ import annotations

import gc
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bars import Row, main
from flakeledger.model.clock import parse_instant
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.rules.overview import overview
from kept import built
from repositories import NOW, Size, environment
from timing import PRODUCT, QUICK_RUNS, RUNS, Work, medians, process

SIZE, SMALLER = Size(10_000, 30, 2_000, 1_000), Size(1_000, 30, 2_000, 1_000)
BAR_SECONDS = 1.0
TABLE = "`status`, the table of a terminal"
#: what is asked, beside the table of a terminal
PIPED = {
    "`status`, piped": ("status", "--format", "text"),
    "`status --format json`": ("status", "--format", "json"),
    "`status --format csv`": ("status", "--format", "csv"),
    "`status --format markdown`": ("status", "--format", "markdown"),
    "`remind --days 90 --format json`": ("remind", "--days", "90", "--format", "json"),
}


def read(root: Path) -> None:
    """Reads the rows."""
    gc.disable()  # as the process of a command does: with it, reading would take longer than all of `status`
    with open_repository(str(root), environment(), from_disk=True) as repository:
        overview(repository.ledger(repository.tree(INDEX)), parse_instant(NOW))
    gc.enable()


def on_terminal(root: Path) -> None:
    """One run whose output goes to a terminal."""
    ours, theirs = pty.openpty()
    known = environment() | {"COLUMNS": "120"}
    command = [PRODUCT, "status", "--now", NOW]
    with subprocess.Popen(command, cwd=root, env=known, stdout=theirs, stderr=subprocess.DEVNULL) as ended:
        os.close(theirs)
        while _more(ours):
            pass
        os.close(ours)
    assert ended.returncode == 0


def _more(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux says so when the other side is closed
        return b""


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """The bar, for each way to ask."""
    size, runs = (SMALLER, QUICK_RUNS) if quick else (SIZE, RUNS)
    root = built(folder, size)
    works = {TABLE: Work(partial(on_terminal, root))}
    works |= {name: process(root, PRODUCT, *words, "--now", NOW) for name, words in PIPED.items()}
    reading, *whole = medians(runs, Work(partial(read, root)), *works.values())
    for name, took in zip(works, whole, strict=True):
        after = took.clock - reading.clock
        measured = f"{after:.2f} s after reading ({took.clock:.2f} s in all)"
        work = f"{name}, {size.rows:,} rows"
        yield Row(work, f"at most {BAR_SECONDS:g} s after reading", measured, after <= BAR_SECONDS)


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
