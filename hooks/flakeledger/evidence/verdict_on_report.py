"""What the plugin found out about a failed report, carried by the report itself.

Invariants:
* Built of what JSON knows: pytest-xdist sends a report from worker to controller with all that it carries.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

_KEY = "flakeledger"


class VerdictOnReport(NamedTuple):
    """Whether a failure was excused, and what the freeze of its test says; the texts are not escaped."""

    raw_outcome: str
    #: the qualified name of each exception that failed it
    exceptions: list[str]
    is_frozen: bool
    #: an open freeze covers the failure
    covered: bool
    #: and the report was rewritten for it
    excused: bool
    #: why a frozen test is not covered
    reason: str
    property_id: str | None
    owner: str | None
    time_left: str


def attach(report: pytest.TestReport, verdict: VerdictOnReport) -> None:
    """Let the report carry the verdict."""
    vars(report)[_KEY] = list(verdict)


def verdict_on(report: pytest.TestReport) -> VerdictOnReport | None:
    """The verdict that a report carries; None for one that did not fail, or that nobody judged."""
    carried = vars(report).get(_KEY)
    return None if carried is None else VerdictOnReport._make(carried)
