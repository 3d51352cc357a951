"""Paths as people type them: from the folder they are in, never out of the repository."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from flakeledger.cli.typed_paths import repository_path
from flakeledger.model.errors import CannotTell


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a folder, a link to that folder, a link to a file, and a link out."""
    root = tmp_path / "root"
    (root / "tests" / "data").mkdir(parents=True)
    (root / "tests" / "data" / "a.json").write_text("1")
    (root / "linked").symlink_to("tests/data")
    (root / "a.json").symlink_to("tests/data/a.json")
    (root / "out").symlink_to("..")
    return root


INSIDE = (
    ("", "tests/data/a.json", "tests/data/a.json"),
    ("", "./tests//data/../data/a.json", "tests/data/a.json"),
    ("tests", "data/a.json", "tests/data/a.json"),
    ("tests/data", "../../new.json", "new.json"),
    ("", "tests/", "tests"),
    ("", ".", "."),
    ("tests", "..", "."),
    ("", "linked/a.json", "tests/data/a.json"),
    ("linked", "a.json", "tests/data/a.json"),
    ("", "a.json", "a.json"),
    ("", "not/there.json", "not/there.json"),
)


@pytest.mark.parametrize(("folder", "name", "expected"), INSIDE)
def test_a_path_starts_at_the_root(root: Path, folder: str, name: str, expected: str) -> None:
    with contextlib.chdir(root / folder):
        assert repository_path(str(root), name) == expected
        assert repository_path(str(root), f"{root}/{folder}/{name}".rstrip("/")) == expected


@pytest.mark.parametrize(
    ("folder", "name"), [("", ".."), ("", "../root2/x"), ("tests", "../../x"), ("", "/etc/passwd"), ("", "out/x")]
)
def test_no_path_leaves_the_repository(root: Path, folder: str, name: str) -> None:
    with contextlib.chdir(root / folder), pytest.raises(CannotTell, match="outside the repository"):
        repository_path(str(root), name)
