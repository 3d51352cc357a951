"""Every command in every odd repository: the answer of the plain one, or 2 with a reason and a fix."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from flakeledger.cli.main import COMMANDS
from odd_commands import NEW, REPLAY, ROWS, Answer, Expected, Row, files_of, run
from odd_place import Odd, Place
from odd_repositories import WAYS, Way
from powerless import Powerless

PLAIN = Way(lambda place: Odd(place.root))
#: how long ids are where they are shown
LENGTHS = (7, 12, 40, 64)
ID = re.compile(r"\b[0-9a-f]{7,64}\b")
BASE = re.compile(r"; base: [^;`\n]*")
CELLS = [
    pytest.param(way, kind, row, id=f"{way}-{kind}-{row.name}")
    for way in WAYS
    for kind in NEW
    for row in ROWS
    if row.answer(kind) is not None
]
RAN = Expected(0, '"passed": 1')
REPLAYED = {
    **dict.fromkeys(("sha256", "sparse index", "worktree", "submodule", "subfolder", "odd folder", "programs"), RAN),
    **dict.fromkeys(("shallow, 1 commit", "without old trees", "variables of a hook", "carriage returns"), RAN),
    "read-only git dir": Expected(2, "Permission denied"),
    "unborn": Expected(2, "no commit"),
}


class Built(NamedTuple):
    """An odd repository, the copy from which it can be made again, and the ids of its objects."""

    place: Place
    odd: Odd
    copy: Path
    ids: frozenset[str]

    def renew(self) -> None:
        """Undo what a command has written."""
        if self.odd.powerless:
            subprocess.run(["chmod", "-R", "u+w", self.place.folder], check=True)
        subprocess.run(["rm", "-rf", self.place.folder], check=True)
        subprocess.run(["cp", "-a", self.copy, self.place.folder], check=True)


class Repositories:
    """The repositories of a session, and what commands answer in them."""

    def __init__(self, base: Path, powerless: Powerless) -> None:
        self._base = base
        self._powerless = powerless
        self._templates: dict[str, Path] = {}
        self._built: dict[tuple[str, str], Built] = {}
        self._plain: dict[tuple[str, str], Answer] = {}

    def built(self, name: str, kind: str) -> Built:
        """The odd repository of a way and a kind; made once, of a copy of the plain one of that kind."""
        if (name, kind) not in self._built:
            if kind not in self._templates:
                self._templates[kind] = NEW[kind](self._base / kind).root.parent
            folder = self._base / f"{kind}-{len(self._built)}"
            copy = folder.with_name(f"{folder.name}-copy")
            subprocess.run(["cp", "-a", self._templates[kind], folder], check=True)
            subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=folder / "world", check=True)
            odd = WAYS.get(name, PLAIN).make(Place(folder))
            subprocess.run(["cp", "-a", folder, copy], check=True)
            self._built[name, kind] = Built(Place(folder), odd, copy, ids_of(odd))
        return self._built[name, kind]

    def plain(self, row: Row, kind: str) -> Answer:
        """What a command answers in the plain repository; asked once."""
        if (row.name, kind) not in self._plain:
            self._plain[row.name, kind] = self.answer("plain", kind, row)
        return self._plain[row.name, kind]

    def answer(self, name: str, kind: str, row: Row) -> Answer:
        """What a command prints and writes, after which all is as it was."""
        built = self.built(name, kind)
        if name in WAYS and WAYS[name].fresh:
            built.renew()
        folder, odd = built.place.folder, built.odd
        before = files_of(folder)
        arguments = [argument.format(given=folder / "given", up=odd.up) for argument in row.arguments]
        runner = self._powerless.run if odd.powerless else run
        try:
            code, out, err = runner(odd.root, arguments, odd.environment)
            after = files_of(folder)
        finally:
            if row.writes:
                built.renew()
        assert not before.keys() - after.keys()
        assert not built.place.mark.exists(), "a program was started"
        written = {path: data for path, data in after.items() if data != before.get(path)}
        assert row.writes or not written
        return Answer(code, out, err, written)


@pytest.fixture(scope="session")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repositories]:
    powerless = Powerless()
    yield Repositories(tmp_path_factory.mktemp("odd"), powerless)
    powerless.close()


def ids_of(odd: Odd) -> frozenset[str]:
    """The ids of all objects that are here, in every length in which they are shown."""
    listed = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"],
        cwd=odd.root,
        env=os.environ | {name: value for name, value in odd.environment.items() if name != "PATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    return frozenset(oid[:length] for oid in listed.stdout.split() for length in LENGTHS)


def normal(answer: Answer, built: Built, way: Way) -> Answer:
    """An answer without what differs honestly: where it was given, and the ids of objects."""
    places = {built.odd.root: "ROOT", built.place.root: "ROOT", built.place.folder: "FOLDER"}

    def text(found: str) -> str:
        for folder, name in places.items():
            found = found.replace(str(folder), name)
        found = ID.sub(lambda match: "ID" if match[0] in built.ids else match[0], found)
        return found if way.same_base else BASE.sub("", found)

    written = {os.path.basename(path): way.decode(data).decode() for path, data in answer.written.items()}
    texts = {name: text(found).encode() for name, found in written.items()}
    return Answer(answer.code, text(answer.out), text(answer.err), texts)


def expect(found: Answer, expected: Expected, built: Built, row: Row) -> None:
    """Hold an answer against what is expected; one that cannot tell has a fix and has written nothing."""
    assert found.code == expected.code, found.told
    assert expected.says.format(given=built.place.folder / "given") in found.told
    if expected.code == 2:
        assert "fix: " in found.told or row.command == "comment"
        assert not found.written


def test_every_command_has_a_row() -> None:
    assert {row.command for row in (*ROWS, REPLAY)} == set(COMMANDS)


def test_answers_are_for_rows_that_are_there() -> None:
    named = {name.removeprefix("fine ").removeprefix("wrong ") for way in WAYS.values() for name in way.answers}
    assert named <= {row.name for row in ROWS}


@pytest.mark.parametrize("kind", NEW)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_plain_repository(row: Row, kind: str, repositories: Repositories) -> None:
    expected = row.answer(kind)
    if expected is not None:
        expect(repositories.plain(row, kind), expected, repositories.built("plain", kind), row)


@pytest.mark.parametrize(("name", "kind", "row"), CELLS)
def test_an_odd_repository(name: str, kind: str, row: Row, repositories: Repositories) -> None:
    way, built = WAYS[name], repositories.built(name, kind)
    found = repositories.answer(name, kind, row)
    expected = way.expected(row, kind)
    if expected is not None:
        expect(found, expected, built, row)
    else:
        plain = repositories.plain(row, kind)
        assert normal(found, built, way) == normal(plain, repositories.built("plain", kind), way)


@pytest.mark.parametrize("name", ["plain", *REPLAYED])
def test_a_replay(name: str, repositories: Repositories) -> None:
    found = repositories.answer(name, "fine", REPLAY)
    expect(found, REPLAYED.get(name, RAN), repositories.built(name, "fine"), REPLAY)
