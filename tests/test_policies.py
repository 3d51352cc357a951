"""How the rule `policy-not-alone` names what the policy changes with; where it fires is in trees/changes/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import noon, typed
from steps import base, set_policy
from world import REFUND, Templates, World


def message(world: World) -> str:
    """What the rule says of what lies here, staged."""
    world.git("add", "-A")
    answer = typed(world, "check-change", "--now", noon(1), "--only", "policy-not-alone", "--format", "json")
    (found,) = json.loads(answer.out)["findings"]
    return str(found["message"])


@pytest.mark.parametrize(
    ("number", "named"),
    [
        (1, "src/0.py"),
        (5, "src/0.py, src/1.py, src/2.py, src/3.py, src/4.py"),
        (6, "src/0.py, src/1.py, src/2.py, src/3.py, src/4.py and 1 more"),
        (8, "src/0.py, src/1.py, src/2.py, src/3.py, src/4.py and 3 more"),
    ],
)
def test_of_very_many_files_the_first_are_named(number: int, named: str, templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    set_policy(warn_days=6)(world)
    for one in range(number):
        world.write(f"src/{one}.py", "x = 1\n")
    assert message(world) == f"the policy changes together with {named}: it would judge its own change"


def test_a_row_is_named_too(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    set_policy(warn_days=6)(world)
    world.freeze(REFUND, 1, 3)
    assert f"together with the row {REFUND}: " in message(world)
