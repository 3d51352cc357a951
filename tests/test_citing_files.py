"""Which files of a tree may cite: what is kept and compared gives what a search of the whole tree gives."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from zlib import crc32

import pytest

from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.repo import citing_files
from flakeledger.repo.citations import WORDS
from flakeledger.repo.languages import ENDINGS
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.store.cache import FOLDER, Cache

CITE = b"# flakeledger: cite P-1\n"
NAMES = ("a.py", "b.js", "deep/c.py", "deep/er/Makefile", "d.md", "ledgers/e.yaml", "\udce9.py", "a.py/in.py")
CONTENTS = (b"", CITE, b"@pytest.mark.frozen\n", b"x = 1\n", b"\0\xff flakeledger:")


def write(where: Path, path: str, data: bytes) -> None:
    file = where / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def record(where: Path) -> str:
    git(where, "add", "-A")
    git(where, "commit", "-q", "--allow-empty", "-m", "files")
    return git(where, "rev-parse", "HEAD")


def output(where: Path, *arguments: str) -> bytes:
    """What git prints, whatever bytes it is."""
    return subprocess.run(["git", *arguments], cwd=where, capture_output=True, check=True).stdout


def found_in(repository: Repository, revision: str, *, begun: bool = True) -> list[str]:
    if begun:
        repository.begin()
        repository.begin_citations(revision)
    return repository.ledger(repository.tree(revision)).citing_files


def found(where: Path, revision: str = INDEX, *, begun: bool = True) -> list[str]:
    with open_repository(str(where), os.environ) as repository:
        return found_in(repository, revision, begun=begun)


def looked_up(where: Path, revision: str = INDEX) -> list[str]:
    """The same by looking at every file of the tree, one by one, as git lists them."""
    listing = ["ls-files", "-s", "-z"] if revision == INDEX else ["ls-tree", "-r", "-z", "--full-tree", revision]
    hits = []
    for line in filter(None, os.fsdecode(output(where, *listing)).split("\0")):
        words, _, path = line.partition("\t")
        mode, *others = words.split(" ")
        oid, stage = (others[0], others[1]) if revision == INDEX else (others[1], "0")
        ending = path.rpartition("/")[2].rpartition(".")[2]
        known = ending in ("py", "js", "yaml", "Makefile") and not path.startswith("ledgers/")
        if mode.startswith("100") and stage == "0" and known:
            data = output(where, "cat-file", "-p", oid)
            hits += [path] if b"mark.frozen" in data or b"flakeledger:" in data else []
    return sorted(hits)


def kept(where: Path) -> object:
    return Cache(str(where / ".git")).load("citing")


def test_the_stamp_is_that_of_the_words_and_the_files() -> None:
    """Write the number that this test computes, whenever it fails: what earlier runs kept means something else now."""
    said = json.dumps([[word.decode() for word in WORDS], ENDINGS]).encode()
    assert crc32(said) == citing_files.STAMP


def test_what_is_kept_is_the_tree_of_head(repository: Path) -> None:
    write(repository, "a.py", CITE)
    record(repository)
    write(repository, "b.py", CITE)
    git(repository, "add", "-A")
    assert found(repository) == ["a.py", "b.py"]
    assert kept(repository) == [citing_files.STAMP, git(repository, "rev-parse", "HEAD^{tree}"), ["a.py"]]


def test_the_whole_tree_is_searched_once(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(repository, "a.py", CITE)
    first = record(repository)
    assert found(repository) == ["a.py"]
    monkeypatch.setattr(citing_files.CitingFiles, "_begin_search", None)
    write(repository, "b.py", CITE)
    assert found(repository) == ["a.py"]
    second = record(repository)
    assert found(repository) == ["a.py", "b.py"]
    assert found(repository, first) == ["a.py"]
    assert found(repository, second, begun=False) == ["a.py", "b.py"]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        [citing_files.STAMP + 1, "tree", ["wrong.py"]],
        [citing_files.STAMP, 1, []],
        [citing_files.STAMP, "4" * 40, ["wrong.py"]],
        [citing_files.STAMP, "--help", ["wrong.py"]],
    ],
)
def test_what_is_kept_and_of_no_use_loses_time_only(repository: Path, value: object) -> None:
    write(repository, "a.py", CITE)
    record(repository)
    Cache(str(repository / ".git")).save("citing", value)
    assert found(repository) == ["a.py"]


def test_an_index_without_a_commit(repository: Path) -> None:
    write(repository, "a.py", CITE)
    write(repository, "b.py", b"")
    git(repository, "add", "-A")
    assert found(repository) == ["a.py"]


def test_many_changed_files(repository: Path) -> None:
    write(repository, "first.py", CITE)
    record(repository)
    for number in range(150):
        write(repository, f"{number:03}.py", CITE if number % 2 else b"%d" % number)
    git(repository, "add", "-A")
    assert found(repository) == [*(f"{number:03}.py" for number in range(1, 150, 2)), "first.py"]


def test_links_and_locked_files_cite_nothing_and_of_a_conflict_nobody_knows(repository: Path) -> None:
    write(repository, "a.py", b"base\n")
    write(repository, "data.py", CITE)
    write(repository, "ledgers/fixtures.yaml", b"- id: F\n  path: data.py\n  sha256: " + b"0" * 64 + b"\n")
    (repository / "link.py").symlink_to("data.py")
    record(repository)
    git(repository, "checkout", "-q", "-b", "other")
    write(repository, "a.py", CITE + b"theirs\n")
    record(repository)
    git(repository, "checkout", "-q", "main")
    write(repository, "a.py", CITE + b"ours\n")
    record(repository)
    assert found(repository) == ["a.py"]
    with pytest.raises(AssertionError, match="CONFLICT"):
        git(repository, "merge", "-q", "other")
    with pytest.raises(CannotTell, match=r"a\.py is unmerged in the index"):
        found(repository)


def test_the_files_on_disk(repository: Path) -> None:
    write(repository, "a.py", b"")
    record(repository)
    write(repository, "a.py", CITE)
    with open_repository(str(repository), os.environ, from_disk=True) as opened:
        assert found_in(opened, INDEX) == ["a.py"]
    assert found(repository) == []


@pytest.mark.parametrize("warm", [False, True])
def test_a_blob_that_a_partial_clone_lacks_is_cannot_tell(repository: Path, tmp_path: Path, warm: bool) -> None:
    write(repository, "a.py", b"x = 1\n")
    first = record(repository)
    write(repository, "a.py", CITE)
    record(repository)
    git(repository, "config", "uploadpack.allowFilter", "true")
    where = tmp_path / "partial"
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{repository}", "partial")
    if warm:
        assert found(where) == ["a.py"]
    with pytest.raises(CannotTell, match="missing from this partial clone") as error:
        found(where, first)
    assert "clone without --filter" in error.value.fix


def step(where: Path, chance: random.Random) -> None:
    """One random edit of the working tree or of where it stands."""
    path = chance.choice(NAMES)
    match chance.randrange(10):
        case 0 | 1:
            with_removed = where / path
            if with_removed.is_file() or with_removed.is_symlink():
                with_removed.unlink()
        case 2:
            shutil.rmtree(where / "deep", ignore_errors=True)
        case 3:
            git(where, "checkout", "-q", "-f", chance.choice(git(where, "rev-list", "--all").split()))
        case _:
            for above in (where / path, *(where / path).parents):
                if above.is_file() or above.is_symlink():
                    above.unlink()
            if (where / path).is_dir():
                shutil.rmtree(where / path)
            if chance.randrange(8):
                write(where, path, chance.choice(CONTENTS))
                (where / path).chmod(chance.choice((0o644, 0o755)))
            else:
                (where / path).parent.mkdir(parents=True, exist_ok=True)
                (where / path).symlink_to("d.md")


@pytest.mark.parametrize("seed", range(4))
def test_random_histories(repository: Path, seed: int) -> None:
    """Incremental answers, about commits and about what is staged, against a look at every file."""
    chance = random.Random(seed)
    write(repository, "d.md", CITE)
    record(repository)
    for _ in range(12):
        for _ in range(chance.randrange(1, 4)):
            step(repository, chance)
        git(repository, "add", "-A")
        if chance.randrange(3) == 0:
            record(repository)
        if chance.randrange(6) == 0:
            shutil.rmtree(repository / ".git" / FOLDER, ignore_errors=True)
        revision = chance.choice(git(repository, "rev-list", "--all").split())
        with open_repository(str(repository), os.environ) as opened:
            assert found_in(opened, INDEX) == looked_up(repository)
            assert found_in(opened, revision, begun=False) == looked_up(repository, revision)
