"""One inspection: which tree, which base, which rules; out come a report and an exit code.

Invariants:
* State rules never need a base; where one is known it forgives what time broke (see `staleness.py`).
* Change rules without a base are exit 2, or with `no_base` a loud NOT CHECKED.
* What only one kind of rule needs is imported where it is needed: each hook pays for its own rules alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.model.clock import format_instant
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import POLICY
from flakeledger.model.report import Report
from flakeledger.repo.repository import Repository
from flakeledger.repo.situation import INDEX, Basis, new_tree

if TYPE_CHECKING:
    from flakeledger.repo.change import Change
    from flakeledger.repo.ledger import Ledger

NOT_CHECKED = "NOT CHECKED: no base could be found, so no change rule was applied (--no-base=warn)"


class Request(NamedTuple):
    """What to judge: arguments and environment of one run."""

    command: str
    environment: Mapping[str, str]
    now: int
    base: str | None = None
    head: str | None = None
    no_base: bool = False
    only: Collection[str] = ()


class Outcome(NamedTuple):
    """A report and the exit code it deserves."""

    report: Report
    code: int


def inspect_ledgers(repository: Repository, request: Request) -> Outcome:
    """Every state rule on the new tree."""
    judged = new_tree(repository.git, head=request.head, environment=request.environment)
    repository.begin()
    repository.begin_citations(judged)
    repository.recall()
    repository.begin_modules(judged)
    from flakeledger.rules.check import applied_rules, judge_ledger
    from flakeledger.rules.staleness import forgiven, is_stale

    ledger = repository.ledger(repository.tree(judged))
    repository.prepare(ledger)
    findings = judge_ledger(ledger, request.now)
    basis = None
    if any(is_stale(finding) for finding in findings):
        basis, change = _known_change(repository, request)
        if change is not None and _leads_to(repository, change, judged):
            findings = forgiven(findings, change, lambda other: judge_ledger(other, request.now))
    undecided = ledger_notes(ledger)
    report = Report(
        command=request.command,
        findings=tuple(findings),
        counts=ledger.counts(),
        judged=ledger.tree.label,
        base="" if basis is None else basis.why,
        now=format_instant(request.now),
        notes=(*_unread_notes(repository, judged), *undecided),
        rules=applied_rules(ledger),
        undecided=undecided,
    )
    return _outcome(request, report)


def _known_change(repository: Repository, request: Request) -> tuple[Basis | None, Change | None]:
    """The net change where a base is known; where it is not, nothing is forgiven."""
    from flakeledger.repo.base import resolve
    from flakeledger.repo.changes import changes_of, net_change

    try:
        basis = resolve(repository.git, base=request.base, head=request.head, environment=request.environment)
        changes = changes_of(repository, basis) if basis.merged else net_change(repository, basis)
    except CannotTell:
        return None, None
    return basis, next(iter(changes.changes), None)


def _leads_to(repository: Repository, change: Change, judged: str) -> bool:
    """Whether the change ends in the tree that is judged: on a service it ends in a commit, which the index holds."""
    return change.basis.new == judged or (judged == INDEX and not repository.git.index_differs(change.basis.new))


def inspect_change(repository: Repository, request: Request) -> Outcome:
    """Every change rule on what is being committed, pushed or merged."""
    repository.begin()
    from flakeledger.repo.base import resolve
    from flakeledger.repo.changes import ADOPTION, changes_of
    from flakeledger.rules.change_table import CHANGE_RULES
    from flakeledger.rules.check_changes import judge_changes

    try:
        basis = resolve(repository.git, base=request.base, head=request.head, environment=request.environment)
    except CannotTell as error:
        if not request.no_base:
            raise
        ledger = repository.ledger(repository.tree(INDEX))
        unchecked = _change_report(request, "unknown", ledger.tree.label, (NOT_CHECKED, error.reason))
        return _outcome(request, unchecked._replace(counts=ledger.counts()))
    changes = changes_of(repository, basis)
    findings = judge_changes(changes.changes, request.now)
    notes = (*_unread_notes(repository, basis.new), *changes.notes)
    report = _change_report(request, basis.why, repository.tree(basis.new).label, notes)
    # at the adoption nothing was judged; a push whose steps all touch nothing was
    rules = () if ADOPTION in changes.notes and not changes.changes else tuple(CHANGE_RULES)
    return _outcome(request, report._replace(findings=tuple(findings), rules=rules))


def _change_report(request: Request, base: str, judged: str, notes: tuple[str, ...]) -> Report:
    """What is known of every change before it is judged."""
    return Report(request.command, (), {}, judged, base, format_instant(request.now), notes)


def inspect_both(repository: Repository, request: Request) -> Outcome:
    """Every rule: the ledgers of the new tree, and the change that leads to it."""
    ledgers = inspect_ledgers(repository, request)
    try:
        change = inspect_change(repository, request)
    except CannotTell as error:  # what was found in the ledgers is told all the same
        undecided = f"cannot tell what the change does: {error.reason}; fix: {error.fix}"
        known = ledgers.report
        told = known._replace(notes=(*known.notes, undecided), undecided=(*known.undecided, undecided))
        return Outcome(told, told.code)
    findings = tuple(sorted({*ledgers.report.findings, *change.report.findings}))
    notes = tuple(dict.fromkeys((*ledgers.report.notes, *change.report.notes)))
    rules = tuple(dict.fromkeys((*ledgers.report.rules, *change.report.rules)))
    report = ledgers.report._replace(findings=findings, notes=notes, base=change.report.base, rules=rules)
    return Outcome(report, max(ledgers.code, change.code))


def ledger_notes(ledger: Ledger) -> tuple[str, ...]:
    """What was not judged for want of a policy."""
    if ledger.policy is not None:
        return ()
    return ("without a policy that can be read, the rules that need one were not applied",)


def _unread_notes(repository: Repository, judged: str) -> tuple[str, ...]:
    """Ledgers whose edits on disk are not in the tree that was judged."""
    if judged != INDEX:
        return ()
    return tuple(f"{path} has edits that are not staged; they were not checked" for path in repository.unstaged_ledgers)


def _outcome(request: Request, report: Report) -> Outcome:
    """What was asked for (`--only`), why no more could be judged, and the exit code that it deserves."""
    if request.only:
        findings = tuple(
            finding
            for finding in report.findings
            if finding.rule in request.only or (report.undecided and finding.path == POLICY)
        )
        rules = tuple(rule for rule in report.rules if rule in request.only)
        report = report._replace(findings=findings, rules=rules)
    return Outcome(report, report.code)
