"""The record of one citation: what is read, what is refused and where."""

from __future__ import annotations

import json

import pytest

from flakeledger.model.citation_record import CITATION_FIELDS, CitationRecord, read_record
from flakeledger.model.errors import CannotTell

RIGHT = {
    "property_id": "PROP-014",
    "cited_property_id": "PROP-015",
    "fixture_hash": "0123456789abcdef" * 4,
    "runner_class": "pinned-py311",
    "cited_runner_class": "local-fixture",
    "failure_class": "environment",
    "expires_at": "2026-11-19",
}


def test_every_field_is_read_whatever_their_order() -> None:
    assert tuple(CITATION_FIELDS.by_name) == CitationRecord._fields == tuple(RIGHT)
    assert read_record(json.dumps(RIGHT).encode(), "r.json") == CitationRecord(**RIGHT)
    turned = dict(reversed(RIGHT.items()))
    assert read_record(json.dumps(turned, indent=2).encode(), "r.json") == CitationRecord(**RIGHT)


@pytest.mark.parametrize("name", RIGHT)
def test_every_field_may_be_absent_and_none_may_be_null(name: str) -> None:
    without = {other: value for other, value in RIGHT.items() if other != name}
    assert read_record(json.dumps(without).encode(), "r.json") == CitationRecord(**RIGHT)._replace(**{name: None})
    for value in (None, True, 5, [RIGHT[name]], {"a": RIGHT[name]}):
        with pytest.raises(CannotTell, match="it must be a text"):
            read_record(json.dumps(RIGHT | {name: value}).encode(), "r.json")


def test_an_empty_record_is_a_record() -> None:
    assert read_record(b"{}", "r.json") == CitationRecord(None, None, None, None, None, None, None)


@pytest.mark.parametrize("expires", ["2026-11-19T12:00:00Z", "2026-11-19T12:00:00+02:00", "2026-11-19"])
def test_an_end_is_a_date_or_an_instant(expires: str) -> None:
    assert read_record(json.dumps({"expires_at": expires}).encode(), "r.json").expires_at == expires


@pytest.mark.parametrize(
    ("text", "place", "reason", "fix"),
    [
        ('{"expires": "2026-11-19"}', "1:2", "unknown field `expires`, did you mean `expires_at`?", "rename it to"),
        ('{\n  "zone": "UTC"\n}', "2:3", "unknown field `zone`", "leave it out: what cannot change the decision"),
        ('{"property_id":"A",\n "Property_id":"A"}', "2:2", "did you mean `property_id`?", "rename it"),
        ('{"owner": {"property_id": "A"}}', "1:2", "unknown field `owner`", "leave it out"),
        ('{"property_id": null}', "1:2", "`property_id` is null, and it must be a text", 'write "property_id": "…"'),
        ('{"property_id": 14}', "1:2", "`property_id` is a number", "write"),
        ('{"failure_class": true}', "1:2", "`failure_class` is a boolean", "write"),
        ('{"runner_class": []}', "1:2", "`runner_class` is a list", "write"),
        ('{"runner_class": {}}', "1:2", "`runner_class` is an object", "write"),
        ('{"property_id": ""}', "1:2", "`property_id` ``: a name is a letter", "property_id: the property"),
        ('{"property_id": "tests/a.py"}', "1:2", "a path is no name", "property_id: "),
        ('{"property_id": "PROP-014\\n"}', "1:2", "a name is a letter", "property_id: "),
        ('{"runner_class": "Ünder"}', "1:2", "a name is a letter", "runner_class: "),
        ('{"fixture_hash": "ABC"}', "1:2", "it is a SHA-256", "fixture_hash: "),
        ('{"fixture_hash": "' + "A" * 64 + '"}', "1:2", "it is a SHA-256", "fixture_hash: "),
        ('{"fixture_hash": "' + "0" * 65 + '"}', "1:2", "it is a SHA-256", "fixture_hash: "),
        ('{"failure_class": "flaky"}', "1:2", "it is one of `environment`, `invariant`", "failure_class: what fails"),
        ('{"failure_class": ""}', "1:2", "it is one of", "failure_class: what fails"),
        ('{"expires_at": "soon"}', "1:2", "a date is written YYYY-MM-DD", "expires_at: the last day"),
        ('{"expires_at": "2026-02-30"}', "1:2", "2026-02-30 is not a day of the calendar", "expires_at: "),
        ('{"expires_at": "2026-11-19T12:00:00"}', "1:2", "an instant needs its zone", "expires_at: "),
        ('{"expires_at": "2026-11-19 12:00:00Z"}', "1:2", "an instant is written", "expires_at: "),
        ('{"expires_at": "\\uff12026-11-19"}', "1:2", "a date is written", "expires_at: "),
        ('{"property_id": "A",\n "property_id": "A"}', "2:2", "stands twice in one object", "write one JSON object"),
        ('{"property_id": "A"', "1:20", "not JSON", "write one JSON object"),
        ('{"property_id": 1.5}', "1:17", "`1.5` is a float", "write one JSON object"),
        ('{"property_id": "\\ud834"}', "1:18", "half a character", "write one JSON object"),
        ("[]", "1:1", "the top level is no object", "write one JSON object"),
        ("", "1:1", "not JSON", "write one JSON object"),
        ("\ufeff{}", "1:1", "a byte order mark", "write one JSON object"),
    ],
)
def test_what_is_refused_and_where(text: str, place: str, reason: str, fix: str) -> None:
    with pytest.raises(CannotTell) as caught:
        read_record(text.encode(), "r.json")
    assert caught.value.place == f"r.json:{place}"
    assert reason in caught.value.reason
    assert caught.value.fix.startswith(fix)


def test_a_record_of_many_unknown_fields_costs_one_search() -> None:
    many = {f"property_i{number}": "A" for number in range(3_000)}
    with pytest.raises(CannotTell, match="unknown field `property_i0`, did you mean `property_id`"):
        read_record(json.dumps(many).encode(), "r.json")
