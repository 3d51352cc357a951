"""Running the change rules: changes in, sorted findings out.

Invariants:
* Every rule of the table runs on every change.
* A ledger that cannot be read as a whole is `CannotTell`: what happened to its rows is not known. A row without a
  usable test or id is such a row: nothing says which row of the base it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, ROW_LEDGERS
from flakeledger.model.rows import LatePlaces, Places
from flakeledger.repo.change import Change
from flakeledger.repo.ledger import Ledger
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
    for path in sorted(change.changed_paths & set(ROW_LEDGERS)):
        first = _unread(change.new, path)
        if first is not None:
            raise CannotTell(
                f"{path} cannot be read as a whole, so what happened to its rows cannot be told: {first.message}",
                first.fix or "flakeledger check-ledgers   # says what is wrong, and how to mend it",
                f"{first.path}:{first.line}:{first.column}",
            )


def _unread(ledger: Ledger, path: str) -> Finding | None:
    """What keeps a file of rows from being read as a whole: its text, or a row whose test or id is none."""
    if path in ledger.unreadable:
        return next(finding for finding in ledger.findings if finding.path == path)
    places = next((places for key, places in _rows(ledger, path) if key is None), None)
    if places is None:
        return None
    line = places.of().line
    return next(finding for finding in sorted(ledger.findings) if finding.path == path and finding.line >= line)


def _rows(ledger: Ledger, path: str) -> Iterator[tuple[str | None, Places | LatePlaces]]:
    """The test or id of every row of a file, and its places."""
    if path == FREEZES:
        yield from ((row.test, row.places) for row in ledger.freezes)
    else:
        rows = ledger.fixtures if path == FIXTURES else ledger.properties
        yield from ((row.id, row.places) for row in rows)


def _of_commit(change: Change, finding: Finding) -> Finding:
    commit = "" if change.basis.new == INDEX else f"in commit {change.basis.new[:12]}: "
    return finding._replace(message=commit + finding.message)
