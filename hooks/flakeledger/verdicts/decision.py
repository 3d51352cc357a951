"""The decision on a citation (decision table 1): may this citation stay?

Invariants:
* The table is here and nowhere else: rules and commands ask `decide`, the documentation is printed from it.
* From top to bottom the first line that applies decides, and the last one always applies.
* Absent is never equal to absent: an id, a window or a runner class that is not there rejects. An empty text is
  absent.
* Pure: what is known comes in as a `Claim`, `now` is an argument. Nothing is granted here: a window is never
  extended, a timestamp never copied, a row never minted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

Decision = Literal[
    "allow_cite",
    "reject:unnamed",
    "reject:property_id",
    "reject:fixture_hash",
    "reject:window",
    "reject:not_environment",
]


class Claim(NamedTuple):
    """What a citation relies on, and what the record and the tree say to it."""

    #: of the record; None: absent
    property_id: str | None
    cited_property_id: str | None
    #: the property id is found in the test module (True where no module was given)
    is_named: bool
    fixtures_match: bool
    #: the first second at which the window is closed (`clock.window_end`); None: there is no window
    end: int | None
    #: of the record; None: absent
    runner_class: str | None
    cited_runner_class: str | None
    failure_class: str | None


class Line(NamedTuple):
    """A line of the table: its cells as printed, and whether it applies to a claim at an instant."""

    property_id: str
    fixture_digest: str
    window: str
    failure_class: str
    decision: Decision
    applies: Callable[[Claim, int], bool]


_ANY = "any"
_OPEN = "open, the same runner class"


def _is_open(claim: Claim, now: int) -> bool:
    return claim.end is not None and now < claim.end


def _is_cited_runner(claim: Claim) -> bool:
    return bool(claim.runner_class) and claim.runner_class == claim.cited_runner_class


DECISION_TABLE: tuple[Line, ...] = (
    Line(
        "absent from the record, or from the test module",
        _ANY,
        _ANY,
        _ANY,
        "reject:unnamed",
        lambda claim, _now: not claim.property_id or not claim.is_named,
    ),
    Line(
        "differs from the cited id",
        _ANY,
        _ANY,
        _ANY,
        "reject:property_id",
        lambda claim, _now: claim.property_id != claim.cited_property_id,
    ),
    Line(
        "equal",
        "differs",
        _ANY,
        _ANY,
        "reject:fixture_hash",
        lambda claim, _now: not claim.fixtures_match,
    ),
    Line(
        "equal",
        "equal",
        "missing or expired (`now >= end`), or the runner class is absent or another",
        _ANY,
        "reject:window",
        lambda claim, now: not (_is_open(claim, now) and _is_cited_runner(claim)),
    ),
    Line(
        "equal",
        "equal",
        _OPEN,
        "not `environment`",
        "reject:not_environment",
        lambda claim, _now: claim.failure_class != "environment",
    ),
    Line(
        "equal",
        "equal",
        _OPEN,
        "`environment`",
        "allow_cite",
        lambda _claim, _now: True,
    ),
)

#: for each rejection: why the reference comes out. A person takes it out; nothing here makes it true again.
REMEDIES: Mapping[Decision, str] = {
    "reject:unnamed": "take the reference out: what it relies on names no property, or the test module does not name "
    "that property",
    "reject:property_id": "take the reference out: the freeze was granted for another property than the cited one",
    "reject:fixture_hash": "take the reference out: the freeze was granted for other inputs than there are now",
    "reject:window": "take the reference out: no window is open on the cited runner class, and none is extended here",
    "reject:not_environment": "take the reference out: only a failure of class environment may be cited, another one "
    "is a bug to mend",
}


def decide(claim: Claim, now: int) -> Decision:
    """The decision of the first line of the table that applies; `now` in seconds since 1970."""
    return next(line.decision for line in DECISION_TABLE if line.applies(claim, now))


def table_markdown() -> str:
    """The table as the documentation shows it, ending in a newline."""
    lines = ["| property id | fixture digest | window | failure class | decision |", "|---|---|---|---|---|"]
    lines += [
        f"| {line.property_id} | {line.fixture_digest} | {line.window} | {line.failure_class} | `{line.decision}` |"
        for line in DECISION_TABLE
    ]
    return "\n".join(lines) + "\n"
