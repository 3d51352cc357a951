"""Findings for programs: one JSON object, described by the schema in `model/report_schema.py`.

Invariants:
* The text is ASCII, its keys are sorted, it ends in a newline, and any strict parser reads it.
* `version` is raised when a key changes its meaning or goes; new keys may come at any time.
* No line of it can be taken for a workflow command, whatever the files say.
"""

from __future__ import annotations

import json

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters.escape import escape_surrogates

VERSION = 1
#: texts that only stand inside strings, and how JSON spells them harmlessly
_SPELLINGS = (("##", "#\\u0023"), ("\x7f", "\\u007f"))


def report(report: Report) -> str:
    """The whole report.

    A byte of a name that is no UTF-8 is spelt `\\xff`: half characters are no JSON to strict parsers.
    """
    value = {
        "version": VERSION,
        "command": report.command,
        "exit_code": report.code,
        "judged": escape_surrogates(report.judged),
        "base": escape_surrogates(report.base),
        "now": report.now,
        "counts": dict(report.counts),
        "findings": [_finding(finding) for finding in report.findings],
        "notes": [escape_surrogates(note) for note in report.notes],
        "undecided": [escape_surrogates(note) for note in report.undecided],
        "summary": {"errors": report.errors, "warnings": report.warnings},
    }
    return dumped(value)


def undecided(command: str, error: CannotTell) -> str:
    """What could not be decided: `version`, `command`, and `cannot_tell` with `reason`, `fix` and `place` (or "")."""
    told = {"reason": error.reason, "fix": error.fix, "place": error.place}
    escaped = {name: escape_surrogates(value) for name, value in told.items()}
    return dumped({"version": VERSION, "command": command, "cannot_tell": escaped})


def dumped(value: object) -> str:
    """A value without surrogates as the text that every command prints for programs."""
    text = json.dumps(value, indent=2, sort_keys=True)
    for written, spelling in _SPELLINGS:
        text = text.replace(written, spelling)
    return text + "\n"


def _finding(finding: Finding) -> dict[str, str | int]:
    return {
        "path": escape_surrogates(finding.path),
        "line": finding.line,
        "column": finding.column,
        "rule": finding.rule,
        "level": finding.level,
        "message": escape_surrogates(finding.message),
        "fix": escape_surrogates(finding.fix),
        "subject": escape_surrogates(finding.subject),
    }
