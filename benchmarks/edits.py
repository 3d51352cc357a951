"""The campaign on edits: random edits judged from outside, and writers killed at random moments.

Invariants:
* Everything is drawn from `--seed`: a failure prints the seed that gives it again.
* What is right is decided by the judges of the tests, which read with other parsers than the product.

Run: python benchmarks/edits.py [--edits 10000] [--kills 200] [--seed 0]
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from ruamel.yaml.error import YAMLError

from bars import prepare
from flakeledger.model.errors import CannotTell
from killed_writer import kill_one
from random_ledgers import judge_random_edit

#: what says that an edit was wrong: a judge, a refusal, an outer reader that cannot read what was written, and what a
#: mistake in the editor itself raises
WRONG = (
    AssertionError,
    CannotTell,
    YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


def main() -> int:
    """Run the campaign and print its figures: 0 when everything held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    prepare()
    with tempfile.TemporaryDirectory() as folder:
        held = [random_edits(arguments.edits, arguments.seed), kills(arguments.kills, arguments.seed, Path(folder))]
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
        except WRONG as error:
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


if __name__ == "__main__":
    sys.exit(main())
