"""The field tables: their order, what each field takes, what is said of what it does not take."""

from __future__ import annotations

import pytest

from flakeledger.model.fields import (
    FIXTURE_FIELDS,
    FREEZE_FIELDS,
    PROPERTY_FIELDS,
    REPLAY_FIELDS,
    FieldTable,
    check_row,
    needed_at,
)
from flakeledger.model.findings import Finding
from flakeledger.model.records import Fixture, Freeze, Property
from flakeledger.store.reader import read_rows

PATH = "ledgers/freezes.yaml"
DIGEST = "0123456789abcdef" * 4
FREEZE = """\
- test: tests/test_orders.py::test_partial_refund
  owner: "@finley"
  frozen_on: 2026-10-20
  expires: "2026-11-19"
  reason: "assertion depends on wall-clock ordering"
  property_id: PROP-014
  replay_env: pinned-py311
"""
FIXTURE = f"- id: orders\n  path: tests/data/orders.json\n  sha256: {DIGEST}\n"
PROPERTY = "- id: PROP-014\n  statement: refunds add up\n  fixtures: [orders]\n  tests: [a.py::t]\n"
GOOD = {FREEZE_FIELDS.ledger: FREEZE, FIXTURE_FIELDS.ledger: FIXTURE, PROPERTY_FIELDS.ledger: PROPERTY}


def _check(table: FieldTable, text: str) -> tuple[list[object], list[Finding]]:
    read = read_rows(text.encode(), PATH)
    assert read.findings == []
    (row,) = read.rows
    return check_row(table, row, PATH)


@pytest.mark.parametrize(
    ("table", "record"), [(FREEZE_FIELDS, Freeze), (FIXTURE_FIELDS, Fixture), (PROPERTY_FIELDS, Property)]
)
def test_the_fields_stand_in_the_order_of_their_record(table: FieldTable, record: type[Freeze]) -> None:
    assert ("places", *(field.name for field in table.fields)) == record._fields


def test_a_good_freeze() -> None:
    pins = f"  fixture_hashes:\n    orders: {DIGEST}\n  test_hash: {'1' * 64}\n"
    extra = pins + "  failure_class: environment\n  renewed: 02\n"
    values, findings = _check(FREEZE_FIELDS, FREEZE + extra)
    assert findings == []
    freeze = Freeze(read_rows(FREEZE.encode(), PATH).rows[0].places, *values)  # type: ignore[arg-type]  # checked values
    assert freeze.owner == "@finley"
    assert freeze.expires == "2026-11-19"
    assert freeze.fixture_hashes == {"orders": DIGEST}
    assert freeze.test_hash == "1" * 64
    assert freeze.renewed == 2
    assert freeze.issue is None


@pytest.mark.parametrize("table", [FIXTURE_FIELDS, PROPERTY_FIELDS], ids=lambda table: str(table.ledger))
def test_good_rows(table: FieldTable) -> None:
    values, findings = _check(table, GOOD[table.ledger])
    assert findings == []
    assert None not in values[:3]


#: field -> a text as it stands after the colon -> part of the message, or "" if it is fine
TEXTS: dict[str, dict[str, str]] = {
    "test": {
        "a.py::t": "",
        "tests/test_x.py::TestA::test_b": "",
        "tests/test_x.py::test_b[x-1]": "",
        "'a.py::t[x #1]'": "",
        "'a.py::t[a/b::c]'": "",
        "'a.py::t[[]'": "",
        "'a.py::t[]]'": "",
        "'tests/zoë.py::test_naïve[日本]'": "",
        "'src/list.spec.ts::shows [a] and more'": "",
        "a.py": "",  # names no single test: the rules say so
        "tests/": "",
        "TODO": "",
        "tests/*.py::t": "",
        "a.py::t[x #1]": "bracket without its partner",
        "'a.py::t]'": "bracket without its partner",
        "/a.py::t": "relative to the root",
        "../a.py::t": "leave the repository",
        "a/../../b.py::t": "leave the repository",
        "./a.py::t": "without empty or `.` parts",
        "a//b.py::t": "without empty or `.` parts",
        "'a\\b.py::t'": "backslash",
        '"a.py::t\\n"': "control character",
        '"a\\0.py::t"': "control character",
        '"a.py::t\\u2028"': "control character",
        ".git/hooks/a.py::t": "into `.git`",
        "a/.GIT/b.py::t": "into `.git`",
    },
    "owner": {"'@org/team'": "", "tbd": "", "x@example.org": "", "[a]": "is one text", "''": "is empty"},
    "frozen_on": {
        "2026-11-30": "",
        "2026-11-31": "no",
        "20261119": "YYYY-MM-DD",
        "2026-W47-4": "YYYY-MM-DD",
        "soon": "YYYY-MM-DD",
        "2026-11-19T12:00:00Z": "YYYY-MM-DD",
        "2026-1-1": "YYYY-MM-DD",
        "२०२६-११-१९": "YYYY-MM-DD",
    },
    "expires": {
        "2026-11-19": "",
        "9999-12-31": "",
        "2026-11-19T12:00:00Z": "",
        "2026-11-19T12:00:00+02:00": "",
        "2026-11-31": "2026-11-31 is not a day",
        "20261119": "YYYY-MM-DD",
        "soon": "YYYY-MM-DD",
        "2026-11-19 12:00:00": "needs its zone",
        "2026-11-19T25:00:00Z": "2026-11-19T25:00:00Z is not an instant",
        "": "is empty",
    },
    "reason": {
        "waits for clock": "",
        "on my CI": "",
        "clock-drifts": "",
        "clock-drift": "3 words or 12 characters",
        "wall-clock ordering": "",
        "日本語のテキストはここにある": "",
        "flaky": "3 words or 12 characters",
        "fix later": "3 words or 12 characters",
        "' a         '": "3 words or 12 characters",
    },
    "property_id": {
        "PROP-014": "",
        "a.b_c-d": "",
        "tests/a.py": "a path is no name",
        "9a": "a name is a letter",
        "é": "a name is a letter",
        "'a\n\n    b'": "a name is a letter",
        "": "is empty",
    },
    "replay_env": {"pinned-py311": "", "a b": "a name is", "-a": "a name is"},
    "failure_class": {"invariant": "", "Invariant": "one of `environment`, `invariant`", "other": "one of"},
    "fixture_hashes": {
        f"{{a: {DIGEST}}}": "",
        "{}": "",
        "{a: 12}": "64 characters",
        f"{{a/b: {DIGEST}}}": "a name is",
        "{a: }": "is empty",
        "[a]": "is a mapping",
        "a": "is a mapping",
        "": "is empty",
    },
    "generator_hash": {DIGEST: "", DIGEST.upper(): "64 characters", DIGEST[1:]: "64 characters", "0x1F": "SHA-256"},
    "renewed": {
        "0": "", "7": "", "-1": "a number from 0", "1.0": "a number from 0", "1_0": "a number from 0",
        "two": "a number from 0", "[1]": "is one text", "'9999999'": "a number from 0", "٣": "a number from 0",
    },
    "issue": {"https://example.org/1?x=y": "", "": "is empty", "{a: b}": "is one text"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("field", "text", "complaint"), [(field, *case) for field, cases in TEXTS.items() for case in cases.items()]
)
def test_each_field_takes_what_it_means_and_says_why_not(field: str, text: str, complaint: str) -> None:
    others = [line for line in FREEZE.splitlines() if not line[2:].startswith(f"{field}:")]
    lines = [f"  {field}: {text}", *(f"  {line[2:]}" for line in others)]
    values, findings = _check(FREEZE_FIELDS, "- " + "\n".join(lines)[2:] + "\n")
    typed = values[[known.name for known in FREEZE_FIELDS.fields].index(field)]
    if not complaint:
        assert findings == []
        assert typed is not None
        return
    (finding,) = findings
    assert finding.rule == "bad-value"
    assert complaint in finding.message
    assert field in finding.message
    assert finding.line == 1
    assert finding.fix
    assert typed is None


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("- id: P\n  statement: s\n  fixtures: [a, 'b/c']\n  tests: []\n", 3, 17, "`b/c`"),
        ("- id: P\n  statement: s\n  fixtures:\n    - a\n    -\n  tests: []\n", 5, 6, "is empty"),
        ("- id: P\n  statement: s\n  fixtures: a\n  tests: []\n", 3, 13, "write `fixtures: [a]`"),
        ("- id: P\n  statement: s\n  fixtures: {a: b}\n  tests: []\n", 3, 13, "is a list"),
        ("- id: P\n  statement: s\n  fixtures: []\n  tests: [a.py::t, '../b.py::t']\n", 4, 20, "leave the repository"),
        ("- id: P\n  statement: s\n  fixtures: []\n  tests: []\n  generators: [tests/, /etc]\n", 5, 24, "relative"),
        ("- id: P\n  statement: s\n  fixtures: []\n  tests: []\n  uncovered_until: x\n", 5, 20, "YYYY-MM-DD"),
        ("- id: P\n  statement:\n  fixtures: []\n  tests: []\n", 2, 3, "`statement` is empty"),
    ],
)
def test_places_of_bad_values(text: str, line: int, column: int, message: str) -> None:
    _, (finding,) = _check(PROPERTY_FIELDS, text)
    assert (finding.line, finding.column, finding.rule, finding.subject) == (line, column, "bad-value", "P")
    assert message in finding.message + finding.fix


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"- id: a\n  path: tests/data/\n  sha256: {DIGEST}\n", "without empty"),
        (f"- id: a\n  path: /etc/passwd\n  sha256: {DIGEST}\n", "relative"),
        (f"- id: a\n  path: a/..\n  sha256: {DIGEST}\n", "leave the repository"),
        (f"- id: a\n  path: .git\n  sha256: {DIGEST}\n", "into `.git`"),
        (f"- id: a\n  path: .\n  sha256: {DIGEST}\n", "without empty"),
        (f"- id: a\n  path: a\n  sha256: {DIGEST}\n  hash: md5\n", "`bytes`, `contract`"),
    ],
)
def test_fixtures(text: str, message: str) -> None:
    _, (finding,) = _check(FIXTURE_FIELDS, text)
    assert finding.rule == "bad-value"
    assert message in finding.message


def test_paths_with_spaces_dots_and_other_alphabets_are_fine() -> None:
    for path in ("a b.json", "..a/b..", ".github/x", "données/é.json", ".gitignore", "a[1].json", "x.git/y"):
        assert _check(FIXTURE_FIELDS, f"- id: a\n  path: '{path}'\n  sha256: {DIGEST}\n")[1] == [], path


def test_a_misspelt_field_is_one_finding_that_suggests_the_nearest() -> None:
    _, findings = _check(FREEZE_FIELDS, FREEZE.replace("replay_env:", "replay-env:").replace("reason:", "raeson:"))
    assert [(found.line, found.column, found.rule) for found in sorted(findings)] == [
        (5, 3, "unknown-field"),
        (7, 3, "unknown-field"),
    ]
    assert sorted(found.message.partition(", ")[2] for found in findings) == [
        "did you mean `reason`?",
        "did you mean `replay_env`?",
    ]


def test_a_misspelt_expiry_is_refused() -> None:
    _, (finding,) = _check(FREEZE_FIELDS, FREEZE.replace("expires:", "expiers:"))
    assert finding[1:4] == (4, 3, "unknown-field")
    assert "did you mean `expires`?" in finding.message
    assert finding.subject == "tests/test_orders.py::test_partial_refund"


def test_a_field_like_no_other_lists_the_fields() -> None:
    _, (finding,) = _check(FREEZE_FIELDS, FREEZE + "  zzz: 1\n")
    assert "did you mean" not in finding.message
    assert "`expires`" in finding.fix


@pytest.mark.parametrize("field", ["test", "frozen_on", "reason", "replay_env"])
def test_a_missing_field_stands_at_its_row(field: str) -> None:
    rest = [line[2:] for line in FREEZE.splitlines() if not line[2:].startswith(f"{field}:")]
    _, (finding,) = _check(FREEZE_FIELDS, "\n- " + "\n  ".join(rest) + "\n")
    assert finding[1:4] == (2, 3, "missing-field")
    assert f"`{field}`" in finding.message
    assert field in finding.fix


@pytest.mark.parametrize(
    ("field", "rule"),
    [("owner", "freeze-unowned"), ("expires", "freeze-window"), ("property_id", "freeze-no-property")],
)
def test_what_a_rule_reports_is_not_reported_twice(field: str, rule: str) -> None:
    assert FREEZE_FIELDS.by_name[field].reported_by == rule
    rest = [line for line in FREEZE.splitlines() if not line[2:].startswith(f"{field}:")]
    assert _check(FREEZE_FIELDS, "\n".join(rest) + "\n")[1] == []


def test_what_each_level_needs() -> None:
    ledger = ["test", "owner", "frozen_on", "expires", "reason", "property_id", "replay_env"]
    keyed = ["runner_class", "failure_class", "fixture_hashes", "generator_hash", "test_hash"]
    assert [field.name for field in needed_at(FREEZE_FIELDS, "ledger")] == ledger
    assert [field.name for field in needed_at(FREEZE_FIELDS, "keyed")] == ledger + keyed
    assert [field.name for field in needed_at(FREEZE_FIELDS, "witnessed")] == [*ledger, *keyed, "witness", "note"]


@pytest.mark.parametrize("table", [FREEZE_FIELDS, FIXTURE_FIELDS, PROPERTY_FIELDS, REPLAY_FIELDS])
def test_names_are_distinct_and_described(table: FieldTable) -> None:
    assert len(table.by_name) == len(table.fields)
    assert all(field.help and not field.help.endswith(".") for field in table.fields)


@pytest.mark.parametrize("field", [field.name for field in FREEZE_FIELDS.fields if field.kind.shape == "text"])
@pytest.mark.parametrize("part", ["a/", "[", "a ", "::", ".", "0", "]::[", "-"])
def test_no_text_takes_long(field: str, part: str) -> None:
    """Each pattern is linear: a quadratic one would take minutes here."""
    complaint = FREEZE_FIELDS.by_name[field].kind.complaint(part * 100_000 + "!")
    assert len(complaint) < 300
