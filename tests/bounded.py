"""Commands that read files which lie anywhere: run in this process, or as one with little memory; and unwelcome files.

Invariants:
* A run in this process gives what was printed and the exit code, also where argparse ends it.
* A process has a folder, an address space and a time limit of its own.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from flakeledger.cli.main import main

_LAUNCH = """\
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
from flakeledger.cli.main import main
sys.exit(main(sys.argv[2:]))
"""
MIB = 1024 * 1024


class Ran(NamedTuple):
    """What a command printed on each stream, and its exit code."""

    code: int
    out: str
    err: str


def ran(*arguments: str) -> Ran:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(arguments))
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    return Ran(code, out.getvalue(), err.getvalue())


def ran_small(where: Path, *arguments: str, memory: int) -> Ran:
    """Run a command as a process of so much address space, for at most a minute."""
    done = subprocess.run(
        [sys.executable, "-c", _LAUNCH, str(memory), *arguments],
        cwd=where,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def _gigabyte(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1024 * MIB)


#: name -> what makes it at a path, and what is said of it
UNWELCOME: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (str, "cannot be read: No such file or directory"),
    "a folder": (Path.mkdir, "is no regular file"),
    "a pipe": (os.mkfifo, "is no regular file"),
    "a device without end": (lambda path: path.symlink_to("/dev/zero"), "is no regular file"),
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), "cannot be read: No such file or directory"),
    "a link to itself": (lambda path: path.symlink_to(path.name), "cannot be read: Too many levels"),
    "a gigabyte": (_gigabyte, "is larger than"),
}
