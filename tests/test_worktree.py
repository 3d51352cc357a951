"""Worktrees: one commit and nothing else, gone on every way out, whatever became of them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import git as run_git
from flakeledger.evidence.worktree import Worktree, clean, is_clean, worktrees
from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git
from flakeledger.store.temporary import PREFIX, remove_tree
from replaying import committed

FILES = {"a.txt": "committed", "package/b.txt": "b", ".gitignore": "ignored/\n"}


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that nobody else uses."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


@pytest.fixture
def worktree(repository: Path) -> Iterator[Worktree]:
    git = committed(repository, FILES)
    with worktrees(git, git.head() or "", 1) as (made,):
        yield made


def known(repository: Path) -> int:
    return run_git(repository, "worktree", "list", "--porcelain").count("worktree ")


def test_each_holds_the_commit_and_no_edit(repository: Path, temporary: Path) -> None:
    git = committed(repository, FILES)
    commit = git.head() or ""
    committed(repository, {"a.txt": "later"})
    (repository / "a.txt").write_text("edited")
    (repository / "new.txt").write_text("staged")
    run_git(repository, "add", "new.txt")
    before = run_git(repository, "status", "--porcelain=v2", "--branch")
    with worktrees(git, commit, 3) as made:
        assert len({one.path for one in made}) == 3
        for one in made:
            assert Path(one.path, "a.txt").read_text() == "committed"
            assert not Path(one.path, "new.txt").exists()
            assert os.path.basename(one.path) == "repository"
            assert os.listdir(one.scratch) == []
            assert is_clean(one)
        assert known(repository) == 4
    assert list(temporary.iterdir()) == []
    assert known(repository) == 1
    assert run_git(repository, "status", "--porcelain=v2", "--branch") == before


def test_no_hook_of_the_repository_runs(repository: Path) -> None:
    git = committed(repository, FILES)
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho ran > ran.txt\n")
    hook.chmod(0o755)
    with worktrees(git, git.head() or "", 1) as (made,):
        assert is_clean(made)
        Path(made.path, "a.txt").unlink()
        clean(made)
        assert is_clean(made)


def test_a_filter_of_the_user_makes_the_files_as_git_checkout_does(repository: Path) -> None:
    """Git LFS is one. It runs unsealed, which docs/security.md says."""
    run_git(repository, "config", "filter.loud.smudge", "tr a-z A-Z")
    run_git(repository, "config", "filter.loud.clean", "tr A-Z a-z")
    git = committed(repository, {**FILES, ".gitattributes": "a.txt filter=loud\n"})
    with worktrees(git, git.head() or "", 1) as (made,):
        assert Path(made.path, "a.txt").read_text() == FILES["a.txt"].upper()
        assert is_clean(made)


def test_the_index_of_a_hook_is_not_used(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    committed(repository, FILES)
    shutil.copy(repository / ".git" / "index", repository / ".git" / "other")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/other")
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.chdir(repository)
    git = Git.open(".", os.environ)
    bytes_before = (repository / ".git" / "other").read_bytes()
    with worktrees(git, git.head() or "", 1) as (made,):
        Path(made.path, "a.txt").unlink()
        assert not clean(made)
        assert Path(made.path, "a.txt").exists()
    assert (repository / ".git" / "other").read_bytes() == bytes_before


#: what a test may do to its worktree, as a shell says it
HARMS = {
    "an edit": "echo edited > a.txt",
    "a staged edit": "echo edited > a.txt; git add a.txt",
    "a new file": "echo new > new.txt",
    "an ignored file": "mkdir ignored; echo new > ignored/new.txt",
    "a file in a new folder": "mkdir -p new/folder; echo new > new/folder/new.txt",
    "a repository in it": "git init -q inner; echo new > inner/new.txt",
    "a deleted file": "rm a.txt",
    "a deleted folder": "rm -r package",
    "a file for a folder": "rm -r package; echo x > package",
    "a commit": "git rm -q a.txt; git commit -q -m gone",
    "a branch": "git checkout -q -b other; echo x > new.txt",
    "another mode": "chmod +x a.txt",
    "a lock on the index": "touch $(git rev-parse --git-dir)/index.lock; echo edited > a.txt",
    "a broken index": "echo x > $(git rev-parse --git-dir)/index",
    "no .git": "rm .git",
    "another .git": "rm .git; git init -q .",
    "a .git that leads elsewhere": "echo 'gitdir: /nowhere' > .git",
    "no rights": "mkdir -p closed/inner; touch closed/inner/file; chmod 0 closed",
    "nothing left": "cd ..; rm -rf repository",
    "a file in its place": "cd ..; rm -rf repository; echo x > repository",
    "a link in its place": "cd ..; rm -rf repository; ln -s / repository",
    "a git that knows it no longer": 'git worktree remove --force "$PWD"',
    "a merge under way": "git update-ref MERGE_HEAD HEAD; echo edited > a.txt",
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_whatever_was_done_to_it_is_undone(worktree: Worktree, repository: Path, harm: str) -> None:
    subprocess.run(["sh", "-c", harm], cwd=worktree.path, check=True)
    assert not is_clean(worktree)
    assert not clean(worktree)
    assert is_clean(worktree)
    assert clean(worktree)
    assert sorted(os.listdir(worktree.path)) == [".git", ".gitignore", "a.txt", "package"]
    assert Path(worktree.path, "a.txt").read_text() == "committed"
    assert known(repository) == 2
    assert run_git(repository, "rev-parse", "HEAD") == worktree.commit
    assert run_git(repository, "status", "--porcelain") == ""


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_whatever_was_done_to_it_goes(repository: Path, temporary: Path, harm: str) -> None:
    git = committed(repository, FILES)
    with worktrees(git, git.head() or "", 2) as (made, _):
        subprocess.run(["sh", "-c", harm], cwd=made.path, check=True)
    assert list(temporary.iterdir()) == []
    assert known(repository) == 1


def test_bytecode_beside_unchanged_sources_stays(worktree: Worktree) -> None:
    for folder in ("__pycache__", "package/__pycache__"):
        Path(worktree.path, folder).mkdir()
        Path(worktree.path, folder, "module.cpython-311.pyc").write_text("x")
    assert clean(worktree)
    assert Path(worktree.path, "__pycache__", "module.cpython-311.pyc").exists()
    Path(worktree.path, "__pycache__", "notes.txt").write_text("x")
    assert not clean(worktree)
    assert not Path(worktree.path, "__pycache__").exists()
    assert not Path(worktree.path, "package", "__pycache__").exists()


def test_an_exception_removes_them(repository: Path, temporary: Path) -> None:
    git = committed(repository, FILES)
    with pytest.raises(KeyboardInterrupt), worktrees(git, git.head() or "", 2):
        raise KeyboardInterrupt
    assert list(temporary.iterdir()) == []
    assert known(repository) == 1


def test_a_commit_that_is_not_there_leaves_nothing(repository: Path, temporary: Path) -> None:
    git = committed(repository, FILES)
    with pytest.raises(CannotTell, match="worktree add"), worktrees(git, "0" * 40, 1):
        pass
    assert list(temporary.iterdir()) == []
    assert known(repository) == 1


KILLED = """
import os, sys
from flakeledger.evidence.worktree import worktrees
from flakeledger.store.git import Git
from flakeledger.store.temporary import PREFIX, remove_tree
git = Git.open(os.curdir, os.environ)
with worktrees(git, git.head(), 2):
    print("made", flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_run_left_is_swept_and_what_another_one_uses_is_not(repository: Path, temporary: Path) -> None:
    git = committed(repository, FILES)
    pipe = subprocess.PIPE
    runs = [subprocess.Popen([sys.executable, "-c", KILLED], cwd=repository, stdin=pipe, stdout=pipe) for _ in range(2)]
    for run in runs:
        assert run.stdout is not None
        assert run.stdout.readline() == b"made\n"
    foreign = temporary / f"{PREFIX}not-ours"
    foreign.mkdir()
    assert known(repository) == 5
    runs[0].send_signal(signal.SIGKILL)
    runs[0].communicate()
    with worktrees(git, git.head() or "", 1):
        assert known(repository) == 4
        assert foreign.exists(), "a folder without a lock is not ours"
    assert runs[1].communicate(b"")[0] == b""
    assert known(repository) == 1
    assert list(temporary.iterdir()) == [foreign]


def test_what_git_still_knows_of_a_folder_that_went_is_forgotten(repository: Path, temporary: Path) -> None:
    git = committed(repository, FILES)
    own = repository.parent / "unmounted"
    run_git(repository, "worktree", "add", "-q", str(own))
    shutil.rmtree(own)
    gone = temporary / f"{PREFIX}gone" / "0" / "tree" / "repository"
    run_git(repository, "worktree", "add", "-q", "--detach", str(gone))
    shutil.rmtree(temporary / f"{PREFIX}gone")
    with worktrees(git, git.head() or "", 1):
        pass
    listed = run_git(repository, "worktree", "list", "--porcelain")
    assert str(gone) not in listed
    assert str(own) in listed, "the user's own worktree is none of our business"


def test_a_tree_without_rights_is_removed(tmp_path: Path) -> None:
    deep = tmp_path / "tree" / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    (tmp_path / "tree" / "a").chmod(0)
    remove_tree(str(tmp_path / "tree"))
    assert not (tmp_path / "tree").exists()
    remove_tree(str(tmp_path / "tree"))
