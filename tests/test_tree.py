"""Trees: the index, a commit, and either with some paths put back."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.repo.base import INDEX, Basis
from flakeledger.repo.changes import net_change
from flakeledger.repo.repository import open_repository
from flakeledger.store.git import TreeEntry


def test_index_and_commit_say_what_stands_at_each_path(repository: Path) -> None:
    (repository / "ledgers").mkdir()
    (repository / "ledgers" / "freezes.yaml").write_text("# none\n")
    (repository / "a.txt").write_text("one")
    (repository / "link").symlink_to("a.txt")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "one")
    head = git(repository, "rev-parse", "HEAD")
    (repository / "a.txt").write_text("two")
    git(repository, "add", "-A")
    with open_repository(str(repository), dict(os.environ)) as opened:
        index, commit = opened.tree(INDEX), opened.tree(head)
        assert (index.read("a.txt"), commit.read("a.txt")) == (b"two", b"one")
        assert index.read("ledgers/freezes.yaml") == b"# none\n"
        assert index.read("link") is None
        assert index.read("nothing") is None
        assert index.is_folder("ledgers")
        assert not index.is_folder("a.txt")
        assert not index.is_folder("ledger")
        assert opened.tree(INDEX) is index


def test_paths_put_back(repository: Path) -> None:
    (repository / "ledgers").mkdir()
    (repository / "ledgers" / "freezes.yaml").write_text("# one\n")
    (repository / "gone.txt").write_text("was here")
    git(repository, "add", "-A")
    old = {
        path: TreeEntry("100644", git(repository, "rev-parse", f":{path}"))
        for path in ("ledgers/freezes.yaml", "gone.txt")
    }
    (repository / "ledgers" / "freezes.yaml").write_text("# two\n")
    (repository / "gone.txt").unlink()
    (repository / "new.txt").write_text("new")
    git(repository, "add", "-A")
    with open_repository(str(repository), dict(os.environ)) as opened:
        new = opened.tree(INDEX)
        before = new.put_back("before", {**old, "new.txt": None})
        assert before.label == "before"
        assert before.read("ledgers/freezes.yaml") == b"# one\n"
        assert new.read("ledgers/freezes.yaml") == b"# two\n"
        assert before.read("gone.txt") == b"was here"
        assert new.read("gone.txt") is None
        assert before.entry("new.txt") is None
        assert new.read("new.txt") == b"new"
        assert set(before.entries) == {"ledgers/freezes.yaml", "gone.txt"}


def test_an_unmerged_ledger_is_named(repository: Path) -> None:
    (repository / "ledgers").mkdir()
    ledger = repository / "ledgers" / "freezes.yaml"
    for branch, text in (("main", "# base\n"), ("one", "# one\n"), ("two", "# two\n")):
        if branch != "main":
            git(repository, "switch", "-q", "-c", branch, "main")
        ledger.write_text(text)
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", branch)
    subprocess.run(["git", "merge", "one"], cwd=repository, capture_output=True, check=False)
    with open_repository(str(repository), dict(os.environ)) as opened:
        assert opened.tree(INDEX).ledger_conflicts() == ["ledgers/freezes.yaml"]
        assert opened.tree(INDEX).unmerged == {"ledgers/freezes.yaml"}


def test_a_conflict_in_what_is_no_ledger_is_no_deletion(repository: Path) -> None:
    for branch, text in (("main", "# base\n"), ("one", "# one\n"), ("two", "# two\n")):
        if branch != "main":
            git(repository, "switch", "-q", "-c", branch, "main")
        (repository / "test a.py").write_text(text)
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", branch)
    subprocess.run(["git", "merge", "one"], cwd=repository, capture_output=True, check=False)
    with open_repository(str(repository), dict(os.environ)) as opened:
        with pytest.raises(CannotTell, match=r"test a\.py is unmerged in the index") as refused:
            opened.ledger(opened.tree(INDEX))
        assert refused.value.fix == "resolve its conflict, then: git add 'test a.py'"
        with pytest.raises(CannotTell, match=r"test a\.py is unmerged in the index"):
            net_change(opened, Basis("commit", opened.git.head() or "", INDEX))
        assert opened.ledger(opened.tree(git(repository, "rev-parse", "HEAD"))).freezes == ()


def test_a_tree_holds_what_git_lists(repository: Path) -> None:
    """Folders are read one by one as paths are asked for; together they say what git says of the whole."""
    for path in ("a", "b/c", "b/d/e", "b-c", "b.d", "f/g/h/i/j", "\u00e9/\t"):
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(path)
    (repository / "b" / "link").symlink_to("c")
    (repository / "b" / "run").write_text("#!/bin/sh\n")
    (repository / "b" / "run").chmod(0o755)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "one")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    git(repository, "commit", "-qm", "a submodule")
    head = git(repository, "rev-parse", "HEAD")
    listed = git(repository, "ls-tree", "-r", "-z", "HEAD").split("\0")[:-1]
    records = ((record.partition("\t")[2], record.split()[0], record.split()[2]) for record in listed)
    expected = {path: TreeEntry(mode, oid) for path, mode, oid in records}
    for revision in (head, INDEX):
        with open_repository(str(repository), dict(os.environ)) as opened:
            entries = opened.tree(revision).entries
            assert entries["b/d/e"] == expected["b/d/e"]
            for absent in ("b", "b/", "b/d", "b/d/e/f", "x/y", "", "/a", "b//c"):
                assert entries.get(absent) is None, absent
                assert absent not in entries
            assert list(entries) == list(expected)
            assert (dict(entries), len(entries)) == (expected, len(expected))


def test_the_index_is_what_the_next_commit_would_hold(repository: Path) -> None:
    for path in ("kept", "gone", "edited"):
        (repository / path).write_text(path)
    with open_repository(str(repository), dict(os.environ)) as unborn:
        assert dict(unborn.tree(INDEX).entries) == {}
    git(repository, "add", "-A")
    with open_repository(str(repository), dict(os.environ)) as unborn:
        assert set(unborn.tree(INDEX).entries) == {"kept", "gone", "edited"}
    git(repository, "commit", "-qm", "one")
    (repository / "edited").write_text("other")
    (repository / "gone").unlink()
    (repository / "new").write_text("new")
    git(repository, "add", "-A")
    (repository / "announced").write_text("not yet")
    git(repository, "add", "-N", "announced")
    with open_repository(str(repository), dict(os.environ)) as opened:
        entries = opened.tree(INDEX).entries
        assert set(entries) == {"kept", "edited", "new"}
        assert opened.tree(INDEX).read("edited") == b"other"
        assert not opened.tree(INDEX).unmerged
