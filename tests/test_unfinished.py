"""Unfinished files: beside their place, whole, and gone however the writing ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flakeledger.store.unfinished import sweep, sweep_folder, unfinished

LEFT, OTHER = ".a.0123456789abcdef.unfinished", ".b.0123456789abcdef.unfinished"
NO_NAMES = (".a.unfinished", "a.0123456789abcdef.unfinished", ".a.0123456789ABCDEF.unfinished", ".a.01.unfinished.x")
DIES = """\
import os, sys
from flakeledger.store.unfinished import unfinished
with unfinished(sys.argv[1], b"half", durable=False) as path:
    print(path, flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("durable", [True, False])
def test_it_is_whole_beside_its_place_and_may_be_renamed(tmp_path: Path, durable: bool) -> None:
    target = tmp_path / "a"
    with unfinished(str(target), b"x\r\n", 0o640, durable=durable) as path:
        assert Path(path).read_bytes() == b"x\r\n"
        assert Path(path).stat().st_mode & 0o777 == 0o640
        assert Path(path).parent == tmp_path
        os.replace(path, target)
    assert os.listdir(tmp_path) == ["a"]
    assert target.read_bytes() == b"x\r\n"


def test_it_goes_when_it_was_not_renamed(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), unfinished(str(tmp_path / "a"), b"x", durable=True):
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


def test_only_what_was_left_over_of_this_file_is_swept(tmp_path: Path) -> None:
    for name in ("a", LEFT, OTHER, *NO_NAMES):
        (tmp_path / name).write_bytes(b"")
    sweep(str(tmp_path / "a"))
    sweep(str(tmp_path / "absent" / "a"))
    assert sorted(os.listdir(tmp_path)) == sorted(["a", OTHER, *NO_NAMES])


def test_in_a_folder_of_our_own_whatever_was_left_over_is_swept(tmp_path: Path) -> None:
    for name in ("a", LEFT, OTHER, *NO_NAMES):
        (tmp_path / name).write_bytes(b"")
    sweep_folder(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == sorted(["a", *NO_NAMES])


def test_that_of_a_living_process_stays_and_that_of_a_killed_one_goes(tmp_path: Path) -> None:
    target, pipe = tmp_path / "a", subprocess.PIPE
    writer = subprocess.Popen([sys.executable, "-c", DIES, str(target)], stdin=pipe, stdout=pipe, text=True)
    assert writer.stdout is not None
    path = writer.stdout.readline().strip()
    with unfinished(str(target), b"ours", durable=False) as ours:
        assert sorted(os.listdir(tmp_path)) == sorted([os.path.basename(one) for one in (path, ours)])
    writer.kill()
    writer.communicate()
    assert os.listdir(tmp_path) == [os.path.basename(path)]
    with unfinished(str(target), b"ours", durable=False) as ours:
        os.replace(ours, target)
    assert os.listdir(tmp_path) == ["a"]


def test_a_system_without_locks_renames_a_file_that_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, where an open file cannot be renamed."""
    monkeypatch.setitem(sys.modules, "fcntl", None)
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    with unfinished(str(tmp_path / "a"), b"x", durable=True) as path:
        if before:
            assert len(os.listdir("/proc/self/fd")) == len(before)
        os.replace(path, tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"x"
