"""Findings as SARIF 2.1.0, which code scanning reads: https://docs.oasis-open.org/sarif/sarif/v2.1.0/

Invariants:
* One result a finding, one notification a note. A run that could not decide says so: `executionSuccessful` is false,
  so that no service takes its silence for "all mended".
* Every rule is described, whether it fired or not, in the words of its page.
* Paths are relative to `%SRCROOT%` and percent-encoded byte by byte: git's names need not be UTF-8.
* Fingerprints survive moved lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from flakeledger import __version__
from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters.escape import escape_surrogates, escape_text
from flakeledger.reporters.fingerprints import fingerprints
from flakeledger.reporters.json import dumped
from flakeledger.reporters.rule_texts import PROJECT, RuleText, rule_texts
from flakeledger.reporters.told import CANNOT_TELL, NOTE, notes_of, placed, told, undecided_finding
from flakeledger.rules.table import RULE_NAMES

Json = dict[str, object]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS = {CANNOT_TELL: "error", NOTE: "note"}
_NOTIFICATIONS = {
    CANNOT_TELL: "Something could not be decided, and unknown is never fine: the exit code is 2.",
    NOTE: "What a reader should know although nothing is wrong with it.",
}
#: GitHub compares this one alone (docs.github.com, "SARIF support for code scanning"), in the form hash:count
_OF_GITHUB = "primaryLocationLineHash"
_OURS = "flakeledger/v1"


def report(report: Report) -> str:
    """The whole report as a log of one run; ends in a newline."""
    results = [
        _result(finding, fingerprint)
        for finding, fingerprint in zip(report.findings, fingerprints(report.findings), strict=True)
    ]
    invocation = _invocation(report.code, [_notification(note) for note in notes_of(report)])
    facts = {"counts": dict(report.counts), "judged": report.judged, "base": report.base, "now": report.now}
    properties: Json = {
        name: escape_surrogates(fact) if isinstance(fact, str) else fact for name, fact in facts.items()
    }
    return _log(report.command, invocation, results, properties)


def undecided(command: str, error: CannotTell) -> str:
    """What could not be decided, as a run that failed, with the reason as its notification; ends in a newline."""
    finding = undecided_finding(command, error)
    notification = _notification(finding)
    if placed(error.place) is not None:
        notification["locations"] = [_location(finding)]
    return _log(command, _invocation(2, [notification]), [], {})


def _log(command: str, invocation: Json, results: Sequence[Json], properties: Json) -> str:
    run = {
        "tool": {"driver": _driver()},
        # the category by which GitHub keeps apart what two commands say of one commit
        "automationDetails": {"id": f"flakeledger/{command}/"},
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
        "properties": properties,
    }
    return dumped({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver() -> Json:
    texts = rule_texts()
    return {
        "name": "flakeledger",
        "version": __version__,
        "informationUri": PROJECT,
        "rules": [_descriptor(name, texts[name]) | {"name": _friendly(name)} for name in RULE_NAMES],
        "notifications": [_descriptor(name, _text_of(says)) for name, says in _NOTIFICATIONS.items()],
    }


def _friendly(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))


def _text_of(says: str) -> RuleText:
    """The text of what is no rule, and has no entry in the page of the rules."""
    return RuleText(says, says, says, says, PROJECT)


def _descriptor(name: str, text: RuleText) -> Json:
    return {
        "id": name,
        "shortDescription": {"text": text.sentence},
        "fullDescription": {"text": text.meaning},
        "help": {"text": text.help_text, "markdown": text.help_markdown},
        "helpUri": text.address,
    }


def _result(finding: Finding, fingerprint: str) -> Json:
    location = _location(finding)
    if finding.subject:
        location["logicalLocations"] = [{"fullyQualifiedName": escape_text(finding.subject)}]
    return {
        "ruleId": finding.rule,
        "ruleIndex": RULE_NAMES.index(finding.rule),
        "level": finding.level,
        "message": {"text": _message(finding)},
        "locations": [location],
        "partialFingerprints": {_OURS: fingerprint, _OF_GITHUB: f"{fingerprint}:1"},
    }


def _invocation(code: int, notifications: Sequence[Json]) -> Json:
    return {
        "executionSuccessful": code != 2,
        "exitCode": code,
        "toolExecutionNotifications": notifications,
    }


def _notification(finding: Finding) -> Json:
    return {
        "descriptor": {"id": finding.rule},
        "level": _LEVELS[finding.rule],
        "message": {"text": _message(finding)},
    }


def _message(finding: Finding) -> str:
    """Message and fix; `](`, by which readers of plain text know a link, is broken up (section 3.11.6)."""
    return told(finding).replace("](", "]\\x28")


def _location(finding: Finding) -> Json:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _address(finding.path), "uriBaseId": _ROOT},
            "region": {"startLine": finding.line, "startColumn": finding.column},
        }
    }


def _address(path: str) -> str:
    """A path as a relative reference; a name that git cannot have given (half characters) is spelt first."""
    try:
        return quote(path, errors="surrogateescape")
    except UnicodeEncodeError:
        return quote(escape_surrogates(path))
