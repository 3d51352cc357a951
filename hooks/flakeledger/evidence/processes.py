"""A process that runs a test: in a session of its own, heard through a pipe of its own, and ended whole.

Invariants:
* Nobody waits for ever: every wait has an instant at which it ends, whatever holds a pipe open.
* Of what it prints the end is kept, however much that is; it never waits for us to read it.
* At the end its whole group is ended, asked first, then killed; nothing is left unreaped, no pipe open.
* While it is waited for, it is asked again and again whether to go on: what that raises ends the waiting.
* A number of a process or group is only used while nobody else can have it: before it is reaped.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

#: seconds that a group has to end when it was asked to
GRACE = 1.0
#: how often it is looked whether the process has ended, in seconds, where the system does not tell
_LOOK = 0.05
_CHUNK = 1 << 16
_KEPT_OUTPUT = 1 << 16
_LONGEST_LINE = 1 << 20
#: what is still read from a pipe after its process has ended: another one may hold it, and write for ever
_LAST_READS = 32
_SHOWN_LINE = 300


class Pipes(NamedTuple):
    """Two pipes: the process writes to `results` what we read from `hear`, and reads from `commands` what we `tell`."""

    hear: int
    results: int
    commands: int
    tell: int


class NotBegun(OSError):
    """What a process had to do before its command failed in it."""


def open_pipes() -> Pipes:
    """Two new pipes, whose inner ends a process can be given."""
    hear, results = os.pipe()
    commands, tell = os.pipe()
    return Pipes(hear, results, commands, tell)


class Process:
    """A command under way. `end` must be called, on every way out."""

    def __init__(
        self,
        command: Sequence[str],
        directory: str,
        environment: Mapping[str, str],
        pipes: Pipes | None = None,
        ask: Callable[[], object] = bool,
        first: Callable[[], None] | None = None,
    ) -> None:
        """Start it, with the inner ends of the pipes. OSError, with the pipes closed, when it cannot be started.

        `ask` is called again and again while somebody waits for it; `first` by the process itself, before the command
        takes its place, which it does not when that raises.
        """
        self._ask = ask
        self._pipes = pipes
        inner = (pipes.results, pipes.commands) if pipes else ()
        try:
            self._process = subprocess.Popen(
                command,
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=inner,
                start_new_session=True,
                preexec_fn=first,  # there is one thread: what it imports and locks is as the process had it
            )
        except (OSError, subprocess.SubprocessError) as error:
            self._close((pipes.hear, pipes.tell) if pipes else ())
            if isinstance(error, subprocess.SubprocessError):
                raise NotBegun(*error.args) from error
            raise
        finally:
            self._close(inner)
        assert self._process.stdout is not None
        self._printed = b""
        self._heard = b""
        self._watch = _exit_watch(self._process.pid)
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._process.stdout.fileno(), pipes and pipes.hear, self._watch):
            if descriptor is not None:
                self._selector.register(descriptor, selectors.EVENT_READ)

    def next_line(self, deadline: float) -> bytes | None:
        """The next line of its pipe; None when it has ended and said no more. TimeoutError at the deadline."""
        while b"\n" not in self._heard:
            if len(self._heard) > _LONGEST_LINE or not self._attend(deadline):
                return None
        line, _, self._heard = self._heard.partition(b"\n")
        return line

    def wait(self, deadline: float) -> int:
        """Its exit code, negative for a signal, while it stays unreaped. TimeoutError at the deadline."""
        while self._attend(deadline):
            pass
        return self._exit_code() or 0

    def tell(self, line: bytes) -> None:
        """Write to the pipe that it reads; nothing when it has closed that."""
        assert self._pipes is not None
        with suppress(BrokenPipeError):
            os.write(self._pipes.tell, line)

    def kill_strays(self, marker: str) -> None:
        """Kill what carries the marker, but for the process itself. See `end`."""
        kill_marked(marker, self._process.pid)

    def last_words(self) -> str:
        """The line near the end of its output that tells most: the last one about an error, else the last."""
        lines = [line.strip() for line in self._printed.decode(errors="replace").splitlines() if line.strip()]
        telling = [line for line in lines if "rror" in line or "ERROR" in line]
        return (telling or lines or [""])[-1][:_SHOWN_LINE]

    def end(self, groups: Iterable[int] = (), marker: str = "", patience: float = 0.0) -> None:
        """End its group and the other groups, and reap it.

        It may end by itself for `patience` seconds, and has GRACE seconds when it is asked to. Where the system shows
        the environment of processes, those that carry the marker and left the group are ended too.
        """
        own = self._process.pid
        if self._pipes is not None:  # it waits for the next command, and reads that there is none
            self._close((self._pipes.tell,))
        try:
            if not self._ends_by(monotonic() + patience):
                _signal([own, *groups], signal.SIGTERM)
                self._ends_by(monotonic() + GRACE)
        finally:
            _signal([own, *groups], signal.SIGKILL)
            if marker:
                kill_marked(marker, own)
            self._reap()

    def _ends_by(self, deadline: float) -> bool:
        try:
            while self._listen(deadline):
                pass
        except TimeoutError:
            return self._exit_code() is not None
        return True

    def _attend(self, deadline: float) -> bool:
        """Listen, and ask in between whether to go on."""
        self._ask()
        soon = monotonic() + _LOOK
        try:
            return self._listen(min(deadline, soon))
        except TimeoutError:
            if deadline <= soon:
                raise
            return True

    def _listen(self, deadline: float) -> bool:
        """Read what is there, or wait for it; False once it has ended. TimeoutError at the deadline."""
        ended = self._exit_code() is not None
        left = 0.0 if ended else deadline - monotonic()
        if left <= 0 and not ended:
            raise TimeoutError
        for _ in range(_LAST_READS if ended else 1):
            if not self._read(min(left, _LOOK) if self._watch is None else left):
                break
        return not ended

    def _read(self, patience: float) -> bool:
        """Whether anything was there to read."""
        some = False
        for key, _ in self._selector.select(patience):
            data = b"" if key.fd == self._watch else os.read(key.fd, _CHUNK)
            some = some or bool(data)
            if not data:
                self._selector.unregister(key.fd)
            elif self._pipes is not None and key.fd == self._pipes.hear:
                self._heard += data
            else:
                self._printed = (self._printed + data)[-_KEPT_OUTPUT:]
        return some

    def _exit_code(self) -> int | None:
        """Its exit code once it has ended, without reaping it where that is possible."""
        if self._process.returncode is not None or not hasattr(os, "waitid"):
            return self._process.poll()
        found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def _reap(self) -> None:
        with suppress(subprocess.TimeoutExpired):  # the system itself cannot end it now: it is waiting for a device
            self._process.wait(GRACE)
        self._selector.close()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._close(one for one in (self._pipes and self._pipes.hear, self._watch) if one is not None)

    @staticmethod
    def _close(descriptors: Iterable[int]) -> None:
        for descriptor in descriptors:
            os.close(descriptor)


def kill_marked(marker: str, spared: int | None = None) -> None:
    """Kill every process but one that was started with a setting in its environment that begins so (`NAME=value`).

    Only where the system shows that (/proc): a test may have put a process into a session of its own.
    """
    wanted = b"\0" + os.fsencode(marker)
    for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        with suppress(OSError):
            with open(f"/proc/{name}/environ", "rb") as file:
                settings = file.read()
            if wanted in b"\0" + settings and int(name) not in (spared, os.getpid()):
                os.kill(int(name), signal.SIGKILL)


def _exit_watch(number: int) -> int | None:
    """A descriptor that can be read once the process has ended, where the system has that (Linux)."""
    if hasattr(os, "pidfd_open"):
        with suppress(OSError):
            return os.pidfd_open(number)
    return None


def _signal(groups: Iterable[int], number: int) -> None:
    for group in groups:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
