"""The difference of lines between two commits, as git prints it.

Invariants:
* Neither attributes nor configuration can hide or change a line: no external program, no conversion, and every file
  is text.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from flakeledger.store.git import Git

_AS_IT_IS = ("--text", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
#: the one setting for people that git's plumbing obeys, too: it takes the blank from unchanged empty lines
_AS_GIT_SHIPS = ("-c", "diff.suppressBlankEmpty=false")
_PATCH = ("-r", "-p", "-U3", "--full-index", "--src-prefix=a/", "--dst-prefix=b/", *_AS_IT_IS)


def line_difference(git: Git, base: str, head: str, paths: Sequence[str]) -> list[str]:
    """The lines of the difference at some paths; none when there are no paths. CannotTell, with git's words."""
    if not paths:
        return []
    return os.fsdecode(git.run(*_AS_GIT_SHIPS, "diff-tree", *_PATCH, base, head, "--", *paths)).split("\n")[:-1]
