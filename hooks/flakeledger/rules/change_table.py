"""The change rules: every rule that judges base -> new, once, by name.

Invariants:
* A change rule is a pure function of a `Change`; it never reads a file, the clock or the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flakeledger.model.findings import Finding
from flakeledger.repo.change import Change
from flakeledger.rules import freeze_changes, guard, mixed, policies, property_changes, replay_changes

ChangeRule = Callable[[Change], Iterator[Finding]]

CHANGE_RULES: dict[str, ChangeRule] = {
    "mixed-change": mixed.mixed_change,
    "policy-not-alone": policies.policy_not_alone,
    "policy-removed": policies.policy_removed,
    "log-rewritten": replay_changes.log_rewritten,
    "freeze-extended": freeze_changes.freeze_extended,
    "freeze-rekeyed": freeze_changes.freeze_rekeyed,
    "freeze-with-edit": freeze_changes.freeze_with_edit,
    "property-redefined": property_changes.property_redefined,
    "property-weakened": property_changes.property_weakened,
    "guard-removed": guard.guard_removed,
}
