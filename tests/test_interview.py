"""The exit interview: the table as the design prints it, written a second time and asked in every situation."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.verdicts.interview import (
    DEPARTURES,
    TABLE,
    Evidence,
    Facts,
    Verdict,
    VerdictName,
    decide,
    table_markdown,
)

EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)
BOTH = (False, True)
EVERY = [Facts(*values) for values in product(BOTH, BOTH, BOTH, BOTH, BOTH, BOTH, EVIDENCE, BOTH)]


def printed_table(facts: Facts) -> tuple[str, bool]:
    """The table read aloud, from top to bottom: the verdict, and whether the row may go now."""
    once_expired = facts.is_expired
    if facts.test_is_gone:
        return "gone", True
    if facts.is_void:
        return "void", True
    if facts.is_young:
        return "withdraw", True
    if not facts.has_owner:
        return "delete_first", True
    if facts.is_expired and not facts.was_replayed:
        return "delete_first", True
    match facts.newest_replay:
        case "missing" | "before_the_freeze" | "too_old" | "too_few_seeds" | "incomplete":
            return "replay", once_expired
        case "all_failed":
            return "fix", True
        case "some_failed":
            return "delete_test", once_expired  # or with its test, and then its test is gone
        case "green":
            return ("thaw", True) if facts.property_is_bound else ("bind_property", once_expired)


def test_every_situation_is_decided_as_the_table_is_printed() -> None:
    assert len(EVERY) == 2**7 * len(EVIDENCE)
    wrong = []
    for facts in EVERY:
        verdict = decide(facts)
        if (verdict.name, verdict.may_go(facts)) != printed_table(facts):
            wrong.append(facts)
    assert wrong == []


def test_every_verdict_is_given_in_some_situation() -> None:
    assert [verdict.name for verdict in TABLE] == list(get_args(VerdictName))
    assert {decide(facts).name for facts in EVERY} == {verdict.name for verdict in TABLE}


FACTS = st.builds(
    Facts,
    test_is_gone=st.booleans(),
    is_void=st.booleans(),
    is_young=st.booleans(),
    has_owner=st.booleans(),
    is_expired=st.booleans(),
    was_replayed=st.booleans(),
    newest_replay=st.sampled_from(EVIDENCE),
    property_is_bound=st.booleans(),
)


@given(FACTS)
def test_an_expired_row_may_always_go(facts: Facts) -> None:
    expired = facts._replace(is_expired=True)
    assert decide(expired).may_go(expired)


@given(FACTS, st.booleans())
def test_what_stands_below_the_line_that_decides_changes_nothing(facts: Facts, other: bool) -> None:
    verdict = decide(facts)
    if verdict.name in ("gone", "void", "withdraw"):
        changed = facts._replace(has_owner=other, newest_replay="green", property_is_bound=other, was_replayed=other)
        assert decide(changed) is verdict


@given(FACTS)
def test_losing_evidence_never_lets_a_row_go_that_could_not(facts: Facts) -> None:
    if not facts.is_expired and not decide(facts).may_go(facts):
        for lacking in EVIDENCE[: EVIDENCE.index("all_failed")]:
            without = facts._replace(newest_replay=lacking)
            assert not decide(without).may_go(without)


@pytest.mark.parametrize("verdict", TABLE, ids=lambda verdict: verdict.name)
def test_a_next_step_names_only_what_is_known(verdict: Verdict) -> None:
    step = verdict.next_step.format(thaw="T", replay="R", property="P")
    assert step
    assert "{" not in step


def test_the_page_shows_the_table() -> None:
    page = Path(__file__).parent.parent / "docs" / "exit-interview.md"
    assert f"\n\n{table_markdown()}\n" in page.read_text(encoding="utf-8")


def test_the_printed_table_has_a_line_for_each_verdict() -> None:
    lines = table_markdown().splitlines()[2:]
    assert len(lines) == len(TABLE)
    for line, verdict in zip(lines, TABLE, strict=True):
        shows, name, departure = line.strip("| ").split(" | ")
        assert shows == verdict.shows
        assert name.startswith(f"`{verdict.name}`")
        assert departure == DEPARTURES[verdict.departure]
