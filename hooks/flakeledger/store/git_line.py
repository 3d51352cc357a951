"""The first-parent line of a commit: its commits with their dates, its steps, and the versions of one path along it.

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
from flakeledger.store.git import RAW, Git
from flakeledger.store.git_output import Step, grouped_by_commit, path_changes, tokens_of
from flakeledger.store.git_refusals import DEEPEN


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


def line_between(git: Git, before: str, head: str) -> list[tuple[str, str]] | None:
    """The commits after `before` up to `head`, oldest first, each with its first parent.

    None when `before` is not on the first-parent line of `head`; CannotTell when the line is cut.
    """
    listed = git.run("rev-list", "--first-parent", "--parents", head, f"^{before}")
    rows = [line.split(" ") for line in os.fsdecode(listed).split("\n")[:-1]]
    if rows and len(rows[-1]) == 1:  # a root, or a boundary that hides its parents
        rows[-1] += git.parents(rows[-1][0])
        if git.shallow and rows[-1][1:] and rows[-1][1] != before:
            raise CannotTell(f"the clone is too shallow to walk from {before[:7]} to {head[:7]}", DEEPEN)
    if not rows or rows[-1][1:2] != [before]:
        return None
    return [(row[0], row[1]) for row in reversed(rows)]


def steps_between(git: Git, before: str, head: str) -> list[Step]:
    """Each first-parent step from `before` to `head`, oldest first, with its difference from its first parent.

    CannotTell when `before` is not on the first-parent line of `head`, or the line is cut.
    """
    line = line_between(git, before, head)
    if line is None:
        raise CannotTell(f"{before[:7]} is not on the first-parent line of {head[:7]}", "give another --base")
    pairs = "".join(f"{commit} {parent}\n" for commit, parent in line)
    out = git.run("diff-tree", "--stdin", "--always", "-r", *RAW, given=pairs.encode())
    groups = grouped_by_commit(tokens_of(out))
    return [Step(commit, parent, path_changes(groups[commit])) for commit, parent in line]


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
