"""A scalar of ours is the same text to every YAML."""

from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from flakeledger.cli.plain_yaml import comment, flow, scalar
from flakeledger.model.patterns import TEST_NAMES
from flakeledger.store.reader import read_plain

TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"]), max_size=20
) | st.sampled_from(
    [
        "no",
        "Yes",
        "null",
        "~",
        "1.0",
        "1e5",
        "12:30",
        "2026-11-19",
        "a: b",
        "a #b",
        "a  b",
        "@x",
        "**/a",
        "-",
        "a:",
        "v1.0",
    ]
)


@given(TEXTS)
def test_a_scalar_is_read_as_its_text(text: str) -> None:
    document = f"- {scalar(text)}  # why\n"
    assert yaml.safe_load(document) == [text]
    assert YAML(typ="safe", pure=True).load(document) == [text]
    assert read_plain(document.encode()) == [text]


@given(st.lists(TEXTS, max_size=4))
def test_a_list_is_read_as_its_texts(texts: list[str]) -> None:
    assert yaml.safe_load(flow(texts)) == texts


def test_ordinary_texts_stand_without_quotes() -> None:
    plain = [
        "conftest.py",
        "/tests/",
        "flakeledger check-ledgers",
        "https://example.org/a",
        "v0.1.0",
        "tests/a.py::test_b",
    ]
    assert [scalar(text) for text in plain] == plain
    assert all(scalar(name).startswith('"') for names in TEST_NAMES.values() for name in names if name.startswith("*"))


def test_a_comment_has_no_trailing_blank() -> None:
    assert comment("a\n\nb") == "# a\n#\n# b\n"
