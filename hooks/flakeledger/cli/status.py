"""`flakeledger status`: what is frozen, who owns it, how long it stands and what must happen, as a table.

Invariants:
* It judges nothing that a hook would refuse and changes nothing.
* Rows go to standard output, the counts follow on standard error, so that a pipe holds only rows.
* A filter takes rows away and never adds or changes one; a row without an end passes `--expiring`: it must not be
  forgotten, and no day ends it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from shutil import get_terminal_size

from flakeledger.cli.identity import ME, me
from flakeledger.model.errors import CannotTell
from flakeledger.precommit.arguments import instant, now_of, number_up_to, wants_colour
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.owners import may_own
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.reporters import status_table
from flakeledger.reporters.escape import escape_line
from flakeledger.reporters.frozen_rows import counts, json_head, json_row, summary
from flakeledger.reporters.json import dumped
from flakeledger.rules.freezes import is_owner
from flakeledger.rules.interviews import next_step
from flakeledger.rules.overview import FrozenRow, overview
from flakeledger.store.git import Git
from flakeledger.verdicts.interview import TABLE

EXAMPLES = """\
  flakeledger status
  flakeledger status --owner @me --expiring 7
  flakeledger status --verdict thaw --format json
  flakeledger status --format csv > frozen.csv"""

VERSION = 1
_MOST_DAYS = 99_999
_CSV_HEADINGS = (
    *("test", "property_id", "owner", "frozen_on", "expires", "age_days", "days_left", "window_days"),
    *("run_at", "passed", "total", "rate_at_most", "verdict", "may_go", "next"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--owner", help=f"only rows of this owner; {ME}: whoever git's configuration says you are")
    parser.add_argument(
        "--expiring", type=number_up_to(_MOST_DAYS), metavar="N", help="only rows that end within N days, or never"
    )
    names = [verdict.name for verdict in TABLE]
    parser.add_argument(
        "--verdict", choices=names, metavar="NAME", help=f"only rows with this verdict: {', '.join(names)}"
    )
    parser.add_argument("--format", choices=sorted(FORMATS), default="text", help="how to print (default: text)")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="judge at this time: 2026-10-11T00:00:00Z")


def run(arguments: argparse.Namespace) -> int:
    """Print the rows: 0; CannotTell when a ledger or the policy cannot be read, or nobody knows who @me is."""
    now = now_of(arguments)
    with open_repository(os.curdir, os.environ, from_disk=True) as repository:
        owners = _wanted_owners(arguments.owner, repository.git)
        ledger = repository.ledger(repository.tree(INDEX))
        rows = [row for row in overview(ledger, now) if _is_wanted(row, owners, arguments, now)]
        sys.stdout.write(FORMATS[arguments.format](ledger, rows, now))
        sys.stdout.flush()
        if arguments.format == "text":
            sys.stderr.write(escape_line(summary(ledger, rows, now)) + "\n")
    return 0


def _wanted_owners(asked: str | None, git: Git) -> tuple[str, ...] | None:
    """The owners that are asked for; None for everybody."""
    if asked is None:
        return None
    if asked == ME:
        return me(git)
    if not is_owner(asked):
        raise CannotTell(f"`{asked}` is no owner", 'name one as the ledger does: --owner "@name", or an address')
    return (asked,)


def _is_wanted(row: FrozenRow, owners: Sequence[str] | None, arguments: argparse.Namespace, now: int) -> bool:
    one = row.interview
    return (
        (owners is None or may_own(one.freeze.owner, owners))
        and (arguments.expiring is None or row.ends_within(arguments.expiring, now))
        and arguments.verdict in (None, one.verdict.name)
    )


def _text(_ledger: Ledger, rows: Sequence[FrozenRow], _now: int) -> str:
    if not sys.stdout.isatty():
        return status_table.for_pipe(rows)
    terminal = status_table.Terminal(get_terminal_size().columns, sys.stdout.encoding, wants_colour(os.environ))
    return status_table.for_terminal(rows, terminal)


def _markdown(_ledger: Ledger, rows: Sequence[FrozenRow], _now: int) -> str:
    from flakeledger.reporters.markdown import code, table_row

    headings = status_table.HEADINGS
    lines = [headings, ["---"] * len(headings), *([code(cell) for cell in status_table.cells(row)] for row in rows)]
    return "".join(map(table_row, lines))


def _csv(_ledger: Ledger, rows: Sequence[FrozenRow], _now: int) -> str:
    from flakeledger.reporters.spreadsheet import csv_text

    return csv_text(_CSV_HEADINGS, map(_csv_row, rows))


def _csv_row(row: FrozenRow) -> tuple[str | int | float | None, ...]:
    one = row.interview
    freeze, newest = one.freeze, one.newest
    return (
        *(freeze.test, freeze.property_id, freeze.owner, freeze.frozen_on, freeze.expires),
        *(row.age_days, row.days_left, row.window_days),
        *((None, None, None) if newest is None else (newest.run_at, newest.passed, newest.total)),
        None if row.bound is None else round(row.bound, 6),
        *(one.verdict.name, "yes" if one.may_go else "no", next_step(one)),
    )


def _json(ledger: Ledger, rows: Sequence[FrozenRow], now: int) -> str:
    """One object; `docs/formats.md` says what the keys mean."""
    value = {
        **json_head(VERSION, ledger, now),
        "total": len(ledger.freezes),
        "counts": counts(rows),
        "freezes": [json_row(row) | _window(row) for row in rows],
    }
    return dumped(value)


def _window(row: FrozenRow) -> dict[str, object]:
    """What a status says of a window beyond what a review says."""
    return {"frozen_on": row.interview.freeze.frozen_on, "age_days": row.age_days, "window_days": row.window_days}


FORMATS: dict[str, Callable[[Ledger, Sequence[FrozenRow], int], str]] = {
    "csv": _csv,
    "json": _json,
    "markdown": _markdown,
    "text": _text,
}
