"""What git prints of the versions of one path, as records: pure functions from bytes, no process.

Invariants:
* An absent side has no id: git's zeros never leave this module. What is no regular file is absent too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flakeledger.store.git_output import grouped_by_commit, tokens_of

#: how the modes of regular files start
_REGULAR = "100"


class PathVersion(NamedTuple):
    """A commit whose version of a path differs from that of each parent: their blobs and its own.

    "" stands for a path that is absent or no regular file. A root has one parent, which has nothing.
    """

    commit: str
    before: tuple[str, ...]
    after: str


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
