"""The skips that a change brings: what is parsed for it, and how many files are looked at.

What counts as brought is in `test_skips_rule.py`, on repositories, and in `test_skip_matching.py`, on texts.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flakeledger.repo import changes
from flakeledger.repo.brought_skips import Brought, brought_skips
from flakeledger.repo.changes import changes_of
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX, Basis
from world import TESTS, World, on

#: what compares two versions of a file, and what parses one
COMPARING = {"flakeledger.repo.skip_texts", "flakeledger.repo.skip_matching", "flakeledger.repo.python_skips", "ast"}
RUN = """\
import sys
from flakeledger.cli.main import main
code = main(sys.argv[1:])
print(code, *sys.modules, file=sys.stderr)
"""
SKIP = "@pytest.mark.skip\n"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World.new(tmp_path / "world")
    world.sub(TESTS, "def test_total", f"{SKIP}def test_total")
    world.write("tests/test_more.py", f"{SKIP}def test_more():\n    assert 1\n")
    world.record("two old skips")
    return world


def brought(world: World) -> list[Brought]:
    """What is brought by what lies here, staged."""
    world.git("add", "-A")
    with open_repository(str(world.root), os.environ) as repository:
        basis = Basis(base=world.head(), new=INDEX, context="commit", why="a test")
        (change,) = changes_of(repository, basis).changes
        return brought_skips(change)


def modules(world: World, *arguments: str) -> set[str]:
    """The modules that a run of check-change imports; it passes."""
    world.git("add", "-A")
    command = [sys.executable, "-c", RUN, "check-change", "--now", f"{on(1)}T12:00:00Z", *arguments]
    done = subprocess.run(command, cwd=world.root, capture_output=True, text=True, check=True)
    code, *imported = done.stderr.split()
    assert code == "0", done.stdout
    return set(imported)


def test_a_skip_is_found_with_its_file_and_its_text(world: World) -> None:
    world.sub(TESTS, "def test_clock", '@pytest.mark.skip(reason="slow")\ndef test_clock')
    (found,) = brought(world)
    assert (found.path, found.skip.test, found.text) == (TESTS, "test_clock", '@pytest.mark.skip(reason="")')


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("total() == 3", "total() == 4"),
        ("def test_clock", "def test_more():\n    assert 1\ndef test_clock"),
        (SKIP, ""),
    ],
)
def test_an_edit_that_can_bring_no_skip_parses_nothing(old: str, new: str, world: World) -> None:
    world.sub(TESTS, old, new)
    assert modules(world).isdisjoint(COMPARING)


def test_an_edit_that_may_bring_one_is_parsed(world: World) -> None:
    world.sub(TESTS, "def test_clock", "@pytest.mark.skipif(sys.platform == 'win32')\ndef test_clock")
    assert "flakeledger.repo.python_skips" in modules(world)


def test_a_file_in_another_language_needs_no_parser_of_python(world: World) -> None:
    world.write("tests/a.spec.ts", "it('runs', () => {});\n")
    assert modules(world).isdisjoint(COMPARING)


def test_of_a_push_only_the_steps_that_may_bring_a_skip_are_looked_at(world: World) -> None:
    before = world.head()
    for number, (old, new) in enumerate(
        [
            ("total() == 3", "total() == 4"),
            ("def test_clock", f"{SKIP}def test_clock"),
            ("total() == 4", "total() == 3"),
        ]
    ):
        world.sub(TESTS, old, new)
        world.record(f"step {number}")
    with open_repository(str(world.root), os.environ) as repository:
        basis = Basis(base=before, new=world.head(), context="push", why="a test", stepwise=True)
        (change,) = changes.changes_of(repository, basis).changes
        assert change.basis.new == world.git("rev-parse", "HEAD~1")
        assert [found.skip.test for found in brought_skips(change)] == ["test_clock"]
