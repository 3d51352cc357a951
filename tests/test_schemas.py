"""The JSON Schemas: valid, in step with the files that are shipped, and of one mind with the checks."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

from flakeledger.cli.schema import schema_text
from flakeledger.model.fields import FIXTURE_FIELDS, FREEZE_FIELDS, PROPERTY_FIELDS, FieldTable, check_row
from flakeledger.model.schemas import SCHEMAS, schema_of
from flakeledger.store.reader import read_replays, read_rows

DIGEST = "0123456789abcdef" * 4
FREEZE: dict[str, object] = {
    "test": "tests/test_orders.py::test_refund[x-1]",
    "owner": "@finley",
    "frozen_on": "2026-10-20",
    "expires": "2026-11-19",
    "reason": "depends on wall-clock ordering",
    "property_id": "PROP-014",
    "replay_env": "pinned-py311",
}
FIXTURE: dict[str, object] = {"id": "orders", "path": "tests/data/orders.json", "sha256": DIGEST, "hash": "contract"}
PROPERTY: dict[str, object] = {"id": "P", "statement": "refunds add up", "fixtures": ["orders"], "tests": ["a.py::t"]}
REPLAY: dict[str, object] = {
    "test": "a.py::t",
    "run_at": "2026-10-20T12:00:00Z",
    "env": "pinned-py311",
    "seeds": [1, 2],
    "passed": 1,
    "total": 2,
}
ROWS = {"freezes": FREEZE, "fixtures": FIXTURE, "properties": PROPERTY}
TABLES: dict[str, FieldTable] = {"freezes": FREEZE_FIELDS, "fixtures": FIXTURE_FIELDS, "properties": PROPERTY_FIELDS}


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_shipped_file_is_what_the_tables_say(name: str) -> None:
    shipped = (files("flakeledger.schema") / f"{name}.json").read_text("utf-8")
    assert shipped == schema_text(name), f"run: flakeledger schema {name} > schema/{name}.json"


def test_every_shipped_file_has_a_table() -> None:
    shipped = {entry.name for entry in files("flakeledger.schema").iterdir() if entry.name.endswith(".json")}
    assert shipped == {f"{name}.json" for name in SCHEMAS}


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_schema_is_draft_07_and_described(name: str) -> None:
    schema = schema_of(name)
    jsonschema.Draft7Validator.check_schema(schema)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    # what people write has no other keys; what programs print may gain some
    _assert_described(schema, closed=name != "report")


def _assert_described(schema: object, *, closed: bool) -> None:
    if isinstance(schema, list):
        for item in schema:
            _assert_described(item, closed=closed)
    if not isinstance(schema, dict):
        return
    if "properties" in schema:
        assert (schema.get("additionalProperties") is False) is closed
        for key, value in schema["properties"].items():
            assert value["description"], key
    for key, value in schema.items():
        for inside in value.values() if key == "properties" else [value]:
            _assert_described(inside, closed=closed)


def _accepts(name: str, value: object) -> bool:
    return bool(jsonschema.Draft7Validator(schema_of(name)).is_valid(value))


def _checks(name: str, row: dict[str, object]) -> bool:
    """Whether the reader and the field table take the row, written as JSON: every JSON row in block style is YAML."""
    text = "- " + "\n  ".join(f"{key}: {json.dumps(value)}" for key, value in row.items()) + "\n"
    read = read_rows(text.encode(), "f")
    return not read.findings and not check_row(TABLES[name], read.rows[0], "f")[1]


#: ledger -> what is changed in the good row
FINE: list[tuple[str, dict[str, object]]] = [
    ("freezes", {}),
    ("freezes", {"expires": "2026-11-19T12:00:00Z", "renewed": 1, "issue": "x", "fixture_hashes": {"orders": DIGEST}}),
    ("freezes", {"failure_class": "environment", "witness": DIGEST, "test": "src/a.spec.ts::draws a [b]"}),
    ("freezes", {"reason": "日本語のテキストはここにある"}),
    ("fixtures", {}),
    ("fixtures", {"path": "a b/é.json"}),
    ("properties", {"fixtures": [], "tests": []}),
    ("properties", {"generators": ["tests/strategies/"], "uncovered_until": "2026-11-19", "owner": "@org/team"}),
]
BAD: list[tuple[str, dict[str, object]]] = [
    ("freezes", {"expiers": "2026-11-19"}),
    ("freezes", {"expires": "soon"}),
    ("freezes", {"expires": "2026-11-19T12:00:00"}),
    ("freezes", {"frozen_on": "20261119"}),
    ("freezes", {"reason": "flaky"}),
    ("freezes", {"owner": ""}),
    ("freezes", {"owner": ["@a"]}),
    ("freezes", {"property_id": "a/b"}),
    ("freezes", {"test": "/a.py::t"}),
    ("freezes", {"test": "a\\b.py::t"}),
    ("freezes", {"failure_class": "other"}),
    ("freezes", {"renewed": -1}),
    ("freezes", {"witness": DIGEST.upper()}),
    ("freezes", {"fixture_hashes": {"orders": "1"}}),
    ("freezes", {"fixture_hashes": {"a/b": DIGEST}}),
    ("fixtures", {"hash": "md5"}),
    ("fixtures", {"path": "/etc/passwd"}),
    ("properties", {"fixtures": "orders"}),
    ("properties", {"tests": [["a.py::t"]]}),
]


@pytest.mark.parametrize(("name", "change"), FINE)
def test_good_rows_please_the_schema_and_the_checks(name: str, change: dict[str, object]) -> None:
    assert _accepts(name, [ROWS[name] | change])
    assert _checks(name, ROWS[name] | change)


@pytest.mark.parametrize(("name", "change"), BAD)
def test_bad_rows_please_neither(name: str, change: dict[str, object]) -> None:
    assert not _accepts(name, [ROWS[name] | change])
    assert not _checks(name, ROWS[name] | change)


@pytest.mark.parametrize(("name", "key"), [(name, key) for name, row in ROWS.items() for key in row if key != "hash"])
def test_what_is_needed_is_needed_by_the_schema(name: str, key: str) -> None:
    assert not _accepts(name, [{known: value for known, value in ROWS[name].items() if known != key}])


@pytest.mark.parametrize("name", ROWS)
def test_an_empty_ledger_is_fine(name: str) -> None:
    assert _accepts(name, None)
    assert _accepts(name, [])
    assert not _accepts(name, {"version": 1})


@pytest.mark.parametrize(
    ("change", "fine"),
    [
        ({}, True),
        ({"failures": {"TimeoutError": 1}, "duration_s": 1.5, "seeded": True, "versions": {"a": "1"}}, True),
        ({"touched": ["a"], "plugins": [], "outcomes": ["pass", "fail"], "suite": False, "commit": "0" * 40}, True),
        ({"seeds": [1, 1]}, False),
        ({"seeds": [1.5, 2]}, False),
        ({"passed": -1}, False),
        ({"run_at": "2026-10-20"}, False),
        ({"extra": 1}, False),
        ({"failures": {"TimeoutError": 0}}, False),
        ({"seeded": "yes"}, False),
        ({"duration_s": "1"}, False),
    ],
)
def test_lines_of_the_log(change: dict[str, object], fine: bool) -> None:
    line = REPLAY | change
    assert _accepts("replays", line) is fine
    assert bool(read_replays(json.dumps(line).encode() + b"\n", "f")[0]) is fine


def test_an_unknown_name_is_no_schema() -> None:
    with pytest.raises(KeyError):
        schema_of("nothing")
