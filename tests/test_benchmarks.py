"""The benchmarks: that their one command works, and that its page names every bar that was set."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
#: what a row of the page must say for each bar: how its work begins, and the bar
BARS = [
    ("`check-ledgers`, 300 freezes, 30 fixtures, cold", "at most 1.6 F"),
    ("`check-ledgers`, 300 freezes, 30 fixtures, warm", "at most 1 F"),
    ("10,000 rows, 1,000 fixtures of 1 MB, 100,000 files, one row edited, warm", "at most 3 F"),
    ("10,000 rows, 1,000 fixtures of 1 MB, 100,000 files, cold", "at most 1.3 x (events + bytes)"),
    ("against the plain way, 300 rows, warm", "at least 2.4 x faster"),
    ("against the plain way, 3,000 rows, warm", "at least 10 x faster"),
    ("against the plain way, 10,000 rows, warm", "at least 30 x faster"),
    ("`check-change`, one commit in a repository of 100,000 files, a test file", "at most 1.6 F"),
    ("`check-change`, one commit in a repository of 100,000 files, one freeze row", "at most 1.6 F"),
    ("`check-change`, a pull request of 1,000 changed test files, skip scan included", "at most 10 F"),
    ("peak memory at 10,000 rows", "at most 200 MB"),
    ("one row edited in a file of 3,000 rows (append)", "at most 1 s"),
    ("one row edited in a file of 3,000 rows (change)", "at most 1 s"),
    ("one row edited in a file of 3,000 rows (remove)", "at most 1 s"),
    ("`check-change`, push of 1,000 first-parent commits that touch no ledger", "at most 2 ms a commit"),
    ("20 seeds of one test, forked", "at least 8 x faster than 20 runs of pytest"),
    ("20 seeds of one test, a process per seed", "at most 1.1 x 20 runs of pytest"),
    ("`import` of a list of 1,000 tests", "at most 5 s"),
    ("`digest`, a contract of 10 MB", "at most 1 s"),
    ("`log`, 10,000 commits, 1,000 versions of the freezes", "at most 2 s"),
    ("pytest with the plugin, 5,000 passing tests", "at most 1.03 x pytest without it"),
    ("`gate`, `deny:generator_drift`, 100,000 files, cold", "at most 3 F"),
    ("`gate`, up to the replays, 100,000 files, warm", "at most 3 F"),
    ("5 replays of a witness, by the clock", "at most 1.1 x the runs of pytest"),
    ("`status`, the table of a terminal, 10,000 rows", "at most 1 s after reading"),
    ("the page of `report`, 5,000 rows, to interactive", "at most 2 s"),
    ("the page of `report`, 5,000 rows, sorted", "at most 2 s"),
    ("the page of `report`, 5,000 rows, filtered", "at most 2 s"),
    ("facts of 300 tests from the cache", "at most 2 ms"),
    ("the classes of 99,840 paths", "at most 2 s"),
    ("a merge of 3,000 rows", "at most 2 s"),
    ("freeze-dangling, 10,000 rows: tests that are misspelt", "at most 2 s"),
    ("`comment` on 1,500 refused rows", "at most 3 x `check`"),
    ("`trend`, 10,000 commits, 1,000 versions of about 50 rows, cold", "at most 5 s"),
]


@pytest.mark.parametrize(("work", "bar"), BARS, ids=[work for work, _ in BARS])
def test_the_page_has_a_row_for_every_bar(work: str, bar: str) -> None:
    page = (BENCHMARKS / "RESULTS.md").read_text(encoding="utf-8")
    found = re.findall(
        rf"(?m)^\| {re.escape(work)}[^|]* \| {re.escape(bar)} \| [^|]*[0-9][^|]* \| (yes|\*\*no\*\*) \|$", page
    )
    assert found, f"{work}: {bar}"


def test_one_part_runs_and_is_written_beside_what_was_measured_before(tmp_path: Path) -> None:
    kept = tmp_path / "results-quick"
    kept.mkdir()
    machine = {"processor": "another one"}
    before = {
        "rows": [["work", "at most 1 s", "2.00 s", False]],
        "when": "2026-01-01 00:00",
        "seconds": 3,
        "loads": [1, 2],
    }
    (kept / "log.json").write_text(json.dumps(before | {"machine": machine}))
    committed = (BENCHMARKS / "RESULTS.md").read_bytes()
    command = [sys.executable, str(BENCHMARKS / "all.py"), "--quick", "--only", "edits", "--folder", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    page = (kept / "RESULTS.md").read_text(encoding="utf-8")
    holds = []
    for name in ("append", "change", "remove"):
        work = rf"one row edited in a file of 300 rows \({name}\), bytes outside the row untouched"
        row = rf"(?m)^\| {work} \| at most 1 s \| [0-9.]+ s \([0-9.]+ s of processor time\) \| (yes|\*\*no\*\*) \|$"
        (answer,) = re.findall(row, page)
        holds.append(answer == "yes")
    assert done.returncode == (0 if all(holds) else 1), done.stdout + done.stderr
    assert f"{sum(holds)} of 4 rows with a bar hold it.\n" in page
    assert "\n* missed: work: 2.00 s, at most 1 s\n" in page
    assert "| processor | another one |" in page
    assert (BENCHMARKS / "RESULTS.md").read_bytes() == committed
