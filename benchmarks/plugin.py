"""Measures what the pytest plugin adds to a suite of 5,000 passing tests.

Invariants:
* With and without the plugin the same suite runs, by the same interpreter, and passes.
* Processor time is counted: the bar is smaller than what other programs do to a run's time by the clock.
* The repository has 300 freezes, all of them right, and no failure: the plugin reads them and has nothing to judge.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bars import Row, main
from kept import built
from repositories import NOW, Size
from timing import PYTHON, QUICK_RUNS, RUNS, medians, process

#: modules of 100 tests, beside the repository's own
MODULES, FEWER_MODULES, TESTS = 50, 5, 100
SIZE = Size(300, 30, 2_000, 1_000)
BAR = 1.03
ONLY_THEIRS = ("-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "no:randomly", "-p", "no:rerunfailures")
WITH, WITHOUT = (f"--flakeledger-now={NOW}",), ("-p", "no:flakeledger")


def write_suite(root: Path, modules: int) -> list[str]:
    """Tests that pass; their modules."""
    body = "".join(f"def test_{number}():\n    assert sum(range({number})) >= 0\n\n" for number in range(TESTS))
    paths = [f"plain/test_plain_{number:02}.py" for number in range(modules)]
    (root / "plain").mkdir(exist_ok=True)
    for path in paths:
        (root / path).write_text(body, encoding="utf-8")
    return paths


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """The bar."""
    root = built(folder, SIZE)
    paths = write_suite(root, FEWER_MODULES if quick else MODULES)
    pytest = (PYTHON, "-m", "pytest", "-q", *ONLY_THEIRS)
    ways = [process(root, *pytest, *way, *paths) for way in (WITH, WITHOUT)]
    more, less = (took.processor for took in medians(QUICK_RUNS if quick else RUNS, *ways))
    measured = f"{more / less:.3f} x ({more:.2f} s against {less:.2f} s of processor time)"
    work = f"pytest with the plugin, {len(paths) * TESTS:,} passing tests"
    yield Row(work, f"at most {BAR} x pytest without it", measured, more / less <= BAR)


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
