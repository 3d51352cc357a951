"""Test modules that a process beside us parses, while we read the ledgers and hash the fixtures.

Invariants:
* It saves time and changes no answer: where there is no such process, or it fails or is killed, nothing is known of its
  modules, and who asks for them parses them himself and meets whatever is wrong.
* Linux alone, and no fork while another thread runs: its locks would be copied in whatever state they are.
* The other process shares what we read so far, sends its one answer and ends at once: it flushes, closes and saves
  nothing of ours. It ends with the answer, or with `close`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

#: gives the id and the content of each blob, through a git of its own
ReadMany = Callable[[Iterable[str]], Iterable[tuple[str, bytes]]]


class ModulesUnderway:
    """The process that parses, and the pipe through which it answers. Made by `begin_modules`."""

    def __init__(self, process: int, reading: int) -> None:
        """`reading` is the end of the pipe that becomes ours to close."""
        self._process: int | None = process
        self._pipe = open(reading, "rb")  # noqa: SIM115  # `_end` closes it

    def answer(self) -> dict[str, object]:
        """The facts of each module as JSON, by blob id; none where the process failed. To be asked once."""
        import json

        text = self._pipe.read()
        return {} if self._end() else dict(json.loads(text))

    def close(self) -> None:
        """End it, if nobody wants its answer any more; may be called twice."""
        if self._process is not None:
            import signal

            os.kill(self._process, signal.SIGKILL)
            self._end()

    def _end(self) -> int:
        """Wait for its end; 0 when it gave the whole answer."""
        assert self._process is not None
        _, status = os.waitpid(self._process, 0)
        self._process = None
        self._pipe.close()
        return status


def begin_modules(read_many: ReadMany, oids: Sequence[str]) -> ModulesUnderway | None:
    """Parse the modules that have these blob ids in a process beside us; None where none can be had.

    `read_many` is called there, and must start what it needs.
    """
    if not _may_fork():
        return None
    reading, writing = os.pipe()
    try:
        process = os.fork()
    except OSError:  # too many processes, or no memory for one more
        os.close(reading)
        os.close(writing)
        return None
    if process == 0:
        os.close(reading)  # else it would wait for itself to read, if we are killed
        _tell(writing, read_many, oids)  # does not return
    os.close(writing)
    return ModulesUnderway(process, reading)


def _may_fork() -> bool:
    """Whether a second process can be had, and a second processor for it."""
    import threading

    return sys.platform == "linux" and threading.active_count() == 1 and len(os.sched_getaffinity(0)) > 1


def _tell(writing: int, read_many: ReadMany, oids: Sequence[str]) -> NoReturn:
    """Send the facts and end this process. Whatever is raised says only that there is no answer."""
    code = 1
    try:
        import json

        from flakeledger.repo.modules import module_facts

        facts = {oid: module_facts(data).to_json() for oid, data in read_many(oids)}
        with open(writing, "wb") as pipe:
            pipe.write(json.dumps(facts, separators=(",", ":")).encode())
        code = 0
    finally:
        os._exit(code)
