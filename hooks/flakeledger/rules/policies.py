"""Rules about policy.yaml: it exists, it travels alone, it stays.

Invariants:
* What is wrong inside the file (`policy-invalid` and the reader's rules) is found while it is read, and not here.
* A policy never judges its own change: what it would let pass travels in another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES, POLICY

if TYPE_CHECKING:
    from flakeledger.repo.change import Change
    from flakeledger.repo.ledger import Ledger


def policy_missing(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """No policy is not a pass. (What stands in the place of one is a finding already.)"""
    if ledger.tree.entry(POLICY) is None and POLICY not in ledger.unreadable:
        yield Finding(
            POLICY,
            1,
            1,
            "policy-missing",
            "there is no policy, so nothing can be judged",
            "flakeledger init && git add ledgers   # writes one for the layout it finds; or restore the file from git",
        )


def policy_not_alone(change: Change) -> Iterator[Finding]:
    """The policy changed together with anything but rows that this very change voids."""
    if POLICY not in change.changed_paths or change.new_tree.entry(POLICY) is None:
        return
    others = sorted(change.changed_paths - {POLICY, FREEZES})
    rows = [operation for operation in change.operations if operation.path == FREEZES and operation.what != "voided"]
    if not others and not rows:
        return
    also = [*others, *(f"the row {operation.key}" for operation in rows)]
    named = ", ".join(also[:5]) + (f" and {len(also) - 5} more" if len(also) > 5 else "")
    yield Finding(
        POLICY,
        1,
        1,
        "policy-not-alone",
        f"the policy changes together with {named}: it would judge its own change",
        f"commit {POLICY} alone, in a pull request of its own:\ngit restore --staged -- .\ngit add -- {POLICY}",
    )


def policy_removed(change: Change) -> Iterator[Finding]:
    """The policy is deleted."""
    if POLICY in change.changed_paths and change.new_tree.entry(POLICY) is None:
        yield Finding(
            POLICY,
            1,
            1,
            "policy-removed",
            "the policy is deleted, and with it every rule",
            f"git checkout {change.basis.base[:12]} -- {POLICY}",
        )
