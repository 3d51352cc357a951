"""A process that runs commands of the tool without the rights that root has over other people's files.

Invariants:
* It stays the same user, so that git still trusts the files; whoever is not root loses nothing.
* What it starts has no more rights than itself.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from odd_commands import run

#: of Linux: linux/prctl.h and linux/capability.h
PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
CAPABILITY_VERSION = 0x20080522


class Powerless:
    """A process that runs commands without the rights that root has over other people's files."""

    def __init__(self) -> None:
        """Start it."""
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", "import powerless; powerless.serve()"]
        self._process = subprocess.Popen(command, cwd=Path(__file__).parent, stdin=pipe, stdout=pipe, text=True)

    def run(self, folder: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str, str]:
        """As `run` does it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = [str(folder), arguments, {**os.environ, **environment}]
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        code, out, err = json.loads(self._process.stdout.readline())
        return code, out, err

    def close(self) -> None:
        """End it."""
        with self._process:
            pass


def serve() -> None:
    """Run the commands that come as lines, and print what came of them; without root's rights over files."""
    if os.geteuid() == 0:
        _give_up_rights()
    for line in sys.stdin:
        folder, arguments, environment = json.loads(line)
        os.environ.clear()
        print(json.dumps(run(Path(folder), arguments, environment)), flush=True)


def _give_up_rights() -> None:
    """Let this process and those that it starts obey the rights of files, as everybody else does."""
    library = ctypes.CDLL(None, use_errno=True)
    dropped = [library.prctl(PR_CAPBSET_DROP, right, 0, 0, 0) for right in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH)]
    header, none = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
    if any(dropped) or library.capset(header, none):
        raise OSError(ctypes.get_errno(), "the rights of root cannot be given up")
