"""Every freeze of a ledger with its exit interview and with what people ask beside it.

Invariants:
* Pure: the ledger and `now` come in, rows go out. What the row does not say is None, never a default.
* Whatever cannot be read as a whole is `CannotTell`: what is missing might be what decides.
* The rows come in one order wherever they are shown: the soonest end first, rows without an end first of all.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from flakeledger.model.clock import DAY
from flakeledger.model.records import Freeze, Replay
from flakeledger.model.window import ends_within, start_of, window_days
from flakeledger.repo.ledger import Ledger
from flakeledger.rules.freezes import is_owner
from flakeledger.rules.interviews import Interview, interviews
from flakeledger.verdicts.rates import upper_bound

Generators = Literal["unchanged", "changed", "not pinned"]


class FrozenRow(NamedTuple):
    """A freeze with its interview, and what stands beside it."""

    interview: Interview
    #: whole days since its first day began, at least 0; None for a row without a first day
    age_days: int | None
    #: days until its end, rounded up, 0 once it is expired; None for a row without an end
    days_left: int | None
    #: None where the first day or the end is absent
    window_days: int | None
    #: the highest rate of failure that its newest replay leaves possible (95 %, one-sided); None without a replay
    bound: float | None
    #: its property's generator set against the pin of the row
    generators: Generators

    def ends_within(self, days: int, now: int) -> bool:
        """Whether it has ended or has fewer than so many days left; one without an end is always among them.

        No day would bring that one back to anybody's mind.
        """
        return self.interview.end is None or ends_within(self.interview.end, days, now)


def overview(ledger: Ledger, now: int) -> list[FrozenRow]:
    """Every freeze, in the order of `interviews`: the most urgent first.

    CannotTell when a ledger or the policy cannot be read as a whole.
    """
    return [_row(ledger, found, now) for found in interviews(ledger, now)]


def owner_key(owner: str | None) -> str:
    """What all spellings of one owner share: handles and addresses do not depend on the case. Empty for nobody."""
    return owner.casefold() if owner is not None and is_owner(owner) else ""


def _row(ledger: Ledger, found: Interview, now: int) -> FrozenRow:
    freeze = found.freeze
    return FrozenRow(
        found,
        _age(freeze, now),
        None if found.end is None else max(-(-(found.end - now) // DAY), 0),
        window_days(freeze),
        _bound(found.newest),
        _generators(ledger, freeze),
    )


def _age(freeze: Freeze, now: int) -> int | None:
    start = start_of(freeze)
    return None if start is None else max((now - start) // DAY, 0)


def _bound(newest: Replay | None) -> float | None:
    """The bound that a replay gives; one without a run bounds nothing."""
    if newest is None:
        return None
    return upper_bound(newest.total - newest.passed, newest.total) if newest.total else 1.0


def _generators(ledger: Ledger, freeze: Freeze) -> Generators:
    if freeze.generator_hash is None:
        return "not pinned"
    return "unchanged" if ledger.generator_digest(freeze.property_id) == freeze.generator_hash else "changed"
