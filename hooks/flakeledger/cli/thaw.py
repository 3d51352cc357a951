"""`flakeledger thaw`: removes the rows of freezes that the exit interview lets go.

Invariants:
* The decision table decides and nothing overrides it. One test that may not go, and nothing is written.
* Comments that are not a row's own stay, and so does every other byte (`store/editor.py` sees to it).
* What is written says on which count it rests, with its bound.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from flakeledger.cli.interviewing import meant_of
from flakeledger.cli.ledger_edits import LedgerEdits, open_ledgers
from flakeledger.model.clock import format_instant
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.model.report import Report
from flakeledger.precommit.arguments import instant, now_of
from flakeledger.precommit.output import show
from flakeledger.repo.situation import INDEX
from flakeledger.reporters.escape import escape_line
from flakeledger.rules.freezes import at, named
from flakeledger.rules.interviews import Interview, interviews, lower_rates, next_step, reason

EXAMPLES = """\
  flakeledger thaw tests/test_orders.py::test_partial_refund
  flakeledger thaw "tests/test_orders.py::test_rate[EUR]" \\
      tests/test_orders.py::test_total"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("tests", nargs="+", metavar="TEST", help="the id of a frozen test, as its row has it")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="judge at this time: 2026-10-11T00:00:00Z")


def run(arguments: argparse.Namespace) -> int:
    """Remove the rows: 0, or 1 when one of them may not go; CannotTell when that cannot be told or written."""
    now = now_of(arguments)
    with open_ledgers(writes=True) as (repository, right):
        ledger = repository.ledger(repository.tree(INDEX))
        found = interviews(ledger, now)
        chosen = meant_of(found, dict.fromkeys(arguments.tests))
        refused = [_refusal(one) for one in chosen if not one.may_go]
        if refused:
            judged = (ledger.counts(), ledger.tree.label, "", format_instant(now), ("nothing was written",))
            show(Report("thaw", tuple(sorted(refused)), *judged), "text")
            return 1
        edits = LedgerEdits(repository)
        edits.remove_all(FREEZES, [one.freeze.test or "" for one in chosen])
        edits.write(right)
        sys.stdout.writelines(f"{escape_line(line)}\n" for line in (*_done(chosen), *edits.next_steps()))
    return 0


def _refusal(found: Interview) -> Finding:
    message = f"the freeze of {found.freeze.test} may not go: {reason(found)}: `{found.verdict.name}`"
    why = f"flakeledger review --explain {named(found.freeze)}"
    fix = f"{next_step(found)}; once it has expired, it may go   # why: {why}"
    return at(found.freeze, "", "thaw-unearned", message, fix)


def _done(chosen: Sequence[Interview]) -> Iterator[str]:
    for one in chosen:
        yield f"thawed {one.freeze.test}, which {one.freeze.owner or 'nobody'} owned: {_why(one)}"
        lower = lower_rates(one.newest) if one.verdict.name == "thaw" else ""
        if lower:
            yield f"    {lower}"


def _why(found: Interview) -> str:
    """The verdict and its reason; an expired row goes whatever the verdict is."""
    expired = f"expired {found.freeze.expires}; " if found.facts.is_expired else ""
    return f"{expired}`{found.verdict.name}`: {reason(found)}"
