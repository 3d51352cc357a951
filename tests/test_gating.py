"""The facts for the gate: gathered as the table asks, and worded for people."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import pytest

from flakeledger.model.canonical import NotCanonical
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES, REPLAYS
from flakeledger.model.witness import Witness, witness_file
from flakeledger.repo.repository import open_repository
from flakeledger.rules.gating import NEXT_STEPS, Judgement, Replay, Replayed, judge
from flakeledger.rules.patches import read_patch
from flakeledger.rules.witnesses import WitnessFile
from flakeledger.verdicts.gate import TABLE, Facts, Verdict
from patched import FLIPPED, a_witness, edit_product, on_a_branch
from world import CONFTEST, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.new(tmp_path / "shop")


def judged(world: World, file: WitnessFile | None, replay: Replay) -> Judgement:
    with open_repository(str(world.root), os.environ) as repository:
        return judge(repository, read_patch(repository, "main", "HEAD"), file, replay)


def never(_witness: Witness, _runs: int) -> Replayed:
    raise AssertionError("code of the patch was run")


def good(world: World) -> WitnessFile:
    return WitnessFile("witness.json", witness_file(a_witness(world)).data)


def test_facts_behind_the_line_that_applies_stay_unknown(world: World) -> None:
    file = good(world)
    on_a_branch(world, lambda world: world.append(CONFTEST, "\n"))
    found = judged(world, file, never)
    assert found.facts == Facts(frozenset({"generator"}))
    assert found.note.replay_outcomes == ()
    assert found.note.property_id is None


def test_a_refused_witness_is_not_replayed_and_names_nothing_in_the_note(world: World) -> None:
    on_a_branch(world, edit_product)
    found = judged(world, WitnessFile("witness.json", b"{}\n"), never)
    assert found.facts == Facts(frozenset({"production"}), True, "refused")
    assert (found.note.property_id, found.note.example_sha256) == (None, None)


def test_what_a_replay_says_is_told_where_it_did_not_count(world: World) -> None:
    file = good(world)
    on_a_branch(world, edit_product)
    details = ("", "the fixture `db` failed", "the fixture `db` failed", "", "")
    outcomes = ("pass", "not run", "not run", "fail", "fail")
    found = judged(world, file, lambda _witness, _runs: Replayed(outcomes, "none", details))
    assert found.line.verdict == "deny:incomplete"
    assert found.because[1:] == ("the fixture `db` failed",)
    assert judged(world, file, lambda _witness, _runs: Replayed(FLIPPED, "none", details)).because == (
        "3 of 5 replays failed (rate of failure at most 92.4 %)",
    )


@pytest.mark.parametrize("error", [CannotTell("no interpreter", "name one"), KeyboardInterrupt()])
def test_what_ends_a_replay_ends_the_question(world: World, error: BaseException) -> None:
    file = good(world)
    on_a_branch(world, edit_product)

    def ended(_witness: Witness, _runs: int) -> Replayed:
        raise error

    with pytest.raises(type(error)):
        judged(world, file, ended)


def test_every_verdict_has_a_next_step_of_its_own() -> None:
    assert list(NEXT_STEPS) == list(get_args(Verdict)) == [line.verdict for line in TABLE]
    assert len(set(NEXT_STEPS.values())) == len(NEXT_STEPS)


def test_a_note_of_the_gate_is_always_one_that_can_be_read(world: World) -> None:
    from flakeledger.model.note import note_file, read_note

    file = good(world)
    on_a_branch(world, edit_product)
    found = judged(world, file, lambda _witness, _runs: Replayed(("strange \u202e", *FLIPPED), "none"))
    try:
        assert read_note(note_file(found.note).data) == found.note
    except NotCanonical as refused:
        pytest.fail(refused.message)


def test_freezes_and_replays_have_no_say_and_are_not_read(world: World) -> None:
    world.write(FREEZES, "- test: [\n")
    world.write(REPLAYS, "no line\n")
    world.record("broken")
    file = good(world)
    on_a_branch(world, edit_product)
    assert judged(world, file, lambda _witness, _runs: Replayed(FLIPPED, "none")).line.verdict == "eligible_short"
    with open_repository(str(world.root), os.environ) as repository:
        ledger = repository.protection(repository.tree("main"))
    assert (ledger.freezes, ledger.replays, ledger.findings) == ((), (), ())
    assert list(ledger.property_by_id) == ["PROP-1"]
