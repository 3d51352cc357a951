"""Processes: heard, waited for and ended, whatever they print, hold or ignore."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flakeledger.evidence import processes
from flakeledger.evidence.processes import NotBegun, Process, open_pipes
from replayable import wait_until
from replaying import SLEEP, are_gone, processes_with


@contextmanager
def started(code: str, marker: str = "") -> Iterator[Process]:
    """A Python that runs some code, with its two pipes as `results` and `commands`."""
    pipes = open_pipes()
    begin = f"import os, sys, signal, subprocess, time; results, commands = {pipes.results}, {pipes.commands}\n"
    process = Process([sys.executable, "-c", begin + code], os.curdir, os.environ | {"MARKER": "here"}, pipes)
    try:
        yield process
    finally:
        process.end(marker=marker)


def soon(seconds: float = 60) -> float:
    return time.monotonic() + seconds


def test_lines_come_one_by_one_and_none_at_the_end() -> None:
    with started("os.write(results, b'one\\ntwo\\nrest')") as process:
        assert [process.next_line(soon()) for _ in range(3)] == [b"one", b"two", None]


def test_it_reads_what_it_is_told() -> None:
    with started("os.write(results, os.read(commands, 100))") as process:
        process.tell(b"hello\n")
        assert process.next_line(soon()) == b"hello"
        assert process.wait(soon()) == 0
        process.tell(b"too late\n")


@pytest.mark.parametrize(
    ("code", "expected"), [("sys.exit(3)", 3), ("os._exit(0)", 0), ("os.kill(os.getpid(), 9)", -9), ("os.abort()", -6)]
)
def test_exit_codes(code: str, expected: int) -> None:
    with started(code) as process:
        assert process.wait(soon()) == expected
        assert process.wait(soon()) == expected


def test_a_wait_ends_at_its_deadline() -> None:
    with started("time.sleep(1000)") as process:
        for wait in (process.next_line, process.wait):
            deadline = soon(0.2)
            with pytest.raises(TimeoutError):
                wait(deadline)
            assert deadline <= time.monotonic(), "not before"


def test_a_pipe_that_somebody_else_holds_is_not_waited_for() -> None:
    code = f"subprocess.Popen(['sleep', '{SLEEP}'], pass_fds=(results,))\nos.write(results, b'last\\n')"
    with started(code) as process:
        assert process.next_line(soon()) == b"last"
        assert process.next_line(soon()) is None
        assert process.wait(soon()) == 0
        # it still holds the pipe; what has only just begun has no command line yet
        wait_until(lambda: bool(processes_with(SLEEP)))
    assert are_gone(SLEEP)


def test_of_much_output_the_end_is_kept() -> None:
    with started(
        "for _ in range(3000): os.write(1, b'x' * 1023 + b'\\n')\nprint('ValueError: it', '\\nthe end')"
    ) as process:
        assert process.wait(soon()) == 0
        assert process.last_words() == "ValueError: it"
        assert len(process._printed) <= 1 << 16


def test_a_line_without_an_end_is_given_up() -> None:
    with started("while True: os.write(results, b'x' * 10000)") as process:
        assert process.next_line(soon()) is None


def test_what_comes_first_is_done_by_the_process_itself_and_the_command_needs_it(tmp_path: Path) -> None:
    def first() -> None:
        os.environ["HERE"] = "only in the child"
        (tmp_path / "done").mkdir()

    pipes = open_pipes()
    command = [sys.executable, "-c", "import os, sys; os.write(int(sys.argv[1]), b'begun\\n')", str(pipes.results)]
    process = Process(command, os.curdir, os.environ, pipes, first=first)
    assert process.next_line(soon()) == b"begun"
    process.end()
    assert (tmp_path / "done").is_dir()
    assert "HERE" not in os.environ
    with pytest.raises(NotBegun):  # the folder is there
        Process(command, os.curdir, os.environ, open_pipes(), first=first)


@pytest.mark.parametrize("ignores", [False, True])
def test_its_group_is_ended_also_when_it_does_not_want(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ignores: bool
) -> None:
    monkeypatch.setattr(processes, "GRACE", 3.0 if ignores else 60.0)  # a busy machine takes its time to end it
    told = tmp_path / "told"
    handler = "signal.SIG_IGN" if ignores else f"lambda *_: (open({str(told)!r}, 'w').close(), sys.exit())"
    code = f"""
signal.signal(signal.SIGTERM, {handler})
subprocess.Popen(['sleep', '{SLEEP}'])
os.write(results, b'ready\\n')
time.sleep(1000)
sys.exit(1)
"""
    with started(code) as process:
        assert process.next_line(soon()) == b"ready"
    assert process._process.returncode == (-9 if ignores else 0), "nobody waits for it to wake"
    assert told.exists() is not ignores, "it is asked before it is killed"
    assert are_gone(SLEEP)


def test_what_left_its_group_is_known_by_its_marker() -> None:
    code = f"subprocess.Popen(['sleep', '{SLEEP}'], start_new_session=True)\nos.write(results, b'ready\\n')"
    with started(code, marker="MARKER=here") as process:
        assert process.next_line(soon()) == b"ready"
    assert are_gone(SLEEP)


def test_nothing_stays_open() -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with started("print(1)") as process:
            process.wait(soon())
    with pytest.raises(FileNotFoundError):
        Process(["nowhere-to-be-found"], os.curdir, {}, open_pipes())
    assert sorted(os.listdir("/proc/self/fd")) == before
