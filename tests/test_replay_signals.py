"""Replays that are interrupted or killed: what is kept, and that nothing is left running or lying about."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from commands import TOOL, typed
from flakeledger.model.ledger_paths import REPLAYS
from replayable import QUICKLY, lines, replay_process, replayable, temporary_folder, wait_until
from replaying import are_gone, processes_with
from world import REFUND, TESTS, TOTAL, Templates, World

#: notes each run in a file outside of the repository, and waits where the file `wait` stands beside it
CODE = '''\
"""property_id: PROP-1"""
import os, time
NOTES = os.environ["NOTES"]
def note(name):
    with open(f"{NOTES}/{name}", "a") as file:
        file.write("run\\n")
    while os.path.exists(f"{NOTES}/wait") and len(open(f"{NOTES}/{name}").readlines()) > 2:
        time.sleep(0.02)
def test_refund():
    note("refund")
def test_total():
    note("total")
'''
SEEDS = ("--seeds", "4")


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "wait").touch()
    for name, value in (QUICKLY | {"NOTES": str(folder)}).items():
        monkeypatch.setenv(name, value)
    return folder


def waiting(world: World) -> None:
    replayable(world)
    world.write(TESTS, CODE)
    world.record("tests that wait")


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", waiting, "keyed", "block")


def runs(notes: Path, name: str = "refund") -> int:
    """How often a test has run."""
    file = notes / name
    return len(file.read_text().splitlines()) if file.exists() else 0


def waits(notes: Path) -> Callable[[], bool]:
    """Whether the third run of the test has begun: it waits."""
    return lambda: runs(notes) == 3


def nothing_is_left(world: World) -> bool:
    """No worktree, no temporary folder, no process of a test."""
    assert len(world.git("worktree", "list").splitlines()) == 1
    assert os.listdir(temporary_folder(world)) == []
    assert are_gone(str(temporary_folder(world)))
    assert not list((world.root / "ledgers").glob(".*"))
    return True


@pytest.mark.parametrize("mode", [("--fast",), ()], ids=["fork", "process"])
def test_once_the_running_seed_ends_and_resuming_begins_where_it_stopped(
    mode: tuple[str, ...], world: World, notes: Path
) -> None:
    process = replay_process(world, REFUND, *SEEDS, *mode)
    wait_until(waits(notes))
    process.send_signal(signal.SIGINT)
    (notes / "wait").unlink()
    out, errors = process.communicate()
    assert process.returncode == 130, errors
    assert out.split("\t")[2:5] == ["3 of 4 seeds: 3 pass", "none: interrupted", "-"]
    assert "run the same command with --resume to go on" in errors
    assert lines(world) == []
    assert nothing_is_left(world)
    assert typed(world, "replay", REFUND, *SEEDS, *mode, "--resume").code == 0
    assert runs(notes) == 4
    (line,) = lines(world)
    assert (line["seeds"], line["passed"]) == ([1, 2, 3, 4], 4)
    assert list((world.root / ".git/flakeledger/replays").iterdir()) == []


@pytest.mark.parametrize(
    ("signals", "code"),
    [((signal.SIGINT, signal.SIGINT), 130), ((signal.SIGTERM,), 143), ((signal.SIGHUP,), 129)],
    ids=["twice", "terminated", "hung-up"],
)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_runs_is_killed(signals: tuple[int, ...], code: int, jobs: str, world: World, notes: Path) -> None:
    process = replay_process(world, REFUND, TOTAL, *SEEDS, "--fast", "--jobs", jobs)
    wait_until(waits(notes))
    assert process.stderr is not None
    said = ""
    for number in signals:  # one that comes while another is waiting is lost: each is answered before the next
        process.send_signal(number)
        while not said.startswith("flakeledger: "):
            said = process.stderr.readline()
        last, said = said, ""
    out, errors = process.communicate(timeout=60)
    assert process.returncode == code, errors
    assert "the seeds that run are killed" in last
    assert [row.split("\t")[3] for row in out.splitlines()] == ["none: interrupted"] * 2
    assert lines(world) == []
    assert nothing_is_left(world)


def test_without_resume_everything_is_run_again(world: World, notes: Path) -> None:
    process = replay_process(world, REFUND, *SEEDS, "--fast")
    wait_until(waits(notes))
    process.send_signal(signal.SIGTERM)
    process.communicate()
    (notes / "wait").unlink()
    assert typed(world, "replay", REFUND, *SEEDS, "--fast").code == 0
    assert runs(notes) == 3 + 4


def test_what_a_killed_replay_left_goes_with_the_next_one(world: World, notes: Path) -> None:
    process = replay_process(world, REFUND, *SEEDS, "--fast")
    wait_until(waits(notes))
    process.kill()
    process.communicate()
    (notes / "wait").unlink()
    assert lines(world) == []
    assert os.listdir(temporary_folder(world)) != []
    next_one = replay_process(world, REFUND, *SEEDS, "--fast", "--resume")
    next_one.communicate()
    assert next_one.returncode == 0
    assert lines(world)[0]["passed"] == 4
    assert runs(notes) == 3 + 2  # of the third nobody knows how it ended
    wait_until(lambda: not processes_with(str(temporary_folder(world))))
    assert nothing_is_left(world)


def test_a_killed_child_is_an_error_of_its_seed(world: World, notes: Path) -> None:
    process = replay_process(world, REFUND, *SEEDS, "--format", "json")
    wait_until(waits(notes))
    for number in processes_with(str(temporary_folder(world))):
        os.kill(number, signal.SIGKILL)
    (notes / "wait").unlink()
    out, _ = process.communicate()
    assert process.returncode == 1
    assert [part for part in out.split('"') if part in ("pass", "fail", "error")] == ["pass", "pass", "error", "pass"]
    assert lines(world) == []
    assert nothing_is_left(world)


@pytest.mark.parametrize("size", [(40, 120), (0, 0)], ids=["a size", "no size"])
def test_ctrl_c_at_a_terminal_spares_git_and_draws_a_bar(world: World, notes: Path, size: tuple[int, int]) -> None:
    """The terminal sends the signal to the whole group, again and again. That of script(1) may not say its size."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    environment = os.environ | {"TMPDIR": str(temporary_folder(world))}
    process = subprocess.Popen(
        [TOOL, "replay", REFUND, TOTAL, *SEEDS, "--fast"],
        cwd=world.root, env=environment, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True,
        preexec_fn=_take_the_terminal,
    )  # fmt: skip
    os.close(theirs)
    shown = bytearray()
    reader = threading.Thread(target=_read_all, args=(ours, shown), daemon=True)  # a terminal that nobody reads is full
    reader.start()
    wait_until(waits(notes))
    os.write(ours, b"\x03")
    wait_until(lambda: b"interrupted; the seeds that run may end" in shown)
    (notes / "wait").unlink()
    out, _ = process.communicate()
    reader.join()
    os.close(ours)
    assert process.returncode == 130, shown
    assert "of 8 seeds" in shown.decode()
    assert "\x1b[3" not in shown.decode()  # no colours
    assert out.decode().split("\t")[3] == "none: interrupted"
    assert nothing_is_left(world)
    assert world.read(REPLAYS) == ""


def _take_the_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _read_all(descriptor: int, shown: bytearray) -> None:
    with suppress(OSError):  # Linux says so when the other side is closed
        while part := os.read(descriptor, 4096):
            shown.extend(part)
