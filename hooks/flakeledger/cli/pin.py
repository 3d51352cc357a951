"""`flakeledger pin`: fills the pins, and the runner class, that rows of freezes do not hold.

Invariants:
* What a row says stays; only what is absent is written, as the files on disk have it.
* A row is pinned wholly or not at all, and none is when one of those that are meant cannot be.
* Nothing is written that the hooks would refuse.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from shlex import quote

from flakeledger.cli.granting import pinned_row, values_of
from flakeledger.cli.ledger_edits import LedgerEdits, OpenLedgers, open_ledgers, policy_of, refuse_unreadable
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.model.records import Freeze
from flakeledger.precommit.arguments import instant, now_of
from flakeledger.precommit.output import show
from flakeledger.repo.change import changed_fields
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.situation import INDEX
from flakeledger.reporters.escape import escape_line
from flakeledger.rules.rehearsal import rehearse
from flakeledger.store.editor import NewValue

EXAMPLES = """\
  flakeledger pin tests/test_orders.py::test_refund
  flakeledger pin --all"""

#: what keeps a pin from being told
_UNTOLD = frozenset(
    {
        *("freeze-no-property", "freeze-unknown-property", "freeze-dangling"),
        *("property-no-fixture", "property-unknown-fixture"),
        *("fixture-missing", "fixture-not-a-file", "fixture-contract"),
    }
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("tests", nargs="*", metavar="TEST", help="frozen tests")
    parser.add_argument("--all", action="store_true", help="every row that lacks a pin")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="judge at this time: 2026-10-11T00:00:00Z")


def run(arguments: argparse.Namespace) -> int:
    """Pin: 0; 1 when a pin cannot be told or the hooks would refuse it; CannotTell for a test that is not frozen."""
    if bool(arguments.tests) == arguments.all:
        raise CannotTell("which rows are meant?", "flakeledger pin TEST…, or flakeledger pin --all")
    now = now_of(arguments)
    with open_ledgers(writes=True) as ledgers:
        return _pin(ledgers, list(dict.fromkeys(arguments.tests)), now)


def _pin(ledgers: OpenLedgers, tests: Sequence[str], now: int) -> int:
    repository = ledgers.repository
    ledger = repository.ledger(repository.tree(INDEX))
    policy_of(ledger)
    refuse_unreadable(ledger, (FREEZES, FIXTURES, PROPERTIES))
    rows = [frozen_row(ledger, test) for test in tests] or [row for row in ledger.freezes if row.test is not None]
    pairs = [(row, pinned_row(ledger, row)) for row in rows]
    edits = LedgerEdits(repository)
    changes = {str(before.test): _filled(before, after) for before, after in pairs if before != after}
    if changes:
        edits.change_all(FREEZES, changes)
    rehearsal = rehearse(repository, edits.files, now)
    subjects = {name for row in rows for name in _subjects(ledger, row)}
    untold = [finding for finding in rehearsal.after if finding.rule in _UNTOLD and finding.subject in subjects]
    refused = sorted({*rehearsal.refusals(), *untold})
    if refused:
        show(rehearsal.report("pin", refused, "nothing was written"), "text")
        return 1
    edits.write(ledgers.right)
    lines = [*_done(pairs), *edits.next_steps()]
    sys.stdout.writelines(f"{escape_line(line)}\n" for line in lines)
    return 0


def frozen_row(ledger: Ledger, test: str) -> Freeze:
    """The row of a frozen test. CannotTell, with the nearest, when it is not frozen."""
    row = ledger.freeze_by_test.get(test)
    if row is None:
        near = next(iter(get_close_matches(test, ledger.freeze_by_test, n=1)), None)
        fix = f"did you mean {near}?" if near else f"flakeledger freeze {quote(test)}"
        raise CannotTell(f"{FREEZES} has no row for {test}", fix)
    return row


def _subjects(ledger: Ledger, row: Freeze) -> Iterator[str]:
    """What findings about the row's pins are about: its test, its property, its fixtures."""
    found = ledger.property_by_id.get(row.property_id or "")
    yield from filter(None, (row.test, row.property_id))
    yield from (found.fixtures or ()) if found is not None else ()


def _filled(before: Freeze, after: Freeze) -> dict[str, NewValue]:
    fields = changed_fields(before, after)
    return {name: value for name, value in values_of(after).items() if name in fields}


def _done(pairs: Sequence[tuple[Freeze, Freeze]]) -> Iterator[str]:
    for before, after in pairs:
        if before != after:
            yield f"pinned {before.test}: {', '.join(_filled(before, after))}"
    if all(before == after for before, after in pairs):
        yield f"nothing to do: {len(pairs)} {'row holds its' if len(pairs) == 1 else 'rows hold their'} pins"
