"""Bundles of one commit: whole, without its history, and nothing is written where they come from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import git as run_git
from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git
from flakeledger.store.git_bundles import bundled, open_clone, unpack
from flakeledger.store.git_worktrees import add_worktree
from replaying import committed

FILES = {"a.txt": "a", "package/ü b.txt": "b", "package/run.sh": "#!/bin/sh\n"}


def checked_out(git: Git, commit: str, folder: Path) -> Path:
    """The commit as somebody sees it who has its bundle and nothing else."""
    place = folder / "clone"
    place.mkdir(parents=True)
    clone = unpack(bundled(git, commit), str(place), commit, git.object_format, os.environ)
    assert open_clone(str(place), os.environ) == clone
    assert run_git(place, "fsck", "--strict") == ""
    path = folder / "tree"
    add_worktree(clone, str(path), commit)
    return path


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_commit_travels_alone(tmp_path: Path, object_format: str) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    run_git(repository, "init", "-q", f"--object-format={object_format}")
    (repository / "package").mkdir()
    (repository / "package" / "link").symlink_to("../a.txt")
    committed(repository, {"a.txt": "before", "gone.txt": "gone"})
    (repository / "gone.txt").unlink()
    git = committed(repository, FILES)
    commit = git.head() or ""
    committed(repository, {"a.txt": "later"})
    (repository / "a.txt").write_text("edited")
    before = run_git(repository, "for-each-ref"), run_git(repository, "count-objects", "-v")
    tree = checked_out(git, commit, tmp_path / "there")
    assert (tree / "a.txt").read_text() == "a"
    assert (tree / "package" / "ü b.txt").read_text() == "b"
    assert (tree / "package" / "link").readlink() == Path("../a.txt")
    assert not (tree / "gone.txt").exists()
    assert run_git(tree, "rev-parse", "HEAD") == commit
    assert run_git(tree, "status", "--porcelain") == ""
    assert run_git(tree, "rev-list", "--count", "HEAD") == "1"
    assert (run_git(repository, "for-each-ref"), run_git(repository, "count-objects", "-v")) == before


def test_history_does_not_make_it_larger(repository: Path) -> None:
    noise = os.urandom(1 << 16)
    (repository / "noise").write_bytes(noise)
    committed(repository, FILES)
    (repository / "noise").unlink()
    git = committed(repository, FILES)
    assert len(bundled(git, git.head() or "")) < len(noise) / 10


def test_out_of_a_shallow_clone_a_linked_worktree_and_borrowed_objects(repository: Path, tmp_path: Path) -> None:
    committed(repository, {"a.txt": "before"})
    commit = committed(repository, FILES).head() or ""
    run_git(tmp_path, "clone", "-q", "--depth=1", repository.as_uri(), "shallow")
    run_git(tmp_path, "clone", "-q", "--shared", "repository", "borrowing")
    run_git(repository, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    for name in ("shallow", "borrowing", "linked"):
        git = Git.open(str(tmp_path / name), os.environ)
        tree = checked_out(git, commit, tmp_path / f"{name}-there")
        assert (tree / "a.txt").read_text() == "a"


def test_a_partial_clone_has_no_bundle(repository: Path, tmp_path: Path) -> None:
    run_git(repository, "config", "uploadpack.allowFilter", "true")
    committed(repository, FILES)
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", repository.as_uri(), "partial")
    git = Git.open(str(tmp_path / "partial"), os.environ)
    with pytest.raises(CannotTell, match="is not wholly here") as refused:
        bundled(git, git.head() or "")
    assert "without --filter" in refused.value.fix


@pytest.mark.parametrize(
    ("attribute", "setting", "value", "refused"),
    [
        ("filter=lfs", "filter.lfs.smudge", "tr a b", True),
        ("filter=lfs", "filter.lfs.process", "git-lfs filter-process", True),
        ("filter=lfs", "filter.lfs.smudge", "cat", False),
        ("filter=lfs", "filter.other.smudge", "tr a b", False),
        ("-filter", "filter.lfs.smudge", "tr a b", False),
        ("text", "filter.lfs.smudge", "tr a b", False),
    ],
)
def test_what_a_filter_makes_does_not_travel(
    repository: Path, attribute: str, setting: str, value: str, refused: bool
) -> None:
    git = committed(repository, {**FILES, ".gitattributes": f"a.* {attribute}\n"})
    run_git(repository, "config", setting, value)
    if not refused:
        assert bundled(git, git.head() or "").startswith(b"# v2 git bundle\n")
        return
    with pytest.raises(CannotTell, match=r"git makes a\.txt by the filter lfs"):
        bundled(git, git.head() or "")


def test_the_user_s_templates_and_hooks_take_no_part(repository: Path, tmp_path: Path, isolated: Path) -> None:
    git = committed(repository, FILES)
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    for name in ("reference-transaction", "post-checkout"):
        (hooks / name).write_text("#!/bin/sh\nexit 1\n")
        (hooks / name).chmod(0o755)
    run_git(isolated, "config", "--global", "init.templateDir", str(tmp_path / "template"))
    run_git(isolated, "config", "--global", "core.hooksPath", str(hooks))
    assert (checked_out(git, git.head() or "", tmp_path / "there") / "a.txt").exists()


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotTell, match="git bundle unbundle"):
        unpack(b"no bundle", str(tmp_path), "0" * 40, "sha1", os.environ)
