"""Runs one test under seeds, inside the pytest of the project: what the tests' interpreter is given.

The runner copies this file and its siblings into a package in a folder `site-packages` of its own, and starts it
with `-m`. They import the standard library, pytest and one another, for flakeledger need not be installed there;
Hypothesis takes a file of `site-packages` for no local module, so that it does not draw their constants.

Invariants:
* What the seed reaches is seeded before the test's own setup, whatever a profile, a decorator or CI says.
* In a fork every fixture is built in the child; the parent only collected, has no thread, and runs no test.
* What was found goes to a file that is whole or absent, never through the standard streams; the pipe only says that
  there is something to read.
* The working tree is not seen: imports that lead there lead to the same place in the worktree.
* It runs on every Python that the project has: no syntax here is newer than Python 3.8.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Iterable, Mapping
from time import localtime, tzname
from typing import Any, NoReturn

import pytest

from .faithful_kinds import Refused
from .seeding_examples import function_of, given_function
from .seeding_failures import sentence_of
from .seeding_options import ABSENT_OPTIONS, CHOOSING_OPTIONS, MARKERS, QUIET_OPTIONS, REMOVED_PLUGINS, quiet
from .seeding_paths import foreign_module, forget_configuration, lead_to_worktree, watch_opens
from .seeding_seen import Seen
from .seeding_witness import Trial

HASH_SEED = os.environ.get("PYTHONHASHSEED", "")


def main() -> NoReturn:
    """Read what is to be run from `session.json` beside this file, run it, and end with pytest's code."""
    package = os.path.dirname(os.path.abspath(__file__))
    with open(f"{package}/session.json", encoding="utf-8") as file:
        session = json.load(file)
    seeding = Seeding(session, Wire(session["results"]), watch_opens(session["worktree"]))
    lead_to_worktree(session)
    if session["seed"] is not None:
        seed_generators(session["seed"])
    code = pytest.main(sys.argv[1:], plugins=[seeding])
    if not seeding.reported:
        seeding.report_absent()
    leave(int(code))


def leave(code: int) -> NoReturn:
    """End the process as Python does, but for taking all of its objects apart, which takes longer than most tests.

    Threads are waited for, and what is registered for the end is called.
    """
    ending: Any = threading  # what multiprocessing calls too where it ends a process like this (`process.py`)
    try:
        ending._shutdown()
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    finally:
        os._exit(code)


class Wire:
    """The pipe to the runner. A test that closes it, or opens another file in its place, cannot mislead anybody."""

    def __init__(self, descriptor: int) -> None:
        """Keep the inherited pipe to ourselves: no process that a test starts shall hold it open."""
        os.set_inheritable(descriptor, False)
        self.descriptor = descriptor
        self.identity = self._identity()

    def send(self, **message: object) -> None:
        """One line of JSON; nothing when the pipe is not ours any more."""
        data = json.dumps(message).encode() + b"\n"
        with contextlib.suppress(OSError):
            while data and self._identity() == self.identity:
                data = data[os.write(self.descriptor, data) :]

    def close(self) -> None:
        """For a child, which has nothing to say here."""
        os.close(self.descriptor)

    def _identity(self) -> tuple[int, int]:
        about = os.fstat(self.descriptor)
        return about.st_dev, about.st_ino


class Seeding:
    """The plugin: it collects as the project says, then runs what the runner asks for."""

    def __init__(self, session: dict[str, Any], wire: Wire, touched: set[str]) -> None:
        """Nothing is collected yet."""
        self.session = session
        self.wire = wire
        self.touched = touched
        self.reported = False
        self.collecting = False
        self.folder = session["worktree"]
        self.removed: list[object] = []
        self.labels: dict[object, str] = {}
        self.troubles: list[tuple[str, str]] = []
        self.config: pytest.Config | None = None

    # collection

    @pytest.hookimpl(tryfirst=True)
    def pytest_addoption(self, parser: pytest.Parser) -> None:
        """Read, and forget, the options of the plugins that are blocked."""
        group = parser.getgroup("blocked", "options of blocked plugins")
        for option, action in ABSENT_OPTIONS.items():
            group.addoption(option, action=action, dest="absent_" + option.strip("-").replace("-", "_"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self, early_config: pytest.Config) -> None:
        """Quiet pytest-cov, which starts here, and take out what starts later. What was read before was pytest's."""
        forget_configuration(self.touched)
        quiet(early_config.known_args_namespace, {"no_cov": True})
        manager = early_config.pluginmanager
        for name in filter(manager.has_plugin, REMOVED_PLUGINS):
            self.removed.append(manager.unregister(name=name))

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Switch off what would distribute, repeat, select or end."""
        self.config = config
        quiet(config.option, QUIET_OPTIONS)
        if not self.session["suite"]:
            quiet(config.option, CHOOSING_OPTIONS)
        for marker in MARKERS:
            config.addinivalue_line("markers", marker)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Say where the test would run, before anything of it does."""
        self.wire.send(kind="environment", environment=self.environment())

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Remember that the arguments were understood."""
        self.collecting = True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep why something was not collected."""
        if not report.passed:
            self.troubles.append(("error" if report.failed else "skipped", sentence_of(report)))

    def pytest_deselected(self, items: Iterable[pytest.Item]) -> None:
        """Keep that the test was there, and was deselected."""
        if any(self._is_wanted(item) for item in items):
            self.troubles.append(("not_run", "it was deselected"))

    # the runs

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the seed of a session of one seed; serve seeds to forks in the other mode."""
        wanted = next(filter(self._is_wanted, session.items), None)
        if wanted is None:
            self.report_absent()
        elif self.session["seed"] is not None:
            self._run(session, wanted, self.session["seed"])
            self.wire.send(kind="done", status=0)
        else:
            self._serve(session, wanted)
        self.reported = True
        return True

    def report_absent(self) -> None:
        """Say why the test was never run."""
        worst = dict(reversed(self.troubles))
        outcome = next((one for one in ("error", "skipped", "not_run") if one in worst), None)
        if outcome is None:
            outcome = "not_run" if self.collecting else "error"
            worst[outcome] = "there is no such test" if self.collecting else ""
        self._write({"outcome": outcome, "detail": worst[outcome]})
        self.wire.send(kind="absent")

    def environment(self) -> dict[str, Any]:
        """What this process says about itself."""
        assert self.config is not None
        modules = [sys.modules.get(name) for name in ("hypothesis", "numpy", "pytest")]
        known = {module.__name__: getattr(module, "__version__", None) for module in modules if module is not None}
        listed = self.config.pluginmanager.list_plugin_distinfo()
        labels = {self._label(distribution) for plugin, distribution in listed if plugin not in self.removed}
        return {
            "python": ".".join(map(str, sys.version_info[:3])),
            "implementation": sys.implementation.name,
            "timezone": list(tzname),
            "offsets": [localtime(instant).tm_gmtoff for instant in self.session["instants"]],
            "hash_seed": HASH_SEED,
            "randomized": bool(sys.flags.hash_randomization),
            "versions": {name: version for name, version in known.items() if isinstance(version, str)},
            "plugins": sorted(labels),
        }

    def _label(self, distribution: Any) -> str:
        """Its name and version, read once: its metadata are parsed anew for whoever asks, and this is asked twice."""
        if distribution not in self.labels:
            metadata = distribution.metadata
            self.labels[distribution] = f"{metadata['Name']}-{metadata['Version']}"
        return self.labels[distribution]

    def _is_wanted(self, item: pytest.Item) -> bool:
        path = os.path.relpath(str(item.path), self.session["worktree"]).replace(os.sep, "/")
        return bool(f"{path}::{item.nodeid.partition('::')[2]}" == self.session["test"])

    def _serve(self, session: pytest.Session, wanted: pytest.Item) -> None:
        others = len(sys._current_frames()) - 1
        if others:
            names = [thread.name for thread in threading.enumerate() if thread is not threading.current_thread()]
            self.wire.send(kind="threads", count=others, names=names)
            return
        self.folder = os.getcwd()
        self.wire.send(kind="ready")
        with open(self.session["commands"], "rb", buffering=0, closefd=False) as commands:
            for line in iter(commands.readline, b""):
                self._fork(session, wanted, int(line))

    def _fork(self, session: pytest.Session, wanted: pytest.Item, seed: int) -> None:
        """Run a seed in a child in a group of its own; what the child leaves running ends with it."""
        may_begin, begin = os.pipe()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # threads of native libraries, which know how to fork
            child = os.fork()
        if child == 0:
            try:
                os.setpgid(0, 0)
                os.close(begin)
                os.close(self.session["commands"])
                self.wire.close()
                os.chdir(self.folder)  # of the same name, but maybe another one: a test may have removed the first
                # the runner knows the group before the test begins; nothing begins when the parent is gone
                if os.read(may_begin, 1):
                    self._run(session, wanted, seed)
            finally:
                os._exit(0)
        os.close(may_begin)
        with contextlib.suppress(OSError):  # the child did it, or is gone
            os.setpgid(child, child)
        self.wire.send(kind="child", group=child)
        with contextlib.suppress(BrokenPipeError):
            os.write(begin, b"!")
        os.close(begin)
        self.wire.send(kind="done", status=end_group(child))

    def _run(self, session: pytest.Session, wanted: pytest.Item, seed: int) -> None:
        """Run the test, or what is around it too, and write what was seen."""
        items = session.items if self.session["suite"] else [wanted]
        seed_generators(seed)
        seen = Seen(wanted, self.environment)
        session.config.pluginmanager.register(seen, "flakeledger-seen")
        trial = None if self.session["witness"] is None else Trial()
        try:
            for number, item in enumerate(items, start=1):
                following = items[number] if number < len(items) else None
                prepare(item, seed)
                with contextlib.nullcontext() if trial is None else trial.placed(item, self.session["witness"]):
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        except Refused as refused:
            self._write({"outcome": "not_run", "detail": str(refused)})
            return
        except BaseException as error:
            self._write({"outcome": "error", "detail": f"{type(error).__name__}: {error}"})
            raise
        verdict = seen.verdict(self.session["environment_failures"])
        verdict = verdict if trial is None else trial.verdict(verdict)
        self._write({**verdict, "foreign": foreign_module(self.session)})

    def _write(self, result: Mapping[str, object]) -> None:
        self.reported = True
        path = self.session["result"]
        try:
            text = json.dumps({**result, "touched": sorted(self.touched)})
            with open(f"{path}.new", "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
            os.replace(f"{path}.new", path)
        except OSError as error:  # no room, no descriptors: the runner finds no result, and reads this in the output
            print(f"the result cannot be written: {error}", file=sys.__stderr__)


def seed_generators(seed: int) -> None:
    """Seed what draws without Hypothesis."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def prepare(item: pytest.Item, seed: int) -> None:
    """Let Hypothesis draw from the seed, read no example database, and have the test's real outcome reported."""
    core: Any = sys.modules.get("hypothesis.core")
    if hasattr(core, "global_force_seed"):
        core.global_force_seed = seed  # what --hypothesis-seed does; a state machine's database is off by it
    seeded = getattr(given_function(item), "_hypothesis_state_machine_class", None) or given_function(item)
    if seeded is not None:
        # wins over derandomize, however that was set, and sets database=None; 6.80 and 6.170
        sys.modules["hypothesis"].seed(seed)(seeded)
    holder: Any
    for holder in (function_of(item), getattr(item, "cls", None)):
        if getattr(holder, "__unittest_expecting_failure__", False) is True:
            holder.__unittest_expecting_failure__ = False  # --runxfail knows only pytest's own marks


def end_group(child: int) -> int:
    """Wait for a child, end what it left running in its group, and give its exit code (negative: a signal)."""
    if hasattr(os, "waitid"):  # until it is reaped, nobody else can have its number
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


if __name__ == "__main__":
    main()
