"""A witness: the smallest example under which a property test still fails, with what it was drawn from.

Invariants:
* A witness is named by the digest of its canonical text, and so is its example: one changed byte is another witness.
* `example` holds `arguments`, parameter name -> value in the tagged form of `evidence/faithful.py`, and for a test with
  parameters their id as pytest prints it (`parameters`): another parameter is another example.
* What is wrong with a file is refused with its place (`digest_files.read_digest_file`), nothing is repaired.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, cast

from flakeledger.model import kinds
from flakeledger.model.canonical import canonical_dump, refused_key, text_digest
from flakeledger.model.digest_files import (
    DigestFile,
    FileField,
    by_name,
    count,
    digest_file,
    one_of,
    optional,
    read_digest_file,
    text,
)

#: the ceiling of the policy's `witness_bytes` (policy_fields.py), in bytes of an example's canonical text
LARGEST_EXAMPLE = 65536
Shrink = Literal["complete", "flaky"]
_ARGUMENTS, _PARAMETERS = "arguments", "parameters"


class Witness(NamedTuple):
    """What `ledgers/witnesses/<digest>.json` holds.

    `seed_budget` is how many seeds of the seed list the search had, None where it had no list. `generator_hashes` is
    path -> digest of each file of the property's generator set.
    """

    property_id: str
    test: str
    seed_budget: int | None
    example: Mapping[str, object]
    example_sha256: str
    generator_hashes: Mapping[str, str]
    shrink: Shrink

    @property
    def arguments(self) -> Mapping[str, object]:
        """The drawn arguments by name, in their tagged form."""
        return cast("Mapping[str, object]", self.example[_ARGUMENTS])

    @property
    def parameters(self) -> str | None:
        """The id of the test's parameters, None where it has none."""
        return cast("str | None", self.example.get(_PARAMETERS))


def _example_complaint(value: object) -> str:
    if not isinstance(value, dict):
        return "it is an object"
    if not {_ARGUMENTS} <= value.keys() <= {_ARGUMENTS, _PARAMETERS}:
        return f"it holds `{_ARGUMENTS}`, for a test with parameters also `{_PARAMETERS}`, and nothing else"
    arguments = value[_ARGUMENTS]
    if not isinstance(arguments, dict) or not arguments:
        return f"`{_ARGUMENTS}` is an object that names every drawn argument"
    return "" if isinstance(value.get(_PARAMETERS, ""), str) else f"`{_PARAMETERS}` is a text"


WITNESS_FIELDS = (
    FileField("property_id", text(kinds.NAME), "the property that failed"),
    FileField("test", text(kinds.TEST), "the id of the test that failed, with its parameters"),
    FileField("seed_budget", optional(count), "how many seeds the search had; null without a seed list"),
    FileField("example", _example_complaint, "the smallest arguments under which it failed"),
    FileField("example_sha256", text(kinds.DIGEST), "the digest of the canonical text of the example"),
    FileField("generator_hashes", by_name(kinds.PATH, text(kinds.DIGEST)), "path -> digest of each generator"),
    FileField("shrink", one_of("complete", "flaky"), "whether the example is known to be the smallest"),
)


def read_witness(data: bytes) -> Witness:
    """The witness that a file holds. NotCanonical, with its place, for whatever is wrong with the file itself.

    That is its layout, its fields, the digest of its example, and parameters that are not those of its test.
    """
    value = read_digest_file(data, WITNESS_FIELDS)
    witness = Witness(**value)  # type: ignore[arg-type]  # the field table has just checked the kinds
    if witness.example_sha256 != example_digest(witness.example):
        raise refused_key(data, "example_sha256", f"the digest of the example is {example_digest(witness.example)}")
    if witness.parameters != parameters_of(witness.test):
        raise refused_key(data, "example", "its `parameters` are not those in the brackets of `test`")
    return witness


def witness_file(witness: Witness) -> DigestFile:
    """The bytes of a witness and the digest that names them. NotCanonical where there can be none."""
    return digest_file(witness._asdict())


def example_of(arguments: Mapping[str, object], test: str) -> dict[str, object]:
    """The example of a test: its drawn arguments in their tagged form, and its parameters' id if it has one."""
    parameters = parameters_of(test)
    return {_ARGUMENTS: dict(arguments)} | ({} if parameters is None else {_PARAMETERS: parameters})


def example_text(example: Mapping[str, object]) -> str:
    """The canonical text of an example: what its digest and the policy's `witness_bytes` are about."""
    return canonical_dump(example)


def example_digest(example: Mapping[str, object]) -> str:
    """The digest that names an example."""
    return text_digest(example_text(example))


def parameters_of(test: str) -> str | None:
    """What stands in the brackets of a test id; None where it has none."""
    name, bracket, inside = test.partition("::")[2].partition("[")
    return inside[:-1] if name and bracket and inside.endswith("]") else None
