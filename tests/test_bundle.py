"""Clones of a commit on another host: complete, private, made once."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from conftest import git as run_git
from flakeledger.evidence.bundle import FOLDER, bundle_of, clone_of, receive
from flakeledger.evidence.worktree import worktrees
from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git
from replaying import committed

FILES = {"a.txt": "committed"}
LONG_AGO = 1_600_000_000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this host keeps its clones."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return tmp_path / "tmp" / f"{FOLDER}-{os.getuid()}"


@pytest.fixture
def git(repository: Path) -> Git:
    return committed(repository, FILES)


def test_a_clone_is_made_once_and_worktrees_come_from_it(git: Git, folder: Path) -> None:
    bundle, data = bundle_of(git, git.head() or "")
    assert (bundle.commit, bundle.object_format, bundle.root) == (git.head(), "sha1", git.root)
    assert clone_of(bundle, os.environ) is None
    receive(bundle, data, os.environ)
    receive(bundle, b"not even read", os.environ)
    clone = clone_of(bundle, os.environ)
    assert clone is not None
    assert os.path.dirname(os.path.dirname(clone.root)) == str(folder)
    assert os.listdir(clone.root) == [".git"]
    assert folder.stat().st_mode & 0o777 == 0o700
    assert len(list(folder.iterdir())) == 1
    with worktrees(clone, bundle.commit, 2) as made:
        for worktree in made:
            assert Path(worktree.path, "a.txt").read_text() == "committed"
            assert Path(worktree.path).name == "repository"
    assert len(run_git(Path(clone.root), "worktree", "list").splitlines()) == 1


def test_the_same_commit_of_a_folder_with_another_name_has_a_clone_of_its_own(git: Git) -> None:
    bundle, data = bundle_of(git, git.head() or "")
    for root in ("/somewhere/shop", "/elsewhere/shop", "/somewhere/store"):
        moved = bundle._replace(root=root)
        receive(moved, data, os.environ)
        clone = clone_of(moved, os.environ)
        assert clone is not None
        assert os.path.basename(clone.root) == os.path.basename(root)


def test_the_environment_of_a_hook_leads_nowhere_else(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle, data = bundle_of(git, git.head() or "")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, "/nowhere")
    receive(bundle, data, os.environ)
    clone = clone_of(bundle, os.environ)
    assert clone is not None
    assert clone.commit(bundle.commit) == bundle.commit


def test_what_arrived_damaged_is_no_clone(git: Git, folder: Path) -> None:
    bundle, data = bundle_of(git, git.head() or "")
    with pytest.raises(CannotTell, match="arrived damaged"):
        receive(bundle, data[:-1], os.environ)
    with pytest.raises(CannotTell, match=r"git .* update-ref"):
        receive(bundle._replace(commit="0" * 39 + "1"), data, os.environ)
    assert list(folder.iterdir()) == []
    assert clone_of(bundle, os.environ) is None


def test_what_a_killed_worker_left_is_not_used_and_goes_after_a_day(git: Git, folder: Path) -> None:
    bundle, data = bundle_of(git, git.head() or "")
    folder.mkdir(0o700)
    for name in ("new-old", "new-young", "another"):
        (folder / name / "repository" / ".git").mkdir(parents=True)
    os.utime(folder / "new-old", (LONG_AGO, LONG_AGO))
    os.utime(folder / "another", (LONG_AGO, LONG_AGO))
    assert clone_of(bundle, os.environ) is None
    receive(bundle, data, os.environ)
    clone = clone_of(bundle, os.environ)
    assert clone is not None
    assert set(folder.iterdir()) == {folder / "new-young", Path(clone.root).parent}


def test_a_clone_in_use_does_not_grow_old(git: Git, folder: Path) -> None:
    bundle, data = bundle_of(git, git.head() or "")
    receive(bundle, data, os.environ)
    (place,) = folder.iterdir()
    os.utime(place, (LONG_AGO, LONG_AGO))
    assert clone_of(bundle, os.environ) is not None
    other = committed(Path(git.root), {"a.txt": "another commit"})
    receive(*bundle_of(other, other.head() or ""), os.environ)
    assert place.exists()


@pytest.mark.parametrize("harm", ["others may look", "a link", "a file"])
def test_a_folder_that_is_not_ours_alone_is_refused(git: Git, folder: Path, tmp_path: Path, harm: str) -> None:
    bundle, data = bundle_of(git, git.head() or "")
    if harm == "others may look":
        folder.mkdir()
        folder.chmod(0o755)
    elif harm == "a link":
        folder.symlink_to(tmp_path)
    else:
        folder.touch()
    with pytest.raises(CannotTell, match="is no folder of this user alone"):
        receive(bundle, data, os.environ)


def test_where_no_replay_can_run_no_clone_is_looked_for(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows has neither locks on files nor ids of users."""
    bundle, data = bundle_of(git, git.head() or "")
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.delattr(os, "getuid")
    with pytest.raises(CannotTell, match="no locks on files"):
        clone_of(bundle, os.environ)
    with pytest.raises(CannotTell, match="no locks on files"):
        receive(bundle, data, os.environ)
