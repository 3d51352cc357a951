"""Temporary folders: gone with their `with`, and those of killed processes with the next folder of their kind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flakeledger.model.errors import CannotTell
from flakeledger.store.temporary import PREFIX, temporary_base, temporary_folder

MAKES = """\
import sys
from flakeledger.store.temporary import temporary_folder
with temporary_folder(sys.argv[1]) as folder:
    open(folder + "/file", "w").close()
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_it_is_of_its_user_alone_and_goes(base: Path) -> None:
    with temporary_folder("tree") as folder:
        assert os.stat(folder).st_mode & 0o777 == 0o700
        assert Path(folder).parent == base
        (Path(folder) / "closed").mkdir(mode=0)
    with pytest.raises(KeyboardInterrupt), temporary_folder("tree"):
        raise KeyboardInterrupt
    assert names(base) == []


def made(kind: str) -> tuple[subprocess.Popen[str], str]:
    """A process that has made a folder, and the folder."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", MAKES, kind], stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def test_what_a_killed_process_left_goes_with_the_next_of_its_kind(base: Path) -> None:
    processes = dict(made(kind) for kind in ("tree", "tree", "index"))
    killed, living, other = processes
    for process in (killed, other):
        process.kill()
        process.communicate()
    told: list[str] = []
    with temporary_folder("tree", told.append) as folder:
        kept = [folder, processes[living], processes[other]]
        expected = sorted(os.path.basename(one) + end for one in kept for end in ("", ".held"))
        assert names(base) == expected
        assert told == [processes[killed]]
    living.communicate("")
    assert names(base) == sorted(os.path.basename(processes[other]) + end for end in ("", ".held"))
    with temporary_folder("index"):
        pass
    assert names(base) == []


@pytest.mark.parametrize("left", [".held", "/"], ids=["killed before the folder was made", "no file that is held"])
def test_a_process_may_be_killed_between_any_two_steps(base: Path, left: str) -> None:
    path = base / f"{PREFIX}tree-0123456789abcdef"
    if left == "/":
        path.mkdir()
    else:
        path.with_name(path.name + left).write_bytes(b"")
    with temporary_folder("tree"):
        pass
    assert names(base) == ([path.name] if left == "/" else [])


def test_a_link_in_the_place_of_a_folder_is_not_followed(base: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    trap = base / f"{PREFIX}tree-0123456789abcdef"
    trap.symlink_to(tmp_path / "mine")
    trap.with_name(f"{trap.name}.held").write_bytes(b"")
    with temporary_folder("tree"):
        pass
    assert (tmp_path / "mine").is_dir()
    assert trap.is_symlink()


def test_a_variable_that_names_no_folder_is_passed_over(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "absent"))
    monkeypatch.setenv("TEMP", str(base))
    assert temporary_base() == str(base)


def test_a_folder_in_which_nothing_can_be_made_is_said(base: Path) -> None:
    with pytest.raises(CannotTell, match="no temporary folder can be made") as refused, temporary_folder("x" * 250):
        pass
    assert "TMPDIR" in refused.value.fix
    assert names(base) == []
