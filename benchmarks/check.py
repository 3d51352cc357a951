"""Measures the bars for checking, each as a ratio within one run.

Invariants:
* Every run is a process of the installed command, and must end with 0: nothing is wrong in what is checked.
* A cold run has no cache; an edited row, another one each time, is staged before the run and no part of it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from bars import Row, main
from flakeledger.model.ledger_paths import FREEZES
from kept import built
from repositories import NOW, Size, environment, filler_path, git, import_commits, live_module, live_path, module_path
from timing import MANY_RUNS, PRODUCT, PYTHON, QUICK_RUNS, RUNS, forget, in_floors, medians, process

HERE = Path(__file__).parent
CHECK_LEDGERS = (PRODUCT, "check-ledgers", "--now", NOW)
CHECK_CHANGE = (PRODUCT, "check-change", "--now", NOW)
MOST_MEGABYTES, MOST_TIMES_LEAST, MOST_MILLISECONDS_A_COMMIT = 200, 1.3, 2
#: the peak of its own address space: `ru_maxrss` also holds that of the process which started it
MEMORY = (
    "import sys; from flakeledger.cli.main import main; main(); "
    "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')), file=sys.stderr)"
)


class Sizes(NamedTuple):
    """The repositories, and how often everything is run: what takes milliseconds, and what takes seconds."""

    small: Size
    middle: Size
    large: Size
    wide: Size
    commits: int
    runs: int
    slow_runs: int


FULL = Sizes(
    small=Size(300, 30, 2_000, 1_000),
    middle=Size(3_000, 300, 2_000, 10_000),
    large=Size(10_000, 1_000, 1_000_000, 100_000),
    wide=Size(300, 30, 2_000, 100_000),
    commits=1_000,
    runs=MANY_RUNS,
    slow_runs=RUNS,
)
QUICK = Sizes(
    small=Size(300, 30, 2_000, 1_000),
    middle=Size(1_000, 100, 2_000, 1_000),
    large=Size(2_000, 100, 100_000, 10_000),
    wide=Size(300, 30, 2_000, 10_000),
    commits=100,
    runs=QUICK_RUNS,
    slow_runs=QUICK_RUNS,
)


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """Every bar; each repository is built when its turn comes, unless it is there."""
    sizes = QUICK if quick else FULL
    small, middle, large = (built(folder, size) for size in (sizes.small, sizes.middle, sizes.large))
    yield from small_rows(small, sizes)
    yield from large_rows(large, sizes)
    yield against_plain(small, sizes.small.rows, 2.4, sizes.runs)
    yield against_plain(middle, sizes.middle.rows, 10, sizes.slow_runs)
    yield against_plain(large, sizes.large.rows, 30, sizes.slow_runs)
    yield from wide_rows(built(folder, sizes.wide), sizes)


def small_rows(root: Path, sizes: Sizes) -> Iterator[Row]:
    """The bars of a small ledger."""
    what = f"`check-ledgers`, {sizes.small.rows:,} freezes, {sizes.small.fixtures} fixtures"
    yield in_floors(f"{what}, cold", 1.6, sizes.runs, root, process(root, *CHECK_LEDGERS, before=forget(root)))
    yield in_floors(f"{what}, warm", 1.0, sizes.runs, root, process(root, *CHECK_LEDGERS))


def large_rows(root: Path, sizes: Sizes) -> Iterator[Row]:
    """The bars of a large ledger: warm with an edit, cold, memory."""
    size = sizes.large
    what = f"{size.rows:,} rows, {size.fixtures:,} fixtures of {size.fixture_bytes / 1e6:g} MB, {size.files:,} files"
    edited = process(root, *CHECK_LEDGERS, before=edits(root))
    yield in_floors(f"{what}, one row edited, warm", 3.0, sizes.runs, root, edited)
    cold, least, events = (
        took.clock
        for took in medians(
            sizes.slow_runs,
            process(root, *CHECK_LEDGERS, before=forget(root)),
            process(root, PYTHON, str(HERE / "floor.py")),
            process(root, PYTHON, str(HERE / "floor.py"), "events"),
        )
    )
    measured = f"{cold / least:.2f} x ({cold:.2f} s; events {events:.2f} s, bytes {least - events:.2f} s)"
    bar = f"at most {MOST_TIMES_LEAST} x (events + bytes)"
    yield Row(f"{what}, cold", bar, measured, cold <= MOST_TIMES_LEAST * least)
    forget(root)()
    peaks = {state: peak(root, CHECK_LEDGERS) for state in ("cold", "warm")}
    measured = ", ".join(f"{state} {megabytes:.0f} MB" for state, megabytes in peaks.items())
    work = f"peak memory at {size.rows:,} rows"
    yield Row(work, f"at most {MOST_MEGABYTES} MB", measured, max(peaks.values()) <= MOST_MEGABYTES)


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


def peak(root: Path, command: tuple[str, ...]) -> float:
    """The peak memory of the product's own process, in megabytes. (git maps packs: those pages are the system's.)"""
    program = (PYTHON, "-c", MEMORY, *command[1:])
    done = subprocess.run(program, cwd=root, env=environment(), capture_output=True, check=True)
    return int(done.stderr.split()[-1]) / 1024


def against_plain(root: Path, number: int, times: float, runs: int) -> Row:
    """How much faster a warm run is than the plain way."""
    plain = process(root, PYTHON, str(HERE / "plain_way.py"), NOW)
    took, slow = (took.clock for took in medians(runs, process(root, *CHECK_LEDGERS), plain))
    measured = f"{slow / took:.1f} x faster ({slow:.2f} s against {took:.2f} s)"
    work = f"against the plain way, {number:,} rows, warm"
    return Row(work, f"at least {times:g} x faster", measured, slow / took >= times)


def wide_rows(root: Path, sizes: Sizes) -> Iterator[Row]:
    """The bars of a change in a repository of many files."""
    what = f"`check-change`, one commit in a repository of {sizes.wide.files:,} files"
    stage_test_file(root)
    yield in_floors(f"{what}, a test file", 1.6, sizes.runs, root, process(root, *CHECK_CHANGE))
    git(root, "reset", "-q", "--hard")
    edited = process(root, *CHECK_CHANGE, before=edits(root))
    yield in_floors(f"{what}, one freeze row", 1.6, sizes.runs, root, edited)
    git(root, "reset", "-q", "--hard")
    yield pull_request_row(root, sizes)
    yield push_row(root, sizes, "", lambda number: (filler_path(number), b"VALUE = -1\n"))
    yield push_row(root, sizes, ", each a test file", lambda number: (live_path(number), live_module(number, False)))


def stage_test_file(root: Path) -> None:
    """A test module is edited and staged."""
    module = root / module_path(3)
    module.write_text(module.read_text(encoding="utf-8") + "\n# another line\n", encoding="utf-8")
    git(root, "add", module_path(3))


def pull_request_row(root: Path, sizes: Sizes) -> Row:
    """The bar of a pull request that edits many test files: each is looked through for new skips."""
    numbers = range(sizes.commits)
    for edited in (False, True):
        files = [(live_path(number), live_module(number, edited)) for number in numbers]
        import_commits(root, [(f"live tests, edited: {edited}", files)])
    git(root, "reset", "-q", "--hard")
    what = f"`check-change`, a pull request of {sizes.commits:,} changed test files, skip scan included"
    return in_floors(what, 10, sizes.runs, root, process(root, *CHECK_CHANGE, "--base", "HEAD~1"))


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
    (took,) = medians(sizes.runs, process(root, *CHECK_CHANGE, variables=pushed))
    each = 1000 * took.clock / sizes.commits
    return Row(
        f"`check-change`, push of {sizes.commits:,} first-parent commits that touch no ledger{what}",
        f"at most {MOST_MILLISECONDS_A_COMMIT} ms a commit",
        f"{each:.2f} ms a commit ({took.clock:.2f} s)",
        each <= MOST_MILLISECONDS_A_COMMIT,
    )


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
