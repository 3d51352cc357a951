"""`flakeledger status` on real repositories: rows, filters, formats, and a terminal."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from commands import TOOL, Answer, noon, typed
from flakeledger.model.ledger_paths import FREEZES
from frozen import three_owners
from steps import base, set_freeze
from world import CLOCK, REFUND, TOTAL, Templates, World, on

ROWS = [
    [TOTAL, "PROP-1", "ada@example.org", "6 d", "expired", "none", "", "delete_first"],
    [CLOCK, "PROP-1", "@org/clocks", "6 d", "5 d", "20/20", "13.9 %", "thaw"],
    [REFUND, "PROP-1", "@finley", "6 d", "25 d", "18/20", "28.3 %", "delete_test"],
]


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", three_owners, "keyed", "block")


def status(world: World, *arguments: str) -> Answer:
    return typed(world, "status", "--now", noon(6), *arguments)


def ids_in(answer: Answer) -> list[str]:
    assert answer.code == 0
    return [line.split("\t")[0] for line in answer.out.splitlines()]


def test_a_pipe_gets_a_line_a_row_and_the_counts_apart(world: World) -> None:
    answer = status(world)
    assert [line.split("\t") for line in answer.out.splitlines()] == ROWS
    assert answer.err == (
        f"3 freezes: 1 delete_first, 1 delete_test, 1 thaw; judged: the working tree; now: {noon(6)}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "tests"),
    [
        (["--owner", "@finley"], [REFUND]),
        (["--owner", "@Finley"], [REFUND]),
        (["--owner", "ADA@example.org"], [TOTAL]),
        (["--owner", "@clocks"], []),
        (["--expiring", "4"], [TOTAL]),
        (["--expiring", "5"], [TOTAL, CLOCK]),
        (["--verdict", "thaw"], [CLOCK]),
        (["--verdict", "void"], []),
        (["--expiring", "5", "--owner", "@finley"], []),
        (["--expiring", "30", "--owner", "@finley", "--verdict", "delete_test"], [REFUND]),
    ],
)
def test_filters_take_rows_away(world: World, arguments: list[str], tests: list[str]) -> None:
    answer = status(world, *arguments)
    assert ids_in(answer) == tests
    assert answer.err.startswith(f"{len(tests)} of 3 freezes")


def test_a_row_without_an_end_is_not_forgotten(world: World) -> None:
    set_freeze(REFUND, expires=None)(world)
    assert ids_in(status(world, "--expiring", "1")) == [REFUND, TOTAL]


def test_me_is_whom_git_knows(world: World) -> None:
    world.git("config", "user.email", "ada@example.org")
    assert ids_in(status(world, "--owner", "@me")) == [TOTAL]
    world.git("config", "--add", "flakeledger.me", "@finley")
    world.git("config", "--add", "flakeledger.me", "@org/clocks")
    assert ids_in(status(world, "--owner", "@me")) == [TOTAL, CLOCK, REFUND]


def test_without_an_identity_nobody_is_me(world: World) -> None:
    for name in ("user.name", "user.email"):
        world.git("config", name, "")
    answer = status(world, "--owner", "@me")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "flakeledger status: cannot tell: git knows nobody here, so who @me is cannot be told\n"
        "    fix: git config flakeledger.me @NAME   # or git config user.email, or name the owner: --owner @NAME\n"
    )


@pytest.mark.parametrize("owner", ["finley", "tbd", "", "@"])
def test_what_is_no_owner_owns_nothing(world: World, owner: str) -> None:
    answer = status(world, "--owner", owner)
    assert answer.code == 2
    assert f"`{owner}` is no owner" in answer.err


def test_what_cannot_be_read_is_exit_2(world: World) -> None:
    world.append(FREEZES, "?\n")
    assert (status(world).code, status(world).out) == (2, "")


def test_as_json(world: World) -> None:
    answer = status(world, "--format", "json", "--owner", "@finley")
    value = json.loads(answer.out)
    assert answer.err == ""
    [row] = value.pop("freezes")
    assert {name: count for name, count in value.pop("counts").items() if count} == {"delete_test": 1}
    assert value == {"version": 1, "judged": "the working tree", "now": noon(6), "total": 3}
    assert row.pop("next").startswith("delete the test")
    assert row.pop("reason").startswith("its newest replay")
    assert row == {
        "test": REFUND, "owner": "@finley", "property_id": "PROP-1", "frozen_on": on(0), "expires": on(30),
        "expired": False, "age_days": 6, "days_left": 25, "window_days": 30, "verdict": "delete_test", "may_go": False,
        "generators": "unchanged",
        "replay": {
            "run_at": f"{on(0)}T07:00:00Z", "env": "pinned-py311", "passed": 18, "total": 20, "rate_at_most": 0.282619
        },
    }  # fmt: skip


def test_as_csv(world: World) -> None:
    total, _, refund = csv.DictReader(io.StringIO(status(world, "--format", "csv").out))
    assert refund.pop("next").startswith("delete the test")
    assert refund == {
        "test": REFUND, "property_id": "PROP-1", "owner": "'@finley", "frozen_on": on(0), "expires": on(30),
        "age_days": "6", "days_left": "25", "window_days": "30", "run_at": f"{on(0)}T07:00:00Z", "passed": "18",
        "total": "20", "rate_at_most": "0.282619", "verdict": "delete_test", "may_go": "no",
    }  # fmt: skip
    assert [total[name] for name in ("run_at", "passed", "total", "rate_at_most")] == ["", "", "", ""]


def test_as_markdown(world: World) -> None:
    world.sub(FREEZES, f"{REFUND}\n", f"{REFUND}[a|`b]\n")
    lines = status(world, "--format", "markdown").out.splitlines()
    assert lines[0] == "| test | property | owner | age | left | replay | bound | verdict |"
    assert lines[2].startswith(f"| `{TOTAL}` | `PROP-1` | `ada@example.org` | `6 d` | `expired` | `none` |  |")
    assert lines[4].startswith(f"| ``{REFUND}[a\\|`b]`` | `PROP-1` | `@finley` |")
    assert len(lines) == 5


@pytest.mark.parametrize(("name", "lines"), [("text", 0), ("csv", 1), ("markdown", 2)])
def test_no_freeze_is_no_row(templates: Templates, tmp_path: Path, name: str, lines: int) -> None:
    answer = status(templates.start(tmp_path / "empty", base, "keyed", "block"), "--format", name)
    assert answer.code == 0
    assert len(answer.out.splitlines()) == lines


def on_terminal(world: World, columns: int, **environment: str) -> str:
    """What a terminal of so many columns is sent."""
    ours, theirs = pty.openpty()
    command = [str(TOOL), "status", "--now", noon(6)]
    known = os.environ | {"COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"} | environment
    process = subprocess.Popen(command, cwd=world.root, env=known, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # Linux says so when the other side is closed
        while part := os.read(ours, 4096):
            shown += part
    os.close(ours)
    assert b"3 freezes" in process.communicate()[1]
    return shown.decode().replace("\r\n", "\n")


def test_on_a_terminal(world: World) -> None:
    coloured = on_terminal(world, 120, NO_COLOR="")
    plain = on_terminal(world, 120, NO_COLOR="1")
    assert "\x1b[1mtest" in coloured
    assert "\x1b" not in plain
    assert [line.split()[0] for line in plain.splitlines()] == ["test", TOTAL, CLOCK, REFUND]
    assert "█████░ 25 d" in plain
    assert max(map(len, on_terminal(world, 60, NO_COLOR="1").splitlines())) <= 60
