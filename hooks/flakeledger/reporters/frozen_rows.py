"""Frozen rows as every command and the page tell them: the same words, the same keys and the same summary.

Invariants:
* Values of rows come out as the ledger holds them, unescaped: whoever prints them escapes for the format.
* What is not known is None in a value and a word in a text, never a number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from flakeledger.model.clock import format_instant
from flakeledger.model.window import days_left
from flakeledger.repo.ledger import Ledger
from flakeledger.reporters.escape import escape_surrogates
from flakeledger.rules.interviews import next_step, reason
from flakeledger.rules.overview import FrozenRow
from flakeledger.verdicts.interview import TABLE


def days(number: int) -> str:
    """So many days, in words."""
    return "1 day" if number == 1 else f"{number} days"


def time_left(row: FrozenRow, words: Callable[[int], str] = days_left) -> str:
    """How long the window is still open, as the rules say it; `words` says a number of days."""
    if row.interview.facts.is_expired:
        return "expired"
    return "no end" if row.days_left is None else words(row.days_left)


def with_left(number: int) -> str:
    """So many days that a window is still open, where no heading says what they are."""
    return f"{days_left(number)} left"


def counts(rows: Sequence[FrozenRow]) -> dict[str, int]:
    """How many rows each verdict has, in the order of the decision table."""
    found = Counter(row.interview.verdict.name for row in rows)
    return {verdict.name: found[verdict.name] for verdict in TABLE}


def summary(ledger: Ledger, rows: Sequence[FrozenRow], now: int) -> str:
    """The summary line, without a newline: how many are shown, of how many, by verdict; what was judged, and when."""
    verdicts = ", ".join(f"{count} {name}" for name, count in counts(rows).items() if count)
    total = len(ledger.freezes)
    shown = f"{len(rows)} of {total}" if len(rows) < total else str(total)
    number = f"{shown} {'freeze' if total == 1 else 'freezes'}"
    return f"{number}{': ' if verdicts else ''}{verdicts}; judged: {ledger.tree.label}; now: {format_instant(now)}"


def json_head(version: int, ledger: Ledger, now: int) -> dict[str, object]:
    """What every command's object of frozen rows begins with: the version of its form, what was judged, and when."""
    return {"version": version, "judged": escape_surrogates(ledger.tree.label), "now": format_instant(now)}


def json_row(row: FrozenRow) -> dict[str, object]:
    """A row for programs; `docs/formats.md` says what the keys mean."""
    one = row.interview
    freeze = one.freeze
    return {
        "test": freeze.test,
        "owner": freeze.owner,
        "property_id": freeze.property_id,
        "expires": freeze.expires,
        "expired": one.facts.is_expired,
        "days_left": row.days_left,
        "verdict": one.verdict.name,
        "reason": reason(one),
        "may_go": one.may_go,
        "generators": row.generators,
        "next": next_step(one),
        "replay": json_replay(row),
    }


def json_replay(row: FrozenRow) -> dict[str, object] | None:
    """The replay that judges a row, with the bound that it gives; None without one."""
    newest, bound = row.interview.newest, row.bound
    if newest is None or bound is None:
        return None
    return {
        "run_at": newest.run_at,
        "env": newest.env,
        "passed": newest.passed,
        "total": newest.total,
        "rate_at_most": round(bound, 6),
    }
