"""Ten thousand rows that are all about one thing: no rule looks through all of them for each of them.

property_id: FL-ONE-RULE
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from conftest import git
from flakeledger.model.findings import Finding
from flakeledger.model.records import Fixture, Freeze, Property
from flakeledger.model.rows import Places
from flakeledger.repo.base import INDEX
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import open_repository
from flakeledger.rules.state_table import STATE_RULES
from growing import assert_linear

NUMBER = 10_000
TEST = "tests/test_a.py"
PLACES = Places(1, 1, {})
NOW = 1_790_000_000


def freeze(test: str, property_id: str | None = None, runner: str | None = None) -> Freeze:
    row = Freeze(PLACES, *[None] * 16)
    return row._replace(test=test, property_id=property_id, replay_env=runner, runner_class=runner)


def property_row(name: str, tests: list[str], fixtures: list[str]) -> Property:
    return Property(PLACES, name, "a statement", fixtures, tests, None, None, None)


@contextmanager
def opened_ledger(repository: Path) -> Iterator[Ledger]:
    """The ledger of a repository with a policy of so many runners and a module of so many tests, without rows."""
    policy = "version: 1\npaths:\n  - class: freeze_config\n    match: [/ledgers/]\n"
    policy += "  - class: generator\n    match: [conftest.py, seeds.json]\nseeds: seeds.json\nrunners:\n"
    runners = "".join(f"  - name: r{number}\n" for number in range(500))
    tests = "".join(f"def test_{number}(): {number}\n" for number in range(1000))
    for path, text in (("ledgers/policy.yaml", policy + runners), (TEST, tests), ("a.json", "{}")):
        (repository / path).parent.mkdir(exist_ok=True)
        (repository / path).write_text(text, encoding="utf-8")
    git(repository, "add", "-A")
    with open_repository(str(repository), os.environ) as opened:
        found = opened.ledger(opened.tree(INDEX))
        assert found.policy is not None, found.findings
        yield found


@pytest.fixture
def ledger(repository: Path) -> Iterator[Ledger]:
    with opened_ledger(repository) as found:
        yield found


TESTS = [f"{TEST}::test_{number}" for number in range(NUMBER)]
MISSPELT = [f"{TEST}::tets_{number}" for number in range(NUMBER)]
NAMES = [f"fixture-{number}" for number in range(NUMBER)]
#: what all rows are about, the rows of freezes and properties, and a rule that speaks of it
ROWS: dict[str, tuple[list[Freeze], list[Property], str]] = {
    "one property that lists none of the tests": (
        [freeze(test, property_id="P") for test in TESTS],
        [property_row("P", MISSPELT, ["a"])],
        "freeze-not-bound",
    ),
    "properties that are misspelt": (
        [freeze(test, property_id=f"Porperty-{number}") for number, test in enumerate(TESTS)],
        [property_row(f"Property-{number}", [], ["a"]) for number in range(NUMBER)],
        "freeze-unknown-property",
    ),
    "tests that are misspelt": ([freeze(test) for test in MISSPELT], [], "freeze-dangling"),
    "runners that are unknown": (
        [freeze(test, runner="nowhere") for test in TESTS],
        [],
        "freeze-unknown-runner",
    ),
    "one property of very many fixtures": (
        [freeze(test, property_id="P") for test in TESTS],
        [property_row("P", TESTS, NAMES)],
        "missing-field",
    ),
}


def wrong(rows: str, ledger: Ledger, number: int = NUMBER) -> Ledger:
    """The ledger with so many of the rows; a property that all are about lists so many tests and fixtures."""
    freezes, properties, _ = ROWS[rows]
    fixtures = tuple(Fixture(PLACES, name, "a.json", None, None) for name in NAMES[:number])
    freezes = freezes[:number]
    properties = [
        row._replace(tests=(row.tests or [])[:number], fixtures=(row.fixtures or [])[:number])
        for row in properties[:number]
    ]
    told = ledger.rows._replace(freezes=tuple(freezes), properties=tuple(properties), fixtures=fixtures)
    return Ledger(ledger.tree, told, ledger.files, ledger.modules, ledger.citing)


@pytest.mark.parametrize("rows", ROWS)
def test_a_rule_speaks_of_very_many_rows_in_linear_time(rows: str, ledger: Ledger) -> None:
    (rule,) = [rule for rule in STATE_RULES if rule.name == ROWS[rows][2]]

    def judged(number: int) -> list[Finding]:
        return list(rule.check(wrong(rows, ledger, number), NOW))  # a ledger of its own, which remembers nothing

    findings = assert_linear(lambda number: partial(judged, number), NUMBER)
    assert len(findings) >= NUMBER
    assert sum(len(finding.fix) for finding in findings) < 500 * len(findings)


def test_the_first_of_very_many_misspelt_names_are_answered_with_the_nearest(ledger: Ledger) -> None:
    found = wrong("properties that are misspelt", ledger)
    assert found.nearest_property("Porperty-77") == "Property-77"
    found = wrong("tests that are misspelt", ledger)
    assert "did you mean" in found.sources.test(f"{TEST}::tets_7").fix


def test_the_properties_of_a_test_are_those_that_list_it_or_its_function_in_their_order(ledger: Ledger) -> None:
    rows = [property_row(name, tests, []) for name, tests in (("A", ["t"]), ("B", ["t[1]"]), ("C", ["t", "t[1]"]))]
    found = Ledger(
        ledger.tree, ledger.rows._replace(properties=tuple(rows)), ledger.files, ledger.modules, ledger.citing
    )
    assert [row.id for row in found.properties_of("t[1]")] == ["A", "B", "C"]
    assert [row.id for row in found.properties_of("t")] == ["A", "C"]
    assert [row.id for row in found.listing("t[1]")] == ["B", "C"]
    assert [found.lists(row, "t[2]") for row in rows] == [True, False, True]
