"""The life of freezes through real histories: opened, changed, renewed, removed and why, and what was decided."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FREEZES, POLICY, PROPERTIES
from flakeledger.repo.freeze_log import Event, Life, known_names, life_of_property, life_of_test
from flakeledger.repo.repository import open_repository
from steps import base, edit_conftest
from world import CLOCK, CONFTEST, REFUND, TESTS, TOTAL, Templates, World, on

Edit = Callable[[World], object]


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", base, "keyed", "block")


def freeze(world: World) -> None:
    world.freeze(REFUND, 0, 20)


def do(world: World, *edits: Edit) -> None:
    """A commit of each edit, named after its number."""
    for number, edit in enumerate(edits, 1):
        edit(world)
        world.record(f"step {number}")


def life(world: World, name: str = REFUND, start: str = "HEAD") -> Life:
    with open_repository(str(world.root), os.environ) as repository:
        look = life_of_test if "::" in name else life_of_property
        return look(repository, world.git("rev-parse", start), name)


def told(found: Life) -> list[tuple[str, str, str]]:
    """Subject, event and why (or the decision) of each event."""
    return [(found.messages[one.commit].subject, one.what, one.why or one.decision) for one in found.events]


def fields_of(event: Event) -> dict[str, tuple[object, object]]:
    return {field.name: (field.before, field.after) for field in event.fields}


def test_a_life_from_its_end_to_its_start(world: World) -> None:
    do(
        world,
        freeze,
        lambda world: world.set_fields(FREEZES, REFUND, expires=on(10), owner="@robin"),
        lambda world: world.set_fields(FREEZES, REFUND, frozen_on=on(9), expires=on(29), renewed=1),
        World.unfreeze,
    )
    found = life(world)
    assert told(found) == [
        ("step 4", "removed", "by choice"),
        ("step 3", "renewed", ""),
        ("step 2", "changed", ""),
        ("step 1", "opened", ""),
    ]
    removed, renewed, changed, opened = found.events
    assert fields_of(changed) == {"owner": ("@finley", "@robin"), "expires": (on(20), on(10))}
    assert fields_of(renewed) == {"frozen_on": (on(0), on(9)), "expires": (on(10), on(29)), "renewed": (None, 1)}
    assert fields_of(opened)["reason"] == (None, "depends on the wall clock")
    assert fields_of(removed)["owner"] == ("@robin", None)
    assert {(one.test, one.property_id) for one in found.events} == {(REFUND, "PROP-1")}
    assert (found.standing, found.cut_off) == ((), None)


def drop_test(world: World) -> None:
    world.sub(TESTS, "def test_refund(x):\n    assert x >= 0\n", "def helper(x):\n    assert x >= 0\n")


def together(*edits: Edit) -> Edit:
    """Edits of one commit."""

    def edit(world: World) -> None:
        for one in edits:
            one(world)

    return edit


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (World.unfreeze, "by choice"),
        (together(edit_conftest, World.unfreeze), "void"),
        (together(drop_test, World.unfreeze), "with its test"),
        (together(World.unfreeze, lambda world: world.append(POLICY, "nonsense: 1\n")), ""),
        (together(World.unfreeze, lambda world: world.append(PROPERTIES, "- {\n")), ""),
        (lambda world: world.delete(FREEZES), "by choice"),
    ],
)  # fmt: skip
def test_why_a_row_left(edit: Edit, why: str, world: World) -> None:
    do(world, freeze, edit)
    assert told(life(world))[0] == ("step 2", "removed", why)


def test_what_is_no_change_of_a_row_is_no_event(world: World) -> None:
    do(
        world,
        freeze,
        lambda world: world.append(FREEZES, "# a comment\n"),
        lambda world: world.write(FREEZES, "# above\n" + world.read(FREEZES)),
        lambda world: world.freeze(CLOCK, 0, 20),
        edit_conftest,
    )
    assert told(life(world)) == [("step 1", "opened", "")]


def test_a_property_has_the_rows_of_its_tests_and_its_own(world: World) -> None:
    do(
        world,
        freeze,
        lambda world: world.freeze(CLOCK, 0, 10),
        lambda world: world.set_fields(PROPERTIES, "PROP-1", statement="a refund is at least zero"),
        lambda world: world.set_fields(PROPERTIES, "PROP-1", tests=[REFUND, CLOCK]),
        lambda world: world.write(PROPERTIES, ""),
    )
    found = life(world, "PROP-1")
    assert [(*one[:2], event.test) for one, event in zip(told(found), found.events, strict=True)] == [
        ("step 5", "retired", ""),
        ("step 3", "restated", ""),
        ("step 2", "opened", CLOCK),
        ("step 1", "opened", REFUND),
        ("base", "stated", ""),
    ]
    assert fields_of(found.events[1]) == {"statement": ("a refund is never negative", "a refund is at least zero")}
    assert [row.test for row in found.standing] == [REFUND, CLOCK]


def test_a_row_that_changes_its_property_is_told_by_both(world: World) -> None:
    do(world, freeze, lambda world: world.set_fields(FREEZES, REFUND, property_id="PROP-2"))
    assert told(life(world, "PROP-1"))[0][:2] == ("step 2", "changed")
    assert told(life(world, "PROP-2")) == [("step 2", "changed", "")]
    assert life(world, "PROP-1").standing == ()


def test_decisions_stand_where_their_commits_stand(world: World) -> None:
    freeze(world)
    world.record("opened\n\nFreeze-Decision: PROP-1 allow_cite now=2026-03-03T00:00:00Z")
    world.record(
        "work\n\nFreeze-Decision: PROP-1 reject:window now=2026-03-28T00:00:00Z\n"
        "Freeze-Decision: PROP-2 allow_cite now=2026-03-28T00:00:00Z\nFreeze-Decision: anything else"
    )
    for name, stated in ((REFUND, []), ("PROP-1", [("base", "stated", "")])):
        found = life(world, name)
        assert told(found) == [
            ("work", "decided", "reject:window"),
            ("opened", "opened", ""),
            ("opened", "decided", "allow_cite"),
            *stated,
        ]
        assert found.events[0].now == "2026-03-28T00:00:00Z"


def test_a_life_begins_where_it_is_asked_for(world: World) -> None:
    do(world, freeze, World.unfreeze)
    assert told(life(world, start="HEAD~1")) == [("step 1", "opened", "")]
    assert [row.test for row in life(world, start="HEAD~1").standing] == [REFUND]


def test_a_merge_did_what_no_parent_has(world: World) -> None:
    freeze(world)
    world.record("freeze")
    world.git("switch", "-q", "-c", "side")
    do(world, lambda world: world.freeze(CLOCK, 0, 20))
    world.git("switch", "-q", "work")
    world.write(FREEZES, "# work\n" + world.read(FREEZES))
    world.record("comment")
    world.git("merge", "-q", "--no-commit", "side")
    world.set_fields(FREEZES, REFUND, expires=on(5))
    world.record("merge")
    assert told(life(world)) == [("merge", "changed", ""), ("freeze", "opened", "")]
    assert told(life(world, CLOCK)) == [("step 1", "opened", "")]


def test_a_merge_that_drops_a_row_says_why(world: World) -> None:
    freeze(world)
    world.record("freeze")
    world.git("switch", "-q", "-c", "side")
    world.write(FREEZES, "# side\n" + world.read(FREEZES))
    world.record("side")
    world.git("switch", "-q", "work")
    edit_conftest(world)
    world.record("conftest")
    world.git("merge", "-q", "--no-commit", "side")
    world.unfreeze()
    world.append(CONFTEST, "# merged\n")
    world.record("merge")
    assert told(life(world))[0] == ("merge", "removed", "by choice")


def test_versions_that_cannot_be_read_hold_the_rows_that_can(world: World) -> None:
    do(
        world,
        freeze,
        lambda world: world.append(FREEZES, "- test: [\n"),
        lambda world: world.write(FREEZES, "<<<<<<< HEAD\n"),
        together(lambda world: world.write(FREEZES, ""), freeze),
    )
    assert told(life(world)) == [("step 4", "opened", ""), ("step 3", "removed", ""), ("step 1", "opened", "")]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_of_a_shallow_history_what_is_known_and_that_it_is_not_all(depth: int, world: World, tmp_path: Path) -> None:
    do(world, freeze, lambda world: world.set_fields(FREEZES, REFUND, expires=on(10)), World.unfreeze)
    world.git("clone", "-q", f"--depth={depth}", f"file://{world.root}", str(tmp_path / "shallow"))
    found = life(World(tmp_path / "shallow"))
    assert [event for _, event, _ in told(found)] == ["removed", "changed", "opened"][: depth - 1]
    assert found.cut_off is not None
    assert "git fetch --unshallow" in found.cut_off.fix


def test_nothing_is_no_life(world: World) -> None:
    assert life(world, TOTAL) == Life((), {}, (), None)
    assert life(world, "PROP-9") == Life((), {}, (), None)


def test_names_that_were_ever_frozen(world: World) -> None:
    do(world, freeze, World.unfreeze, lambda world: world.freeze(CLOCK, 0, 5))
    with open_repository(str(world.root), os.environ) as repository:
        assert known_names(repository, world.head()) == ["PROP-1", CLOCK, REFUND]


def test_the_number_of_processes_does_not_depend_on_history(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, started = shutil.which("git"), tmp_path / "started"
    counting = tmp_path / "bin" / "git"
    counting.parent.mkdir()
    counting.write_text(f"#!/bin/sh\necho one >> '{started}'\nexec '{real}' \"$@\"\n")
    counting.chmod(0o755)

    def processes() -> int:
        head = world.head()
        started.write_text("")
        with monkeypatch.context() as patch:
            patch.setenv("PATH", f"{counting.parent}{os.pathsep}{os.environ['PATH']}")
            with open_repository(str(world.root), os.environ) as repository:
                assert life_of_property(repository, head, "PROP-1").events
        return started.read_text().count("one")

    do(world, freeze, World.unfreeze)
    few = processes()
    for _ in range(4):
        do(world, freeze, World.unfreeze)
    assert few > 0
    assert processes() == few
