"""When a window begins anew: the days on which it may, what is the same test, what the message says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FREEZES, PROPERTIES
from steps import edit_fixture, freeze, replay, set_freeze, standing, sub, together, unfreeze
from world import REFUND, TESTS, UNDECIDED, Templates, Verdict, World, on, run_main


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    """A standing freeze of day 0 to 30, on main."""
    world = templates.start(tmp_path / "world", standing, "ledger", "block")
    world.git("switch", "-q", "main")
    return world


def renewals(world: World, day: int) -> Verdict:
    """What the rule alone says of what lies here."""
    world.git("add", "-A")
    return world.run("check-change", "--now", f"{on(day)}T12:00:00Z", "--only", "freeze-renewed")


def told(world: World, day: int) -> tuple[str, str]:
    """The message of the rule and its fix."""
    world.git("add", "-A")
    arguments = ["check-change", "--now", f"{on(day)}T12:00:00Z", "--only", "freeze-renewed", "--format", "json"]
    (found,) = json.loads(run_main(world.root, arguments, {})[1])["findings"]
    assert (found["path"], found["subject"]) == (FREEZES, REFUND)
    return found["message"], found["fix"]


@pytest.mark.parametrize(("day", "refused"), [(22, True), (23, True), (24, False), (31, False)])
def test_a_window_is_renewed_in_its_last_days_only(day: int, refused: bool, world: World) -> None:
    """The end is the start of day 31, and `warn_days` are 7: from the start of day 24 on."""
    together(replay(day), set_freeze(frozen_on=on(day), expires=on(day + 20), renewed=1))(world)
    assert renewals(world, day) == ({"freeze-renewed"} if refused else set())


@pytest.mark.parametrize(("day", "refused"), [(0, True), (1, False)])
def test_a_renewal_needs_a_replay_of_a_later_day_than_the_first_grant(day: int, refused: bool, world: World) -> None:
    together(replay(day), set_freeze(frozen_on=on(26), expires=on(50), renewed=1))(world)
    assert renewals(world, 26) == ({"freeze-renewed"} if refused else set())


def test_a_freeze_without_an_end_has_no_last_days(world: World) -> None:
    set_freeze(expires=None)(world)
    world.record("no end")
    together(replay(40), set_freeze(frozen_on=on(40), expires=on(60), renewed=1))(world)
    message, _ = told(world, 40)
    assert message.endswith(": a window is renewed in its last 7 days or later")


def test_a_freeze_without_an_end_is_not_forgotten(world: World) -> None:
    set_freeze(expires=None)(world)
    world.record("no end")
    world.unfreeze()
    world.record("remove")
    together(replay(400), freeze(400, 20))(world)
    assert renewals(world, 400) == {"freeze-renewed"}


@pytest.mark.parametrize(("day", "refused"), [(120, True), (121, False)])
def test_a_freeze_that_ended_90_days_ago_is_forgotten(day: int, refused: bool, world: World) -> None:
    world.unfreeze()
    world.record("remove")
    together(replay(day), freeze(day, 20))(world)
    assert renewals(world, day) == ({"freeze-renewed"} if refused else set())


@pytest.mark.parametrize(
    ("days", "renewed", "replayed", "refused"),
    [(24, 0, True, False), (10, 0, True, False), (25, 0, True, True), (24, 1, True, True), (24, 0, False, True)],
)
def test_a_row_that_fell_comes_back_with_no_more_time_and_a_replay_of_its_own(
    days: int, renewed: int, replayed: bool, refused: bool, world: World
) -> None:
    together(edit_fixture, unfreeze())(world)
    world.record("fell")
    if replayed:
        world.replay(6)
    world.freeze(REFUND, 6, days, renewed=renewed)
    assert renewals(world, 6) == ({"freeze-renewed"} if refused else set())


def test_a_replay_that_was_there_while_the_row_stood_is_none_of_its_own(world: World) -> None:
    world.replay(4)
    world.record("nightly")
    together(edit_fixture, unfreeze())(world)
    world.record("fell")
    world.freeze(REFUND, 6, 24)
    assert renewals(world, 6) == {"freeze-renewed"}


def test_the_message_says_all_that_is_missing_and_the_fix_what_to_restore(world: World) -> None:
    set_freeze(frozen_on=on(5), expires=on(30), renewed=3)(world)
    message, fix = told(world, 5)
    assert message == (
        f"{REFUND} is frozen anew, after the freeze of {on(0)} to {on(30)}: "
        f"a window is renewed in its last 7 days or later, from {on(24)}T00:00:00Z on; "
        f"no replay from pinned-py311 is of a later day than {on(0)}; "
        "`renewed` is 3, and must be 1; the policy allows no more than 1"
    )
    assert fix == (
        f"restore `frozen_on: {on(0)}` and `expires: {on(30)}`; to go on after that, replay the test "
        "again and renew the row in time, with `renewed: 1`"
    )


def test_a_row_that_comes_again_is_told_what_it_may_have(world: World) -> None:
    world.remove_row(FREEZES, REFUND)
    world.record()
    world.freeze(REFUND, 5, 20)
    assert told(world, 5)[1] == (
        "do without the freeze, or replay the test again and renew it in time, with `renewed: 1`; if it fell with a "
        f"pin or with its test, freeze it on a new replay with `expires: {on(30)}` at most and `renewed: 0`"
    )


#: how a test is moved or renamed, its new id, and whether it is the same test still
MOVES = {
    "another file": ((), "tests/test_ord.py", "tests/test_ord.py::test_refund", True),
    "another name": ((("def test_refund(", "def test_repaid("),), TESTS, f"{TESTS}::test_repaid", True),
    "another file and name": (
        (("def test_refund(", "def test_repaid("),),
        "tests/test_ord.py",
        "tests/test_ord.py::test_repaid",
        True,
    ),
    "another name and text": (
        (("def test_refund(", "def test_repaid("), ("assert x >= 0", "assert x < 99")),
        TESTS,
        f"{TESTS}::test_repaid",
        False,
    ),
    "the same name and another text": (
        (("assert x >= 0", "assert x < 99"),),
        "tests/test_ord.py",
        "tests/test_ord.py::test_refund",
        True,
    ),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_test_is_the_same_under_the_same_name_or_with_the_same_text(name: str, world: World) -> None:
    edits, path, test, same = MOVES[name]
    world.unfreeze()
    for old, new in edits:
        sub(TESTS, old, new)(world)
    if path != TESTS:
        world.move(TESTS, path)
    world.sub(PROPERTIES, REFUND, test)
    world.sub(PROPERTIES, f" {TESTS}", f" {path}")
    world.record("moved")
    together(replay(5, test=test), freeze(5, 30, test))(world)
    assert renewals(world, 5) == ({"freeze-renewed"} if same else set())


def test_a_test_of_the_same_name_is_another_one_while_the_first_is_there(world: World) -> None:
    world.write("tests/test_other.py", '"""property_id: PROP-1"""\ndef test_refund():\n    assert 1\n')
    world.sub(PROPERTIES, f"    - {REFUND}\n", f"    - {REFUND}\n    - tests/test_other.py::test_refund\n")
    world.record("another test")
    together(replay(5, test="tests/test_other.py::test_refund"), freeze(5, 30, "tests/test_other.py::test_refund"))(
        world
    )
    assert renewals(world, 5) == set()


def test_a_test_of_the_same_name_is_another_one_for_another_property(world: World) -> None:
    world.unfreeze()
    world.move(TESTS, "tests/test_ord.py")
    world.sub(PROPERTIES, TESTS, "tests/test_ord.py")
    world.sub(PROPERTIES, "PROP-1", "PROP-2")
    world.sub("tests/test_ord.py", "PROP-1", "PROP-2")
    world.record("moved")
    test = "tests/test_ord.py::test_refund"
    together(replay(5, test=test), freeze(5, 30, test))(world)
    assert renewals(world, 5) == set()


def test_too_little_history_cannot_tell_whether_a_test_was_frozen(world: World, tmp_path: Path) -> None:
    world.git("clone", "-q", "--depth=1", f"file://{world.root}", str(tmp_path / "shallow"))
    shallow = World(tmp_path / "shallow")
    together(replay(5, test=f"{TESTS}::test_clock"), freeze(5, 20, f"{TESTS}::test_clock"))(shallow)
    assert renewals(shallow, 5) == {UNDECIDED}


def test_a_change_that_adds_no_row_needs_no_history(world: World, tmp_path: Path) -> None:
    world.git("clone", "-q", "--depth=1", f"file://{world.root}", str(tmp_path / "shallow"))
    shallow = World(tmp_path / "shallow")
    together(replay(26), set_freeze(frozen_on=on(26), expires=on(50), renewed=1))(shallow)
    assert renewals(shallow, 26) == set()
    shallow.record("renew")
    shallow.unfreeze()
    assert renewals(shallow, 27) == set()
