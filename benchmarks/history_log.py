"""How long `flakeledger log` takes over a long history: 10,000 commits, of which 1,000 change freezes.yaml.

Invariants:
* The history is drawn from one seed: in each version one row comes, goes or changes, of fifty; as many commits
  record a decision.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from bars import Row, main
from flakeledger.model.ledger_paths import FREEZES
from kept import kept
from repositories import Size, build, filler_path, git, import_commits, module_path
from timing import PRODUCT, QUICK_RUNS, RUNS, Ended, in_seconds, passed, process

SIZE = Size(50, 5, 2_000, 1_000)
COMMITS, FEWER_COMMITS = 10_000, 1_000
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


def history(root: Path, commits: int) -> Iterator[Commit]:
    """The commits, oldest first."""
    source = random.Random(20261130)
    standing = dict(enumerate(_rows(root)))
    gone: dict[int, str] = {}
    for number in range(commits):
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


def told(done: Ended) -> None:
    """Judges a process: 1 is the answer about what was never frozen."""
    if done.returncode != 1:
        passed(done)


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """The bar, for each question."""
    commits, runs = (FEWER_COMMITS, QUICK_RUNS) if quick else (COMMITS, RUNS)

    def make(root: Path) -> None:
        build(root, SIZE)
        import_commits(root, history(root, commits))
        git(root, "reset", "-q", "--hard")

    root = kept(folder, f"history-{commits}", make)
    for name, asked in ASKED.items():
        what = f"`log`, {commits:,} commits, {commits // EVERY:,} versions of the freezes, {name}"
        work = process(root, PRODUCT, "log", asked, "--format", "json", judge=told)
        yield in_seconds(what, BAR_SECONDS, runs, work)


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
