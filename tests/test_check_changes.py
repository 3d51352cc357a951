"""Running the change rules: a ledger whose rows are not all known stops them, whatever else the change does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES, REPLAYS
from world import CONFTEST, ORDERS, PRODUCT, REFUND, World, on, run_main

NOW = ("--now", f"{on(1)}T12:00:00Z")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """One freeze, committed."""
    world = World.new(tmp_path / "world")
    world.replay(0)
    world.freeze(REFUND, 0, 20)
    world.record("a freeze")
    return world


def check_change(world: World) -> tuple[int, str, str]:
    """The exit code, why it could not be told, and where."""
    world.git("add", "-A")
    code, out = run_main(world.root, ["check-change", *NOW, "--format", "json"], {})
    told = json.loads(out).get("cannot_tell", {})
    return code, told.get("reason", ""), told.get("place", "")


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        (FREEZES, f"- test: {REFUND}", f"- test: [{REFUND}]", 1),
        (FREEZES, f"- test: {REFUND}", "- test: ../test_orders.py::test_refund", 1),
        (FREEZES, f"- test: {REFUND}\n  owner", "- owner", 1),
        (FREEZES, f"- test: {REFUND}", "- test: ''", 1),
        (FIXTURES, "- id: FX-1", "- id: 1 FX", 1),
        (PROPERTIES, "- id: PROP-1", "- id: tests/test_orders.py", 1),
        (PROPERTIES, "- id: PROP-1\n  statement", "- statement", 1),
        (FREEZES, "- test: ", "- test: a.py::b\n  expires: 2026-02-31\n- tests: ", 3),
    ],
)
def test_a_row_without_a_usable_key_cannot_be_judged(world: World, path: str, old: str, new: str, line: int) -> None:
    world.sub(path, old, new)
    code, reason, place = check_change(world)
    assert code == 2
    assert reason.startswith(f"{path} cannot be read as a whole, so what happened to its rows cannot be told: ")
    assert place.startswith(f"{path}:{line}:")


def test_a_row_that_is_wrong_but_known_is_judged(world: World) -> None:
    world.set_fields(FREEZES, REFUND, owner="", expires="2026-02-31")
    assert check_change(world)[:2] == (1, "")


def test_a_bad_row_that_is_mended_is_judged(world: World) -> None:
    world.sub(FREEZES, f"- test: {REFUND}", "- test: tests")
    world.record("a bad row")
    world.sub(FREEZES, "- test: tests", f"- test: {REFUND}")
    assert check_change(world)[1] == ""


def test_a_bad_row_of_a_ledger_that_does_not_change_stops_nothing(world: World) -> None:
    world.sub(PROPERTIES, "- id: PROP-1", "- id: 1")
    world.record("a bad row")
    world.write(PRODUCT, "def total():\n    return 1 + 2\n")
    assert check_change(world) == (0, "", "")
    world.replay(1)
    assert check_change(world) == (0, "", "")


def test_a_line_of_the_log_that_cannot_be_read_stops_nothing(world: World) -> None:
    world.append(REPLAYS, "no replay\n")
    world.write(ORDERS, '{"a": 1}\n')
    assert check_change(world) == (0, "", "")


def test_a_file_that_does_not_go_with_another_is_told_at_its_beginning(world: World) -> None:
    world.append(CONFTEST, "LIMIT = 2\n")
    world.write("ledgers/notes.txt", "nothing else\n")
    world.git("add", "-A")
    _, out = run_main(world.root, ["check-change", *NOW, "--only", "mixed-change", "--format", "json"], {})
    found = json.loads(out)["findings"]
    assert [(one["path"], one["line"], one["column"]) for one in found] == [("ledgers/notes.txt", 1, 1)]
