"""Decision table 2: asked in every situation, against the table as it is printed; unknown facts are never a pass."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations, product
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.errors import CannotTell
from flakeledger.verdicts.gate import (
    TABLE,
    Asked,
    Facts,
    PatchClass,
    ReplayState,
    Verdict,
    WitnessState,
    decide,
    first_unknown,
    replay_state,
    table_markdown,
)

CLASSES: tuple[PatchClass, ...] = get_args(PatchClass)
PATCHES = [
    frozenset(names) for names in chain.from_iterable(combinations(CLASSES, size) for size in range(len(CLASSES) + 1))
]
BOTH = (False, True)
WITNESSES: tuple[WitnessState, ...] = get_args(WitnessState)
REPLAYS: tuple[ReplayState, ...] = get_args(ReplayState)
EVERY = [
    Facts(*cells)
    for cells in product((None, *PATCHES), (None, *BOTH), (None, *WITNESSES), (None, *BOTH), (None, *REPLAYS))
]
CANNOT_TELL = "exit 2"
ELIGIBLE = Facts(frozenset({"production"}), True, "good", True, "both")


def printed_table(facts: Facts) -> str:
    """The table read aloud, from top to bottom; what it asks and nobody knows ends the reading."""
    if not facts.classes:
        return CANNOT_TELL
    edited = facts.classes
    if "freeze_config" in edited:
        return "deny:freeze_config"
    if "generator" in edited:
        return "deny:mixed" if "production" in edited else "deny:generator"
    for name in ("review_only", "runner", "unclassified"):
        if name in edited:
            return f"deny:{name}"
    assert edited <= {"production", "test_body"}
    if facts.test_bodies_reviewed is None:
        return CANNOT_TELL
    if not facts.test_bodies_reviewed:
        return "deny:test_body"
    if facts.witness != "good":
        return {None: CANNOT_TELL, "absent": "deny:no_witness", "refused": "deny:witness"}[facts.witness]
    if facts.generators_match is not True:
        return CANNOT_TELL if facts.generators_match is None else "deny:generator_drift"
    match facts.replay:
        case None:
            return CANNOT_TELL
        case "incomplete":
            return "deny:incomplete"
        case "all_passed":
            return "deny:stable_pass"
        case "all_failed":
            return "deny:stable_fail"
        case "both":
            return "eligible_short"


def decided(facts: Facts) -> str:
    try:
        return decide(facts).verdict
    except CannotTell:
        return CANNOT_TELL


def test_every_situation_is_decided_as_the_table_is_printed() -> None:
    assert len(EVERY) == (2**7 + 1) * 3 * 4 * 3 * 5
    assert [facts for facts in EVERY if decided(facts) != printed_table(facts)] == []


def test_every_verdict_is_given_in_some_situation() -> None:
    assert [line.verdict for line in TABLE] == list(get_args(Verdict))
    assert {decided(facts) for facts in EVERY} == {*get_args(Verdict), CANNOT_TELL}


def test_eligible_is_one_situation_and_everything_in_it_is_known() -> None:
    eligible = [facts for facts in EVERY if decided(facts) == "eligible_short"]
    assert [facts[1:] for facts in eligible] == [ELIGIBLE[1:]] * 3
    assert {facts.classes for facts in eligible} == {
        frozenset({"production"}),
        frozenset({"test_body"}),
        frozenset({"production", "test_body"}),
    }


#: of another kind than the fact, or almost what would do
STRANGE: tuple[object, ...] = (None, "", "good ", "GOOD", 1, 0, "both", "eligible_short", frozenset(), ())


def usually(value: object, others: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Mostly what would do: facts drawn evenly would nearly all be denied by their paths."""
    return st.sampled_from([value, value, value, None]) | others


@given(
    st.builds(
        Facts,
        classes=usually(ELIGIBLE.classes, st.frozensets(st.sampled_from(CLASSES))),
        test_bodies_reviewed=usually(True, st.booleans()),
        witness=usually("good", st.sampled_from(WITNESSES)),
        generators_match=usually(True, st.booleans()),
        replay=usually("both", st.sampled_from(REPLAYS)),
    )
)
def test_partial_facts_are_decided_as_the_table_is_printed(facts: Facts) -> None:
    assert decided(facts) == printed_table(facts)
    if decided(facts) == "eligible_short":
        assert None not in facts


@pytest.mark.parametrize("missing", get_args(Asked)[1:])
@pytest.mark.parametrize("value", STRANGE, ids=repr)
def test_a_fact_that_is_missing_or_is_none_of_its_kind_makes_nobody_eligible(missing: Asked, value: object) -> None:
    if value != getattr(ELIGIBLE, missing):
        assert decided(ELIGIBLE._replace(**{missing: value})) != "eligible_short"  # type: ignore[arg-type]


def test_a_class_that_nobody_knows_makes_nobody_eligible() -> None:
    classes = frozenset({"production", "secret"})
    assert decided(ELIGIBLE._replace(classes=classes)) == CANNOT_TELL  # type: ignore[arg-type]


@pytest.mark.parametrize("facts", [Facts(), ELIGIBLE, ELIGIBLE._replace(witness="absent", replay=None)])
def test_what_a_decision_did_not_ask_cannot_change_it(facts: Facts) -> None:
    known = facts._replace(**dict.fromkeys(unasked(facts)))
    assert decided(known) == decided(facts)


def unasked(facts: Facts) -> Iterable[Asked]:
    """The facts that stand behind the one that decided."""
    names: tuple[Asked, ...] = get_args(Asked)
    verdict = decided(facts)
    if verdict == CANNOT_TELL:
        return ()
    return names[names.index(next(line.asks for line in TABLE if line.verdict == verdict)) + 1 :]


def test_the_table_asks_for_one_fact_after_the_other_and_stops_at_the_first_denial() -> None:
    asked = []
    facts = Facts()
    while (fact := first_unknown(facts)) is not None:
        asked.append(fact)
        facts = facts._replace(**{fact: getattr(ELIGIBLE, fact)})
    assert asked == list(get_args(Asked)) == list(Facts._fields)
    assert first_unknown(Facts(frozenset({"runner"}))) is None
    assert first_unknown(Facts(frozenset({"test_body"}), False)) is None
    assert first_unknown(Facts(frozenset())) == "classes", "a patch without a path is none"


@pytest.mark.parametrize(
    ("outcomes", "needed", "state"),
    [
        ((), 0, "incomplete"),
        ((), 3, "incomplete"),
        (("pass", "fail"), 3, "incomplete"),
        (("pass", "fail", "fail"), 3, "both"),
        (("pass", "pass", "pass"), 3, "all_passed"),
        (("fail", "fail", "fail", "fail"), 3, "all_failed"),
        (("pass", "fail", "rejected"), 3, "incomplete"),
        (("pass", "fail", "fail", "skipped"), 3, "incomplete"),
        (("pass", "fail", "not run"), 3, "incomplete"),
        (("pass", "fail", ""), 3, "incomplete"),
        (("PASS", "fail", "fail"), 3, "incomplete"),
    ],
)
def test_what_replays_show(outcomes: tuple[str, ...], needed: int, state: ReplayState) -> None:
    assert replay_state(outcomes, needed) == state


@given(st.lists(st.sampled_from(["pass", "fail", "rejected", "skipped", "not run"])), st.integers(3, 9))
def test_both_outcomes_are_seen_only_in_enough_replays_that_all_count(outcomes: list[str], needed: int) -> None:
    flips = set(outcomes) == {"pass", "fail"} and len(outcomes) >= needed
    assert (replay_state(outcomes, needed) == "both") == flips


def test_the_page_shows_the_table() -> None:
    page = Path(__file__).parent.parent / "docs" / "gate.md"
    assert f"\n\n{table_markdown()}\n" in page.read_text(encoding="utf-8")


def test_the_printed_table_has_a_line_for_each_verdict() -> None:
    lines = table_markdown().splitlines()[2:]
    assert len(lines) == len(TABLE)
    for text, line in zip(lines, TABLE, strict=True):
        paths, witness, replay, verdict = text.strip("| ").split(" | ")
        assert (paths, witness, replay) == (line.paths, line.witness, line.replay)
        assert verdict.startswith(f"`{line.verdict}`")
