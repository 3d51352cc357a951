"""Indexes of our own beside real repositories: what is on disk, and files as an edit would make them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.store.git_index import with_files, working_tree
from grounds import commit, files_of, opened, write


def test_working_tree_holds_what_is_on_disk_and_writes_nothing(repository: Path) -> None:
    write(repository, ".gitattributes", "*.txt text eol=lf\n")
    write(repository, ".gitignore", "ignored\n")
    for path in ("edited", "gone", "same"):
        write(repository, path, f"{path}\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "start")
    (repository / "edited").write_text("other\n")
    (repository / "gone").unlink()
    (repository / "ignored").write_text("ignored\n")
    (repository / "new.txt").write_bytes(b"one\r\ntwo\r\n")
    before = files_of(repository)
    with working_tree(opened(repository)) as on_disk:
        temporary = Path(on_disk.index_path).parent
        assert [change.path for change in on_disk.index_changes("HEAD")] == ["edited", "gone", "new.txt"]
        stored = on_disk.index_entries().entries["new.txt"].oid
        assert on_disk.run("cat-file", "blob", stored) == b"one\ntwo\n"
        assert on_disk.head() == git(repository, "rev-parse", "HEAD")
    assert files_of(repository) == before
    assert not temporary.exists()


@pytest.mark.parametrize("kind", ["unborn", "worktree", "split", "hook", "odd path"])
def test_working_tree_of_unusual_repositories(repository: Path, tmp_path: Path, kind: str) -> None:
    where, variables = repository, {}
    if kind == "odd path":
        where = tmp_path / 'a:b"c'
        git(tmp_path, "init", "-q", str(where))
    if kind != "unborn":
        commit(where, "a", "1\n")
    if kind == "worktree":
        where = tmp_path / "linked"
        git(repository, "worktree", "add", "-q", str(where))
    if kind == "split":
        git(repository, "update-index", "--split-index")
    if kind == "hook":
        shutil.copy2(repository / ".git" / "index", repository / ".git" / "next-index-1.lock")
        variables = {"GIT_INDEX_FILE": ".git/next-index-1.lock"}
    (where / "new").write_text("new\n")
    before = files_of(tmp_path)
    with working_tree(opened(where, **variables)) as on_disk:
        entries = on_disk.index_entries().entries
        assert list(entries) == (["new"] if kind == "unborn" else ["a", "new"])
        assert on_disk.run("cat-file", "blob", entries["new"].oid) == b"new\n"
        assert kind == "unborn" or on_disk.run("cat-file", "blob", entries["a"].oid) == b"1\n"
    assert files_of(tmp_path) == before


def test_working_tree_starts_no_hook(repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    write(repository, "a", "1\n")
    with working_tree(opened(repository)):
        pass
    assert not (repository / "ran").exists()


def test_working_tree_goes_also_after_an_error(repository: Path) -> None:
    folders = []

    def fail() -> None:
        with working_tree(opened(repository)) as on_disk:
            folders.append(Path(on_disk.index_path).parent)
            assert folders[0].exists()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert not folders[0].exists()


def test_working_tree_that_cannot_be_added(repository: Path) -> None:
    write(repository, "a", "1\n")
    (repository / ".gitattributes").write_text("a filter=broken\n")
    git(repository, "config", "filter.broken.clean", "false")
    git(repository, "config", "filter.broken.required", "true")
    with pytest.raises(CannotTell, match="clean filter 'broken' failed"), working_tree(opened(repository)):
        pytest.fail("it was added")


def test_files_as_an_edit_would_make_them(repository: Path) -> None:
    """They are stored as `git add` stores them, keep the mode that they had, and are nowhere but in that index."""
    write(repository, ".gitattributes", "*.txt text eol=lf\n")
    write(repository, "run", "1\n")
    (repository / "run").chmod(0o755)
    commit(repository, "other.txt", "other\n")
    before = files_of(repository)
    found = opened(repository)
    with with_files(found, {"run": b"2\n", "folder/new.txt": b"one\r\ntwo\r\n"}) as edited:
        assert [change.path for change in edited.index_changes("HEAD")] == ["folder/new.txt", "run"]
        entries = edited.index_entries().entries
        assert (entries["run"].mode, entries["folder/new.txt"].mode) == ("100755", "100644")
        assert edited.run("cat-file", "blob", entries["run"].oid) == b"2\n"
        assert edited.run("cat-file", "blob", entries["folder/new.txt"].oid) == b"one\ntwo\n"
        assert edited.run("cat-file", "blob", entries["other.txt"].oid) == b"other\n"
    assert files_of(repository) == before
    assert found.index_changes("HEAD") == []


def test_without_room_for_the_index_that_is_said(repository: Path) -> None:
    commit(repository, "a", "1\n")
    found = opened(repository)._replace(index_path=str(repository))
    with pytest.raises(CannotTell, match="the index cannot be copied") as refused, working_tree(found):
        pytest.fail("it was copied")
    assert "TMPDIR" in refused.value.fix
