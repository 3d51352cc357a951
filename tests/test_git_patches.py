"""The difference of lines between two commits."""

from __future__ import annotations

import os
from pathlib import Path

from conftest import git
from flakeledger.store.git import Git
from flakeledger.store.git_patches import line_difference


def commit(where: Path, **files: str) -> str:
    for name, text in files.items():
        (where / name).write_text(text)
    git(where, "add", "-A")
    git(where, "commit", "-qm", "edit")
    return git(where, "rev-parse", "HEAD")


def test_the_lines_of_some_paths(repository: Path) -> None:
    base = commit(repository, a="one\ntwo\n", b="x\n")
    head = commit(repository, a="one\nthree\n", b="y\n")
    opened = Git.open(str(repository), os.environ)
    assert line_difference(opened, base, head, ["a"])[-3:] == [" one", "-two", "+three"]
    assert line_difference(opened, base, head, []) == []
    assert line_difference(opened, base, base, ["a"]) == []
    both = line_difference(opened, base, head, ["a", "b"])
    assert [line for line in both if line.startswith("diff")] == ["diff --git a/a b/a", "diff --git a/b b/b"]


def test_a_path_is_no_pattern_and_a_moved_file_is_two(repository: Path) -> None:
    base = commit(repository, **{"*": "1\n", "a": "same\n"})
    git(repository, "mv", "a", "b")
    head = commit(repository, **{"*": "2\n"})
    opened = Git.open(str(repository), os.environ)
    assert "diff --git a/* b/*" in line_difference(opened, base, head, ["*"])
    assert len([line for line in line_difference(opened, base, head, ["*"]) if line.startswith("diff")]) == 1
    assert "+same" in line_difference(opened, base, head, ["a", "b"])


def test_no_setting_changes_an_empty_line(repository: Path) -> None:
    base = commit(repository, a="one\n\nthree\n")
    head = commit(repository, a="one\n\nfour\n")
    git(repository, "config", "diff.suppressBlankEmpty", "true")
    assert line_difference(Git.open(str(repository), os.environ), base, head, ["a"])[-3:] == [" ", "-three", "+four"]


def test_bytes_that_are_no_text_are_shown_all_the_same(repository: Path) -> None:
    base = commit(repository, a="one\n")
    (repository / "a").write_bytes(b"\0\xff\n")
    head = commit(repository)
    shown = line_difference(Git.open(str(repository), os.environ), base, head, ["a"])
    assert shown[-2:] == ["-one", "+\0\udcff"]
