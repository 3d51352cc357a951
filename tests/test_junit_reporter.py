"""The JUnit report of a check: what a service shows of it."""

from __future__ import annotations

import pytest
from junitparser import Error, Failure, Skipped

from consumers import junit_suite
from flakeledger.model.report import Report
from flakeledger.reporters.junit import report, undecided
from reports import ERRORS, EXPIRED, EXPIRING, NO_POLICY, NOW, REPORTS, UNSTAGED, report_of


def cases(told: str) -> list[tuple[str | None, str]]:
    return [(case.name, type(case.result[0]).__name__ if case.result else "passed") for case in junit_suite(told)]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (report_of(), []),
        (report_of(rules=("freeze-cap", "freeze-window")), [("freeze-cap", "passed"), ("freeze-window", "passed")]),
        (
            report_of(EXPIRED, EXPIRING, rules=("freeze-expired", "freeze-expiring", "freeze-cap")),
            [
                (f"freeze-expired: {EXPIRED.subject}", "Failure"),
                ("freeze-expiring: ledgers/freezes.yaml", "Skipped"),
                ("freeze-cap", "passed"),
            ],
        ),
        (
            report_of(notes=(UNSTAGED, NO_POLICY), undecided=(NO_POLICY,)),
            [(f"note: {UNSTAGED}", "Skipped"), ("cannot-tell", "Error")],
        ),
    ],
)
def test_cases(told: Report, expected: list[tuple[str, str]]) -> None:
    assert cases(report(told)) == expected


def test_cases_that_share_a_name_are_numbered() -> None:
    name = f"freeze-expired: {EXPIRED.subject}"
    taken = EXPIRED._replace(subject=f"{EXPIRED.subject} (2)")
    found = cases(report(report_of(EXPIRED, EXPIRED, taken, EXPIRED)))
    assert [case for case, _ in found] == [name, f"{name} (3)", f"{name} (2)", f"{name} (4)"]


def test_a_name_holds_no_line() -> None:
    moved = EXPIRED._replace(line=70, column=1, message="another day")
    assert cases(report(report_of(EXPIRED))) == cases(report(report_of(moved)))


def test_a_failure_has_place_message_and_fix() -> None:
    (case,) = junit_suite(report(report_of(EXPIRED)))
    (failure,) = case.result
    assert isinstance(failure, Failure)
    assert (case.classname, failure.type, failure.message) == ("flakeledger.check", "freeze-expired", EXPIRED.message)
    assert failure.text == f"ledgers/freezes.yaml:7:12\n{EXPIRED.message}\nfix: {EXPIRED.fix}"


def test_the_suite_says_what_was_judged() -> None:
    suite = junit_suite(report(REPORTS["one"]))
    assert (suite.name, suite.timestamp) == ("flakeledger check-ledgers", NOW)
    properties = {one.name: one.value for one in suite.properties()}
    assert properties == {
        "freezes": "3",
        "fixtures": "2",
        "properties": "1",
        "replays": "4",
        "judged": "staged tree",
        "base": "HEAD 1a2b3c4",
        "now": NOW,
    }


@pytest.mark.parametrize("name", ERRORS)
def test_what_could_not_be_decided_is_an_error(name: str) -> None:
    (case,) = junit_suite(undecided("check-change", ERRORS[name]))
    (error,) = case.result
    assert isinstance(error, Error)
    assert not isinstance(error, Skipped)
    assert (case.name, case.classname) == ("cannot-tell", "flakeledger.check-change")
    assert error.message == ERRORS[name].reason


def test_what_xml_forbids_is_shown() -> None:
    hostile = EXPIRED._replace(message="\x00\x0b\ud800\ufffe]]>&<>\"'", subject="\x1b")
    (case,) = junit_suite(report(report_of(hostile)))
    assert case.name == r"freeze-expired: \x1b"
    assert case.result[0].message == r"""\x00\x0b\ud800\ufffe]]>&<>"'"""
