"""Keeps what strangers wrote off the network and away from our variables, as far as this system lets us.

Invariants:
* A way to seal is used only after it was tried: the network is gone, the loopback answers, an inherited pipe is heard.
* What seals is a program of this system, by its full path, and never one of the tree.
* Where none works, that is said, never passed over.
* A variable is handed down because it is on the list, never because it looks harmless.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from flakeledger.evidence.processes import Process, open_pipes
from flakeledger.store.git_environment import without_relative_path

#: what a test's interpreter needs to start, to find its packages, and to show text
ALLOWED_VARIABLES = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_CTYPE", "TZ", "TZDIR"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    )
)
OPEN = "on: neither bwrap nor unshare can take it away here"
_PATIENCE = 10.0
#: brings the loopback up, gives the rights away that this took (prctl: PR_CAP_AMBIENT_CLEAR_ALL), and goes on; by the
#: C library alone: every replay starts this, and the module `socket` takes as long to import as Python to start
_LOOPBACK = """\
import ctypes, os, sys
library = ctypes.CDLL(None)
control = library.socket(2, 2, 0)  # AF_INET, SOCK_DGRAM
flags = (1).to_bytes(2, sys.byteorder)  # IFF_UP
library.ioctl(control, 0x8914, b"lo".ljust(16, b"\\0") + flags.ljust(24, b"\\0"))  # SIOCSIFFLAGS
os.close(control)
library.prctl(47, 4, 0, 0, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
#: says `sealed` on the pipe of this number if nothing leads out of here but the loopback works; sends nothing
_PROBE = """\
import os, socket, sys
for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as out:
            out.connect((address, 9))
    except OSError:
        continue
    sys.exit("there is a way out")
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname(), 5).close()
os.write(int(sys.argv[1]), b"sealed\\n")
"""
_PYTHON = (sys.executable, "-I", "-S", "-c")
#: in the order in which they are tried: name -> words before a command
WAYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("bwrap", ("bwrap", "--dev-bind", "/", "/", "--unshare-net", "--die-with-parent", "--")),
    ("unshare", ("unshare", "--net", "--", *_PYTHON, _LOOPBACK)),
    ("unshare", ("unshare", "--user", "--map-current-user", "--keep-caps", "--net", "--", *_PYTHON, _LOOPBACK)),
)


class Sealing(NamedTuple):
    """Words before a command, and what they do to its network, for people."""

    words: tuple[str, ...]
    network: str


def sealing(environment: Mapping[str, str]) -> Sealing:
    """The first way that works here."""
    from shutil import which

    for name, words in WAYS:
        # its place, told here: where the command runs, a relative entry of PATH leads into what strangers wrote
        program = which(words[0], path=without_relative_path(environment).get("PATH"))
        if program is not None and _works((program, *words[1:]), environment):
            return Sealing((program, *words[1:]), f"off ({name})")
    return Sealing((), OPEN)


def _works(words: tuple[str, ...], environment: Mapping[str, str]) -> bool:
    pipes = open_pipes()
    try:
        command = [*words, *_PYTHON, _PROBE, str(pipes.results)]
        process = Process(command, os.sep, environment, pipes)
    except OSError:
        return False
    try:
        with suppress(TimeoutError):
            return process.next_line(monotonic() + _PATIENCE) == b"sealed"
    finally:
        process.end()
    return False
