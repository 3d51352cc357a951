"""SARIF, held against the schema of OASIS and what code scanning of GitHub asks for."""

from __future__ import annotations

import os
from typing import Any

import pytest

from consumers import sarif_path, sarif_run, sarif_validator
from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters.sarif import report, undecided
from flakeledger.rules.table import RULE_NAMES
from reports import ERRORS, EXPIRED, EXPIRING, NO_POLICY, REPORTS, report_of


def results_of(told: Report) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = sarif_run(report(told))["results"]
    return found


def test_the_schema_refuses_what_is_none() -> None:
    run = {"tool": {"driver": {"name": "x"}}, "results": [{"message": {"txt": "x"}}]}
    assert not sarif_validator().is_valid({"version": "2.1.0", "runs": [run]})
    assert not sarif_validator().is_valid({"version": "2.1.0", "runs": [{"tool": {}}]})


def test_every_rule_is_described_with_what_github_shows() -> None:
    driver = sarif_run(report(REPORTS["nothing"]))["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == list(RULE_NAMES)
    for rule in (*driver["rules"], *driver["notifications"]):
        # "SARIF support for code scanning" of GitHub: at most 1024 characters for a description
        assert 0 < len(rule["shortDescription"]["text"]) <= 1024
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["help"]["markdown"]
        assert rule["helpUri"].startswith("https://")


@pytest.mark.parametrize(
    ("told", "code"),
    [(REPORTS["nothing"], 0), (REPORTS["a warning"], 0), (REPORTS["one"], 1), (REPORTS["undecided"], 2)],
)
def test_the_exit_code_is_told(told: Report, code: int) -> None:
    (invocation,) = sarif_run(report(told))["invocations"]
    assert (invocation["exitCode"], invocation["executionSuccessful"]) == (code, code != 2)


def test_what_could_not_be_decided_is_a_failed_run() -> None:
    (invocation,) = sarif_run(report(REPORTS["undecided"]))["invocations"]
    levels = [(one["descriptor"]["id"], one["level"]) for one in invocation["toolExecutionNotifications"]]
    assert levels == [("note", "note"), ("cannot-tell", "error")]
    assert invocation["toolExecutionNotifications"][1]["message"]["text"] == NO_POLICY


@pytest.mark.parametrize(("name", "place"), [("no place", None), ("a place", ("ledgers/policy.yaml", 3, 5))])
def test_a_run_without_a_report_names_the_place(name: str, place: tuple[str, int, int] | None) -> None:
    run = sarif_run(undecided("check-change", ERRORS[name]))
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert run["results"] == []
    found = [one["physicalLocation"] for one in notification.get("locations", ())]
    assert [
        (one["artifactLocation"]["uri"], one["region"]["startLine"], one["region"]["startColumn"]) for one in found
    ] == ([place] if place else [])


def test_two_commands_are_two_categories() -> None:
    ids = {
        sarif_run(report(report_of(command=name)))["automationDetails"]["id"]
        for name in ("check-ledgers", "check-change")
    }
    assert ids == {"flakeledger/check-ledgers/", "flakeledger/check-change/"}


def test_a_finding_is_known_again_when_its_line_moved() -> None:
    before = results_of(report_of(EXPIRED, EXPIRED._replace(line=9), EXPIRING))
    after = results_of(report_of(EXPIRED._replace(line=30), EXPIRED._replace(line=32), EXPIRING._replace(line=50)))
    prints = [one["partialFingerprints"] for one in before]
    assert prints == [one["partialFingerprints"] for one in after]
    assert len({one["primaryLocationLineHash"] for one in prints}) == 3


def test_the_row_is_a_logical_location() -> None:
    with_row, without = results_of(report_of(EXPIRED, EXPIRING))
    assert with_row["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": EXPIRED.subject}]
    assert "logicalLocations" not in without["locations"][0]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("ledgers/freezes.yaml", "ledgers/freezes.yaml"),
        ("a b/100%.py", "a%20b/100%25.py"),
        ("C:/x#y?z", "C%3A/x%23y%3Fz"),
        ("größe", "gr%C3%B6%C3%9Fe"),
        (os.fsdecode(b"caf\xe9"), "caf%E9"),
        ("a\n[b]", "a%0A%5Bb%5D"),
    ],
)
def test_a_path_is_encoded_byte_by_byte(path: str, uri: str) -> None:
    (result,) = results_of(report_of(Finding(path, 1, 1, "bad-value", "x")))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri
    assert sarif_path(uri) == path


def test_no_text_becomes_a_link() -> None:
    (result,) = results_of(report_of(Finding("a", 1, 1, "bad-value", "[click](https://evil.example)")))
    assert result["message"]["text"] == r"[click]\x28https://evil.example)"


def test_a_fix_of_several_lines_stands_below_the_message() -> None:
    (result,) = results_of(report_of(EXPIRED))
    assert result["message"]["text"].split("\n") == [
        EXPIRED.message,
        "fix: remove the row:",
        "flakeledger thaw 'tests/test_a.py::test_b[x-1]'",
    ]


def test_a_reason_of_several_lines_is_one_message() -> None:
    run = sarif_run(undecided("check", CannotTell("one\ntwo", "three")))
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "one\\ntwo\nfix: three"
