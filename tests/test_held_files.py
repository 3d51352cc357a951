"""Files that a process holds: its own while it lives, free once it is gone, however it went."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flakeledger.store.held_files import has_locks, make_held, taken_over

HOLDS = """\
import sys
from flakeledger.store.held_files import make_held
make_held(sys.argv[1], 0o600)
print("held", flush=True)
sys.stdin.read()
"""


def is_free(path: Path) -> bool:
    with taken_over(str(path)) as free:
        return free


def test_a_file_is_held_until_its_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "held"
    pipe = subprocess.PIPE
    holder = subprocess.Popen([sys.executable, "-c", HOLDS, str(path)], stdin=pipe, stdout=pipe)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert not is_free(path)
    holder.kill()
    holder.communicate()
    assert is_free(path)
    assert path.exists()


def test_a_descriptor_that_is_closed_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "held"
    descriptor = make_held(str(path), 0o600)
    assert not is_free(path)
    os.close(descriptor)
    assert is_free(path)


def test_of_two_that_take_over_one_does(tmp_path: Path) -> None:
    path = tmp_path / "held"
    path.write_bytes(b"")
    with taken_over(str(path)) as first, taken_over(str(path)) as second:
        assert (first, second) == (True, False)


def test_what_stands_there_is_not_taken_for_a_new_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"mine")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("file", "link"):
        with pytest.raises(FileExistsError):
            make_held(str(tmp_path / name), 0o600)
    assert (tmp_path / "file").read_bytes() == b"mine"


def test_only_a_regular_file_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    assert [is_free(tmp_path / name) for name in ("file", "folder", "link", "pipe", "absent")] == [True] + [False] * 4


def test_the_file_of_another_user_is_not_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert not is_free(tmp_path / "file")


def test_a_file_that_was_removed_just_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody sweeps between the making of the file and its lock, once."""
    import fcntl

    path, real, sweeps = tmp_path / "held", fcntl.flock, [1]

    def flock(descriptor: int, operation: int) -> None:
        if sweeps:
            sweeps.pop()
            path.unlink()
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    descriptor = make_held(str(path), 0o600)
    monkeypatch.undo()
    assert path.exists()
    assert os.fstat(descriptor).st_ino == path.stat().st_ino
    assert not is_free(path)
    os.close(descriptor)


def test_without_locks_nothing_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    assert not has_locks()
    os.close(make_held(str(tmp_path / "held"), 0o600))
    assert not is_free(tmp_path / "held")
