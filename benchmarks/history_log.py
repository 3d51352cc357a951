"""How long `flakeledger log` takes over a long history: 10,000 commits, of which 1,000 change freezes.yaml.

Invariants:
* The history is drawn from one seed: in each version one row comes, goes or changes, of fifty; as many commits
  record a decision.
* Every run is a process, with its start and its end; a number is the median.

Run: python benchmarks/history_log.py [--folder FOLDER] [--runs 7]
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from flakeledger.model.ledger_paths import FREEZES
from repositories import Size, build, environment, filler_path, git, import_commits, module_path

PRODUCT = str(Path(sys.executable).with_name("flakeledger"))
SIZE = Size(50, 5, 2_000, 1_000)
COMMITS = 10_000
#: one in so many commits changes freezes.yaml, and the one after it records a decision
EVERY = 10
BAR_SECONDS = 2.0
TEST = f"{module_path(0)}::test_case_03"
ASKED = {
    "a property of ten tests": "PROP-0000",
    "the same, with 1,000 decisions": "PROP-0001",
    "a test": TEST,
    "what was never frozen": "PROP-9999",
}

Commit = tuple[str, list[tuple[str, bytes]]]


def history(root: Path) -> Iterator[Commit]:
    """The commits, oldest first."""
    source = random.Random(20261130)
    standing = dict(enumerate(_rows(root)))
    gone: dict[int, str] = {}
    for number in range(COMMITS):
        if number % EVERY == 0:
            _change(source, standing, gone, number)
            yield f"Version {number}", [(FREEZES, "".join(standing.values()).encode())]
        else:
            yield _message(number), [(filler_path(number % 1_000), f"VALUE = {number}\n".encode())]


def _rows(root: Path) -> list[str]:
    text = git(root, "show", f"HEAD:{FREEZES}")
    return [f"- test: {row}" for row in f"{text}\n".split("- test: ")[1:]]


def _message(number: int) -> str:
    if number % EVERY != 1:
        return f"Work {number}"
    return f"Work {number}\n\nFreeze-Decision: PROP-{number % 5:04} allow_cite now=2026-11-01T00:00:00Z\n"


def _change(source: random.Random, standing: dict[int, str], gone: dict[int, str], number: int) -> None:
    """One row comes back, goes, or changes its reason."""
    index = source.randrange(len(standing) + len(gone))
    if index in gone:
        standing[index] = gone.pop(index)
    elif source.random() < 0.5:
        gone[index] = standing.pop(index)
    else:
        row = standing[index].partition("  reason: ")
        standing[index] = f"{row[0]}  reason: the clock of machine number {number}\n{row[2].partition(chr(10))[2]}"


def seconds(root: Path, *arguments: str) -> float:
    """How long one run takes."""
    start = time.perf_counter()
    done = subprocess.run([PRODUCT, "log", *arguments], cwd=root, env=environment(), check=False, capture_output=True)
    assert done.returncode in (0, 1), done.stderr
    return time.perf_counter() - start


def main() -> int:
    """Build the history, measure, print a row for each question; 1 when a number is above the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="keeps the repository here for the next time")
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = (given.folder or Path(folder)) / "history"
        if not root.exists():
            build(root, SIZE)
            import_commits(root, history(root))
        slow = 0
        for name, asked in ASKED.items():
            median = statistics.median(seconds(root, asked, "--format", "json") for _ in range(given.runs))
            slow += median > BAR_SECONDS
            print(f"| `log`, {COMMITS:,} commits, {COMMITS // EVERY:,} versions, {name} | {median:.2f} s |", flush=True)
    return int(slow > 0)


if __name__ == "__main__":
    raise SystemExit(main())
