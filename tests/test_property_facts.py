"""Which properties a test protects, asked of the files on disk in a process of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flakeledger.evidence.property_facts import ask
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import POLICY, PROPERTIES
from witnessed import PROPERTY, SUITE, property_suite
from world import CONFTEST, World

IT = f"{SUITE}::test_it"
TEXT = "@pytest.mark.parametrize('a', [1])\n@given(x=st.integers())\ndef test_it(a, x):\n    pass\n"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return property_suite(tmp_path / "world", TEXT, "test_it")


def test_a_property_of_a_function_is_one_of_each_of_its_parameters(world: World) -> None:
    facts = ask(str(world.root), os.environ, f"{IT}[1]")
    seeds = "tests/seeds/gate.json"
    assert facts.generators == {PROPERTY: {path: world.digest_of(path) for path in (CONFTEST, seeds)}}
    assert facts.largest == 8192


def test_it_is_what_lies_on_disk_that_counts(world: World) -> None:
    world.write(CONFTEST, "LIMIT = 2\n")
    world.sub(POLICY, "  warn_days", "  witness_bytes: 99\n  warn_days")
    facts = ask(str(world.root), os.environ, IT)
    assert facts.generators[PROPERTY][CONFTEST] == world.digest_of(CONFTEST)
    assert facts.largest == 99


def test_a_test_without_a_property_gives_the_reason(world: World) -> None:
    with pytest.raises(CannotTell, match="no property lists"):
        ask(str(world.root), os.environ, f"{SUITE}::test_other")
    world.sub(SUITE, f"property_id: {PROPERTY}", "nothing")
    with pytest.raises(CannotTell, match=f"does not name `{PROPERTY}`"):
        ask(str(world.root), os.environ, IT)
    world.sub(PROPERTIES, "statement", "statment")
    with pytest.raises(CannotTell, match=r"unknown-field|missing-field"):
        ask(str(world.root), os.environ, IT)
