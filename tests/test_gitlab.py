"""The Code Quality report of GitLab."""

from __future__ import annotations

import jsonschema
import pytest

from consumers import CODE_QUALITY, strict_json
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters.gitlab import report, undecided
from reports import ERRORS, EXPIRED, EXPIRING, NO_POLICY, REPORTS, UNSTAGED, report_of


def severities(told: str) -> list[tuple[str, str]]:
    return [(issue["check_name"], issue["severity"]) for issue in strict_json(told)]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (REPORTS["nothing"], []),
        (report_of(EXPIRED, EXPIRING), [("freeze-expired", "critical"), ("freeze-expiring", "minor")]),
        (report_of(notes=(UNSTAGED,)), [("note", "info")]),
        (report_of(notes=(NO_POLICY,), undecided=(NO_POLICY,)), [("cannot-tell", "blocker")]),
    ],
)
def test_severities(told: Report, expected: list[tuple[str, str]]) -> None:
    assert severities(report(told)) == expected


@pytest.mark.parametrize(
    ("name", "path", "line"),
    [
        ("no place", "ledgers/policy.yaml", 1),
        ("a place", "ledgers/policy.yaml", 3),
        ("a file", "ledgers/replays.jsonl", 1),
    ],
)
def test_what_could_not_be_decided_blocks(name: str, path: str, line: int) -> None:
    (issue,) = strict_json(undecided("check-change", ERRORS[name]))
    assert issue["severity"] == "blocker"
    assert issue["description"] == f"{ERRORS[name].reason}\nfix: {ERRORS[name].fix}"
    assert issue["location"] == {"path": path, "lines": {"begin": line}}


def test_two_checks_that_could_not_decide_are_two_issues() -> None:
    """GitLab joins the reports of a pipeline, and drops a fingerprint that it has seen."""
    issues = [strict_json(undecided(name, ERRORS["no place"]))[0] for name in ("check-ledgers", "check-change")]
    assert len({issue["fingerprint"] for issue in issues}) == 2


def test_a_path_is_shown() -> None:
    (issue,) = strict_json(report(report_of(Finding("caf\udce9\u202e", 1, 1, "bad-value", "x"))))
    assert issue["location"]["path"] == r"caf\xe9\u202e"


@pytest.mark.parametrize(
    "change",
    [
        {"severity": "error"},
        {"fingerprint": "1"},
        {"location": {"path": "./a", "lines": {"begin": 1}}},
        {"description": ""},
    ],
)
def test_the_consumer_refuses_what_gitlab_would_not_show(change: dict[str, object]) -> None:
    (issue,) = strict_json(report(report_of(EXPIRED)))
    validator = jsonschema.Draft7Validator(CODE_QUALITY)
    assert validator.is_valid([issue])
    assert not validator.is_valid([issue | change])
