"""A world with frozen tests of several owners, and its rows as `status` and `remind` get them.

Invariants:
* Three freezes of day 0: an unproven one of 3 days, a green one of 10, a flaky one of 30.
"""

from __future__ import annotations

from typing import Any

from flakeledger.model.clock import parse_instant
from flakeledger.rules.overview import FrozenRow, overview
from world import CLOCK, REFUND, TOTAL, World, on


def three_owners(world: World) -> None:
    """TOTAL is an address's, CLOCK a team's, REFUND a person's."""
    world.replay(0)
    world.replay(0, 20, test=CLOCK)
    world.freeze(REFUND, 0, 30, owner="@finley")
    world.freeze(CLOCK, 0, 10, owner="@org/clocks")
    world.freeze(TOTAL, 0, 3, owner="ada@example.org")
    world.record("freezes")


def rows_of(world: World, day: int) -> list[FrozenRow]:
    """The rows at noon of a day."""
    with world.ledger() as ledger:
        return overview(ledger, parse_instant(f"{on(day)}T12:00:00Z"))


def renamed(row: FrozenRow, **fields: Any) -> FrozenRow:
    """The row with other texts in its freeze."""
    one = row.interview
    return row._replace(interview=one._replace(freeze=one.freeze._replace(**fields)))
