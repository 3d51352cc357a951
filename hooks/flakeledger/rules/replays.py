"""The state rule about the time of a replay.

Invariants:
* A clock that is a little ahead is no lie: what lies within `CLOCK_SKEW` of now is believed.
* What a line lacks is found while the log is read; what a replay lacks as evidence, by `freeze_evidence.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakeledger.model.clock import format_instant
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import REPLAYS

if TYPE_CHECKING:
    from flakeledger.repo.ledger import Ledger

#: how far a replay's clock may run ahead of `now`, in seconds (LEDGERS.md: 5 minutes)
CLOCK_SKEW = 300


def replay_future(ledger: Ledger, now: int) -> Iterator[Finding]:
    """A replay that says it ran after now."""
    for replay in ledger.replays:
        if replay.at > now + CLOCK_SKEW:
            from shlex import quote  # only who is told what to do pays for it

            yield Finding(
                REPLAYS,
                replay.line,
                1,
                "replay-future",
                f"this replay of {replay.test} ran at {replay.run_at}, but now is {format_instant(now)}",
                f"delete the line, set the clock of the machine that recorded it, and record it again: "
                f"flakeledger replay {quote(replay.test)}",
                subject=replay.test,
            )
