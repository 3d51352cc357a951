"""`flakeledger remind`: who must act in the next days, owner by owner, as a list that mails are made of.

Invariants:
* It sends nothing and changes nothing: whoever reads the list writes the mails.
* Every row that ends within the days stands below exactly one owner, expired rows and rows without an end included;
  rows that name nobody stand below null, first of all.
* An address is an owner that is an e-mail address; none is looked up or guessed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from flakeledger.precommit.arguments import instant, now_of, number_up_to
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.reporters.escape import escape_line
from flakeledger.reporters.frozen_rows import days, json_head, json_row, summary, time_left, with_left
from flakeledger.reporters.json import dumped
from flakeledger.rules.interviews import next_step, readable_policy, reason
from flakeledger.rules.overview import FrozenRow, overview, owner_key

EXAMPLES = """\
  flakeledger remind
  flakeledger remind --days 14 --format json"""

VERSION = 1
_MOST_DAYS = 99_999


class Reminder(NamedTuple):
    """An owner and the rows that wait for them. `owner` is None for rows that name nobody."""

    owner: str | None
    rows: list[FrozenRow]

    @property
    def address(self) -> str | None:
        """Where a mail goes, when the owner is an address."""
        return None if self.owner is None or self.owner.startswith("@") else self.owner


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--days",
        type=number_up_to(_MOST_DAYS),
        metavar="N",
        help="rows that end within N days, or never (default: the policy's warn_days)",
    )
    parser.add_argument("--format", choices=["json", "text"], default="text", help="how to print (default: text)")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="judge at this time: 2026-10-11T00:00:00Z")


def run(arguments: argparse.Namespace) -> int:
    """Print who must act: 0; CannotTell when a ledger or the policy cannot be read."""
    now = now_of(arguments)
    with open_repository(os.curdir, os.environ, from_disk=True) as repository:
        ledger = repository.ledger(repository.tree(INDEX))
        limit = readable_policy(ledger).limits.warn_days if arguments.days is None else arguments.days
        rows = [row for row in overview(ledger, now) if row.ends_within(limit, now)]
        reminders = by_owner(rows)
        if arguments.format == "json":
            sys.stdout.write(_json_text(ledger, reminders, limit, now))
        else:
            sys.stdout.write("\n".join(map(_text, reminders)))
            sys.stdout.flush()
            sys.stderr.write(escape_line(f"ending within {days(limit)}: {summary(ledger, rows, now)}") + "\n")
    return 0


def by_owner(rows: Sequence[FrozenRow]) -> list[Reminder]:
    """The rows owner by owner; whoever has the row that comes first is first, but nobody before all others.

    One owner in several spellings is one, in the spelling that comes first.
    """
    found: dict[str, Reminder] = {}
    for row in rows:
        owner = row.interview.freeze.owner
        key = owner_key(owner)
        found.setdefault(key, Reminder(owner if key else None, [])).rows.append(row)
    return sorted(found.values(), key=lambda reminder: reminder.owner is not None)


def _text(reminder: Reminder) -> str:
    number = len(reminder.rows)
    head = f"{reminder.owner or 'nobody'}: {number} frozen {'test' if number == 1 else 'tests'}"
    lines = (head, *(line for row in reminder.rows for line in _lines(row)))
    return "".join(f"{escape_line(line)}\n" for line in lines)


def _lines(row: FrozenRow) -> tuple[str, ...]:
    one = row.interview
    left = time_left(row, with_left)
    end = f" (expires: {one.freeze.expires})" if one.end is not None else ""
    return (
        f"  {one.freeze.test}",
        f"    {left}{end}; {one.verdict.name}: {reason(one)}",
        f"    next: {next_step(one)}",
    )


def _json_text(ledger: Ledger, reminders: Sequence[Reminder], limit: int, now: int) -> str:
    """One object; `docs/formats.md` says what the keys mean."""
    value = {
        **json_head(VERSION, ledger, now),
        "days": limit,
        "owners": [
            {"owner": one.owner, "address": one.address, "freezes": [json_row(row) for row in one.rows]}
            for one in reminders
        ],
    }
    return dumped(value)
