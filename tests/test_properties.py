"""How the rules about properties word what is to be done, by the language of the test; where they fire is in trees/."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import typed
from flakeledger.model.ledger_paths import PROPERTIES
from world import World, on

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
