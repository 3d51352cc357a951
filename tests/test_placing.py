"""Files appear whole, where nothing stood or what was read, and never through a link."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flakeledger.model.errors import CannotTell
from flakeledger.store.placing import place, place_all, read_regular, stands


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


def test_of_several_files_none_is_put_in_place_before_all_are_written(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(CannotTell, match="cannot be written: File name too long"):
        place_all(str(tmp_path), {"a": (b"old", b"new"), "x" * 250: (None, b"new")})
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a b").write_bytes(b"old")
    (tmp_path / "a b").chmod(0o444)
    with pytest.raises(CannotTell, match="a b is read-only") as refused:
        place(str(tmp_path), "a b", b"old", b"new")
    assert refused.value.fix == "chmod u+w 'a b'"
    assert os.listdir(tmp_path) == ["a b"]


def test_an_interruption_leaves_nothing_behind(tmp_path: Path) -> None:
    code = """\
import os, signal, sys
from flakeledger.store.placing import place
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGINT)
try:
    place(sys.argv[1], "a", None, b"new")
except KeyboardInterrupt:
    print("interrupted")
"""
    command = [sys.executable, "-c", code, str(tmp_path)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "interrupted\n"
    assert os.listdir(tmp_path) == []


def test_what_was_put_in_place_is_taken_back_when_the_rest_cannot_be(tmp_path: Path) -> None:
    """The second of two new files lies in a folder that lets files be written, and renamed once."""
    (tmp_path / "a").write_bytes(b"old")
    code = """\
import os, sys
from flakeledger.model.errors import CannotTell
from flakeledger.store.placing import place_all
real = os.replace
def replace(source, target):
    if target.endswith("/c"):
        raise PermissionError(13, "Permission denied")
    real(source, target)
os.replace = replace
try:
    place_all(sys.argv[1], {"a": (b"old", b"new"), "b": (None, b"new"), "c": (None, b"new")})
except CannotTell as error:
    print(error.reason)
"""
    command = [sys.executable, "-c", code, str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == "c cannot be written: Permission denied\n"
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_the_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    """As nobody, if we are somebody who may write everywhere: the folder that is there, by its name from here."""
    tmp_path.chmod(0o755)
    (tmp_path / "out").mkdir(mode=0o555)
    code = """\
import os, sys
from flakeledger.model.errors import CannotTell
from flakeledger.store.placing import place
os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.setuid(65534)
for root, path in (("out", "index.html"), ("out/new", "index.html"), ("out", "a/b/index.html")):
    try:
        place(root, path, None, b"")
    except CannotTell as error:
        print(error.fix)
"""
    command = [sys.executable, "-c", code, str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == "make its folder writable: chmod u+wx out\n" * 3


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(CannotTell, match="cannot be written"):
        place(str(tmp_path), "x" * 250, None, b"")
    assert os.listdir(tmp_path) == []
