"""What checking takes beside what others check, on as many rows and on the same files.

Invariants:
* Each peer has a virtual environment of its own, made here from the registry and kept with the repositories.
* The peers of one size run alternately with flakeledger, warm; every process must pass its check.
* What cannot be compared is said in `COMPARED`, not left out.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bars import Row, main
from environments import Program, installed
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES
from kept import built
from repositories import NOW, Size, tests_of
from timing import PRODUCT, QUICK_RUNS, RUNS, Work, floor_of, forget, medians, process

SCHEMAS = Path(__file__).resolve().parents[1] / "schema"
SIZES, QUICK_SIZES = (300, 3_000), (100,)
PEERS = ("flakerate", "flakeguard", "flakewall", "pre-commit-hooks", "check-jsonschema")
#: the peers read the clock, and a row that has ended fails their check: a day that no clock has passed
LAST_DAY = "2099-12-31"
COMPARED = """\
What the peers do is less than what flakeledger does, and not the same, so these are distances, not a race:

* `flakeledger check-ledgers` judges every row against the tree: schema, owner, window, test, property, fixtures,
  generators, replays, citations. No peer looks at the tree.
* `flakerate check` parses its TOML file and compares each row's last day with today, and nothing else; the rows have
  the same tests, and a reason, a rate, a cause and two dates each.
* flakeguard has no command that checks its list. The nearest is `flakeguard scan --quarantine LIST REPORT`, which reads
  the list, names entries that were added over 90 days ago, and then judges a report: one test that passed here, so that
  the list is what is left. The list holds patterns and comments with dates, nothing else.
* flakewall has no command that checks its list, and reads it only when a test failed: `flakewall guard` on a report
  with one failure that the list excuses. It loads the YAML and looks one id up; no row is judged.
* `check-yaml` of pre-commit-hooks loads the four YAML ledgers of the same repository, by ruamel.yaml in pure Python,
  and tells syntax errors; it does not read `replays.jsonl`.
* check-jsonschema holds the same four files against the schemas that flakeledger ships for editors: four runs, as four
  hooks would be. It does not read `replays.jsonl`, and a schema knows nothing of other rows or of the tree.
"""
REPORT = """\
<testsuite name="s" tests="1" failures="{failures}">
<testcase classname="{classname}" name="{name}">{body}</testcase>
</testsuite>
"""


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """A row for each way to check, of each size."""
    programs = {name: installed(folder / "peers", name) for name in PEERS}
    runs = QUICK_RUNS if quick else RUNS
    for number in QUICK_SIZES if quick else SIZES:
        size = Size(number, 30, 2_000, 1_000)
        root = built(folder, size)
        check = (PRODUCT, "check-ledgers", "--now", NOW)
        (cold,) = medians(runs, process(root, *check, before=forget(root)))
        peers = peers_of(root, lists_of(folder / f"lists-{number}", list(tests_of(size))), programs)
        works = {"`flakeledger check-ledgers`, warm": process(root, *check), "F": floor_of(root), **peers}
        warm, *others = medians(runs, *works.values())
        names = [*works, "`flakeledger check-ledgers`, cold"]
        for name, took in zip(names, (warm, *others, cold), strict=True):
            measured = f"{1000 * took.clock:,.0f} ms, {took.clock / warm.clock:.2f} x of flakeledger's warm check"
            yield Row(f"{name}, {number:,} rows", "none", measured, None)


class Lists(NamedTuple):
    """The same tests as each peer lists them, and a report for those that read one; all in one folder."""

    root: Path
    patterns: Path
    passed: Path
    failed: Path


def lists_of(root: Path, tests: list[str]) -> Lists:
    """The peers' lists of these tests, written."""
    (root / ".flakewall").mkdir(parents=True, exist_ok=True)
    entry = f'reason = "two clocks"\nrate = 0.05\ncause = "time"\nadded = "2026-11-20"\nexpires = "{LAST_DAY}"\n'
    (root / "flakerate.toml").write_text("".join(f'[quarantine."{test}"]\n{entry}\n' for test in tests))
    quarantined = "".join(f"- id: {test}\n" for test in tests)
    (root / ".flakewall/quarantine.yml").write_text(f"quarantined:\n{quarantined}")
    lists = Lists(root, root / "patterns.txt", root / "passed.xml", root / "failed.xml")
    lists.patterns.write_text("".join(f"# added {LAST_DAY}\n{test}\n" for test in tests))
    path, name = tests[len(tests) // 2].split("::")
    lists.passed.write_text(REPORT.format(failures=0, classname=path, name=name, body=""))
    lists.failed.write_text(REPORT.format(failures=1, classname=path, name=name, body="<failure/>"))
    return lists


def peers_of(root: Path, lists: Lists, programs: dict[str, Program]) -> dict[str, Work]:
    """What is run of each peer, by what is said of it."""

    def titled(name: str, words: str) -> str:
        return f"`{words}` ({name} {programs[name].version})" if name != words else f"`{name}` {programs[name].version}"

    def program(name: str, script: str = "") -> str:
        return str(programs[name].scripts / (script or name))

    ledgers = [str(root / path) for path in (FREEZES, FIXTURES, PROPERTIES, POLICY)]
    schema = [
        shlex.join([program("check-jsonschema"), "--schemafile", str(SCHEMAS / f"{Path(path).stem}.json"), path])
        for path in ledgers
    ]
    scan = ("scan", "--quarantine", str(lists.patterns), "--fail-on-flaky", str(lists.passed))
    return {
        titled("flakerate", "flakerate check"): process(lists.root, program("flakerate"), "check"),
        titled("flakeguard", "flakeguard scan"): process(lists.root, program("flakeguard"), *scan),
        titled("flakewall", "flakewall guard"): process(
            lists.root, program("flakewall"), "guard", "--junit", str(lists.failed)
        ),
        titled("pre-commit-hooks", "check-yaml"): process(root, program("pre-commit-hooks", "check-yaml"), *ledgers),
        titled("check-jsonschema", "check-jsonschema"): process(root, "sh", "-c", " && ".join(schema)),
    }


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
