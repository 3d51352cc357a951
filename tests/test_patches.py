"""A patch as the gate sees it: its commits, its paths, their classes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flakeledger.model.patterns import PathClasses
from flakeledger.model.policy import PathClass, Policy, Runner
from flakeledger.repo.repository import open_repository
from flakeledger.rules.patches import Patch, class_of_change, read_patch
from flakeledger.store.git_output import PathChange
from patched import edit_product, on_a_branch
from world import CONFTEST, PRODUCT, STRATEGIES, TESTS, World

FILE, PROGRAM, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
POLICY = Policy(
    (
        PathClass("generator", ("conftest.py",)),
        PathClass("test_body", ("/tests/",)),
        PathClass("runner", ("tox.ini",)),
    ),
    (Runner("local"),),
)


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("src/a.py", FILE, FILE, "production"),
        ("src/a.py", "", PROGRAM, "production"),
        ("src/a.py", FILE, "", "production"),
        ("src/a.py", FILE, LINK, "unclassified"),
        ("src/a.py", LINK, FILE, "unclassified"),
        ("src/a", "", SUBMODULE, "unclassified"),
        ("src/test_a.py", FILE, FILE, "unclassified"),
        ("src/a.spec.ts", FILE, "", "unclassified"),
        ("tests/test_a.py", FILE, FILE, "test_body"),
        ("tests/test_a.py", "", LINK, "unclassified"),
        ("src/conftest.py", "", LINK, "generator"),
        ("src/conftest.py", SUBMODULE, "", "generator"),
        ("tox.ini", LINK, FILE, "runner"),
        (".gitattributes", FILE, FILE, "runner"),
        ("src/.gitattributes", "", FILE, "runner"),
        ("tests/.gitattributes", FILE, "", "runner"),
        ("src/x.gitattributes", FILE, FILE, "production"),
    ],
)
def test_the_class_of_an_edit(path: str, old: str, new: str, expected: str) -> None:
    assert class_of_change(PathClasses(POLICY), PathChange(path, old, "1" * 40, new, "2" * 40)) == expected


def patch_of(world: World) -> Patch:
    with open_repository(str(world.root), os.environ) as repository:
        return read_patch(repository, "main", "HEAD")


def test_a_patch_is_what_differs_from_the_merge_base(tmp_path: Path) -> None:
    world = World.new(tmp_path / "shop")
    start = world.head()

    def edit(world: World) -> None:
        edit_product(world)
        world.append(TESTS, "\n")
        world.move(STRATEGIES, "src/strategies.py")

    on_a_branch(world, edit)
    world.git("switch", "-q", "main")
    world.append(CONFTEST, "\n")
    world.record("meanwhile")
    world.git("switch", "-q", "work")
    patch = patch_of(world)
    assert (patch.tip, patch.base, patch.head) == (world.git("rev-parse", "main"), start, world.head())
    assert patch.paths == {
        "generator": ["src/strategies.py", STRATEGIES],
        "production": [PRODUCT],
        "test_body": [TESTS],
    }
    assert patch.label == "generator+test_body+production"
    assert [change.path for change in patch.edits("test_body")] == [TESTS]
    assert patch.edits("runner") == []


def test_what_came_and_went_inside_the_patch_is_no_part_of_it(tmp_path: Path) -> None:
    world = World.new(tmp_path / "shop")
    before = world.read(STRATEGIES)
    on_a_branch(world, lambda world: world.write(STRATEGIES, "x = 1\n"))
    world.write(STRATEGIES, before)
    edit_product(world)
    world.record("back")
    assert patch_of(world).label == "production"
