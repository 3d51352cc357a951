"""`flakeledger freeze`: writes the row that lets one test fail for a while, with everything that it is granted for.

Invariants:
* Nothing is written that the hooks would refuse; the refusals are theirs, word for word.
* A row is added or, with `--renew`, changed in its place. A waiver of its property is written in the same edit.
* `--print` writes nothing: standard output holds only what is to be pasted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from shlex import quote
from typing import NamedTuple

from flakeledger.cli.granting import (
    Wanted,
    Way,
    default_owner,
    new_row,
    renewed_row,
    values_of,
    ways_to_freeze,
    window_ends,
)
from flakeledger.cli.ledger_edits import LedgerEdits, open_ledgers, policy_of, refuse_unreadable
from flakeledger.cli.pin import frozen_row
from flakeledger.cli.witnessed import GATE, Granted, granted
from flakeledger.model.errors import CannotTell
from flakeledger.model.fields import FREEZE_FIELDS, PROPERTY_FIELDS, FieldTable
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.model.records import Freeze, Property
from flakeledger.model.window import window_days
from flakeledger.model.wording import listed
from flakeledger.precommit.arguments import instant, now_of
from flakeledger.precommit.output import show
from flakeledger.repo.change import changed_fields
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository
from flakeledger.repo.situation import INDEX
from flakeledger.reporters.escape import escape_line
from flakeledger.rules.freeze_renewals import Predecessor
from flakeledger.rules.freezes import at, is_owner, shown
from flakeledger.rules.properties import existing_tests
from flakeledger.rules.rehearsal import Rehearsal, find_predecessor, rehearse

EXAMPLES = """\
  flakeledger freeze tests/test_orders.py::test_refund --reason "needs a clock"
  flakeledger freeze tests/test_orders.py::test_refund --property PROP-1 \\
      --owner "@finley" --reason "depends on the wall clock" --days 14
  flakeledger freeze tests/test_orders.py::test_refund --witness w.json \\
      --note note.json --reason "rounds by a random mirror"
  flakeledger freeze tests/test_orders.py::test_refund --renew
  flakeledger freeze tests/test_orders.py::test_refund --renew --print"""

#: what a long window needs and a short one does not
_EVIDENCE = frozenset(
    {
        *("replay-missing", "replay-wrong-env", "replay-stale", "replay-few-seeds"),
        *("freeze-unevidenced", "freeze-witness", "freeze-note"),
    }
)
_WITNESSED = ("freeze-witness", "freeze-note")
_UNPROTECTED = ("property-unprotected", "property-untested")
#: findings that only say again that the property or the test is not known
_CONSEQUENCES = ("missing-field", "freeze-no-property")
_MOST_DAYS = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    end = parser.add_mutually_exclusive_group()
    parser.add_argument("test", metavar="TEST", help="the id of exactly one test")
    parser.add_argument("--property", metavar="ID", help="what it protects (default: the one property that lists it)")
    parser.add_argument(
        "--owner",
        help='who answers for it: "@name" (default: that of a freeze that fell, or the one owner in CODEOWNERS)',
    )
    parser.add_argument("--reason", help="why the test is not trusted, in a few words")
    parser.add_argument(
        "--failure-class",
        choices=("environment", "invariant"),
        help="what fails (default: environment; an invariant that fails is a bug to fix)",
    )
    end.add_argument("--days", type=_days, metavar="N", help="how long (default: as the policy and the replays allow)")
    end.add_argument(
        "--expires", type=_field(FREEZE_FIELDS, "expires"), metavar="DATE", help="the last day, or the instant it ends"
    )
    parser.add_argument("--runner", help="where it holds and its replays run (default: the policy's default_runner)")
    parser.add_argument("--witness", metavar="FILE", help="the witness of the failure, at level witnessed")
    parser.add_argument("--note", metavar="FILE", help="what flakeledger gate --out wrote about that witness")
    parser.add_argument("--issue", metavar="URL", help="a link to a tracker")
    parser.add_argument(
        "--uncovered-until",
        type=_field(PROPERTY_FIELDS, "uncovered_until"),
        metavar="DATE",
        help="let the property stand without a live test until then, if this is its last one",
    )
    parser.add_argument("--renew", action="store_true", help="a fresh window for the row that stands")
    parser.add_argument("--print", action="store_true", help="print what would be written; write nothing")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="freeze at this time: 2026-10-11T00:00:00Z")


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DAYS and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days")
    return int(text)


def _field(table: FieldTable, name: str) -> Callable[[str], str]:
    """The type of an argument that is written into a field as it is."""
    complaint_of = table.by_name[name].kind.complaint

    def checked(text: str) -> str:
        complaint = complaint_of(text)
        if complaint:
            raise argparse.ArgumentTypeError(f"{text!r}: {complaint}")
        return text

    return checked


def run(arguments: argparse.Namespace) -> int:
    """Freeze: 0; 1 when the hooks would refuse it; CannotTell where something has to be said that was not."""
    now = now_of(arguments)
    if arguments.reason is None and not arguments.renew:
        raise CannotTell("why is the test not trusted?", '--reason "depends on the wall clock"')
    with open_ledgers(writes=not arguments.print) as (repository, right):
        attempt = _best_attempt(repository, arguments, now)
        if attempt.refusals:
            show(attempt.rehearsal.report("freeze", attempt.refusals, *attempt.notes, "nothing was written"), "text")
            return 1
        attempt.edits.write(right)
    if arguments.print:
        sys.stdout.write(_pasted(attempt))
    lines = [escape_line(line) for line in _done(attempt, arguments)]
    print(*lines, sep="\n", file=sys.stderr if arguments.print else sys.stdout)
    return 0


class Wish(NamedTuple):
    """The row that stands, the one that is wanted, what that is granted on; until when its property may lie bare."""

    standing: Freeze | None
    row: Freeze
    grant: Granted | None
    uncovered_until: str | None


class Attempt(NamedTuple):
    """A row, the edits that write it, what the hooks would say, and what else there is to say."""

    row: Freeze
    edits: LedgerEdits
    waived: str
    rehearsal: Rehearsal
    refusals: tuple[Finding, ...]
    notes: tuple[str, ...]


def _best_attempt(repository: Repository, arguments: argparse.Namespace, now: int) -> Attempt:
    """The first way in which the rules let the test be frozen; where none does, the first way with what they say."""
    ledger = repository.ledger(repository.tree(INDEX))
    policy_of(ledger)
    refuse_unreadable(ledger, (FREEZES, FIXTURES, PROPERTIES))
    grant = granted(ledger, arguments.test, arguments.witness, arguments.note)
    wanted = Wanted(
        test=arguments.test,
        reason=arguments.reason,
        owner=arguments.owner,
        property_id=arguments.property,
        runner=arguments.runner,
        failure_class=arguments.failure_class,
        days=arguments.days,
        expires=arguments.expires,
        issue=arguments.issue,
        witness=grant and grant.witness,
        note=grant and grant.note,
    )
    standing = _standing(ledger, wanted.test, arguments.renew)
    if standing is None:
        row = new_row(ledger, wanted, now)
        follows = _followed(repository, row, now)
        row = row._replace(owner=row.owner or default_owner(ledger, wanted.test, follows))
        ways = ways_to_freeze(ledger, wanted, follows, now)
    else:
        row = renewed_row(ledger, standing, wanted, now)
        ways = (Way(tuple(window_ends(ledger, wanted, now)), row.renewed),)
    refused: list[Attempt] = []
    for way in ways:
        attempt = _attempt_in(way, repository, Wish(standing, row, grant, arguments.uncovered_until), now)
        if not attempt.refusals:
            return attempt
        refused.append(attempt)
    return refused[0]


def _followed(repository: Repository, row: Freeze, now: int) -> Predecessor | None:
    """The freeze that a new row follows on."""
    edits = LedgerEdits(repository)
    edits.append_all(FREEZES, [values_of(row)])
    return find_predecessor(repository, edits.files, row, now)


def _attempt_in(way: Way, repository: Repository, wish: Wish, now: int) -> Attempt:
    """The longest window of a way; a shorter one where only evidence for it is missing."""
    lacking: list[str] = []
    unwitnessed: tuple[str, ...] = ()
    for end in way.ends:
        wished = wish._replace(row=wish.row._replace(expires=end, renewed=way.renewed))
        attempt = _attempt(repository, wished, now)
        if lacking and not attempt.refusals:
            short = f"the window is short, since a longer one needs evidence: {lacking[0]}"
            attempt = attempt._replace(notes=(*attempt.notes, short, *unwitnessed))
        lacking = [finding.message for finding in attempt.refusals if finding.rule in _EVIDENCE]
        lacks_witness = any(finding.rule in _WITNESSED for finding in attempt.refusals) and wish.grant is None
        unwitnessed = (f"for a witness: {GATE}, then freeze with --witness FILE --note note.json",) * lacks_witness
        if not lacking:
            break
    if not attempt.refusals:
        said = way.why
    else:
        said = way.advice if any(finding.rule == "freeze-renewed" for finding in attempt.refusals) else ""
    return attempt._replace(notes=(said, *attempt.notes)) if said else attempt


def _standing(ledger: Ledger, test: str, renews: bool) -> Freeze | None:
    """The row to renew. CannotTell when there is none, or one stands and a first freeze was asked for."""
    row = ledger.freeze_by_test.get(test)
    if row is None and renews and ledger.has_test(test):
        raise CannotTell(
            f"{FREEZES} has no row for {test}",
            f"flakeledger freeze {quote(test)} --reason TEXT   # it finds an earlier freeze, and counts the renewal",
        )
    if renews:
        return frozen_row(ledger, test)
    if row is not None:
        place = row.places.of()
        raise CannotTell(
            f"{test} is frozen already, until {row.expires or 'ever'}; {row.owner or 'nobody'} owns it",
            f"flakeledger freeze {quote(test)} --renew   # once it is about to expire, on evidence of a newer replay",
            f"{FREEZES}:{place.line}:{place.column}",
        )
    return None


def _attempt(repository: Repository, wish: Wish, now: int) -> Attempt:
    standing, row, grant, uncovered_until = wish
    ledger = repository.ledger(repository.tree(INDEX))
    edits = LedgerEdits(repository)
    values = values_of(row)
    if grant is not None:
        edits.put(grant.files)  # before the row that names them, also for whoever kills us between the two
    if standing is None:
        edits.append_all(FREEZES, [values])
    else:
        fields = changed_fields(standing, row)
        changes = {name: value for name, value in values.items() if name in fields}
        edits.change_all(FREEZES, {str(row.test): changes})
    found = ledger.property_by_id.get(row.property_id or "")
    notes: tuple[str, ...] = ()
    waived = ""
    if uncovered_until is not None and found is not None and found.id is not None:
        if _is_last_live(ledger, found, row.test):
            owner = found.owner if is_owner(found.owner) else row.owner
            waiver = {"uncovered_until": uncovered_until, "owner": str(owner)}
            edits.change_all(PROPERTIES, {found.id: waiver})
            waived = found.id
        else:
            notes = (f"--uncovered-until was left out: {found.id} has other live tests",)
    rehearsal = rehearse(repository, edits.files, now)
    refusals = (*_refusals(rehearsal, row, found), *_secrets(row, grant))
    if uncovered_until is None and any(finding.rule in _UNPROTECTED for finding in refusals):
        notes = (*notes, f"--uncovered-until DATE writes that into the row of {row.property_id}")
    return Attempt(row, edits, waived, rehearsal, refusals, notes)


def _is_last_live(ledger: Ledger, found: Property, test: str | None) -> bool:
    return all(listed == test or listed in ledger.freeze_by_test for listed in existing_tests(ledger, found))


def _refusals(rehearsal: Rehearsal, row: Freeze, found: Property | None) -> tuple[Finding, ...]:
    """What the hooks would refuse: what the edit adds, and what is wrong already with what the row is about."""
    fixtures = (found.fixtures or ()) if found is not None else ()
    refusals = rehearsal.refusals({name for name in (row.test, row.property_id, *fixtures) if name is not None})
    causes = [finding for finding in refusals if finding.rule not in _CONSEQUENCES]
    return tuple(causes or refusals)


def _secrets(row: Freeze, grant: Granted | None) -> Iterator[Finding]:
    """What looks like a secret in the files that would come into the ledger."""
    for field, found in ({} if grant is None else grant.secrets).items():
        if found:
            fix = "draw invented values and capture the failure again; if it is a real secret, have it replaced"
            message = f"the {'review ' * (field == 'note')}{field} of {shown(row)}: {found}"
            yield at(row, field, f"freeze-{field}", message, fix)


def _pasted(attempt: Attempt) -> str:
    """The rows as text. Two rows for two ledgers say where they belong."""
    row = attempt.edits.row_text(FREEZES, FREEZE_FIELDS.key, str(attempt.row.test))
    if not attempt.waived:
        return row
    waiver = attempt.edits.row_text(PROPERTIES, PROPERTY_FIELDS.key, attempt.waived)
    return f"# {FREEZES}\n{row}\n# {PROPERTIES}\n{waiver}"


def _done(attempt: Attempt, arguments: argparse.Namespace) -> Iterator[str]:
    row = attempt.row
    verb = "would freeze" if arguments.print else "renewed" if arguments.renew else "froze"
    days = window_days(row)
    yield (
        f"{verb} {row.test} until {row.expires} ({days} {'day' if days == 1 else 'days'} after today) "
        f"for {row.property_id}, owned by {row.owner}, on {row.runner_class or row.replay_env}"
    )
    if attempt.waived:
        yield f"{attempt.waived} may stand without a live test until {arguments.uncovered_until}"
    yield from (f"note: {note}" for note in attempt.notes)
    for finding in attempt.rehearsal.warnings({str(row.test)}):
        yield f"warning: {finding.rule}: {finding.message}"
    if not arguments.print:
        yield from attempt.edits.next_steps()
    elif arguments.witness is not None:
        yield f"with the row go {listed(path for path in attempt.edits.files if path not in (FREEZES, PROPERTIES))}"
