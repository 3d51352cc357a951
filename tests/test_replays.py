"""`flakeledger replays merge`: lines of shards joined into the log, all or none; and lines appended by many at once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import Answer, typed
from flakeledger.model.ledger_paths import REPLAYS
from flakeledger.store.edits import append_lines
from flakeledger.store.git import Git
from flakeledger.store.replay_log import read_replays
from world import World

WRITERS = 100
KILLS = 10


@pytest.fixture
def world(repository: Path) -> World:
    (repository / "ledgers").mkdir()
    return World(repository)


def line(number: int, minute: int = 0, name: str | None = None) -> str:
    values = {
        "test": f"tests/test_orders.py::test_{number}",
        "run_at": f"2026-10-20T09:{minute:02}:00Z",
        "env": "local",
        "seeds": [1],
        "passed": 1,
        "total": 1,
        "id": name or str(number),
    }
    return json.dumps(values) + "\n"


def merge(world: World, *texts: str | bytes) -> Answer:
    names = []
    for number, text in enumerate(texts, 1):
        names.append(f"shard-{number}.jsonl")
        (world.root / names[-1]).write_bytes(text if isinstance(text, bytes) else text.encode())
    return typed(world, "replays", "merge", *names)


def test_lines_come_in_the_order_of_their_replays(world: World) -> None:
    world.write(REPLAYS, line(0, 30))
    answer = merge(world, line(1, 20) + line(2, 10), line(3, 15), "")
    assert answer.out == f"appended 3 lines to {REPLAYS}\nnext: git add {REPLAYS}, and commit\n"
    assert world.read(REPLAYS) == line(0, 30) + line(2, 10) + line(3, 15) + line(1, 20)


def test_a_log_that_is_not_there_is_made(world: World) -> None:
    assert merge(world, line(1)).code == 0
    assert world.read(REPLAYS) == line(1)


def test_a_line_that_comes_twice_or_stands_there_is_one_replay(world: World) -> None:
    world.write(REPLAYS, line(1))
    answer = merge(world, line(1) + line(2), line(2))
    assert answer.out.startswith(f"appended 1 line to {REPLAYS}; 2 stood there already, or came twice\n")
    assert world.read(REPLAYS) == line(1) + line(2)
    assert merge(world, line(1)).out.startswith("appended 0 lines")
    assert world.read(REPLAYS) == line(1) + line(2)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("", line(2) + "{}\n"), "shard-2.jsonl:2:1: cannot tell: no `test`"),
        ((line(2), "nothing\n"), "shard-2.jsonl:1:1: cannot tell: this is no JSON"),
        ((line(2).rstrip("\n"),), "cannot tell: the last line does not end in a newline"),
        ((line(2, name="1"),), f"shard-1.jsonl:1:1: cannot tell: `1` is the id of another replay, {REPLAYS}:1"),
        ((line(2), line(3, name="2")), "shard-2.jsonl:1:1: cannot tell: `2` is the id of another replay, shard-1"),
        ((line(2), line(3) + line(4, name="3")), "shard-2.jsonl:2:"),
        ((line(2).encode() + b"\xff\n",), "shard-1.jsonl:2:1"),
    ],
)
def test_one_bad_line_and_nothing_is_appended(texts: tuple[str | bytes, ...], said: str, world: World) -> None:
    world.write(REPLAYS, line(1))
    answer = merge(world, *texts)
    assert answer.code == 2
    assert said in answer.err
    assert world.read(REPLAYS) == line(1)


def test_a_file_that_is_not_there_is_told(world: World) -> None:
    assert "shard.jsonl cannot be read" in typed(world, "replays", "merge", "shard.jsonl").err


def test_a_broken_log_loses_nothing_more(world: World) -> None:
    world.write(REPLAYS, "broken\n" + line(1))
    assert merge(world, line(1) + line(2)).code == 0
    assert world.read(REPLAYS) == "broken\n" + line(1) + line(2)


# many at once


APPENDING = """\
import os, sys
from flakeledger.store.edits import append_lines
from flakeledger.store.git import Git
git = Git.open(os.curdir, os.environ)
{work}
"""


def appending(world: World, work: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", APPENDING.format(work=work)], cwd=world.root)


def test_lines_appended_by_many_processes_at_once_are_all_there(world: World) -> None:
    work = f"append_lines(git, {REPLAYS!r}, {{}})"
    running = [appending(world, work.format(line(number).encode())) for number in range(WRITERS)]
    assert [process.wait() for process in running] == [0] * WRITERS
    assert sorted(world.read(REPLAYS).splitlines(True)) == sorted(map(line, range(WRITERS)))


def test_a_line_is_whole_or_absent_whenever_its_writer_is_killed(world: World) -> None:
    chance = random.Random(0)
    long = line(1).replace('"1"}', f'"{"x" * 500_000}"}}').encode()
    git = Git.open(str(world.root), os.environ)
    for _ in range(KILLS):
        world.write(REPLAYS, "")
        process = appending(world, f"while True: append_lines(git, {REPLAYS!r}, {line(1).encode()!r} * 5000)")
        until = time.monotonic() + 30
        while not world.read(REPLAYS) and time.monotonic() < until:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = world.read(REPLAYS)
        assert before == line(1) * before.count("\n")
        assert before.count("\n") % 5000 == 0
        append_lines(git, REPLAYS, long)
        assert world.read(REPLAYS) == before + long.decode()
        assert read_replays(long, REPLAYS)[1] == []
        assert [path.name for path in (world.root / "ledgers").iterdir()] == ["replays.jsonl"]
