"""Worktrees of one commit in a temporary folder: made, brought back to their commit, and removed again.

Invariants:
* What is edited in the working tree, staged or not, is in none of them.
* They go on every way out, also when a test removed a part of one, or its rights.
* What a killed run left is removed by the next one (`store/temporary.py`). Processes of its tests that still run are
  killed first.
* Bytecode that Python left beside unchanged sources is no difference; a worktree in which anything else differs is made
  whole and loses its bytecode too, so that no module outlives the source that it came from.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from shlex import quote
from typing import NamedTuple

from flakeledger.evidence.processes import kill_marked
from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git
from flakeledger.store.git_worktrees import (
    add_worktree,
    differences,
    forget_worktree,
    pointer,
    restore,
    worktree_paths,
)
from flakeledger.store.held_files import require_locks
from flakeledger.store.temporary import PREFIX, SPACE_FIX, remove_tree, temporary_folder

_KIND = "tree"
#: a git that is killed has not forgotten
_FORGETS = 2
_TREES, _SCRATCH = "tree", "own"


class Worktree(NamedTuple):
    """A folder that holds one commit, and beside it `scratch`, a folder for what a run needs itself.

    `root` is the work tree that the commit came from, whose files no test may see: that of `origin`, or one of another
    host. `there` is the repository as it is seen in the folder.
    """

    origin: Git
    there: Git
    commit: str
    path: str
    scratch: str
    root: str


@contextmanager
def worktrees(git: Git, commit: str, count: int) -> Iterator[tuple[Worktree, ...]]:
    """So many worktrees of a commit, each for one user at a time; they are gone at the end of the `with`.

    CannotTell when git cannot make them.
    """
    with _own_folder() as folder:
        _forget_gone(git)
        made: list[Worktree] = []
        try:
            for number in range(count):
                made.append(_make(git, commit, f"{folder}/{number}"))
            yield tuple(made)
        finally:
            for number in range(count):
                _remove(git, f"{folder}/{number}")


def clean(worktree: Worktree) -> bool:
    """Bring a worktree back to its commit; whether it was as its commit says already.

    CannotTell when even a new one cannot be put in its place.
    """
    if is_clean(worktree):
        return True
    if pointer(worktree.path) == worktree.there.git_dir:
        with suppress(CannotTell):
            restore(worktree.there, worktree.commit)
            return False
    _make_again(worktree)
    return False


def is_clean(worktree: Worktree) -> bool:
    """Whether a worktree holds what its commit says, and nothing else but bytecode."""
    if pointer(worktree.path) != worktree.there.git_dir:
        return False
    try:
        found = differences(worktree.there, worktree.commit)
    except CannotTell:
        return False
    return found is not None and all(map(_is_bytecode, found))


def empty_folder(path: str) -> None:
    """An empty folder at the path, whatever stood there. CannotTell when it cannot be made."""
    with suppress(OSError):
        if stat.S_ISDIR(os.lstat(path).st_mode) and not os.listdir(path):
            return
    if os.path.lexists(path):
        _remove_anything(path)
    try:
        os.makedirs(path)
    except OSError as error:
        raise CannotTell(f"{path} cannot be made: {error.strerror}", SPACE_FIX) from error


def _make(git: Git, commit: str, folder: str) -> Worktree:
    path = _tree_path(git, folder)
    scratch = f"{folder}/{_SCRATCH}"
    os.makedirs(os.path.dirname(path))
    os.mkdir(scratch)
    return Worktree(git, add_worktree(git, path, commit), commit, path, scratch, git.root)


def _tree_path(git: Git, folder: str) -> str:
    """Where the commit goes: in a folder of the work tree's own name, which some tests know."""
    return f"{folder}/{_TREES}/{os.path.basename(git.root) or 'root'}"


def _make_again(worktree: Worktree) -> None:
    """Put a new worktree in the place of one that cannot be mended; git keeps its entry for the same folder."""
    if os.path.lexists(worktree.path):
        _remove_anything(worktree.path)
    with suppress(CannotTell):
        forget_worktree(worktree.origin, worktree.path)
    made = add_worktree(worktree.origin, worktree.path, worktree.commit)
    if made.git_dir != worktree.there.git_dir:
        raise CannotTell(
            f"a test took the worktree {worktree.path} apart, and another one was made meanwhile",
            "run this again, with --jobs 1",
        )


def _remove(git: Git, folder: str) -> None:
    path = _tree_path(git, folder)
    if os.path.lexists(path):
        _remove_anything(path)
    for _ in range(_FORGETS):
        with suppress(CannotTell):  # git knows none where making it failed
            forget_worktree(git, path)
            return


def _is_bytecode(record: str) -> bool:
    """Whether a record of git status is about an untracked or ignored file that Python wrote for an import."""
    return record.startswith(("? ", "! ")) and record.endswith(".pyc") and "/__pycache__/" in f"/{record[2:]}"


# the folder


@contextmanager
def _own_folder() -> Iterator[str]:
    require_locks()
    with temporary_folder(_KIND, _kill_tests) as folder:
        try:
            yield folder
        except OSError as error:
            raise CannotTell(f"{folder} cannot be used: {error}", SPACE_FIX) from error


def _kill_tests(folder: str) -> None:
    kill_marked(f"TMPDIR={folder}/")  # as every process of a test has it that was started in there


def _forget_gone(git: Git) -> None:
    """Let git forget the worktrees whose folders were swept."""
    for path in worktree_paths(git):
        if f"/{PREFIX}" in path and os.path.basename(os.path.dirname(path)) == _TREES and not os.path.lexists(path):
            with suppress(CannotTell):
                forget_worktree(git, path)


def _remove_anything(path: str) -> None:
    try:
        if stat.S_ISDIR(os.lstat(path).st_mode):
            remove_tree(path)
        else:
            os.unlink(path)
    except OSError as error:
        raise CannotTell(f"{path} cannot be removed: {error.strerror}", f"remove it: rm -rf {quote(path)}") from error
