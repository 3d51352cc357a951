"""The change rules: every rule that judges base -> new, once, by name.

Invariants:
* A change rule is a pure function of a `Change` and `now`; it never reads a file, the clock or the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flakeledger.model.findings import Finding
from flakeledger.repo.change import Change
from flakeledger.rules import (
    freeze_changes,
    freeze_grants,
    freeze_renewals,
    guard,
    mixed,
    policies,
    property_changes,
    replay_changes,
    skips,
    thaws,
)

ChangeRule = Callable[[Change, int], Iterator[Finding]]


def _timeless(check: Callable[[Change], Iterator[Finding]]) -> ChangeRule:
    """The rule whose findings are the same at any time."""
    return lambda change, _now: check(change)


CHANGE_RULES: dict[str, ChangeRule] = {
    "mixed-change": _timeless(mixed.mixed_change),
    "policy-not-alone": _timeless(policies.policy_not_alone),
    "policy-removed": _timeless(policies.policy_removed),
    "log-rewritten": _timeless(replay_changes.log_rewritten),
    "freeze-extended": _timeless(freeze_changes.freeze_extended),
    "freeze-renewed": freeze_renewals.freeze_renewed,
    "freeze-rekeyed": _timeless(freeze_changes.freeze_rekeyed),
    "freeze-unevidenced": freeze_grants.freeze_unevidenced,
    "freeze-with-edit": _timeless(freeze_changes.freeze_with_edit),
    "thaw-unearned": thaws.thaw_unearned,
    "property-redefined": _timeless(property_changes.property_redefined),
    "property-weakened": _timeless(property_changes.property_weakened),
    "skip-unledgered": skips.skip_unledgered,
    "guard-removed": _timeless(guard.guard_removed),
}
