"""Change rules about freezes: no window grows, no row is re-keyed, none is granted for an edit.

Invariants:
* A change may always make the gate stricter: moving an end earlier is allowed.
* A row that this branch itself added may still be corrected: it counts as added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.model.records import Freeze
from flakeledger.model.window import end_of
from flakeledger.repo.change import PINS, Change, changed_fields
from flakeledger.rules.freezes import MOST_NAMED, at, named

#: what a standing row is about; changing one of these makes it another row
KEYS = (*PINS, "property_id", "witness", "note", "runner_class", "replay_env", "failure_class")


def standing(change: Change) -> Iterator[tuple[Freeze, Freeze]]:
    """The rows that stand in base and new and differ, but for those that this branch itself added."""
    if FREEZES not in change.changed_paths:
        return
    for operation in change.operations:
        if operation.path == FREEZES and operation.what == "changed" and operation.key not in change.own:
            yield change.base.freeze_by_test[operation.key], change.new.freeze_by_test[operation.key]


def granted(change: Change) -> Iterator[Freeze]:
    """The rows that count as added: those of the new tree alone, and those that this branch itself added and edits."""
    if FREEZES not in change.changed_paths:
        return
    for operation in change.operations:
        row = change.new.freeze_by_test.get(operation.key)
        is_added = operation.what == "added" or operation.key in change.own
        if operation.path == FREEZES and row is not None and is_added:
            yield row


def freeze_extended(change: Change) -> Iterator[Finding]:
    """A standing row with the same `frozen_on` ends later."""
    for before, after in standing(change):
        old, new = end_of(before), end_of(after)
        if before.frozen_on == after.frozen_on and old is not None and (new is None or new > old):
            yield at(
                after,
                "expires",
                "freeze-extended",
                f"the window of {after.test} grows from {before.expires} to {after.expires or 'no end'}",
                f"expires: {before.expires}   # or renew it: a new frozen_on, a newer replay, renewed one more",
            )


def freeze_rekeyed(change: Change) -> Iterator[Finding]:
    """A standing row's property, pins, witness, note, runner class, environment or failure class changed."""
    for before, after in standing(change):
        fields = changed_fields(before, after)
        for field in KEYS:
            old = getattr(before, field)
            if field in fields and old is not None:
                yield at(
                    after,
                    field,
                    "freeze-rekeyed",
                    f"`{field}` of the freeze of {after.test} changed: the freeze was granted for something else",
                    f"restore `{field}: {_text(old)}`, or remove the row; "
                    "what is now true needs a freeze of its own, with its own evidence",
                )


def _text(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {item}" for key, item in value.items()) + "}"
    return str(value)


def freeze_with_edit(change: Change) -> Iterator[Finding]:
    """A row is added in a change that also edits what its test hash or its generator set covers."""
    generators = cache(partial(_edited_generators, change))
    for row in granted(change):
        edited = _edited(change, row, generators)
        if edited:
            yield at(
                row,
                "test",
                "freeze-with-edit",
                f"{row.test} is frozen in the change that edits {edited}: "
                "the replays that justify it ran on something else",
                "commit the edit first; then, in a change of its own, the row and its evidence: "
                f"flakeledger replay {named(row)}",
            )


def _edited(change: Change, row: Freeze, generators: Callable[[str | None], str]) -> str:
    """What the change edits of that which the row is granted for; "" when nothing."""
    assert row.test is not None
    path = row.test.partition("::")[0]
    if path in change.changed_paths and _test_edited(change, row.test):
        return path
    return generators(row.property_id)


def _edited_generators(change: Change, property_id: str | None) -> str:
    """The generators of a property that the change edits, the first of very many; "" when none."""
    generators = {*change.base.generator_set(property_id), *change.new.generator_set(property_id)}
    edited = sorted(generators & change.changed_paths)
    more = f" and {len(edited) - MOST_NAMED} more" if len(edited) > MOST_NAMED else ""
    return ", ".join(edited[:MOST_NAMED]) + more


def _test_edited(change: Change, test: str) -> bool:
    before, after = change.base.sources.test_digest(test), change.new.sources.test_digest(test)
    if before == after:
        return False
    return before is not None or after not in change.moved_digests
