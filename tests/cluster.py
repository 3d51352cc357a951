"""A Dask cluster on the loopback interface: a scheduler and workers, each a process as a user would start it.

Invariants:
* Every process has a home, a temporary folder and a git configuration of its own; all end with the `with`.
* A worker has one thread and no nanny: a worker that is killed stays away.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from distributed import Client

from replayable import QUICKLY, wait_until

_PATIENCE = 60.0
_LOOPBACK = ("--host", "127.0.0.1", "--no-dashboard")


class Cluster:
    """A scheduler under way, and the folder in which its workers keep what they need."""

    def __init__(self, folder: Path, address: str, scheduler: subprocess.Popen[bytes], running: ExitStack) -> None:
        self.folder, self.address, self._scheduler, self._running = folder, address, scheduler, running
        self.notes = folder / "notes"

    @contextmanager
    def worker(self, name: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
        """One more worker; it has joined when the `with` begins."""
        before = len(self.addresses())
        own = {"NOTES": str(self.notes), **QUICKLY, **environment}
        with _process(self.folder / name, ("worker", self.address, "--no-nanny", "--nthreads", "1"), own) as process:
            wait_until(lambda: len(self.addresses()) > before, _PATIENCE)
            yield process
        if self._scheduler.poll() is None:
            wait_until(lambda: len(self.addresses()) == before, _PATIENCE)

    def keep_worker(self, name: str) -> None:
        """A worker for as long as the cluster."""
        self._running.enter_context(self.worker(name))

    def kill(self) -> None:
        """Kill the scheduler."""
        self._scheduler.kill()

    def addresses(self) -> set[str]:
        """The workers that the scheduler knows."""
        with Client(self.address, set_as_default=False) as client:
            return set(client.nthreads())


@contextmanager
def cluster(folder: Path, workers: int, **environment: str) -> Iterator[Cluster]:
    """A scheduler with these settings, and so many workers."""
    file = folder / "scheduler.json"
    arguments = ("scheduler", "--port", "0", *_LOOPBACK, "--scheduler-file", str(file))
    with _process(folder / "scheduler", arguments, environment) as process, ExitStack() as running:
        wait_until(lambda: file.exists() and file.read_text().endswith("}"), _PATIENCE)
        address = f"tcp://127.0.0.1:{_port(file)}"
        made = Cluster(folder, address, process, running)
        made.notes.mkdir()
        for number in range(workers):
            made.keep_worker(f"worker-{number}")
        assert process.poll() is None
        yield made


def _port(file: Path) -> str:
    return file.read_text().partition("tcp://127.0.0.1:")[2].partition('"')[0]


@contextmanager
def _process(
    folder: Path, arguments: tuple[str, ...], environment: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "DASK_", "PYTEST_"))}
    own = {"HOME": str(folder), "TMPDIR": str(temporary), "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC", **environment}
    command = [str(Path(sys.executable).with_name("dask")), *arguments]
    with (
        open(folder / "log", "wb") as log,
        subprocess.Popen(command, cwd=folder, env=kept | own, stdout=log, stderr=log) as process,
    ):
        try:
            yield process
        finally:
            process.kill()
