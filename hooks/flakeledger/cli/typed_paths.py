"""Paths as people type them, relative to the folder they are in, as paths of the repository.

Invariants:
* No path leaves the repository. A link on the way is followed, the last name is not: it is the link that is meant.
"""

from __future__ import annotations

import os

from flakeledger.model.errors import CannotTell


def repository_path(root: str, name: str) -> str:
    """The path from the root of the repository, `.` for the root itself. CannotTell when it lies outside."""
    typed = os.path.join(os.path.realpath(os.path.dirname(name) or os.curdir), os.path.basename(name))
    try:
        path = os.path.relpath(typed, os.path.realpath(root)).replace(os.sep, "/")
    except ValueError:  # Windows: on another drive
        path = os.pardir
    if path == ".." or path.startswith("../"):
        raise CannotTell(f"{name!r} lies outside the repository", f"name a path below {root}")
    return path
