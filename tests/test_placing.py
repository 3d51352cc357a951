"""Files appear whole, where nothing stood or what was read, and never through a link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flakeledger.model.errors import CannotTell
from flakeledger.store.placing import place, read_regular, stands


def test_a_new_file_appears_with_its_folders(tmp_path: Path) -> None:
    place(str(tmp_path), "a/b/c.txt", None, b"x\r\n")
    assert (tmp_path / "a/b/c.txt").read_bytes() == b"x\r\n"
    assert os.listdir(tmp_path / "a/b") == ["c.txt"]


def test_a_rewritten_file_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    file.chmod(0o750)
    place(str(tmp_path), "a", b"old", b"new")
    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("before", [None, b"another"])
def test_what_was_not_read_is_not_overwritten(tmp_path: Path, before: bytes | None) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(CannotTell, match="a changed while this ran"):
        place(str(tmp_path), "a", before, b"new")
    assert (tmp_path / "a").read_bytes() == b"old"


@pytest.mark.parametrize(("folder", "reason"), [("link", "a symbolic link"), ("file", "no folder")])
def test_nothing_is_written_through_what_is_no_folder(tmp_path: Path, folder: str, reason: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "link").symlink_to(outside)
    (root / "file").write_bytes(b"")
    for call in (lambda: stands(str(root), f"{folder}/a"), lambda: place(str(root), f"{folder}/a", None, b"x")):
        with pytest.raises(CannotTell, match=f"{folder} is {reason}"):
            call()
    assert os.listdir(outside) == []


def test_a_link_or_a_folder_is_no_regular_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "folder").mkdir()
    assert stands(str(tmp_path), "link")
    assert not stands(str(tmp_path), "absent/a")
    assert read_regular(str(tmp_path), "absent") is None
    for name in ("link", "folder"):
        with pytest.raises(CannotTell, match=f"{name} is no regular file"):
            read_regular(str(tmp_path), name)


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(CannotTell, match="cannot be written"):
        place(str(tmp_path), "x" * 250, None, b"")
    assert os.listdir(tmp_path) == []
