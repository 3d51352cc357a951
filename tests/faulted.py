"""Commands that meet a fault: killed, refused by the disk or without their git, at a step that is counted.

Invariants:
* A step is whatever can leave a trace: a file opened to be written, each half of a write, a sync, a rename, a removal,
  a folder made or removed, a lock, a program started. The same command takes the same steps each time.
* A command runs in a process of its own, forked from one that has imported everything, as the console script runs it:
  its working folder, its environment and its streams are its own.
* Nobody waits for ever: a command that hangs is killed, and told apart from every other end.
"""

from __future__ import annotations

import builtins
import errno
import io
import json
import os
import signal
import stat
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

#: what ends a run that met no expected end
TRACEBACK, HUNG = 99, -1000
_PATIENCE = 60.0
_ASKED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_STARTED = "subprocess.Popen"
#: audit events that are steps whatever their arguments are
_EVENTS = frozenset(
    (
        *("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.link", "os.symlink"),
        *("fcntl.flock", _STARTED),
    )
)
#: what Python and Hypothesis write for themselves
_OTHERS = ("__pycache__", "/.hypothesis")
#: functions that raise no audit event
_CALLS = ("fsync", "write", "pwrite")
#: what a full disk cannot refuse
_FREE = frozenset(("os.remove", "os.rmdir", "os.chmod", "fcntl.flock", _STARTED))
#: no disk refuses these
_NO_DISK = frozenset(("fcntl.flock", _STARTED))


class Fault(NamedTuple):
    """What happens to a command.

    `kill`: SIGKILL at the step `at`. An error of `errno`: that step fails with it, and with `stays` every later one.
    `disk`: the disk itself sees to it. `git`: the git `at` that it starts is killed, `delay` seconds after its
    start. `signal`: it gets the signal `number` after `delay` seconds.
    """

    kind: str = "none"
    at: int = 0
    stays: bool = False
    delay: float = 0.0
    number: int = signal.SIGKILL


class Ended(NamedTuple):
    """How a command ended: its exit code, negative for a signal; what it printed; the steps that it took."""

    code: int
    out: str
    err: str
    steps: tuple[str, ...]
    seconds: float


NOTHING = Fault()


class Forker:
    """The process that commands are forked from. To be closed."""

    def __init__(self, streams: Path) -> None:
        """Start it; what commands print goes to files in the folder `streams`."""
        streams.mkdir(parents=True, exist_ok=True)
        self._streams = streams
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(
        self, folder: Path, arguments: Sequence[str], environment: Mapping[str, str], fault: Fault = NOTHING
    ) -> Ended:
        """Run a command of flakeledger, or `pytest …`, in a folder."""
        streams = [str(self._streams / name) for name in ("out", "err", "steps")]
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(folder), list(arguments), dict(environment), fault, streams]) + "\n")
        self._process.stdin.flush()
        code, seconds = json.loads(self._process.stdout.readline())
        out, err, steps = (Path(name).read_text(encoding="utf-8", errors="replace") for name in streams)
        return Ended(code, out, err, tuple(steps.splitlines()), seconds)

    def close(self) -> None:
        """End it."""
        self._process.communicate()


# in the process that forks


def serve() -> None:
    """Fork a command for each line of standard input; a line of JSON about each."""
    from flakeledger.cli.main import whole_parser

    whole_parser()
    for line in sys.stdin:
        folder, arguments, environment, fault, streams = json.loads(line)
        began = time.monotonic()
        signal.pthread_sigmask(signal.SIG_BLOCK, _ASKED)  # until the command begins, and once it has ended
        child = os.fork()
        if child == 0:
            _be(folder, arguments, environment, Fault(*fault), streams)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKED)
        code = _code_of(child, Fault(*fault))
        sys.stdout.write(json.dumps([code, time.monotonic() - began]) + "\n")
        sys.stdout.flush()


def _code_of(child: int, fault: Fault) -> int:
    if fault.kind == "signal":
        time.sleep(fault.delay)
        os.kill(child, fault.number)
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return HUNG


def _be(folder: str, arguments: list[str], environment: dict[str, str], fault: Fault, streams: Sequence[str]) -> None:
    """Be the command, and do not return."""
    code = TRACEBACK
    steps = Steps(fault)
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, name in enumerate(streams[:2], 1):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        with open(streams[2], "w", encoding="utf-8"):
            pass
        steps.begin()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKED)
        code = _command(arguments)
        signal.pthread_sigmask(signal.SIG_BLOCK, _ASKED)
        sys.stdout.flush()
    except KeyboardInterrupt:
        # pytest has no answer to it before it has begun
        if not steps.taken or arguments[0] == "pytest":
            code = 128 + signal.SIGINT
        else:
            traceback.print_exc()
    except SystemExit as left:
        code = int(left.code or 0)
    except BaseException:  # noqa: BLE001  # whatever it is, the command should not have let it out
        traceback.print_exc()
    finally:
        steps.on = False
        with open(streams[2], "w", encoding="utf-8") as file:
            file.writelines(f"{step}\n" for step in steps.taken)
        sys.stderr.flush()
        os._exit(code)


def _command(arguments: list[str]) -> int:
    if arguments[0] == "pytest":
        import pytest

        sys.path.insert(0, os.getcwd())  # as `python -m pytest` does
        sys.dont_write_bytecode = True  # pytest has a way of its own to leave half of it behind
        return int(pytest.main(arguments[1:]))
    from flakeledger.cli.main import main

    return main(arguments)


class Steps:
    """Counts the steps of this process and lets a fault happen at one of them."""

    def __init__(self, fault: Fault) -> None:
        """Nothing is counted before `begin`."""
        self.fault = fault
        self.taken: list[str] = []
        self.on = False
        self.programs = 0

    def begin(self) -> None:
        """Count from now on."""
        sys.addaudithook(self._heard)
        for name in _CALLS:
            setattr(os, name, self._counted(name, getattr(os, name)))
        builtins.open = io.open = self._opening(builtins.open)
        subprocess.Popen = self._mortal(subprocess.Popen)  # type: ignore[misc]  # a subclass of it
        self.on = True

    def step(self, what: str, about: object = "") -> None:
        """Take a step; the fault of this step is raised, or the process is killed."""
        if not self.on:
            return
        self.taken.append(f"{what} {about}".strip())
        kind, at, stays = self.fault[:3]
        due = len(self.taken) == at or (stays and len(self.taken) > at)
        if not due or kind in ("none", "git", "signal", "disk"):
            return
        if kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if what in _FREE if kind == "ENOSPC" else what in _NO_DISK if kind != "EAGAIN" else what != _STARTED:
            return
        number = getattr(errno, kind)
        raise OSError(number, os.strerror(number))

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        path = arguments[0] if arguments and isinstance(arguments[0], str) else ""
        if path == os.devnull or any(one in path for one in _OTHERS):
            return
        if event in _EVENTS:
            self.step(event, os.path.basename(path))
        elif event == "open" and path and isinstance(arguments[2], int) and arguments[2] & _WRITES:
            self.step("open", os.path.basename(path))

    def _counted(self, name: str, call: Any) -> Any:
        def counted(*arguments: Any) -> Any:
            if stat.S_ISREG(os.fstat(arguments[0]).st_mode):  # no disk is asked about a pipe
                self.step(name)
            return call(*arguments)

        return counted

    def _opening(self, real: Any) -> Any:
        """The function `open`, whose files are written in halves."""
        steps = self

        class Halves(io.FileIO):
            def write(self, data: Any) -> int:
                bytes_given = bytes(data)
                middle = len(bytes_given) // 2
                steps.step("write", "the first half")
                written = super().write(bytes_given[:middle]) or 0
                steps.step("write", "the second half")
                return written + (super().write(bytes_given[middle:]) or 0)

        def opening(file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **named: Any) -> Any:
            if not (steps.on and _is_written(file, mode)):
                return real(file, mode, buffering, *rest, **named)
            raw = Halves(file, mode.replace("b", "").replace("t", ""), closefd=named.pop("closefd", True))
            if "b" in mode:
                return raw if buffering == 0 else io.BufferedWriter(raw)
            return io.TextIOWrapper(io.BufferedWriter(raw), *rest, **named)

        return opening

    def _mortal(self, real: Any) -> Any:
        """The class of programs, of which one is killed."""
        steps = self

        class Mortal(real):  # type: ignore[misc]  # what is given is the class of subprocess
            def __init__(self, *arguments: Any, **named: Any) -> None:
                super().__init__(*arguments, **named)
                is_git = arguments[0][0] == "git"
                steps.programs += steps.on and is_git
                if is_git and steps.fault.kind == "git" and steps.programs == steps.fault.at:
                    time.sleep(steps.fault.delay)
                    os.kill(self.pid, signal.SIGKILL)

        return Mortal


def _is_written(file: Any, mode: str) -> bool:
    """Whether `open` was asked for a file that is only written, lies on a disk, and is our own."""
    if not set(mode) & set("wax") or "+" in mode:
        return False
    if isinstance(file, int) and not stat.S_ISREG(os.fstat(file).st_mode):
        return False
    shown = f"/proc/self/fd/{file}" if isinstance(file, int) else ""
    path = os.readlink(shown) if os.path.islink(shown) else str(file)
    return not any(one in path for one in _OTHERS)


if __name__ == "__main__":
    serve()
