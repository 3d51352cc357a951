"""How long `flakeledger status` and `remind` take for 10,000 frozen rows, beyond the reading of the ledgers.

Invariants:
* What is read is what `flakeledger review` reads for its rows: the ledgers and the tree behind them, warm. It is timed
  in this process and taken away; the rest of a run, imports and the start of Python included, is what counts.
* Every run is a process, with its start and its end, on a terminal of 120 columns where a table is asked for; a number
  is the median.

Run: python benchmarks/status.py [--folder FOLDER] [--runs 7]
"""

from __future__ import annotations

import argparse
import os
import pty
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from flakeledger.model.clock import parse_instant
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.rules.overview import overview
from repositories import NOW, Size, build, environment

PRODUCT = str(Path(sys.executable).with_name("flakeledger"))
SIZE = Size(10_000, 100, 2_000, 1_000)
BAR_SECONDS = 1.0
ASKED = {
    "`status`, the table of a terminal": ("status",),
    "`status`, piped": ("status", "--format", "text"),
    "`status --format json`": ("status", "--format", "json"),
    "`status --format csv`": ("status", "--format", "csv"),
    "`status --format markdown`": ("status", "--format", "markdown"),
    "`remind --days 90 --format json`": ("remind", "--days", "90", "--format", "json"),
}


def seconds_of(work: Callable[[], object]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def reading(root: Path) -> float:
    """How long it takes to read the rows."""

    def read() -> None:
        with open_repository(str(root), environment(), from_disk=True) as repository:
            overview(repository.ledger(repository.tree(INDEX)), parse_instant(NOW))

    return seconds_of(read)


def piped(root: Path, *arguments: str) -> None:
    """One run whose output goes into a pipe."""
    subprocess.run([PRODUCT, *arguments, "--now", NOW], cwd=root, env=environment(), check=True, capture_output=True)


def on_terminal(root: Path, *arguments: str) -> None:
    """One run whose output goes to a terminal."""
    ours, theirs = pty.openpty()
    known = environment() | {"COLUMNS": "120"}
    command = [PRODUCT, *arguments, "--now", NOW]
    with subprocess.Popen(command, cwd=root, env=known, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        while _more(ours):
            pass
        os.close(ours)
    assert process.returncode == 0


def _more(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux says so when the other side is closed
        return b""


def main() -> int:
    """Build the repository, measure, print a row for each command; 1 when a number is above the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="keeps the repository here for the next time")
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = (given.folder or Path(folder)) / "status"
        if not root.exists():
            build(root, SIZE)
        piped(root, "status")  # fills the cache
        read = statistics.median(reading(root) for _ in range(given.runs))
        print(f"| reading {SIZE.rows:,} rows with their interviews | {read:.2f} s |", flush=True)
        slow = 0
        for number, (name, arguments) in enumerate(ASKED.items()):
            run = piped if number else on_terminal
            whole = statistics.median(seconds_of(partial(run, root, *arguments)) for _ in range(given.runs))
            slow += whole - read > BAR_SECONDS
            print(f"| {name} | {whole - read:.2f} s after reading ({whole:.2f} s in all) |", flush=True)
    return int(slow > 0)


if __name__ == "__main__":
    raise SystemExit(main())
