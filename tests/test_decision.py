"""Decision table 1: asked in every situation, against the table as it is printed."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest

from flakeledger.model.clock import window_end
from flakeledger.verdicts.decision import DECISION_TABLE, REMEDIES, Claim, Decision, decide, table_markdown
from printed_decisions import compared, looked_up, window_of

DECISIONS: tuple[Decision, ...] = get_args(Decision)
NOW = datetime(2026, 11, 20, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
BOTH = (False, True)
IDS = (None, "PROP-014", "PROP-015")
RUNNERS = (None, "local-fixture", "pinned-py311")
#: missing, long expired, closed at this very instant, open for one second, open for long
ENDS = (None, SECONDS - 86_400, SECONDS, SECONDS + 1, SECONDS + 86_400)
FAILURES = (None, "environment", "invariant", "Environment")
EVERY = [Claim(*cells) for cells in product(IDS, IDS, BOTH, BOTH, ENDS, RUNNERS, RUNNERS, FAILURES)]
CITABLE = Claim("PROP-014", "PROP-014", True, True, SECONDS + 1, "local-fixture", "local-fixture", "environment")


def printed(claim: Claim) -> str:
    """The table read aloud."""
    identity = compared(claim.property_id, claim.cited_property_id) if claim.is_named else "absent"
    end = None if claim.end is None else datetime.fromtimestamp(claim.end, UTC)
    window = window_of(end, NOW, claim.runner_class, claim.cited_runner_class)
    return looked_up(identity, "equal" if claim.fixtures_match else "differs", window, claim.failure_class)


def test_every_situation_is_decided_as_the_table_is_printed() -> None:
    assert len(EVERY) == 3 * 3 * 2 * 2 * 5 * 3 * 3 * 4
    assert [claim for claim in EVERY if decide(claim, SECONDS) != printed(claim)] == []


def test_every_decision_is_made_in_some_situation() -> None:
    assert {decide(claim, SECONDS) for claim in EVERY} == set(DECISIONS)
    assert {line.decision for line in DECISION_TABLE} == set(DECISIONS)


@pytest.mark.parametrize(
    ("changed", "decision"),
    [
        ({}, "allow_cite"),
        ({"property_id": None}, "reject:unnamed"),
        ({"property_id": None, "cited_property_id": None}, "reject:unnamed"),
        ({"property_id": "", "cited_property_id": ""}, "reject:unnamed"),
        ({"is_named": False}, "reject:unnamed"),
        ({"is_named": False, "cited_property_id": "PROP-015"}, "reject:unnamed"),
        ({"cited_property_id": "PROP-015"}, "reject:property_id"),
        ({"cited_property_id": "prop-014"}, "reject:property_id"),
        ({"cited_property_id": None}, "reject:property_id"),
        ({"fixtures_match": False}, "reject:fixture_hash"),
        ({"fixtures_match": False, "end": None}, "reject:fixture_hash"),
        ({"end": None}, "reject:window"),
        ({"end": SECONDS}, "reject:window"),
        ({"end": SECONDS, "failure_class": "invariant"}, "reject:window"),
        ({"runner_class": None, "cited_runner_class": None}, "reject:window"),
        ({"runner_class": "", "cited_runner_class": ""}, "reject:window"),
        ({"cited_runner_class": "pinned-py311"}, "reject:window"),
        ({"failure_class": "invariant"}, "reject:not_environment"),
        ({"failure_class": None}, "reject:not_environment"),
        ({"failure_class": "flaky"}, "reject:not_environment"),
    ],
    ids=str,
)
def test_one_thing_after_the_other(changed: dict[str, Any], decision: str) -> None:
    assert decide(CITABLE._replace(**changed), SECONDS) == decision


@pytest.mark.parametrize(
    ("expires", "last_open", "first_closed"),
    [
        ("2026-11-19", "2026-11-19T23:59:59Z", "2026-11-20T00:00:00Z"),
        ("2026-11-19T12:00:00Z", "2026-11-19T11:59:59Z", "2026-11-19T12:00:00Z"),
        ("2026-11-19T12:00:00+02:00", "2026-11-19T09:59:59Z", "2026-11-19T10:00:00Z"),
    ],
)
def test_a_window_is_open_until_the_second_that_closes_it(expires: str, last_open: str, first_closed: str) -> None:
    claim = CITABLE._replace(end=window_end(expires))
    for instant, decision in ((last_open, "allow_cite"), (first_closed, "reject:window")):
        assert decide(claim, int(datetime.fromisoformat(instant).timestamp())) == decision


def test_only_one_claim_in_many_may_stay_and_time_alone_ends_it() -> None:
    allowed = [claim for claim in EVERY if decide(claim, SECONDS) == "allow_cite"]
    assert len(allowed) == 2 * 2 * 2  # two ids, two runner classes, two ends that are open
    assert {decide(claim, SECONDS + 86_400) for claim in allowed} == {"reject:window"}


def test_every_rejection_says_that_the_reference_comes_out() -> None:
    assert list(REMEDIES) == [decision for decision in DECISIONS if decision != "allow_cite"]
    assert len(set(REMEDIES.values())) == len(REMEDIES)
    for remedy in REMEDIES.values():
        assert remedy.startswith("take the reference out: ")


def test_the_page_shows_the_table() -> None:
    page = Path(__file__).parent.parent / "docs" / "decisions.md"
    assert f"\n\n{table_markdown()}\n" in page.read_text(encoding="utf-8")


def test_the_printed_table_has_a_line_for_each_decision() -> None:
    lines = table_markdown().splitlines()[2:]
    assert [line.strip("| ").split(" | ")[-1] for line in lines] == [f"`{line.decision}`" for line in DECISION_TABLE]
    assert all(line.count("|") == 6 for line in lines)
