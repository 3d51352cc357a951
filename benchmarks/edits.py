"""The campaign on edits: random edits judged from outside, writers killed at random moments, one row in a large file.

Invariants:
* Everything is drawn from `--seed`: a failure prints the seed that gives it again.
* What is right is decided by the judges of the tests, which read with other parsers than the product.

Run: python benchmarks/edits.py [--edits 10000] [--kills 200] [--seed 0]
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from flakeledger.model.ledger_paths import FREEZES
from killed_writer import kill_one
from random_ledgers import judge_random_edit

LARGE = 3000
ROW = """\
- test: tests/test_module_{0:04}.py::test_case
  owner: "@finley"  # of team {0}
  frozen_on: 2026-10-20
  expires: 2026-11-19
  reason: "assertion depends on wall-clock ordering"
  property_id: PROP-{0}
  replay_env: pinned-py311
"""
#: what one command does to the large file, as the text of a program
EDITS = {
    "append": "append_row(data, path, {'test': 'tests/test_module_1500.py::test_new', 'owner': '@robin'})",
    "change": "change_row(data, path, 'tests/test_module_1500.py::test_case', {'expires': '2026-11-20'})",
    "remove": "remove_row(data, path, 'tests/test_module_1500.py::test_case')",
}
PROGRAM = """\
import sys
from flakeledger.store.editor import append_row, change_row, remove_row
path, file = sys.argv[1:]
data = open(file, "rb").read()
sys.stdout.buffer.write({edit})
"""


def main() -> int:
    """Run the campaign and print its figures: 0 when everything held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        held = [random_edits(arguments.edits, arguments.seed), kills(arguments.kills, arguments.seed, Path(folder))]
        large_file(Path(folder))
    return 0 if all(held) else 1


def random_edits(number: int, seed: int) -> bool:
    """Random edits of random ledgers; whether all were right."""
    counts, failures = Counter[str](), 0
    began = time.monotonic()
    for one in range(seed, seed + number):
        chance = random.Random(one)
        choose: Callable[..., object] = lambda options, chance=chance: chance.choice(list(options))  # noqa: E731
        try:
            counts[judge_random_edit(choose)] += 1
        except Exception as error:  # noqa: BLE001  # whatever it is, it is a failure of this seed
            failures += 1
            print(f"seed {one}: {type(error).__name__}: {error}")
    listed = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    print(f"{number} random edits: {listed}; {failures} wrong; {time.monotonic() - began:.0f} s")
    return not failures


def kills(number: int, seed: int, folder: Path) -> bool:
    """Writers killed at random moments; whether the ledger was whole and the next command worked, each time."""
    root = folder / "repository"
    (root / "ledgers").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    chance, amid, failures = random.Random(seed), 0, 0
    for one in range(number):
        try:
            amid += kill_one(root, chance)
        except AssertionError as error:
            failures += 1
            print(f"kill {one}: {error}")
    print(f"{number} kills: {amid} while a file was being written; {failures} wrong")
    return not failures


def large_file(folder: Path) -> None:
    """How long one edit of a large ledger takes, as a process of its own."""
    file = folder / "large.yaml"
    file.write_text("".join(ROW.format(number) for number in range(LARGE)))
    for what, edit in EDITS.items():
        began = time.monotonic()
        command = [sys.executable, "-c", PROGRAM.format(edit=edit), FREEZES, str(file)]
        after = subprocess.run(command, capture_output=True, check=True, env=os.environ).stdout
        took = time.monotonic() - began
        print(f"{what} in {LARGE} rows: {took:.2f} s, {abs(len(after) - file.stat().st_size)} bytes more or less")


if __name__ == "__main__":
    sys.exit(main())
