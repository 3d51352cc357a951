"""The first-parent line of a commit: its commits with their dates, and the versions of one path along it.

Invariants:
* Oldest first. Two processes, however long the line is; one more in a shallow clone.
* A line that a shallow clone cuts is `CannotTell`: its oldest commit here is no root.
* A date is what the commit says, in seconds since 1970; nothing here believes it.
* An absent path has the mode "" and the id "".
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.store.git import DEEPEN, RAW, Git
from flakeledger.store.git_output import grouped_by_commit, path_changes, tokens_of


class LineCommit(NamedTuple):
    """A commit of the line, its first parent ("" for a root), and when its committer says it was made."""

    commit: str
    parent: str
    committed: int


class LineVersion(NamedTuple):
    """A commit whose version of the path differs from that of its first parent: what the path is in it."""

    commit: str
    mode: str
    oid: str


def first_parent_line(git: Git, head: str) -> list[LineCommit]:
    """The commits from the root to `head` by first parents. CannotTell when the clone is too shallow."""
    listed = os.fsdecode(git.run("rev-list", "--first-parent", "--parents", "--timestamp", head))
    rows = [line.split(" ") for line in reversed(listed.splitlines())]
    if git.shallow and git.parents(rows[0][1]) and len(rows[0]) == 2:
        raise CannotTell("the clone is too shallow to know how the freezes came and went", DEEPEN)
    return [LineCommit(row[1], row[2] if len(row) > 2 else "", int(row[0])) for row in rows]


def versions_along(git: Git, line: Sequence[LineCommit], path: str) -> list[LineVersion]:
    """Each commit of the line that changed the path, a root that has it included."""
    pairs = "".join(f"{one.commit} {one.parent}".rstrip() + "\n" for one in line)
    out = git.run("diff-tree", "--stdin", "--root", "-r", *RAW, "--", path, given=pairs.encode())
    return [
        LineVersion(commit, change.new_mode, change.new_oid)
        for commit, group in grouped_by_commit(tokens_of(out)).items()
        for change in path_changes(group)
        if change.path == path
    ]


def committed_at(git: Git, commit: str) -> int:
    """When the committer of a commit says it was made."""
    return int(git.run("rev-list", "--no-walk", "--timestamp", commit).split()[0])
