"""The change rule about the evidence of a new freeze.

Invariants:
* A row that this branch itself added and edits counts as added.
* The policy that judges the change says how long a window may stand without a replay, and how old the replay may be.
* A replay that was fresh when the row was pushed grows older: a scheduled run, which meets the change again, warns.
* A freeze of a test that never failed is a warning with the bound: the failure may be too rare to see.
"""

from __future__ import annotations

from collections.abc import Iterator

from flakeledger.model.clock import DAY
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import NOTES
from flakeledger.model.records import Freeze
from flakeledger.model.window import window_days
from flakeledger.repo.change import Change
from flakeledger.rules.freeze_changes import granted
from flakeledger.rules.freeze_evidence import replay_command
from flakeledger.rules.freezes import at, named


def freeze_unevidenced(change: Change, now: int) -> Iterator[Finding]:
    """A row is added without fresh evidence, although its window is too long to stand without; or nothing failed."""
    limits = change.policy.limits
    for row in granted(change):
        newest = change.new.newest_replay(row)
        days = window_days(row)
        if days is not None and days > limits.unproven_days:
            oldest = now - limits.max_replay_age_days * DAY
            if newest is None or newest.at < oldest:
                aged = newest is not None and change.is_seen_again
                yield _unreplayed(change, row)._replace(level="warning" if aged else "error")
            if _needs_note(change, row) and not _is_eligible(change, row.note):
                yield _unnoted(row)
        if newest is not None and newest.total and newest.passed == newest.total:
            from flakeledger.rules.interviews import counted

            message = f"{row.test} is frozen, but every seed passed: {counted(newest)}"
            fix = f"flakeledger replay {named(row)} --seeds N   # with more seeds; or do without the freeze"
            yield at(row, "test", "freeze-unevidenced", message, fix)._replace(level="warning")


def _unreplayed(change: Change, row: Freeze) -> Finding:
    limits = change.policy.limits
    return at(
        row,
        "test",
        "freeze-unevidenced",
        f"{row.test} is frozen for {window_days(row)} days without a replay from {row.replay_env} "
        f"of the last {limits.max_replay_age_days} days",
        f"{replay_command(row)}, "
        f"or freeze it for at most {limits.unproven_days} days: proving it later counts as its renewal",
    )


def _needs_note(change: Change, row: Freeze) -> bool:
    return change.policy.level == "witnessed" and row.test is not None and change.new.sources.is_given(row.test)


def _is_eligible(change: Change, note: str | None) -> bool:
    """Whether the row's review note is there and says that the failure was seen to come and go."""
    data = None if note is None else change.new_tree.read(f"{NOTES}{note}.json")
    if data is None:
        return False
    from flakeledger.model.canonical import NotCanonical, strict_object  # only level `witnessed` pays for it
    from flakeledger.model.note import ELIGIBLE

    try:
        return strict_object(data).get("freeze") == ELIGIBLE
    except NotCanonical:
        return False


def _unnoted(row: Freeze) -> Finding:
    from flakeledger.model.note import ELIGIBLE

    return at(
        row,
        "note",
        "freeze-unevidenced",
        f"{row.test} is frozen without a review note that says `{ELIGIBLE}`",
        "witness its failure and replay the witness; a note that says so is named by `note:`",
    )
