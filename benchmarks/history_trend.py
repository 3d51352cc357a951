"""How long `flakeledger trend` takes over a long history: 10,000 commits, of which 1,000 change freezes.yaml.

Invariants:
* The history is that of `history_log.py`, its commits three hours apart: 179 weeks, in which rows come, go and expire.
* *Cold* is without the cache.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from bars import Row, main
from history_log import COMMITS, EVERY, FEWER_COMMITS, history
from kept import kept
from repositories import Size, build, git, import_commits
from timing import PRODUCT, QUICK_RUNS, RUNS, forget, in_seconds, nothing, process

APART_SECONDS = 3 * 3600
NOW = "2030-03-01T00:00:00Z"
BAR_SECONDS = 5.0
#: as many rows as the policy allows by default, and ten times as many, for which there is no bar
SIZES = {Size(50, 5, 2_000, 1_000): BAR_SECONDS, Size(500, 5, 2_000, 1_000): None}


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """The bar, and the same for ten times as many rows."""
    commits, runs = (FEWER_COMMITS, QUICK_RUNS) if quick else (COMMITS, RUNS)
    for size, bar in SIZES.items():
        root = made(folder, size, commits)
        ways: dict[str, tuple[str, Callable[[], object]]] = {
            "cold": ("text", forget(root)),
            "warm": ("text", nothing),
            "warm, json": ("json", nothing),
        }
        for name, (form, before) in ways.items():
            what = f"`trend`, {commits:,} commits, {commits // EVERY:,} versions of about {size.rows} rows, {name}"
            work = process(root, PRODUCT, "trend", "--now", NOW, "--format", form, before=before)
            yield in_seconds(what, bar, runs, work)


def made(folder: Path, size: Size, commits: int) -> Path:
    """The repository of a size with its history."""

    def make(root: Path) -> None:
        build(root, size)
        import_commits(root, history(root, commits), APART_SECONDS)
        git(root, "reset", "-q", "--hard")

    return kept(folder, f"trend-{size.rows}-{commits}", make)


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
