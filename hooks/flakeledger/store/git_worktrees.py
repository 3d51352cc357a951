"""Worktrees of git: folders that hold one commit, made for a while beside the work tree.

Invariants:
* The caller's work tree, index, branches and hooks are left alone; git notes a worktree only in its own folder.
* A question about a worktree names its git directory: a test that removed or replaced `.git` in the folder cannot lead
  git to another repository.
* No hook of the repository runs.
* A worktree holds every file of its commit, also where the caller's own work tree is a sparse one.
* Ctrl-C at a terminal reaches every process of its group, git too: it waits until git is done, so that no worktree is
  left half made or half removed.
"""

from __future__ import annotations

import os
import string
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from shlex import quote

from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git
from flakeledger.store.git_environment import QUIETLY
from flakeledger.store.git_output import tokens_of

#: variables by which a hook's caller names an index, or a repository other than the one around the folder
_PLACES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
#: git gives a new worktree the sparse patterns of the one in which it is asked
_WHOLE = (*QUIETLY, "-c", "core.sparseCheckout=false")
_POINTER = "gitdir: "
_LONGEST_POINTER = 8192
#: what git writes first into the entry of a worktree, and takes out last
_LOCK, _INITIALIZING = "locked", "initializing"
_STATUS = (
    *("status", "--porcelain=v2", "--branch", "--no-ahead-behind", "--no-renames", "-z"),
    *("--ignored", "--untracked-files=all"),
)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold Ctrl-C back, from this thread and from the processes that it starts meanwhile."""
    # not above: Windows has none of them, and imports this to verify a witness
    from signal import SIG_BLOCK, SIG_SETMASK, SIGINT, pthread_sigmask

    before = pthread_sigmask(SIG_BLOCK, (SIGINT,))
    try:
        yield
    finally:
        pthread_sigmask(SIG_SETMASK, before)


@undisturbed()
def add_worktree(git: Git, path: str, commit: str) -> Git:
    """Make a folder that holds a commit, and give the repository as it is seen there.

    `path` must not exist. CannotTell, with git's words, when it cannot be made.
    """
    own = _without_index(git)
    try:
        own.run(*_WHOLE, "worktree", "add", "--detach", "--force", "--quiet", path, commit)
    except CannotTell:
        _forget_unborn(own, os.path.basename(path))
        raise
    git_dir = pointer(path)
    if git_dir is None:
        raise CannotTell(f"git made no worktree at {path}", "run git worktree prune, then run this again")
    kept = {name: value for name, value in git.environment.items() if name not in _PLACES}
    environment = kept | {"GIT_DIR": git_dir, "GIT_WORK_TREE": path}
    return git._replace(root=path, git_dir=git_dir, index_path=f"{git_dir}/index", environment=environment)


def pointer(path: str) -> str | None:
    """The git directory that the `.git` of a worktree's folder names; None where it names none."""
    try:
        with open(f"{path}/.git", encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(_LONGEST_POINTER)
    except OSError:
        return None
    return text.removeprefix(_POINTER).rstrip("\n") if text.startswith(_POINTER) else None


@undisturbed()
def worktree_paths(git: Git) -> list[str]:
    """The folders of all worktrees that git knows, the caller's included, whether they still exist or not."""
    records = tokens_of(_without_index(git).run("worktree", "list", "--porcelain", "-z"))
    return [record.removeprefix("worktree ") for record in records if record.startswith("worktree ")]


@undisturbed()
def forget_worktree(git: Git, path: str) -> None:
    """Let git forget a worktree whose folder is gone. CannotTell when it knows none.

    Never `git worktree prune`: it would forget the user's own, on a disk that is not mounted today.
    """
    _without_index(git).run("worktree", "remove", "--force", "--force", path)


@undisturbed()
def differences(there: Git, commit: str) -> list[str] | None:
    """What a worktree holds that its commit does not say: each record of git status, ignored files included.

    None when its HEAD is no longer that commit. CannotTell when git cannot read the worktree.
    """
    out = there.run(*_WHOLE, *_STATUS)
    head, found = None, []
    for record in tokens_of(out):
        if record.startswith("# "):
            head = record.removeprefix("# branch.oid ") if record.startswith("# branch.oid ") else head
        else:
            found.append(record)
    return found if head == commit else None


@undisturbed()
def restore(there: Git, commit: str) -> None:
    """Bring a worktree back to its commit, and remove everything else. CannotTell when that cannot be done."""
    for lock in ("index.lock", "HEAD.lock"):
        _remove_file(f"{there.git_dir}/{lock}")
    there.run(*_WHOLE, "checkout", "--detach", "--force", "--quiet", commit)
    there.run(*_WHOLE, "clean", "-ffdxq")


def _forget_unborn(git: Git, name: str) -> None:
    """Remove the entries of worktrees of this name that a killed git only began: it lists none, and prunes none."""
    entries = os.fsdecode(git.run("rev-parse", "--path-format=absolute", "--git-path", "worktrees")).removesuffix("\n")
    with suppress(OSError):
        for entry in os.listdir(entries):
            begun = f"{entries}/{entry}"
            is_of_it = entry.startswith(name) and entry.removeprefix(name).strip(string.digits) == ""
            if is_of_it and _is_unborn(begun):
                with suppress(FileNotFoundError):
                    os.unlink(f"{begun}/{_LOCK}")
                os.rmdir(begun)


def _is_unborn(entry: str) -> bool:
    """Whether git wrote nothing into the entry of a worktree but that it is at it."""
    try:
        if os.listdir(entry) == [_LOCK]:
            with open(f"{entry}/{_LOCK}", encoding="utf-8", errors="replace") as file:
                return file.read(_LONGEST_POINTER).strip() in ("", _INITIALIZING)
        return not os.listdir(entry)
    except OSError:
        return False


def _remove_file(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise CannotTell(f"{path} cannot be removed: {error.strerror}", f"rm {quote(path)}") from error


def _without_index(git: Git) -> Git:
    """The repository without the index that a hook's caller means: a worktree has its own."""
    return git._replace(
        environment={name: value for name, value in git.environment.items() if name != "GIT_INDEX_FILE"}
    )
