"""Running the state rules: a ledger in, sorted findings out.

Invariants:
* Every rule of the table runs.
* A rule that needs the policy does not run without one: then the exit code is 2, never 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from flakeledger.model.findings import Finding
from flakeledger.repo.ledger import Ledger
from flakeledger.rules.state_table import READING_RULES, STATE_RULES, State


def judge_ledger(ledger: Ledger, now: int) -> list[Finding]:
    """The findings of every state rule on one tree, sorted."""
    findings = list(ledger.findings)
    for rule in _applicable(ledger):
        findings.extend(rule.check(ledger, now))
    return sorted(findings)


def applied_rules(ledger: Ledger) -> tuple[str, ...]:
    """The rules that judge this tree, by name: those of the reader, and those of the table that have what they need."""
    return tuple(dict.fromkeys((*READING_RULES, *(rule.name for rule in _applicable(ledger)))))


def _applicable(ledger: Ledger) -> Iterator[State]:
    return (rule for rule in STATE_RULES if not rule.needs_policy or ledger.policy is not None)
