"""What the plugin says in its header and its summary."""

from __future__ import annotations

import pytest

from flakeledger.evidence.frozen_tests import Frozen, FrozenTests
from flakeledger.evidence.standing import Standing, State
from flakeledger.evidence.telling import failure_line, header_text
from flakeledger.evidence.verdict_on_report import VerdictOnReport
from flakeledger.model.records import Freeze
from flakeledger.model.rows import Places

FREEZE = Freeze._make((Places(1, 1, {}), *([None] * (len(Freeze._fields) - 1))))


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([], "0 freezes open for box (report)"),
        (["open"], "1 freeze open for box (report)"),
        (["open", "open", "expired"], "2 freezes open for box, 1 expired (report)"),
        (
            ["unfit", "other_runner", "expired", "open"],
            "1 freeze open for box, 1 expired, 1 of other runners, 1 unfit (report)",
        ),
    ],
)
def test_the_header_counts_each_kind(states: list[State], expected: str) -> None:
    by_test = {str(number): Frozen(FREEZE, Standing(state)) for number, state in enumerate(states)}
    assert header_text(FrozenTests(None, "box", by_test), "report") == expected


def test_the_header_says_why_nothing_counts() -> None:
    assert header_text(FrozenTests(None, "", {}, "no policy"), "enforce") == "nothing is excused: no policy"


COVERED = VerdictOnReport(
    "failed", ["a.Late", "a.Late", "OSError"], True, True, True, "", "PROP-1", "@finley", "3 days"
)


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (COVERED, "excused: t: frozen, @finley owns it, 3 days left (PROP-1), a.Late, OSError"),
        (
            COVERED._replace(excused=False, property_id=None, owner=None, exceptions=[]),
            "would be excused: t: frozen, nobody owns it, 3 days left",
        ),
        (COVERED._replace(covered=False, excused=False, reason="why"), "not excused: t, a.Late, OSError: why"),
        (COVERED._replace(covered=False, excused=False, reason="why", exceptions=[]), "not excused: t: why"),
    ],
)
def test_a_failure_is_one_line(verdict: VerdictOnReport, expected: str) -> None:
    assert failure_line("t", verdict) == expected
