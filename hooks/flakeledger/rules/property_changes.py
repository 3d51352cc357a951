"""Change rules about properties: an invariant stays what it is while a freeze cites it, and keeps its tests.

Invariants:
* A test that is gone from the tree is no loss; one that the property just lists no more is.
"""

from __future__ import annotations

from collections.abc import Iterator

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import PROPERTIES
from flakeledger.model.records import Property
from flakeledger.repo.change import Change, lost_fixtures, lost_generators, lost_tests
from flakeledger.rules.properties import at


def _cited(change: Change) -> set[str | None]:
    return {freeze.property_id for freeze in (*change.base.freezes, *change.new.freezes)}


def property_redefined(change: Change) -> Iterator[Finding]:
    """A statement changed while a freeze cites the property; otherwise allowed, and printed."""
    if PROPERTIES not in change.changed_paths:
        return
    cited = _cited(change)
    for name, before in change.base.property_by_id.items():
        after = change.new.property_by_id.get(name)
        if after is None or before.statement == after.statement:
            continue
        if name in cited:
            message = f"the statement of {name} changed while a freeze cites it (it was: {before.statement})"
            yield at(after, "statement", "property-redefined", message, _NEW_ID)
        else:
            message = f"the statement of {name} changed; it was: {before.statement}"
            found = at(after, "statement", "property-redefined", message, "nothing, if the reviewer agrees")
            yield found._replace(level="warning")


_NEW_ID = "restore the `statement`; give the changed invariant an `id` of its own, or first: flakeledger thaw TEST"


def property_weakened(change: Change) -> Iterator[Finding]:
    """A property lost a test, a fixture or a generator that still exists, or disappeared before its tests."""
    if PROPERTIES not in change.changed_paths:
        return
    cited = _cited(change)
    for name, before in change.base.property_by_id.items():
        after = change.new.property_by_id.get(name)
        if after is None:
            yield from _disappeared(change, before, cited)
        else:
            yield from _lost(change, before, after)


def _lost(change: Change, before: Property, after: Property) -> Iterator[Finding]:
    losses = (
        ("tests", "test", lost_tests(change.new, before, after)),
        ("fixtures", "fixture", lost_fixtures(change.base, change.new, before, after)),
        ("generators", "generator", lost_generators(change.base, change.new, before, after)),
    )
    for field, word, lost in losses:
        if lost:
            yield at(
                after,
                field,
                "property-weakened",
                f"{before.id} lost the {word} {', '.join(lost)}, which still exists",
                f"put it back into `{field}` of {before.id}, or delete it from the tree in the same change",
            )


def _disappeared(change: Change, before: Property, cited: set[str | None]) -> Iterator[Finding]:
    living = [test for test in before.tests or () if change.new.has_test(test)]
    fixtures = frozenset(before.fixtures or ())
    homeless = [test for test in living if not _has_home(change, fixtures, test)]
    if not living or (not homeless and before.id not in cited):
        return
    why = f"{', '.join(homeless)} protects it still" if homeless else "a freeze cites it"
    yield Finding(
        PROPERTIES,
        1,
        1,
        "property-weakened",
        f"the property {before.id} disappeared, but {why}",
        f"restore the row {before.id}, or let another property list its tests with all its fixtures",
        subject=before.id or "",
    )


def _has_home(change: Change, fixtures: frozenset[str], test: str) -> bool:
    """Whether a property of the new tree lists the test with all fixtures of the one that went."""
    return any(fixtures.issubset(other.fixtures or ()) for other in change.new.listing(test))
