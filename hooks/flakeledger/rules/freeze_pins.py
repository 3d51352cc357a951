"""State rules about what a freeze was granted for: a pin that is present must be the tree's.

Invariants:
* A pin is judged wherever it is present, at any level; an absent pin is `missing-field`'s business.
* A freeze whose pin differs is void: the row goes in the change that voids it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakeledger.model.findings import Finding
from flakeledger.rules.freezes import MOST_NAMED, at, shown, thaw_command

if TYPE_CHECKING:
    from flakeledger.model.records import Freeze
    from flakeledger.repo.ledger import Ledger


def _void(freeze: Freeze) -> str:
    """What becomes of a row whose freeze is void."""
    return f"{thaw_command(freeze)}   # in the same change; replay the test before it is frozen again"


def freeze_fixture_hash(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """A pinned fixture is not what it was; only the ids pinned here are compared."""
    for freeze in ledger.freezes:
        for name, digest in (freeze.fixture_hashes or {}).items():
            path, tree = ledger.fixture_digest(name)
            if tree == digest:
                continue
            message = (
                f"the freeze of {shown(freeze)} pins {name}, which no fixture row locks"
                if path is None
                else f"the freeze of {shown(freeze)} is void: {path} ({name}) changed"
            )
            yield at(freeze, "fixture_hashes", "freeze-fixture-hash", message, _void(freeze), name)


def freeze_generator_hash(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The generator set of the property is not what it was."""
    for freeze in ledger.freezes:
        if freeze.generator_hash is None or freeze.property_id not in ledger.property_by_id:
            continue
        if ledger.generator_digest(freeze.property_id) != freeze.generator_hash:
            paths = ledger.generator_set(freeze.property_id)
            message = (
                f"the freeze of {shown(freeze)} is void: the generators of {freeze.property_id} changed "
                f"({', '.join(paths[:MOST_NAMED]) or 'none is left'}{', …' if len(paths) > MOST_NAMED else ''})"
            )
            yield at(freeze, "generator_hash", "freeze-generator-hash", message, _void(freeze))


def freeze_test_hash(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The text of the test, or of a definition of its module that it names, is not what it was."""
    for freeze in ledger.freezes:
        if freeze.test_hash is None or freeze.test is None:
            continue
        digest = ledger.sources.test_digest(freeze.test)
        if digest is not None and digest != freeze.test_hash:
            message = (
                f"the freeze of {shown(freeze)} is void: the text of the test, "
                f"or of what it uses in {freeze.test.partition('::')[0]}, changed"
            )
            yield at(freeze, "test_hash", "freeze-test-hash", message, _void(freeze))
