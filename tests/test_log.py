"""`flakeledger log` as it is typed: its lines, its JSON, its exit codes, and what it says of a name that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import Answer, typed
from conftest import git
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES
from steps import base
from world import CLOCK, REFUND, TESTS, TOTAL, Templates, World, on

DECISION = "Freeze-Decision: PROP-1 allow_cite now=2026-03-03T00:00:00Z"
DAY = "2026-03-02"


def lived(world: World) -> None:
    """A freeze that is opened, cited, changed and renewed, and one that is opened and removed."""
    base(world)
    world.freeze(REFUND, 0, 20)
    world.record(f"Freeze the refund\n\n{DECISION}", **dated(0))
    world.freeze(CLOCK, 0, 3)
    world.record("Freeze the clock", **dated(1))
    world.set_fields(FREEZES, REFUND, expires=on(10), test_hash="0" * 64)
    world.unfreeze(CLOCK)
    world.record("Shorten, \x1b[31mand thaw", **dated(2))
    world.set_fields(FREEZES, REFUND, frozen_on=on(9), expires=on(29), renewed=1)
    world.record("Renew", **dated(9))


def dated(day: int) -> dict[str, str]:
    return {"GIT_AUTHOR_DATE": f"{on(day)}T23:30:00-05:00"}


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", lived, "keyed", "block")


def lines(answer: Answer) -> list[list[str]]:
    return [line.split("\t") for line in answer.out.splitlines()]


def test_one_line_an_event_the_newest_first(world: World) -> None:
    commits = world.git("log", "--format=%H").splitlines()
    answer = typed(world, "log", REFUND)
    assert (answer.code, lines(answer)) == (
        0,
        [
            [commits[0][:12], on(9), "renewed", REFUND,
             f"frozen_on {on(0)} -> {on(9)}; expires {on(10)} -> {on(29)}; renewed none -> 1", "Renew"],
            [commits[1][:12], on(2), "changed", REFUND,
             f"expires {on(20)} -> {on(10)}; test_hash", "Shorten, \\x1b[31mand thaw"],
            [commits[3][:12], on(0), "opened", REFUND, f"PROP-1, until {on(20)}", "Freeze the refund"],
            [commits[3][:12], on(0), "decided", "PROP-1", "allow_cite now=2026-03-03T00:00:00Z", "Freeze the refund"],
        ],
    )  # fmt: skip
    assert answer.err == f"4 events behind commit {commits[0][:12]}; frozen there: {REFUND} until {on(29)}\n"


def test_a_property_tells_of_all_its_tests(world: World) -> None:
    found = [(row[2], row[3], row[4]) for row in lines(typed(world, "log", "PROP-1"))]
    assert found[1:-1] == [
        ("removed", CLOCK, "by choice"),
        ("changed", REFUND, f"expires {on(20)} -> {on(10)}; test_hash"),
        ("opened", CLOCK, f"PROP-1, until {on(3)}"),
        ("opened", REFUND, f"PROP-1, until {on(20)}"),
        ("decided", "PROP-1", "allow_cite now=2026-03-03T00:00:00Z"),
    ]
    assert found[-1] == ("stated", "PROP-1", "statement none -> a refund is never negative")


def test_json_for_programs(world: World) -> None:
    answer = typed(world, "log", "PROP-1", "--format", "json")
    value = json.loads(answer.out)
    assert (answer.code, answer.err) == (0, "")
    assert {name: value[name] for name in value.keys() - {"events", "standing"}} == {
        "version": 1,
        "asked": "PROP-1",
        "commit": world.head(),
        "complete": True,
    }
    row = {"test": REFUND, "property_id": "PROP-1", "owner": "@finley", "frozen_on": on(9), "expires": on(29)}
    assert value["standing"] == [row]
    nothing: dict[str, object] = {"test": None, "property_id": "PROP-1", "fields": {}, "why": None}
    renewed, *_, decided, _ = value["events"]
    dates = {"commit": world.git("rev-parse", "HEAD~3"), "author_date": f"{on(0)}T23:30:00-05:00"}
    decision = {"event": "decided", "decision": "allow_cite", "now": "2026-03-03T00:00:00Z"}
    assert decided == nothing | dates | {"subject": "Freeze the refund"} | decision
    assert renewed["fields"]["renewed"] == {"before": None, "after": 1}
    assert {event["why"] for event in value["events"]} == {None, "by choice"}


def test_an_earlier_revision(world: World) -> None:
    assert [row[2] for row in lines(typed(world, "log", CLOCK, "--rev", "HEAD~2"))] == ["opened", "decided"]
    assert [row[2] for row in lines(typed(world, "log", CLOCK))] == ["removed", "opened", "decided"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (TOTAL, f"no row ever froze the test {TOTAL} behind commit "),
        (f"{TESTS}::test_refnd", f"; did you mean {REFUND} or "),
        ("tests/moved.py::test_refund", f"; did you mean {REFUND}?"),
        (f"{REFUND}[1]", f"; did you mean {REFUND}?"),
        ("PROP-2", "no row ever froze a test of the property PROP-2 behind commit "),
        ("PROP-2", "; did you mean PROP-1?"),
        ("PROPS-1", "; did you mean PROP-1?"),
    ],
)
def test_what_was_never_frozen_ends_with_1(name: str, said: str, world: World) -> None:
    answer = typed(world, "log", name)
    assert (answer.code, answer.out) == (1, "")
    assert said in answer.err


def test_what_was_never_frozen_is_an_empty_life_in_json(world: World) -> None:
    answer = typed(world, "log", "PROP-2", "--format", "json")
    value = json.loads(answer.out)
    assert (answer.code, value["events"], value["standing"], value["complete"]) == (1, [], [], True)


@pytest.mark.parametrize(
    ("arguments", "reason", "fix"),
    [
        ((TESTS,), "is the id neither of a property nor of a test", "did you mean"),
        (("tests/",), "is the id neither of a property nor of a test", "give PROP-014, or tests/"),
        (("a b",), "is the id neither of a property nor of a test", "give PROP-014, or tests/"),
        ((f"{TESTS}::",), "a part of the test id is empty", ""),
        (("",), "is the id neither of a property nor of a test", ""),
        ((REFUND, "--rev", "nowhere"), "--rev 'nowhere' names no commit whose tree is here", "git fetch"),
        ((REFUND, "--rev", "HEAD^{tree}"), "names no commit", "git fetch"),
        ((REFUND, "--rev", "--all"), "names no commit", "git fetch"),
    ],
)
def test_what_cannot_be_told_ends_with_2(arguments: tuple[str, ...], reason: str, fix: str, world: World) -> None:
    name, *options = arguments
    given = [f"{option}={value}" for option, value in zip(options[::2], options[1::2], strict=True)]
    answer = typed(world, "log", name, *given)
    assert (answer.code, answer.out) == (2, "")
    assert reason in answer.err
    assert fix in answer.err.partition("fix: ")[2]


def test_before_the_first_commit_there_is_no_revision(repository: Path) -> None:
    answer = typed(World(repository), "log", "PROP-1")
    assert answer.code == 2
    assert "--rev 'HEAD' names no commit" in answer.err


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_shallow_history_is_told_as_far_as_it_is_here(form: str, world: World, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=3", f"file://{world.root}", "shallow")
    answer = typed(World(tmp_path / "shallow"), "log", REFUND, "--format", form)
    assert answer.code == 2
    assert "git fetch --unshallow" in answer.err
    if form == "text":
        assert [row[2] for row in lines(answer)] == ["renewed", "changed"]
    else:
        value = json.loads(answer.out)
        assert (value["complete"], [event["event"] for event in value["events"]]) == (False, ["renewed", "changed"])


def test_what_is_not_committed_is_no_history(world: World) -> None:
    before = typed(world, "log", "PROP-1").out
    world.unfreeze()
    world.write(PROPERTIES, "")
    world.git("add", "-A")
    assert typed(world, "log", "PROP-1").out == before


def test_texts_of_strangers_drive_nothing(world: World) -> None:
    world.set_fields(FREEZES, REFUND, reason="::error::a reason\u202e")
    world.record("::set-output name=a::b\x1b]0;title\x07")
    for form in ("text", "json"):
        out = typed(world, "log", REFUND, "--format", form).out
        assert not {"\x1b", "\x07", "\u202e"} & set(out)
        assert not any(line.lstrip().startswith("::") for line in out.splitlines())


def test_of_many_rows_that_stand_a_few_are_named(world: World) -> None:
    row = world.row(FREEZES, REFUND)
    world.write(FREEZES, "".join(row.replace("test_refund", f"test_{number}") for number in range(5)))
    world.record("many")
    answer = typed(world, "log", "PROP-1")
    assert answer.err.endswith(f"::test_2 until {on(29)}, and 2 more\n")
