"""Which tests a replay is about: by name, by freeze, by property, by what is due; and the parts of a split."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.cli.replay_tests import Asked, Selection, Shard, select, shard, with_replays
from flakeledger.model.clock import DAY, parse_date
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES
from flakeledger.rules.interviews import readable_policy
from flakeledger.store.replay_log import read_replays
from world import CLOCK, REFUND, TESTS, TOTAL, World, on

NOTHING = Asked((), False, False, None, None, None)
DUE = NOTHING._replace(due=True)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two rows of day 0; the replay of the first shows something, of the second there is none."""
    world = World.new(tmp_path / "world")
    world.replay(0)
    world.freeze(TOTAL, 0, 30, replay_env="local-fixture")
    world.freeze(REFUND, 0, 30)
    return world


def selected(world: World, asked: Asked, day: int = 5) -> Selection:
    with world.ledger() as ledger:
        return select(ledger, readable_policy(ledger), asked, parse_date(on(day)) + DAY // 2)


def meant(world: World, asked: Asked, day: int = 5) -> list[str]:
    return [one.test for one in selected(world, asked, day).chosen]


def test_named_tests_come_once_in_their_order_frozen_or_not(world: World) -> None:
    found = selected(world, NOTHING._replace(tests=(CLOCK, REFUND, TOTAL, CLOCK))).chosen
    assert [(one.test, one.runner.name) for one in found] == [
        (CLOCK, "pinned-py311"),
        (REFUND, "pinned-py311"),
        (TOTAL, "local-fixture"),
    ]
    on_one = selected(world, NOTHING._replace(tests=(REFUND, TOTAL), runner="local-fixture")).chosen
    assert {one.runner.name for one in on_one} == {"local-fixture"}


def test_all_are_the_frozen_ones_in_the_order_of_the_ledger(world: World) -> None:
    assert meant(world, NOTHING._replace(everything=True)) == [TOTAL, REFUND]


def test_a_frozen_test_that_is_gone_is_said_and_stops_no_other(world: World) -> None:
    world.sub(FREEZES, TOTAL, f"{TESTS}::test_gone")
    found = selected(world, NOTHING._replace(everything=True))
    assert [one.test for one in found.chosen] == [REFUND]
    assert found.notes == (f"not replayed: {TESTS}::test_gone: {TESTS} has no test test_gone",)


@pytest.mark.parametrize(
    ("day", "due"),
    [
        (2, [TOTAL]),  # young and without a replay; the other's is fresh
        (6, [TOTAL]),
        (7, [REFUND, TOTAL]),  # the evidence of day 0, 07:00, lapses on day 14: within `warn_days`
        (20, [REFUND, TOTAL]),
        (31, [REFUND]),  # expired, and never replayed: that row goes without a replay
    ],
)
def test_due_is_what_lacks_evidence_or_soon_will(day: int, due: list[str], world: World) -> None:
    assert sorted(meant(world, DUE, day)) == due


def test_what_is_void_is_not_due(world: World) -> None:
    world.append("tests/conftest.py", "LIMIT = 2\n")
    assert meant(world, DUE) == []


def test_a_replay_that_is_not_committed_is_evidence_too(world: World) -> None:
    with world.ledger() as ledger:
        line = f'{{"test": "{TOTAL}", "run_at": "{on(4)}T12:00:00Z", "env": "local-fixture", "seeds": '
        line += f'{list(range(20))}, "passed": 20, "total": 20}}\n'
        replays = [one.replay for one in read_replays(line.encode(), "log")[0]]
        now = parse_date(on(5))
        assert select(with_replays(ledger, replays), readable_policy(ledger), DUE, now).chosen == ()


def test_of_a_parametrised_test_of_a_property_the_frozen_ones_are_meant(world: World) -> None:
    code = "import pytest\n@pytest.mark.parametrize('x', [1, 2])\ndef test_rate(x): pass\n"
    world.append(TESTS, code)
    rate = f"{TESTS}::test_rate"
    world.set_fields(PROPERTIES, "PROP-1", tests=[REFUND, rate])
    found = selected(world, NOTHING._replace(property_id="PROP-1"))
    assert [one.test for one in found.chosen] == [REFUND]
    assert found.notes == (f"not replayed: {rate}: test_rate is parametrised: several tests; add the bracketed id",)
    world.sub(FREEZES, TOTAL, f"{rate}[2]")
    assert meant(world, NOTHING._replace(property_id="PROP-1")) == [REFUND, f"{rate}[2]"]


@pytest.mark.parametrize(
    ("name", "fix"),
    [("PROP-11", "did you mean PROP-1?"), ("x", "--property ID   # one of `PROP-1`")],
)
def test_a_property_that_is_not_there_is_answered_with_what_is(name: str, fix: str, world: World) -> None:
    with pytest.raises(CannotTell, match=f"has no property `{name}`") as refused:
        selected(world, NOTHING._replace(property_id=name))
    assert refused.value.fix == fix


# parts


@given(st.text(), st.integers(1, 9))
def test_a_test_is_in_exactly_one_part(test: str, parts: int) -> None:
    assert sum(Shard(part, parts).holds(test) for part in range(1, parts + 1)) == 1


def test_parts_stay_what_they_are() -> None:
    """On every machine, in every version: else a matrix of two versions would leave tests out."""
    assert [Shard(1, 2).holds(test) for test in (REFUND, TOTAL, CLOCK)] == [True, True, False]


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "-1/2", "1/99999999", "\u0661/\u0662"])
def test_what_is_no_part_is_bad_usage(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is no part"):
        shard(text)


def test_only_the_tests_of_the_part_are_meant(world: World) -> None:
    asked = NOTHING._replace(tests=(REFUND, TOTAL, CLOCK))
    halves = [meant(world, asked._replace(shard=shard(text))) for text in ("1/2", "2/2")]
    assert sorted([*halves[0], *halves[1]]) == sorted([REFUND, TOTAL, CLOCK])
