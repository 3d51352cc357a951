"""What the rules about properties find at their edges, and how they word what is to be done; the rest is in trees/."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commands import typed
from flakeledger.model.clock import parse_instant
from flakeledger.model.ledger_paths import PROPERTIES
from flakeledger.rules import properties
from steps import Edit, base, together
from world import CLOCK, REFUND, TOTAL, Templates, World, on

WRITE = "write `property_id: PROP-9` in"


@pytest.mark.parametrize(
    ("path", "text", "fix"),
    [
        (
            "tests/test_more.py",
            "def test_more():\n    pass\n",
            f'{WRITE} its docstring or a comment, or mark the test: @pytest.mark.property_id("PROP-9")',
        ),
        ("web/amount.test.js", "test('test_more', () => {})\n", f"{WRITE} a comment of it"),
    ],
)
def test_a_test_is_told_to_name_its_property_as_its_language_can(
    path: str, text: str, fix: str, tmp_path: Path
) -> None:
    world = World.new(tmp_path / "shop")
    world.write(path, text)
    world.add_row(PROPERTIES, id="PROP-9", statement="more is more", fixtures=["FX-1"], tests=[f"{path}::test_more"])
    answer = typed(world, "check", "--only", "property-unnamed", "--now", f"{on(1)}T12:00:00Z")
    assert answer.out.splitlines()[1] == f"    fix: {fix}"


RULES = (
    properties.property_untested,
    properties.property_unprotected,
    properties.property_no_fixture,
    properties.property_unknown_fixture,
    properties.property_duplicate,
    properties.property_unnamed,
    properties.property_dangling,
)
GONE = "tests/test_orders.py::test_gone"
ELSEWHERE = "tests/test_elsewhere.py::test_gone"


def frozen(*tests: str) -> Edit:
    """These tests are frozen on day 1."""
    return lambda world: world.freeze_all(tests, 1, 30)


def listed(*tests: str) -> Edit:
    """The property lists these tests."""
    return lambda world: world.set_fields(PROPERTIES, "PROP-1", tests=tests)


def said(**fields: str | None) -> Edit:
    """Fields of the property."""
    return lambda world: world.set_fields(PROPERTIES, "PROP-1", **fields)


def uncovered(days: int, owner: str = "@finley") -> Edit:
    """Only frozen tests protect the property, and its owner answers for that until a day."""
    return together(frozen(REFUND, TOTAL, CLOCK), said(uncovered_until=on(days), owner=owner))


#: what is done, and what is found on day 1: the rule, the field that it names, `t` where time caused it
CASES: dict[str, tuple[Edit, list[tuple[str, str, str]]]] = {
    "neither tests nor fixtures": (said(tests=None, fixtures=None), []),
    "no tests": (listed(), [("property-untested", "tests", "")]),
    "a live test": (frozen(REFUND, TOTAL), []),
    "frozen tests": (frozen(REFUND, TOTAL, CLOCK), [("property-unprotected", "tests", "")]),
    "frozen tests and one that is gone": (
        together(frozen(REFUND, TOTAL, CLOCK), listed(REFUND, GONE)),
        [("property-dangling", "tests", ""), ("property-unprotected", "tests", "")],
    ),
    "tests that are gone": (
        listed(GONE, ELSEWHERE), [("property-dangling", "tests", ""), ("property-dangling", "tests", "")],
    ),
    "answered for until today": (uncovered(1), []),
    "answered for until yesterday": (uncovered(0), [("property-unprotected", "uncovered_until", "t")]),
    "answered for 30 days": (uncovered(31), []),
    "answered for longer": (uncovered(32), [("property-unprotected", "uncovered_until", "")]),
    "answered for by nobody": (uncovered(31, "tbd"), [("property-unprotected", "tests", "")]),
    "nobody said until when": (
        together(frozen(REFUND, TOTAL, CLOCK), said(owner="@finley")), [("property-unprotected", "tests", "")],
    ),
    "no id": (lambda world: world.sub(PROPERTIES, "- id: PROP-1\n  statement", "- statement"), []),
    "no fixtures": (
        lambda world: world.set_fields(PROPERTIES, "PROP-1", fixtures=[]), [("property-no-fixture", "fixtures", "")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_protects_a_property(name: str, templates: Templates, tmp_path: Path) -> None:
    edit, expected = CASES[name]
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    edit(world)
    with world.ledger() as ledger:
        findings = [one for rule in RULES for one in rule(ledger, parse_instant(f"{on(1)}T12:00:00Z"))]
    told = [(one.rule, field_at(world, one.line), "t" if one.by_time else "") for one in findings]
    assert sorted(told) == expected


def field_at(world: World, line: int) -> str:
    """The field of the properties that a line is part of."""
    text = "".join(world.read(PROPERTIES).splitlines(keepends=True)[:line])
    return str(re.findall(r"(?m)^  (\w+):", text)[-1])


def test_only_tests_that_exist_are_said_to_protect_it(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    together(frozen(REFUND, TOTAL, CLOCK), listed(GONE, CLOCK))(world)
    with world.ledger() as ledger:
        (found,) = properties.property_unprotected(ledger, 0)
    assert found.message == f"only frozen tests protect PROP-1: {CLOCK}"
