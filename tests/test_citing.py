"""Which rows a citation means, and what becomes of it: in a real tree, with one thing wrong at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flakeledger.model.clock import parse_instant
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES
from flakeledger.verdicts.citing import judged_citations
from world import CLOCK, CONFTEST, ORDERS, REFUND, TESTS, TOTAL, Templates, World, on

MARK = '@pytest.mark.frozen("PROP-1", runner_class="pinned-py311")\n'


def frozen(world: World) -> None:
    """Two frozen tests, one of them cited."""
    world.sub(TESTS, "from hypothesis", "import pytest\nfrom hypothesis")
    world.replay(0)
    world.replay(0, test=TOTAL)
    world.freeze_all([REFUND, TOTAL], 0, 10)
    world.sub(TESTS, "@given", f"{MARK}@given")
    world.record("frozen")


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", frozen, "keyed", "block")


def decisions(world: World, now: str = f"{on(1)}T12:00:00Z") -> list[tuple[int, str | None, str | None]]:
    """The line of each citation, the test of the row that it means, and its decision."""
    with world.ledger() as ledger:
        return [
            (found.citation.place.line, None if found.freeze is None else found.freeze.test, found.decision)
            for found in judged_citations(ledger, parse_instant(now))
        ]


def test_a_citation_of_an_open_freeze_may_stay(world: World) -> None:
    assert decisions(world) == [(6, REFUND, "allow_cite")]


Edit = Callable[[World], None]


def lock_again(world: World) -> None:
    """The fixture, edited and locked."""
    world.write(ORDERS, '{"a": 2}\n')
    world.lock()


def add_broken_fixture(world: World) -> None:
    """Another fixture of the property, whose lock is wrong."""
    world.write("tests/more.json", "{}")
    world.add_row(FIXTURES, id="FX-2", path="tests/more.json", sha256="0" * 64)
    world.set_fields(PROPERTIES, "PROP-1", fixtures=["FX-1", "FX-2"])


EDITS: dict[str, tuple[Edit, str]] = {
    "the module does not name the property": (
        lambda world: world.sub(TESTS, "property_id: PROP-1", "about PROP-1"),
        "reject:unnamed",
    ),
    "the row has no property": (
        lambda world: world.set_fields(FREEZES, REFUND, property_id=None),
        "reject:unnamed",
    ),
    "another property is cited": (lambda world: world.sub(TESTS, '"PROP-1"', '"PROP-2"'), "reject:property_id"),
    "a pinned fixture changed": (lambda world: world.write(ORDERS, '{"a": 2}\n'), "reject:fixture_hash"),
    "a pinned fixture changed and was locked": (lock_again, "reject:fixture_hash"),
    "a pinned fixture is gone": (lambda world: world.delete(ORDERS), "reject:fixture_hash"),
    "a generator changed": (lambda world: world.write(CONFTEST, "LIMIT = 2\n"), "reject:fixture_hash"),
    "the test's text changed": (lambda world: world.sub(TESTS, "x >= 0", "x >= -1"), "reject:fixture_hash"),
    "another fixture of the property is not pinned": (add_broken_fixture, "allow_cite"),
    "no runner class is cited": (
        lambda world: world.sub(TESTS, ', runner_class="pinned-py311"', ""),
        "reject:window",
    ),
    "another runner class is cited": (
        lambda world: world.sub(TESTS, '"pinned-py311"', '"local-fixture"'),
        "reject:window",
    ),
    "the row names no runner class": (
        lambda world: world.set_fields(FREEZES, REFUND, runner_class=None),
        "reject:window",
    ),
    "the row has no end": (lambda world: world.set_fields(FREEZES, REFUND, expires=None), "reject:window"),
    "an invariant fails": (
        lambda world: world.set_fields(FREEZES, REFUND, failure_class="invariant"),
        "reject:not_environment",
    ),
    "nobody said what fails": (
        lambda world: world.set_fields(FREEZES, REFUND, failure_class=None),
        "reject:not_environment",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_one_thing_that_differs(world: World, name: str) -> None:
    edit, expected = EDITS[name]
    edit(world)
    assert [(test, decision) for _, test, decision in decisions(world)] == [(REFUND, expected)]


@pytest.mark.parametrize(
    ("now", "decision"), [(f"{on(10)}T23:59:59Z", "allow_cite"), (f"{on(11)}T00:00:00Z", "reject:window")]
)
def test_the_window(world: World, now: str, decision: str) -> None:
    assert decisions(world, now) == [(6, REFUND, decision)]


def at_level_ledger(world: World) -> None:
    """A row that pins nothing, as level `ledger` writes it, with what makes it citable."""
    world.replay(0)
    world.freeze(REFUND, 0, 10, failure_class="environment")
    world.append(TESTS, "# flakeledger: cite PROP-1 runner_class=pinned-py311\n")
    world.record("frozen")


def lose_lock_and_file(world: World) -> None:
    """Neither a digest to compare nor one to compare it with: two unknowns are not alike."""
    world.set_fields(FIXTURES, "FX-1", sha256=None)
    world.delete(ORDERS)


LEDGER_EDITS: dict[str, tuple[Edit, str]] = {
    "nothing": (lambda _world: None, "allow_cite"),
    "its fixture changed": (lambda world: world.write(ORDERS, '{"a": 2}\n'), "reject:fixture_hash"),
    "its fixture changed and was locked": (lock_again, "allow_cite"),
    "its fixture has no row": (lambda world: world.remove_row(FIXTURES, "FX-1"), "reject:fixture_hash"),
    "its fixture has no lock and no file": (lose_lock_and_file, "reject:fixture_hash"),
    "its property is gone": (lambda world: world.write(PROPERTIES, ""), "allow_cite"),
    "its property lists no fixtures": (
        lambda world: world.set_fields(PROPERTIES, "PROP-1", fixtures=None),
        "allow_cite",
    ),
    "the policy is gone": (lambda world: world.delete(POLICY), "reject:window"),
    "a runner class of its own": (
        lambda world: world.set_fields(FREEZES, REFUND, runner_class="local-fixture"),
        "reject:window",
    ),
    "no failure class": (
        lambda world: world.set_fields(FREEZES, REFUND, failure_class=None),
        "reject:not_environment",
    ),
}


@pytest.mark.parametrize("name", LEDGER_EDITS)
def test_a_row_without_pins_stands_on_the_locks(templates: Templates, tmp_path: Path, name: str) -> None:
    world = templates.start(tmp_path / "world", at_level_ledger, "ledger", "block")
    edit, expected = LEDGER_EDITS[name]
    edit(world)
    assert [decision for _, _, decision in decisions(world)] == [expected]


MODULE = '''\
"""property_id: PROP-1, property_id: PROP-2"""
{module_mark}

class Base:
    {base_mark}
    def test_both(self): ...
class TestA(Base):
    {class_mark}
    def test_a(self): ...
    class TestInner:
        def test_deep(self): ...
{function_mark}
def test_a(): ...
@pytest.mark.parametrize("a", [1])
{parameter_mark}
def test_many(a): ...
def test_free(): ...
{end}
'''
PLACES = ("module_mark", "base_mark", "class_mark", "function_mark", "parameter_mark", "end")
A, INNER, BOTH, FUNCTION = "TestA::test_a", "TestA::TestInner::test_deep", "TestA::test_both", "test_a"
ONE, TWO = "test_many[1]", "test_many[2::x]"
#: a row that outlived its class, whose method is one of another class as well
GONE = "TestGone::test_a"
ROWS = {A: "PROP-1", INNER: "PROP-2", BOTH: "PROP-1", FUNCTION: "PROP-1", ONE: "PROP-1", TWO: "PROP-1", GONE: "PROP-2"}


@pytest.mark.parametrize(
    ("place", "cites", "meant"),
    [
        ("module_mark", "# flakeledger: cite PROP-2", [INNER, GONE]),
        ("module_mark", "# flakeledger: cite PROP-3", list(ROWS)),
        ("module_mark", "x = 1; pytestmark = pytest.mark.frozen('PROP-1')", [A, BOTH, FUNCTION, ONE, TWO]),
        ("class_mark", "pytestmark = pytest.mark.frozen('PROP-1')", [A, BOTH]),
        ("class_mark", "pytestmark = pytest.mark.frozen('PROP-2')", [INNER]),
        ("class_mark", "# flakeledger: cite PROP-2", [A]),
        ("base_mark", "@pytest.mark.frozen('PROP-1')", [BOTH]),
        ("base_mark", "pytestmark = pytest.mark.frozen('PROP-1')", [BOTH]),
        ("function_mark", "@pytest.mark.frozen('PROP-1')", [FUNCTION]),
        ("function_mark", "@pytest.mark.frozen('PROP-2')", [FUNCTION]),
        ("parameter_mark", "@pytest.mark.frozen('PROP-1')", [ONE, TWO]),
        ("end", "    # flakeledger: cite PROP-1", []),
        ("end", "# flakeledger: cite", []),
    ],
)
def test_which_rows_a_citation_means(
    templates: Templates, tmp_path: Path, place: str, cites: str, meant: list[str]
) -> None:
    world = templates.start(tmp_path / "world", nothing_frozen, "ledger", "block")
    path = "tests/test_scopes.py"
    world.write(path, "import pytest\n" + MODULE.format(**(dict.fromkeys(PLACES, "") | {place: cites})))
    for test, name in ROWS.items():
        world.add_row(FREEZES, test=f"{path}::{test}", property_id=name)
    world.add_row(FREEZES, test=CLOCK, property_id="PROP-1")
    found = decisions(world)
    expected: list[str | None] = [f"{path}::{test}" for test in meant]
    assert [test for _, test, _ in found] == (expected or [None])
    assert all((decision is None) == (not meant) for _, _, decision in found)


def nothing_frozen(_world: World) -> None:
    """The base tree as it is."""


def test_citations_come_by_path_and_place(world: World) -> None:
    world.write("tests/a.js", "// flakeledger: cite PROP-1\n")
    world.append(TESTS, "\n\n# flakeledger: cite PROP-1 runner_class=pinned-py311\n")
    with world.ledger() as ledger:
        found = [one[:2] for one in ledger.citations]
        assert found == sorted(found)
        assert [path for path, _ in found] == ["tests/a.js", TESTS, TESTS]
        last = ledger.citations[-1]
        tests = [one.freeze and one.freeze.test for one in judged_citations(ledger, 0) if one.citation == last]
    assert tests == [REFUND, TOTAL]
