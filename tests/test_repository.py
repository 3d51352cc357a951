"""What a run asks of git and imports: a second run pays for nothing that the first one learnt."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import git
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.repo import repository as module
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.store.git import Git
from flakeledger.store.objects import ObjectReader, open_objects
from world import PRODUCT, REFUND, World, on

#: what parses, compares or describes, and has nothing to do in a run that passes and knows everything
HEAVY = {"yaml", "pygit2", "ast", "inspect", "dataclasses", "difflib", "tempfile", "shlex", "concurrent.futures"}
RUN = """\
import sys
before = set(sys.modules)
from flakeledger.cli.main import main
code = main(sys.argv[1:])
print(code, *(set(sys.modules) - before))
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World.new(tmp_path / "world")
    world.replay(0)
    world.freeze(REFUND, 0, 10)
    world.record("a freeze")
    return world


def run(world: World, check: str) -> set[str]:
    """What a check that passes imports, in a process of its own."""
    command = [sys.executable, "-c", RUN, check, "--now", f"{on(1)}T12:00:00Z"]
    done = subprocess.run(command, cwd=world.root, capture_output=True, text=True, check=True)
    code, *modules = done.stdout.splitlines()[-1].split()
    assert code == "0", done.stdout
    return set(modules)


@pytest.mark.parametrize(("check", "parsers"), [("check-ledgers", {"yaml", "ast"}), ("check-change", {"yaml"})])
def test_a_second_run_imports_no_parser(world: World, check: str, parsers: set[str]) -> None:
    shutil.rmtree(world.root / ".git" / "flakeledger")
    world.append(PRODUCT, "# an edit\n")
    git(world.root, "add", "-A")
    assert run(world, check) >= parsers
    second = run(world, check)
    assert not second & HEAVY
    assert not {name for name in second if name.startswith("flakeledger.store.yaml")}


def test_a_check_of_one_kind_imports_no_rule_of_the_other(world: World) -> None:
    assert not run(world, "check-ledgers") & {"flakeledger.rules.change_table", "flakeledger.repo.changes"}
    assert "flakeledger.rules.state_table" not in run(world, "check-change")


def test_the_ledger_of_an_edited_row_is_the_same_in_every_run(world: World) -> None:
    """The places of rows that are known are found again: in the ledger that was edited, and in the one that was not."""
    text = world.read(FREEZES)
    for edited in (f"# a comment\n{text}", text, text.replace("@finley", "@robin")):
        world.write(FREEZES, edited)
        git(world.root, "add", "-A")
        places = []
        for _ in range(2):
            with open_repository(str(world.root), os.environ) as repository:
                ledger = repository.ledger(repository.tree(INDEX))
                places.append([row.places.of(name) for row in ledger.freezes for name in ("", *row.places.fields)])
        first = edited.splitlines().index(next(line for line in edited.splitlines() if line.startswith("- ")))
        assert places[0] == places[1]
        assert places[0][0] == (first + 1, 3)


def test_many_blobs_are_hashed_as_few_are(world: World) -> None:
    """So many fixtures that two readers share them; every digest is the one that people compute."""
    for number in range(150):
        path = f"tests/fixtures/many/{number}.txt"
        world.write(path, "x" * number)
        world.add_fixture(f"MANY-{number}", path)
    git(world.root, "add", "-A")
    with open_repository(str(world.root), os.environ) as repository:
        ledger = repository.ledger(repository.tree(INDEX))
        repository.prepare(ledger)
        for row in ledger.fixtures:
            assert ledger.locked_file(row).digest == row.sha256


@pytest.mark.parametrize("number", [0, 1, module._FEW, module._FEW + 1, 3 * module._FEW])
def test_blobs_come_in_the_order_in_which_they_are_asked_for(number: int, world: World) -> None:
    for index in range(number):
        world.write(f"many/{index}", f"text {index % 7}\n")
    world.record("many")
    oids = [line.split()[2] for line in world.git("ls-tree", "-r", "HEAD", "many/").splitlines()]
    with open_repository(str(world.root), os.environ) as repository:
        found = list(repository.read_many(iter(oids)))
    assert [oid for oid, _ in found] == oids
    assert all(world.git("cat-file", "blob", oid).encode() + b"\n" == data for oid, data in found[:9])


def test_many_single_reads_bring_libgit2_and_few_do_not(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        world.write(f"{number}.txt", str(number))
    world.record("six files")
    seen: list[int] = []

    def opening(where: Git, expected: int) -> ObjectReader:
        seen.append(expected)
        return open_objects(where, 10_000)

    monkeypatch.setattr(module, "READS_THAT_PAY_FOR_PYGIT2", 4)
    monkeypatch.setattr(module, "open_objects", opening)
    with open_repository(str(world.root), dict(os.environ)) as opened:
        tree = opened.tree(INDEX)
        assert [tree.read(f"{number}.txt") for number in range(3)] == [b"0", b"1", b"2"]
        assert seen == []
        assert [tree.read(f"{number}.txt") for number in range(3, 6)] == [b"3", b"4", b"5"]
        assert seen == [4]


def test_what_was_learnt_about_a_blob_is_not_read_again(world: World) -> None:
    world.write("a.txt", "a")
    git(world.root, "add", "-A")
    oid = git(world.root, "rev-parse", ":a.txt")
    digest = hashlib.sha256(b"a").hexdigest()
    for _ in range(2):
        with open_repository(str(world.root), dict(os.environ)) as opened:
            assert opened.ledger(opened.tree(INDEX)).files.sha256(oid) == digest
        (world.root / ".git" / "objects" / oid[:2] / oid[2:]).unlink(missing_ok=True)
