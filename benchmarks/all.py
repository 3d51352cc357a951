"""Measures every bar by one command and writes them to RESULTS.md.

    python benchmarks/all.py --folder FOLDER                  # all of it
    python benchmarks/all.py --folder FOLDER --only gate plugin   # these again; the others stay as they were measured
    python benchmarks/all.py --folder FOLDER --quick          # small sizes: to see that it works

The repositories, the peers' environments and what each part measured stay in the folder. A run that was interrupted
goes on with `--only` and the parts that it names. A quick run writes its page into the folder and not beside this file.

Invariants:
* The parts run one after the other, never two at once, and the page is written after each.
* Ends with 0 when every bar that was measured in this run holds, else with 1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import bounds
import check
import contracts
import gate
import growth
import history_log
import history_trend
import import_costs
import import_lists
import page_in_browser
import peers
import plugin
import replays
import results
import row_edits
import status
from bars import HEADS, cells, prepare, table
from results import Measured, Part

HERE = Path(__file__).resolve().parent
PAGE = "RESULTS.md"
GROWTH = f"""\
![seconds over rows and over files]({growth.PLOT})
"""
PARTS = (
    Part("check", "Checking", "", check.rows),
    Part("edits", "Editing one row", "", row_edits.rows),
    Part("import", "Importing a list", "", import_lists.rows),
    Part("digest", "Contracts", "", contracts.rows),
    Part("log", "The life of a row through history", "", history_log.rows),
    Part("trend", "The trend of a history", "", history_trend.rows),
    Part("status", "Status", "", status.rows),
    Part("bounds", "Very many of one kind", "", bounds.rows),
    Part("page", "The page", "", page_in_browser.rows),
    Part("replays", "Replays", "", replays.rows),
    Part("plugin", "The pytest plugin", "", plugin.rows),
    Part("gate", "The gate", "", gate.rows),
    Part("peers", "Beside others", peers.COMPARED, peers.rows),
    Part("growth", "Growth", GROWTH, growth.rows),
    Part("imports", "What imports cost", "", import_costs.rows),
)


def measure(part: Part, folder: Path, quick: bool) -> Measured:
    """Runs a part, and shows its rows as they come."""
    print(f"\n## {part.title}\n\n{table(HEADS, [])}", end="", flush=True)
    when, started, before = datetime.now(UTC), time.monotonic(), os.getloadavg()[0]
    rows = []
    for row in part.rows(folder, quick):
        print(f"| {' | '.join(cells(row))} |", flush=True)
        rows.append(row)
    took, loads = time.monotonic() - started, [before, os.getloadavg()[0]]
    return Measured(rows, f"{when:%Y-%m-%d %H:%M}", took, loads, results.machine())


def main() -> int:
    """Measure and write: 0 when every bar that was measured holds, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [part.name for part in PARTS]
    parser.add_argument("--folder", type=Path, required=True, help="what is built and measured is kept here")
    parser.add_argument("--quick", action="store_true", help="small sizes and few runs: to see that it works")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="PART", help=", ".join(names))
    given = parser.parse_args()
    prepare()
    folder: Path = given.folder.resolve()
    kept = folder / ("results-quick" if given.quick else "results")
    target = kept if given.quick else HERE
    holds = True
    for part in PARTS:
        if part.name not in given.only:
            continue
        measured = measure(part, folder, given.quick)
        results.write(kept, part.name, measured)
        (target / PAGE).write_text(results.page(PARTS, results.read(kept, PARTS)), encoding="utf-8")
        if part.name == "growth":
            shutil.copy(folder / growth.PLOT, target / growth.PLOT)
        holds = holds and all(row.holds is not False for row in measured.rows)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
