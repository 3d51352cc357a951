"""Findings for people: one line each, the fix below it, and one summary line.

Invariants:
* Every finding is shown, in the order of the report.
* A line that starts in the first column is a finding, a note or the summary; text from files cannot begin one.
* The only escape sequences are our own colours, and only when the caller asks for them.
"""

from __future__ import annotations

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding, Level
from flakeledger.model.report import Report
from flakeledger.reporters.escape import escape_line

_COLOURS: dict[Level, str] = {"error": "\x1b[31m", "warning": "\x1b[33m"}
_RESET = "\x1b[0m"
_FIX = "    fix: "
_SINGULAR = {"freezes": "freeze", "fixtures": "fixture", "properties": "property", "replays": "replay"}


def report(report: Report, colour: bool = False) -> str:
    """The whole report as text that ends in a newline."""
    lines = [line for finding in report.findings for line in _finding_lines(finding, colour)]
    lines += [escape_line(f"note: {note}") for note in report.notes]
    lines.append(summary(report))
    return "\n".join(lines) + "\n"


def undecided(command: str, error: CannotTell) -> str:
    """What could not be decided, and the fix below it; ends in a newline."""
    place = f"{error.place}: " if error.place else f"flakeledger {command}: "
    return "\n".join([escape_line(f"{place}cannot tell: {error.reason}"), *_fix_lines(error.fix)]) + "\n"


def summary(report: Report) -> str:
    """The summary line, without a newline: what there is, what was found, against what, and when."""
    counts = ", ".join(_counted(number, name) for name, number in report.counts.items())
    found = _counted(report.errors, "findings")
    if report.warnings:
        found += f", {_counted(report.warnings, 'warnings')}"
    facts = {"judged": report.judged, "base": report.base, "now": report.now}
    parts = [counts, found, *(f"{name}: {fact}" for name, fact in facts.items() if fact)]
    return escape_line("; ".join(part for part in parts if part))


def _finding_lines(finding: Finding, colour: bool) -> list[str]:
    label = "warning: " if finding.level == "warning" else ""
    place = f"{finding.path}:{finding.line}:{finding.column}"
    line = escape_line(f"{place}: {label}{finding.rule}: {finding.message}")
    if colour:
        line = f"{_COLOURS[finding.level]}{line}{_RESET}"
    return [line, *_fix_lines(finding.fix)]


def _fix_lines(fix: str) -> list[str]:
    if not fix:
        return []
    first, *others = fix.split("\n")
    return [escape_line(_FIX + first), *(escape_line(" " * len(_FIX) + other) for other in others)]


def _counted(number: int, name: str) -> str:
    return f"{number} {_SINGULAR.get(name, name.removesuffix('s')) if number == 1 else name}"
