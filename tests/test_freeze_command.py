"""`flakeledger freeze`: a row with all its pins, or what the hooks would refuse; other lines stay as they were."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import Answer, commit_with_hooks, hook_findings, noon, typed
from flakeledger.cli import demo_shop
from flakeledger.cli.demo_stage import Demo
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.model.note import Note, note_file
from flakeledger.model.witness import Witness, example_of, witness_file
from hooked import YESTERDAY
from patched import FLIPPED, a_witness, saved
from world import CLOCK, CONFTEST, ORDERS, PRODUCT, REFUND, TESTS, TOTAL, World, on

REASON = "depends on the wall clock"
SAID = ("--reason", REASON, "--owner", "@finley")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A replay on the morning of day 0, and nothing frozen."""
    world = World.new(tmp_path_factory.mktemp("freeze") / "template")
    world.replay(0)
    world.record("replayed")
    return world


@pytest.fixture
def world(made: World, tmp_path: Path) -> World:
    return made.copy(tmp_path / "world")


def freeze(world: World, test: str = REFUND, *arguments: str, day: int = 1) -> Answer:
    return typed(world, "freeze", test, *arguments, "--now", noon(day))


def must_freeze(world: World, test: str = REFUND, *arguments: str, day: int = 1) -> Answer:
    answer = freeze(world, test, *(arguments or SAID), day=day)
    assert answer.code == 0, answer
    return answer


def fields(world: World, test: str = REFUND) -> dict[str, str]:
    """The one-line fields of a row, without quotes."""
    found = re.findall(r"(?m)^(?:- |  )(\w+): (.+)$", world.row(FREEZES, test))
    return {name: value.strip('"') for name, value in found}


def window(world: World, test: str = REFUND) -> str:
    return fields(world, test)["expires"]


# what is written


def test_the_row_holds_everything_that_the_level_needs(world: World) -> None:
    """The world computes the pins on its own; its way of writing a row is the plain one."""
    other = world.copy(world.root.with_name("other"))
    other.freeze(REFUND, 1, 30)
    must_freeze(world)
    assert world.read(FREEZES) == other.read(FREEZES)
    assert hook_findings(world, 1) == []


def test_at_level_ledger_nothing_is_pinned(world: World) -> None:
    world.set_policy(level="ledger")
    world.record("level")
    must_freeze(world)
    assert set(fields(world)) == {"test", "owner", "frozen_on", "expires", "reason", "property_id", "replay_env"}
    assert hook_findings(world, 1) == []


def test_everything_may_be_said(world: World) -> None:
    arguments = ("--property", "PROP-1", "--owner", "f@example.org", "--reason", 'says "no": #1', "--days", "2")
    more = ("--runner", "local-fixture", "--failure-class", "environment", "--issue", "https://example.org/7")
    must_freeze(world, REFUND, *arguments, *more)
    row = fields(world) | {"reason": ""}
    said = {"owner": "f@example.org", "expires": on(3), "replay_env": "local-fixture", "runner_class": "local-fixture"}
    assert row | said == row
    assert row["issue"] == "https://example.org/7"
    assert hook_findings(world, 1) == []


STYLES: dict[str, Callable[[str], str]] = {
    "comments": lambda text: f"# yaml-language-server: $schema=x.json\n# ours\n\n{text}\n# below\n",
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "no final newline": lambda text: text.removesuffix("\n"),
    "an empty list": lambda _: "[]  # none\n",
    "comments only": lambda _: "# none yet\n",
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES.keys())
def test_every_other_line_stays(world: World, style: Callable[[str], str]) -> None:
    world.freeze(TOTAL, 0, 3)
    text = style(world.read(FREEZES))
    (world.root / FREEZES).write_bytes(text.encode())
    world.record("styled")
    must_freeze(world)
    after = (world.root / FREEZES).read_bytes()
    assert after.count(b"\r\n") == (after.count(b"\n") if "\r\n" in text else 0)
    removed = [line for line in world.git("diff", "-U0", FREEZES).splitlines() if re.match(r"-(?!--)", line)]
    assert removed in ([], ["-[]  # none"]) or not text.endswith("\n")
    assert world.git("diff", "--numstat", "HEAD").split()[2::3] == [FREEZES]
    assert hook_findings(world, 1) == []


def test_a_sorted_ledger_stays_sorted(world: World) -> None:
    world.freeze_all([CLOCK, TOTAL], 0, 3)
    world.write(PROPERTIES, world.read(PROPERTIES))
    world.set_fields(PROPERTIES, "PROP-1", uncovered_until=on(20), owner="@finley")
    world.record("two")
    must_freeze(world)
    assert re.findall(r"(?m)^- test: (.*)$", world.read(FREEZES)) == [CLOCK, REFUND, TOTAL]


# the window


def replays(*days: int, total: int = 20, passed: int = 18) -> Callable[[World], None]:
    def edit(world: World) -> None:
        world.write(REPLAYS, "")
        for day in days:
            world.replay(day, passed, total)
        world.git("commit", "-qam", "replays", "--allow-empty")

    return edit


#: what is recorded, the day, what is said, the last day
WINDOWS = (
    (replays(0), 1, (), 31),
    (replays(), 1, (), 4),
    (replays(0), 20, (), 23),
    (replays(0, total=19, passed=10), 1, (), 4),
    (replays(0, 1), 14, (), 44),
    (replays(0), 1, ("--days", "7"), 8),
    (replays(), 1, ("--days", "3"), 4),
    (replays(0), 1, ("--expires", on(5)), 5),
)


@pytest.mark.parametrize(("record", "day", "said", "last"), WINDOWS)
def test_the_window_is_as_long_as_policy_and_replays_allow(
    world: World, record: Callable[[World], None], day: int, said: tuple[str, ...], last: int
) -> None:
    record(world)
    answer = must_freeze(world, REFUND, *SAID, *said, day=day)
    assert window(world) == on(last)
    assert ("the window is short" in answer.out) is (not said and last == day + 3)
    assert hook_findings(world, day) == []


def test_a_short_window_says_what_a_longer_one_lacks(world: World) -> None:
    answer = must_freeze(world, TOTAL, *SAID)
    assert window(world, TOTAL) == on(4)
    assert re.search(rf"note: the window is short, .*{re.escape(TOTAL)}", answer.out)


def test_an_instant_may_end_it(world: World) -> None:
    must_freeze(world, REFUND, *SAID, "--expires", f"{on(2)}T08:00:00+02:00")
    assert window(world) == f"{on(2)}T08:00:00+02:00"
    assert hook_findings(world, 1) == []


# who and what for


OWNERS = (
    (f"/{TESTS} @dana\n", "@dana"),
    ("* @org/team\n", "@org/team"),
    ("* @a @b\ntests/ @dana\n", "@dana"),
)


@pytest.mark.parametrize(("text", "owner"), OWNERS)
def test_the_one_code_owner_answers_for_it(world: World, text: str, owner: str) -> None:
    world.write("CODEOWNERS", text)
    must_freeze(world, REFUND, "--reason", REASON)
    assert fields(world)["owner"] == owner


@pytest.mark.parametrize(("text", "said"), [("* @a @b\n", "@a, @b"), ("/src/ @a\n", "nobody"), ("", "nobody")])
def test_without_one_code_owner_somebody_has_to_be_named(world: World, text: str, said: str) -> None:
    world.write("CODEOWNERS", text)
    answer = freeze(world, REFUND, "--reason", REASON)
    assert (answer.code, world.read(FREEZES)) == (2, "")
    assert said in answer.err
    assert "--owner" in answer.err


def test_a_test_of_several_properties_needs_one_named(world: World) -> None:
    world.add_row(PROPERTIES, id="PROP-2", statement="the total is kept", fixtures=["FX-1"], tests=[REFUND, TOTAL])
    world.sub(TESTS, "property_id: PROP-1", "property_id: PROP-1, property_id: PROP-2")
    world.record("another property")
    answer = freeze(world, REFUND, *SAID)
    assert (answer.code, world.read(FREEZES)) == (2, "")
    assert "PROP-1, PROP-2" in answer.err
    must_freeze(world, REFUND, *SAID, "--property", "PROP-2")
    assert fields(world)["property_id"] == "PROP-2"


def test_a_test_of_no_property_cannot_be_frozen(world: World) -> None:
    world.append(TESTS, "def test_new():\n    assert 1\n")
    world.record("a test more")
    answer = freeze(world, f"{TESTS}::test_new", *SAID)
    assert (answer.code, world.read(FREEZES)) == (2, "")
    assert f"no property lists {TESTS}::test_new" in answer.err


USAGE = (
    ((REFUND, "--owner", "@a"), "why is the test not trusted?"),
    ((REFUND, "--renew"), f"{FREEZES} has no row for {REFUND}"),
    ((REFUND, *SAID, "--now", "9999-12-31T00:00:00Z"), "after the year 9999"),
)


@pytest.mark.parametrize(("arguments", "message"), USAGE)
def test_what_cannot_be_told_is_asked_for(world: World, arguments: tuple[str, ...], message: str) -> None:
    answer = typed(world, "freeze", *arguments)
    assert (answer.code, world.read(FREEZES)) == (2, "")
    assert message in answer.err


ILL_WRITTEN = ("--days=0", "--days=x", "--days=99999", "--days=٣", "--expires=soon", "--uncovered-until=2026-02-30")


@pytest.mark.parametrize("argument", [*ILL_WRITTEN, "--now=2026-10-11", "--failure-class=bug"])
def test_an_argument_that_is_no_date_or_number_is_bad_usage(world: World, argument: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        typed(world, "freeze", REFUND, *SAID, argument)
    assert world.read(FREEZES) == ""


def test_a_frozen_test_is_not_frozen_again(world: World) -> None:
    must_freeze(world)
    before = world.read(FREEZES)
    answer = freeze(world, REFUND, *SAID)
    assert (answer.code, world.read(FREEZES)) == (2, before)
    assert "is frozen already" in answer.err
    assert "@finley" in answer.err


# what the hooks would refuse


def by_hand(world: World, **changes: str) -> None:
    """The row that a person would paste: what the command prints where nothing is wrong, with other values."""
    test = changes.pop("test", REFUND)
    printed = freeze(world, REFUND, *SAID, "--print").out
    world.append(FREEZES, printed.replace(REFUND, test))
    if changes:
        world.set_fields(FREEZES, test, **changes)


#: what is said, and the same in a row written by hand
REFUSED = (
    (("--days", "31"), {"expires": on(32)}),
    (("--expires", on(0)), {"expires": on(0)}),
    (("--owner", "nobody"), {"owner": "nobody"}),
    (("--owner", "@TODO"), {"owner": "@TODO"}),
    (("--reason", "flaky"), {"reason": "flaky"}),
    (("--failure-class", "invariant"), {"failure_class": "invariant"}),
    (("--runner", "my-laptop"), {"replay_env": "my-laptop", "runner_class": "my-laptop", "expires": on(4)}),
    (("--runner", "local-fixture", "--days", "9"), {"replay_env": "local-fixture", "runner_class": "local-fixture"}),
)


@pytest.mark.parametrize(("said", "row"), REFUSED, ids=["-".join(said) for said, _ in REFUSED])
def test_a_refusal_has_the_words_of_the_hooks(world: World, said: tuple[str, ...], row: dict[str, str]) -> None:
    other = world.copy(world.root.with_name("other"))
    answer = freeze(world, REFUND, *SAID, *said)
    assert (answer.code, world.read(FREEZES), world.git("status", "--porcelain")) == (1, "", "")
    by_hand(other, **({"expires": on(10)} if "9" in said else {}), **row)
    assert set(answer.findings) == set(hook_findings(other, 1))
    assert "nothing was written" in answer.out


def test_a_property_or_test_that_is_not_there_is_refused_for_that_alone(world: World) -> None:
    gone = freeze(world, f"{TESTS}::test_refunds", *SAID)
    assert (gone.code, [rule for rule, _ in gone.findings]) == (1, ["freeze-dangling"])
    assert f"did you mean {REFUND}?" in gone.out
    unknown = freeze(world, REFUND, *SAID, "--property", "PROP-11")
    assert (unknown.code, [rule for rule, _ in unknown.findings]) == (1, ["freeze-unknown-property"])
    assert "did you mean PROP-1?" in unknown.out
    assert world.read(FREEZES) == ""


def test_a_property_that_does_not_list_the_test_is_refused(world: World) -> None:
    world.add_row(PROPERTIES, id="PROP-2", statement="the total is kept", fixtures=["FX-1"], tests=[TOTAL])
    world.sub(TESTS, "property_id: PROP-1", "property_id: PROP-1, property_id: PROP-2")
    world.record("another property")
    answer = freeze(world, REFUND, *SAID, "--property", "PROP-2")
    assert (answer.code, [rule for rule, _ in answer.findings]) == (1, ["freeze-not-bound"])


def edit_generator(world: World) -> None:
    world.write(CONFTEST, "LIMIT = 2\n")


def edit_test(world: World) -> None:
    world.sub(TESTS, "assert x >= 0", "assert x > 0")


def loosen_policy(world: World) -> None:
    world.set_policy(max_window_days=60)


def drift(world: World) -> None:
    world.write(ORDERS, '{"a": 2}\n')


def tidy_away(world: World) -> None:
    world.delete(ORDERS)


EDITS = (
    (edit_generator, {"mixed-change", "freeze-with-edit"}),
    (edit_test, {"freeze-with-edit"}),
    (loosen_policy, {"policy-not-alone"}),
    (drift, {"fixture-drifted", "mixed-change"}),
    (tidy_away, {"fixture-missing", "mixed-change"}),
)


@pytest.mark.parametrize(("edit", "rules"), EDITS, ids=[edit.__name__ for edit, _ in EDITS])
def test_a_freeze_beside_an_edit_of_what_it_is_granted_for_is_refused(
    world: World, edit: Callable[[World], None], rules: set[str]
) -> None:
    edit(world)
    answer = freeze(world, REFUND, *SAID)
    assert (answer.code, world.read(FREEZES)) == (1, "")
    assert {rule for rule, _ in answer.findings} == rules
    if edit is not tidy_away:
        by_hand_row = world.copy(world.root.with_name("other"))
        by_hand_row.freeze(REFUND, 1, 30)
        assert set(answer.findings) == set(hook_findings(by_hand_row, 1))


def test_what_was_wrong_before_and_elsewhere_does_not_stop_it(world: World) -> None:
    world.write("tests/fixtures/rates.json", "[1]\n")
    world.add_fixture("FX-2", "tests/fixtures/rates.json")
    world.write("tests/fixtures/rates.json", "[2]\n")
    world.record("a lock that drifted")
    assert [rule for rule, _ in hook_findings(world, 1)] == ["fixture-drifted"]
    must_freeze(world)


def test_production_code_may_be_edited_meanwhile(world: World) -> None:
    world.write(PRODUCT, "def total():\n    return 4\n")
    must_freeze(world)


# the last live test of a property


def only_refund(world: World) -> None:
    world.set_fields(PROPERTIES, "PROP-1", tests=[REFUND])
    world.record("one test")


def test_the_last_live_test_needs_a_waiver(world: World) -> None:
    only_refund(world)
    before = world.read(PROPERTIES)
    answer = freeze(world, REFUND, *SAID)
    assert (answer.code, [rule for rule, _ in answer.findings]) == (1, ["property-unprotected"])
    assert "--uncovered-until" in answer.out
    must_freeze(world, REFUND, *SAID, "--uncovered-until", on(20))
    assert world.read(PROPERTIES) == f'{before}  uncovered_until: {on(20)}\n  owner: "@finley"\n'
    assert hook_findings(world, 1) == []


def test_a_waiver_that_is_too_long_is_refused_and_nothing_is_written(world: World) -> None:
    only_refund(world)
    answer = freeze(world, REFUND, *SAID, "--uncovered-until", on(40))
    assert (answer.code, [rule for rule, _ in answer.findings]) == (1, ["property-unprotected"])
    assert world.git("status", "--porcelain") == ""


def test_a_waiver_keeps_the_owner_that_the_property_has(world: World) -> None:
    only_refund(world)
    world.set_fields(PROPERTIES, "PROP-1", owner="@dana")
    world.record("owned")
    must_freeze(world, REFUND, *SAID, "--uncovered-until", on(20))
    assert '  owner: "@dana"\n' in world.read(PROPERTIES)


def test_a_waiver_that_nothing_needs_is_left_out(world: World) -> None:
    answer = must_freeze(world, REFUND, *SAID, "--uncovered-until", on(20))
    assert "PROP-1 has other live tests" in answer.out
    assert world.git("diff", "--name-only") == FREEZES


# renewing


def frozen(world: World, day: int = 1) -> None:
    must_freeze(world, day=day)
    world.sub(FREEZES, "  reason", "  # because of the queue\n  reason")
    world.record("frozen")


def test_a_row_is_renewed_in_its_place(world: World) -> None:
    frozen(world)
    world.replay(28)
    world.record("a newer replay")
    before = world.read(FREEZES)
    answer = must_freeze(world, REFUND, "--renew", "--days", "10", day=29)
    expected = before.replace(on(1), on(29)).replace(f"expires: {on(31)}", f"expires: {on(39)}")
    assert world.read(FREEZES) == f"{expected}  renewed: 1\n"
    assert f"renewed {REFUND} until {on(39)} (10 days after today)" in answer.out
    assert hook_findings(world, 29) == []


def test_a_renewal_may_name_another_owner_and_reason(world: World) -> None:
    frozen(world)
    world.replay(28)
    world.record("a newer replay")
    arguments = ("--owner", "@dana", "--reason", "still depends on the clock", "--issue", "https://example.org/8")
    must_freeze(world, REFUND, "--renew", *arguments, day=29)
    row = fields(world)
    assert (row["owner"], row["reason"], row["issue"]) == ("@dana", arguments[3], arguments[5])
    assert window(world) == on(59)
    assert hook_findings(world, 29) == []


def test_a_void_row_is_not_renewed(world: World) -> None:
    frozen(world)
    world.replay(28)
    edit_generator(world)
    world.record("the generators changed")
    before = world.read(FREEZES)
    answer = freeze(world, REFUND, "--renew", day=29)
    assert (answer.code, world.read(FREEZES)) == (1, before)
    assert [rule for rule, _ in answer.findings] == ["freeze-generator-hash"]


@pytest.mark.parametrize(("said", "rules"), [
    (("--runner", "local-fixture"), {"freeze-rekeyed", "replay-wrong-env", "freeze-renewed"}),
    (("--failure-class", "invariant"), {"freeze-rekeyed", "freeze-not-environment"}),
])  # fmt: skip
def test_a_renewal_is_for_the_same_thing(world: World, said: tuple[str, ...], rules: set[str]) -> None:
    frozen(world)
    world.replay(28)
    world.record("a newer replay")
    answer = freeze(world, REFUND, "--renew", "--days", "20", *said, day=29)
    assert answer.code == 1
    assert "freeze-rekeyed" in {rule for rule, _ in answer.findings} <= rules


def test_too_early_and_without_a_newer_replay_nothing_is_renewed(world: World) -> None:
    frozen(world)
    before = world.read(FREEZES)
    for day in (3, 29):
        answer = freeze(world, REFUND, "--renew", "--days", "3", day=day)
        assert (answer.code, world.read(FREEZES)) == (1, before)
        assert [rule for rule, _ in answer.findings] == ["freeze-renewed"]


# frozen before


def thawed(world: World, day: int = 5) -> None:
    """A freeze of day 1 to 31 that a green replay ended."""
    frozen(world)
    world.replay(day, 20)
    world.record("green")
    assert typed(world, "thaw", REFUND, "--now", noon(day)).code == 0
    assert hook_findings(world, day) == []
    world.record("thawed")


def fell_with_a_fixture(world: World, day: int = 5) -> None:
    """By commands alone, in one commit: the file, its lock, the row that falls with them."""
    world.write(ORDERS, '{"a": 2}\n')
    assert typed(world, "lock", "--drop-void").code == 0
    assert hook_findings(world, day) == []
    world.record("another fixture")


def fell_with_a_generator(world: World, day: int = 5) -> None:
    edit_generator(world)
    assert typed(world, "thaw", REFUND, "--now", noon(day)).code == 0
    assert hook_findings(world, day) == []
    world.record("other generators")


FALLS = (fell_with_a_fixture, fell_with_a_generator)


@pytest.mark.parametrize("fall", FALLS, ids=[fall.__name__ for fall in FALLS])
def test_a_freeze_that_fell_comes_back_on_a_replay_with_the_time_that_it_had_left(
    world: World, fall: Callable[[World], None]
) -> None:
    frozen(world)
    fall(world)
    refused = freeze(world, REFUND, *SAID, day=6)
    assert (refused.code, [rule for rule, _ in refused.findings]) == (1, ["freeze-renewed"])
    assert "replay the test on the tree as it is now and run this again" in refused.out
    world.replay(6)
    answer = must_freeze(world, day=6)
    assert (window(world), "renewed" in fields(world)) == (on(31), False)
    assert f"note: the freeze of {REFUND} from {on(1)} to {on(31)} fell with a pin or with its test" in answer.out
    assert hook_findings(world, 6) == []


def test_one_that_comes_back_has_the_owner_of_before(world: World) -> None:
    world.write("CODEOWNERS", "* @dana\n")
    frozen(world)
    fell_with_a_fixture(world)
    world.replay(6)
    must_freeze(world, REFUND, "--reason", REASON, day=6)
    assert fields(world)["owner"] == "@finley"
    assert hook_findings(world, 6) == []


def test_one_that_comes_back_keeps_its_count_and_may_end_earlier(world: World) -> None:
    frozen(world)
    world.replay(28)
    world.record("a newer replay")
    must_freeze(world, REFUND, "--renew", day=29)
    world.record("renewed")
    fell_with_a_fixture(world, day=30)
    world.replay(31)
    must_freeze(world, REFUND, *SAID, "--days", "9", day=31)
    assert (window(world), fields(world)["renewed"]) == (on(40), "1")
    assert hook_findings(world, 31) == []


def test_an_end_that_is_an_instant_is_kept_as_it_was(world: World) -> None:
    end = f"{on(20)}T08:00:00+02:00"
    must_freeze(world, REFUND, *SAID, "--expires", end)
    world.record("frozen")
    fell_with_a_fixture(world)
    world.replay(6)
    must_freeze(world, day=6)
    assert window(world) == end
    assert hook_findings(world, 6) == []


def test_one_that_fell_gets_more_time_only_as_a_renewal(world: World) -> None:
    frozen(world)
    fell_with_a_fixture(world)
    world.replay(6)
    refused = freeze(world, REFUND, *SAID, "--days", "30", day=6)
    assert (refused.code, [rule for rule, _ in refused.findings]) == (1, ["freeze-renewed"])
    world.replay(26)
    must_freeze(world, REFUND, *SAID, "--days", "30", day=26)
    assert (window(world), fields(world)["renewed"]) == (on(56), "1")
    assert hook_findings(world, 26) == []


def test_a_test_that_moved_is_the_same_test(world: World) -> None:
    frozen(world)
    moved = "tests/test_shop.py::test_refund"
    world.move(TESTS, "tests/test_shop.py")
    world.sub(PROPERTIES, TESTS, "tests/test_shop.py")
    assert typed(world, "thaw", REFUND, "--now", noon(5)).code == 0
    assert hook_findings(world, 5) == []
    world.record("moved")
    world.replay(6, test=moved)
    answer = must_freeze(world, moved, day=6)
    assert window(world, moved) == on(31)
    assert f"the freeze of {REFUND} from" in answer.out
    assert hook_findings(world, 6) == []


@pytest.mark.parametrize("day", [25, 33, 119])
def test_after_a_freeze_that_ended_a_new_one_is_its_renewal(world: World, day: int) -> None:
    thawed(world)
    world.replay(day)
    answer = must_freeze(world, day=day)
    assert (window(world), fields(world)["renewed"]) == (on(day + 30), "1")
    assert f"note: {REFUND} was frozen from {on(1)} to {on(31)}: this counts as renewal 1 of 1" in answer.out
    assert hook_findings(world, day) == []


def test_too_early_the_rule_says_what_is_lacking(world: World) -> None:
    thawed(world)
    refused = freeze(world, REFUND, *SAID, day=6)
    assert (refused.code, world.read(FREEZES), world.git("status", "--porcelain")) == (1, "", "")
    lacking = f"a window is renewed in its last 7 days or later, from {on(25)}T00:00:00Z on"
    message = f"{REFUND} is frozen anew, after the freeze of {on(1)} to {on(31)}: {lacking}"
    assert refused.findings == [("freeze-renewed", message)]
    assert "writes `renewed: 1` itself" in refused.out


def test_renewals_are_used_up_over_rows_that_went(world: World) -> None:
    thawed(world)
    world.replay(33)
    must_freeze(world, day=33)
    world.record("renewed")
    assert typed(world, "thaw", REFUND, "--now", noon(70)).code == 0
    world.record("expired")
    world.replay(71)
    refused = freeze(world, REFUND, *SAID, day=71)
    assert (refused.code, {rule for rule, _ in refused.findings}) == (1, {"freeze-renewed", "freeze-renewals"})
    assert "the policy allows no more than 1" in refused.out


def test_90_days_after_its_end_a_freeze_is_forgotten(world: World) -> None:
    thawed(world)
    world.replay(366)
    answer = must_freeze(world, day=366)
    assert (window(world), "renewed" in fields(world)) == (on(396), False)
    assert "was frozen" not in answer.out
    assert hook_findings(world, 366) == []


def test_a_row_that_is_gone_on_disk_only_stands_in_the_way(world: World) -> None:
    frozen(world)
    world.write(ORDERS, '{"a": 2}\n')
    assert typed(world, "lock", "--drop-void").code == 0
    world.replay(6)
    refused = freeze(world, REFUND, *SAID, day=6)
    assert (refused.code, world.read(FREEZES)) == (1, "")
    assert "its row is gone on disk only: commit that first" in refused.out


def test_what_was_renewed_by_name_and_has_no_row_is_sent_to_the_command_that_works(world: World) -> None:
    thawed(world)
    world.replay(33)
    answer = freeze(world, REFUND, "--renew", day=33)
    assert answer.code == 2
    assert f"fix: flakeledger freeze {REFUND} --reason TEXT" in answer.err


# printing


def test_print_gives_the_row_and_writes_nothing(world: World) -> None:
    printed = must_freeze(world, REFUND, *SAID, "--print")
    assert world.git("status", "--porcelain") == ""
    assert f"would freeze {REFUND}" in printed.err
    must_freeze(world)
    assert world.read(FREEZES) == printed.out


def test_print_gives_the_waiver_too(world: World) -> None:
    only_refund(world)
    printed = must_freeze(world, REFUND, *SAID, "--uncovered-until", on(20), "--print").out
    assert world.git("status", "--porcelain") == ""
    must_freeze(world, REFUND, *SAID, "--uncovered-until", on(20))
    assert printed == f"# {FREEZES}\n{world.read(FREEZES)}\n# {PROPERTIES}\n{world.read(PROPERTIES)}"


def test_print_refuses_what_would_be_refused(world: World) -> None:
    answer = freeze(world, REFUND, *SAID, "--days", "31", "--print")
    assert (answer.code, [rule for rule, _ in answer.findings]) == (1, ["freeze-window"])


# files that are not as they should be


def link_ledger(world: World) -> None:
    world.move(FREEZES, "real.yaml")
    (world.root / FREEZES).symlink_to("../real.yaml")


def folder_for_ledger(world: World) -> None:
    world.delete(FREEZES)
    world.write(f"{FREEZES}/x", "x\n")


def break_ledger(world: World) -> None:
    world.write(FREEZES, "- test: x\n  owner: @finley\n")


def break_policy(world: World) -> None:
    world.sub(POLICY, "version: 1", "version: 7")


def write_protect(world: World) -> None:
    (world.root / FREEZES).chmod(0o444)


UNFIT = (link_ledger, folder_for_ledger, break_ledger, break_policy, write_protect)


@pytest.mark.parametrize("edit", UNFIT, ids=[edit.__name__ for edit in UNFIT])
def test_a_ledger_that_cannot_be_edited_stays(world: World, edit: Callable[[World], None]) -> None:
    edit(world)
    before = world.git("status", "--porcelain", "--untracked-files=all"), world.git("diff")
    answer = freeze(world, REFUND, *SAID)
    assert answer.code == 2
    assert "    fix: " in answer.err
    assert (world.git("status", "--porcelain", "--untracked-files=all"), world.git("diff")) == before


# the whole way


def test_the_hooks_accept_what_freeze_wrote_and_thawing_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    world = World.new(tmp_path / "world")
    (world.root / FREEZES).write_bytes(b"# ours\r\n\r\n[]\r\n# below\r\n")
    world.replay(YESTERDAY)
    world.record("replayed")
    before = (world.root / FREEZES).read_bytes()
    assert typed(world, "freeze", REFUND, *SAID).code == 0
    assert commit_with_hooks(world, FREEZES) == ""
    assert typed(world, "thaw", REFUND).code == 0, "younger than the window that needs no replay"
    assert (world.root / FREEZES).read_bytes().replace(b"[]\r\n", b"") == before.replace(b"[]\r\n", b"")
    assert commit_with_hooks(world, FREEZES) == ""


def test_on_the_demo_repository_a_freeze_and_its_thaw_leave_the_file_as_it_was(tmp_path: Path) -> None:
    shop = Demo(str(tmp_path), int(time.time()), colour=False)
    shop.open_shop()
    world = World(tmp_path)
    before = (tmp_path / FREEZES).read_bytes()
    said = ("--owner", "@finley", "--reason", "fails for odd quantities only")
    assert typed(world, "freeze", demo_shop.TOTAL_TEST, *said, "--property", "PROP-TOTAL").code == 0
    assert (tmp_path / FREEZES).read_bytes().startswith(before.rstrip(b"\n"))
    assert typed(world, "thaw", demo_shop.TOTAL_TEST).code == 0
    assert (tmp_path / FREEZES).read_bytes() == before


def test_both_files_of_an_edit_are_accepted(tmp_path: Path) -> None:
    world = World.new(tmp_path / "world")
    only_refund(world)
    assert typed(world, "freeze", REFUND, *SAID, "--uncovered-until", on(YESTERDAY + 5)).code == 0
    assert FIXTURES not in world.git("diff", "--name-only")
    assert commit_with_hooks(world, "ledgers") == ""


# witnessed


@pytest.fixture
def witnessed(tmp_path: Path) -> World:
    """The refund was replayed, at the level that asks for witnesses."""
    world = World.new(tmp_path / "witnessed", level="witnessed")
    world.replay(0)
    world.record("replayed")
    return world


def named(world: World, witness: Witness, **note: object) -> tuple[str, ...]:
    """The arguments that name a witness and a note about it, in files outside of the repository."""
    path = world.root.with_name("note.json")
    path.write_bytes(note_file(a_note(witness, **note)).data)
    return ("--witness", str(saved(world, witness)), "--note", str(path))


def a_note(witness: Witness, **changed: object) -> Note:
    """An eligible note about a witness, with some fields changed."""
    commit = "1" * 40
    note = Note("production", "PROP-1", witness.example_sha256, True, FLIPPED, None, "eligible_short", commit, commit)
    return note._replace(**changed)  # type: ignore[arg-type]  # tests change any field to anything


def below_ledgers(world: World) -> list[str]:
    return sorted(str(path.relative_to(world.root)) for path in (world.root / "ledgers").rglob("*") if path.is_file())


def test_row_witness_and_note_are_written_in_one_step(witnessed: World) -> None:
    witness = a_witness(witnessed)
    answer = must_freeze(witnessed, REFUND, *SAID, *named(witnessed, witness))
    digests = witness_file(witness).digest, note_file(a_note(witness)).digest
    assert (fields(witnessed)["witness"], fields(witnessed)["note"]) == digests
    paths = f"ledgers/witnesses/{digests[0]}.json", f"ledgers/notes/{digests[1]}.json"
    assert [witnessed.read(path).encode() for path in paths] == [
        witness_file(witness).data,
        note_file(a_note(witness)).data,
    ]
    assert all(path in answer.out for path in ("git add", *paths))
    assert window(witnessed) == on(31)
    assert hook_findings(witnessed, 1) == []


def test_printed_a_granted_row_names_its_files(witnessed: World) -> None:
    before = below_ledgers(witnessed)
    answer = must_freeze(witnessed, REFUND, *SAID, *named(witnessed, a_witness(witnessed)), "--print")
    assert "witness: " in answer.out
    assert "with the row go `ledgers/witnesses/" in answer.err
    assert below_ledgers(witnessed) == before


TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
NO_GRANT: dict[str, tuple[dict[str, object], dict[str, object], str]] = {
    "a denial": ({}, {"freeze": "deny:stable_fail"}, "it says `deny:stable_fail`, not `eligible_short`"),
    "another property": ({}, {"property_id": "PROP-2"}, "it is about property PROP-2"),
    "another example": ({}, {"example_sha256": "0" * 64}, "it is about another example"),
    "no flip": ({}, {"replay_outcomes": ("fail",) * 5}, "its replays show no input that both passed and failed"),
    "a witness of another test": ({"test": CLOCK}, {}, f"it is one of `{CLOCK}`"),
    "a witness of another property": ({"property_id": "PROP-9"}, {}, "it is one of property `PROP-9`"),
    "other generators": ({"generator_hashes": {}}, {}, "the generators are not those it was drawn from"),
    "over the cap": ({"example": example_of({"x": "y" * 8192}, REFUND)}, {}, "the policy allows 8192"),
    "flaky": ({"shrink": "flaky"}, {}, "the policy denies that"),
    "tampered": ({"example_sha256": "0" * 64}, {"example_sha256": "0" * 64}, "the digest of the example is"),
    "a secret in the example": (
        {"example": example_of({"x": TOKEN}, REFUND)},
        {},
        "its example holds what looks like a secret (GitHub Token) at arguments.x",
    ),
    "a secret in the note": ({}, {"network": TOKEN}, "it holds what looks like a secret (GitHub Token)"),
}


@pytest.mark.parametrize(("changed", "note", "reason"), NO_GRANT.values(), ids=NO_GRANT.keys())
@pytest.mark.parametrize("days", [(), ("--days", "2")], ids=["long", "short"])
def test_what_grants_nothing_is_not_written(
    witnessed: World, changed: dict[str, object], note: dict[str, object], reason: str, days: tuple[str, ...]
) -> None:
    before = below_ledgers(witnessed), witnessed.read(FREEZES)
    answer = freeze(witnessed, REFUND, *SAID, *named(witnessed, a_witness(witnessed, **changed), **note), *days)
    assert answer.code == 1
    assert reason in answer.out
    assert TOKEN not in answer.out + answer.err
    assert (below_ledgers(witnessed), witnessed.read(FREEZES)) == before


def test_a_file_that_is_no_witness_is_not_written(witnessed: World) -> None:
    before = below_ledgers(witnessed)
    arguments = named(witnessed, a_witness(witnessed))
    Path(arguments[1]).write_text("{}\n")
    answer = freeze(witnessed, REFUND, *SAID, *arguments)
    assert (answer.code, below_ledgers(witnessed)) == (1, before)
    assert "freeze-witness" in answer.out


def test_a_witness_that_was_renamed_lies_under_its_digest(witnessed: World) -> None:
    witness = a_witness(witnessed)
    path = saved(witnessed, witness, "mine.json")
    must_freeze(witnessed, REFUND, *SAID, *named(witnessed, witness)[2:], "--witness", str(path))
    assert f"ledgers/witnesses/{witness_file(witness).digest}.json" in below_ledgers(witnessed)


def test_a_renewal_may_bring_a_witness_and_never_another_one(witnessed: World) -> None:
    must_freeze(witnessed, REFUND, *SAID, "--days", "3")
    witnessed.record("frozen")
    witnessed.replay(3)
    witnessed.record("replayed")
    witness = a_witness(witnessed)
    with_another = witnessed.copy(witnessed.root.with_name("another"))
    must_freeze(witnessed, REFUND, "--renew", *named(witnessed, witness), day=4)
    assert fields(witnessed)["witness"] == witness_file(witness).digest
    assert hook_findings(witnessed, 4) == []
    with_another.set_fields(FREEZES, REFUND, witness="1" * 64)
    with_another.record("another")
    answer = freeze(with_another, REFUND, "--renew", *named(with_another, witness), day=4)
    assert answer.code == 1
    assert "freeze-rekeyed" in {rule for rule, _ in answer.findings}


UNGRANTED: dict[str, tuple[str, tuple[str, ...], str, str]] = {
    "a witness alone": (REFUND, ("--witness", "x"), "a witness alone grants nothing", "flakeledger gate --base"),
    "a note alone": (REFUND, ("--note", "x"), "a note is about a witness", "--witness FILE"),
    "no such file": (REFUND, ("--witness", "x", "--note", "x"), "x cannot be read", "name a file"),
    "a test without draws": (TOTAL, ("--witness", "x", "--note", "x"), "Hypothesis draws nothing", "leave --witness"),
}


@pytest.mark.parametrize(("test", "arguments", "reason", "fix"), UNGRANTED.values(), ids=UNGRANTED.keys())
def test_what_is_missing_is_said(
    witnessed: World, test: str, arguments: tuple[str, ...], reason: str, fix: str
) -> None:
    answer = freeze(witnessed, test, *SAID, *arguments)
    assert answer.code == 2
    assert reason in answer.err
    assert fix in answer.err


def test_where_nobody_verifies_a_witness_none_is_taken(world: World) -> None:
    answer = freeze(world, REFUND, *SAID, *named(world, a_witness(world)))
    assert answer.code == 2
    assert "the policy's level is keyed, at which nobody verifies a witness" in answer.err


def test_without_a_witness_the_window_is_short_and_the_way_to_one_is_told(witnessed: World) -> None:
    answer = must_freeze(witnessed)
    assert window(witnessed) == on(4)
    assert "flakeledger gate --base REV --witness FILE --out note.json" in answer.out
    assert "--witness FILE --note note.json" in answer.out


def test_a_long_window_without_a_witness_is_refused_with_the_way_to_one(witnessed: World) -> None:
    answer = freeze(witnessed, REFUND, *SAID, "--days", "20")
    assert answer.code == 1
    assert {rule for rule, _ in answer.findings} >= {"freeze-witness", "freeze-note"}
    assert "flakeledger gate --base REV --witness FILE --out note.json" in answer.out
