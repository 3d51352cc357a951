"""Worktrees as git sees them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flakeledger.model.errors import CannotTell
from flakeledger.store.git_worktrees import (
    add_worktree,
    differences,
    forget_worktree,
    pointer,
    restore,
    worktree_paths,
)
from replaying import committed


def test_a_worktree_is_made_told_apart_and_forgotten(repository: Path, tmp_path: Path) -> None:
    git = committed(repository, {"a.txt": "a", "ü b.txt": "b", ".gitignore": "*.log\n"})
    commit = git.head() or ""
    path = str(tmp_path / "tree")
    there = add_worktree(git, path, commit)
    assert (there.root, there.git_dir) == (path, pointer(path))
    assert there.head() == commit
    assert worktree_paths(git) == [git.root, path]
    assert differences(there, commit) == []
    for name in ("new.txt", "noise.log"):
        Path(path, name).write_text("x")
    Path(path, "ü b.txt").unlink()
    found = differences(there, commit) or []
    assert [record.split(" ")[0] for record in found] == ["1", "?", "!"]
    assert found[0].endswith("ü b.txt")
    restore(there, commit)
    assert differences(there, commit) == []
    later = committed(repository, {"c.txt": "c"}).head() or ""
    assert differences(there, later) is None
    with pytest.raises(CannotTell, match="already exists"):
        add_worktree(git, path, commit)
    os.rename(path, f"{path}-moved")
    forget_worktree(git, path)
    assert worktree_paths(git) == [git.root]
    with pytest.raises(CannotTell, match="not a working tree"):
        forget_worktree(git, path)


@pytest.mark.parametrize("content", [None, b"", b"gitdir", b"elsewhere: /x", b"\xff\x00"])
def test_a_pointer_that_is_none(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / ".git").write_bytes(content)
    assert pointer(str(tmp_path)) is None
    assert pointer(str(tmp_path / "nowhere")) is None


def test_what_a_killed_git_only_began_goes_and_nothing_else_does(repository: Path, tmp_path: Path) -> None:
    """git writes `locked` into the entry of a worktree first, lists no entry that has no more, and prunes none."""
    git = committed(repository, {"a.txt": "a"})
    commit = git.head() or ""
    mine = str(tmp_path / "tree")
    add_worktree(git, mine, commit)
    entries = repository / ".git" / "worktrees"
    for name, text in (
        ("tree1", "initializing\n"),
        ("tree2", None),
        ("tree3", "on a disk that is away"),
        ("treehouse", "initializing\n"),
        ("other", "initializing\n"),
    ):
        (entries / name).mkdir()
        if text is not None:
            (entries / name / "locked").write_text(text)
    with pytest.raises(CannotTell, match="already exists"):
        add_worktree(git, mine, commit)
    assert sorted(os.listdir(entries)) == ["other", "tree", "tree3", "treehouse"]
    assert worktree_paths(git) == [git.root, mine]
