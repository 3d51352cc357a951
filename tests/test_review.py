"""`flakeledger review` on real repositories: its rows and their order, its JSON, its explanations."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from flakeledger.cli.main import main
from flakeledger.model.ledger_paths import FREEZES, POLICY, REPLAYS
from flakeledger.verdicts.interview import TABLE
from steps import base, edit_conftest, set_freeze
from world import CLOCK, REFUND, TOTAL, Templates, World, on, run_main


def three_freezes(world: World) -> None:
    """A flaky freeze of 30 days, a green one of 10, an unproven one of 3; all of day 0."""
    world.replay(0)
    world.replay(0, 20, test=CLOCK)
    world.freeze(REFUND, 0, 30)
    world.freeze(CLOCK, 0, 10)
    world.freeze(TOTAL, 0, 3)
    world.record("freezes")


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", three_freezes, "keyed", "block")


def review(world: World, day: int, *arguments: str) -> tuple[int, str]:
    return run_main(world.root, ["review", "--now", f"{on(day)}T12:00:00Z", *arguments], {})


def refusal(world: World, *arguments: str) -> str:
    """What a command says that cannot tell."""
    errors = io.StringIO()
    with contextlib.chdir(world.root), contextlib.redirect_stderr(errors):
        assert main(["review", "--now", f"{on(6)}T12:00:00Z", *arguments]) == 2
    return errors.getvalue()


def test_one_line_a_freeze_the_most_urgent_first(world: World) -> None:
    code, out = review(world, 6)
    assert code == 0
    assert [line.split("\t") for line in out.splitlines()] == [
        ["delete_first", TOTAL, "@finley", "expired", "none", "unchanged", f"flakeledger thaw {TOTAL}"],
        [
            "thaw", CLOCK, "@finley", "5 days", "20/20 passed, failing at most 13.9 %", "unchanged",
            f"flakeledger thaw {CLOCK}",
        ],
        [
            "delete_test", REFUND, "@finley", "25 days", "18/20 passed, failing 10.0 % (at most 28.3 %)", "unchanged",
            "delete the test together with its row, and give PROP-1 another one",
        ],
    ]  # fmt: skip


@pytest.mark.parametrize(("day", "left"), [(2, "2 days"), (3, "less than a day"), (4, "expired")])
def test_the_last_day_is_a_day(day: int, left: str, world: World) -> None:
    assert review(world, day)[1].splitlines()[0].split("\t")[3] == left


def test_of_two_that_end_at_once_the_one_higher_in_the_table_comes_first(world: World) -> None:
    for test in (CLOCK, TOTAL):
        set_freeze(test, expires=on(30))(world)
    assert [line.split("\t")[:2] for line in review(world, 6)[1].splitlines()] == [
        ["replay", TOTAL],
        ["delete_test", REFUND],
        ["thaw", CLOCK],
    ]


def test_a_row_without_an_end_comes_before_all_others(world: World) -> None:
    set_freeze(expires=None)(world)
    first = review(world, 6)[1].splitlines()[0].split("\t")
    assert first[1:4] == [REFUND, "@finley", "no end"]
    found = json.loads(review(world, 6, "--format", "json")[1])["freezes"][0]
    assert (found["expires"], found["expired"], found["days_left"]) == (None, False, None)


def test_what_is_on_disk_is_reviewed_staged_or_not(world: World) -> None:
    world.replay(6, 0)
    edit_conftest(world)
    rows = {line.split("\t")[1]: line.split("\t") for line in review(world, 6)[1].splitlines()}
    assert {row[0] for row in rows.values()} == {"void"}
    assert {row[5] for row in rows.values()} == {"changed"}
    assert rows[REFUND][4] == "0/20 passed, failing 100.0 % (at most 100.0 %)"
    assert world.git("status", "--short") == " M ledgers/replays.jsonl\n M tests/conftest.py"


def test_without_a_pin_nobody_knows_whether_generators_changed(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "ledger", three_freezes, "ledger", "block")
    assert {line.split("\t")[5] for line in review(world, 6)[1].splitlines()} == {"not pinned"}


def test_no_freeze_is_no_line(templates: Templates, tmp_path: Path) -> None:
    assert review(templates.start(tmp_path / "empty", base, "keyed", "block"), 6) == (0, "")


def test_as_json(world: World) -> None:
    code, out = review(world, 6, "--format", "json")
    value = json.loads(out)
    assert code == 0
    assert {name: value[name] for name in ("version", "now", "judged")} == {
        "version": 1,
        "now": f"{on(6)}T12:00:00Z",
        "judged": "the working tree",
    }
    assert {name: count for name, count in value["counts"].items() if count} == {
        "delete_first": 1,
        "delete_test": 1,
        "thaw": 1,
    }
    assert value["counts"].keys() == {verdict.name for verdict in TABLE}
    last = value["freezes"][2]
    assert last.pop("next").startswith("delete the test")
    assert last == {
        "test": REFUND,
        "line": 1,
        "owner": "@finley",
        "property_id": "PROP-1",
        "expires": on(30),
        "expired": False,
        "days_left": 25,
        "verdict": "delete_test",
        "reason": "its newest replay from pinned-py311 has 18/20 passed, failing 10.0 % (at most 28.3 %)",
        "may_go": False,
        "generators": "unchanged",
        "replay": {
            "run_at": f"{on(0)}T07:00:00Z",
            "env": "pinned-py311",
            "passed": 18,
            "total": 20,
            "rate_at_most": pytest.approx(0.282619, abs=1e-5),
        },
    }
    assert value["freezes"][0]["replay"] is None


def test_an_explanation_goes_down_the_table_to_the_line_that_applies(world: World) -> None:
    code, out = review(world, 6, "--explain", REFUND)
    lines = out.splitlines()
    assert code == 0
    assert [line.split("\t")[:2] for line in lines[: len(TABLE)]] == [
        ["no", "gone"],
        ["no", "void"],
        ["no", "withdraw"],
        ["no", "delete_first"],
        ["no", "replay"],
        ["no", "fix"],
        ["applies", "delete_test"],
        ["not asked", "bind_property"],
        ["not asked", "thaw"],
    ]
    assert lines[len(TABLE) :] == [
        f"{REFUND}: delete_test: its newest replay from pinned-py311 has 18/20 passed, failing 10.0 % (at most 28.3 %)",
        "the row may go now: no",
        "next: delete the test together with its row, and give PROP-1 another one",
    ]


def test_an_explanation_of_a_green_replay_says_what_lower_rates_take(world: World) -> None:
    lines = review(world, 6, "--explain", CLOCK)[1].splitlines()
    assert lines[len(TABLE) + 1] == (
        "runs without a failure: at most 10 % takes 29, at most 5 % takes 59, "
        "at most 2 % takes 149, at most 1 % takes 299"
    )


def test_an_explanation_as_json(world: World) -> None:
    (found,) = json.loads(review(world, 6, "--explain", CLOCK, "--format", "json")[1])["freezes"]
    assert found["verdict"] == "thaw"
    assert found["table"][-1] == {
        "answer": "applies",
        "verdict": "thaw",
        "shows": "that replay is green",
        "may_go": "yes",
    }
    assert len(found["table"]) == len(TABLE)


@pytest.mark.parametrize(
    ("named", "fix"),
    [
        ("test_refund", f"did you mean {REFUND}?"),
        ("tests/other.py::test_refund[EUR]", f"did you mean {REFUND}?"),
        ("tests/test_orders.py::test_refunds", f"did you mean {REFUND}"),
        ("x" * 5000, "flakeledger review"),
    ],
)
def test_a_test_that_is_not_frozen_is_answered_with_the_nearest(named: str, fix: str, world: World) -> None:
    said = refusal(world, "--explain", named)
    assert "is not frozen" in said
    assert f"fix: {fix}" in said


def test_a_test_that_two_rows_freeze_is_ambiguous(world: World) -> None:
    world.append(FREEZES, world.row(FREEZES, REFUND))
    assert f"{REFUND} is frozen by several rows: lines 1, 40 of {FREEZES}" in refusal(world, "--explain", REFUND)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (POLICY, "version: 2\n", f"{POLICY}:1:"),
        (POLICY, None, f"has no {POLICY}"),
        (FREEZES, "- test: [\n", f"{FREEZES}:1:"),
        (FREEZES, f"- test: {REFUND}\n  expires: 2026-02-31\n", f"{FREEZES}:1:3: "),
        (REPLAYS, "{}\n", f"{REPLAYS}:1:"),
    ],
)
def test_what_cannot_be_read_is_exit_2_with_its_place(path: str, text: str | None, said: str, world: World) -> None:
    if text is None:
        world.delete(path)
    else:
        world.write(path, text)
    assert said in refusal(world)


def test_a_name_can_neither_drive_a_terminal_nor_begin_a_line(world: World) -> None:
    world.sub(FREEZES, 'owner: "@finley"', 'owner: "@a\\a\\e[31m"')
    out = review(world, 6)[1]
    assert "@a\\x07\\x1b[31m" in out
    assert len(out.splitlines()) == 3


def test_a_terminal_gets_columns_under_headings_and_the_counts_below(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    command = [sys.executable, "-m", "flakeledger.cli.main", "review", "--now", f"{on(6)}T12:00:00Z"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=world.root, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # Linux says so when the other side is closed
        while part := os.read(ours, 4096):
            shown += part
    os.close(ours)
    _, errors = process.communicate()
    lines = shown.decode().replace("\r\n", "\n").splitlines()
    assert lines[:2] == [
        "verdict       test                               owner    left",
        "    replay  generators  next",
    ]
    assert {line.index("@finley") for line in lines[2:] if "@finley" in line} == {lines[0].index("owner")}
    assert max(map(len, lines)) <= 80
    assert errors.decode() == (
        f"3 freezes: 1 delete_first, 1 delete_test, 1 thaw; judged: the working tree; now: {on(6)}T12:00:00Z\n"
    )
