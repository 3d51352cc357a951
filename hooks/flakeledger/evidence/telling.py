"""What the plugin says: the header, a line for each failure of a frozen test, and why an excused one is expected.

Invariants:
* Texts from files stand in these sentences as they are: whoever prints them escapes them.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

from flakeledger.evidence.frozen_tests import FrozenTests
from flakeledger.evidence.standing import State
from flakeledger.evidence.verdict_on_report import VerdictOnReport

Mode = Literal["off", "report", "enforce"]

#: freezes that are not open, in the words of the header
_OTHERS: tuple[tuple[State, str], ...] = (
    ("expired", "expired"),
    ("other_runner", "of other runners"),
    ("unfit", "unfit"),
)


def header_text(frozen: FrozenTests, mode: Mode) -> str:
    """How many freezes there are of each kind, or why none counts."""
    if frozen.problem:
        return f"nothing is excused: {frozen.problem}"
    states = Counter(one.standing.state for one in frozen.by_test.values())
    parts = [f"{states['open']} {'freeze' if states['open'] == 1 else 'freezes'} open for {frozen.runner}"]
    parts += [f"{states[state]} {words}" for state, words in _OTHERS if states[state]]
    return f"{', '.join(parts)} ({mode})"


def failure_line(test: str, verdict: VerdictOnReport) -> str:
    """What became of a failure of a frozen test."""
    failed = f", {', '.join(dict.fromkeys(verdict.exceptions))}" if verdict.exceptions else ""
    if verdict.covered:
        done = "excused" if verdict.excused else "would be excused"
        return f"{done}: {test}: {freeze_text(verdict)}{failed}"
    return f"not excused: {test}{failed}: {verdict.reason}"


def freeze_text(verdict: VerdictOnReport) -> str:
    """The freeze of a covered failure: whose it is, for how long, of which property."""
    protects = f" ({verdict.property_id})" if verdict.property_id else ""
    return f"frozen, {verdict.owner or 'nobody'} owns it, {verdict.time_left} left{protects}"
