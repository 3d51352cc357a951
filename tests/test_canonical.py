"""The canonical form: what has one, what is refused and where.

property_id: FL-CANONICAL
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.canonical import (
    MAX_DEPTH,
    MAX_INTEGER_DIGITS,
    RUN_IDENTITY,
    NotCanonical,
    canonical_dump,
    canonical_text,
    contract_digest,
    digest,
    refused_key,
    strict_object,
)
from growing import assert_linear

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "canonical_vectors.json").read_text(encoding="utf-8")
)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


def refusal(data: bytes) -> NotCanonical:
    with pytest.raises(NotCanonical) as caught:
        canonical_text(data)
    return caught.value


@pytest.mark.parametrize("vector", VECTORS["accept"], ids=lambda vector: vector["name"])
def test_what_has_a_canonical_form(vector: dict[str, Any]) -> None:
    data = vector["text"].encode()
    assert canonical_text(data) == vector["canonical"]
    assert digest(data) == vector["sha256"]


@pytest.mark.parametrize("vector", VECTORS["refuse"], ids=lambda vector: vector["name"])
def test_what_is_refused_and_where(vector: dict[str, Any]) -> None:
    refused = refusal(vector["text"].encode())
    assert vector["message"] in refused.message
    assert refused.line == vector["line"]
    assert vector["column"] in (None, refused.column)


@pytest.mark.parametrize(
    ("data", "message", "line", "column"),
    [
        (b'\xef\xbb\xbf{"a":1}', "a byte order mark", 1, 1),
        ('{"a":1}'.encode("utf-16"), "byte 0xff is not UTF-8", 1, 1),
        (b'{\n "a\xc3\xa9": "\xff"}', "byte 0xff is not UTF-8", 2, 9),
        (b'{"a": "\xed\xa0\xb4"}', "byte 0xed is not UTF-8", 1, 8),
        (b'{"a": "\xc0\xaf"}', "byte 0xc0 is not UTF-8", 1, 8),
        (b"\x00", "not JSON", 1, 1),
    ],
)
def test_bytes_that_are_no_text(data: bytes, message: str, line: int, column: int) -> None:
    refused = refusal(data)
    assert message in refused.message
    assert (refused.line, refused.column) == (line, column)


def nested(levels: int) -> bytes:
    return b'{"a":' * (levels - 1) + b"{}" + b"}" * (levels - 1)


def test_depth_has_a_limit_of_our_own() -> None:
    assert canonical_text(nested(MAX_DEPTH)) == nested(MAX_DEPTH).decode()
    refused = refusal(nested(MAX_DEPTH + 1))
    assert refused.message == "nested deeper than 200 levels"
    assert refused.column == 5 * MAX_DEPTH + 1
    assert "nested deeper" in refusal(b"[" * 1_000_000).message
    assert "nested deeper" in refusal(b'{"\\"[":' + b"\n[" * 100_000 + b"]" * 100_000 + b"}").message


def test_brackets_inside_text_and_side_by_side_are_not_depth() -> None:
    for data in (
        b'{"a":"' + b"[" * 1000 + b'"}',
        b'{"a":"' + b'\\"[' * 1000 + b'"}',
        b'{"a":["\\\\",' + b"[]," * 1000 + b"1]}",
    ):
        assert strict_object(data) == json.loads(data)


def test_integers_have_a_limit_of_our_own() -> None:
    largest = "9" * MAX_INTEGER_DIGITS
    for literal in (largest, "-" + largest):
        assert canonical_text(f'{{"a":{literal}}}'.encode()) == f'{{"a":{literal}}}'
    for literal in (largest + "9", "-" + largest + "9"):
        refused = refusal(f'{{"a":"{literal}",\n"b":{literal}}}'.encode())
        assert refused.message == "an integer of more than 640 digits"
        assert (refused.line, refused.column) == (2, 5)


def test_the_limit_on_integers_does_not_depend_on_the_host() -> None:
    before = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(640)
        test_integers_have_a_limit_of_our_own()
        sys.set_int_max_str_digits(0)
        test_integers_have_a_limit_of_our_own()
    finally:
        sys.set_int_max_str_digits(before)


@given(st.dictionaries(st.text(), JSON_VALUES), st.sampled_from([None, 1, "\t"]))
def test_the_spelling_does_not_matter(value: dict[str, object], indent: int | str | None) -> None:
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"))
    turned = dict(reversed(value.items()))
    for spelling in (
        json.dumps(value, indent=indent),
        json.dumps(turned, indent=indent, ensure_ascii=False),
        canonical_dump(value),
    ):
        assert canonical_text(spelling.encode()) == expected
    assert digest(expected.encode()) == hashlib.sha256(expected.encode()).hexdigest()


@given(st.binary() | st.text('{}[]":,\\ud8Ec0.e+-1nalNtrfs \n').map(str.encode))
def test_no_bytes_give_anything_but_a_text_or_a_refusal(data: bytes) -> None:
    refused = None
    try:
        text = canonical_text(data)
    except NotCanonical as caught:
        refused = caught
    if refused is None:
        assert json.loads(text) == json.loads(data)
        assert canonical_text(text.encode()) == text
    else:
        lines = data.split(b"\n")
        assert 1 <= refused.line <= len(lines)
        assert 1 <= refused.column <= len(lines[refused.line - 1]) + 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.0, "a float has no canonical form"),
        ({"a": [1, {"b": float("nan")}]}, "a float has no canonical form"),
        ({1: "a"}, "a key that is no text"),
        ({"a": {None: 1}}, "a key that is no text"),
        ({"a": b"x"}, "a bytes has no canonical form"),
        ({"a": {1, 2}}, "a set has no canonical form"),
        ({"a": 10**MAX_INTEGER_DIGITS}, "an integer of more than 640 digits"),
        ({"a": -(10**MAX_INTEGER_DIGITS)}, "an integer of more than 640 digits"),
    ],
)
def test_values_of_ours_that_are_refused(value: object, message: str) -> None:
    with pytest.raises(NotCanonical) as caught:
        canonical_dump(value)
    assert message in caught.value.message


def test_a_value_that_holds_itself_is_refused() -> None:
    ring: list[object] = []
    ring.extend([ring, ring])
    with pytest.raises(NotCanonical, match="nested deeper"):
        canonical_dump(ring)


def test_values_of_ours() -> None:
    assert canonical_dump({"tests/é.json": "ab", "a": ("x", None, True, 3)}) == (
        '{"a":["x",null,true,3],"tests/\\u00e9.json":"ab"}'
    )
    # a path that is no UTF-8 must have a digest too
    assert canonical_dump({"caf\udce9": "ab"}) == '{"caf\\udce9":"ab"}'


@pytest.mark.parametrize("key", [*RUN_IDENTITY, "createdAt", "Created-At", "HOSTNAME", "hostname", "runId"])
def test_a_contract_does_not_name_its_run(key: str) -> None:
    text = json.dumps({"schema": 1, "nested": {key: 1}, "values": [{key: 2}]})
    assert contract_digest(text.encode()) == digest(text.encode())
    with pytest.raises(NotCanonical) as caught:
        contract_digest(f'{{"nested": {{"{key}": 1}},\n "schema": 1, "{key}": 2}}'.encode())
    problem = caught.value
    assert f"`{key}` names a run" in problem.message
    assert (problem.line, problem.column) == (2, 15)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"schema": 1}', None),
        ('{"schema": null, "hosts": 1, "timestamps": [], "update": 1}', None),
        ("{}", "it needs the key `schema`"),
        ('{"Schema": 1}', "it needs the key `schema`"),
        ('{"a": {"schema": 1}}', "it needs the key `schema`"),
        ('{"schema": 1.5}', "is a float"),
        ("[]", "no object"),
    ],
)
def test_what_can_be_a_contract(text: str, message: str | None) -> None:
    if message is None:
        assert contract_digest(text.encode()) == digest(text.encode())
    else:
        with pytest.raises(NotCanonical) as caught:
            contract_digest(text.encode())
        assert message in caught.value.message


def test_a_key_is_refused_at_its_place() -> None:
    refused = refused_key(b'{"a": {"b": 1},\n  "\\u0062": 2}', "b", "no")
    assert (refused.message, refused.line, refused.column) == ("no", 2, 3)


@given(st.lists(st.sampled_from(["[", "{", "]", "}", '"', "\\", "a", "[" * 150, '"' * 3]), max_size=40))
def test_depth_is_counted_outside_of_texts(parts: list[str]) -> None:
    text = "".join(parts) + "a"  # no JSON ends so, and `{}` alone would be a contract
    depth, deepest, inside, escaped = 0, 0, False, False
    for character in text:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == '"':
            inside = not inside
        elif not inside and character in "[{]}":
            depth += 1 if character in "[{" else -1
            deepest = max(deepest, depth)
    assert ("nested deeper" in refusal(text.encode()).message) is (deepest > MAX_DEPTH)


def test_depth_is_counted_across_the_pieces_of_a_large_text() -> None:
    long = "x" * 3_000_000
    deep = "[" * 100
    inside = f'{{"a":["{long}",{deep}"{deep}{long}"{deep},"'
    assert "nested deeper" in refusal(inside.encode()).message
    outside = f'{{"a":["{long}",{deep}{"]" * 100},"{deep}{long}",{deep}'
    assert "nested deeper" not in refusal(outside.encode()).message


@pytest.mark.parametrize(
    ("head", "unit", "foot"),
    [
        (b'{"schema":1,"rows":[', b'{"qty":2,"price":500},', b"{}]}"),
        (b'{"a":[', b'{"a":1,"b":2},', b'{"a":1,"a":2}]}'),
        (b'{"a":"', b'\\"', b""),
        (b'{"a":[', b'"\\"[', b""),
        (b'{"a":', b"9", b".5}"),
        (b'{"a":"', b"\\ud834\\udd1e", b'\\ud834"}'),
        (b'{"a":', b"-", b"}"),
        (b'"', b'""', b""),
    ],
    ids=["rows", "a key twice", "unfinished", "unfinished texts", "long float", "pairs", "signs", "quotes"],
)
def test_a_megabyte_takes_linear_time(head: bytes, unit: bytes, foot: bytes) -> None:
    assert_linear(lambda size: partial(attempted, head + unit * (size // len(unit)) + foot), 1_000_000)


def attempted(data: bytes) -> None:
    with contextlib.suppress(NotCanonical):
        digest(data)
