"""Running the state rules: a ledger in, sorted findings out.

Invariants:
* Every rule of the table runs.
* A rule that needs the policy does not run without one: then the exit code is 2, never 0.
"""

from __future__ import annotations

from flakeledger.model.findings import Finding
from flakeledger.repo.ledger import Ledger
from flakeledger.rules.state_table import STATE_RULES


def judge_ledger(ledger: Ledger, now: int) -> list[Finding]:
    """The findings of every state rule on one tree, sorted."""
    findings = list(ledger.findings)
    for rule in STATE_RULES:
        if not rule.needs_policy or ledger.policy is not None:
            findings.extend(rule.check(ledger, now))
    return sorted(findings)
