"""Commands as they run on another system, as far as Linux can play it. Started as a program by `played.py`.

Invariants:
* Windows is played by what its Python lacks: modules, functions and constants that are POSIX's alone are not there, a
  folder cannot be opened, a file that is open cannot be replaced or removed, and no name is found for a user.
* A text file that is opened without an encoding is an error everywhere (PEP 597), since no system agrees with another.
* Standard streams are what the system makes of them: bytes in its encoding, with its line ends, strict until the
  command says otherwise.
* Standard input holds the runs as JSON, standard output gets their answers as JSON.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess  # looks for fcntl and the like while they are still there: on Windows it has other means
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

#: https://docs.python.org/3/library/: "Availability: Unix"
MODULES = ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty", "pty")
FUNCTIONS = (
    *("chown", "chroot", "fchdir", "fchmod", "fork", "forkpty", "getegid", "geteuid", "getgid", "getpgid", "getpgrp"),
    *("getpriority", "getsid", "getuid", "killpg", "lchown", "memfd_create", "mkfifo", "mknod", "nice", "openpty"),
    *("pidfd_open", "posix_fadvise", "posix_spawn", "pread", "preadv", "pwrite", "pwritev", "register_at_fork"),
    *("sched_getaffinity", "sched_yield", "setpgid", "setsid", "statvfs", "sync", "uname", "wait"),
    *("waitid", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "O_SYNC", "P_PID", "WNOHANG", "WNOWAIT"),
    *("WEXITED", "CLD_EXITED", "fdatasync", "ttyname", "initgroups", "getloadavg", "confstr", "sysconf"),
)
SIGNALS = (
    "SIGALRM",
    "SIGCHLD",
    "SIGHUP",
    "SIGKILL",
    "SIGPIPE",
    "SIGQUIT",
    "SIGUSR1",
    "SIGUSR2",
    "SIGWINCH",
    "alarm",
    "pthread_sigmask",
    "SIG_BLOCK",
    "SIG_SETMASK",
)


#: the packages of the extras `report`, `dask` and `pre-commit`
EXTRAS = ("jinja2", "drawsvg", "dask", "distributed", "pre_commit")


class Run(NamedTuple):
    """A command in a folder."""

    folder: str
    arguments: list[str]


class Streams(NamedTuple):
    """How the system writes text."""

    encoding: str
    newline: str


def become_windows() -> None:
    """Take away what Windows has not."""
    for module in MODULES:
        sys.modules[module] = None  # type: ignore[assignment]  # what makes an import of it fail
    for name in FUNCTIONS:
        if hasattr(os, name):
            delattr(os, name)
    for name in SIGNALS:
        delattr(signal, name)
    tempfile.TemporaryFile = tempfile.NamedTemporaryFile  # type: ignore[assignment]  # as tempfile has it there
    shutil._use_fd_functions = False  # type: ignore[attr-defined]  # as shutil has it where no folder can be opened
    real: Any = os.open

    def open_file(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if os.path.isdir(path):
            raise PermissionError(13, "Permission denied", path)
        return int(real(path, flags, *rest, **named))

    os.open = open_file
    for name in ("replace", "rename", "unlink", "remove"):
        setattr(os, name, _refusing_open_files(getattr(os, name)))


def become_without_extras() -> None:
    """Take away what only an extra installs."""
    for package in EXTRAS:
        sys.modules[package] = None  # type: ignore[assignment]


SYSTEMS: dict[str, Callable[[], object]] = {
    "plain": bool,
    "windows": become_windows,
    "without extras": become_without_extras,
}


def _refusing_open_files(change: Callable[..., None]) -> Callable[..., None]:
    """A function that refuses, as Windows does, when one of its files is open in this process."""

    def refusing(*paths: Any, **named: Any) -> None:
        here = {os.path.realpath(path) for path in paths}
        held = {os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}
        if here & held:
            raise PermissionError(13, "The process cannot access the file because it is being used", str(paths[0]))
        change(*paths, **named)

    return refusing


def answer(run: Run, streams: Streams) -> dict[str, object]:
    """What a command does: its exit code, what it printed, and the traceback of what it did not catch."""
    from flakeledger.cli.main import main

    out, err = (io.TextIOWrapper(io.BytesIO(), streams.encoding, newline=streams.newline) for _ in range(2))
    before, crash, code = (sys.stdout, sys.stderr), "", 0
    sys.stdout, sys.stderr = out, err
    try:
        os.chdir(run.folder)
        code = main(run.arguments)
    except SystemExit as left:
        code = int(str(left.code))
    except BaseException:  # noqa: BLE001  # whatever it is, it is what the test looks for
        crash = traceback.format_exc()
    finally:
        sys.stdout, sys.stderr = before
    for stream in (out, err):
        stream.flush()
    told = [stream.buffer.getvalue().decode(streams.encoding) for stream in (out, err)]
    return {"code": code, "out": told[0], "err": told[1], "crash": crash}


def play(system: str, encoding: str, newline: str) -> None:
    """Run what standard input says, on that system."""
    tempfile.gettempdir()
    assert subprocess.run(["git", "--version"], capture_output=True, check=True).stdout
    runs = [Run(*one) for one in json.load(sys.stdin)]
    SYSTEMS[system]()
    json.dump([answer(run, Streams(encoding, newline)) for run in runs], sys.stdout)


if __name__ == "__main__":
    play(*sys.argv[1:])
