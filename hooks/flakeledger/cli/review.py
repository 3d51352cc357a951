"""`flakeledger review`: the exit interview of every freeze on disk, the most urgent first.

Invariants:
* It judges nothing that a hook would refuse and changes nothing: a person applies a verdict.
* Rows go to standard output, one freeze a line; the counts follow on standard error, so that a pipe holds only rows.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from flakeledger.cli.interviewing import interviews, meant
from flakeledger.model.clock import DAY, format_instant
from flakeledger.precommit.arguments import instant, now_of
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.reporters.columns import columns
from flakeledger.reporters.escape import escape_line, escape_surrogates
from flakeledger.reporters.json import dumped
from flakeledger.rules.interviews import Interview, counted, lower_rates, next_step, reason
from flakeledger.verdicts.interview import DEPARTURES, TABLE
from flakeledger.verdicts.rates import upper_bound

EXAMPLES = """\
  flakeledger review
  flakeledger review --explain tests/test_orders.py::test_partial_refund
  flakeledger review --now 2026-12-01T00:00:00Z --format json"""

VERSION = 1
_HEADINGS = ("verdict", "test", "owner", "left", "replay", "generators", "next")
_TABLE_HEADINGS = ("", "verdict", "what the tree and the ledger show", "may the row go now?")


class Reviewed(NamedTuple):
    """A freeze with its interview, and what stands beside it in a review."""

    interview: Interview
    #: None for a row without an end
    days_left: int | None
    generators: str
    next_step: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--explain", metavar="TEST", help="show each line of the decision table for one frozen test")
    parser.add_argument("--format", choices=["json", "text"], default="text", help="how to print (default: text)")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="judge at this time: 2026-10-11T00:00:00Z")


def run(arguments: argparse.Namespace) -> int:
    """Print the interviews: 0; CannotTell when a ledger or the policy cannot be read, or TEST is not frozen."""
    now = now_of(arguments)
    with open_repository(os.curdir, os.environ, from_disk=True) as repository:
        ledger = repository.ledger(repository.tree(INDEX))
        found = interviews(ledger, now)
        if arguments.explain is not None:
            found = [meant(found, arguments.explain)]
        rows = [reviewed(ledger, one, now) for one in found]
        _show(arguments, ledger, rows, now)
    return 0


def _show(arguments: argparse.Namespace, ledger: Ledger, rows: Sequence[Reviewed], now: int) -> None:
    if arguments.format == "json":
        sys.stdout.write(_json_text(ledger, rows, now, explain=arguments.explain is not None))
    elif arguments.explain is not None:
        sys.stdout.write(_explanation(rows[0]))
    else:
        sys.stdout.write(columns(_HEADINGS, [_cells(row) for row in rows], aligned=sys.stdout.isatty()))
        sys.stdout.flush()
        sys.stderr.write(escape_line(_summary(ledger, rows, now)) + "\n")


def reviewed(ledger: Ledger, found: Interview, now: int) -> Reviewed:
    """What stands beside an interview."""
    days = None if found.end is None else max(-(-(found.end - now) // DAY), 0)
    return Reviewed(found, days, _generators(ledger, found), next_step(found))


def _generators(ledger: Ledger, found: Interview) -> str:
    pinned = found.freeze.generator_hash
    if pinned is None:
        return "not pinned"
    return "unchanged" if ledger.generator_digest(found.freeze.property_id) == pinned else "changed"


def _cells(row: Reviewed) -> tuple[str, ...]:
    one = row.interview
    replay = "none" if one.newest is None else counted(one.newest)
    return (
        one.verdict.name,
        one.freeze.test or "",
        one.freeze.owner or "nobody",
        _left(row),
        replay,
        row.generators,
        row.next_step,
    )


def _left(row: Reviewed) -> str:
    if row.interview.facts.is_expired:
        return "expired"
    return "no end" if row.days_left is None else "1 day" if row.days_left == 1 else f"{row.days_left} days"


def _summary(ledger: Ledger, rows: Sequence[Reviewed], now: int) -> str:
    counts = ", ".join(f"{count} {name}" for name, count in _counts(rows).items() if count)
    number = f"{len(rows)} {'freeze' if len(rows) == 1 else 'freezes'}"
    return f"{number}{': ' if counts else ''}{counts}; judged: {ledger.tree.label}; now: {format_instant(now)}"


def _counts(rows: Sequence[Reviewed]) -> dict[str, int]:
    found = Counter(row.interview.verdict.name for row in rows)
    return {verdict.name: found[verdict.name] for verdict in TABLE}


def _steps(found: Interview) -> list[tuple[str, str, str, str]]:
    """The lines of the table: down to the one that applies they were asked, below it they were not."""
    decisive = TABLE.index(found.verdict)
    answers = ["no"] * decisive + ["applies"] + ["not asked"] * (len(TABLE) - decisive - 1)
    return [
        (answer, verdict.name, verdict.shows, DEPARTURES[verdict.departure])
        for answer, verdict in zip(answers, TABLE, strict=True)
    ]


def _explanation(row: Reviewed) -> str:
    one = row.interview
    lines = (
        f"{one.freeze.test}: {one.verdict.name}: {reason(one)}",
        *filter(None, [lower_rates(one.newest)]),
        f"the row may go now: {'yes' if one.may_go else 'no'}",
        f"next: {row.next_step}",
    )
    table = columns(_TABLE_HEADINGS, _steps(one), aligned=sys.stdout.isatty())
    return table + "".join(f"{escape_line(line)}\n" for line in lines)


def _json_text(ledger: Ledger, rows: Sequence[Reviewed], now: int, *, explain: bool) -> str:
    """`version`, `judged`, `now`, `counts` (verdict to number) and `freezes`, in the order of the text."""
    value = {
        "version": VERSION,
        "judged": escape_surrogates(ledger.tree.label),
        "now": format_instant(now),
        "counts": _counts(rows),
        "freezes": [_json_row(row) | ({"table": _json_table(row.interview)} if explain else {}) for row in rows],
    }
    return dumped(value)


def _json_row(row: Reviewed) -> dict[str, object]:
    one = row.interview
    freeze, newest = one.freeze, one.newest
    return {
        "test": freeze.test,
        "line": freeze.places.line,
        "owner": freeze.owner,
        "property_id": freeze.property_id,
        "expires": freeze.expires,
        "expired": one.facts.is_expired,
        "days_left": row.days_left,
        "verdict": one.verdict.name,
        "reason": reason(one),
        "may_go": one.may_go,
        "generators": row.generators,
        "next": row.next_step,
        "replay": None
        if newest is None
        else {
            "run_at": newest.run_at,
            "env": newest.env,
            "passed": newest.passed,
            "total": newest.total,
            "rate_at_most": round(upper_bound(newest.total - newest.passed, newest.total), 6) if newest.total else 1.0,
        },
    }


def _json_table(found: Interview) -> list[dict[str, str]]:
    names = ("answer", "verdict", "shows", "may_go")
    return [dict(zip(names, step, strict=True)) for step in _steps(found)]
