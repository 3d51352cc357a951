"""Findings as a Code Quality report, which GitLab shows in the merge request: a JSON list of issues.

Invariants:
* One issue a finding and one a note. A run that could not decide has an issue of the severity `blocker`: an empty list
  would read as "nothing found".
* An issue has what GitLab reads and nothing else: https://docs.gitlab.com/ci/testing/code_quality/
* Fingerprints are unique (GitLab drops an issue whose fingerprint it has seen) and survive moved lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters.escape import escape_text
from flakeledger.reporters.fingerprints import fingerprints
from flakeledger.reporters.json import dumped
from flakeledger.reporters.told import CANNOT_TELL, NOTE, notes_of, told, undecided_finding

#: by level for rules; what is no rule has a severity of its own
_OF_LEVEL = {"error": "critical", "warning": "minor"}
_OF_NAME = {CANNOT_TELL: "blocker", NOTE: "info"}


def report(report: Report) -> str:
    """The whole report as a JSON list; ends in a newline."""
    return _issues((*report.findings, *notes_of(report)))


def undecided(command: str, error: CannotTell) -> str:
    """What could not be decided, as a list of one issue; ends in a newline."""
    return _issues([undecided_finding(command, error)])


def _issues(findings: Sequence[Finding]) -> str:
    identified = zip(findings, fingerprints(findings), strict=True)
    return dumped([_issue(finding, fingerprint) for finding, fingerprint in identified])


def _issue(finding: Finding, fingerprint: str) -> dict[str, object]:
    return {
        "description": told(finding),
        "check_name": finding.rule,
        "fingerprint": fingerprint,
        "severity": _OF_NAME.get(finding.rule, _OF_LEVEL[finding.level]),
        # GitLab reads the line from either; `positions` has the column as well, but not every reader knows it
        "location": {"path": escape_text(finding.path), "lines": {"begin": finding.line}},
    }
