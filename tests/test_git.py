"""What git says about real repositories, through store/git.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.store.git import PathChange, TreeEntry
from flakeledger.store.git_history import newest_commit_touching
from flakeledger.store.git_line import steps_between
from grounds import clone, commit, conflict, deep_history, opened, write

EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


# opening


def test_open_says_where_everything_is(repository: Path) -> None:
    inside = repository / "sub" / "folder"
    inside.mkdir(parents=True)
    found = opened(inside)
    assert found.root == str(repository)
    assert found.git_dir == str(repository / ".git")
    assert (found.shallow, found.object_format) == (False, "sha1")


def test_open_refuses_what_is_no_repository(tmp_path: Path) -> None:
    with pytest.raises(CannotTell, match="not a git repository") as refused:
        opened(tmp_path)
    assert "git init" in refused.value.fix


def test_open_refuses_a_bare_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    with pytest.raises(CannotTell, match="is a bare repository"):
        opened(tmp_path / "bare.git")


def test_open_refuses_the_inside_of_a_git_directory(repository: Path) -> None:
    with pytest.raises(CannotTell, match="must be run in a work tree"):
        opened(repository / ".git")


def test_open_refuses_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CannotTell, match="git cannot be started"):
        opened(tmp_path / "nowhere")


def test_open_gives_the_fix_for_another_owner_literally(repository: Path) -> None:
    with pytest.raises(CannotTell, match="dubious ownership") as refused:
        opened(repository, GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    assert refused.value.fix == f"git config --global --add safe.directory {repository}"


def test_open_refuses_a_path_with_a_line_break(tmp_path: Path) -> None:
    (tmp_path / "two\nlines").mkdir()
    git(tmp_path / "two\nlines", "init", "-q")
    with pytest.raises(CannotTell, match="line break"):
        opened(tmp_path / "two\nlines")


def test_run_says_what_failed_and_why(repository: Path) -> None:
    with pytest.raises(CannotTell, match=r"git cat-file -p nothing failed: fatal: Not a valid object name nothing"):
        opened(repository).run("cat-file", "-p", "nothing")


def test_variables_that_change_answers_are_dropped(repository: Path) -> None:
    first = commit(repository, "Name", "a\n")
    found = opened(repository, GIT_ICASE_PATHSPECS="1", GIT_EXTERNAL_DIFF="false", GIT_TRACE="1")
    assert newest_commit_touching(found, first, "Name") == first
    assert newest_commit_touching(found, first, "name") is None


def test_variables_that_hide_configuration_and_history_are_dropped(repository: Path, tmp_path: Path) -> None:
    commit(repository, "a", "1\n")
    head = commit(repository, "a", "2\n")
    git(repository, "config", "flakeledger.base", "main")
    (tmp_path / "other").write_text("[flakeledger]\n\tbase = other\n")
    (tmp_path / "shallow").write_text(f"{head}\n")
    variables = {"GIT_CONFIG": str(tmp_path / "other"), "GIT_SHALLOW_FILE": str(tmp_path / "shallow")}
    assert git(repository, "config", "flakeledger.base", environment=variables) == "other"
    assert git(repository, "rev-list", "--count", "HEAD", environment=variables) == "1"
    found = opened(repository, **variables)
    assert found.config("flakeledger.base") == "main"
    assert not found.shallow
    assert found.run("rev-list", "--count", "HEAD") == b"2\n"


def test_pathspecs_are_literal(repository: Path) -> None:
    commit(repository, "star/a", "a\n")
    assert opened(repository).index_entries(("s*",)).entries == {}
    assert list(opened(repository).index_entries(("star",)).entries) == ["star/a"]


def test_config(repository: Path) -> None:
    git(repository, "config", "flakeledger.base", "two\nlines")
    assert opened(repository).config("flakeledger.base") == "two\nlines"
    assert opened(repository).config("flakeledger.nothing") is None


# history


def test_commit_resolves_whatever_names_one(repository: Path) -> None:
    first = commit(repository, "a", "1\n")
    second = commit(repository, "a", "2\n")
    git(repository, "tag", "-a", "-m", "a tag", "v1", first)
    found = opened(repository)
    expected = {
        "HEAD": second,
        "HEAD~1": first,
        "v1": first,
        second[:10]: second,
        "main": second,
        "HEAD~2": None,
        "HEAD:a": None,
        "HEAD^{tree}": None,
        "no such thing": None,
        "--all": None,
        "": None,
        "HEAD\nHEAD": None,
        "0" * 40: None,
        "commit": None,
        "\udcff": None,
    }
    assert dict(zip(expected, found.commits(list(expected)), strict=True)) == expected


def test_commit_needs_its_tree(repository: Path) -> None:
    first = commit(repository, "a", "1\n")
    commit(repository, "a", "2\n")
    tree = git(repository, "rev-parse", f"{first}^{{tree}}")
    (repository / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    found = opened(repository)
    assert found.commit(first) is None
    assert found.parents(found.head() or "") == [first]


def test_a_broken_object_is_no_unknown_revision(repository: Path) -> None:
    first = commit(repository, "a", "1\n")
    broken = repository / ".git" / "objects" / first[:2] / first[2:]
    broken.chmod(0o600)
    broken.write_bytes(b"nothing that git can inflate")
    with pytest.raises(CannotTell, match=first):
        opened(repository).commit("HEAD")


def test_a_name_of_two_things_is_what_git_takes_it_for(repository: Path) -> None:
    first = commit(repository, "a", "1\n")
    second = commit(repository, "a", "2\n")
    git(repository, "tag", "same", first)
    git(repository, "branch", "same", second)
    assert opened(repository).commits(["same", "missing"]) == [first, None]


def test_head_is_none_only_before_the_first_commit(repository: Path) -> None:
    assert opened(repository).head() is None
    first = commit(repository, "a", "1\n")
    assert opened(repository).head() == first
    git(repository, "checkout", "-q", "--orphan", "fresh")
    assert opened(repository).head() is None


@pytest.mark.parametrize("content", ["1234567890123456789012345678901234567890\n", "no commit id\n", ""])
def test_a_broken_head_is_no_first_commit(repository: Path, content: str) -> None:
    commit(repository, "a", "1\n")
    (repository / ".git" / "refs" / "heads" / "main").write_text(content)
    with pytest.raises(CannotTell):
        opened(repository).head()


def test_branch(repository: Path) -> None:
    assert opened(repository).branch() == "refs/heads/main"
    commit(repository, "a", "1\n")
    git(repository, "checkout", "-q", "--detach")
    assert opened(repository).branch() is None


def test_symbolic_target(repository: Path) -> None:
    commit(repository, "a", "1\n")
    git(repository, "update-ref", "refs/remotes/origin/develop", "HEAD")
    assert opened(repository).symbolic_target("refs/remotes/origin/HEAD") is None
    git(repository, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
    assert opened(repository).symbolic_target("refs/remotes/origin/HEAD") == "refs/remotes/origin/develop"


def test_parents_and_steps_ignore_replacements_and_grafts(repository: Path) -> None:
    first = commit(repository, "a", "1\n")
    second = commit(repository, "a", "2\n")
    third = commit(repository, "a", "3\n")
    git(repository, "replace", "--graft", third, first)
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "grafts").write_text(f"{third} {first}\n")
    found = opened(repository)
    assert found.parents(third) == [second]
    assert [step.commit for step in steps_between(found, first, third)] == [second, third]


def test_merge_base(repository: Path) -> None:
    base = commit(repository, "a", "1\n")
    git(repository, "checkout", "-q", "-b", "side")
    side = commit(repository, "b", "1\n")
    git(repository, "checkout", "-q", "main")
    main = commit(repository, "c", "1\n")
    git(repository, "checkout", "-q", "--orphan", "other")
    unrelated = commit(repository, "d", "1\n")
    found = opened(repository)
    assert found.merge_base(side, main) == base
    assert found.merge_base(base, main) == base
    assert found.merge_base(unrelated, main) is None


def test_branches_that_merged_each_other_have_two_merge_bases(repository: Path) -> None:
    commit(repository, "a", "1\n")
    git(repository, "checkout", "-q", "-b", "side")
    side = commit(repository, "b", "1\n")
    git(repository, "checkout", "-q", "main")
    main = commit(repository, "c", "1\n")
    git(repository, "merge", "-q", "-m", "crossed", side)
    git(repository, "checkout", "-q", "side")
    git(repository, "merge", "-q", "-m", "crossed", main)
    found = opened(repository)
    assert set(found.merge_bases("main", "side")) == {main, side}
    assert found.merge_base("main", "side") in (main, side)
    assert found.merge_bases(main, "side") == [main]


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    return deep_history(tmp_path)


def test_a_shallow_clone_does_not_know_a_merge_base_that_it_may_lack(deep: Path) -> None:
    shallow = clone(deep, 2, "--no-single-branch")
    found = opened(shallow)
    main, side = git(shallow, "rev-parse", "origin/main"), git(shallow, "rev-parse", "origin/side")
    assert found.shallow
    assert found.merge_base(git(deep, "rev-parse", "main~1"), main) == git(deep, "rev-parse", "main~1")
    with pytest.raises(CannotTell, match="too shallow") as refused:
        found.merge_base(side, main)
    assert "fetch --unshallow" in refused.value.fix


def test_a_parent_that_was_fetched_alone_is_known_as_the_merge_base(deep: Path) -> None:
    shallow = clone(deep, 1)
    parent = git(deep, "rev-parse", "main~1")
    git(shallow, "fetch", "-q", "--depth=1", "origin", parent)
    found = opened(shallow)
    head = git(shallow, "rev-parse", "HEAD")
    assert found.merge_base(parent, head) == parent


def test_parents_are_those_of_the_commit_not_of_the_shallow_view(deep: Path) -> None:
    shallow = clone(deep, 1)
    head = git(shallow, "rev-parse", "HEAD")
    assert git(shallow, "rev-list", "--parents", "HEAD") == head
    assert opened(shallow).parents(head) == [git(deep, "rev-parse", "main~1")]
    assert opened(shallow).commit("HEAD~1") is None


def test_merge_heads(repository: Path) -> None:
    assert opened(repository).merge_heads() == []
    head, other = conflict(repository)
    assert opened(repository).merge_heads() == [other]
    git(repository, "merge", "--abort")
    assert opened(repository).merge_heads() == []
    assert opened(repository, **{f"GITHEAD_{other}": "other"}).merge_heads() == [other]
    assert opened(repository, **{f"GITHEAD_{head}": "left over"}).merge_heads() == []


def test_merge_heads_that_cannot_be_read(repository: Path) -> None:
    (repository / ".git" / "MERGE_HEAD").mkdir()
    with pytest.raises(CannotTell, match="MERGE_HEAD cannot be read"):
        opened(repository).merge_heads()


# trees and the index


def test_trees_and_index_list_every_path_as_it_is_named(repository: Path) -> None:
    names = ["plain", "with space", "tab\tand\nline", "ümlaut", 'quo"te', os.fsdecode(b"latin-\xe9"), "d/e/f"]
    blobs = {name: write(repository, name, f"{number}\n") for number, name in enumerate(names)}
    (repository / "link").symlink_to("plain")
    (repository / "plain").chmod(0o755)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "names")
    expected = {name: TreeEntry("100644", oid) for name, oid in blobs.items()}
    expected["plain"] = TreeEntry("100755", blobs["plain"])
    link = git(repository, "rev-parse", "HEAD:link")
    expected["link"] = TreeEntry("120000", link)
    found = opened(repository / "d")
    assert found.index_entries() == (expected, {})
    assert found.tree_entries("HEAD") == expected
    assert found.tree_entries("HEAD", ("d", "plain", "missing")) == {
        name: expected[name] for name in ("d/e/f", "plain")
    }
    added = [PathChange(name, "", "", *entry) for name, entry in expected.items()]
    assert sorted(found.tree_changes(found.empty_tree(), "HEAD")) == sorted(added)
    assert found.tree_entries(found.empty_tree()) == {}


def test_index_changes(repository: Path) -> None:
    for path in ("kept", "edited", "removed", "moved", "turned", "run"):
        write(repository, path, f"{path}\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "start")
    before = {
        path: git(repository, "rev-parse", f"HEAD:{path}") for path in ("edited", "removed", "moved", "turned", "run")
    }
    edited = write(repository, "edited", "other\n")
    (repository / "removed").unlink()
    (repository / "moved").rename(repository / "target")
    (repository / "turned").unlink()
    (repository / "turned").symlink_to("kept")
    (repository / "run").chmod(0o755)
    git(repository, "add", "-A")
    write(repository, "edited", "not staged\n")
    turned = git(repository, "rev-parse", ":turned")
    found = opened(repository)
    assert found.index_changes("HEAD") == [
        PathChange("edited", "100644", before["edited"], "100644", edited),
        PathChange("moved", "100644", before["moved"], "", ""),
        PathChange("removed", "100644", before["removed"], "", ""),
        PathChange("run", "100644", before["run"], "100755", before["run"]),
        PathChange("target", "", "", "100644", before["moved"]),
        PathChange("turned", "100644", before["turned"], "120000", turned),
    ]
    assert found.index_differs("HEAD")
    git(repository, "reset", "-q")
    assert not found.index_differs("HEAD")
    assert found.index_changes("HEAD") == []


def test_an_unmerged_path_is_never_lost(repository: Path) -> None:
    commit(repository, "clean", "1\n")
    conflict(repository)
    found = opened(repository)
    stages = {1: "main~1:both", 2: "main:both", 3: "other:both"}
    expected = {stage: TreeEntry("100644", git(repository, "rev-parse", name)) for stage, name in stages.items()}
    listing = found.index_entries()
    assert list(listing.entries) == ["clean"]
    assert listing.unmerged == {"both": expected}
    assert found.index_changes("HEAD") == [PathChange("both", "100644", expected[2].oid, "", "", unmerged=True)]
    assert found.index_differs("HEAD")


def test_an_intent_to_add_is_not_in_the_index(repository: Path) -> None:
    commit(repository, "package/__init__.py", "")
    commit(repository, "reborn", "")
    write(repository, "announced", "not yet\n")
    write(repository, "really_empty", "")
    git(repository, "add", "really_empty")
    assert list(opened(repository).index_entries().entries) == ["package/__init__.py", "really_empty", "reborn"]
    git(repository, "rm", "-q", "--cached", "reborn")
    git(repository, "add", "-N", "announced", "reborn")
    found = opened(repository)
    empty = TreeEntry("100644", EMPTY_BLOB)
    assert found.index_entries().entries == {"package/__init__.py": empty, "really_empty": empty}
    assert found.index_entries(("announced", "really_empty")).entries == {"really_empty": empty}
    assert found.index_changes("HEAD") == [
        PathChange("really_empty", "", "", *empty),
        PathChange("reborn", *empty, "", ""),
    ]


def test_an_intent_to_add_before_the_first_commit(repository: Path) -> None:
    write(repository, "announced", "not yet\n")
    git(repository, "add", "-N", "announced")
    assert opened(repository).index_entries().entries == {}


def test_a_sparse_index_is_read_in_full(repository: Path) -> None:
    commit(repository, "in/a", "1\n")
    commit(repository, "out/b", "1\n")
    git(repository, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    assert "out/" in git(repository, "ls-files", "--sparse")
    assert list(opened(repository).index_entries().entries) == ["in/a", "out/b"]
    assert opened(repository).unstaged(("in", "out")) == []


def test_files_that_the_work_tree_leaves_out(repository: Path) -> None:
    commit(repository, "in/a", "1\n")
    commit(repository, "out/b", "1\n")
    commit(repository, "c", "1\n")
    assert opened(repository).off_disk(("in", "out", "c")) == []
    git(repository, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    assert opened(repository).off_disk(("in", "out", "c")) == ["out/b"]
    write(repository, "out/b", "written all the same\n")
    assert opened(repository).off_disk(("out/b",)) == []
    git(repository, "update-index", "--assume-unchanged", "c")
    (repository / "c").unlink()
    (repository / "in" / "a").unlink()  # a deletion that git sees is one
    assert opened(repository).off_disk(("in/a", "c")) == ["c"]


def test_a_split_index_is_read_in_full(repository: Path) -> None:
    commit(repository, "a", "1\n")
    git(repository, "update-index", "--split-index")
    write(repository, "b", "1\n")
    git(repository, "add", "b")
    assert list(opened(repository).index_entries().entries) == ["a", "b"]


def test_the_index_of_a_hook_counts_also_from_a_subfolder(repository: Path) -> None:
    commit(repository, "sub/a", "1\n")
    write(repository, "sub/b", "1\n")
    other = {"GIT_INDEX_FILE": ".git/other-index"}  # as git gives it to a hook: relative to the root
    git(repository, "read-tree", "HEAD", environment=other)
    git(repository, "add", "sub/b", environment=other)
    found = opened(repository / "sub", **other)
    assert [change.path for change in found.index_changes("HEAD")] == ["sub/b"]
    assert [change.path for change in opened(repository).index_changes("HEAD")] == []


def test_a_git_dir_and_a_work_tree_from_the_environment(repository: Path, tmp_path: Path) -> None:
    commit(repository, "a", "1\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a").write_text("2\n")
    (elsewhere / "sub").mkdir()
    found = opened(tmp_path, GIT_DIR="repository/.git", GIT_WORK_TREE="elsewhere")
    assert (found.root, found.git_dir) == (str(elsewhere), str(repository / ".git"))
    assert found.unstaged(("a",)) == ["a"]
    assert found.head() == git(repository, "rev-parse", "HEAD")


def test_unstaged(repository: Path) -> None:
    for path in ("ledgers/same", "ledgers/touched", "ledgers/edited", "ledgers/gone", "elsewhere"):
        write(repository, path, f"{path}\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "start")
    os.utime(repository / "ledgers" / "touched", (1, 1))
    write(repository, "ledgers/edited", "edited\n")
    write(repository, "elsewhere", "edited\n")
    write(repository, "ledgers/new", "new\n")
    (repository / "ledgers" / "gone").unlink()
    assert opened(repository).unstaged(("ledgers/",)) == ["ledgers/edited", "ledgers/gone", "ledgers/new"]


def test_sha256(tmp_path: Path) -> None:
    where = tmp_path / "sha256"
    git(tmp_path, "init", "-q", "--object-format=sha256", str(where))
    first = commit(where, "__init__.py", "")
    write(where, "announced", "later\n")
    git(where, "add", "-N", "announced")
    found = opened(where)
    assert (found.head(), len(first)) == (first, 64)
    assert list(found.index_entries().entries) == ["__init__.py"]
    assert found.empty_tree() == git(where, "hash-object", "-t", "tree", "--stdin", environment={})
    assert [change.path for change in found.tree_changes(found.empty_tree(), "HEAD")] == ["__init__.py"]


def test_a_git_beside_us_answers_when_it_is_asked(repository: Path) -> None:
    """More than a pipe holds, so that it would wait for us if its output were one."""
    for number in range(3_000):
        (repository / f"{number:060}").touch()
    found = opened(repository)
    one, other = found.begin_unstaged(()), found.begin("ls-files", "-o", "-z")
    assert len(found.unstaged((), one)) == 3_000
    assert other.answer().count(b"\0") == 3_000


def test_a_git_beside_us_that_fails_is_cannot_tell(repository: Path) -> None:
    with pytest.raises(CannotTell, match=r"git cat-file -e 1{40} failed"):
        opened(repository).begin("cat-file", "-e", "1" * 40).answer()


def test_a_git_beside_us_that_nobody_asks_is_ended(repository: Path) -> None:
    underway = opened(repository).begin("hash-object", "--stdin")
    underway.close()
    underway.close()
