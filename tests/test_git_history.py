"""The versions of one path, of real histories."""

from __future__ import annotations

from pathlib import Path

import pytest

import grounds
from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.store.git_history import PathVersion, newest_commit_touching, path_history, path_versions
from grounds import clone, deep_history, opened

PATH = "folder/file"


def commit(root: Path, text: str | None, message: str = "commit") -> str:
    """A commit with that text at the path (None: nothing there); gives its id."""
    file = root / PATH
    if text is None:
        git(root, "rm", "-q", PATH)
    else:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD")


def blob(root: Path, revision: str) -> str:
    return git(root, "rev-parse", f"{revision}:{PATH}")


def versions(root: Path, *starts: str) -> list[PathVersion]:
    found = path_history(opened(root), starts, PATH)
    assert found.cut_off is None
    return list(found.versions)


def test_a_line_of_versions_newest_first(repository: Path) -> None:
    one = commit(repository, "a\n")
    (repository / "other").write_text("x\n")
    commit(repository, "a\n", "another path")
    two = commit(repository, "b\n")
    first, second = blob(repository, one), blob(repository, two)
    gone = commit(repository, None)
    again = commit(repository, "a\n")
    assert versions(repository, "HEAD") == [
        PathVersion(again, ("",), first),
        PathVersion(gone, (second,), ""),
        PathVersion(two, (first,), second),
        PathVersion(one, ("",), first),
    ]
    assert versions(repository, gone) == versions(repository, "HEAD")[1:]


def test_a_path_that_never_was_has_no_version(repository: Path) -> None:
    (repository / "other").write_text("x\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "other")
    assert versions(repository, "HEAD") == []


def diverged(root: Path) -> tuple[str, str]:
    """The path changed on two branches; HEAD is on main. Gives both commits."""
    commit(root, "1\n2\n3\n4\n5\n")
    git(root, "switch", "-q", "-c", "side")
    side = commit(root, "1\n2\n3\n4\nside\n")
    git(root, "switch", "-q", "main")
    return commit(root, "main\n2\n3\n4\n5\n"), side


def test_a_merge_of_two_versions_names_both(repository: Path) -> None:
    main, side = diverged(repository)
    git(repository, "merge", "-q", "--no-edit", "side")
    merge, *others = versions(repository, "HEAD")
    assert merge == PathVersion(
        git(repository, "rev-parse", "HEAD"), (blob(repository, main), blob(repository, side)), blob(repository, "HEAD")
    )
    assert {version.commit for version in others[:2]} == {main, side}


def test_a_merge_that_took_one_side_is_no_version_of_its_own_but_the_other_side_counts(repository: Path) -> None:
    main, side = diverged(repository)
    git(repository, "merge", "-q", "--no-edit", "-s", "ours", "side")
    assert {version.commit for version in versions(repository, "HEAD")[:2]} == {main, side}


def test_several_starts_count_together(repository: Path) -> None:
    main, side = diverged(repository)
    assert {version.commit for version in versions(repository, main, side)[:2]} == {main, side}


def test_children_stand_before_their_parents_whatever_their_dates_say(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for number, year in enumerate(("2030", "1999", "2020", "1980")):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{year}-01-01T00:00:00Z")
        made.append(commit(repository, f"{number}\n"))
    assert [version.commit for version in versions(repository, "HEAD")] == made[::-1]


def test_a_link_and_a_folder_are_no_versions(repository: Path) -> None:
    one = commit(repository, "a\n")
    first = blob(repository, one)
    (repository / PATH).unlink()
    (repository / PATH).symlink_to("elsewhere")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "link")
    (repository / PATH).unlink()
    (repository / PATH).mkdir()
    (repository / PATH / "below").write_text("b\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "folder")
    assert [(found.before, found.after) for found in versions(repository, "HEAD")] == [
        (("",), ""),
        ((first,), ""),
        (("",), first),
    ]


def test_a_shallow_clone_gives_what_it_has_and_then_cannot_tell(repository: Path, tmp_path: Path) -> None:
    for number in range(5):
        commit(repository, f"{number}\n")
    git(tmp_path, "clone", "-q", "--depth=3", f"file://{repository}", "shallow")
    known, cut_off = path_history(opened(tmp_path / "shallow"), ["HEAD"], PATH)
    assert [blob(repository, version.commit) for version in known] == [
        blob(repository, "HEAD"),
        blob(repository, "HEAD~1"),
    ]
    assert str(cut_off) == f"the clone is too shallow to know the earlier versions of {PATH}"


def test_what_git_cannot_read_is_told_and_not_taken_for_no_history(repository: Path) -> None:
    commit(repository, "a\n")
    found = path_history(opened(repository), ["no-such-branch"], PATH)
    assert found.versions == ()
    assert "no-such-branch" in str(found.cut_off)


def test_without_starts_there_is_no_history(repository: Path) -> None:
    assert path_history(opened(repository), [], PATH) == ((), None)


def test_a_shallow_boundary_elsewhere_hides_nothing(repository: Path, tmp_path: Path) -> None:
    for number in range(3):
        commit(repository, f"{number}\n")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", "shallow")
    clone = tmp_path / "shallow"
    git(clone, "switch", "-q", "--orphan", "alone")
    only = commit(clone, "own\n")
    assert versions(clone, "HEAD") == [PathVersion(only, ("",), blob(clone, only))]


def test_records_of_an_octopus() -> None:
    out = b"c1\0:::100644 100644 120000 100755 a b c d MMM\0p\0c2\0:000000 100644 0 e A\0p\0"
    assert list(path_versions(out, "p")) == [PathVersion("c1", ("a", "b", ""), "d"), PathVersion("c2", ("",), "e")]


def test_a_boundary_that_cannot_be_read_is_cannot_tell(tmp_path: Path) -> None:
    deep = deep_history(tmp_path)
    shallow = clone(deep, 2)
    found = opened(shallow)._replace(shallow_path=str(shallow / "gone"))
    with pytest.raises(CannotTell, match="where this shallow clone ends cannot be read"):
        newest_commit_touching(found, "HEAD", "file0")


def test_newest_commit_touching(repository: Path) -> None:
    first = grounds.commit(repository, "a", "1\n")
    second = grounds.commit(repository, "b", "1\n")
    git(repository, "rm", "-q", "a")
    git(repository, "commit", "-qm", "remove a")
    third = git(repository, "rev-parse", "HEAD")
    found = opened(repository)
    assert newest_commit_touching(found, second, "a") == first
    assert newest_commit_touching(found, third, "a") == third
    assert newest_commit_touching(found, third, "never") is None


def test_newest_commit_touching_is_the_merge_that_dropped_what_a_side_had(repository: Path) -> None:
    grounds.commit(repository, "a", "1\n")
    git(repository, "checkout", "-q", "-b", "adopts")
    grounds.commit(repository, "policy", "1\n")
    git(repository, "checkout", "-q", "main")
    grounds.commit(repository, "b", "1\n")
    git(repository, "merge", "-q", "-s", "ours", "-m", "drop it", "adopts")
    head = git(repository, "rev-parse", "HEAD")
    later = grounds.commit(repository, "b", "2\n")
    assert git(repository, "rev-list", "-1", "HEAD", "--", "policy") == ""  # git's short cut through history
    assert newest_commit_touching(opened(repository), later, "policy") == head


def test_a_shallow_clone_does_not_know_that_nobody_touched_a_path(tmp_path: Path) -> None:
    deep = deep_history(tmp_path)
    shallow = clone(deep, 2)
    head, boundary = git(shallow, "rev-parse", "HEAD"), git(shallow, "rev-parse", "HEAD~1")
    found = opened(shallow)
    assert newest_commit_touching(found, head, "file3") == head
    for path in ("never", "file0"):
        assert path == "never" or git(shallow, "rev-list", "-1", "HEAD", "--", path) == boundary
        with pytest.raises(CannotTell, match="too shallow"):
            newest_commit_touching(found, head, path)
