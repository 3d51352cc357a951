"""`flakeledger pin`: absent pins are filled, present ones stay, and nothing is written that cannot be told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commands import commit_with_hooks, hook_findings, noon, typed
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from hooked import YESTERDAY
from world import CLOCK, ORDERS, PRODUCT, REFUND, TESTS, TOTAL, World

PINS = ("runner_class", "fixture_hashes", "generator_hash", "test_hash")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Two freezes with all their pins, which the world computes."""
    world = World.new(tmp_path_factory.mktemp("pin") / "template")
    world.freeze_all([REFUND, TOTAL], 0, 3)
    world.record("frozen")
    return world


@pytest.fixture
def world(made: World, tmp_path: Path) -> World:
    return made.copy(tmp_path / "world")


def fields_of(world: World, test: str) -> set[str]:
    """The lines of a row, each field's as one text: their order is the editor's business."""
    row = world.row(FREEZES, test)
    return set(row.replace("\n    ", " ").replace("- test", "  test").splitlines())


def pin(world: World, *arguments: str) -> int:
    return typed(world, "pin", *arguments, "--now", noon(1)).code


@pytest.mark.parametrize("absent", [*[(name,) for name in PINS], PINS], ids="+".join)
def test_what_is_absent_is_filled_as_the_tree_has_it(world: World, absent: tuple[str, ...]) -> None:
    whole, other = fields_of(world, REFUND), world.row(FREEZES, TOTAL)
    world.set_fields(FREEZES, REFUND, **dict.fromkeys(absent))
    assert fields_of(world, REFUND) < whole
    world.sub(FREEZES, "- test", "# above\n- test")
    assert pin(world, REFUND) == 0
    assert fields_of(world, REFUND) - {"# above"} == whole
    assert world.row(FREEZES, TOTAL) == other
    assert world.read(FREEZES).startswith("# above\n- test")
    assert hook_findings(world, 1) == []


def test_all_pins_every_row(world: World) -> None:
    wholes = [fields_of(world, test) for test in (REFUND, TOTAL)]
    for test in (REFUND, TOTAL):
        world.set_fields(FREEZES, test, **dict.fromkeys(PINS))
    answer = typed(world, "pin", "--all", "--now", noon(1))
    assert answer.code == 0
    assert [fields_of(world, test) for test in (REFUND, TOTAL)] == wholes
    for test in (REFUND, TOTAL):
        assert f"pinned {test}: {', '.join(PINS)}\n" in answer.out


def test_a_pin_that_stands_is_never_changed(world: World) -> None:
    """A void row stays void."""
    world.set_fields(FREEZES, REFUND, generator_hash="0" * 64, test_hash=None)
    assert pin(world, REFUND) == 0
    assert f"  generator_hash: {'0' * 64}\n" in world.row(FREEZES, REFUND)
    assert {rule for rule, _ in hook_findings(world, 1)} == {"freeze-rekeyed", "freeze-generator-hash"}


def test_a_value_that_is_no_pin_stays_to_be_mended_by_hand(world: World) -> None:
    world.set_fields(FREEZES, REFUND, test_hash="to-be-filled", generator_hash=None)
    assert pin(world, REFUND) == 0
    assert "  test_hash: to-be-filled\n" in world.row(FREEZES, REFUND)


def test_rows_with_all_their_pins_are_left_alone(world: World) -> None:
    before = (world.root / FREEZES).stat().st_mtime_ns
    answer = typed(world, "pin", "--all", "--now", noon(1))
    assert (answer.code, answer.out) == (0, "nothing to do: 2 rows hold their pins\n")
    assert (world.root / FREEZES).stat().st_mtime_ns == before


def test_a_ledger_with_windows_line_ends_keeps_them(world: World) -> None:
    world.set_fields(FREEZES, REFUND, test_hash=None)
    (world.root / FREEZES).write_bytes(world.read(FREEZES).replace("\n", "\r\n").encode())
    assert pin(world, REFUND) == 0
    data = (world.root / FREEZES).read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") == data.count(b"\r") > 20


# what cannot be pinned


def lose_the_test(world: World) -> None:
    world.sub(TESTS, "def test_refund", "def test_refunds")


def lose_the_property(world: World) -> None:
    world.sub(PROPERTIES, "id: PROP-1", "id: PROP-2")


def lose_the_fixture(world: World) -> None:
    world.delete(ORDERS)


def lose_the_lock(world: World) -> None:
    world.write(FIXTURES, "")


UNTOLD = (
    (lose_the_test, "freeze-dangling"),
    (lose_the_property, "freeze-unknown-property"),
    (lose_the_fixture, "fixture-missing"),
    (lose_the_lock, "property-unknown-fixture"),
)


@pytest.mark.parametrize(("edit", "rule"), UNTOLD, ids=[rule for _, rule in UNTOLD])
def test_a_pin_that_cannot_be_told_is_refused_with_the_words_of_the_hook(
    world: World, edit: Callable[[World], None], rule: str
) -> None:
    world.set_fields(FREEZES, REFUND, **dict.fromkeys(PINS))
    edit(world)
    before = world.read(FREEZES)
    answer = typed(world, "pin", REFUND, "--now", noon(1))
    assert (answer.code, world.read(FREEZES)) == (1, before)
    assert {found for found, _ in answer.findings} == {rule}
    assert set(answer.findings) <= set(hook_findings(world, 1))


def test_what_the_hooks_would_refuse_is_refused(world: World) -> None:
    """A runner class beside an edit of a generator: freeze configuration and a generator in one change."""
    world.set_fields(FREEZES, REFUND, runner_class=None)
    world.record("without a runner class")
    world.write("tests/strategies/other.py", "x = 1\n")
    before = world.read(FREEZES)
    answer = typed(world, "pin", REFUND, "--now", noon(1))
    assert (answer.code, world.read(FREEZES)) == (1, before)
    assert [rule for rule, _ in answer.findings] == ["mixed-change"]


USAGE = (
    ((), "which rows are meant?"),
    ((REFUND, "--all"), "which rows are meant?"),
    ((CLOCK,), f"no row for {CLOCK}"),
    ((f"{TESTS}::test_refundd",), f"did you mean {REFUND}?"),
)


@pytest.mark.parametrize(("arguments", "message"), USAGE)
def test_rows_that_are_not_there_cannot_be_pinned(world: World, arguments: tuple[str, ...], message: str) -> None:
    answer = typed(world, "pin", *arguments)
    assert answer.code == 2
    assert message in answer.err


def test_without_a_policy_it_cannot_be_told_what_a_pin_is(world: World) -> None:
    world.delete("ledgers/policy.yaml")
    answer = typed(world, "pin", "--all")
    assert answer.code == 2
    assert "policy" in answer.err


def test_a_ledger_behind_a_symbolic_link_is_refused(world: World) -> None:
    world.set_fields(FREEZES, REFUND, test_hash=None)
    world.move(FREEZES, "real.yaml")
    (world.root / FREEZES).symlink_to("../real.yaml")
    before = world.read("real.yaml")
    assert (pin(world, REFUND), world.read("real.yaml")) == (2, before)


def test_the_hooks_accept_what_pin_wrote(tmp_path: Path) -> None:
    """From level `ledger` to `keyed`: the rows are pinned first, the policy follows alone."""
    world = World.new(tmp_path / "world", level="ledger")
    world.freeze(REFUND, YESTERDAY, 3)
    world.record("frozen without pins")
    world.write(PRODUCT, "def total():\n    return 4\n")
    assert typed(world, "pin", "--all").code == 0
    assert commit_with_hooks(world, FREEZES) == ""
    assert set(PINS) <= {line.split(":")[0].strip() for line in world.row(FREEZES, REFUND).splitlines()}
    world.set_policy(level="keyed")
    refused = commit_with_hooks(world, "ledgers/policy.yaml")
    assert "no `failure_class`" in refused
    assert not any(f"no `{name}`" in refused for name in PINS)
