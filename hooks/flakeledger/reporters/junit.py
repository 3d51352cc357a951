"""Findings as JUnit XML, which every service of continuous integration shows: https://github.com/testmoapp/junitxml

Invariants:
* One suite a command, one test case a rule that was applied and found nothing, one a finding, one a note.
* Only what fails the build is a failure, only what could not be decided an error; warnings and notes are skipped cases,
  whose message a service shows. What was not judged has no case that passes.
* The name of a case holds no line, so that a service knows it again; no two cases share one.
* Characters that XML forbids cannot occur: all text is escaped before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters.escape import escape_line
from flakeledger.reporters.told import CANNOT_TELL, notes_of, told, undecided_finding

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

Outcome = Literal["passed", "failure", "error", "skipped"]


class _Case(NamedTuple):
    """A test case: its name, its outcome, and the finding behind it, unless it passed."""

    name: str
    outcome: Outcome
    finding: Finding | None = None


def report(report: Report) -> str:
    """The whole report as one suite; ends in a newline."""
    counts = {name: str(number) for name, number in report.counts.items()}
    facts = counts | {"judged": report.judged, "base": report.base, "now": report.now}
    return _document(report.command, list(_cases(report)), facts, report.now)


def undecided(command: str, error: CannotTell) -> str:
    """What could not be decided, as a suite of one case with an error; ends in a newline."""
    return _document(command, [_told_case(undecided_finding(command, error))], {}, "")


def _cases(report: Report) -> Iterator[_Case]:
    fired = {finding.rule for finding in report.findings}
    yield from map(_told_case, report.findings)
    yield from (_Case(rule, "passed") for rule in report.rules if rule not in fired)
    yield from map(_told_case, notes_of(report))


def _told_case(finding: Finding) -> _Case:
    about = escape_line(finding.subject or finding.path)
    if finding.rule == CANNOT_TELL:
        return _Case(CANNOT_TELL, "error", finding)
    return _Case(f"{finding.rule}: {about}", "failure" if finding.level == "error" else "skipped", finding)


def _document(command: str, cases: list[_Case], facts: dict[str, str], now: str) -> str:
    outcomes = [case.outcome for case in cases]
    numbers = {
        "tests": str(len(cases)),
        "failures": str(outcomes.count("failure")),
        "errors": str(outcomes.count("error")),
    }
    root = Element("testsuites", {"name": "flakeledger", **numbers})
    skipped = {"skipped": str(outcomes.count("skipped"))} | ({"timestamp": now} if now else {})
    suite = SubElement(root, "testsuite", {"name": f"flakeledger {command}", **numbers, **skipped})
    properties = SubElement(suite, "properties") if facts else suite
    for name, value in facts.items():
        SubElement(properties, "property", {"name": name, "value": escape_line(value)})
    for name, case in zip(_distinct([case.name for case in cases]), cases, strict=True):
        _add_case(SubElement(suite, "testcase", {"classname": f"flakeledger.{command}", "name": name}), case)
    indent(root)
    # as ASCII with character references it is right whatever the encoding of the terminal or the pipe
    return f"{_DECLARATION}{tostring(root, encoding='us-ascii').decode()}\n"


def _distinct(names: Sequence[str]) -> Iterator[str]:
    """The names; one that came before gets a number."""
    counts = dict.fromkeys(names, 0)
    for name in names:
        counts[name] += 1
        numbered = name
        while counts[name] > 1 and (numbered := f"{name} ({counts[name]})") in counts:
            counts[name] += 1
        yield numbered


def _add_case(element: Element, case: _Case) -> None:
    """What the case found: the message as an attribute, the place, the message and the fix as text."""
    if case.finding is None:
        return
    finding = case.finding
    found = {"type": finding.rule, "message": escape_line(finding.message)}
    place = escape_line(f"{finding.path}:{finding.line}:{finding.column}")
    SubElement(element, case.outcome, found).text = f"{place}\n{told(finding)}"
