"""The JSON Schema of reports, held against what the checks print."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from consumers import report_schema, strictest
from flakeledger.model.report import Report
from flakeledger.reporters.json import report, undecided
from reports import ERRORS, REPORTS, reports

VALIDATOR = jsonschema.Draft7Validator(report_schema())
#: with every key that the schema does not name forbidden: what is printed must be described
STRICTEST = jsonschema.Draft7Validator(strictest(report_schema()))
GOOD: dict[str, Any] = json.loads(report(REPORTS["three"]))


@pytest.mark.parametrize("told", REPORTS.values(), ids=list(REPORTS))
def test_every_key_of_a_report_is_described(told: Report) -> None:
    STRICTEST.validate(json.loads(report(told)))


@pytest.mark.parametrize("name", ERRORS)
def test_every_key_of_what_could_not_be_decided_is_described(name: str) -> None:
    STRICTEST.validate(json.loads(undecided("check", ERRORS[name])))


@settings(max_examples=50)
@given(reports())
def test_hostile_reports_are_valid(told: Report) -> None:
    STRICTEST.validate(json.loads(report(told)))


@pytest.mark.parametrize("key", GOOD)
def test_every_key_is_there(key: str) -> None:
    assert not VALIDATOR.is_valid({name: value for name, value in GOOD.items() if name != key})


def test_new_keys_may_come() -> None:
    finding = GOOD["findings"][0] | {"new": 1}
    assert VALIDATOR.is_valid(GOOD | {"new": 1, "findings": [finding]})


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"command": "review"},
        {"exit_code": 3},
        {"notes": [1]},
        {"counts": {"freezes": -1}},
        {"findings": [GOOD["findings"][0] | {"level": "note"}]},
        {"findings": [GOOD["findings"][0] | {"line": 0}]},
        {"findings": [{}]},
        {"summary": {"errors": 1}},
        {"cannot_tell": {"reason": "", "fix": "", "place": ""}},
    ],
)
def test_what_is_no_report_is_refused(change: dict[str, object]) -> None:
    assert not VALIDATOR.is_valid(GOOD | change)
