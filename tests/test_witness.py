"""Witness files: what is read, what is refused and where, and the digests that must never move."""

from __future__ import annotations

import json

import pytest

from flakeledger.model.canonical import NotCanonical
from flakeledger.model.policy_fields import LIMIT_FIELDS
from flakeledger.model.witness import (
    LARGEST_EXAMPLE,
    Witness,
    example_digest,
    example_of,
    parameters_of,
    read_witness,
    witness_file,
)

TEST = "tests/test_orders.py::test_refund[a-1]"
EXAMPLE = example_of({"x": 1, "text": "ü"}, TEST)
WITNESS = Witness("PROP-1", TEST, 32, EXAMPLE, example_digest(EXAMPLE), {"tests/conftest.py": "0" * 64}, "complete")
#: by sha256sum, of the text as it is written by hand
DIGEST = "ccf2ddd41a77e6a7f6b81361bff115191e0a518074cd94a0cbbf5a45e7158e93"


def spoilt(**changed: object) -> bytes:
    return witness_file(WITNESS._replace(**changed)).data  # type: ignore[arg-type]  # what is wrong is the point


def test_a_witness_is_read_as_it_was_written() -> None:
    file = witness_file(WITNESS)
    assert read_witness(file.data) == WITNESS
    assert file.digest == DIGEST
    assert file.data.endswith(b'"test":"tests/test_orders.py::test_refund[a-1]"}\n')
    assert WITNESS.parameters == "a-1"
    assert WITNESS.arguments == {"x": 1, "text": "ü"}


def test_without_a_seed_list_and_without_parameters() -> None:
    test = "tests/test_orders.py::test_refund"
    example = example_of({"x": 1}, test)
    witness = WITNESS._replace(test=test, seed_budget=None, example=example, example_sha256=example_digest(example))
    assert read_witness(witness_file(witness).data) == witness
    assert witness.parameters is None


REFUSED = [
    (b"", "not JSON"),
    (b"[]\n", "the top level is no object"),
    (spoilt(property_id="a b"), "`property_id`"),
    (spoilt(test="tests/"), "`test`"),
    (spoilt(test="../x.py::test_a[a-1]"), "may not leave the repository"),
    (spoilt(seed_budget=0), "`seed_budget`"),
    (spoilt(seed_budget=True), "`seed_budget`"),
    (spoilt(shrink="capped"), "`shrink`: it is one of `complete`, `flaky`"),
    (spoilt(generator_hashes={"../x": "0" * 64}), "`generator_hashes`"),
    (spoilt(generator_hashes={"x": "0"}), "`generator_hashes`"),
    (spoilt(example={}), "`example`: it holds `arguments`"),
    (spoilt(example={"arguments": {}}), "`arguments` is an object that names every drawn argument"),
    (spoilt(example={"arguments": {"x": 1}, "more": 1}), "and nothing else"),
    (spoilt(example={"arguments": {"x": 1}, "parameters": 1}), "`parameters` is a text"),
    (spoilt(example={"arguments": {"x": 2}}), "the digest of the example is"),
    (spoilt(test="tests/test_orders.py::test_refund[a-2]"), "are not those in the brackets"),
    (spoilt(test="tests/test_orders.py::test_refund"), "are not those in the brackets"),
    (witness_file(WITNESS).data.rstrip(), "not in canonical form"),
    (witness_file(WITNESS).data.replace(b",", b", ", 1), "not in canonical form"),
    (witness_file(WITNESS).data.replace(b'"seed_budget":32,', b""), "no `seed_budget`"),
    (witness_file(WITNESS).data.replace(b"{", b'{"more":1,', 1), "unknown field `more`"),
    (witness_file(WITNESS).data.replace(b'"x":1', b'"x":1.0'), "is a float"),
]


@pytest.mark.parametrize(("data", "reason"), REFUSED, ids=lambda part: part if isinstance(part, str) else "")
def test_what_is_no_witness_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(NotCanonical) as refused:
        read_witness(data)
    assert reason in refused.value.message


def test_a_refusal_has_its_place() -> None:
    data = spoilt(example_sha256="0" * 64)
    with pytest.raises(NotCanonical) as refused:
        read_witness(data)
    assert (refused.value.line, refused.value.column) == (1, data.index(b'"example_sha256"') + 1)


def test_one_changed_byte_is_another_witness() -> None:
    names = {
        witness_file(WITNESS._replace(**{name: value})).digest  # type: ignore[arg-type]  # one field each
        for name, value in {"property_id": "P", "seed_budget": 31, "shrink": "flaky", "generator_hashes": {}}.items()
    }
    assert len(names | {DIGEST}) == 5


@pytest.mark.parametrize(
    ("test", "parameters"),
    [
        ("a.py::test", None),
        ("a.py::A::test[]", ""),
        ("a.py::test[a[b]::c]", "a[b]::c"),
        ("a[b].py::test", None),
    ],
)
def test_parameters_are_what_stands_in_the_brackets(test: str, parameters: str | None) -> None:
    assert parameters_of(test) == parameters
    assert json.loads(json.dumps(example_of({"x": 1}, test))).get("parameters") == parameters


def test_no_policy_allows_a_larger_example() -> None:
    (limit,) = [field for field in LIMIT_FIELDS if field.name == "witness_bytes"]
    assert limit.ceiling == LARGEST_EXAMPLE
