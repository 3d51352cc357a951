"""The JSON Schemas: of the ledgers, for editors, made from the tables that the checks use, and of a report.

Invariants:
* draft-07; in a ledger nothing is allowed that the tables do not name; every field has a description.
* A schema is never stricter than the checks where YAML lets a text stand without quotes, except that a text which an
  editor takes for a number must be quoted.
"""

from __future__ import annotations

from collections.abc import Callable

from flakeledger.model.fields import FIXTURE_FIELDS, FREEZE_FIELDS, PROPERTY_FIELDS, REPLAY_FIELDS, Field, FieldTable
from flakeledger.model.kinds import NAME, Shape
from flakeledger.model.policy_schema import policy_schema
from flakeledger.model.report_schema import report_schema

Schema = dict[str, object]

_DRAFT = "http://json-schema.org/draft-07/schema#"
_SHAPES: dict[Shape, Callable[[Schema], Schema]] = {
    "text": lambda text: text,
    "number": lambda text: text,
    "list": lambda text: {"type": "array", "items": text},
    "mapping": lambda text: {"type": "object", "additionalProperties": text},
    "flag": lambda _text: {"type": "boolean"},
    "count": lambda _text: {"type": "integer", "minimum": 0},
    "seconds": lambda _text: {"type": "number", "minimum": 0},
    "integers": lambda _text: {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
    "counts": lambda _text: {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
}


def schema_of(name: str) -> Schema:
    """The schema of a ledger or of the report, by a name of `SCHEMAS`; KeyError for any other name."""
    return SCHEMAS[name]()


def _rows(table: FieldTable) -> Schema:
    """A list of rows, or nothing at all: an empty ledger."""
    return {
        "$schema": _DRAFT,
        "title": table.ledger,
        "description": f"Each row is {table.row}.",
        "type": ["array", "null"],
        "items": _row(table),
    }


def _lines(table: FieldTable) -> Schema:
    """One line of a log."""
    return {
        "$schema": _DRAFT,
        "title": f"a line of {table.ledger}",
        "description": f"Each line is {table.row}.",
        **_row(table),
    }


def _row(table: FieldTable) -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [field.name for field in table.fields if field.needed_at == "ledger"],
        "properties": {field.name: _value(field) for field in table.fields},
    }


def _value(field: Field) -> Schema:
    schema = _SHAPES[field.kind.shape](dict(field.kind.schema))
    if field.kind.shape == "mapping" and field.name == "fixture_hashes":
        schema["propertyNames"] = dict(NAME.schema)
    return {"description": _sentence(field), **schema}


def _sentence(field: Field) -> str:
    level = f" Needed at level `{field.needed_at}`." if field.needed_at in ("keyed", "witnessed") else ""
    return f"{field.help[0].upper()}{field.help[1:]}.{level}"


#: name of the schema -> what makes it; the files of `schema/` have the same names
SCHEMAS: dict[str, Callable[[], Schema]] = {
    "freezes": lambda: _rows(FREEZE_FIELDS),
    "fixtures": lambda: _rows(FIXTURE_FIELDS),
    "properties": lambda: _rows(PROPERTY_FIELDS),
    "replays": lambda: _lines(REPLAY_FIELDS),
    "policy": policy_schema,
    "report": report_schema,
}
