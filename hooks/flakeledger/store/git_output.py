"""What git prints, as records: pure functions from bytes, no process.

Invariants:
* Records end with NUL, so that a path may hold anything; names that are no UTF-8 keep their bytes as surrogates.
* An absent side of a change has no mode and no id: git's zeros never leave this module.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

ABSENT_MODE = "000000"


class TreeEntry(NamedTuple):
    """What a tree or the index says about a path: six digits of mode, and an object id."""

    mode: str
    oid: str


class Listing(NamedTuple):
    """The index: merged paths, and for an unmerged path its stages 1 to 3 as far as they exist."""

    entries: dict[str, TreeEntry]
    unmerged: dict[str, dict[int, TreeEntry]]


class PathChange(NamedTuple):
    """A path whose entry differs. An absent side has the mode "" and the id "".

    An unmerged path has no new side and says so.
    """

    path: str
    old_mode: str
    old_oid: str
    new_mode: str
    new_oid: str
    unmerged: bool = False


class Step(NamedTuple):
    """A commit of the first-parent line, and its difference from its first parent."""

    commit: str
    parent: str
    changes: list[PathChange]


def tokens_of(out: bytes) -> list[str]:
    """The parts of an output whose every part ends with NUL."""
    return os.fsdecode(out).split("\0")[:-1]


def telling_line(errors: bytes) -> str:
    """The line of git's messages that says most: a fatal one, else an error, else the first."""
    lines = errors.decode(errors="replace").splitlines()
    return min(lines, key=lambda line: (not line.startswith("fatal:"), not line.startswith("error:")), default="")


def tree_records(out: bytes) -> Iterator[tuple[str, TreeEntry]]:
    """The records of ls-tree: mode, type, id, a tab, the path."""
    for record in tokens_of(out):
        words, _, path = record.partition("\t")
        mode, _, oid = words.split(" ")
        yield path, TreeEntry(mode, oid)


def index_records(out: bytes) -> Listing:
    """The records of ls-files -s: mode, id, stage, a tab, the path."""
    entries: dict[str, TreeEntry] = {}
    unmerged: dict[str, dict[int, TreeEntry]] = {}
    for record in tokens_of(out):
        words, _, path = record.partition("\t")
        mode, oid, stage = words.split(" ")
        if stage == "0":
            entries[path] = TreeEntry(mode, oid)
        else:
            unmerged.setdefault(path, {})[int(stage)] = TreeEntry(mode, oid)
    return Listing(entries, unmerged)


def folder_records(data: bytes, digits: int) -> dict[str, TreeEntry]:
    """A tree object: mode, a blank, the name, NUL, the id as bytes. `digits` is how long an id is as text."""
    entries: dict[str, TreeEntry] = {}
    position, width = 0, digits // 2
    while position < len(data):
        blank = data.index(b" ", position)
        end = data.index(b"\0", blank)
        oid = data[end + 1 : end + 1 + width].hex()
        mode = data[position:blank].decode().zfill(len(ABSENT_MODE))
        entries[os.fsdecode(data[blank + 1 : end])] = TreeEntry(mode, oid)
        position = end + 1 + width
    return entries


def path_changes(tokens: Iterable[str]) -> list[PathChange]:
    """Raw diff records: `:old mode, new mode, old id, new id, status`, then the path."""
    found = []
    parts = iter(tokens)
    for record, path in zip(parts, parts, strict=True):
        old_mode, new_mode, old_oid, new_oid, status = record[1:].split(" ")
        old = ("", "") if old_mode == ABSENT_MODE else (old_mode, old_oid)
        new = ("", "") if new_mode == ABSENT_MODE else (new_mode, new_oid)
        found.append(PathChange(path, *old, *new, status == "U"))
    return found


def grouped_by_commit(tokens: Sequence[str]) -> dict[str, list[str]]:
    """The output of `diff-tree --stdin -z`: each commit's id, then its raw records and their paths."""
    groups: dict[str, list[str]] = {}
    parts = iter(tokens)
    group: list[str] = []
    for token in parts:
        if token.startswith(":"):
            group += (token, next(parts))
        else:
            group = groups.setdefault(token, [])
    return groups
