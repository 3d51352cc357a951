"""The ledgers that a command edits: read once, edited in memory, written together or not at all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import TOOL, Answer, hook_findings, noon, typed
from flakeledger.cli.ledger_edits import LedgerEdits, OpenLedgers, open_ledgers
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.store.edits import _wait, locked
from flakeledger.store.git import Git
from world import REFUND, TOTAL, World

#: seconds; a command that does not wait for the lock has read and judged by then
LONG_ENOUGH_TO_READ = 0.5


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.new(tmp_path / "world")


@pytest.fixture
def ledgers(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenLedgers]:
    monkeypatch.chdir(world.root)
    with open_ledgers(writes=True) as opened:
        yield opened


def test_edits_of_one_file_add_up_and_are_written_once(world: World, ledgers: OpenLedgers) -> None:
    before = world.read(FIXTURES)
    edits = LedgerEdits(ledgers.repository)
    edits.append_all(FIXTURES, [{"id": "FX-2", "path": "b.json", "sha256": "ab" * 32}])
    edits.change_all(FIXTURES, {"FX-2": {"sha256": "cd" * 32, "hash": "bytes"}})
    assert world.read(FIXTURES) == before
    assert edits.files == {
        FIXTURES: f"{before}- id: FX-2\n  path: b.json\n  sha256: {'cd' * 32}\n  hash: bytes\n".encode()
    }
    edits.write(ledgers.right)
    assert world.read(FIXTURES).encode() == edits.files[FIXTURES]


def test_an_edit_that_is_taken_back_writes_nothing(world: World, ledgers: OpenLedgers) -> None:
    (world.root / FIXTURES).chmod(0o444)
    edits = LedgerEdits(ledgers.repository)
    edits.append_all(FIXTURES, [{"id": "FX-2", "path": "b.json", "sha256": "ab" * 32}])
    edits.remove_all(FIXTURES, ["FX-2"])
    assert edits.files == {}
    assert list(edits.next_steps()) == []
    edits.write(ledgers.right)


def test_no_file_is_written_when_one_of_them_changed_meanwhile(world: World, ledgers: OpenLedgers) -> None:
    before = world.read(PROPERTIES)
    edits = LedgerEdits(ledgers.repository)
    edits.change_all(PROPERTIES, {"PROP-1": {"owner": "@finley"}})
    edits.append_all(FIXTURES, [{"id": "FX-2", "path": "b.json", "sha256": "ab" * 32}])
    world.append(FIXTURES, "# somebody else was here\n")
    with pytest.raises(CannotTell, match=f"{FIXTURES} changed"):
        edits.write(ledgers.right)
    assert world.read(PROPERTIES) == before
    assert world.read(FIXTURES).endswith("# somebody else was here\n")


ROWS = (
    ("- id: A\n  path: a\n", "- id: A\n  path: a\n"),
    ("# head\r\n-   id: A\r\n    path: a\r\n# tail\r\n", "-   id: A\n    path: a\n"),
    ("-\n  path: a\n  # inside\n  id: A", "-\n  path: a\n  # inside\n  id: A\n"),
)


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_the_text_of_a_row_has_all_its_lines_and_no_others(
    world: World, ledgers: OpenLedgers, text: str, expected: str
) -> None:
    (world.root / FIXTURES).write_bytes(text.encode())
    edits = LedgerEdits(ledgers.repository)
    edits.append_all(FIXTURES, [{"id": "B", "path": "b"}])
    assert edits.row_text(FIXTURES, "id", "A") == expected


def test_what_was_written_meanwhile_is_not_overwritten(world: World, ledgers: OpenLedgers) -> None:
    one, other = LedgerEdits(ledgers.repository), LedgerEdits(ledgers.repository)
    one.append_all(FREEZES, [{"test": "a.py::test_a"}])
    other.append_all(FREEZES, [{"test": "a.py::test_b"}])
    one.write(ledgers.right)
    with pytest.raises(CannotTell, match="changed"):
        other.write(ledgers.right)
    assert world.read(FREEZES) == "- test: a.py::test_a\n"


def test_who_writes_nothing_needs_no_lock(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world.root)
    with open_ledgers(writes=True), open_ledgers(writes=False) as other:
        edits = LedgerEdits(other.repository)
        edits.append_all(FREEZES, [{"test": "a.py::test_a"}])
        edits.write(other.right)
    assert world.read(FREEZES) == ""


def is_waiting(thread: threading.Thread) -> bool:
    """Whether a thread waits for the lock on editing."""
    frame = sys._current_frames().get(thread.ident or 0)
    return any(found.f_code is _wait.__code__ for found, _ in traceback.walk_stack(frame))


@pytest.mark.parametrize(
    ("test", "code", "said"), [(TOTAL, 0, f"froze {TOTAL}"), (REFUND, 2, f"{REFUND} is frozen already")]
)
def test_a_command_reads_what_the_one_that_it_waited_for_has_written(
    world: World, test: str, code: int, said: str
) -> None:
    answers: list[Answer] = []
    command = ("freeze", test, "--reason", "depends on the wall clock", "--owner", "@finley", "--now", noon(1))
    waiting = threading.Thread(target=lambda: answers.append(typed(world, *command)))
    with locked(Git.open(str(world.root), os.environ)) as right:
        waiting.start()
        while not is_waiting(waiting):
            assert waiting.is_alive(), answers
            time.sleep(0.01)
        other = world.copy(world.root.with_name("other"))
        other.freeze(REFUND, 1, 3)
        right.write({FREEZES: (b"", other.read(FREEZES).encode())})
    waiting.join()
    (answer,) = answers
    assert answer.code == code, answer
    assert said in answer.out + answer.err
    assert re.findall(r"(?m)^- test: (.*)$", world.read(FREEZES)) == list(dict.fromkeys([REFUND, test]))


def test_two_commands_at_once_wait_for_each_other_and_both_succeed(world: World) -> None:
    """Both start while the lock is held, so that each could read before the other one has written."""
    command = [str(TOOL), "freeze", "--reason", "depends on the wall clock", "--owner", "@finley", "--now", noon(1)]
    with locked(Git.open(str(world.root), os.environ)):
        running = [
            subprocess.Popen([*command, test], cwd=world.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for test in (REFUND, TOTAL)
        ]
        time.sleep(LONG_ENOUGH_TO_READ)
    said = [one.communicate()[0] for one in running]
    assert [one.returncode for one in running] == [0, 0], said
    assert sorted(re.findall(r"(?m)^- test: (.*)$", world.read(FREEZES))) == [REFUND, TOTAL]
    assert hook_findings(world, 1) == []
