"""Real replays in real repositories: a commit with test files, a worktree of it, and jobs that run there.

Invariants:
* Every job runs a pytest of its own, of the interpreter that runs these tests.
* Plugins are not loaded by themselves unless a case asks for them: that takes most of the time of a session.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent

from conftest import git as run_git
from flakeledger.evidence.runner import run_seeds
from flakeledger.evidence.runs import Job, Mode, SeedRun
from flakeledger.evidence.worktree import worktrees
from flakeledger.model.policy import Runner
from flakeledger.store.git import Git

RUNNER = Runner("pinned", timezone="UTC", hash_seed="0")
LONG = 60.0
#: how long sleeps what must be ended, in seconds: known by this number among all processes of the machine, where other
#: workers run the same tests
SLEEP = f"8{os.getpid():07}"
#: seconds that sleeps what nobody may wait for and what tells when it wakes: much longer than any of these tests takes
HANGS = 200
BOTH_MODES: tuple[Mode, ...] = ("process", "fork")


def committed(repository: Path, files: Mapping[str, str]) -> Git:
    """The repository with these files in a commit."""
    for path, text in files.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(dedent(text), encoding="utf-8")
    run_git(repository, "add", "--force", "-A")
    run_git(repository, "commit", "-q", "-m", "files")
    return Git.open(str(repository), os.environ)


def job(
    test: str,
    seeds: Sequence[int] = (1,),
    mode: Mode = "process",
    runner: Runner = RUNNER,
    suite: str | None = None,
    timeout: float = LONG,
    environment_failures: tuple[str, ...] = ("TimeoutError", "ConnectionError"),
    python: str = sys.executable,
) -> Job:
    """A job with what most cases do not care about."""
    return Job(test, runner, tuple(seeds), mode, suite, timeout, environment_failures, python)


def replayed(git: Git, *jobs: Job) -> list[SeedRun]:
    """What the jobs show, one after the other in one worktree of HEAD."""
    with worktrees(git, git.head() or "", 1) as (worktree,):
        return [run for one in jobs for run in run_seeds(one, worktree, lambda: False)]


def stopped_after(count: int, git: Git, one: Job) -> list[SeedRun]:
    """What a job shows that is asked to stop once so many seeds have ended."""
    runs: list[SeedRun] = []
    with worktrees(git, git.head() or "", 1) as (worktree,):
        for run in run_seeds(one, worktree, lambda: len(runs) >= count):
            runs.append(run)
    return runs


def outcomes(runs: Sequence[SeedRun]) -> list[str]:
    return [run.outcome for run in runs]


def failing_seeds(runs: Sequence[SeedRun]) -> list[int]:
    """The seeds that failed; every other one must have passed."""
    assert {run.outcome for run in runs} <= {"pass", "fail"}, [(run.outcome, run.detail) for run in runs]
    return [run.seed for run in runs if run.outcome == "fail"]


def processes_with(word: str) -> list[int]:
    """The processes of this machine whose command line has a word, our own left out (Linux)."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{name}/cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in words and int(name) != os.getpid():
            found.append(int(name))
    return found


def are_gone(word: str) -> bool:
    """Whether those processes are gone within a minute; what was killed takes a moment to go."""
    for _ in range(1200):
        if not processes_with(word):
            return True
        time.sleep(0.05)
    return False
