"""`flakeledger comment`: what a change does to the ledgers, as the comment on a pull request.

Invariants:
* It judges as `check` does, and posts nothing: a platform's own tool does that.
* The exit code is 0 whatever it finds, and 2 where it cannot tell. A comment is printed either way.
* The change is told as one, from its base to its end, also where its commits are judged one by one.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence, Set

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.model.records import Freeze
from flakeledger.model.window import ends_within
from flakeledger.precommit.arguments import instant, now_of
from flakeledger.repo.base import resolve
from flakeledger.repo.change import Change, RowOperation
from flakeledger.repo.changes import changes_of, net_change
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.reporters.comment import Ending, RowChange, Told, comment, undecided
from flakeledger.reporters.frozen_rows import time_left
from flakeledger.rules.freeze_renewals import predecessor
from flakeledger.rules.inspection import Request, inspect_both
from flakeledger.rules.interviews import counted, interview, next_step, reason
from flakeledger.rules.overview import FrozenRow, overview
from flakeledger.rules.skips import freeze_command, row_to_paste

EXAMPLES = """\
  flakeledger comment --base origin/main > comment.md
  flakeledger comment --base origin/main --head refs/pull/7/merge
  flakeledger comment          # in a job: the service says what the base is"""

#: a path and the key of a row there ("" for the file as a whole) -> the rules that refuse it
_Refusing = Mapping[tuple[str, str], Set[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--base", metavar="REV", help="tell the change from the merge base with this revision")
    parser.add_argument("--head", metavar="REV", help="tell the change up to this revision (default: what is staged)")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="judge at this time: 2026-10-11T00:00:00Z")


def run(arguments: argparse.Namespace) -> int:
    """Print the comment: 0, or 2 where it says that it cannot tell."""
    request = Request(
        command="comment",
        environment=os.environ,
        now=now_of(arguments),
        base=arguments.base,
        head=arguments.head,
    )
    try:
        with open_repository(os.curdir, os.environ) as repository:
            told = gathered(repository, request)
    except CannotTell as error:
        sys.stdout.write(undecided(error))
        return 2
    sys.stdout.write(comment(told))
    return 2 if told.code == 2 else 0


def gathered(repository: Repository, request: Request) -> Told:
    """All that the comment tells. CannotTell where the state of the new tree cannot be judged."""
    outcome = inspect_both(repository, request)
    report, rows = outcome.report, _pasted(outcome.report.findings)
    if outcome.code == 2:
        return Told(report, 2, None, (), (), (), 0)
    basis = resolve(repository.git, base=request.base, head=request.head, environment=request.environment)
    found = (changes_of if basis.merged else net_change)(repository, basis).changes
    ledger = repository.ledger(repository.tree(basis.new))
    refusing = _refusing(report.findings)
    changes = [one for change in found for one in row_changes(change, refusing, request.now)]
    endings, unknown = _endings(ledger, request.now)
    return Told(
        report._replace(
            findings=tuple(finding._replace(fix=row_to_paste(finding)[0]) for finding in report.findings),
            notes=(*report.notes, *unknown),
        ),
        outcome.code,
        changes if found else _adopted(ledger),
        [row for _, row in rows],
        [freeze_command(test) for test, _ in rows],
        endings,
        0 if ledger.policy is None else ledger.policy.limits.warn_days,
    )


def _pasted(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """The tests that findings have a row for, and these rows, each once."""
    found = ((finding.subject, row_to_paste(finding)[1]) for finding in findings)
    return list({test: (test, row) for test, row in found if row}.values())


def _adopted(ledger: Ledger) -> list[RowChange]:
    """The freezes of a tree before which no policy stood: nothing was there to compare them with."""
    return [_about(row, "adopted", row.reason or "") for row in ledger.freezes]


def _about(row: Freeze, what: str, why: str) -> RowChange:
    window = f"{row.frozen_on or '?'} to {row.expires or '?'}"
    return RowChange("freeze", what, row.test or "", row.owner or "", window, why)


def _refusing(findings: Sequence[Finding]) -> _Refusing:
    """The rules that refuse a row: those of what is found at it; a file without rows: those of what is in the file."""
    found: dict[tuple[str, str], set[str]] = {}
    for finding in findings:
        if finding.level == "error":
            for key in {finding.subject, ""}:
                found.setdefault((finding.path, key), set()).add(finding.rule)
    return found


def row_changes(change: Change, refusing: _Refusing, now: int) -> Iterator[RowChange]:
    """What a change does to each row, and by which rules the row is refused."""
    for operation in change.operations:
        if operation.path == FREEZES:
            told = _FREEZES[operation.what](change, operation, now)
        else:
            told = _other(change, operation)
        yield told._replace(refused=tuple(sorted(refusing.get((operation.path, operation.key), ()))))


def _opened(change: Change, operation: RowOperation, now: int) -> RowChange:
    row = change.new.freeze_by_test[operation.key]
    follows = predecessor(change, row, now)
    newest = change.new.newest_replay(row)
    shown = "not replayed" if newest is None else counted(newest)
    what = "opened" if follows is None else "opened again" if follows.fate == "fell" else "renewed"
    return _about(row, what, f"{row.reason or 'no reason'}; {shown}")


def _changed(change: Change, operation: RowOperation, now: int) -> RowChange:
    row = change.new.freeze_by_test[operation.key]
    if "frozen_on" in operation.fields:
        return _opened(change, operation, now)
    return _about(row, "changed", f"fields: {', '.join(sorted(operation.fields))}")


def _removed(change: Change, operation: RowOperation, now: int) -> RowChange:
    row = change.base.freeze_by_test[operation.key]
    found = interview(change.new, row, change.policy.limits, now)
    return _about(row, "thawed" if found.may_go else "removed", f"{found.verdict.name}: {reason(found)}")


def _voided(change: Change, operation: RowOperation, _now: int) -> RowChange:
    row = change.base.freeze_by_test[operation.key]
    broken = change.new.void_pins(change.base.pinned(row))
    gone = not change.new.has_test(operation.key)
    return _about(row, "removed", "void: its test is gone" if gone else f"void: this change breaks {', '.join(broken)}")


#: what happens to the row of a freeze -> how it is told
_FREEZES = {"added": _opened, "changed": _changed, "removed": _removed, "voided": _voided}
#: what lies below ledgers/ besides the freezes -> what one of it is called
_KINDS = {
    "fixtures.yaml": "fixture",
    "properties.yaml": "property",
    "policy.yaml": "policy",
    "replays.jsonl": "replay log",
    "witnesses": "witness",
    "notes": "note",
    "reviews": "review",
}
_WORDS = {("fixture", "added"): "locked", ("fixture", "changed"): "re-locked", ("property", "added"): "stated"}


def _other(change: Change, operation: RowOperation) -> RowChange:
    """What happens to another row, or to a file without rows: the policy, the log, a witness."""
    kind = _KINDS[operation.path.split("/")[1]]
    what = _WORDS.get((kind, operation.what), operation.what)
    why = [f"fields: {', '.join(sorted(operation.fields))}"] if operation.fields else []
    if kind == "fixture":
        fixture = (change.base if operation.what == "removed" else change.new).fixture_by_id[operation.key]
        why.insert(0, fixture.path or "no path")
    if kind == "replay log":
        why.append(f"replays: {len(change.base.replays)} before, {len(change.new.replays)} now")
    return RowChange(kind, what, operation.key or operation.path, why="; ".join(why))


def _endings(ledger: Ledger, now: int) -> tuple[list[Ending], tuple[str, ...]]:
    """The freezes that ended or end within the policy's days of warning; and a note where that is not known."""
    try:
        rows = overview(ledger, now)
    except CannotTell as error:
        return [], (f"what ends soon is not known: {error.reason}",)
    assert ledger.policy is not None
    warn_days = ledger.policy.limits.warn_days
    ends = ((row, row.interview.end) for row in rows)
    return [_ending(row) for row, end in ends if end is not None and ends_within(end, warn_days, now)], ()


def _ending(row: FrozenRow) -> Ending:
    freeze, step = row.interview.freeze, next_step(row.interview)
    return Ending(freeze.test or "", freeze.owner or "nobody", freeze.expires or "", time_left(row), step)
