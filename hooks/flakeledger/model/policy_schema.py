"""The JSON Schema of policy.yaml for editors, made from the table that the checks use.

Invariants:
* draft-07; nothing is allowed that the table does not name; every field has a description.
* A schema's keyword and the check of the same name use the same value.
"""

from __future__ import annotations

from flakeledger.model.policy_fields import LONGEST_TEXT, POLICY_FIELDS, PolicyField


def policy_schema() -> dict[str, object]:
    """The JSON Schema (draft-07) of policy.yaml, for editors."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "ledgers/policy.yaml",
        "description": "What the reviewers of this repository decided about freezes.",
    } | _mapping_schema(POLICY_FIELDS)


def _mapping_schema(fields: tuple[PolicyField, ...]) -> dict[str, object]:
    required = [field.name for field in fields if field.required]
    schema: dict[str, object] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {field.name: _field_schema(field) for field in fields},
    }
    return schema | ({"required": required} if required else {})


def _field_schema(field: PolicyField) -> dict[str, object]:
    schema = {"description": field.help} | _KIND_SCHEMAS[field.kind](field)
    return schema if field.default is None else schema | {"default": _plain(field.default)}


def _plain(default: object) -> object:
    """A default as JSON has it."""
    return [_plain(item) for item in default] if isinstance(default, tuple) else default


def _choice_schema(field: PolicyField) -> dict[str, object]:
    # an editor reads `version: 1` as a number, we as text
    return {"enum": [value for text in field.allowed for value in ([int(text), text] if text.isdigit() else [text])]}


def _number_schema(field: PolicyField) -> dict[str, object]:
    bounds = {"minimum": field.floor, "maximum": field.ceiling}
    return {"type": "integer"} | {name: bound for name, bound in bounds.items() if bound is not None}


def _text_schema(field: PolicyField) -> dict[str, object]:
    schema: dict[str, object] = {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT}
    return schema | ({"pattern": f"^(?:{field.pattern})$"} if field.pattern else {})


def _texts_schema(field: PolicyField) -> dict[str, object]:
    return {"type": "array", "items": _text_schema(field)}


def _some_texts_schema(field: PolicyField) -> dict[str, object]:
    return {"type": "array", "minItems": 1, "items": _text_schema(field)}


def _pairs_schema(field: PolicyField) -> dict[str, object]:
    pair = {"type": "array", "minItems": 2, "maxItems": 2, "uniqueItems": True, "items": {"enum": list(field.allowed)}}
    return {"type": "array", "items": pair}


def _rows_schema(field: PolicyField) -> dict[str, object]:
    return {"type": "array", "minItems": 1, "items": _mapping_schema(field.fields)}


_KIND_SCHEMAS = {
    "choice": _choice_schema,
    "number": _number_schema,
    "text": _text_schema,
    "texts": _texts_schema,
    "gitignore": _some_texts_schema,
    "command": _some_texts_schema,
    "pairs": _pairs_schema,
    "mapping": lambda field: _mapping_schema(field.fields),
    "rows": _rows_schema,
}
