"""Who `@me` is, by git's configuration."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import git
from flakeledger.cli.identity import me
from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git


def configured(repository: Path, *settings: tuple[str, str]) -> Git:
    for name in ("user.name", "user.email"):
        git(repository, "config", "--local", name, "")
    for name, value in settings:
        git(repository, "config", "--local", "--add", name, value)
    return Git.open(str(repository), os.environ)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ([("user.email", "finley@example.org")], ("finley@example.org",)),
        ([("user.email", "finley@example.org"), ("user.name", "Finley Moore")], ("finley@example.org",)),
        ([("user.name", "finley")], ("@finley",)),
        ([("user.email", "12+fin-m@users.noreply.github.com")], ("12+fin-m@users.noreply.github.com", "@fin-m")),
        ([("user.email", "finley@users.noreply.github.com")], ("finley@users.noreply.github.com", "@finley")),
        ([("user.email", "7-fin.m@users.noreply.gitlab.com")], ("7-fin.m@users.noreply.gitlab.com", "@fin.m")),
        ([("user.email", "f@users.noreply.github.com.example.org")], ("f@users.noreply.github.com.example.org",)),
        ([("flakeledger.me", "@fin")], ("@fin",)),
        (
            [("flakeledger.me", "@fin"), ("flakeledger.me", "@org/team"), ("user.email", "f@example.org")],
            ("@fin", "@org/team", "f@example.org"),
        ),
    ],
)  # fmt: skip
def test_who_i_am(repository: Path, settings: list[tuple[str, str]], expected: tuple[str, ...]) -> None:
    assert me(configured(repository, *settings)) == expected


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ([], "git knows nobody here"),
        ([("user.name", "Finley Moore"), ("user.email", "finley@localhost")], "git knows nobody here"),
        ([("flakeledger.me", "finley"), ("user.email", "finley@example.org")], "`finley`, which is no owner"),
    ],
)
def test_nobody_is_nobody(repository: Path, settings: list[tuple[str, str]], reason: str) -> None:
    with pytest.raises(CannotTell, match=reason) as caught:
        me(configured(repository, *settings))
    assert caught.value.fix.startswith("git config flakeledger.me @NAME")
