"""Measures the bars for replays, against twenty runs of pytest.

Invariants:
* The test is trivial and its module imports numpy and hypothesis; every way runs it twenty times.
* All ways run in the same worktree, by the same interpreter, with the same plugins.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bars import Row, main
from flakeledger.evidence.runner import run_seeds
from flakeledger.evidence.runs import Job, Mode
from flakeledger.evidence.worktree import Worktree, worktrees
from flakeledger.model.policy import Runner
from flakeledger.store.git import Git
from kept import kept
from repositories import git
from timing import PYTHON, QUICK_RUNS, RUNS, Work, medians

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
    command = [PYTHON, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", TEST]
    for _ in SEEDS:
        subprocess.run(command, cwd=worktree.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def replay(mode: Mode) -> Callable[[Worktree], None]:
    """Twenty seeds in a mode."""
    job = Job(TEST, Runner("here", hash_seed="0"), SEEDS, mode, None, 60.0, (), PYTHON)

    def run(worktree: Worktree) -> None:
        outcomes = [run.outcome for run in run_seeds(job, worktree, lambda: False)]
        assert outcomes == ["pass"] * len(SEEDS), outcomes

    return run


def with_trivial_test(root: Path) -> None:
    """A repository with the trivial test."""
    (root / "tests").mkdir(parents=True)
    (root / "tests" / "test_trivial.py").write_text(MODULE, encoding="utf-8")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "tests")):
        git(root, *words)


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """Both bars."""
    repository = Git.open(str(kept(folder, "trivial", with_trivial_test)), os.environ)
    ways = (twenty_runs, replay("fork"), replay("process"))
    with worktrees(repository, repository.head() or "", 1) as (worktree,):
        works = [Work(partial(way, worktree)) for way in ways]
        plain, fork, process = (took.clock for took in medians(QUICK_RUNS if quick else RUNS, *works))
    measured = f"{plain / fork:.1f} x faster ({fork:.2f} s against {plain:.2f} s)"
    yield Row(
        "20 seeds of one test, forked",
        f"at least {FASTEST_FORK:g} x faster than 20 runs of pytest",
        measured,
        plain / fork >= FASTEST_FORK,
    )
    measured = f"{process / plain:.2f} x ({process:.2f} s against {plain:.2f} s)"
    yield Row(
        "20 seeds of one test, a process per seed",
        f"at most {SLOWEST_PROCESS:g} x 20 runs of pytest",
        measured,
        process / plain <= SLOWEST_PROCESS,
    )


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
