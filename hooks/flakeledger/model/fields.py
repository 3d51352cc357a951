"""One table per ledger: its fields, what they hold, what they mean. Checks and JSON Schemas both come from here.

Invariants:
* The fields of a table stand in the order of the record's fields after `places`: `Freeze(row.places, *values)`.
* A value that is absent or refused is None, and a refused one has a finding here.
* A field that is absent has a finding here if level `ledger` needs it, unless `reported_by` names the rule that
  says so. A field that is written with nothing after the colon is refused here, always.
* A field that no table knows is refused: a misspelt `expires` must never become a permanent waiver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from flakeledger.model import kinds
from flakeledger.model.findings import Finding
from flakeledger.model.kinds import Kind
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.model.policy import LEVELS, LevelName
from flakeledger.model.rows import Place, Row, Scalar, Value
from flakeledger.model.wording import listed, shown


class Field(NamedTuple):
    """A field: its name, what it holds and means, the lowest level that needs it, the rule that reports its absence."""

    name: str
    kind: Kind
    help: str
    needed_at: LevelName | None = None
    reported_by: str = ""


class FieldTable(NamedTuple):
    """The fields of one ledger's rows, in the order of their record; `key` is the field that tells rows apart."""

    ledger: str
    row: str
    key: str
    fields: tuple[Field, ...]
    by_name: dict[str, Field]


def _table(ledger: str, row: str, key: str, *fields: Field) -> FieldTable:
    return FieldTable(ledger, row, key, fields, {field.name: field for field in fields})


FREEZE_FIELDS = _table(
    "freezes.yaml",
    "a freeze: one test that may fail, for a while, without failing the build",
    "test",
    Field("test", kinds.TEST, "the id of exactly one test, such as tests/test_orders.py::test_refund", "ledger"),
    Field(
        "owner", kinds.TEXT, "who answers for it: @name, @org/team or an e-mail address", "ledger", "freeze-unowned"
    ),
    Field("frozen_on", kinds.DATE, "the day on which the freeze starts, YYYY-MM-DD", "ledger"),
    Field("expires", kinds.WINDOW_END, "its last day, YYYY-MM-DD, or the instant it ends", "ledger", "freeze-window"),
    Field("reason", kinds.REASON, "why the test is not trusted, in a few words", "ledger"),
    Field(
        "property_id", kinds.NAME, "the property that the test protects: a row of properties.yaml", "ledger",
        "freeze-no-property",
    ),
    Field("replay_env", kinds.NAME, "the runner on which its replays run", "ledger"),
    Field("runner_class", kinds.NAME, "the runner on which the freeze holds", "keyed"),
    Field(
        "failure_class", kinds.one_of("environment", "invariant"),
        "what fails: only a failure of the environment may be cited", "keyed",
    ),
    Field("fixture_hashes", kinds.PINS, "fixture id -> digest, as they were when it was frozen", "keyed"),
    Field("generator_hash", kinds.DIGEST, "the digest of the property's generator set", "keyed"),
    Field("test_hash", kinds.DIGEST, "the digest of the test's own text", "keyed"),
    Field("witness", kinds.DIGEST, "the digest that names the witness's file", "witnessed"),
    Field("note", kinds.DIGEST, "the digest that names the review note's file", "witnessed"),
    Field("renewed", kinds.NUMBER, "how often the freeze was renewed; absent means 0"),
    Field("issue", kinds.TEXT, "a link to a tracker"),
)  # fmt: skip

FIXTURE_FIELDS = _table(
    "fixtures.yaml",
    "a fixture: the lock on one file's digest",
    "id",
    Field("id", kinds.NAME, "the fixture's name", "ledger"),
    Field("path", kinds.PATH, "the file, from the root of the repository", "ledger"),
    Field("sha256", kinds.DIGEST, "the digest of its content", "ledger"),
    Field("hash", kinds.one_of("bytes", "contract"), "how the digest is made; absent means bytes"),
)

PROPERTY_FIELDS = _table(
    "properties.yaml",
    "a property: an invariant, the tests that protect it, the fixtures that it reads",
    "id",
    Field("id", kinds.NAME, "the property's name", "ledger"),
    Field("statement", kinds.TEXT, "the invariant, as a sentence", "ledger"),
    Field("fixtures", kinds.NAME.listed(), "ids of fixtures.yaml", "ledger"),
    Field("tests", kinds.TEST.listed(), "the ids of the tests that protect it", "ledger"),
    Field("generators", kinds.FOLDER_OR_PATH.listed(), "files or folders that draw its inputs, if they must be named"),
    Field("uncovered_until", kinds.DATE, "the last day on which no live test need protect it"),
    Field("owner", kinds.TEXT, "who answers for it while it is uncovered"),
)

REPLAY_FIELDS = _table(
    "replays.jsonl",
    "a replay: one test run under a list of seeds in a pinned environment",
    "id",
    Field("test", kinds.TEST, "the id of the test", "ledger"),
    Field("run_at", kinds.INSTANT, "when it ran", "ledger"),
    Field("env", kinds.NAME, "the runner it ran on", "ledger"),
    Field("seeds", kinds.INTEGERS, "the seeds, each once", "ledger"),
    Field("passed", kinds.COUNT, "how many seeds passed", "ledger"),
    Field("total", kinds.COUNT, "how many seeds ran", "ledger"),
    Field("id", kinds.TEXT, "the replay's own name"),
    Field("commit", kinds.COMMIT, "the commit that was replayed"),
    Field("isolation", kinds.TEXT, "how one seed was kept from the next"),
    Field("seeded", kinds.FLAG, "whether the seed reached the test"),
    Field("examples", kinds.DIGEST, "the digest of what was drawn"),
    Field("failures", kinds.COUNTS, "type of exception -> how often"),
    Field("outcomes", kinds.TEXTS, "the outcome of each seed, in their order"),
    Field("touched", kinds.TEXTS, "files below the root that the test opened"),
    Field("versions", kinds.TEXTS_BY_NAME, "package -> version"),
    Field("plugins", kinds.TEXTS, "the plugins that were active"),
    Field("suite", kinds.FLAG, "whether the whole suite was replayed"),
    Field("duration_s", kinds.SECONDS, "how long it took, in seconds"),
)

#: the ledgers that are lists of rows, by their paths
ROW_TABLES = {FREEZES: FREEZE_FIELDS, FIXTURES: FIXTURE_FIELDS, PROPERTIES: PROPERTY_FIELDS}


def needed_at(table: FieldTable, level: LevelName) -> tuple[Field, ...]:
    """The fields that a policy of this level needs, in table order."""
    within = LEVELS[: LEVELS.index(level) + 1]
    return tuple(field for field in table.fields if field.needed_at in within)


def check_row(table: FieldTable, row: Row, path: str) -> tuple[list[object], list[Finding]]:
    """A row's values in table order, None where absent or refused, and what is wrong with the row's fields."""
    given = row.values
    values: list[object] = []
    findings: list[Finding] = []
    absent: list[Field] = []
    for field in table.fields:
        value = given.get(field.name)
        if value is None and field.name not in given:
            values.append(None)
            if field.needed_at == "ledger" and not field.reported_by:
                absent.append(field)
        elif type(value) is str and value and field.kind.shape == "text" and not field.kind.complaint(value):
            values.append(value)
        else:
            typed, found = _CHECKS[field.kind.shape](field, value, row)
            values.append(None if found else typed)
            findings += [_finding(table, row, path, place, "bad-value", *what) for place, *what in found]
    suggested = set()
    for name in _unknown(table, row, values):
        nearest = nearest_name(name, table)
        suggested.add(nearest)
        message = f"unknown field {shown(name)}" + (f", did you mean {shown(nearest)}?" if nearest else "")
        fix = f"rename it to {nearest}" if nearest else f"the fields are {listed(table.by_name)}"
        findings.append(_finding(table, row, path, row.places.of_key(name), "unknown-field", message, fix))
    for field in absent:
        if field.name not in suggested:
            message, fix = f"no {shown(field.name)}: {field.help}", f"add a line `{field.name}: …` to the row"
            findings.append(_finding(table, row, path, row.places.of(), "missing-field", message, fix))
    return values, findings


def _unknown(table: FieldTable, row: Row, values: list[object]) -> list[str]:
    """The names that the table does not know; most rows have no more names than values, and need no search."""
    if len(row.values) + values.count(None) <= len(table.fields):
        return []
    return [name for name in row.values if name not in table.by_name]


def nearest_name(name: str, table: FieldTable) -> str:
    """The field that a misspelt name may mean, or the empty text."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name[:64], table.by_name, n=1)), "")


def _finding(table: FieldTable, row: Row, path: str, place: Place, rule: str, message: str, fix: str) -> Finding:
    key = row.values.get(table.key)
    return Finding(path, place.line, place.column, rule, message, fix, subject=key if isinstance(key, str) else "")


#: place, message, fix
_Complaint = tuple[Place, str, str]


def _check_text(field: Field, value: Value, row: Row) -> tuple[object, list[_Complaint]]:
    if isinstance(value, str) and value:
        complaint = field.kind.complaint(value)
        return value, [_complaint(field, row.places.of(field.name), value, complaint)] if complaint else []
    if value:
        return None, [
            (row.places.of(field.name), f"`{field.name}` is one text", f"write `{field.name}: …` on one line")
        ]
    return None, [_empty(field, row.places.of_key(field.name))]


def _check_number(field: Field, value: Value, row: Row) -> tuple[object, list[_Complaint]]:
    text, found = _check_text(field, value, row)
    return (None, found) if found else (int(str(text)), [])


def _check_list(field: Field, value: Value, row: Row) -> tuple[object, list[_Complaint]]:
    if value is None:
        return None, [_empty(field, row.places.of_key(field.name))]
    if not isinstance(value, list):
        fix = f"write `{field.name}: [{value}]`" if isinstance(value, str) else f"write `{field.name}: [a, b]`"
        return None, [(row.places.of(field.name), f"`{field.name}` is a list", fix)]
    return value, list(_item_complaints(field, enumerate(value), row))


def _check_mapping(field: Field, value: Value, row: Row) -> tuple[object, list[_Complaint]]:
    if value is None:
        return None, [_empty(field, row.places.of_key(field.name))]
    if not isinstance(value, dict):
        return None, [(row.places.of(field.name), f"`{field.name}` is a mapping", "write each entry as `name: value`")]
    found = list(_item_complaints(field, value.items(), row))
    for name in value:
        complaint = kinds.NAME.complaint(name)
        if complaint:
            found.append(_complaint(field, row.places.of(field.name, name), name, complaint))
    return value, found


def _item_complaints(field: Field, items: Iterable[tuple[int | str, Scalar]], row: Row) -> Iterator[_Complaint]:
    for key, item in items:
        place = row.places.of(field.name, key)
        if not item:
            yield _empty(field, place)
        elif complaint := field.kind.complaint(item):
            yield _complaint(field, place, item, complaint)


def _complaint(field: Field, place: Place, text: str, complaint: str) -> _Complaint:
    return place, f"`{field.name}` {shown(text)}: {complaint}", f"{field.name}: {field.help}"


def _empty(field: Field, place: Place) -> _Complaint:
    return place, f"`{field.name}` is empty", "write a value, or remove it"


_CHECKS: dict[str, Callable[[Field, Value, Row], tuple[object, list[_Complaint]]]] = {
    "text": _check_text,
    "number": _check_number,
    "list": _check_list,
    "mapping": _check_mapping,
}
