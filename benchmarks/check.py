"""Measures the bars for checking, each as a ratio within one run, and prints them as a Markdown table.

Invariants:
* What is compared is run alternately in one loop, so that a busy machine slows both; a number is the median.
* Every run is a process, with its start and its end; its exit code must be the one that the work deserves.
* F, the floor, is `python -c "import pygit2, yaml"` as a process of the same interpreter.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from flakeledger.model.ledger_paths import FREEZES
from repositories import (
    NOW,
    Size,
    build,
    environment,
    filler_path,
    git,
    import_commits,
    live_module,
    live_path,
    module_path,
)

HERE = Path(__file__).parent
PYTHON = sys.executable
PRODUCT = str(Path(PYTHON).with_name("flakeledger"))
CHECK_LEDGERS = (PRODUCT, "check-ledgers", "--now", NOW)
CHECK_CHANGE = (PRODUCT, "check-change", "--now", NOW)
MEMORY = (
    "import resource, sys; from flakeledger.cli.main import main; main(); "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
)


class Sizes(NamedTuple):
    """The repositories and how often everything is run."""

    small: Size
    middle: Size
    large: Size
    wide: Size
    commits: int
    runs: int
    plain_runs: int


FULL = Sizes(
    small=Size(300, 30, 2_000, 1_000),
    middle=Size(3_000, 300, 2_000, 10_000),
    large=Size(10_000, 1_000, 1_000_000, 100_000),
    wide=Size(300, 30, 2_000, 100_000),
    commits=1_000,
    runs=15,
    plain_runs=3,
)
QUICK = Sizes(
    small=Size(300, 30, 2_000, 1_000),
    middle=Size(1_000, 100, 2_000, 1_000),
    large=Size(2_000, 100, 100_000, 10_000),
    wide=Size(300, 30, 2_000, 10_000),
    commits=100,
    runs=3,
    plain_runs=1,
)


def nothing() -> None:
    """No preparation."""


class Run(NamedTuple):
    """A process to be timed, and what is done before each time."""

    root: Path
    command: tuple[str, ...]
    before: Callable[[], None] = nothing
    variables: Mapping[str, str] = {}


class Row(NamedTuple):
    """One line of the table."""

    work: str
    bar: str
    measured: str
    holds: bool


def seconds(run: Run) -> float:
    """How long one process takes. SystemExit when it does not end with 0."""
    started = time.perf_counter()
    done = subprocess.run(
        run.command, cwd=run.root, env=environment() | dict(run.variables), capture_output=True, check=False
    )
    took = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{' '.join(run.command)} in {run.root} ended with {done.returncode}:\n{done.stdout.decode()}")
    return took


def medians(runs: int, *compared: Run) -> list[float]:
    """The median time of each, all of them run alternately; what a round needs is prepared before it."""
    rounds = []
    for _ in range(runs):
        for run in compared:
            run.before()
        rounds.append([seconds(run) for run in compared])
    return [statistics.median(times) for times in zip(*rounds, strict=True)]


def floor_of(root: Path) -> Run:
    """F."""
    return Run(root, (PYTHON, "-c", "import pygit2, yaml"))


def forget(root: Path) -> Callable[[], None]:
    """What makes the next run a cold one: no cache."""
    return lambda: shutil.rmtree(root / ".git/flakeledger", ignore_errors=True)


def edits(root: Path) -> Callable[[], None]:
    """What stages another edit of one row, another one each time."""
    numbers = iter(range(10_000))
    path = root / FREEZES

    def edit() -> None:
        text = path.read_text(encoding="utf-8")
        middle = text.index("\n  reason: ", len(text) // 2)
        end = text.index("\n", middle + 1)
        text = f"{text[:middle]}\n  reason: the two clocks differ, edit {next(numbers)}{text[end:]}"
        path.write_text(text, encoding="utf-8")
        git(root, "add", FREEZES)

    return edit


def in_floors(work: str, limit: float, sizes: Sizes, run: Run) -> Row:
    """A bar that is a multiple of F."""
    floor, took = medians(sizes.runs, floor_of(run.root), run)
    ratio = took / floor
    measured = f"{ratio:.2f} F ({1000 * took:.0f} ms, F {1000 * floor:.0f} ms)"
    return Row(work, f"at most {limit} F", measured, ratio <= limit)


def small_rows(root: Path, sizes: Sizes) -> Iterator[Row]:
    """The bars of a small ledger."""
    what = f"`check-ledgers`, {sizes.small.rows:,} freezes, {sizes.small.fixtures} fixtures"
    yield in_floors(f"{what}, cold", 1.6, sizes, Run(root, CHECK_LEDGERS, forget(root)))
    yield in_floors(f"{what}, warm", 1.0, sizes, Run(root, CHECK_LEDGERS))


def large_rows(root: Path, sizes: Sizes) -> Iterator[Row]:
    """The bars of a large ledger: warm with an edit, cold, memory."""
    size = sizes.large
    what = f"{size.rows:,} rows, {size.fixtures:,} fixtures of {size.fixture_bytes / 1e6:g} MB, {size.files:,} files"
    yield in_floors(f"{what}, one row edited, warm", 3.0, sizes, Run(root, CHECK_LEDGERS, edits(root)))
    cold, least, events = medians(
        max(3, sizes.runs // 3),
        Run(root, CHECK_LEDGERS, forget(root)),
        Run(root, (PYTHON, str(HERE / "floor.py"))),
        Run(root, (PYTHON, str(HERE / "floor.py"), "events")),
    )
    measured = f"{cold / least:.2f} x ({cold:.2f} s; events {events:.2f} s, bytes {least - events:.2f} s)"
    yield Row("the same, cold", "at most 1.3 x (events + bytes)", measured, cold <= 1.3 * least)
    peaks = {"cold": peak(Run(root, CHECK_LEDGERS, forget(root))), "warm": peak(Run(root, CHECK_LEDGERS))}
    measured = ", ".join(f"{name} {megabytes:.0f} MB" for name, megabytes in peaks.items())
    yield Row(f"peak memory at {size.rows:,} rows", "at most 200 MB", measured, max(peaks.values()) <= 200)


def peak(run: Run) -> float:
    """The peak memory of the product's own process, in megabytes. (git maps packs: those pages are the system's.)"""
    run.before()
    command = (PYTHON, "-c", MEMORY, *run.command[1:])
    done = subprocess.run(command, cwd=run.root, env=environment(), capture_output=True, check=True)
    return int(done.stderr.split()[-1]) / 1024


def against_plain(root: Path, rows: int, times: float, runs: int) -> Row:
    """How much faster a warm run is than the plain way."""
    plain = (PYTHON, str(HERE / "plain_way.py"), NOW)
    seconds(Run(root, CHECK_LEDGERS))
    took, slow = medians(runs, Run(root, CHECK_LEDGERS), Run(root, plain))
    measured = f"{slow / took:.1f} x faster ({slow:.2f} s against {took:.2f} s)"
    work = f"against the plain way, {rows:,} rows, warm"
    return Row(work, f"at least {times:g} x faster", measured, slow / took >= times)


def wide_rows(root: Path, sizes: Sizes) -> Iterator[Row]:
    """The bars of a change in a repository of many files."""
    what = f"`check-change`, one commit in a repository of {sizes.wide.files:,} files"
    module = root / module_path(3)
    module.write_text(module.read_text(encoding="utf-8") + "\n# another line\n", encoding="utf-8")
    git(root, "add", module_path(3))
    yield in_floors(f"{what}, a test file", 1.6, sizes, Run(root, CHECK_CHANGE))
    git(root, "reset", "-q", "--hard")
    yield in_floors(f"{what}, one freeze row", 1.6, sizes, Run(root, CHECK_CHANGE, edits(root)))
    git(root, "reset", "-q", "--hard")
    yield pull_request_row(root, sizes)
    yield push_row(root, sizes, "", lambda number: (filler_path(number), b"VALUE = -1\n"))
    yield push_row(root, sizes, ", each a test file", lambda number: (live_path(number), live_module(number, False)))


def pull_request_row(root: Path, sizes: Sizes) -> Row:
    """The bar of a pull request that edits many test files: each is looked through for new skips."""
    numbers = range(sizes.commits)
    for edited in (False, True):
        files = [(live_path(number), live_module(number, edited)) for number in numbers]
        import_commits(root, [(f"live tests, edited: {edited}", files)])
    git(root, "reset", "-q", "--hard")
    what = f"`check-change`, a pull request of {sizes.commits:,} changed test files"
    return in_floors(what, 10, sizes, Run(root, (*CHECK_CHANGE, "--base", "HEAD~1")))


def push_row(root: Path, sizes: Sizes, what: str, edit: Callable[[int], tuple[str, bytes]]) -> Row:
    """The bar of a push of many commits that touch no ledger, each of which edits one file."""
    before = git(root, "rev-parse", "HEAD")
    import_commits(root, ((f"commit {number}", [edit(number)]) for number in range(sizes.commits)))
    git(root, "reset", "-q", "--hard")
    pushed = {
        "PRE_COMMIT_FROM_REF": before,
        "PRE_COMMIT_TO_REF": git(root, "rev-parse", "HEAD"),
        "PRE_COMMIT_REMOTE_NAME": "origin",
        "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/main",
        "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/main",
    }
    (took,) = medians(sizes.runs, Run(root, CHECK_CHANGE, variables=pushed))
    each = 1000 * took / sizes.commits
    return Row(
        f"`check-change`, push of {sizes.commits:,} first-parent commits that touch no ledger{what}",
        "at most 2 ms a commit",
        f"{each:.2f} ms a commit ({took:.2f} s)",
        each <= 2,
    )


def measured(folder: Path, sizes: Sizes) -> Iterator[Row]:
    """Every row of the table; each repository is built when its turn comes, unless it is there."""

    def repository(name: str, size: Size) -> Path:
        root = folder / f"{name}-{size.rows}-{size.fixtures}-{size.fixture_bytes}-{size.files}"
        if not root.exists():
            print(f"building {root.name}", file=sys.stderr)
            build(root, size)
        git(root, "reset", "-q", "--hard", "bench-start") if has_start(root) else git(root, "tag", "bench-start")
        return root

    small, middle = repository("small", sizes.small), repository("middle", sizes.middle)
    large = repository("large", sizes.large)
    yield from small_rows(small, sizes)
    yield from large_rows(large, sizes)
    yield against_plain(small, sizes.small.rows, 2.4, sizes.runs)
    yield against_plain(middle, sizes.middle.rows, 10, sizes.plain_runs)
    yield against_plain(large, sizes.large.rows, 30, sizes.plain_runs)
    yield from wide_rows(repository("wide", sizes.wide), sizes)


def has_start(root: Path) -> bool:
    """Whether an earlier run of this benchmark marked the commit that everything starts from."""
    return bool(git(root, "tag", "--list", "bench-start"))


def main() -> int:
    """Print the table; 0 when every bar holds, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes and few runs: to see that it works")
    parser.add_argument("--folder", type=Path, help="where the repositories are kept (default: a temporary folder)")
    given = parser.parse_args()
    print("| work | bar | measured | holds |\n|---|---|---|---|", flush=True)
    holds = []
    with tempfile.TemporaryDirectory() as temporary:
        for row in measured(given.folder or Path(temporary), QUICK if given.quick else FULL):
            print(f"| {row.work} | {row.bar} | {row.measured} | {'yes' if row.holds else '**no**'} |", flush=True)
            holds.append(row.holds)
    return 0 if all(holds) else 1


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
