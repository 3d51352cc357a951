"""Findings as GitHub workflow commands, which GitHub shows beside the lines of a pull request.

Invariants:
* One command a finding (`error` or `warning`) and one a note (`notice`; `error` where it says what could not be
  decided), then the text's summary line.
* Text from files stays inside the command that it stands in: `%`, line breaks and, in properties, `:` and `,`
  are encoded as the toolkit of GitHub Actions does, and all that a terminal would obey is escaped before.
"""

from __future__ import annotations

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters.escape import escape_text
from flakeledger.reporters.text import summary
from flakeledger.reporters.told import escape_lines

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def report(report: Report) -> str:
    """The whole report as commands, one a line, and a summary line; ends in a newline."""
    commands = [_command(finding) for finding in report.findings]
    commands += [_note(report, note) for note in report.notes]
    return "\n".join([*commands, summary(report)]) + "\n"


def undecided(command: str, error: CannotTell) -> str:
    """What could not be decided, as one `error` command; ends in a newline."""
    place = f"{error.place}: " if error.place else ""
    told = f"{place}{error.reason}\nfix: {error.fix}"
    return _undecided(command, told) + "\n"


def _note(report: Report, note: str) -> str:
    return _undecided(report.command, note) if note in report.undecided else f"::notice::{_data(note)}"


def _undecided(command: str, told: str) -> str:
    title = f"flakeledger {command}: cannot tell".translate(_PROPERTY)
    return f"::error title={title}::{_data(told)}"


def _command(finding: Finding) -> str:
    properties = {
        "file": finding.path,
        "line": str(finding.line),
        "col": str(finding.column),
        "title": finding.rule,
    }
    listed = ",".join(f"{name}={escape_text(value).translate(_PROPERTY)}" for name, value in properties.items())
    fix = f"\nfix: {finding.fix}" if finding.fix else ""
    return f"::{finding.level} {listed}::{_data(finding.message + fix)}"


def _data(text: str) -> str:
    """The text of a command: every line escaped, since GitHub prints it again, and the lines joined by %0A."""
    return escape_lines(text).translate(_DATA)
