"""The first-parent line of real histories, and the versions of a path along it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.store.git import PathChange
from flakeledger.store.git_line import (
    LineVersion,
    committed_at,
    first_parent_line,
    line_between,
    steps_between,
    versions_along,
)
from grounds import clone, commit, deep_history, opened
from timelines import Step, write_history


def versions(root: Path, head: str = "HEAD") -> list[tuple[str, str, str]]:
    """Subject, mode and id of each version."""
    found = versions_along(opened(root), first_parent_line(opened(root), head), FREEZES)
    return [(git(root, "log", "-1", "--format=%s", one.commit), one.mode, one.oid) for one in found]


def blob(text: str, root: Path) -> str:
    (root / "blob").write_text(text)
    return git(root, "hash-object", "blob")


MERGED = [
    Step(10, "a\n", mark=1),
    Step(20, "b\n", mark=2),
    Step(30, "side\n", mark=3, first=1),
    Step(40, "b\n", mark=4, first=2, second=3),
    Step(50, "merged\n", mark=5, first=4, second=3),
    Step(60, "merged\n"),
    Step(70, None),
]


def test_a_line_goes_by_first_parents_the_oldest_first(repository: Path) -> None:
    write_history(repository, MERGED)
    line = first_parent_line(opened(repository), "HEAD")
    listed = git(repository, "rev-list", "--first-parent", "--reverse", "HEAD").splitlines()
    assert [one.commit for one in line] == listed
    assert [one.parent for one in line] == ["", *listed[:-1]]
    assert [one.committed for one in line] == [10, 20, 40, 50, 60, 70]


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)])
def test_versions_are_what_differs_from_the_first_parent(options: tuple[str, ...], tmp_path: Path) -> None:
    root = tmp_path / "made"
    root.mkdir()
    git(root, "init", "-q", *options)
    write_history(root, MERGED)
    assert versions(root) == [
        ("step 0", "100644", blob("a\n", root)),
        ("step 1", "100644", blob("b\n", root)),
        ("step 4", "100644", blob("merged\n", root)),
        ("step 6", "", ""),
    ]


def test_a_root_without_the_path_has_no_version(repository: Path) -> None:
    write_history(repository, [Step(1, None), Step(2, None), Step(3, "a\n")])
    assert [subject for subject, _, _ in versions(repository)] == ["step 2"]


def test_a_link_or_a_folder_in_its_place_is_told_by_the_mode(repository: Path) -> None:
    file = repository / FREEZES
    file.parent.mkdir()
    file.symlink_to("elsewhere")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "link")
    file.unlink()
    (file / "inside").mkdir(parents=True)
    (file / "inside" / "file").write_text("a\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "folder")
    assert [(subject, mode) for subject, mode, _ in versions(repository)] == [("link", "120000"), ("folder", "")]


@pytest.mark.parametrize("depth", [1, 3])
def test_a_line_that_is_cut_cannot_be_told(depth: int, repository: Path, tmp_path: Path) -> None:
    write_history(repository, [Step(number, f"{number}\n") for number in range(4)])
    git(tmp_path, "clone", "-q", f"--depth={depth}", f"file://{repository}", "shallow")
    with pytest.raises(CannotTell, match="too shallow") as caught:
        first_parent_line(opened(tmp_path / "shallow"), "HEAD")
    assert "git fetch --unshallow" in caught.value.fix


def test_a_shallow_clone_that_has_the_whole_line_is_told(repository: Path, tmp_path: Path) -> None:
    write_history(
        repository,
        [
            Step(1, "a\n", mark=1),
            Step(2, "b\n", mark=2),
            Step(3, "c\n", mark=3),
            Step(4, "d\n", mark=4, first=1, second=3),
        ],
    )
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{repository}", "shallow")
    assert opened(tmp_path / "shallow").shallow
    assert [one.committed for one in first_parent_line(opened(tmp_path / "shallow"), "HEAD")] == [1, 4]


def test_the_date_of_one_commit_is_the_committers(repository: Path) -> None:
    dates = {"GIT_AUTHOR_DATE": "@5 +0000", "GIT_COMMITTER_DATE": "@1790000000 +0300"}
    git(repository, "commit", "-q", "--allow-empty", "-m", "one", environment=dates)
    assert committed_at(opened(repository), "HEAD") == 1_790_000_000


def test_the_path_alone_counts(repository: Path) -> None:
    for path in (f"{FREEZES}.old", "ledgers/other", FREEZES):
        (repository / path).parent.mkdir(exist_ok=True)
        (repository / path).write_text("a\n")
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", path)
    line = first_parent_line(opened(repository), "HEAD")
    head = git(repository, "rev-parse", "HEAD")
    expected = [LineVersion(head, "100644", git(repository, "rev-parse", f"HEAD:{FREEZES}"))]
    assert versions_along(opened(repository), line, FREEZES) == expected


def test_the_line_between_two_commits_is_cut_by_a_shallow_boundary(tmp_path: Path) -> None:
    deep = deep_history(tmp_path)
    shallow = clone(deep, 2)
    first, third = git(deep, "rev-parse", "main~3"), git(deep, "rev-parse", "main~1")
    git(shallow, "fetch", "-q", "--depth=1", "origin", first)
    found = opened(shallow)
    head = git(shallow, "rev-parse", "HEAD")
    assert line_between(found, third, head) == [(head, third)]
    with pytest.raises(CannotTell, match="too shallow to walk"):
        line_between(found, first, head)


def test_steps_follow_first_parents_and_a_merge_is_one_step(repository: Path) -> None:
    first = commit(repository, "a", "1\n")
    git(repository, "checkout", "-q", "-b", "side")
    commit(repository, "s1", "1\n")
    commit(repository, "s2", "2\n")
    git(repository, "checkout", "-q", "main")
    second = commit(repository, "a", "2\n")
    git(repository, "merge", "-q", "--no-ff", "-m", "merge", "side")
    third = git(repository, "rev-parse", "HEAD")
    git(repository, "commit", "-q", "--allow-empty", "-m", "nothing")
    fourth = git(repository, "rev-parse", "HEAD")
    steps = steps_between(opened(repository), first, fourth)
    assert [(step.commit, step.parent) for step in steps] == [(second, first), (third, second), (fourth, third)]
    assert [[change.path for change in step.changes] for step in steps] == [["a"], ["s1", "s2"], []]
    blobs = [git(repository, "rev-parse", f"{revision}:a") for revision in (first, second)]
    assert steps[0].changes == [PathChange("a", "100644", blobs[0], "100644", blobs[1])]


def test_steps_need_a_base_on_the_first_parent_line(repository: Path) -> None:
    commit(repository, "a", "1\n")
    git(repository, "checkout", "-q", "-b", "side")
    side = commit(repository, "s", "1\n")
    git(repository, "checkout", "-q", "main")
    main = commit(repository, "a", "2\n")
    git(repository, "merge", "-q", "--no-ff", "-m", "merge", "side")
    head = git(repository, "rev-parse", "HEAD")
    found = opened(repository)
    assert line_between(found, side, head) is None
    assert line_between(found, head, head) is None
    assert line_between(found, head, main) is None
    with pytest.raises(CannotTell, match="is not on the first-parent line"):
        steps_between(found, side, head)


def test_steps_are_two_processes_however_many_they_are(repository: Path, tmp_path: Path) -> None:
    lines = []
    for count in range(300):
        lines.append(f"commit refs/heads/main\ncommitter F <f@example.org> {1700000000 + count} +0000\ndata 1\nx\n")
        lines.append(f"M 100644 inline f{count % 7}\ndata {len(str(count))}\n{count}\n")
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repository, input="".join(lines), text=True, check=True)
    counter = tmp_path / "calls"
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho call >> "{counter}"\nexec "{shutil.which("git")}" "$@"\n')
    wrapper.chmod(0o755)
    found = opened(repository, PATH=f"{wrapper.parent}:{os.environ['PATH']}")
    first, last = git(repository, "rev-parse", "main~299"), git(repository, "rev-parse", "main")
    counter.unlink()
    steps = steps_between(found, first, last)
    assert [change.path for step in steps for change in step.changes] == [f"f{count % 7}" for count in range(1, 300)]
    assert counter.read_text().count("call") == 2


def test_a_parent_that_was_fetched_alone_is_the_start_of_a_line(tmp_path: Path) -> None:
    deep = deep_history(tmp_path)
    shallow = clone(deep, 1)
    parent, head = git(deep, "rev-parse", "main~1"), git(shallow, "rev-parse", "HEAD")
    git(shallow, "fetch", "-q", "--depth=1", "origin", parent)
    assert line_between(opened(shallow), parent, head) == [(head, parent)]
