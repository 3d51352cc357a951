"""When a witness is good: asked by the gate of a file, and by the state rules of what a freeze names.

Invariants:
* A witness is read strictly, and its text is the only thing that counts: nothing of it is imported or run.
* What is refused has one reason, a clause; the empty text is none.
* Its generators are compared path by path, by the digests of their blobs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from flakeledger.model.canonical import NotCanonical
from flakeledger.model.digest_files import SUFFIX, digest_file_name
from flakeledger.model.policy import Policy
from flakeledger.model.witness import Witness, example_text, read_witness
from flakeledger.model.wording import listed, shown
from flakeledger.repo.ledger import Ledger

_DIGEST_NAME = re.compile(r"[0-9a-f]{64}\.json")


class WitnessFile(NamedTuple):
    """A file that should hold a witness. A name that is a digest must be the right one."""

    name: str
    data: bytes


class Refused(NamedTuple):
    """Why something is no good witness."""

    reason: str


def good_witness(file: WitnessFile, policy: Policy) -> Witness | Refused:
    """The witness in a file, as this policy takes it; else why not."""
    if _DIGEST_NAME.fullmatch(file.name) and file.name != digest_file_name(file.data):
        return Refused(f"its name is not its digest, which is {digest_file_name(file.data).removesuffix(SUFFIX)}")
    try:
        witness = read_witness(file.data)
    except NotCanonical as wrong:
        return Refused(f"line {wrong.line}, column {wrong.column}: {wrong.message}")
    size, most = len(example_text(witness.example)), policy.limits.witness_bytes
    if size > most:
        return Refused(f"its example is {size} bytes long; the policy allows {most}")
    if witness.shrink != "complete" and policy.flaky_witness == "deny":
        return Refused("its failure was flaky, so that nothing says it is the smallest one, and the policy denies that")
    return witness


def unbound(ledger: Ledger, witness: Witness) -> str:
    """Why a witness is not one of a property and a test of this tree, or the empty text."""
    found = ledger.property_by_id.get(witness.property_id)
    if found is None:
        return f"{ledger.tree.label} has no property {shown(witness.property_id)}"
    if not ledger.lists(found, witness.test):
        return f"property {shown(witness.property_id)} does not list {shown(witness.test)}"
    test = ledger.sources.test(witness.test)
    if test.state != "found":
        return f"{ledger.tree.label} has no test {shown(witness.test)}: {test.reason}"
    return ""


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """The paths at which two sets of generators differ, as a list for people; the empty text when they are equal."""
    return listed(path for path in sorted({*one, *other}) if one.get(path) != other.get(path))
