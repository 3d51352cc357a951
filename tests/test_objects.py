"""Both readers over the same real repositories: what one reads, the other reads."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git
from flakeledger.store.git_index import working_tree
from flakeledger.store.objects import (
    FOLDER_MODE,
    READS_THAT_PAY_FOR_PYGIT2,
    WINDOW,
    BatchReader,
    ObjectReader,
    Pygit2Reader,
    open_objects,
)

CONTENTS = (b"", b"text\n", b"no newline", b"\0\xff\r\n", b"missing\n", b"large " * 200_000)
MANY = READS_THAT_PAY_FOR_PYGIT2


def store(where: Path, content: bytes) -> str:
    done = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=where, input=content, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def opened(where: Path, **variables: str) -> Git:
    return Git.open(str(where), os.environ | variables)


def loose(where: Path) -> Path:
    return where


def packed(where: Path) -> Path:
    committed(where)
    git(where, "gc", "-q")
    assert not list((where / ".git" / "objects").glob("[0-9a-f][0-9a-f]"))
    return where


def alternates(where: Path) -> Path:
    git(where.parent, "clone", "-q", "--shared", str(where), "borrows")
    return where.parent / "borrows"


def linked_worktree(where: Path) -> Path:
    git(where, "commit", "-q", "--allow-empty", "-m", "start")
    git(where, "worktree", "add", "-q", "../linked")
    return where.parent / "linked"


def submodule(where: Path) -> Path:
    committed(where)
    outer = where.parent / "outer"
    git(where.parent, "init", "-q", "outer")
    git(outer, "submodule", "--quiet", "add", str(where), "inner")
    return outer / "inner"


def separate_git_dir(where: Path) -> Path:
    git(where, "init", "-q", "--separate-git-dir", "../elsewhere.git")
    return where


def subfolder(where: Path) -> Path:
    (where / "a" / "b").mkdir(parents=True)
    return where / "a" / "b"


def split_index(where: Path) -> Path:
    git(where, "update-index", "--split-index")
    return where


def sparse_index(where: Path) -> Path:
    committed(where)
    git(where, "sparse-checkout", "set", "--cone", "--sparse-index", "nothing")
    return where


def committed(where: Path) -> None:
    for number, content in enumerate(CONTENTS):
        (where / f"folder{number}").mkdir(exist_ok=True)
        (where / f"folder{number}" / "file").write_bytes(content)
    git(where, "add", "-A")
    git(where, "commit", "-qm", "contents")


SHAPES = (
    loose,
    packed,
    alternates,
    linked_worktree,
    submodule,
    separate_git_dir,
    subfolder,
    split_index,
    sparse_index,
)
READERS = (BatchReader, Pygit2Reader)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_reader_reads_every_shape_of_repository(repository: Path, shape: Callable[[Path], Path]) -> None:
    oids = {store(repository, content): content for content in CONTENTS}
    where = shape(repository)
    for reader in READERS:
        with closing(reader(opened(where))) as objects:
            assert {oid: objects.read(oid) for oid in oids} == oids
            assert dict(objects.read_many(oids)) == oids


@pytest.fixture(params=READERS)
def objects(request: pytest.FixtureRequest, repository: Path) -> Iterator[ObjectReader]:
    reader: type[BatchReader] | type[Pygit2Reader] = request.param
    with closing(reader(opened(repository))) as opened_reader:
        yield opened_reader


def test_a_missing_blob(objects: ObjectReader, repository: Path) -> None:
    here = store(repository, b"here\n")
    gone = "1234567890" * 4
    for _ in range(2):
        with pytest.raises(
            CannotTell, match=f"object {gone} cannot be read: it is missing from this repository"
        ) as refused:
            objects.read(gone)
        assert "git fsck" in refused.value.fix
        assert objects.read(here) == b"here\n"


def test_what_is_no_blob(objects: ObjectReader, repository: Path) -> None:
    committed(repository)
    here = git(repository, "rev-parse", "HEAD:folder1/file")
    for revision, kind in (("HEAD", "commit"), ("HEAD^{tree}", "tree")):
        oid = git(repository, "rev-parse", revision)
        with pytest.raises(CannotTell, match=f"object {oid} is a {kind}"):
            objects.read(oid)
        assert objects.read(here) == b"text\n"


@pytest.mark.parametrize("oid", ["", "HEAD", "main:a", "1234567", "A" * 40, "1" * 41, "1" * 40 + "\n" + "2" * 40])
def test_what_is_no_id(objects: ObjectReader, repository: Path, oid: str) -> None:
    here = store(repository, b"here\n")
    with pytest.raises(CannotTell, match="is no object id"):
        objects.read(oid)
    with pytest.raises(CannotTell, match="is no object id"):
        list(objects.read_many([here, oid]))
    assert objects.read(here) == b"here\n"


def test_a_broken_blob(objects: ObjectReader, repository: Path) -> None:
    here, broken = store(repository, b"here\n"), store(repository, b"broken\n")
    file = repository / ".git" / "objects" / broken[:2] / broken[2:]
    file.chmod(0o600)
    file.write_bytes(b"nothing that inflates")
    with pytest.raises(CannotTell, match=f"object {broken} cannot be read"):
        objects.read(broken)
    with pytest.raises(CannotTell, match=f"object {broken} cannot be read"):
        list(objects.read_many([here, broken, here]))
    assert objects.read(here) == b"here\n"


def test_many_blobs_come_in_order_and_the_rest_may_be_left(objects: ObjectReader, repository: Path) -> None:
    content = {store(repository, text): text for text in (b"%d\n" % number for number in range(WINDOW + 5))}
    large = store(repository, b"x" * 3_000_000)
    oids = [*content, *reversed(content), large]
    assert [oid for oid, _ in objects.read_many(iter(oids))] == oids
    reading = objects.read_many([large, *oids])
    assert next(reading) == (large, b"x" * 3_000_000)
    some = next(iter(content))
    assert objects.read(some) == content[some]
    reading.close()  # type: ignore[attr-defined]  # both are generators
    assert objects.read(large) == b"x" * 3_000_000
    assert list(objects.read_many([])) == []


def test_a_replaced_blob_reads_as_it_is(objects: ObjectReader, repository: Path) -> None:
    old, new = store(repository, b"old\n"), store(repository, b"new\n")
    git(repository, "replace", old, new)
    assert objects.read(old) == b"old\n"


def test_reading_does_not_follow_the_environment_of_the_process(
    objects: ObjectReader, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = store(repository, b"here\n")
    git(tmp_path, "init", "-q", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    assert objects.read(here) == b"here\n"


def test_a_reader_may_be_closed_twice(repository: Path) -> None:
    here = store(repository, b"here\n")
    for reader in READERS:
        objects = reader(opened(repository))
        assert objects.read(here) == b"here\n"
        objects.close()
        objects.close()


def test_nothing_is_started_before_the_first_read(repository: Path) -> None:
    unusable = opened(repository)._replace(environment={"PATH": "/nowhere"})
    objects = BatchReader(unusable)
    with pytest.raises(CannotTell, match="git cannot be started"):
        objects.read("1" * 40)
    objects.close()


def test_a_missing_blob_of_a_shallow_clone(repository: Path, tmp_path: Path) -> None:
    committed(repository)
    (repository / "folder1" / "file").write_text("second\n")
    git(repository, "commit", "-qam", "second")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", "shallow")
    gone = git(repository, "rev-parse", "HEAD~1:folder1/file")
    for reader in READERS:
        with closing(reader(opened(tmp_path / "shallow"))) as objects, pytest.raises(CannotTell) as refused:
            objects.read(gone)
        assert refused.value.reason == f"object {gone} cannot be read: it is missing from this shallow clone"
        assert "git fetch --unshallow" in refused.value.fix


def test_a_missing_blob_of_a_partial_clone_is_not_fetched(repository: Path, tmp_path: Path) -> None:
    committed(repository)
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repository}", "partial")
    gone = git(repository, "rev-parse", "HEAD:folder1/file")
    with closing(open_objects(opened(tmp_path / "partial"), MANY)) as objects:
        with pytest.raises(CannotTell, match=f"object {gone} cannot be read: it is missing from this partial clone"):
            objects.read(gone)
        with pytest.raises(CannotTell, match=f"object {gone} cannot be read: it is missing from this partial clone"):
            list(objects.read_many([gone]))
    assert git(tmp_path / "partial", "cat-file", "--batch-check", "--batch-all-objects").count("blob") == 0


def test_a_missing_tree_of_a_partial_clone_says_what_to_fetch(repository: Path, tmp_path: Path) -> None:
    committed(repository)
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=tree:0", "--no-checkout", f"file://{repository}", "partial")
    with pytest.raises(CannotTell) as refused:
        opened(tmp_path / "partial").tree_entries("HEAD")
    assert "git fetch --refetch --no-filter" in refused.value.fix
    git(tmp_path / "partial", "fetch", "-q", "--refetch", "--no-filter")
    assert opened(tmp_path / "partial").tree_entries("HEAD")


def test_few_reads_do_not_import_pygit2(repository: Path) -> None:
    assert isinstance(open_objects(opened(repository), MANY - 1), BatchReader)
    with closing(open_objects(opened(repository), MANY)) as objects:
        assert isinstance(objects, Pygit2Reader)


def test_git_reads_what_libgit2_refuses(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "sha256")
    git(tmp_path, "init", "-q", "strange")
    git(tmp_path / "strange", "config", "core.repositoryFormatVersion", "1")
    git(tmp_path / "strange", "config", "extensions.partialClone", "origin")
    for name in ("sha256", "strange"):
        oid = store(tmp_path / name, b"here\n")
        with closing(open_objects(opened(tmp_path / name), MANY)) as objects:
            assert isinstance(objects, BatchReader)
            assert objects.read(oid) == b"here\n"


def test_objects_that_are_not_in_the_repository_are_read_through_git(repository: Path) -> None:
    (repository / "new").write_text("new\n")
    with working_tree(opened(repository)) as on_disk, closing(open_objects(on_disk, MANY)) as objects:
        assert isinstance(objects, BatchReader)
        assert objects.read(on_disk.index_entries().entries["new"].oid) == b"new\n"


def test_folders_are_read_level_by_level(repository: Path) -> None:
    committed(repository)
    with closing(BatchReader(opened(repository))) as reader:
        root = reader.root("HEAD")
        assert root.oid == git(repository, "rev-parse", "HEAD^{tree}")
        assert set(root.entries) == {f"folder{number}" for number in range(len(CONTENTS))}
        mode, oid = root.entries["folder1"]
        assert (mode, oid) == (FOLDER_MODE, git(repository, "rev-parse", "HEAD:folder1"))
        entry = reader.folder(oid).entries["file"]
        assert (entry.mode, reader.read(entry.oid)) == ("100644", CONTENTS[1])
        assert reader.root(opened(repository).empty_tree()).entries == {}


def test_a_folder_of_a_sha256_repository(tmp_path: Path) -> None:
    where = tmp_path / "sha256"
    git(tmp_path, "init", "-q", "--object-format=sha256", "sha256")
    committed(where)
    with closing(BatchReader(opened(where))) as reader:
        assert reader.root("HEAD").entries["folder0"].oid == git(where, "rev-parse", "HEAD:folder0")


def test_what_is_no_folder_is_refused(repository: Path) -> None:
    oid = store(repository, b"text")
    with closing(BatchReader(opened(repository))) as reader:
        for act, name, words in (
            (reader.folder, oid, "not a folder"),
            (reader.folder, "HEAD", "is no object id"),
            (reader.folder, "1" * 40, "cannot be read"),
            (reader.root, "HEAD", "cannot be read"),
        ):
            with pytest.raises(CannotTell, match=words):
                act(name)
        assert reader.read(oid) == b"text"
