"""A process that edits a ledger again and again until it is killed, and what must hold afterwards.

Invariants:
* The writer is a process of its own that goes the way of every command: lock, read, edit, write.
* After a kill the ledger is one that some whole edit left, and the next command works at once and leaves nothing over.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flakeledger.model.ledger_paths import FREEZES
from flakeledger.store.edits import locked
from flakeledger.store.git import Git
from flakeledger.store.reader import read_rows

MODULE = "tests/test_orders.py"
#: makes every write take long enough to be hit
COMMENT = b"# " + b"x" * 2_000_000 + b"\n"
LONGEST_LIFE = 0.1


def key(number: int) -> str:
    """The key of the row that the edit of this number adds."""
    return f"{MODULE}::test_{number}"


def add_row(git: Git, number: int, patience: float = 10.0) -> None:
    """One command: a row more."""
    from flakeledger.store.editor import append_row

    with locked(git, patience) as edits:
        before = edits.read(FREEZES)
        after = append_row(before or b"", FREEZES, {"test": key(number), "owner": "@finley"})
        edits.write({FREEZES: (before, after)})


def write_for_ever(root: str, number: int) -> None:
    """Add rows until somebody ends this process; say so when everything is imported and the first row stands."""
    git = Git.open(root, os.environ)
    add_row(git, number)
    print("ready", flush=True)
    while True:
        number += 1
        add_row(git, number)


def numbers(root: Path) -> list[int]:
    """The numbers of the rows of the ledger; an AssertionError when it cannot be read as a whole."""
    rows, findings = read_rows((root / FREEZES).read_bytes(), FREEZES)
    assert findings == []
    return [int(str(row.values["test"]).rpartition("_")[2]) for row in rows]


@contextmanager
def writing(root: Path, number: int) -> Iterator[subprocess.Popen[bytes]]:
    """A writer that has begun."""
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    writer = subprocess.Popen(
        [sys.executable, __file__, str(root), str(number)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": paths},
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        yield writer
    finally:
        writer.kill()
        writer.communicate()


def kill_one(root: Path, chance: random.Random) -> bool:
    """Kill a writer, half of the time amid a write and else at any moment, and check what is left.

    Whether it was killed while it wrote a file.
    """
    (root / FREEZES).write_bytes(COMMENT)
    with writing(root, 0) as writer:
        if chance.random() < 0.5:
            _wait_for_a_write(root)
        else:
            time.sleep(chance.uniform(0, LONGEST_LIFE))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    found = numbers(root)
    assert found == list(range(len(found))), "the ledger is not one that whole edits left"
    left = _unfinished(root)
    add_row(Git.open(str(root), os.environ), len(found), patience=0.1)
    assert numbers(root) == [*found, len(found)]
    assert [name for name in os.listdir(root / "ledgers") if name != Path(FREEZES).name] == []
    return bool(left)


def _wait_for_a_write(root: Path) -> None:
    """Return when a file is being written; a test failure when nobody writes for a minute."""
    until = time.monotonic() + 60
    while not _unfinished(root):
        assert time.monotonic() < until, "nothing is written"


def _unfinished(root: Path) -> list[str]:
    return [name for name in os.listdir(root / "ledgers") if name.endswith(".unfinished")]


if __name__ == "__main__":
    write_for_ever(sys.argv[1], int(sys.argv[2]))
