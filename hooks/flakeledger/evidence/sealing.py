"""Keeps what strangers wrote off the network and away from our variables, as far as this system lets us.

Invariants:
* A way to seal is used only after it was tried: nothing leads out, and the loopback is up.
* The system's own calls come first: they cost a run 2 ms, a program 10. Otherwise a program of this system seals, by
  its full path, and never one of the tree.
* Where none works, that is said, never passed over.
* A variable is handed down because it is on the list, never because it looks harmless.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from flakeledger.evidence.namespaces import is_alone, network_leaving
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
OPEN = "on: neither unshare nor bwrap can take it away here"
_PATIENCE = 10.0
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
#: programs, in the order in which they are tried: name -> words before a command
PROGRAMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("bwrap", ("bwrap", "--dev-bind", "/", "/", "--unshare-net", "--die-with-parent", "--")),
)


class Sealing(NamedTuple):
    """What happens to the network, for people; what does it: a call of the process itself, or words before its command.

    The process makes the call between fork and exec. OSError when the network could not be taken away then.
    """

    network: str
    call: Callable[[], None] | None = None
    words: tuple[str, ...] = ()


def sealing(environment: Mapping[str, str]) -> Sealing:
    """The first way that works here."""
    leave = network_leaving()
    if leave is not None and is_alone(leave):
        return Sealing("off (unshare)", leave)
    return _by_program(environment) or Sealing(OPEN)


def _by_program(environment: Mapping[str, str]) -> Sealing | None:
    from shutil import which

    for name, words in PROGRAMS:
        # its place, told here: where the command runs, a relative entry of PATH leads into what strangers wrote
        program = which(words[0], path=without_relative_path(environment).get("PATH"))
        if program is not None and _works((program, *words[1:]), environment):
            return Sealing(f"off ({name})", words=(program, *words[1:]))
    return None


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
