"""The journal: what has ended is there again, whole, and only for the same job on the same commit."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from flakeledger.evidence.journal import journal_of, sweep
from flakeledger.evidence.runs import SeedRun, to_json
from flakeledger.model.clock import DAY
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Runner
from replaying import job

COMMIT = "0" * 40
JOB = job("tests/test_orders.py::test_refund", range(1, 6))
RUN = SeedRun(1, "fail", "TimeoutError", "slow", 0.5, touched=("a", "b"))


def test_what_has_ended_is_there_again(tmp_path: Path) -> None:
    journal = journal_of(str(tmp_path), COMMIT, JOB)
    assert journal.runs(JOB) == ()
    for seed in (3, 1):
        journal.add(RUN._replace(seed=seed))
    assert journal_of(str(tmp_path), COMMIT, JOB).runs(JOB) == (RUN._replace(seed=3), RUN)
    journal.discard()
    journal.discard()
    assert journal.runs(JOB) == ()


@pytest.mark.parametrize(
    "other",
    [
        JOB._replace(test="tests/test_orders.py::test_total"),
        JOB._replace(seeds=(1, 2)),
        JOB._replace(mode="fork"),
        JOB._replace(suite="tests"),
        JOB._replace(python="/usr/bin/python"),
        JOB._replace(timeout=1.0),
        JOB._replace(runner=Runner("pinned", timezone="UTC", hash_seed="1")),
    ],
)
def test_another_job_has_another_journal(other: object, tmp_path: Path) -> None:
    assert isinstance(other, type(JOB))
    assert journal_of(str(tmp_path), COMMIT, other) != journal_of(str(tmp_path), COMMIT, JOB)
    assert journal_of(str(tmp_path), "1" * 40, JOB) != journal_of(str(tmp_path), COMMIT, JOB)


def test_a_line_that_was_cut_off_is_no_run_and_spoils_none(tmp_path: Path) -> None:
    journal = journal_of(str(tmp_path), COMMIT, JOB)
    journal.add(RUN)
    with open(journal.path, "ab") as file:
        file.write(b'{"seed": 2, "outc')
    assert journal.runs(JOB) == (RUN,)
    journal.add(RUN._replace(seed=3))
    assert journal.runs(JOB) == (RUN, RUN._replace(seed=3))


@pytest.mark.parametrize(
    "line",
    [
        b"[]", b"{}", b"nothing", b"[" * 100_000,
        json.dumps(to_json(RUN._replace(seed=99))).encode(),  # of no seed of the job
        json.dumps(to_json(RUN._replace(outcome="pass"))).encode(),  # the second of its seed
        json.dumps({**to_json(RUN), "seed": 2, "outcome": "green"}).encode(),
    ],
)  # fmt: skip
def test_what_is_no_run_of_the_job_is_left_out(line: bytes, tmp_path: Path) -> None:
    journal = journal_of(str(tmp_path), COMMIT, JOB)
    journal.add(RUN)
    with open(journal.path, "ab") as file:
        file.write(line + b"\n")
    assert journal.runs(JOB) == (RUN,)


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside, git_dir = tmp_path / "outside", tmp_path / "git"
    outside.mkdir()
    git_dir.mkdir()
    (git_dir / "flakeledger").symlink_to(outside)
    with pytest.raises(CannotTell, match="is no folder"):
        journal_of(str(git_dir), COMMIT, JOB).add(RUN)
    assert list(outside.iterdir()) == []


def test_journals_of_long_ago_go(tmp_path: Path) -> None:
    sweep(str(tmp_path), 0)
    old, new = (journal_of(str(tmp_path), commit * 40, JOB) for commit in "01")
    for journal in (old, new):
        journal.add(RUN)
    now = int(os.stat(new.path).st_mtime)
    os.utime(old.path, (now - 31 * DAY,) * 2)
    sweep(str(tmp_path), now)
    assert (old.runs(JOB), new.runs(JOB)) == ((), (RUN,))
