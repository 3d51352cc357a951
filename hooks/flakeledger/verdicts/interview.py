"""The exit interview (decision table 3): what must happen to this frozen test, and may its row go now?

Invariants:
* The table is here and nowhere else: rules and commands ask `decide`, the documentation is printed from it.
* From top to bottom the first line that applies decides, and the last one always applies.
* An expired row may always go: unfreeze or re-justify.
* Pure: what is known comes in as `Facts`. Whoever applies a verdict is a person.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

VerdictName = Literal[
    "gone", "void", "withdraw", "delete_first", "replay", "fix", "delete_test", "bind_property", "thaw"
]
Departure = Literal["yes", "once_expired", "with_its_test_or_once_expired"]
#: the newest replay from the freeze's `replay_env`: what it lacks as evidence, else what it shows
Evidence = Literal[
    "missing", "before_the_freeze", "too_old", "too_few_seeds", "incomplete", "all_failed", "some_failed", "green"
]
#: what the newest replay can be that shows something
CONCLUSIVE: tuple[Evidence, ...] = ("all_failed", "some_failed", "green")


class Facts(NamedTuple):
    """What the tree and the ledger show of a frozen test."""

    test_is_gone: bool
    #: some pin differs from the tree
    is_void: bool
    #: younger than the policy's `unproven_days`
    is_young: bool
    has_owner: bool
    is_expired: bool
    #: since it was frozen, on any runner
    was_replayed: bool
    newest_replay: Evidence
    #: the property has a statement and a fixture
    property_is_bound: bool


class Verdict(NamedTuple):
    """A line of the table. `advice` and `next_step` are for people; in the latter, `{…}` stands for what is known."""

    name: VerdictName
    #: what the tree and the ledger show, as printed
    shows: str
    advice: str
    departure: Departure
    next_step: str
    applies: Callable[[Facts], bool]

    def may_go(self, facts: Facts) -> bool:
        """Whether the row may be removed now."""
        return self.departure == "yes" or facts.is_expired


TABLE: tuple[Verdict, ...] = (
    Verdict(
        "gone",
        "its test is gone",
        "",
        "yes",
        "{thaw}",
        lambda facts: facts.test_is_gone,
    ),
    Verdict(
        "void",
        "a pin differs from the tree",
        "lock, replay, decide again",
        "yes",
        "{thaw}; then lock what changed, replay the test, and decide again",
        lambda facts: facts.is_void,
    ),
    Verdict(
        "withdraw",
        "it is younger than `unproven_days`",
        "replay it, or take it back",
        "yes",
        "{replay}, or take the freeze back: {thaw}",
        lambda facts: facts.is_young,
    ),
    Verdict(
        "delete_first",
        "nobody owns it, or it is expired and was never replayed since it was frozen",
        "",
        "yes",
        "{thaw}",
        lambda facts: not facts.has_owner or (facts.is_expired and not facts.was_replayed),
    ),
    Verdict(
        "replay",
        "the newest replay from `replay_env` is missing, older than the freeze, too old, incomplete, "
        "or has too few seeds",
        "",
        "once_expired",
        "{replay}",
        lambda facts: facts.newest_replay not in CONCLUSIVE,
    ),
    Verdict(
        "fix",
        "that replay passed nothing",
        "it is broken, not flaky; the freeze hides a bug",
        "yes",
        "mend the product or the test, and {thaw}",
        lambda facts: facts.newest_replay == "all_failed",
    ),
    Verdict(
        "delete_test",
        "that replay failed some",
        "it is noise plus a habit of clicking retry; the property stays and needs another test",
        "with_its_test_or_once_expired",
        "delete the test together with its row, and give {property} another one",
        lambda facts: facts.newest_replay == "some_failed",
    ),
    Verdict(
        "bind_property",
        "that replay is green, but the property has no statement or no fixture",
        "",
        "once_expired",
        "give {property} a statement and a fixture",
        lambda facts: not facts.property_is_bound,
    ),
    Verdict(
        "thaw",
        "that replay is green",
        "",
        "yes",
        "{thaw}",
        lambda _facts: True,
    ),
)

DEPARTURES: dict[Departure, str] = {
    "yes": "yes",
    "once_expired": "once expired",
    "with_its_test_or_once_expired": "with its test, or once expired",
}


def decide(facts: Facts) -> Verdict:
    """The first line of the table that applies."""
    return next(verdict for verdict in TABLE if verdict.applies(facts))


def table_markdown() -> str:
    """The table as the documentation shows it, ending in a newline."""
    lines = ["| what the tree and the ledger show | verdict | may the row go now? |", "|---|---|---|"]
    for verdict in TABLE:
        advice = f": {verdict.advice}" if verdict.advice else ""
        lines.append(f"| {verdict.shows} | `{verdict.name}`{advice} | {DEPARTURES[verdict.departure]} |")
    return "\n".join(lines) + "\n"
