"""The difference of lines between two commits, as git prints it.

Invariants:
* Neither attributes nor configuration can hide a line: no external program, no conversion, and every file is text.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from flakeledger.store.git import UNWATCHED, Git

_AS_IT_IS = ("--text", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
_PATCH = ("-r", "-p", "-U3", "--full-index", "--src-prefix=a/", "--dst-prefix=b/", *_AS_IT_IS)


def line_difference(git: Git, base: str, head: str, paths: Sequence[str]) -> list[str]:
    """The lines of the difference at some paths; none when there are no paths. CannotTell, with git's words."""
    if not paths:
        return []
    return os.fsdecode(git.run(*UNWATCHED, "diff-tree", *_PATCH, base, head, "--", *paths)).split("\n")[:-1]
