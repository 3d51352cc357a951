"""Modules that a process beside us parses: the same facts, or none, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import POLICY
from flakeledger.repo import modules_underway
from flakeledger.repo import repository as room
from flakeledger.repo.modules import module_facts
from flakeledger.repo.modules_underway import ModulesUnderway, begin_modules
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.repo.situation import INDEX
from replaying import HANGS
from steps import standing
from world import REFUND, World

MODULES = {
    "a": b"def test_one():\n    assert one\n\n\none = 1\n",
    "b": b"class TestB:\n    def test_two(self):\n        pass\n",
    "broken": b"def test_(:\n",
    "none": b"",
    "latin": b"# coding: latin-1\ndef test_\xe9(): pass\n",
}
#: more than a pipe holds, so that the process waits for whoever reads
MANY = {f"{number}": b"def test_%d(): pass\n" % number for number in range(1500)}


@pytest.fixture(autouse=True)
def room_for_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever runs these tests, and on however many processors, seems to have no other thread and two of them."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


def reader(blobs: dict[str, bytes]) -> Callable[[Iterable[str]], Iterator[tuple[str, bytes]]]:
    return lambda oids: ((oid, blobs[oid]) for oid in oids)


def begun(read_many: modules_underway.ReadMany, oids: Iterable[str]) -> ModulesUnderway:
    found = begin_modules(read_many, list(oids))
    assert found is not None
    return found


def children() -> list[str]:
    """The processes that this one started and that it has not waited for."""
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as listed:
        return listed.read().split()


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("blobs", [{}, MODULES, MANY])
def test_the_facts_are_those_of_each_module(blobs: dict[str, bytes]) -> None:
    before = children(), open_files()
    underway = begun(reader(blobs), blobs)
    assert underway.answer() == {oid: module_facts(data).to_json() for oid, data in blobs.items()}
    underway.close()
    assert (children(), open_files()) == before


def refused(_: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    yield "a", MODULES["a"]
    raise CannotTell("object b cannot be read", "git fsck")


def interrupted(_: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    yield "a", MODULES["a"]
    raise KeyboardInterrupt


def killed(_: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    yield "a", MODULES["a"]
    os.kill(os.getpid(), 9)


@pytest.mark.parametrize("read_many", [refused, interrupted, killed])
def test_a_process_that_fails_answers_nothing(
    read_many: modules_underway.ReadMany, capfd: pytest.CaptureFixture[str]
) -> None:
    before = children(), open_files()
    assert begun(read_many, ["a", "b"]).answer() == {}
    assert (children(), open_files()) == before
    assert capfd.readouterr() == ("", "")


def test_what_nobody_wants_any_more_is_ended(tmp_path: Path) -> None:
    woke = tmp_path / "woke"

    def slow(_: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        time.sleep(HANGS)
        woke.touch()
        yield "a", b""

    before = children(), open_files()
    underway = begun(slow, ["a"])
    underway.close()
    underway.close()
    assert (children(), open_files()) == before
    assert not woke.exists(), "it was waited for"


def test_it_ends_when_nobody_is_left_to_read() -> None:
    """As after a kill of ours: more than the pipe holds is still to be written, and nothing closes the process."""
    before = children()
    underway = begun(reader(MANY), MANY)
    underway._pipe.close()
    _, status = os.waitpid(int(*set(children()) - set(before)), 0)
    assert os.waitstatus_to_exitcode(status) == 1
    underway._process = None


def no_process() -> int:
    raise BlockingIOError


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        (sys, "platform", "darwin"),
        (sys, "platform", "win32"),
        (threading, "active_count", lambda: 2),
        (os, "sched_getaffinity", lambda _: {3}),
        (os, "fork", no_process),
    ],
)
def test_where_there_can_be_no_process_there_is_none(
    where: object, name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = children(), open_files()
    monkeypatch.setattr(where, name, value)
    assert begin_modules(reader(MODULES), list(MODULES)) is None
    monkeypatch.undo()
    assert (children(), open_files()) == before


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World.new(tmp_path / "world")
    standing(world)
    return world


def cold(world: World, name: str) -> World:
    """A copy of which nothing is known."""
    copy = world.copy(world.root.parent / name)
    shutil.rmtree(copy.root / ".git" / "flakeledger")
    return copy


def learnt(world: World) -> list[object]:
    """What a run learns of the tests of the index."""
    with open_repository(str(world.root), os.environ) as repository:
        repository.begin_modules(INDEX)
        ledger = repository.ledger(repository.tree(INDEX))
        repository.prepare(ledger)
        return [dict(ledger.modules), ledger.sources.test(REFUND), ledger.void_pins(ledger.freezes[0])]


def test_a_repository_learns_the_same_with_and_without_the_process(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[dict[str, object]] = []
    ask = ModulesUnderway.answer

    def asked(underway: ModulesUnderway) -> dict[str, object]:
        answers.append(ask(underway))
        return answers[-1]

    monkeypatch.setattr(ModulesUnderway, "answer", asked)
    plain = learnt(cold(world, "plain"))
    assert answers == []  # so few modules do not pay for it
    monkeypatch.setattr(room, "_MANY_MODULES", 1)
    copy = cold(world, "copy")
    assert learnt(copy) == plain
    assert len(answers) == 1
    assert answers[0]
    assert learnt(copy)[1:] == plain[1:]  # from the cache, in which more modules are by now
    assert len(answers) == 1
    monkeypatch.setattr(modules_underway, "_tell", lambda *_: os._exit(1))
    assert learnt(cold(world, "failed")) == plain
    assert answers[1:] == [{}]


def test_an_error_in_between_ends_the_process(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    woke = tmp_path / "woke"

    def tell(*_: object) -> None:
        time.sleep(HANGS)
        woke.touch()
        os._exit(0)

    monkeypatch.setattr(room, "_MANY_MODULES", 1)
    monkeypatch.setattr(modules_underway, "_tell", tell)
    root = str(cold(world, "copy").root)
    before = children(), open_files()
    with pytest.raises(CannotTell), open_repository(root, os.environ) as repository:
        _begin_and_fail(repository)
    assert (children(), open_files()) == before
    assert not woke.exists(), "it was waited for"


def _begin_and_fail(repository: Repository) -> None:
    others = set(children())
    repository.begin_modules(INDEX)
    assert set(children()) - others
    raise CannotTell("object b cannot be read", "git fsck")


def test_a_tree_without_ledgers_has_no_modules_to_parse(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MANY_MODULES", 0)
    world.git("rm", "-rq", "--cached", POLICY.partition("/")[0])
    with open_repository(str(world.root), os.environ) as repository:
        repository.begin_modules(INDEX)
        assert repository.ledger(repository.tree(INDEX)).properties == ()
