"""What the page of `report` shows: numbers and texts, put together from what the wings below found.

Invariants:
* Pure: no clock, no file, no HTML. Every text is as the files have it; `page.py` and `page_charts.py` escape it.
* The freezes stand in the order of the overview, the most urgent first; all of them are there.
* A number that is shown is counted from the same rows that are shown.
* Unknown is said: a trend that cannot be told is its reason and its fix, never an empty chart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from flakeledger.model.records import Freeze, Property, Replay
from flakeledger.model.report import Report
from flakeledger.model.window import ends_within, start_of
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.trend import Trend
from flakeledger.reporters.frozen_rows import time_left, with_left
from flakeledger.rules.interviews import counted, next_step, reason
from flakeledger.rules.overview import FrozenRow, Generators, owner_key
from flakeledger.rules.properties import frozen_only
from flakeledger.verdicts.interview import TABLE, Verdict

State = Literal["expired", "expiring", "open", "no end"]
#: the first day of each band of ages, and what it is called; an age is whole days
_AGE_BANDS = ((0, "under 1 week"), (7, "1 week"), (14, "2 to 3 weeks"), (28, "4 to 7 weeks"), (56, "8 weeks or more"))
_NO_AGE = "first day unknown"
NOBODY = "nobody"


class Replayed(NamedTuple):
    """The newest replay that judges a freeze, and the pass rates that it leaves possible."""

    replay: Replay
    told: str
    #: of its runs; None without a run
    pass_rate: float | None
    #: the lowest pass rate that it leaves possible (95 %, one-sided)
    at_least: float


class ShownFreeze(NamedTuple):
    """A row of the table of freezes."""

    freeze: Freeze
    state: State
    left: str
    #: None where the row lacks its first day, or its end
    start: int | None
    end: int | None
    age_days: int | None
    days_left: int | None
    replayed: Replayed | None
    generators: Generators
    verdict: Verdict
    why: str
    next_step: str
    may_go: bool


class OwnerRow(NamedTuple):
    """Who owns how many freezes."""

    owner: str
    freezes: int
    expired: int
    expiring: int
    oldest_days: int | None


class FrozenProperty(NamedTuple):
    """A property that only frozen tests protect, with those of its tests that exist."""

    found: Property
    tests: Sequence[str]


class Untold(NamedTuple):
    """Why something cannot be told, and what repairs it."""

    reason: str
    fix: str


class View(NamedTuple):
    """The whole page."""

    #: the name of the repository's folder
    name: str
    now: int
    warn_days: int
    report: Report
    freezes: tuple[ShownFreeze, ...]
    #: every verdict of the table with how many freezes have it
    verdicts: tuple[tuple[Verdict, int], ...]
    owners: tuple[OwnerRow, ...]
    #: what the bands are called, and how many freezes are in each
    ages: tuple[tuple[str, int], ...]
    properties: tuple[FrozenProperty, ...]
    trend: Trend | Untold

    @property
    def states(self) -> Mapping[State, int]:
        """How many freezes are expired, expire within the policy's `warn_days`, are open, or have no end."""
        return Counter(row.state for row in self.freezes)


def view_of(
    name: str, ledger: Ledger, rows: Iterable[FrozenRow], report: Report, trend: Trend | Untold, now: int
) -> View:
    """What the page shows of a ledger with a policy, given its overview, its findings and its trend."""
    assert ledger.policy is not None  # `overview` refuses a ledger without one
    warn_days = ledger.policy.limits.warn_days
    freezes = tuple(_shown(row, warn_days, now) for row in rows)
    found = Counter(row.verdict.name for row in freezes)
    return View(
        name,
        now,
        warn_days,
        report,
        freezes,
        tuple((verdict, found[verdict.name]) for verdict in TABLE),
        owners_of(freezes),
        ages_of(freezes),
        tuple(FrozenProperty(*pair) for pair in frozen_only(ledger)),
        trend,
    )


def _shown(row: FrozenRow, warn_days: int, now: int) -> ShownFreeze:
    found = row.interview
    return ShownFreeze(
        found.freeze,
        _state(found.end, warn_days, now),
        time_left(row, with_left),
        start_of(found.freeze),
        found.end,
        row.age_days,
        row.days_left,
        None if found.newest is None else _replayed(found.newest, row.bound),
        row.generators,
        found.verdict,
        reason(found),
        next_step(found),
        found.may_go,
    )


def _state(end: int | None, warn_days: int, now: int) -> State:
    if end is None:
        return "no end"
    return "expired" if now >= end else "expiring" if ends_within(end, warn_days, now) else "open"


def _replayed(replay: Replay, bound: float | None) -> Replayed:
    rate = replay.passed / replay.total if replay.total else None
    return Replayed(replay, counted(replay), rate, 0.0 if bound is None else 1 - bound)


def owners_of(freezes: Iterable[ShownFreeze]) -> tuple[OwnerRow, ...]:
    """The owners with their freezes, who has most of them first; in the spelling that comes first."""
    grouped: dict[str, list[ShownFreeze]] = {}
    for row in freezes:
        grouped.setdefault(owner_key(row.freeze.owner), []).append(row)
    found = (_owner((owner and rows[0].freeze.owner) or NOBODY, rows) for owner, rows in grouped.items())
    return tuple(sorted(found, key=lambda one: (-one.freezes, one.owner)))


def _owner(owner: str, rows: Sequence[ShownFreeze]) -> OwnerRow:
    states = Counter(row.state for row in rows)
    oldest = max((row.age_days for row in rows if row.age_days is not None), default=None)
    return OwnerRow(owner, len(rows), states["expired"], states["expiring"], oldest)


def ages_of(freezes: Iterable[ShownFreeze]) -> tuple[tuple[str, int], ...]:
    """The bands of ages and how many freezes are in each; those without a first day only where there are some."""
    found = Counter(_band(row.age_days) for row in freezes)
    bands = tuple((name, found[name]) for _, name in _AGE_BANDS)
    return (*bands, (_NO_AGE, found[_NO_AGE])) if found[_NO_AGE] else bands


def _band(days: int | None) -> str:
    if days is None:
        return _NO_AGE
    return next(name for first, name in reversed(_AGE_BANDS) if days >= first)
