"""CODEOWNERS, bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.repo.base import INDEX
from flakeledger.repo.owners import CodeOwners
from flakeledger.repo.repository import open_repository


def owners(repository: Path, text: str, path: str, place: str = ".github/CODEOWNERS") -> tuple[str, ...]:
    file = repository / place
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    git(repository, "add", "-A")
    with open_repository(str(repository), dict(os.environ)) as opened:
        return CodeOwners.read(opened.tree(INDEX)).of(path)


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("* @all\n", "tests/test_a.py", ("@all",)),
        ("* @all\n/tests/ @org/testers me@example.org\n", "tests/test_a.py", ("@org/testers", "me@example.org")),
        ("# nobody\n", "tests/test_a.py", ()),
        ("/src/ @org/core\n", "tests/test_a.py", ()),
    ],
)
def test_who_owns_a_path(repository: Path, text: str, path: str, expected: tuple[str, ...]) -> None:
    assert owners(repository, text, path) == expected


@pytest.mark.parametrize("place", ["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"])
def test_the_file_is_found_where_the_services_look(repository: Path, place: str) -> None:
    assert owners(repository, "* @all\n", "a", place) == ("@all",)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("* @all\n" + "*a" * 5 + " @all\n", ".github/CODEOWNERS:2:1"),
        ("x" * 1001 + " @all\n", ".github/CODEOWNERS:1:1"),
        ("[abc @all\n", ".github/CODEOWNERS:1:1"),
    ],
)
def test_what_cannot_be_matched_safely_is_exit_2(repository: Path, text: str, place: str) -> None:
    with pytest.raises(CannotTell) as caught:
        owners(repository, text, "a")
    assert caught.value.place == place
