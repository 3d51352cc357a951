"""`flakeledger replay` on real repositories: what is run, what is recorded, what is refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commands import typed
from flakeledger.model.ledger_paths import FREEZES, POLICY, REPLAYS
from replayable import QUICKLY, SEED_LIST, SEEDS, UNLUCKY, failing, lines, replayable
from world import CLOCK, CONFTEST, ORDERS, REFUND, TESTS, TOTAL, Templates, World

LOCAL = "local-fixture"


@pytest.fixture
def world(templates: Templates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    for name, value in QUICKLY.items():
        monkeypatch.setenv(name, value)
    return templates.start(tmp_path / "world", replayable, "keyed", "block")


# what is recorded


def test_due_tests_are_replayed_and_the_checks_accept_the_evidence(world: World) -> None:
    assert world.run("check-ledgers") == {"replay-missing"}
    answer = typed(world, "replay", "--due", "--fast", "--jobs", "2")
    assert answer.code == 0
    rows = [line.split("\t") for line in answer.out.splitlines()]
    assert [tuple(row[:5]) for row in rows] == [
        (REFUND, "pinned-py311", "17/20 passed, failing 15.0 % (at most 34.4 %)", "recorded", "delete_test"),
        (TOTAL, "pinned-py311", "20/20 passed, failing at most 13.9 %", "recorded", "thaw"),
    ]
    assert f"{TOTAL}: 20/20 passed, failing at most 13.9 %" in answer.err.splitlines()
    assert answer.err.splitlines()[-1] == f"next: git add {REPLAYS}, and commit"
    assert "\r" not in answer.err
    flaky, steady = sorted(lines(world), key=lambda line: line["passed"])
    assert failing(flaky) == UNLUCKY
    assert flaky["failures"] == {"TimeoutError": 3}
    assert (steady["passed"], steady["touched"]) == (20, [ORDERS])
    world.git("add", "-A")
    assert world.run("check-ledgers") == set()
    assert world.run("check-change") == set()
    nothing = typed(world, "replay", "--due")
    assert (nothing.code, nothing.out) == (0, "")
    assert nothing.err == "nothing to replay: no evidence of a freeze is missing or soon too old\n"


def test_a_process_for_each_seed(world: World) -> None:
    begun = datetime.now(UTC).replace(microsecond=0)
    assert typed(world, "replay", REFUND, "--runner", LOCAL).code == 0
    (line,) = lines(world)
    assert failing(line) == UNLUCKY
    seconds = line.pop("duration_s")
    assert 0 < seconds < 600
    assert begun <= datetime.fromisoformat(line.pop("run_at")) <= datetime.now(UTC)
    assert sorted(line.pop("versions")) == ["cpython", "hypothesis", "pytest"]
    assert len(line.pop("id")) == 32
    assert line.pop("outcomes").count("fail") == 3
    assert line == {
        "test": REFUND,
        "env": LOCAL,
        "seeds": SEEDS[:20],
        "passed": 17,
        "total": 20,
        "commit": world.head(),
        "isolation": "process",
        "seeded": True,
        "failures": {"TimeoutError": 3},
        "plugins": [],
        "suite": False,
    }


def test_every_plugin_a_service_and_two_replays_in_a_row_change_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    monkeypatch.setenv("CI", "true")
    for _ in range(2):
        assert typed(world, "replay", REFUND, CLOCK, "--fast", "--jobs", "2").code == 0
    found = lines(world)
    assert [failing(line) for line in found if line["test"] == REFUND] == [UNLUCKY, UNLUCKY]
    drawn = {line["examples"] for line in found if line["test"] == CLOCK}
    assert len(drawn) == 1
    assert all(line["seeded"] for line in found)


def test_a_module_around_the_test(world: World) -> None:
    world.write(TESTS, world.read(TESTS).replace("def test_total", "def test_other():\n    assert 0\ndef test_total"))
    world.record("a neighbour that fails")
    assert typed(world, "replay", TOTAL, "--fast", "--suite").code == 0
    (line,) = lines(world)
    assert (line["suite"], line["passed"]) == (True, 20)


def test_a_command_of_any_other_language(world: World) -> None:
    world.write("tests/orders.sh", "test_orders() { [ $1 -ne 7 ]; }\ntest_orders $1\n")
    world.sub(POLICY, "  - name: local-fixture\n", '  - name: shell\n    command: ["sh", "{path}", "{seed}"]\n')
    world.record("a test in another language")
    assert typed(world, "replay", "tests/orders.sh::test_orders", "--runner", "shell", "--fast").code == 0
    (line,) = lines(world)
    assert failing(line) == [7]
    assert (line["seeded"], line["isolation"]) == (True, "process")


# what is not


@pytest.mark.parametrize(
    ("code", "state", "said"),
    [
        ("import pytest\ndef test_total():\n    pytest.skip('not today')\n", "incomplete", "skipped: "),
        ("def test_total(missing):\n    pass\n", "incomplete", "error: "),
        ("def test_total():\n    import os\n    os.kill(os.getpid(), 9)\n", "incomplete", "SIGKILL"),
    ],
)
def test_what_neither_passes_nor_fails_leaves_no_line(code: str, state: str, said: str, world: World) -> None:
    world.write(TESTS, f'"""property_id: PROP-1"""\n{code}')
    world.record("edit")
    answer = typed(world, "replay", TOTAL, "--fast", "--seeds", "3")
    assert answer.code == 1
    assert lines(world) == []
    assert answer.out.split("\t")[3:5] == [f"none: {state}", "-"]
    assert f"{TOTAL}: cannot be recorded: seed 1 neither passed nor failed, and 2 other seeds: " in answer.err
    assert said in answer.err
    assert "    fix: " in answer.err


def test_another_environment_than_the_runners_is_refused_and_the_other_tests_go_on(world: World) -> None:
    world.sub(POLICY, "  - name: pinned-py311\n", '  - name: pinned-py311\n    python: "2.7"\n')
    world.set_fields(FREEZES, TOTAL, replay_env=LOCAL)
    world.record("edit")
    answer = typed(world, "replay", "--all", "--fast")
    assert answer.code == 1
    assert [line["test"] for line in lines(world)] == [TOTAL]
    assert "the runner `pinned-py311` says Python 2.7, and the tests run on 3" in answer.err
    assert "2 replays: 1 refused, 1 recorded; " in answer.err


def test_the_commit_is_replayed_whatever_lies_on_disk(world: World) -> None:
    world.write(TESTS, "def test_total(): assert 0\n")
    world.write(CONFTEST, "raise ValueError\n")
    answer = typed(world, "replay", TOTAL, "--fast", "--seeds", "2")
    assert answer.code == 0
    assert (lines(world)[0]["passed"], lines(world)[0]["seeds"]) == (2, [1, 2])
    notes = [line for line in answer.err.splitlines() if line.startswith("note: ")]
    assert len(notes) == 2
    assert notes[0].startswith(f"note: `{TESTS}`: not on disk as in commit ")
    assert notes[1].startswith("note: 2 seeds are too few: the policy asks for 20")


# where lines go


def test_a_dry_run_prints_what_merge_would_append(world: World, tmp_path: Path) -> None:
    answer = typed(world, "replay", REFUND, "--fast", "--dry-run")
    assert (answer.code, lines(world)) == (0, [])
    assert failing(json.loads(answer.out)) == UNLUCKY
    assert f"{REFUND}\tpinned-py311\t" in answer.err
    (tmp_path / "shard.jsonl").write_text(answer.out)
    assert typed(world, "replays", "merge", str(tmp_path / "shard.jsonl")).code == 0
    assert world.read(REPLAYS) == answer.out


def test_parts_of_a_split_are_joined(world: World, tmp_path: Path) -> None:
    outs = [str(tmp_path / f"shard-{part}.jsonl") for part in (1, 2, 3)]
    for part, out in enumerate(outs, 1):
        assert typed(world, "replay", "--all", "--fast", "--shard", f"{part}/3", "--out", out).code == 0
    assert lines(world) == []
    assert typed(world, "replays", "merge", *outs).code == 0
    assert sorted(line["test"] for line in lines(world)) == [REFUND, TOTAL]


def test_as_json(world: World) -> None:
    world.write(SEED_LIST, "[11, 12]")
    world.set_policy(seeds=SEED_LIST)
    world.record("two seeds")
    answer = typed(world, "replay", REFUND, "--fast", "--seeds", "2", "--format", "json")
    value = json.loads(answer.out)
    (row,) = value.pop("replays")
    assert value.pop("now").endswith("Z")
    assert len(value.pop("notes")) == 1
    assert value == {
        "version": 1,
        "commit": world.head(),
        "appended_to": REPLAYS,
        "counts": {"recorded": 1, "incomplete": 0, "refused": 0, "interrupted": 0},
    }
    assert row.pop("line") == lines(world)[0]
    assert row.pop("next").startswith("")
    assert row == {
        "test": REFUND,
        "runner": "pinned-py311",
        "state": "recorded",
        "reason": None,
        "fix": None,
        "seeds": [
            {"seed": 11, "outcome": "fail", "failure": "TimeoutError"},
            {"seed": 12, "outcome": "pass", "failure": None},
        ],
        "passed": 1,
        "total": 2,
        "rate_at_most": pytest.approx(0.974679),
        "verdict": "void",
    }


# what cannot be told


def no_seeds(world: World) -> None:
    world.write(SEED_LIST, "[1, 2, 2]")


def no_list(world: World) -> None:
    world.sub(POLICY, f"seeds: {SEED_LIST}\n", "")


def no_policy(world: World) -> None:
    world.git("rm", "-q", "--cached", POLICY)
    world.git("commit", "-q", "-m", "edit")


def unknown_runner(world: World) -> None:
    world.set_fields(FREEZES, REFUND, replay_env="elsewhere")


def nothing(_world: World) -> None:
    pass


@pytest.mark.parametrize(
    ("edit", "arguments", "said"),
    [
        (nothing, (), "which tests are meant?"),
        (nothing, ("--suite", REFUND), "write --suite=PATH"),
        (nothing, (REFUND, "--all"), "which tests are meant?"),
        (nothing, ("tests/test_orders.py::test_refunds",), f"did you mean {REFUND}"),
        (nothing, (TESTS,), "names a file or a folder"),
        (nothing, ("--property", "PROP-2"), "did you mean PROP-1?"),
        (nothing, (REFUND, "--runner", "nowhere"), "--runner NAME   # one of `pinned-py311`, `local-fixture`"),
        (nothing, (REFUND, "--seeds", "0"), "--seeds N   # with a number from 1 to 24"),
        (nothing, (REFUND, "--seeds", "25"), "the list has 24 seeds, and --seeds asks for 25"),
        (nothing, (REFUND, "--rev", "nowhere"), "--rev 'nowhere' names no commit"),
        (nothing, (REFUND, "--python", "no-such-python"), "--python: no-such-python is no program"),
        (nothing, (REFUND, "--suite=src"), f"--suite src does not hold {REFUND}"),
        (nothing, (REFUND, "--suite=nowhere"), "has no nowhere"),
        (nothing, (REFUND, "--suite=../x"), "lies outside the repository"),
        (nothing, (REFUND, "--dry-run", "--out", "x"), "leave --dry-run out, or --out"),
        (no_seeds, (REFUND,), f"{SEED_LIST}:1:8: cannot tell: the seed 2 stands twice"),
        (no_list, (REFUND,), f"add `seeds: {SEED_LIST}` to {POLICY}"),
        (unknown_runner, ("--all",), f"{FREEZES}:7:15: cannot tell: {POLICY} has no runner `elsewhere`"),
    ],
)
def test_unclear_requests_are_exit_2(
    edit: Callable[[World], None], arguments: tuple[str, ...], said: str, world: World
) -> None:
    edit(world)
    world.record("edit")
    answer = typed(world, "replay", *arguments)
    assert answer.code == 2
    assert said in answer.err


def test_what_is_not_committed_is_no_policy(world: World) -> None:
    no_policy(world)
    answer = typed(world, "replay", REFUND)
    assert answer.code == 2
    assert f"what is not committed is not replayed\n    fix: git add {POLICY}; git commit\n" in answer.err


@pytest.mark.parametrize(
    "arguments", [("--jobs", "0"), ("--jobs", "many"), ("--timeout", "0"), ("--timeout", "nan"), ("--shard", "3/2")]
)
def test_numbers_that_are_none_are_bad_usage(arguments: tuple[str, str], world: World) -> None:
    with pytest.raises(SystemExit) as refused:
        typed(world, "replay", REFUND, *arguments)
    assert refused.value.code == 2


def test_an_interpreter_without_pytest_is_told(world: World, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    answer = typed(world, "replay", REFUND, "--python", str(bare))
    assert answer.code == 1
    assert f"pytest cannot be imported by `{bare}`" in answer.err
    assert lines(world) == []
