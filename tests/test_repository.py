"""The repository of one run."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import git
from flakeledger.repo import repository as module
from flakeledger.repo.base import INDEX
from flakeledger.repo.repository import open_repository
from flakeledger.store.git import Git
from flakeledger.store.objects import ObjectReader, open_objects


def test_many_single_reads_bring_libgit2_and_few_do_not(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        (repository / f"{number}.txt").write_text(str(number))
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "six")
    monkeypatch.setattr(module, "READS_THAT_PAY_FOR_PYGIT2", 4)
    seen: list[int] = []

    def opening(where: Git, expected: int) -> ObjectReader:
        seen.append(expected)
        return open_objects(where, 10_000)

    monkeypatch.setattr(module, "open_objects", opening)
    with open_repository(str(repository), dict(os.environ)) as opened:
        tree = opened.tree(INDEX)
        assert [tree.read(f"{number}.txt") for number in range(3)] == [b"0", b"1", b"2"]
        assert seen == []
        assert [tree.read(f"{number}.txt") for number in range(3, 6)] == [b"3", b"4", b"5"]
        assert seen == [4]


def test_a_check_of_a_small_repository_never_imports_libgit2(repository: Path) -> None:
    (repository / "a.txt").write_text("a")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "a")
    code = (
        "import sys; from flakeledger.cli.main import main; main(['check-ledgers']); "
        "print(*(name for name in sys.modules if name.split('.')[0] in ('pygit2', 'yaml', 'ruamel')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


def test_what_was_learnt_about_a_blob_is_not_read_again(repository: Path) -> None:
    (repository / "a.txt").write_text("a")
    git(repository, "add", "-A")
    oid = git(repository, "rev-parse", ":a.txt")
    digest = hashlib.sha256(b"a").hexdigest()
    with open_repository(str(repository), dict(os.environ)) as opened:
        assert opened.ledger(opened.tree(INDEX)).files.sha256(oid) == digest
    (repository / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    with open_repository(str(repository), dict(os.environ)) as opened:
        assert opened.ledger(opened.tree(INDEX)).files.sha256(oid) == digest
