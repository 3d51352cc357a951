"""How long `flakeledger import` takes for a list of 1,000 tests, and that the checks accept what it writes.

Invariants:
* Every run begins with no freeze and writes all of them; the commit before it is the same.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bars import Row, main
from flakeledger.model.ledger_paths import FREEZES
from kept import kept
from repositories import NOW, Size, build_suite, commit, git, tests_of
from timing import PRODUCT, QUICK_RUNS, RUNS, in_seconds, process

ENTRIES, FEWER_ENTRIES = 1_000, 100
BAR_SECONDS = 5.0
LIST = "quarantine.txt"


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """The bar."""
    entries, runs = (FEWER_ENTRIES, QUICK_RUNS) if quick else (ENTRIES, RUNS)
    root = kept(folder, f"import-{entries}", partial(make, Size(entries, 30, 2_000, 1_000)))
    words = ("import", LIST, "--days", "3", "--owner", "@finley", "--now", NOW)
    work = process(root, PRODUCT, *words, before=lambda: git(root, "checkout", "-q", "--", FREEZES))
    yield in_seconds(f"`import` of a list of {entries:,} tests", BAR_SECONDS, runs, work)
    process(root, PRODUCT, "check", "--now", NOW).do()


def make(size: Size, root: Path) -> None:
    """A repository whose tests are bound to properties, without a freeze, and a list of them."""
    build_suite(root, size)
    names = "".join(f"{test}\n" for test in tests_of(size))
    commit(root, "no freezes", [(FREEZES, b"[]\n"), (LIST, names.encode())])
    git(root, "reset", "-q", "--hard")


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
