"""Running the change rules: changes in, sorted findings out.

Invariants:
* Every rule of the table runs on every change.
* A ledger that cannot be read as a whole is `CannotTell`: what happened to its rows is not known.
"""

from __future__ import annotations

from collections.abc import Iterable

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.repo.change import ROW_LEDGERS, Change
from flakeledger.repo.situation import INDEX
from flakeledger.rules.change_table import CHANGE_RULES


def judge_changes(changes: Iterable[Change], now: int) -> list[Finding]:
    """The findings of every change rule on each change, sorted. CannotTell when a ledger cannot be read."""
    listed = tuple(changes)
    findings: list[Finding] = []
    for change in listed:
        _refuse_unreadable(change)
        for check in CHANGE_RULES.values():
            found = check(change, now)
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
