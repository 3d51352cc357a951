"""One path through the whole of history: its versions, and the commit that touched it last.

Invariants:
* Every line of history counts, side lines too; children stand before their parents, whatever their dates say.
* Where a shallow clone hides what is asked for, or git cannot read it, that is said: by `cut_off`, or by `CannotTell`.
* An absent side has no id: git's zeros never leave this module. What is no regular file is absent too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.store.git import RAW, Git
from flakeledger.store.git_output import grouped_by_commit, tokens_of
from flakeledger.store.git_refusals import DEEPEN

#: how the modes of regular files start
_REGULAR = "100"


class PathVersion(NamedTuple):
    """A commit whose version of a path differs from that of each parent: their blobs and its own.

    "" stands for a path that is absent or no regular file. A root has one parent, which has nothing.
    """

    commit: str
    before: tuple[str, ...]
    after: str


class PathHistory(NamedTuple):
    """The versions of a path that are here, children first; `cut_off` says why older ones are not known, else None."""

    versions: tuple[PathVersion, ...]
    cut_off: CannotTell | None


def path_history(git: Git, starts: Sequence[str], path: str) -> PathHistory:
    """Every commit behind `starts` whose version of a path differs from that of each parent; without starts, none."""
    known: tuple[PathVersion, ...] = ()
    try:
        listed = git.run("rev-list", "--topo-order", "--full-history", *starts, "--", path) if starts else b""
        out = git.run("diff-tree", "--stdin", "--root", "-c", "-r", *RAW, "--", path, given=listed) if listed else b""
        boundary = git.boundary() if git.shallow and starts else frozenset()
        known = tuple(takewhile(lambda version: version.commit not in boundary, path_versions(out, path)))
        if boundary and not boundary.isdisjoint(os.fsdecode(git.run("rev-list", *starts)).split()):
            raise CannotTell(f"the clone is too shallow to know the earlier versions of {path}", DEEPEN)
    except CannotTell as error:
        return PathHistory(known, error)
    return PathHistory(known, None)


def newest_commit_touching(git: Git, commit: str, path: str) -> str | None:
    """The newest ancestor of a commit (itself included) that differs in a path from one of its parents.

    Side lines count, also those whose version a merge dropped. None when no ancestor ever did;
    CannotTell when that lies beyond a shallow boundary.
    """
    found = os.fsdecode(git.run("rev-list", "-1", "--full-history", commit, "--", path)).strip() or None
    if git.shallow and (found is None or found in git.boundary()):
        raise CannotTell(f"the clone is too shallow to know which commit last changed {path}", DEEPEN)
    return found


def path_versions(out: bytes, path: str) -> Iterator[PathVersion]:
    """The output of `diff-tree --stdin --root -c -z` about a path, and what lies below it where it is a folder.

    A record has a colon, a mode and an id for each parent: `::mode mode mode id id id status`.
    """
    for commit, group in grouped_by_commit(tokens_of(out)).items():
        for record, name in zip(group[0::2], group[1::2], strict=True):
            if name == path:
                words = record.lstrip(":").split(" ")
                sides = (len(words) - 1) // 2
                pairs = zip(words[:sides], words[sides : 2 * sides], strict=True)
                *before, after = [oid if mode.startswith(_REGULAR) else "" for mode, oid in pairs]
                yield PathVersion(commit, tuple(before), after)
