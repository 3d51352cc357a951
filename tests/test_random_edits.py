"""Random edits of valid ledgers: never a traceback, and what passes means what another reader takes it for.

The other reader is ruamel.yaml with every scalar as text, and json for the log: a plain route that shares nothing
with the product's own. The edits are pseudo-random from fixed seeds: a failure names the file, the edit and the seed.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

import pytest
from ruamel.yaml import YAML

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.model.policy import Limits, PathClass, Policy, Runner
from flakeledger.model.records import Fixture, Freeze, Property
from flakeledger.repo.base import INDEX
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import open_repository
from steps import standing_replayed
from world import CHECKS, CLOCK, World, on, run_main

NOW = f"{on(21)}T12:00:00Z"
SEEDS = range(6)
TOKEN = re.compile(rb"[\w./:@-]+")
#: what a token becomes, beside another token of the file
ODD = (
    *("no", "~", "null", "0123", "1e5", "12:30", "2026-02-31", "20260319", "9999-12-31", "01", "-1", "1.0", "''", "[]"),
    *("{}", "*a", "&a b", "!!str a", "!a", "- a", "a: b", "a #b", "#", "'", '"', "|", ">-", "? a", "%a", "@a", "`"),
    *("---", "...", "<<<<<<< HEAD", "<<: a", "\t", "\r", "\x00", "\x1b", "\u202e", "\u00a0", "\ufeff", "\ud7ff", "é"),
    *("NaN", "Infinity", "1" * 5000, "[" * 2000, "{" * 2000, "../../etc/passwd", "/etc/passwd", "tests", "a.py::t[x"),
)

#: the fields of a replay that judge
REPLAY_NAMES = ("test", "run_at", "env", "passed", "total", "id", "seeded", "failures")

Edit = Callable[[bytes, random.Random], bytes]


def flip_bit(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def delete_bytes(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + data[at + chance.randrange(1, 8) :]


def replace_token(data: bytes, chance: random.Random) -> bytes:
    tokens = list(TOKEN.finditer(data))
    old = chance.choice(tokens)
    new = chance.choice([chance.choice(ODD).encode(), chance.choice(tokens)[0]])
    return data[: old.start()] + new + data[old.end() :]


def delete_line(lines: list[bytes], chance: random.Random) -> list[bytes]:
    at = chance.randrange(len(lines))
    return lines[:at] + lines[at + 1 :]


def duplicate_line(lines: list[bytes], chance: random.Random) -> list[bytes]:
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines) + 1)
    return [*lines[:to], lines[at], *lines[to:]]


def swap_lines(lines: list[bytes], chance: random.Random) -> list[bytes]:
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return lines


def indent_line(lines: list[bytes], chance: random.Random) -> list[bytes]:
    at = chance.randrange(len(lines))
    lines[at] = chance.choice([b" " + lines[at], b"  " + lines[at], lines[at][1:], lines[at].lstrip()])
    return lines


def insert_line(lines: list[bytes], chance: random.Random) -> list[bytes]:
    at = chance.randrange(len(lines) + 1)
    new = chance.choice([b"  # a comment\n", b"# another\n", b"\n", b"  a: b\n", b"- \n", b"...\n"])
    return [*lines[:at], new, *lines[at:]]


def by_line(edit: Callable[[list[bytes], random.Random], list[bytes]]) -> Edit:
    def edited(data: bytes, chance: random.Random) -> bytes:
        return b"".join(edit(data.splitlines(keepends=True), chance))

    return edited


EDITS: dict[str, Edit] = {
    "flip a bit": flip_bit,
    "cut": cut,
    "delete bytes": delete_bytes,
    "replace a token": replace_token,
    "replace two tokens": lambda data, chance: replace_token(replace_token(data, chance), chance),
    "delete a line": by_line(delete_line),
    "duplicate a line": by_line(duplicate_line),
    "swap lines": by_line(swap_lines),
    "indent a line": by_line(indent_line),
    "insert a line": by_line(insert_line),
}
LEDGER_FILES = (POLICY, FREEZES, FIXTURES, PROPERTIES, REPLAYS)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A ledger with rows of every kind, on which both checks pass; in the environment of the first test."""
    made = World.new(tmp_path_factory.mktemp("random") / "world")
    standing_replayed(made)
    made.replay(20, test=CLOCK)
    made.freeze(CLOCK, 20, 3, renewed=0, issue="https://example.org/7")
    made.record()
    return made


@pytest.mark.parametrize("path", LEDGER_FILES)
def test_no_edit_is_misread_and_none_ends_in_a_traceback(path: str, world: World) -> None:
    good = (world.root / path).read_bytes()
    assert verdict(world, path, good) == [0, 0]
    codes = []
    for name, edit in EDITS.items():
        for seed in SEEDS:
            edited = edit(good, random.Random(f"{path} {name} {seed}"))
            found = verdict(world, path, edited)
            assert set(found) <= {0, 1, 2}, (name, seed)
            codes.append(found[0])
            if found[0] == 0:
                with open_repository(str(world.root), os.environ) as repository:
                    ledger = repository.ledger(repository.tree(INDEX))
                    assert meaning(ledger, path) == plain_meaning(path, edited.decode()), (name, seed)
    assert verdict(world, path, good) == [0, 0]
    # not all edits are harmful and not all are harmless, or the loop above compares nothing
    assert 5 <= codes.count(0) <= len(codes) - 20


def verdict(world: World, path: str, data: bytes) -> list[int]:
    """The exit codes of both checks; an exception that reached the edge fails the test."""
    (world.root / path).write_bytes(data)
    world.git("add", path)
    return [run_main(world.root, [check, "--now", NOW], {})[0] for check in CHECKS]


# what the product read


def meaning(ledger: Ledger, path: str) -> object:
    """The rows of a file as plain values, without what was not written."""
    if path == POLICY:
        assert ledger.policy is not None
        return ledger.policy
    if path == REPLAYS:
        return without_duplicates({name: getattr(row, name) for name in REPLAY_NAMES} for row in ledger.replays)
    rows: Mapping[str, Sequence[Freeze | Fixture | Property]] = {
        FREEZES: ledger.freezes,
        FIXTURES: ledger.fixtures,
        PROPERTIES: ledger.properties,
    }
    return [
        {name: value for name, value in row._asdict().items() if name != "places" and value is not None}
        for row in rows[path]
    ]


def without_duplicates(rows: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """The rows without those that were there before: the log may hold a line twice."""
    kept: list[dict[str, object]] = []
    kept.extend(row for row in rows if row not in kept)
    return kept


# what the other reader reads


def plain_meaning(path: str, text: str) -> object:
    """The same of a text, read by the plain route."""
    if path == POLICY:
        return plain_policy(ruamel(text))
    if path == REPLAYS:
        return without_duplicates(plain_replay(line) for line in text.split("\n") if line)
    rows = ruamel(text) or []
    assert isinstance(rows, list)
    return [{name: int(value) if name == "renewed" else value for name, value in row.items()} for row in rows]


def plain_replay(line: str) -> dict[str, object]:
    """A line of the log; the fields that the product keeps."""
    value = json.loads(line, object_pairs_hook=distinct)
    assert value["total"] == len(value["seeds"])
    return {"failures": {}} | {name: value.get(name) for name in REPLAY_NAMES if name != "failures" or name in value}


def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object, no key of which stands there twice."""
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def plain_policy(value: object) -> Policy:
    """The policy that the plain mapping means, with the documented defaults."""
    assert isinstance(value, Mapping)
    runners = tuple(Runner(**row) for row in value["runners"])
    assert all(runner.command is None for runner in runners)
    policy = Policy(
        paths=tuple(PathClass(row["class"], tuple(row["match"])) for row in value["paths"]),
        runners=runners,
        limits=Limits(**{name: int(number) for name, number in value.get("limits", {}).items()}),
        default_runner=runners[0].name,
    )
    known: dict[str, Any] = {
        name: tuple(item) if isinstance(item, list) else item
        for name, item in value.items()
        if name not in ("version", "paths", "runners", "limits")
    }
    return policy._replace(**known)


def ruamel(text: str) -> object:
    """The text as lists, mappings and texts."""
    yaml = YAML(typ="safe", pure=True)
    yaml.allow_duplicate_keys = False
    node = yaml.compose(StringIO(text))
    return None if node is None else plain(node)


def plain(node: object) -> object:
    """The value of a node of ruamel's, whatever its tag."""
    kind, value = type(node).__name__, node.value  # type: ignore[attr-defined]  # every node has one
    if kind == "ScalarNode":
        return value
    if kind == "SequenceNode":
        return [plain(item) for item in value]
    pairs = [(str(plain(key)), plain(item)) for key, item in value]
    return distinct(pairs)
