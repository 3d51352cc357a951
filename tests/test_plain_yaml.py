"""Lists and comments as `init` writes them."""

from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.cli.plain_yaml import comment, flow
from flakeledger.model.patterns import TEST_NAMES
from flakeledger.store.scalars import scalar


@given(st.lists(st.text(max_size=20), max_size=4))
def test_a_list_is_read_as_its_texts(texts: list[str]) -> None:
    assert yaml.safe_load(flow(texts)) == texts


def test_patterns_are_quoted_where_yaml_would_read_an_alias() -> None:
    assert all(scalar(name).startswith('"') for names in TEST_NAMES.values() for name in names if name.startswith("*"))


def test_a_comment_has_no_trailing_blank() -> None:
    assert comment("a\n\nb") == "# a\n#\n# b\n"
