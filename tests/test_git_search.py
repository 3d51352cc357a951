"""Which files of a tree hold a text, whatever the configuration and the attributes say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.store.git_search import Search, begin_search, search_answer
from grounds import opened

WORDS = (b"mark.frozen", b"flakeledger:")
PATTERNS = ("*.py", "*.js", "*Makefile")


def write(where: Path, path: str, data: bytes) -> None:
    file = where / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def record(where: Path) -> str:
    git(where, "add", "-A")
    git(where, "commit", "-q", "-m", "files")
    return git(where, "rev-parse", "HEAD^{tree}")


def search(where: Path, tree: str, **variables: str) -> Search:
    return search_answer(tree, begin_search(opened(where, **variables), tree, WORDS, PATTERNS))


@pytest.fixture
def tree(repository: Path) -> str:
    """A tree with files that hold a word, and files that do not or whose names do not match."""
    write(repository, "a.py", b"@pytest.mark.frozen\n")
    write(repository, "deep/er/b.js", b"// flakeledger: cite\n")
    write(repository, "deep/Makefile", b"# flakeledger: cite")
    write(repository, "none.py", b"MARK.FROZEN\nmarkXfrozen flakeledger\n")
    write(repository, "words.md", b"flakeledger:\n")
    write(repository, "null.js", b"\0\0flakeledger:\0")
    write(repository, "bytes.js", b"\xff\xfe\xe9 flakeledger:\n")
    write(repository, "line\nbreak\t.py", b"flakeledger:\n")
    (repository / os.fsdecode(b"\xe9.py")).write_bytes(b"flakeledger:\n")
    (repository / "link.py").symlink_to("a.py")
    return record(repository)


FOUND = sorted(["a.py", "deep/er/b.js", "deep/Makefile", "null.js", "bytes.js", "line\nbreak\t.py", "\udce9.py"])


def test_the_files_that_hold_a_text(repository: Path, tree: str) -> None:
    found = search(repository, tree)
    assert (sorted(found.paths), found.unreadable) == (FOUND, [])


def test_the_working_tree_and_the_index_do_not_matter(repository: Path, tree: str) -> None:
    write(repository, "a.py", b"nothing\n")
    write(repository, "new.py", b"flakeledger:\n")
    git(repository, "add", "-A")
    assert sorted(search(repository, tree).paths) == FOUND


@pytest.mark.parametrize(
    "setting",
    [
        ("grep.patternType", "perl"),
        ("grep.extendedRegexp", "true"),
        ("grep.fullName", "true"),
        ("grep.lineNumber", "true"),
        ("grep.column", "true"),
        ("grep.threads", "1"),
        ("color.ui", "always"),
        ("color.grep", "always"),
        ("core.quotePath", "true"),
        ("core.ignoreCase", "true"),
        ("submodule.recurse", "true"),
        ("diff.upper.textconv", "false"),
    ],
)
def test_configuration_does_not_matter(repository: Path, tree: str, setting: tuple[str, str]) -> None:
    git(repository, "config", *setting)
    assert sorted(search(repository, tree).paths) == FOUND


@pytest.mark.parametrize(
    "attribute", ["binary", "-diff", "-text", "diff=upper", "export-ignore", "working-tree-encoding=UTF-16"]
)
def test_an_attribute_hides_nothing(repository: Path, tree: str, attribute: str) -> None:
    git(repository, "config", "diff.upper.textconv", "false")
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "attributes").write_text(f"* {attribute}\n")
    write(repository, ".gitattributes", f"* {attribute}\n".encode())
    assert sorted(search(repository, tree).paths) == FOUND


@pytest.mark.parametrize("variable", ["GIT_LITERAL_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_GLOB_PATHSPECS"])
def test_the_environment_does_not_matter(repository: Path, tree: str, variable: str) -> None:
    assert sorted(search(repository, tree, **{variable: "1"}).paths) == FOUND


def test_nothing_found_is_an_answer(repository: Path) -> None:
    write(repository, "a.py", b"pass\n")
    assert search(repository, record(repository)) == Search([], [])


@pytest.mark.usefixtures("tree")
def test_submodules_are_not_searched(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "other")
    write(tmp_path / "other", "a.py", b"flakeledger:\n")
    record(tmp_path / "other")
    git(repository, "submodule", "add", "-q", str(tmp_path / "other"), "below")
    git(repository, "config", "submodule.recurse", "true")
    assert sorted(search(repository, record(repository)).paths) == FOUND


def test_sha256(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "long")
    write(tmp_path / "long", "a.py", b"flakeledger:\n")
    assert search(tmp_path / "long", record(tmp_path / "long")) == Search(["a.py"], [])


def test_what_is_missing_from_a_partial_clone_is_named(repository: Path, tmp_path: Path, tree: str) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repository}", "partial")
    found = search(tmp_path / "partial", tree)
    known = git(repository, "ls-tree", "-r", tree)
    assert found.unreadable
    assert all(oid in known for oid in found.unreadable)


def test_a_broken_blob_is_named(repository: Path, tree: str) -> None:
    oid = git(repository, "rev-parse", f"{tree}:a.py")
    file = repository / ".git" / "objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.unlink()
    assert search(repository, tree).unreadable == [oid]


def test_a_tree_that_is_not_here_is_cannot_tell(repository: Path, tree: str) -> None:
    with pytest.raises(CannotTell, match="git grep"):
        search(repository, tree[:-1] + ("0" if tree[-1] != "0" else "1"))
