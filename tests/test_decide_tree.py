"""`flakeledger decide` in a repository: every citation with its place and decision."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import Answer, noon, typed
from flakeledger.model.ledger_paths import FREEZES, POLICY
from test_citing import MARK
from test_citing import frozen as cited_and_frozen
from world import REFUND, TESTS, TOTAL, Templates, World, on

JS = "tests/check.js"


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", cited_and_frozen, "keyed", "block")


def decide(world: World, *arguments: str, day: int = 1) -> Answer:
    world.git("add", "-A")
    return typed(world, "decide", "--now", noon(day), *arguments)


def summary(counts: str, label: str = "the staged tree", day: int = 1) -> str:
    return f"{counts}; judged: {label}; now: {noon(day)}\n"


def test_a_citation_that_may_stay(world: World) -> None:
    answer = decide(world)
    assert answer == Answer(0, f"{TESTS}:6:2:\tPROP-1\t{REFUND}\tallow_cite\n", summary("1 citation: 1 allow_cite"))


def test_no_citation_is_said_aloud(world: World) -> None:
    world.sub(TESTS, MARK, "")
    assert decide(world) == Answer(0, "", summary("no citations"))


def cite_more(world: World) -> None:
    """A whole file, a file without a row, and a malformed one."""
    world.append(TESTS, "\n\n# flakeledger: cite PROP-1 runner_class=local-fixture\n")
    world.write(JS, "// flakeledger: cite PROP-1\n// flakeledger: cite PROP-1 twice\n")


def test_every_citation_has_a_line(world: World) -> None:
    cite_more(world)
    answer = decide(world, day=20)
    assert answer.code == 1
    assert answer.out.splitlines() == [
        f"{JS}:1:4:\tPROP-1\t{JS}\tno row",
        f"{JS}:2:4:\t-\t{JS}\tmalformed: `twice` is no word of a citation",
        f"{TESTS}:6:2:\tPROP-1\t{REFUND}\treject:window",
        f"{TESTS}:16:3:\tPROP-1\t{REFUND}\treject:window",
        f"{TESTS}:16:3:\tPROP-1\t{TOTAL}\treject:window",
    ]
    assert answer.err == summary("5 citations: 3 reject:window, 1 no row, 1 malformed", day=20)


def test_json(world: World) -> None:
    cite_more(world)
    answer = decide(world, "--format", "json")
    value = json.loads(answer.out)
    assert (answer.code, answer.err) == (1, "")
    assert answer.out.endswith("}\n")
    assert (value["version"], value["judged"], value["now"]) == (1, "the staged tree", noon(1))
    assert value["counts"] == {
        "allow_cite": 1,
        "reject:unnamed": 0,
        "reject:property_id": 0,
        "reject:fixture_hash": 0,
        "reject:window": 2,
        "reject:not_environment": 0,
        "no row": 1,
        "malformed": 1,
    }
    assert value["citations"][1:3] == [
        {
            "path": JS,
            "line": 2,
            "column": 4,
            "stands_for": "",
            "property_id": "",
            "runner_class": None,
            "test": None,
            "decision": None,
            "outcome": "malformed",
            "problem": "`twice` is no word of a citation",
        },
        {
            "path": TESTS,
            "line": 6,
            "column": 2,
            "stands_for": "test_refund",
            "property_id": "PROP-1",
            "runner_class": "pinned-py311",
            "test": REFUND,
            "decision": "allow_cite",
            "outcome": "allow_cite",
            "problem": "",
        },
    ]


def test_a_revision_is_decided_as_it_was(world: World) -> None:
    world.sub(TESTS, MARK, "")
    world.record("cites no more")
    before = world.git("rev-parse", "HEAD^")
    answer = decide(world, "--rev", "HEAD^")
    assert (answer.code, answer.err) == (0, summary("1 citation: 1 allow_cite", f"commit {before[:12]}"))
    assert decide(world, "--rev", "HEAD").out == ""


def test_what_is_not_staged_is_not_decided(world: World) -> None:
    world.git("add", "-A")
    world.sub(TESTS, MARK, "")
    assert typed(world, "decide", "--now", noon(1)).out.count("\n") == 1


def test_it_is_the_same_from_a_folder(world: World) -> None:
    assert typed(world, "decide", "--now", noon(1), folder="tests").out == decide(world).out


def test_text_from_files_drives_no_terminal(world: World) -> None:
    world.write("tests/\x1b[31m.js", "// flakeledger: cite PROP-1 \x1b]0;x\x07\n")
    for name in ("text", "json"):
        out = decide(world, "--format", name).out
        assert "\x1b" not in out
        assert "\\x1b" in out or "\\u001b" in out


BROKEN: dict[str, tuple[Callable[[World], None], str]] = {
    "no policy": (lambda world: world.delete(POLICY), "policy.yaml"),
    "a ledger that cannot be read": (lambda world: world.write(FREEZES, "- test: 'x\n"), "freezes.yaml"),
    "a row that cannot be read": (lambda world: world.append(FREEZES, "- test: tests\n"), "freezes.yaml"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("format_name", ["text", "json"])
def test_what_cannot_be_read_is_no_decision(world: World, name: str, format_name: str) -> None:
    edit, said = BROKEN[name]
    edit(world)
    answer = decide(world, "--format", format_name)
    assert answer.code == 2
    if format_name == "text":
        assert answer.out == ""
        assert said in answer.err
        assert "fix: " in answer.err
    else:
        told = json.loads(answer.out)["cannot_tell"]
        assert said in told["reason"]
        assert told["fix"]


def test_a_revision_that_is_none_is_cannot_tell(world: World) -> None:
    answer = decide(world, "--rev", "nowhere")
    assert (answer.code, answer.out) == (2, "")
    assert "nowhere" in answer.err


def test_the_same_tree_gives_the_same_bytes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    cite_more(world)
    first = decide(world, "--format", "json")
    for name, value in {
        "TZ": "Pacific/Auckland",
        "LC_ALL": "C",
        "GITHUB_ACTIONS": "true",
        "GITHUB_SHA": "0" * 40,
    }.items():
        monkeypatch.setenv(name, value)
    assert decide(world, "--format", "json") == first


def test_the_end_of_the_window_is_the_callers_instant(world: World) -> None:
    world.git("add", "-A")
    codes = [
        typed(world, "decide", "--now", f"{on(day)}T{at}Z").code for day, at in ((10, "23:59:59"), (11, "00:00:00"))
    ]
    assert codes == [0, 1]
