"""`flakeledger remind`: who must act, for people and for what sends mails."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commands import Answer, noon, typed
from flakeledger.model.ledger_paths import FREEZES
from frozen import three_owners
from steps import set_freeze
from world import CLOCK, REFUND, TOTAL, Templates, World, on


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", three_owners, "keyed", "block")


def remind(world: World, *arguments: str) -> Answer:
    return typed(world, "remind", "--now", noon(6), *arguments)


def reminded(world: World, *arguments: str) -> list[tuple[str | None, str | None, list[str]]]:
    """Owner, address and tests of each reminder."""
    answer = remind(world, "--format", "json", *arguments)
    assert (answer.code, answer.err) == (0, "")
    found = json.loads(answer.out)["owners"]
    return [(one["owner"], one["address"], [row["test"] for row in one["freezes"]]) for one in found]


def test_as_text(world: World) -> None:
    answer = remind(world)
    assert answer.code == 0
    assert (
        answer.out
        == f"""\
ada@example.org: 1 frozen test
  {TOTAL}
    expired (expires: {on(3)}); delete_first: it is expired and was never replayed since it was frozen
    next: flakeledger thaw {TOTAL}

@org/clocks: 1 frozen test
  {CLOCK}
    5 days left (expires: {on(10)}); thaw: its newest replay from pinned-py311 has 20/20 passed, failing at most 13.9 %
    next: flakeledger thaw {CLOCK}
"""
    )
    assert answer.err == (
        "ending within 7 days: 2 of 3 freezes: 1 delete_first, 1 thaw; "
        f"judged: the working tree; now: {noon(6)}\n"
    )  # fmt: skip


def test_as_json(world: World) -> None:
    value = json.loads(remind(world, "--days", "4", "--format", "json").out)
    [ada] = value.pop("owners")
    assert value == {"version": 1, "judged": "the working tree", "now": noon(6), "days": 4}
    [row] = ada.pop("freezes")
    assert ada == {"owner": "ada@example.org", "address": "ada@example.org"}
    assert row == {
        "test": TOTAL, "owner": "ada@example.org", "property_id": "PROP-1", "expires": on(3),
        "expired": True, "days_left": 0, "verdict": "delete_first", "may_go": True, "generators": "unchanged",
        "reason": "it is expired and was never replayed since it was frozen", "next": f"flakeledger thaw {TOTAL}",
        "replay": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("days", "owners"),
    [
        ("4", ["ada@example.org"]),
        ("5", ["ada@example.org", "@org/clocks"]),
        ("25", ["ada@example.org", "@org/clocks", "@finley"]),
    ],
)
def test_who_must_act_within_so_many_days(world: World, days: str, owners: list[str]) -> None:
    assert [owner for owner, _, _ in reminded(world, "--days", days)] == owners


def test_the_policy_says_how_many_days_else(world: World) -> None:
    world.set_policy(warn_days="25")
    assert len(reminded(world)) == 3


def test_one_owner_in_two_spellings_gets_one_reminder(world: World) -> None:
    set_freeze(TOTAL, owner="@Finley")(world)
    assert reminded(world, "--days", "30") == [("@Finley", None, [TOTAL, REFUND]), ("@org/clocks", None, [CLOCK])]


def test_what_nobody_owns_comes_first(world: World) -> None:
    set_freeze(REFUND, owner="tbd")(world)
    assert reminded(world, "--days", "30")[0] == (None, None, [REFUND])
    assert remind(world, "--days", "30").out.startswith("nobody: 1 frozen test\n")


def test_a_row_without_an_end_is_not_forgotten(world: World) -> None:
    set_freeze(REFUND, expires=None)(world)
    assert ("@finley", None, [REFUND]) in reminded(world, "--days", "1")
    assert f"  {REFUND}\n    no end; delete_test: " in remind(world, "--days", "1").out


def test_text_of_strangers_begins_no_line_and_drives_no_terminal(world: World) -> None:
    set_freeze(TOTAL, property_id="'P\\e[31m'")(world)
    assert "\x1b" not in remind(world).out


def test_nobody_must_act(world: World) -> None:
    world.write(FREEZES, "")
    answer = remind(world)
    assert (answer.code, answer.out) == (0, "")
    assert answer.err.startswith("ending within 7 days: 0 freezes; ")


def test_what_cannot_be_read_is_exit_2(world: World) -> None:
    world.append(FREEZES, "?\n")
    assert (remind(world).code, remind(world).out) == (2, "")


@pytest.mark.parametrize(("second", "within"), [("00", False), ("01", True)])
def test_every_command_counts_the_days_as_the_rule_does(world: World, second: str, within: bool) -> None:
    """The window of CLOCK ends with day 10: at the first second of day 4 exactly seven days of it are left."""
    now = ("--now", f"{on(4)}T00:00:{second}Z")
    findings = json.loads(typed(world, "check", "--format", "json", *now).out)["findings"]
    owners = json.loads(typed(world, "remind", "--format", "json", *now).out)["owners"]
    status = typed(world, "status", "--expiring", "7", "--format", "json", *now)
    found = {
        "check": [one["subject"] for one in findings if one["rule"] == "freeze-expiring"],
        "remind": [row["test"] for owner in owners for row in owner["freezes"]],
        "status": [row["test"] for row in json.loads(status.out)["freezes"]],
        "comment": re.findall(r"^\| `(\S+)` \|", typed(world, "comment", "--base", "HEAD", *now).out, re.MULTILINE),
    }
    assert {name: CLOCK in tests for name, tests in found.items()} == dict.fromkeys(found, within)
