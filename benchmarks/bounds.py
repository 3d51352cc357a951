"""How long work within the product takes that has a bar of its own, and that tests ask only how it grows.

Invariants:
* The inputs are those of the tests that `tests/growing.py` judges: test_modules, test_patterns, test_merge_driver and
  test_many_rows; what a megabyte of hostile text takes is measured by `fuzz.worst`.
* It runs in this process, with the collector off, as in the process of a command; only `comment` and `check`, which are
  compared with each other, are processes.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from bars import Row, main
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.model.patterns import PathClasses
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.modules import facts_from_json, module_facts
from flakeledger.repo.row_merge import merge_rows
from flakeledger.rules.state_table import STATE_RULES
from kept import kept
from repositories import NOW, Size, build_suite, git
from test_many_rows import NOW as MANY_NOW
from test_many_rows import ROWS, opened_ledger, wrong
from test_merge_driver import OURS, THEIRS, many
from test_patterns import CLASSES, very_many_paths
from timing import MANY_RUNS, PRODUCT, QUICK_RUNS, RUNS, Ended, Work, medians, process

MODULES, TESTS_A_MODULE = 30, 10
FACTS_SECONDS = 0.002
MANY, FEWER, SECONDS = 10_000, 1_000, 2.0
MERGED, FEWER_MERGED = 3_000, 1_000
REFUSED, FEWER_REFUSED, CHECKS = 1_500, 100, 3.0
REFUSED_ROW = """\
- test: tests/area_000/test_module_0000.py::test_gone_{number}
  owner: tbd
  frozen_on: 2026-11-20
  expires: 2026-12-10
  reason: fails on Mondays only
  property_id: PROP-0
  replay_env: local-fixture
"""


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """The bars."""
    runs = QUICK_RUNS if quick else RUNS
    number = FEWER if quick else MANY
    work = facts(MODULES)
    yield within(f"facts of {MODULES * TESTS_A_MODULE} tests from the cache", FACTS_SECONDS, MANY_RUNS, work)
    paths = very_many_paths()
    classed = paths[:: MANY // number]
    work = partial(all_classes, classed)
    yield within(f"the classes of {len(classed):,} paths", SECONDS, runs, work)
    merged = FEWER_MERGED if quick else MERGED
    base = many(merged)
    work = partial(merge_rows, base.encode(), OURS(base).encode(), THEIRS(base).encode(), FREEZES)
    yield within(f"a merge of {merged:,} rows", SECONDS, runs, work)
    yield from rules(folder, number, runs)
    yield comment(folder, FEWER_REFUSED if quick else REFUSED, runs)


def within(what: str, limit: float, runs: int, work: Callable[[], object]) -> Row:
    """A bar of seconds of processor time, shown in milliseconds."""

    def do() -> None:
        gc.disable()
        work()
        gc.enable()

    (took,) = medians(runs, Work(do, gc.collect))
    bar = f"at most {1000 * limit:g} ms" if limit < 1 else f"at most {limit:g} s"
    return Row(what, bar, f"{1000 * took.processor:.1f} ms of processor time", took.processor <= limit)


def facts(modules: int) -> Callable[[], object]:
    """Reads what the cache holds of so many modules."""
    tests = "".join(f"def test_{number}(): ...\n" for number in range(TESTS_A_MODULE))
    module = f"import pytest\n{tests}".encode()
    cached = [json.loads(json.dumps(module_facts(module).to_json())) for _ in range(modules)]
    return lambda: [facts_from_json(value) for value in cached]


def all_classes(paths: list[str]) -> None:
    """Classes every path by a policy that has classed none."""
    classes = PathClasses(CLASSES)
    for path in paths:
        classes.class_of(path)


def rules(folder: Path, number: int, runs: int) -> Iterator[Row]:
    """What a rule takes when very many rows are about one thing."""
    root = kept(folder, "empty", lambda root: build_suite(root, Size(10, 1, 100, 0)))
    with opened_ledger(root) as ledger:
        for name, (_, _, asked) in ROWS.items():
            (rule,) = [rule for rule in STATE_RULES if rule.name == asked]
            judge = partial(judged, rule.check, name, ledger, number)
            yield within(f"{asked}, {number:,} rows: {name}", SECONDS, runs, judge)


def judged(check: Callable[[Ledger, int], Iterable[object]], name: str, ledger: Ledger, number: int) -> None:
    """The findings of a rule on a ledger of its own, which remembers nothing."""
    for _ in check(wrong(name, ledger, number), MANY_NOW):
        pass


def comment(folder: Path, number: int, runs: int) -> Row:
    """`comment` beside `check`, on a pull request whose rows are all refused."""
    root = kept(folder, f"refused-{number}", partial(refused, number))
    words = ("--base", "main", "--now", NOW)
    works = [process(root, PRODUCT, command, *words, judge=told) for command in ("check", "comment")]
    check, commented = medians(runs, *works)
    ratio = commented.clock / check.clock
    measured = f"{ratio:.2f} x ({commented.clock:.2f} s against {check.clock:.2f} s)"
    return Row(f"`comment` on {number:,} refused rows", f"at most {CHECKS:g} x `check`", measured, ratio <= CHECKS)


def refused(number: int, root: Path) -> None:
    """A repository whose branch `work` adds so many rows that lack nearly everything."""
    build_suite(root, Size(10, 1, 100, 0, "ledger"))
    git(root, "checkout", "-q", "-b", "work", "main")
    (root / FREEZES).write_text("".join(REFUSED_ROW.format(number=one) for one in range(number)), encoding="utf-8")
    git(root, "add", FREEZES)
    git(root, "commit", "-q", "--no-verify", "-m", "freezes")


def told(done: Ended) -> None:
    """Judges a process. SystemExit when it could not tell."""
    if done.returncode not in (0, 1):
        raise SystemExit(f"{done.args} ended with {done.returncode}: {(done.stdout + done.stderr).decode()[:2000]}")


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
