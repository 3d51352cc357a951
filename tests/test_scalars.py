"""A scalar of ours is the same text to every YAML."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from flakeledger.store.reader import read_plain, read_rows
from flakeledger.store.scalars import ledger_scalar, quoted, scalar, scalar_like

AWKWARD = ["no", "Yes", "null", "~", "1.0", "1e5", "12:30", "0o17", "0x1f", "1_000", "2026-11-19", "2026-1-1 1:1:1"]
AWKWARD += ["a: b", "a #b", "a  b", "@x", "**/a", "-", "a:", "v1.0", "=", "<<", ".inf", "[a]", "{a}", "a,b", "'", '"']
TEXTS = st.text(max_size=20) | st.text("0123456789abcdefxo_.:+-eEtT yYnN/=@~", max_size=12) | st.sampled_from(AWKWARD)


@given(TEXTS, TEXTS)
def test_a_scalar_is_read_as_its_text_in_every_place(text: str, other: str) -> None:
    one, two = scalar(text), scalar(other)
    for document, value in (
        (f"- {one}  # why\n- key: {two}\n", [text, {"key": other}]),
        (f"[{one}, {two}]\n", [text, other]),
        (f"{{one: {one}, two: {two}}}\n", {"one": text, "two": other}),
    ):
        assert yaml.safe_load(document) == value
        assert YAML(typ="safe", pure=True).load(document) == value
        assert read_plain(document.encode()) == value


@given(TEXTS, st.sampled_from(["plain", "'single'", '"double"']))
def test_the_strict_reader_reads_what_replaces_a_scalar(text: str, written: str) -> None:
    rows, findings = read_rows(f"- test: {scalar_like(text, written)}\n".encode(), "a.yaml")
    assert findings == []
    assert rows[0].values == {"test": text}


@pytest.mark.parametrize(
    "text",
    [
        "conftest.py",
        "/tests/",
        "flakeledger check-ledgers",
        "https://example.org/a",
        "v0.1.0",
        "a.py::test_b",
        "0a" * 32,
    ],
)
def test_ordinary_texts_stand_without_quotes(text: str) -> None:
    assert scalar(text) == ledger_scalar(text) == text


def test_only_a_ledger_has_dates_without_quotes() -> None:
    assert ledger_scalar("2026-11-19") == "2026-11-19"
    assert scalar("2026-11-19") == '"2026-11-19"'
    assert ledger_scalar("2026-11-19T00:00:00Z") == '"2026-11-19T00:00:00Z"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it's", '"it\'s"'),
        ('say "x"', "'say \"x\"'"),
        ('it\'s "x"', '"it\'s \\"x\\""'),
        ("a\nb\tc", '"a\\nb\\tc"'),
        ("\u202e\x07\u034f\U000e0001", '"\\u202e\\x07\\u034f\\U000e0001"'),
    ],
)
def test_the_quotes_that_need_fewest_escapes(text: str, expected: str) -> None:
    assert quoted(text) == expected


@pytest.mark.parametrize(
    ("text", "written", "expected"),
    [
        ("a", "b", "a"),
        ("a", "'b'", "'a'"),
        ("a", '"b"', '"a"'),
        ("it's", "'b'", "'it''s'"),
        ("a\tb", "'c'", '"a\\tb"'),
        ("no", "b", '"no"'),
        ("2026-11-19", "2026-11-18", "2026-11-19"),
        ("2026-11-19", "'2026-11-18'", "'2026-11-19'"),
    ],
)
def test_quotes_stay_as_they_were(text: str, written: str, expected: str) -> None:
    assert scalar_like(text, written) == expected
