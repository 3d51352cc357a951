"""Edits of files: one command at a time, all or nothing, whole whenever the process is killed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import conftest
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, REPLAYS
from flakeledger.store.edits import append_lines, locked, on_disk
from flakeledger.store.git import Git
from killed_writer import COMMENT, add_row, kill_one, numbers

KILLS = 20
WRITERS, ROWS = 3, 5
SMALL_DISK = 64 << 10


@pytest.fixture
def git(repository: Path) -> Git:
    (repository / "ledgers").mkdir()
    return Git.open(str(repository), os.environ)


def write_all(git: Git, changes: dict[str, tuple[bytes | None, bytes]]) -> None:
    """One command that has read everything already."""
    with locked(git) as edits:
        edits.write(changes)


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def program(repository: Path, code: str) -> subprocess.Popen[str]:
    """A process that runs some code in the repository, with the helpers of these tests at hand."""
    begin = "import os, sys; from killed_writer import *; git = Git.open(os.curdir, os.environ)\n"
    command = [sys.executable, "-c", begin + code]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    return subprocess.Popen(command, cwd=repository, env=environment, stdout=subprocess.PIPE, text=True)


def test_files_are_written_together(git: Git, repository: Path) -> None:
    (repository / FREEZES).write_bytes(b"old")
    (repository / FREEZES).chmod(0o640)
    write_all(git, {FREEZES: (b"old", b"new"), FIXTURES: (None, b"made\r\n")})
    assert (repository / FREEZES).read_bytes() == b"new"
    assert (repository / FREEZES).stat().st_mode & 0o777 == 0o640
    assert (repository / FIXTURES).read_bytes() == b"made\r\n"
    assert names(repository / "ledgers") == ["fixtures.yaml", "freezes.yaml"]


def test_a_file_that_changed_meanwhile_keeps_every_file_as_it_is(git: Git, repository: Path) -> None:
    (repository / FREEZES).write_bytes(b"old")
    (repository / FIXTURES).write_bytes(b"somebody else was here")
    with pytest.raises(CannotTell, match=f"{FIXTURES} changed while this ran"):
        write_all(git, {FREEZES: (b"old", b"new"), FIXTURES: (b"read", b"new")})
    assert (repository / FREEZES).read_bytes() == b"old"
    assert names(repository / "ledgers") == ["fixtures.yaml", "freezes.yaml"]


@pytest.mark.parametrize(
    ("before", "after"), [(None, b"{}\n"), (b"", b"{}\n"), (b"[]\n", b"[]\n{}\n"), (b"[]", b"[]\n{}\n")]
)
def test_lines_are_added(git: Git, repository: Path, before: bytes | None, after: bytes) -> None:
    if before is not None:
        (repository / REPLAYS).write_bytes(before)
    append_lines(git, REPLAYS, b"{}\n")
    assert (repository / REPLAYS).read_bytes() == after


# the lock


def test_who_waits_too_long_is_told_for_whom(git: Git) -> None:
    waiting = locked(git, 0.1)
    with locked(git), pytest.raises(CannotTell, match=rf"process {os.getpid()}\) is editing") as refused:
        waiting.__enter__()
    assert refused.value.fix.endswith(f"kill {os.getpid()}")
    with locked(git, 0.1):
        pass


def test_a_lock_goes_with_an_error(git: Git) -> None:
    with pytest.raises(ZeroDivisionError), locked(git):
        raise ZeroDivisionError
    with locked(git, 0.1):
        pass


def test_the_lock_of_a_dead_process_is_none(git: Git, repository: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    (repository / ".git/flakeledger").mkdir()
    (repository / ".git/flakeledger/edit.lock").write_text(str(dead.pid))
    with locked(git, 0.1) as edits:
        edits.write({FREEZES: (None, b"new")})
    assert (repository / ".git/flakeledger/edit.lock").read_bytes() == b""


@pytest.mark.parametrize("trap", [".git/flakeledger", ".git/flakeledger/edit.lock"])
def test_the_lock_is_not_made_through_a_link(git: Git, repository: Path, tmp_path: Path, trap: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repository / trap).parent.mkdir(exist_ok=True)
    (repository / trap).symlink_to(outside / "made" if trap.endswith("lock") else outside)
    with pytest.raises(CannotTell, match=r"\.git/flakeledger"), locked(git):
        pass
    assert names(outside) == []


@pytest.mark.usefixtures("git")
def test_commands_at_once_lose_no_row(repository: Path) -> None:
    code = f"for number in range({{0}}, {{0}} + {ROWS}): add_row(git, number, patience=60)"
    running = [program(repository, code.format(writer * ROWS)) for writer in range(WRITERS)]
    assert [one.wait() for one in running] == [0] * WRITERS
    for one in running:
        one.communicate()
    assert numbers(repository) == list(range(WRITERS * ROWS))


@pytest.mark.usefixtures("git")
def test_without_locks_of_the_system_nothing_is_edited(repository: Path) -> None:
    code = """\
sys.modules["fcntl"] = None
try:
    add_row(git, 0)
except Exception as error:
    print(type(error).__name__, error)
"""
    done = program(repository, code)
    assert "CannotTell this system has no locks on files" in done.communicate()[0]
    assert names(repository / "ledgers") == []


# whatever happens


@pytest.mark.usefixtures("git")
def test_a_killed_writer_leaves_a_whole_ledger_and_no_lock(repository: Path) -> None:
    chance = random.Random(0)
    assert sum(kill_one(repository, chance) for _ in range(KILLS)) > 0


@pytest.fixture
def small_disk(repository: Path) -> Iterator[str]:
    """What makes the folder of the ledgers too small: a small disk mounted there, else a limit on the size of files."""
    folder = repository / "ledgers"
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", str(folder)]
    mounted = subprocess.run(mount, capture_output=True, check=False)
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({SMALL_DISK},) * 2)\n"
    try:
        yield "" if mounted.returncode == 0 else limit
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_changes_nothing(git: Git, repository: Path, small_disk: str) -> None:
    add_row(git, 0)
    before = (repository / FREEZES).read_bytes()
    code = f"""\
{small_disk}from flakeledger.model.errors import CannotTell
before = open({FREEZES!r}, "rb").read()
try:
    with locked(git) as edits:
        edits.write({{{FIXTURES!r}: (None, b"# small"), {FREEZES!r}: (before, before + {len(COMMENT)} * b"#")}})
except CannotTell as error:
    print(error.reason, "/", error.fix)
"""
    said = program(repository, code).communicate()[0]
    assert said.startswith(f"{FREEZES} cannot be written: ")
    assert said.endswith("then run this again; nothing was changed\n")
    assert (repository / FREEZES).read_bytes() == before
    assert names(repository / "ledgers") == ["freezes.yaml"]
    add_row(git, 1, patience=0.1)
    assert numbers(repository) == [0, 1]


def test_what_a_killed_process_left_goes_with_the_next_edit(git: Git, repository: Path) -> None:
    left = repository / "ledgers/.freezes.yaml.0123456789abcdef.unfinished"
    others = ["ledgers/.freezes.yaml.swp", "ledgers/.other.yaml.0123456789abcdef.unfinished"]
    for path in [left, *(repository / other for other in others)]:
        path.write_bytes(b"half of it")
    write_all(git, {FREEZES: (None, b"new")})
    assert names(repository / "ledgers") == sorted([*(Path(other).name for other in others), "freezes.yaml"])


# what is no file to be edited


def test_a_link_a_folder_and_a_read_only_file_are_refused(git: Git, repository: Path) -> None:
    (repository / "real.yaml").write_bytes(b"old")
    (repository / FREEZES).symlink_to("../real.yaml")
    (repository / FIXTURES).mkdir()
    (repository / REPLAYS).write_bytes(b"old")
    (repository / REPLAYS).chmod(0o444)
    for path, before, reason in (
        (FREEZES, b"old", "is no regular file, but a symbolic link"),
        (FIXTURES, None, "is no regular file, but a folder"),
        (REPLAYS, b"old", "is read-only"),
    ):
        with pytest.raises(CannotTell, match=f"{path} {reason}") as refused:
            write_all(git, {path: (before, b"new")})
        assert path in refused.value.fix
    assert (repository / "real.yaml").read_bytes() == (repository / REPLAYS).read_bytes() == b"old"
    assert names(repository / "ledgers") == ["fixtures.yaml", "freezes.yaml", "replays.jsonl"]


def test_a_folder_that_may_not_be_written_is_said(git: Git, repository: Path) -> None:
    """As nobody, if we are somebody who may write everywhere."""
    (repository / FREEZES).write_bytes(b"old")
    (repository / FREEZES).chmod(0o666)
    (repository / "ledgers").chmod(0o555)
    code = """\
from flakeledger.model.errors import CannotTell
from flakeledger.store.placing import place
os.chdir("ledgers")
if os.geteuid() == 0:
    os.setuid(65534)
try:
    place(".", "freezes.yaml", b"old", b"new")
except CannotTell as error:
    print(error.reason, "/", error.fix)
"""
    said = program(repository, code).communicate()[0]
    assert said == "freezes.yaml cannot be written: Permission denied / make its folder writable: chmod u+wx .\n"
    assert (repository / FREEZES).read_bytes() == b"old"
    with suppress(OSError):
        (repository / "ledgers").chmod(0o755)
    write_all(git, {FREEZES: (b"old", b"new")})


def test_nothing_is_begun_anew_that_a_sparse_work_tree_leaves_out(git: Git, repository: Path) -> None:
    (repository / REPLAYS).write_bytes(b"{}\n")
    (repository / "src").mkdir()
    (repository / "src" / "a.py").write_bytes(b"A = 1\n")
    conftest.git(repository, "add", "-A")
    conftest.git(repository, "commit", "-qm", "start")
    assert on_disk(git, REPLAYS) == b"{}\n"
    assert on_disk(git, FREEZES) is None
    conftest.git(repository, "sparse-checkout", "set", "--cone", "src")
    assert not (repository / REPLAYS).exists()
    for edit in (on_disk, lambda git, path: append_lines(git, path, b"{}\n")):
        with pytest.raises(CannotTell, match=f"git has {REPLAYS}, but this work tree leaves it out"):
            edit(git, REPLAYS)
    assert not (repository / REPLAYS).exists()
