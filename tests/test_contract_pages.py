"""The pages about contracts and their canonical form say what the product does, value by value."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.cli.named_file import LARGEST_CONTRACT
from flakeledger.model.canonical import (
    MAX_DEPTH,
    MAX_INTEGER_DIGITS,
    RUN_IDENTITY,
    NotCanonical,
    canonical_text,
    contract_digest,
    digest,
)
from flakeledger.model.citation_record import CITATION_FIELDS
from flakeledger.verdicts.decision import DECISION_TABLE
from pages import ROOT, blocks, sections

FORM, CONTRACTS, DECISIONS = (ROOT / "docs" / f"{name}.md" for name in ("canonical-form", "contracts", "decisions"))
VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "canonical_vectors.json").read_text(encoding="utf-8")
)


def listing() -> Any:  # a function of a page has no type
    """The function of the Python listing."""
    (block,) = [block for block in blocks(FORM) if block.language == "python"]
    names: dict[str, Any] = {}
    exec(block.text, names)
    return names["contract_digest"]


def refused(data: bytes) -> bool:
    try:
        digest(data)
    except NotCanonical:
        return True
    return False


@pytest.mark.parametrize("vector", VECTORS["accept"], ids=lambda vector: vector["name"])
def test_the_python_listing_gives_the_digest(vector: dict[str, Any]) -> None:
    assert listing()(vector["text"].encode()) == vector["sha256"]


@pytest.mark.parametrize("vector", VECTORS["refuse"], ids=lambda vector: vector["name"])
def test_the_python_listing_refuses(vector: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        listing()(vector["text"].encode())


def nested(levels: int) -> bytes:
    return b'{"a":' * (levels - 1) + b"{}" + b"}" * (levels - 1)


@given(
    st.one_of(
        st.binary(),
        st.text('{}[]":,\\ud8Ec0.e+-1nalNtrfs \n').map(str.encode),
        st.dictionaries(st.text(), st.integers() | st.text() | st.floats()).map(
            lambda value: json.dumps(value).encode()
        ),
        st.integers(MAX_DEPTH - 2, MAX_DEPTH + 2).map(nested),
        st.integers(MAX_INTEGER_DIGITS - 2, MAX_INTEGER_DIGITS + 2).map(
            lambda digits: b'{"a":-' + b"9" * digits + b"}"
        ),
    )
)
def test_the_python_listing_agrees_with_the_product(data: bytes) -> None:
    try:
        found = listing()(data)
    except ValueError:
        assert refused(data)
    else:
        assert found == digest(data)


def test_the_vectors_on_the_page_are_vectors() -> None:
    rows = re.findall(r"(?m)^\| `(.+)` \| `(.+)` \| `([0-9a-f]{64})` \|$", sections(FORM)["Test vectors"])
    assert len(rows) == 5
    known = {(vector["text"], vector["canonical"], vector["sha256"]) for vector in VECTORS["accept"]}
    for text, canonical, found in rows:
        assert (canonical_text(text.encode()), digest(text.encode())) == (canonical, found)
        assert any(found == one[2] and canonical == one[1] for one in known)


def test_the_limits_on_the_page_are_those_of_the_product() -> None:
    page = FORM.read_text(encoding="utf-8")
    assert f"more than {MAX_DEPTH} levels" in page
    assert f"more than {MAX_INTEGER_DIGITS} digits" in page
    assert f"larger than {LARGEST_CONTRACT // 1024 // 1024} MiB" in page


def test_the_contract_on_the_page_is_one_and_its_lock_holds() -> None:
    contract, lock = (block for block in blocks(CONTRACTS) if block.language in ("json", "yaml"))
    assert f"sha256: {contract_digest(contract.text.encode())}\n" in lock.text


def test_the_page_names_every_key_that_names_a_run() -> None:
    line = next(text for text in sections(CONTRACTS)["What is refused"].splitlines() if "names a run" in text)
    assert tuple(re.findall(r"`(\w+)`", line.split("Case,")[0])) == RUN_IDENTITY


def test_the_page_names_every_field_of_a_record_and_every_rejection() -> None:
    def first_cells(section: str) -> list[str]:
        return re.findall(r"(?m)^\| `([\w:]+)` \|", sections(DECISIONS)[section])

    assert first_cells("One record") == list(CITATION_FIELDS.by_name)
    assert first_cells("What each rejection asks for") == [line.decision for line in DECISION_TABLE][:-1]
