"""The JSON Schema of what the checks print with `--format json`.

Invariants:
* draft-07; every key is described; keys that are not named are allowed, because new ones may come at any time.
* It is one of two objects: a report, or `cannot_tell` where there is none. Other commands print the second as well.
"""

from __future__ import annotations

Schema = dict[str, object]

_DRAFT = "http://json-schema.org/draft-07/schema#"
_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_PLACE: Schema = {"type": "integer", "minimum": 1}

#: key -> its description and the form of its value
_Keys = dict[str, tuple[str, Schema]]

_COMMON: _Keys = {
    "version": ("The version of this format: it is raised when a key changes its meaning or goes.", {"const": 1}),
    "command": ("The command that ran.", _TEXT),
}
_FINDING: _Keys = {
    "path": ("The path of the file, from the root of the repository.", _TEXT),
    "line": ("The line, from 1.", _PLACE),
    "column": ("The column, from 1.", _PLACE),
    "rule": ("The name of the rule.", {"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$"}),
    "level": ("Whether the finding fails the build.", {"enum": ["error", "warning"]}),
    "message": ("What is wrong, in one sentence.", _TEXT),
    "fix": ("How to repair it, perhaps in several lines, or an empty text.", _TEXT),
    "subject": ("The test or the id of the row, or an empty text.", _TEXT),
}
_SUMMARY: _Keys = {
    "errors": ("How many findings fail the build.", _COUNT),
    "warnings": ("How many findings do not.", _COUNT),
}
_COUNTS: _Keys = {
    name: (f"How many {name} there are.", _COUNT) for name in ("freezes", "fixtures", "properties", "replays")
}
_CANNOT_TELL: _Keys = {
    "reason": ("What could not be decided, in one sentence.", _TEXT),
    "fix": ("The command or the text that repairs it.", _TEXT),
    "place": ("path:line:column where the trouble has a place in a file, else an empty text.", _TEXT),
}


def report_schema() -> Schema:
    """The schema of a report, and of what is printed where there is none."""
    return {
        "$schema": _DRAFT,
        "title": "a report of flakeledger",
        "description": "What check, check-ledgers and check-change print with --format json.",
        "oneOf": [_object(_report_keys()), _object(_COMMON | {"cannot_tell": _told("Why.", _CANNOT_TELL)})],
    }


def _report_keys() -> _Keys:
    some_counts = _object(_COUNTS) | {"required": []}
    findings: Schema = {"type": "array", "items": _object(_FINDING)}
    return _COMMON | {
        "command": ("The command that judged.", {"enum": ["check", "check-change", "check-ledgers"]}),
        "exit_code": ("0 nothing wrong, 1 findings, 2 not everything could be decided.", {"enum": [0, 1, 2]}),
        "judged": ("Which tree was judged.", _TEXT),
        "base": ("The base and why it is the base; empty where only one tree was judged.", _TEXT),
        "now": ("The instant that the windows were held against.", {"type": "string", "format": "date-time"}),
        "counts": ("How many rows there are; empty for check-change.", some_counts),
        "findings": ("What is wrong, sorted by path, line and column.", findings),
        "notes": ("What a reader should know although nothing is wrong with it.", _TEXTS),
        "undecided": ("Those of the notes that say what could not be decided.", _TEXTS),
        "summary": _told("How many findings there are.", _SUMMARY),
    }


def _told(description: str, keys: _Keys) -> tuple[str, Schema]:
    return description, _object(keys)


def _object(keys: _Keys) -> Schema:
    described = {name: {"description": description, **schema} for name, (description, schema) in keys.items()}
    return {"type": "object", "required": list(keys), "properties": described}
