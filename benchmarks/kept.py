"""Repositories that are built once and kept for the next run.

Invariants:
* A repository is whole or not there: an unfinished one has another name, and is built anew.
* Each use starts from the commit that was built, without what an earlier use staged, committed or cached.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from repositories import Size, build, git

#: the tag of the commit that a kept repository starts from
START = "bench-start"


def kept(folder: Path, name: str, make: Callable[[Path], None]) -> Path:
    """The repository of this name in the folder, as it was made; made if it is not there, whole or not at all."""
    root, unfinished = folder / name, folder / f"{name}.unfinished"
    if root.exists():
        git(root, "reset", "-q", "--hard", START)
        shutil.rmtree(root / ".git/flakeledger", ignore_errors=True)
        return root
    print(f"building {name}", file=sys.stderr, flush=True)
    shutil.rmtree(unfinished, ignore_errors=True)
    make(unfinished)
    git(unfinished, "tag", START)
    return unfinished.rename(root)


def built(folder: Path, size: Size) -> Path:
    """The repository of this size in the folder."""
    return kept(folder, "-".join(map(str, size)), lambda root: build(root, size))
