"""Files named by their digest: strict reading, every refusal with its place, and what is written reads back."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model import kinds
from flakeledger.model.canonical import NotCanonical
from flakeledger.model.digest_files import (
    FileField,
    by_name,
    count,
    digest_file,
    digest_file_name,
    flag,
    listed_of,
    object_of,
    one_of,
    optional,
    read_digest_file,
    text,
)

FIELDS = (
    FileField("name", text(kinds.NAME), "its name"),
    FileField("number", optional(count), "a number"),
)
GOOD = b'{"name":"A","number":1}\n'


def test_a_file_is_the_canonical_text_and_a_newline_and_its_name_is_the_digest_of_the_text() -> None:
    file = digest_file({"number": 1, "name": "A"})
    assert file.data == GOOD
    assert file.digest == hashlib.sha256(GOOD[:-1]).hexdigest()
    assert digest_file_name(GOOD) == f"{file.digest}.json"
    assert read_digest_file(GOOD, FIELDS) == {"name": "A", "number": 1}


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b'{"name":"A","number":1}', (1, 1), "not in canonical form"),
        (b'{"name":"A","number":1}\n\n', (1, 1), "not in canonical form"),
        (b'{"name":"A","number":1}\r\n', (1, 1), "not in canonical form"),
        (b'{"number":1,"name":"A"}\n', (1, 1), "not in canonical form"),
        (b'{"name": "A","number":1}\n', (1, 1), "not in canonical form"),
        (b'{"name":"A"}\n', (1, 1), "no `number`: a number"),
        (b'{"name":"A",\n"number":0}\n', (2, 1), "`number`: it is a number from 1"),
        (b'{"name":"A","number":true}\n', (1, 13), "`number`: it is a number from 1"),
        (b'{"name":"","number":1}\n', (1, 2), "`name`: it is a text"),
        (b'{"name":"a/b","number":1}\n', (1, 2), "`name`: a name is a letter"),
        (b'{"name":"A","nummer":1}\n', (1, 13), "unknown field `nummer`; the fields are `name`, `number`"),
        (b'{"name":"A","number":1.0}\n', (1, 22), "`1.0` is a float"),
        (b'{"name":"A","name":"B","number":1}\n', (1, 13), "stands twice"),
        (b"[]\n", (1, 1), "the top level is no object"),
        (b"", (1, 1), "not JSON"),
        (b"\xff", (1, 1), "is not UTF-8"),
        (b"[" * 100_000, (1, 201), "nested deeper"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_whatever_is_wrong_is_refused_at_its_place(data: bytes, place: tuple[int, int], message: str) -> None:
    with pytest.raises(NotCanonical) as refused:
        read_digest_file(data, FIELDS)
    assert message in refused.value.message
    assert (refused.value.line, refused.value.column) == place


KINDS: tuple[tuple[Any, list[object], list[object]], ...] = (
    (text(kinds.DIGEST), ["0" * 64], ["", "0" * 63, None, 1, ["0" * 64]]),
    (one_of("a", "b"), ["a", "b"], ["c", "", None, 1, ["a"]]),
    (optional(text(kinds.NAME)), [None, "A"], ["", 1, False]),
    (flag, [True, False], [None, 0, 1, "true"]),
    (count, [1, 10**9], [0, -1, True, None, "1"]),
    (listed_of(count), [[], [1, 2]], [None, {}, [0], [1, None], "12"]),
    (by_name(kinds.PATH, flag), [{}, {"a/b": True}], [None, [], {"../a": True}, {"": True}, {"a": 1}]),
    (object_of(*FIELDS), [{"name": "A", "number": None}], [None, {}, {"name": "A"}, {"name": "", "number": 1}]),
)


@pytest.mark.parametrize(("complaint", "good", "bad"), KINDS, ids=range(len(KINDS)))
def test_a_value_is_exactly_of_its_kind(complaint: Any, good: list[object], bad: list[object]) -> None:
    assert [value for value in good if complaint(value)] == []
    assert [value for value in bad if not complaint(value)] == []


ANY = (FileField("a", lambda _: "", "any value"),)
NEARLY = st.recursive(st.none() | st.integers() | st.text() | st.floats(), st.lists, max_leaves=5)


@given(st.binary(max_size=60) | NEARLY.map(lambda value: f"{json.dumps({'a': value})}\n".replace(" ", "").encode()))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        value = read_digest_file(data, ANY)
    except NotCanonical:
        return
    assert digest_file(value).data == data


@given(st.from_regex("[A-Za-z][A-Za-z0-9_.-]*", fullmatch=True), st.none() | st.integers(1, 10**600))
def test_what_is_written_reads_back(name: str, number: int | None) -> None:
    value = {"name": name, "number": number}
    assert read_digest_file(digest_file(value).data, FIELDS) == value
