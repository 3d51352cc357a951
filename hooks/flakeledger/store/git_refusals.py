"""What a git that failed means: `CannotTell` with git's own words, and what helps.

Invariants:
* Of what git says the line is given that says most; nothing is reworded.
* Where git says itself what helps, that is the fix, to the letter.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Sequence

from flakeledger.model.errors import CannotTell
from flakeledger.store.git_output import telling_line

DEEPEN = "fetch the whole history: git fetch --unshallow (GitHub: fetch-depth: 0, GitLab: GIT_DEPTH: 0)"
#: what a git says that would fetch a missing object and may not; a newer one says that it is missing
UNFETCHED = "from promisor remote"
FETCH_ALL = "fetch what this partial clone leaves out: git fetch --refetch --no-filter, or clone without --filter"
#: what git says when it cannot open a repository -> what helps
_REFUSALS = (
    ("not a git repository", "run this inside a git repository, or create one: git init"),
    ("must be run in a work tree", "change to the work tree; a git directory has no files to check"),
)
#: what git says where a folder is a git directory itself: a bare one, the inside of a `.git`, or a trap in a tree
_BARE = "cannot use bare repository"


def failure(arguments: Sequence[str], code: int, errors: bytes) -> CannotTell:
    """The error for a git that ended with a code that is no answer."""
    reason = f"git {' '.join(arguments)} failed: {telling_line(errors) or f'exit code {code}'}"
    return CannotTell(reason, FETCH_ALL if UNFETCHED in reason else "repair what git reports, then run this again")


def not_started(error: OSError) -> CannotTell:
    """The error for a git that cannot be started."""
    if error.errno in (errno.EAGAIN, errno.ENOMEM):
        fix = "end some processes, or raise their limit (ulimit -u), then run this again"
    else:
        fix = "install git, and run this in a folder that exists"
    return CannotTell(f"git cannot be started: {error}", fix)


def not_opened(directory: str, out: str, reason: str) -> CannotTell:
    """Why a repository cannot be opened, in git's words, and what helps."""
    if out.startswith("true\n") or _BARE in reason:
        return CannotTell(
            f"{directory!r} is a bare repository, or the inside of a git directory: this must be run in a work tree",
            "change to the work tree; where there is none: git worktree add, or clone",
        )
    trusted = re.search(r"git config --global --add safe\.directory .+", reason)
    known = (fix for words, fix in _REFUSALS if words in reason)
    fix = trusted[0] if trusted else next(known, "run git status here, and repair what it reports")
    return CannotTell(f"{directory!r} cannot be read as a git repository: {reason.partition(chr(10))[0]}", fix)
