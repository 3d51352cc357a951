"""What the formats for services say alike: a finding with its fix, a note, and what could not be decided.

Invariants:
* Every line is escaped as the text's lines are; the message is the first line, and the fix begins the second.
* What has no place in a file stands at the first line of the policy: services show nothing that has no place.
"""

from __future__ import annotations

from collections.abc import Iterator

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import POLICY
from flakeledger.model.report import Report
from flakeledger.reporters.escape import escape_line

#: in the place of a rule's name: what the reader should know, and what could not be decided
NOTE, CANNOT_TELL = "note", "cannot-tell"


def told(finding: Finding) -> str:
    """Message and fix, as text of several lines."""
    message = escape_line(finding.message)
    return escape_lines(f"{message}\nfix: {finding.fix}") if finding.fix else message


def escape_lines(text: str) -> str:
    """The text with each of its lines escaped."""
    return "\n".join(map(escape_line, text.split("\n")))


def notes_of(report: Report) -> Iterator[Finding]:
    """The notes as findings of `note`, those that say what could not be decided as findings of `cannot-tell`."""
    for note in report.notes:
        if note in report.undecided:
            yield Finding(POLICY, 1, 1, CANNOT_TELL, note, subject=report.command)
        else:
            yield Finding(POLICY, 1, 1, NOTE, note, level="warning", subject=note)


def undecided_finding(command: str, error: CannotTell) -> Finding:
    """What could not be decided as a finding of `cannot-tell`, at the place that the error names."""
    path, line, column = placed(error.place) or (POLICY, 1, 1)
    return Finding(path, line, column, CANNOT_TELL, error.reason, error.fix, subject=command)


def placed(place: str) -> tuple[str, int, int] | None:
    """A place, `path:line:column`, in its parts; None where there is none."""
    path, *numbers = place.rsplit(":", 2)
    if len(numbers) < 2 or not all(number.isascii() and number.isdigit() for number in numbers):
        return (place, 1, 1) if place else None
    line, column = (max(int(number), 1) for number in numbers)
    return path, line, column
