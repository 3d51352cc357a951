"""`flakeledger review`: the exit interview of every freeze on disk, the most urgent first.

Invariants:
* It judges nothing that a hook would refuse and changes nothing: a person applies a verdict.
* Rows go to standard output, one freeze a line; the counts follow on standard error, so that a pipe holds only rows.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from flakeledger.cli.interviewing import meant
from flakeledger.precommit.arguments import instant, now_of
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.reporters.columns import columns, terminal_width
from flakeledger.reporters.escape import escape_line
from flakeledger.reporters.frozen_rows import counts, json_head, json_row, summary, time_left
from flakeledger.reporters.json import dumped
from flakeledger.rules.interviews import Interview, counted, lower_rates, next_step, reason
from flakeledger.rules.overview import FrozenRow, overview
from flakeledger.verdicts.interview import DEPARTURES, TABLE

EXAMPLES = """\
  flakeledger review
  flakeledger review --explain tests/test_orders.py::test_partial_refund
  flakeledger review --now 2026-12-01T00:00:00Z --format json"""

VERSION = 1
_HEADINGS = ("verdict", "test", "owner", "left", "replay", "generators", "next")
_TABLE_HEADINGS = ("", "verdict", "what the tree and the ledger show", "may the row go now?")


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
        rows = overview(ledger, now)
        if arguments.explain is not None:
            named = meant([row.interview for row in rows], arguments.explain)
            rows = [row for row in rows if row.interview is named]
        _show(arguments, ledger, rows, now)
    return 0


def _show(arguments: argparse.Namespace, ledger: Ledger, rows: Sequence[FrozenRow], now: int) -> None:
    if arguments.format == "json":
        sys.stdout.write(_json_text(ledger, rows, now, explain=arguments.explain is not None))
    elif arguments.explain is not None:
        sys.stdout.write(_explanation(rows[0]))
    else:
        sys.stdout.write(columns(_HEADINGS, [_cells(row) for row in rows], terminal_width(sys.stdout)))
        sys.stdout.flush()
        sys.stderr.write(escape_line(summary(ledger, rows, now)) + "\n")


def _cells(row: FrozenRow) -> tuple[str, ...]:
    one = row.interview
    replay = "none" if one.newest is None else counted(one.newest)
    return (
        one.verdict.name,
        one.freeze.test or "",
        one.freeze.owner or "nobody",
        time_left(row),
        replay,
        row.generators,
        next_step(one),
    )


def _steps(found: Interview) -> list[tuple[str, str, str, str]]:
    """The lines of the table: down to the one that applies they were asked, below it they were not."""
    decisive = TABLE.index(found.verdict)
    answers = ["no"] * decisive + ["applies"] + ["not asked"] * (len(TABLE) - decisive - 1)
    return [
        (answer, verdict.name, verdict.shows, DEPARTURES[verdict.departure])
        for answer, verdict in zip(answers, TABLE, strict=True)
    ]


def _explanation(row: FrozenRow) -> str:
    one = row.interview
    lines = (
        f"{one.freeze.test}: {one.verdict.name}: {reason(one)}",
        *filter(None, [lower_rates(one.newest)]),
        f"the row may go now: {'yes' if one.may_go else 'no'}",
        f"next: {next_step(one)}",
    )
    table = columns(_TABLE_HEADINGS, _steps(one), terminal_width(sys.stdout))
    return table + "".join(f"{escape_line(line)}\n" for line in lines)


def _json_text(ledger: Ledger, rows: Sequence[FrozenRow], now: int, *, explain: bool) -> str:
    """`version`, `judged`, `now`, `counts` (verdict to number) and `freezes`, in the order of the text."""
    value = {
        **json_head(VERSION, ledger, now),
        "counts": counts(rows),
        "freezes": [_json_row(row) | ({"table": _json_table(row.interview)} if explain else {}) for row in rows],
    }
    return dumped(value)


def _json_row(row: FrozenRow) -> dict[str, object]:
    return json_row(row) | {"line": row.interview.freeze.places.line}


def _json_table(found: Interview) -> list[dict[str, str]]:
    names = ("answer", "verdict", "shows", "may_go")
    return [dict(zip(names, step, strict=True)) for step in _steps(found)]
