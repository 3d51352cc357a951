"""What a report carries survives the way from a worker of pytest-xdist to its controller."""

from __future__ import annotations

import json

import pytest

from flakeledger.evidence.verdict_on_report import VerdictOnReport, attach, verdict_on


def test_a_verdict_travels_with_its_report() -> None:
    report = pytest.TestReport("t.py::test_x", ("t.py", 1, "x"), {}, "failed", None, "call")
    assert verdict_on(report) is None
    verdict = VerdictOnReport("failed", ["a.Late"], True, False, False, "why", None, None, "")
    attach(report, verdict)
    sent = json.dumps(report._to_json())
    assert verdict_on(pytest.TestReport._from_json(json.loads(sent))) == verdict
