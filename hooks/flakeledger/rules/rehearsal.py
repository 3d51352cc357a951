"""Judging an edit of ledgers before it is written: what would the hooks say of a commit of what is on disk?

Invariants:
* The rules are those of the hooks, run as the hooks run them; what they say is not reworded.
* The tree with the edit is judged against the same base as the tree without it, so that the difference is the edit's.
* Nothing is written in the work tree, the index or the repository.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from flakeledger.model.clock import format_instant
from flakeledger.model.findings import Finding
from flakeledger.model.records import Freeze
from flakeledger.model.report import Report
from flakeledger.repo.base import resolve
from flakeledger.repo.changes import changes_of
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository
from flakeledger.repo.situation import INDEX, Basis
from flakeledger.rules.check import judge_ledger
from flakeledger.rules.check_changes import judge_changes
from flakeledger.rules.freeze_renewals import Predecessor, predecessor

#: a finding may name the line of another row, which an edit moves
_LINE = re.compile(r"\bline [0-9]+")


class Rehearsal(NamedTuple):
    """What every rule finds without and with an edit, sorted, and the ledger that the edit would leave."""

    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    ledger: Ledger
    base: str
    now: str

    def refusals(self, subjects: Collection[str] = ()) -> list[Finding]:
        """The errors that the edit adds, and those that stand about a row (or property, or fixture) of `subjects`."""
        added = Counter(map(_identity, self.after)) - Counter(map(_identity, self.before))
        return [
            finding
            for finding in self.after
            if finding.level == "error" and (finding.subject in subjects or _identity(finding) in added)
        ]

    def warnings(self, subjects: Collection[str]) -> list[Finding]:
        """The warnings about a row of `subjects` that the edit leaves."""
        return [finding for finding in self.after if finding.level == "warning" and finding.subject in subjects]

    def report(self, command: str, findings: Collection[Finding], *notes: str) -> Report:
        """Findings of the rehearsal as the report of a command."""
        judged = f"{self.ledger.tree.label} with this edit"
        return Report(command, tuple(findings), self.ledger.counts(), judged, self.base, self.now, notes)


def rehearse(repository: Repository, files: Mapping[str, bytes], now: int) -> Rehearsal:
    """Judge the repository's index as it is and with other bytes in some files, by every rule, against HEAD.

    CannotTell where the hooks could not tell either: no policy of the base that can be read, a ledger that cannot be
    read as a whole.
    """
    with repository.with_files(files) as edited:
        basis = _basis(edited)
        return Rehearsal(
            tuple(_judged(repository, basis, now)),
            tuple(_judged(edited, basis, now)),
            edited.ledger(edited.tree(INDEX)),
            basis.why,
            format_instant(now),
        )


def find_predecessor(repository: Repository, files: Mapping[str, bytes], row: Freeze, now: int) -> Predecessor | None:
    """The freeze that a row which an edit brings follows on, as the rule about renewals sees it.

    CannotTell where that rule could not tell either.
    """
    with repository.with_files(files) as edited:
        changes = changes_of(edited, _basis(edited)).changes
        return next(filter(None, (predecessor(change, row, now) for change in changes)), None)


def _basis(edited: Repository) -> Basis:
    """The basis of a commit of the edit: what a hook runner says about what it is at is not about this edit."""
    environment = {name: value for name, value in edited.git.environment.items() if not name.startswith("PRE_COMMIT")}
    return resolve(edited.git, base=None, head=None, environment=environment)


def _judged(repository: Repository, basis: Basis, now: int) -> list[Finding]:
    ledger = repository.ledger(repository.tree(INDEX))
    return sorted({*judge_ledger(ledger, now), *judge_changes(changes_of(repository, basis).changes, now)})


def _identity(finding: Finding) -> tuple[str, ...]:
    """What makes two findings the same although an edit moved their rows."""
    return finding.path, finding.rule, finding.subject, finding.level, _LINE.sub("line", finding.message)
