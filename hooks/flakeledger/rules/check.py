"""Running the rules: a ledger or a change in, sorted findings out.

Invariants:
* Every rule of the table runs; `only` keeps the findings of the named rules.
* A rule that needs the policy does not run without one: then the exit code is 2, never 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.repo.base import INDEX
from flakeledger.repo.change import ROW_LEDGERS, Change
from flakeledger.repo.ledger import Ledger
from flakeledger.rules.staleness import forgiven
from flakeledger.rules.table import CHANGE_RULES, STATE_RULES


def judge_ledger(ledger: Ledger, now: int) -> list[Finding]:
    """The findings of every state rule on one tree, sorted."""
    findings = list(ledger.findings)
    for rule in STATE_RULES:
        if not rule.needs_policy or ledger.policy is not None:
            findings.extend(rule.check(ledger, now))
    return sorted(findings)


def judge_ledger_in_change(ledger: Ledger, now: int, change: Change | None) -> list[Finding]:
    """The same, with what time broke forgiven where the change may pass it (see `staleness.py`)."""
    findings = judge_ledger(ledger, now)
    return findings if change is None else forgiven(findings, change, lambda other: judge_ledger(other, now))


def judge_changes(changes: Iterable[Change]) -> list[Finding]:
    """The findings of every change rule on each change, sorted. CannotTell when a ledger cannot be read."""
    listed = tuple(changes)
    findings: list[Finding] = []
    for change in listed:
        _refuse_unreadable(change)
        for check in CHANGE_RULES.values():
            found = check(change)
            findings.extend(_of_commit(change, finding) if len(listed) > 1 else finding for finding in found)
    return sorted(findings)


def _refuse_unreadable(change: Change) -> None:
    """A row that cannot be read may be any row: what happened to it cannot be told. (The log may hold such lines.)"""
    if not change.touches_ledgers:
        return
    broken = sorted(change.new.unreadable & change.changed_paths & set(ROW_LEDGERS))
    if broken:
        first = next(finding for finding in change.new.findings if finding.path == broken[0])
        raise CannotTell(
            f"{broken[0]} cannot be read as a whole, so what happened to its rows cannot be told: {first.message}",
            first.fix or "flakeledger check-ledgers   # says what is wrong, and how to mend it",
            f"{first.path}:{first.line}:{first.column}",
        )


def _of_commit(change: Change, finding: Finding) -> Finding:
    commit = "" if change.basis.new == INDEX else f"in commit {change.basis.new[:12]}: "
    return finding._replace(message=commit + finding.message)


def kept(findings: list[Finding], only: Collection[str]) -> tuple[Finding, ...]:
    """The findings of the rules that were asked for; all of them when none was named."""
    return tuple(finding for finding in findings if not only or finding.rule in only)
