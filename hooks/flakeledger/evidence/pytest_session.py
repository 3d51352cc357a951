"""One session of pytest that runs one test: under one seed, or under many, each in a fork after collection.

Invariants:
* The tests' interpreter is given `copied_files.FILES` and nothing else of flakeledger.
* Results are read from a file that the session wrote whole; nothing that it printed decides anything.
* A session that broke is never asked again; the next seed gets a new one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple

from flakeledger.evidence.copied_files import PACKAGE, install
from flakeledger.evidence.environment import INSTANTS, refusal, variables
from flakeledger.evidence.processes import NotBegun, Process, open_pipes
from flakeledger.evidence.runs import Environment, Job, SeedRun, environment_from_json, run_from_json, too_long
from flakeledger.evidence.sealing import Sealing
from flakeledger.evidence.worktree import Worktree, clean, empty_folder, is_clean
from flakeledger.model.errors import CannotTell
from flakeledger.model.wording import listed, shown
from flakeledger.store.git_worktrees import undisturbed

#: seconds that pytest has to end its session once the test is over
FAREWELL = 5.0
TEMPORARY = "tmp"
_SITE, _CACHE, _HYPOTHESIS = "site-packages", "cache", "hypothesis"
_NO_RESULT = "its process ended {how} before the test was over"
_LONGEST_RESULT = 64 << 20


class Around(NamedTuple):
    """What is out of the ordinary about the sessions of a job.

    `witness` is what the test runs under instead of its own draws: its property_id and its arguments. `allowed` are the
    variables of ours that it sees, None: all. `sealing` is what keeps it off the network.
    """

    witness: Mapping[str, object] | None = None
    allowed: frozenset[str] | None = None
    sealing: Sealing = Sealing("on")


NOTHING = Around()


def process_runs(job: Job, worktree: Worktree, stop: Callable[[], bool], around: Around = NOTHING) -> Iterator[SeedRun]:
    """A session for each seed. See `runner.run_seeds`."""
    for seed in job.seeds:
        if stop():
            return
        begun = monotonic()
        _tidy(worktree)
        session = Session(job, worktree, seed, stop, around)
        patience = 0.0
        try:
            run = session.seed_run(seed, begun, ("done", "absent"))
            patience = FAREWELL
        finally:
            session.end(patience)
        yield run._replace(seconds=monotonic() - begun)


def fork_runs(job: Job, worktree: Worktree, stop: Callable[[], bool]) -> Iterator[SeedRun]:
    """One session for all seeds, or a new one where the last broke. See `runner.run_seeds`."""
    session: Session | None = None
    patience = 0.0
    try:
        for seed in job.seeds:
            if stop():
                return
            patience = 0.0
            begun = monotonic()
            _tidy(worktree)
            if session is None:
                session = Session(job, worktree, None, stop)
            run = session.forked_run(seed, begun)
            patience = FAREWELL
            if session.broken or not session.collected_clean:
                session.end(FAREWELL)
                session = None
            yield run._replace(seconds=monotonic() - begun)
    finally:
        if session is not None:
            session.end(patience)


class Session:
    """A pytest under way. `end` must be called, on every way out."""

    def __init__(
        self, job: Job, worktree: Worktree, seed: int | None, stop: Callable[[], bool], around: Around = NOTHING
    ) -> None:
        """Start it for one seed, or for forks when `seed` is None. CannotTell when that cannot be done.

        `collected_clean` says that collecting left no file: those would be gone before the next fork.
        """
        self._job, self._worktree, self._around = job, worktree, around
        self._temporary = f"{worktree.scratch}/{TEMPORARY}"
        self._marker = f"TMPDIR={self._temporary}"
        self._result = f"{worktree.scratch}/result.json"
        self._checked_seed = job.seeds[0] if seed is None else seed
        self._child: int | None = None
        self._told_environment = False
        self._collected = False
        self._absent: SeedRun | None = None
        self.collected_clean = True
        self.broken = False
        self._process = self._start(seed, stop)

    def forked_run(self, seed: int, begun: float) -> SeedRun:
        """What a fork of the session showed under a seed. CannotTell when it cannot fork, or is no evidence."""
        if self._absent is not None:
            return self._absent._replace(seed=seed)
        if not self._collected:
            message = self._hear(("ready", "absent"), begun + self._job.timeout)
            self._collected = message["kind"] == "ready"
            if not self._collected:
                run = self._run(seed, message)
                self._absent = run if message["kind"] == "absent" else None
                return run
            self.collected_clean = self._left_nothing()
            begun = monotonic()
        self._process.tell(b"%d\n" % seed)
        run = self.seed_run(seed, begun, ("done",))
        self._process.kill_strays(self._marker)
        return run

    def seed_run(self, seed: int, begun: float, kinds: tuple[str, ...]) -> SeedRun:
        """Hear the session until it sends one of these messages, and read what the seed showed."""
        return self._run(seed, self._hear(kinds, begun + self._job.timeout))

    def end(self, patience: float = 0.0) -> None:
        """End it with all that its tests started."""
        running = [] if self._child is None else [self._child]
        self._process.end(running, self._marker, 0.0 if self.broken or running else patience)

    # starting

    def _start(self, seed: int | None, stop: Callable[[], bool]) -> Process:
        job, worktree = self._job, self._worktree
        site = f"{worktree.scratch}/{_SITE}"
        allowed = self._around.allowed
        ours = {name: value for name, value in os.environ.items() if allowed is None or name in allowed}
        environment = variables(ours, job.runner, self._checked_seed, self._temporary, (worktree.root, worktree.path))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (site, environment.get("PYTHONPATH"))))
        environment["HYPOTHESIS_STORAGE_DIRECTORY"] = f"{worktree.scratch}/{_HYPOTHESIS}"
        pipes = open_pipes()
        install(f"{site}/{PACKAGE}", {**self._settings(seed), "results": pipes.results, "commands": pipes.commands})
        sealing = self._around.sealing
        command = [*sealing.words, job.python, "-m", f"{PACKAGE}.seeding_plugin", *self._arguments()]
        try:
            return Process(command, worktree.path, environment, pipes, stop, sealing.call)
        except NotBegun as error:
            raise CannotTell(
                f"the network could be taken away before, and could not for this run: {error}",
                "look at the limits of this system (user.max_net_namespaces), and run it again",
            ) from error
        except OSError as error:
            raise CannotTell(
                f"{shown(job.python)} cannot be started: {error.strerror}", "name another interpreter: --python PATH"
            ) from error

    def _arguments(self) -> list[str]:
        """The user's own options stay; see `seeding_options.QUIET_OPTIONS` for those of them that do nothing here.

        The cache is moved, not blocked: options such as --lf, and the fixture `cache`, need its plugin.
        """
        asked = self._job.suite or self._job.test
        return [
            f"{self._worktree.path}/{asked}",
            *("-p", "no:flakeledger", "-p", "no:randomly"),
            *("-o", f"cache_dir={self._worktree.scratch}/{_CACHE}"),
            "--runxfail",
            "--color=no",
        ]

    def _settings(self, seed: int | None) -> dict[str, object]:
        job, worktree = self._job, self._worktree
        return {
            "test": job.test,
            "suite": job.suite is not None,
            "seed": seed,
            "root": worktree.root,
            "worktree": worktree.path,
            "scratch": worktree.scratch,
            "result": self._result,
            "instants": INSTANTS,
            "environment_failures": job.environment_failures,
            "witness": self._around.witness,
        }

    # hearing

    def _hear(self, kinds: tuple[str, ...], deadline: float) -> Mapping[str, Any]:
        """The next message of one of these kinds, `timeout` when none came in time, `gone` when none can come."""
        while True:
            try:
                line = self._process.next_line(deadline)
            except TimeoutError:
                self.broken = True
                return {"kind": "timeout"}
            message = {"kind": "gone"} if line is None else _message(line)
            kind = message.get("kind")
            if kind == "environment":
                self._told_environment = True
                self._check(message.get("environment"))
            elif kind == "child" and isinstance(group := message.get("group"), int):
                self._child = group
            elif kind == "threads":
                raise _threads(message)
            elif kind == "gone" or kind in kinds:
                self.broken = kind == "gone"
                self._child = None if kind == "done" else self._child
                return message

    def _run(self, seed: int, message: Mapping[str, Any]) -> SeedRun:
        if message["kind"] == "timeout":
            return SeedRun(seed, "timeout", detail=too_long(self._job.timeout))
        result = _read_result(self._result)
        if result is None:
            return self._without_result(seed, message)
        if result.get("foreign"):
            raise CannotTell(
                f"the test imported {result['foreign']} from the working tree, not from its commit",
                "install the package with pip install -e ., or put its folder on PYTHONPATH: both lead to the commit",
            )
        environment = None if result.get("environment") is None else self._check(result["environment"])
        known = SeedRun(seed, "error")._asdict() | {name: result[name] for name in SeedRun._fields if name in result}
        try:
            run = run_from_json({**known, "environment": None, "seed": seed})
        except ValueError as error:
            return SeedRun(seed, "error", detail=f"the test wrote over its own result: {error}")
        touched = tracked_data_files(self._worktree, run.touched)
        return run._replace(touched=touched, environment=environment, detail=run.detail or self._words(run))

    def _left_nothing(self) -> bool:
        folders = (self._temporary, f"{self._worktree.scratch}/{_CACHE}")
        return not any(map(os.listdir, folders)) and is_clean(self._worktree)

    def _words(self, run: SeedRun) -> str:
        """What to say of an error that left no sentence: pytest could not begin."""
        words = self._process.last_words() if run.outcome == "error" else ""
        return words[1:].lstrip() if words.startswith("E  ") else words  # pytest's mark of what was raised

    def _without_result(self, seed: int, message: Mapping[str, Any]) -> SeedRun:
        words = self._process.last_words()
        if not self._told_environment and "No module named" in words and "pytest" in words:
            raise CannotTell(
                f"pytest cannot be imported by {shown(self._job.python)}",
                "install pytest there, or name the interpreter that has it: --python PATH",
            )
        code = message.get("status") if self._job.mode == "fork" else None
        code = code if isinstance(code, int) else self._process.wait(monotonic() + FAREWELL)
        detail = _NO_RESULT.format(how=how_it_ended(code))
        return SeedRun(seed, "error", detail=f"{detail}: {words}" if words else detail)

    def _check(self, values: object) -> Environment:
        """The environment that was reported. CannotTell when it is none, or not the runner's."""
        try:
            environment = environment_from_json(values if isinstance(values, Mapping) else {})
        except ValueError as error:
            fix = "let the tests leave the modules of flakeledger_seeding alone"
            raise CannotTell(f"the tests' process reported no environment: {error}", fix) from error
        refused = refusal(environment, self._job.runner, self._checked_seed)
        if refused is not None:
            raise refused
        return environment


def tracked_data_files(worktree: Worktree, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the paths that are files of the commit, sorted."""
    if not paths:
        return ()
    with undisturbed():
        # not asked in the worktree: the test may have removed it
        return tuple(sorted(worktree.origin.tree_entries(worktree.commit, paths).keys() & set(paths)))


def how_it_ended(code: int) -> str:
    """An exit code in words."""
    from signal import Signals

    if code >= 0:
        return f"with exit code {code}"
    with suppress(ValueError):
        return f"by signal {Signals(-code).name}"
    return f"by signal {-code}"


def _tidy(worktree: Worktree) -> bool:
    """Nothing of the last seed is left; whether the worktree was clean."""
    for name in (TEMPORARY, _CACHE, f"{_HYPOTHESIS}/examples"):
        empty_folder(f"{worktree.scratch}/{name}")
    with suppress(FileNotFoundError):
        os.unlink(f"{worktree.scratch}/result.json")
    return clean(worktree)


def _message(line: bytes) -> dict[str, Any]:
    """A line of the pipe; nothing when it is none of ours."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _read_result(path: str) -> dict[str, Any] | None:
    """What the session wrote, None when it wrote nothing."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LONGEST_RESULT)
    except OSError:
        return None
    return _message(data) or None


def _threads(message: Mapping[str, Any]) -> CannotTell:
    names = [name for name in message.get("names") or () if isinstance(name, str)]
    which = f" ({listed(names)})" if names else ""
    return CannotTell(
        f"the tests cannot be forked: threads run once they are collected{which}",
        "leave --fast out: every seed then gets a process of its own",
    )
