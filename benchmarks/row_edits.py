"""How long one row takes to add, change or remove in freezes.yaml with 3,000 rows.

Invariants:
* Every edit is a process that reads the file, edits it and prints the new text.
* Not one byte outside the row may differ; the bytes are compared, not the rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from bars import Row, main
from flakeledger.model.ledger_paths import FREEZES
from timing import PYTHON, QUICK_RUNS, RUNS, Ended, in_seconds, passed, process

ROWS, FEWER_ROWS = 3_000, 300
BAR_SECONDS = 1.0
ROW = """\
- test: tests/test_module_{0:04}.py::test_case
  owner: "@finley"  # of team {0}
  frozen_on: 2026-10-20
  expires: {1}
  reason: "assertion depends on wall-clock ordering"
  property_id: PROP-{0}
  replay_env: pinned-py311
"""
#: what is done to the row in the middle, as a call and as a function of the rows before it, the row, and those after it
EDITS: dict[str, tuple[str, Callable[[str, str, str], str]]] = {
    "append": (
        "append_row(data, path, {{'test': 'tests/test_z.py::test_new', 'owner': '@robin'}})",
        lambda before, row, after: f'{before}{row}{after}- test: tests/test_z.py::test_new\n  owner: "@robin"\n',
    ),
    "change": (
        "change_row(data, path, '{key}', {{'expires': '2026-11-20'}})",
        lambda before, row, after: before + row.replace("2026-11-19", "2026-11-20") + after,
    ),
    "remove": ("remove_row(data, path, '{key}')", lambda before, _, after: before + after),
}
PROGRAM = """\
import sys
from flakeledger.store.editor import append_row, change_row, remove_row
path, file = sys.argv[1:]
data = open(file, "rb").read()
sys.stdout.buffer.write({edit})
"""


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """The bar of each edit."""
    number, runs = (FEWER_ROWS, QUICK_RUNS) if quick else (ROWS, RUNS)
    texts = [ROW.format(one, "2026-11-19") for one in range(number)]
    middle = number // 2
    before, row, after = "".join(texts[:middle]), texts[middle], "".join(texts[middle + 1 :])
    file = folder / f"freezes-{number}.yaml"
    file.write_text(before + row + after, encoding="utf-8")
    for name, (call, expected) in EDITS.items():
        edit = call.format(key=f"tests/test_module_{middle:04}.py::test_case")
        judge = equal(expected(before, row, after).encode())
        work = process(folder, PYTHON, "-c", PROGRAM.format(edit=edit), FREEZES, str(file), judge=judge)
        what = f"one row edited in a file of {number:,} rows ({name}), bytes outside the row untouched"
        yield in_seconds(what, BAR_SECONDS, runs, work)


def equal(expected: bytes) -> Callable[[Ended], None]:
    """Judges a process. SystemExit when it printed anything else."""

    def judge(done: Ended) -> None:
        passed(done)
        if done.stdout != expected:
            raise SystemExit("bytes outside of the row differ")

    return judge


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
