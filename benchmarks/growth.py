"""How checking grows: with the rows of the ledgers, and with the files of the repository; as a table and as a plot.

Invariants:
* Rows are 100 to 100,000 at level `ledger`, and to 30,000 at level `keyed`, whose pins double a row: flakeledger reads
  no ledger above 32 MiB, which are some 110,000 rows and some 60,000 rows with pins. Fixtures and files stay few.
* Files are 1,000 to 300,000, with 300 rows and 30 small fixtures.
* The plot is drawn by matplotlib, in a virtual environment of its own beside the repositories.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bars import Row, main
from check import CHECK_CHANGE, CHECK_LEDGERS, HERE, edits, stage_test_file
from environments import installed
from kept import built
from repositories import NOW, Size, environment, git
from timing import PYTHON, QUICK_RUNS, RUNS, Work, floor_of, forget, medians, process

ROWS = {"ledger": (100, 1_000, 10_000, 100_000), "keyed": (100, 1_000, 10_000, 30_000)}
FILES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
QUICK_ROWS = {"ledger": (100, 300), "keyed": (100, 300)}
QUICK_FILES = (1_000, 3_000)
#: the plain way takes 13 s for 10,000 rows: from here on it is not run
MOST_PLAIN_ROWS = 3_000
PLOT, NUMBERS = "growth.svg", "growth.json"
LEVELS = {"ledger": "without pins", "keyed": "with pins"}

#: what is drawn: the panel, then the curve, then the seconds at each number of rows or files
Curves = dict[str, dict[str, dict[int, float]]]


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """A row for each repository; the plot lies in the folder afterwards."""
    curves: Curves = {"rows": {}, "files": {}}
    runs = QUICK_RUNS if quick else RUNS
    for level, numbers in (QUICK_ROWS if quick else ROWS).items():
        for number in numbers:
            root = built(folder, Size(number, 30, 2_000, 1_000, level))
            works = works_by_rows(root, number, level)
            yield measured(curves["rows"], f"{number:,} rows {LEVELS[level]}, 1,000 files", number, root, works, runs)
    for number in QUICK_FILES if quick else FILES:
        root = built(folder, Size(300, 30, 2_000, number))
        yield measured(curves["files"], f"{number:,} files, 300 rows", number, root, works_by_files(root), runs)
    (folder / NUMBERS).write_text(json.dumps(curves), encoding="utf-8")
    draw(folder)


def works_by_rows(root: Path, number: int, level: str) -> dict[str, Work]:
    """What is run on a ledger of so many rows."""
    what = f"`check-ledgers`, {LEVELS[level]}"
    check = process(root, *CHECK_LEDGERS)
    plain = process(root, PYTHON, str(HERE / "plain_way.py"), NOW)
    found = {f"{what}, cold": check._replace(before=forget(root)), f"{what}, warm": check}
    found[f"{what}, one row edited"] = check._replace(before=edits(root))
    # the plain way compares the pins
    return found | ({"the plain way": plain} if level == "keyed" and number <= MOST_PLAIN_ROWS else {})


def works_by_files(root: Path) -> dict[str, Work]:
    """What is run in a repository of so many files; the last one is git's own, to see what else grows."""
    check = process(root, *CHECK_LEDGERS)
    return {
        "`check-ledgers`, cold": check._replace(before=forget(root)),
        "`check-ledgers`, warm": check,
        "`check-change`, one test file staged": process(root, *CHECK_CHANGE, before=lambda: stage_test_file(root)),
        "`git status`": process(root, "git", "status", "--porcelain"),
    }


def measured(
    curves: dict[str, dict[int, float]], what: str, number: int, root: Path, works: dict[str, Work], runs: int
) -> Row:
    """A point of each curve, each measured beside F, and the row that tells them."""
    told = []
    for name, work in works.items():
        floor, took = medians(runs, floor_of(root), work)
        git(root, "reset", "-q", "--hard")
        curves.setdefault(name, {})[number] = took.clock
        short = name.rpartition(", ")[2] if name.startswith("`check-ledgers`") else name
        told.append(f"{short} {took.clock:.2f} s ({took.clock / floor.clock:.1f} F)")
    return Row(what, "none", "; ".join(told), None)


def draw(folder: Path) -> None:
    """Draws the plot of the numbers in the folder."""
    python = installed(folder / "plot", "matplotlib").scripts / "python"
    command = [python, HERE / "growth_plot.py", folder / NUMBERS, folder / PLOT]
    subprocess.run(command, env=environment(), check=True)


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
