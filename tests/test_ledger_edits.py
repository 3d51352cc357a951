"""The ledgers that a command edits: read once, edited in memory, written together or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from flakeledger.cli.ledger_edits import LedgerEdits
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.repo.repository import Repository, open_repository
from world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.new(tmp_path / "world")


@pytest.fixture
def repository(world: World) -> Iterator[Repository]:
    with open_repository(str(world.root), os.environ, from_disk=True) as opened:
        yield opened


def test_edits_of_one_file_add_up_and_are_written_once(world: World, repository: Repository) -> None:
    before = world.read(FIXTURES)
    edits = LedgerEdits(repository)
    edits.append_all(FIXTURES, [{"id": "FX-2", "path": "b.json", "sha256": "ab" * 32}])
    edits.change_all(FIXTURES, {"FX-2": {"sha256": "cd" * 32, "hash": "bytes"}})
    assert world.read(FIXTURES) == before
    assert edits.files == {
        FIXTURES: f"{before}- id: FX-2\n  path: b.json\n  sha256: {'cd' * 32}\n  hash: bytes\n".encode()
    }
    edits.write()
    assert world.read(FIXTURES).encode() == edits.files[FIXTURES]


def test_an_edit_that_is_taken_back_writes_nothing(world: World, repository: Repository) -> None:
    (world.root / FIXTURES).chmod(0o444)
    edits = LedgerEdits(repository)
    edits.append_all(FIXTURES, [{"id": "FX-2", "path": "b.json", "sha256": "ab" * 32}])
    edits.remove_all(FIXTURES, ["FX-2"])
    assert edits.files == {}
    assert list(edits.next_steps()) == []
    edits.write()


def test_no_file_is_written_when_one_of_them_changed_meanwhile(world: World, repository: Repository) -> None:
    before = world.read(PROPERTIES)
    edits = LedgerEdits(repository)
    edits.change_all(PROPERTIES, {"PROP-1": {"owner": "@finley"}})
    edits.append_all(FIXTURES, [{"id": "FX-2", "path": "b.json", "sha256": "ab" * 32}])
    world.append(FIXTURES, "# somebody else was here\n")
    with pytest.raises(CannotTell, match=f"{FIXTURES} changed"):
        edits.write()
    assert world.read(PROPERTIES) == before
    assert world.read(FIXTURES).endswith("# somebody else was here\n")


ROWS = (
    ("- id: A\n  path: a\n", "- id: A\n  path: a\n"),
    ("# head\r\n-   id: A\r\n    path: a\r\n# tail\r\n", "-   id: A\n    path: a\n"),
    ("-\n  path: a\n  # inside\n  id: A", "-\n  path: a\n  # inside\n  id: A\n"),
)


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_the_text_of_a_row_has_all_its_lines_and_no_others(
    world: World, repository: Repository, text: str, expected: str
) -> None:
    (world.root / FIXTURES).write_bytes(text.encode())
    edits = LedgerEdits(repository)
    edits.append_all(FIXTURES, [{"id": "B", "path": "b"}])
    assert edits.row_text(FIXTURES, "id", "A") == expected


def test_two_commands_at_once_lose_no_row(world: World, repository: Repository) -> None:
    one, other = LedgerEdits(repository), LedgerEdits(repository)
    one.append_all(FREEZES, [{"test": "a.py::test_a"}])
    other.append_all(FREEZES, [{"test": "a.py::test_b"}])
    one.write()
    with pytest.raises(CannotTell, match="changed"):
        other.write()
    assert world.read(FREEZES) == "- test: a.py::test_a\n"
