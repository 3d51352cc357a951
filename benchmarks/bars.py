"""The shape of a measured bar, the table that shows such rows, and the command line that every benchmark has.

Invariants:
* Every benchmark gives rows of one shape, as it goes, and every table of them is written here.
* What is measured inherits neither PYTHON* nor GIT_* nor a service's variables, and its bytecode is compiled before.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import flakeledger
from repositories import environment

HEADS = ("work", "bar", "measured", "holds")


class Row(NamedTuple):
    """What was measured, against which bar, and whether it holds; None where there is no bar."""

    work: str
    bar: str
    measured: str
    holds: bool | None


#: gives the rows of a benchmark; what it builds stays in the folder. True: small sizes and few runs
Rows = Callable[[Path, bool], Iterator[Row]]


def table(heads: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    names = list(heads)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (names, ["---"] * len(names), *lines))


def cells(row: Row) -> tuple[str, ...]:
    """A row as the cells of a table."""
    return row.work, row.bar, row.measured, {True: "yes", False: "**no**", None: ""}[row.holds]


def prepare() -> None:
    """Makes this process, and what it starts, independent of whoever started it, and compiles the product."""
    os.umask(0o022)
    known = environment()
    # some benchmarks call the product's own functions, which hand this process's environment on
    os.environ.clear()
    os.environ.update(known)
    sys.dont_write_bytecode = False
    subprocess.run([sys.executable, "-m", "compileall", "-qq", str(Path(flakeledger.__file__).parent)], check=True)


def main(about: str | None, rows: Rows) -> int:
    """A benchmark as a command: prints its table, row by row; 0 when every bar holds, else 1."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes and few runs: to see that it works")
    parser.add_argument("--folder", type=Path, help="keeps the repositories here (default: a temporary folder)")
    given = parser.parse_args()
    prepare()
    print(table(HEADS, []), end="", flush=True)
    holds = True
    with tempfile.TemporaryDirectory(prefix="flakeledger-") as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for row in rows(folder, given.quick):
            print(f"| {' | '.join(cells(row))} |", flush=True)
            holds = holds and row.holds is not False
    return 0 if holds else 1
