"""Which properties a test protects and what draws their inputs, asked of the files on disk while tests run.

Invariants:
* It is asked in a process of its own, in the environment that pytest started with, so that nothing that a test under
  way replaced changes the answer (`pins.elsewhere`).
* A property is one that lists the test and that the test's module names. A ledger that is not wholly readable gives no
  answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from flakeledger.evidence.pins import answer_with, disk_ledger, elsewhere
from flakeledger.model.errors import CannotTell
from flakeledger.model.wording import listed, shown
from flakeledger.repo.ledger import Ledger


class PropertyFacts(NamedTuple):
    """The properties of a test with path -> digest of what draws their inputs, and the policy's `witness_bytes`."""

    generators: dict[str, dict[str, str]]
    largest: int


def ask(root: str, environment: Mapping[str, str], test: str) -> PropertyFacts:
    """What the files below a root say to a test. CannotTell, with the reason, when it protects no property."""
    return PropertyFacts(*elsewhere(__name__, root, environment, test))


def main() -> None:
    """Answer what `ask` asks."""
    answer_with(_facts)


def _facts(root: str, test: str) -> PropertyFacts:
    with disk_ledger(root) as (ledger, policy):
        generators = {one: ledger.generator_hashes(one) for one in properties_of(ledger, test)}
        return PropertyFacts(generators, policy.limits.witness_bytes)


def properties_of(ledger: Ledger, test: str) -> list[str]:
    """The properties that list a test and that its module names. CannotTell, with the reason, when there is none."""
    listing = [row.id for row in ledger.properties_of(test) if row.id is not None]
    path = test.partition("::")[0]
    named = ledger.sources.property_ids(path)
    found = [one for one in listing if one in named]
    if found:
        return found
    if listing:
        fix = f"write `property_id: {listing[0]}` into the docstring of the test"
        raise CannotTell(f"{shown(path)} does not name {listed(listing)}, which lists the test", fix)
    fix = "add the test to the `tests:` of its property in ledgers/properties.yaml"
    raise CannotTell(f"no property lists {shown(test)}", fix)
