"""What time breaks must not stop whoever repairs it.

Invariants (RULES.md, "t"):
* On the default branch (a push to it, a scheduled run) a finding that time causes fails.
* Away from it, a change of ledgers alone (no policy) that clears such a finding and adds none, or
  that only appends replays, is not refused for them. The citations of a row go with it: lines that cite are
  no other edit.
* Under `stale_rows: block_touched` (read from the base) such findings fail only changes that touch
  the row, its test's file, its property or its fixtures.
* Without a known base nothing is forgiven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import LEDGERS, POLICY, REPLAYS
from flakeledger.repo.ledger import Ledger

if TYPE_CHECKING:
    from flakeledger.repo.change import Change

Judge = Callable[[Ledger], Iterable[Finding]]


def is_stale(finding: Finding) -> bool:
    """Whether time or fresh evidence caused the finding, and it would fail the check."""
    return finding.by_time and finding.level == "error"


def forgiven(findings: list[Finding], change: Change, judge: Judge) -> list[Finding]:
    """The findings, with those that time caused turned into warnings where this change may pass them."""
    if change.basis.on_default_branch or not any(is_stale(finding) for finding in findings):
        return findings
    if repairs(findings, change, judge):
        return [_warning(finding) if is_stale(finding) else finding for finding in findings]
    if change.policy.stale_rows == "block_touched":
        return [
            _warning(finding) if is_stale(finding) and not touches(change, finding) else finding for finding in findings
        ]
    return findings


def _warning(finding: Finding) -> Finding:
    return finding._replace(level="warning")


def repairs(findings: list[Finding], change: Change, judge: Judge) -> bool:
    """Whether the change is one of ledgers alone that clears a stale finding and adds none, or appends replays."""
    if not change.changed_paths or POLICY in change.changed_paths:
        return False
    if not all(path.startswith(LEDGERS) or _edits_citations_alone(change, path) for path in change.changed_paths):
        return False
    if change.changed_paths == {REPLAYS}:
        from flakeledger.rules.replay_changes import log_rewritten

        return not any(log_rewritten(change))
    before = {(finding.rule, finding.subject) for finding in judge(change.base) if is_stale(finding)}
    after = {(finding.rule, finding.subject) for finding in findings if is_stale(finding)}
    return after < before


def _edits_citations_alone(change: Change, path: str) -> bool:
    """Whether a file differs in nothing but the lines that cite."""
    before, after = (_without_citations(ledger, path) for ledger in (change.base, change.new))
    return before is not None and before == after


def _without_citations(ledger: Ledger, path: str) -> list[bytes] | None:
    """The lines of a file that do not begin a citation; None where there is no file."""
    data = ledger.tree.read(path)
    if data is None:
        return None
    cited = {found.place.line for found in ledger.sources.citations(path)}
    return [line for number, line in enumerate(data.split(b"\n"), 1) if number not in cited]


def touches(change: Change, finding: Finding) -> bool:
    """Whether the change touches the row of a finding, its test's file, its property or its fixtures."""
    row = change.new.freeze_by_test.get(finding.subject)
    property_id = row.property_id if row is not None else finding.subject
    found = change.new.property_by_id.get(property_id or "")
    tests = [finding.subject] if row is not None else list(found.tests or ()) if found is not None else []
    fixtures = list(found.fixtures or ()) if found is not None else []
    rows = {finding.subject, property_id, *fixtures}
    files = {test.partition("::")[0] for test in tests}
    files |= {
        path for name in fixtures if name in change.new.fixture_by_id and (path := change.new.fixture_by_id[name].path)
    }
    return not files.isdisjoint(change.changed_paths) or not rows.isdisjoint(change.changed_keys)
