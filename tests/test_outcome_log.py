"""The log of raw outcomes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from flakeledger.evidence.outcome_log import FIELDS, OutcomeLog, line_of, subtest_of
from flakeledger.evidence.verdict_on_report import VerdictOnReport, attach


def report(outcome: str = "passed", test: str = "t.py::test_x", **more: object) -> pytest.TestReport:
    made = pytest.TestReport(test, ("t.py", 1, "x"), {}, outcome, None, "call", duration=0.5)  # type: ignore[arg-type]
    vars(made).update(more)
    return made


def test_a_line_has_every_field_in_order(tmp_path: Path) -> None:
    log = OutcomeLog(str(tmp_path / "log"))
    log.pytest_runtest_logreport(report())
    assert (tmp_path / "log").read_text().endswith("}\n")  # before the log is closed
    failed = report("skipped", wasxfail="why")
    attach(failed, VerdictOnReport("failed", ["a.Late"], True, True, True, "", "PROP-1", "@finley", "3 days"))
    log.pytest_runtest_logreport(failed)
    log.pytest_unconfigure()
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [tuple(line) for line in lines] == [FIELDS, FIELDS]
    assert [tuple(line.values()) for line in lines] == [
        ("t.py::test_x", None, "call", "passed", "passed", [], False, "", None, 0.5),
        ("t.py::test_x", None, "call", "xfailed", "failed", ["a.Late"], True, "", "PROP-1", 0.5),
    ]


@pytest.mark.parametrize(
    ("made", "outcome"),
    [
        (report("failed"), "failed"),
        (report("skipped"), "skipped"),
        (report("rerun"), "rerun"),
        (report("skipped", wasxfail=""), "xfailed"),
        (report("passed", wasxfail=""), "xpassed"),
    ],
)
def test_an_outcome_is_told_in_one_word(made: pytest.TestReport, outcome: str) -> None:
    assert line_of(made)["outcome"] == line_of(made)["raw_outcome"] == outcome


def test_any_text_makes_a_whole_line_of_ascii(tmp_path: Path) -> None:
    log = OutcomeLog(str(tmp_path / "log"))
    test = "t.py::test_x[\u2028\x1b\udcff\n]"
    log.pytest_runtest_logreport(report(test=test))
    log.pytest_unconfigure()
    (line,) = (tmp_path / "log").read_bytes().splitlines()
    assert line.isascii()
    assert json.loads(line)["test"] == test


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("message", "values", "expected"),
    [
        (None, {}, ""),
        ("try", {}, "try"),
        ("try", {"number": "1", "kind": "'late'"}, "try number=1, kind='late'"),
        (None, {"number": 1}, "number=1"),
    ],
)
def test_a_subtest_has_a_text(message: str | None, values: dict[str, object], expected: str) -> None:
    assert subtest_of(report(context=SimpleNamespace(msg=message, kwargs=values))) == expected


def test_a_value_that_has_no_text_is_shown_by_its_class() -> None:
    found = subtest_of(report(context=SimpleNamespace(msg=None, kwargs={"it": Hostile()})))
    assert found is not None
    assert found.startswith("it=<Hostile instance at ")


@pytest.mark.parametrize("path", ["/dev/full"])
def test_a_full_disk_ends_the_log_and_nothing_else(path: str) -> None:
    log = OutcomeLog(path)
    log.pytest_runtest_logreport(report())
    log.pytest_runtest_logreport(report())
    assert log.problem == f"{path} cannot be written: {os.strerror(28)}; its outcomes end there"
    log.pytest_unconfigure()
