"""Measures the bars for replays, each as a ratio within one run, and prints them as a Markdown table.

Invariants:
* What is compared is run alternately in one loop, so that a busy machine slows both; a number is the median.
* The test is trivial and its module imports numpy and hypothesis; every way runs it twenty times.
* All ways run in the same worktree, by the same interpreter, with the same plugins.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from flakeledger.evidence.runner import run_seeds
from flakeledger.evidence.runs import Job, Mode
from flakeledger.evidence.worktree import Worktree, worktrees
from flakeledger.model.policy import Runner
from flakeledger.store.git import Git

SEEDS = tuple(range(1, 21))
TEST = "tests/test_trivial.py::test_trivial"
MODULE = """
import hypothesis
import numpy


def test_trivial():
    assert numpy.random.random() < 2
"""
FASTEST_FORK, SLOWEST_PROCESS = 8.0, 1.1


def twenty_runs(worktree: Worktree) -> None:
    """The plain way: pytest, twenty times."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", TEST]
    for _ in SEEDS:
        subprocess.run(command, cwd=worktree.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def replay(mode: Mode) -> Callable[[Worktree], None]:
    """Twenty seeds in a mode."""
    job = Job(TEST, Runner("here", hash_seed="0"), SEEDS, mode, None, 60.0, (), sys.executable)

    def run(worktree: Worktree) -> None:
        outcomes = [run.outcome for run in run_seeds(job, worktree, lambda: False)]
        assert outcomes == ["pass"] * len(SEEDS), outcomes

    return run


def repository(folder: Path) -> Git:
    """A repository with the trivial test."""
    (folder / "tests").mkdir()
    (folder / "tests" / "test_trivial.py").write_text(MODULE)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "tests")):
        names = ("-c", "user.name=Finley", "-c", "user.email=finley@example.org")
        subprocess.run(["git", *names, *words], cwd=folder, check=True)
    return Git.open(str(folder), os.environ)


def measure(times: int) -> dict[str, float]:
    """The median time of each way in seconds."""
    ways = {"pytest": twenty_runs, "process": replay("process"), "fork": replay("fork")}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as folder:
        git = repository(Path(folder))
        with worktrees(git, git.head() or "", 1) as (worktree,):
            for _ in range(times):
                for name, way in ways.items():
                    begun = time.perf_counter()
                    way(worktree)
                    taken[name].append(time.perf_counter() - begun)
    return {name: statistics.median(numbers) for name, numbers in taken.items()}


def main() -> int:
    """Print the table; 1 when a bar does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="how often each way is run (default: 3)")
    taken = measure(parser.parse_args().times)
    fork, process = taken["pytest"] / taken["fork"], taken["process"] / taken["pytest"]
    rows = [
        ("20 seeds, forked", f"at least {FASTEST_FORK:g} x faster", f"{fork:.1f} x faster", fork >= FASTEST_FORK),
        ("20 seeds, a process each", f"at most {SLOWEST_PROCESS:g} x", f"{process:.2f} x", process <= SLOWEST_PROCESS),
    ]
    print("| against 20 runs of pytest | bar | measured | holds |\n|---|---|---|---|")
    for work, bar, measured, holds in rows:
        print(f"| {work} | {bar} | {measured} | {'yes' if holds else '**no**'} |")
    print("\n" + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in taken.items()))
    return 0 if all(row[-1] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
