"""Which files of a tree hold one of some texts: a question that `git grep` answers.

Invariants:
* The answer depends on the tree alone: not on grep's or colour's configuration, not on attributes (a file that is
  declared binary is searched), not on the working tree; links and submodules are not searched.
* A blob that is not here is no blob without the text: it is named, or the answer is `CannotTell` in git's words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from flakeledger.store.git import Git
from flakeledger.store.git_output import tokens_of
from flakeledger.store.git_refusals import failure
from flakeledger.store.underway import Underway

#: what git says of a blob that it cannot read, and that it may not fetch
_MISSING = re.compile(rb"(?:unable to read|could not fetch) ([0-9a-f]{40}(?:[0-9a-f]{24})?)")
_TROUBLE = (b"error:", b"fatal:")


class Search(NamedTuple):
    """The paths that were found, in git's order, and the ids of blobs that could not be searched."""

    paths: list[str]
    unreadable: list[str]


def begin_search(git: Git, tree: str, texts: Sequence[bytes], patterns: Sequence[str]) -> Underway:
    """Look for any of the texts in the files of a tree whose paths match one of the patterns, beside us.

    In a pattern a star crosses slashes (`*.py`); the first patterns should be those that match most.
    `search_answer` takes what comes out.
    """
    wanted = [word for text in texts for word in ("-e", os.fsdecode(text))]
    return git.begin(
        "--no-literal-pathspecs",
        *("grep", "-l", "-z", "-F", "--text", "--no-color", "--no-textconv", "--no-recurse-submodules"),
        *wanted,
        # git tries the last one first; among 100,000 files of the first of 90 patterns that is 0.1 s instead of 0.4 s
        *(tree, "--", *reversed(patterns)),
    )


def search_answer(tree: str, underway: Underway) -> Search:
    """What the search of a tree found. CannotTell when git failed, in its own words."""
    outcome = underway.outcome()
    trouble = [line for line in outcome.errors.split(b"\n") if line.startswith(_TROUBLE)]
    missing = [oid.decode() for line in trouble for oid in _MISSING.findall(line)]
    if not missing and (trouble or outcome.code not in (0, 1)):
        raise failure(("grep", tree), outcome.code, outcome.errors)
    return Search([path.removeprefix(f"{tree}:") for path in tokens_of(outcome.out)], missing)
