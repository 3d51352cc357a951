"""How long `flakeledger trend` takes over a long history: 10,000 commits, of which 1,000 change freezes.yaml.

Invariants:
* The history is that of `history_log.py`, its commits three hours apart: 179 weeks, in which rows come, go and expire.
* Every run is a process, with its start and its end; a number is the median. *Cold* is without the cache.

Run: python benchmarks/history_trend.py [--folder FOLDER] [--runs 5]
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from history_log import COMMITS, EVERY, PRODUCT, history
from repositories import Size, build, environment, import_commits

APART_SECONDS = 3 * 3600
NOW = "2030-03-01T00:00:00Z"
BAR_SECONDS = 5.0
#: as many rows as the policy allows by default, and ten times as many
SIZES = (Size(50, 5, 2_000, 1_000), Size(500, 5, 2_000, 1_000))


def seconds(root: Path, form: str, *, cold: bool) -> float:
    """How long one run takes."""
    if cold:
        shutil.rmtree(root / ".git" / "flakeledger", ignore_errors=True)
    start = time.perf_counter()
    command = [PRODUCT, "trend", "--now", NOW, "--format", form]
    done = subprocess.run(command, cwd=root, env=environment(), check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
    return time.perf_counter() - start


def made(folder: Path, size: Size) -> Path:
    """The repository of a size, made if it is not there."""
    root = folder / f"trend-{size.rows}"
    if not root.exists():
        build(root, size)
        import_commits(root, history(root), APART_SECONDS)
    return root


def main() -> int:
    """Build the histories, measure, print a row for each run; 1 when one of the small history is above the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="keeps the repositories here for the next time")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    slow = 0
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            root = made(given.folder or Path(folder), size)
            for name, form, cold in (("cold", "text", True), ("warm", "text", False), ("warm, json", "json", False)):
                median = statistics.median(seconds(root, form, cold=cold) for _ in range(given.runs))
                slow += size == SIZES[0] and median > BAR_SECONDS
                versions = f"{COMMITS // EVERY:,} versions of about {size.rows} rows"
                print(f"| `trend`, {COMMITS:,} commits, {versions}, {name} | {median:.2f} s |", flush=True)
    return int(slow > 0)


if __name__ == "__main__":
    raise SystemExit(main())
