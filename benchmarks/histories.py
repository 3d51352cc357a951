"""How often the change rules refuse what people really did: replay real change histories, commit by commit.

    python benchmarks/histories.py FOLDER [--commits 300]

FOLDER holds a `.jsonl` file a project: one commit a line, the newest first, as
`{"commit": id, "changes": [[status, path], ...]}` with the statuses A, M and D. Paths are real, contents are made up.

Invariants:
* Each project becomes a real repository; `flakeledger init` adopts it at the oldest commit that is replayed.
* Every tenth commit also opens, renews or thaws a freeze, each with its evidence, the next when the last one stood.
* A commit that voids a freeze drops its row, as its author would have to; that is no refusal.
* A commit that is refused together with its row is committed without it, judged again, and the row waits.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from flakeledger.cli.main import main as flakeledger
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, GUARD, PROPERTIES, REPLAYS
from flakeledger.model.patterns import PathClasses, looks_like_test
from flakeledger.model.policy import Policy
from flakeledger.repo.base import INDEX
from flakeledger.repo.repository import open_repository

FIRST_DAY = date(2026, 1, 1)
EVERY = 10
PROPERTY_COUNT = 5
#: long enough to be open when the row is renewed ten days later, short enough to be due by then
WINDOW_DAYS = 12


class Commit(NamedTuple):
    """A commit of a history: what it was called, and the status of each path."""

    name: str
    changes: tuple[tuple[str, str], ...]


class Refusal(NamedTuple):
    """A commit that the checks refuse: the rules, what it did to a freeze, its paths and what was said."""

    commit: str
    rules: tuple[str, ...]
    step: str
    paths: tuple[str, ...]
    messages: tuple[str, ...]


@dataclass
class Outcome:
    """What became of a project."""

    judged: int = 0
    voided: int = 0
    steps: Counter[str] = field(default_factory=Counter)
    refusals: list[Refusal] = field(default_factory=list)
    generator_commits: int = 0
    #: of the test files at the adoption and at the end: how many fell to production, how many there are
    lost_tests: list[tuple[int, int]] = field(default_factory=list)


class History(NamedTuple):
    """What to replay: the paths that stood before, and the commits, the oldest first."""

    before: tuple[str, ...]
    commits: tuple[Commit, ...]


def read_history(file: Path, count: int) -> History:
    """The newest `count` commits of a history; the rest says which paths stood before them."""
    with file.open(encoding="utf-8") as lines:
        listed = [json.loads(line) for line in lines]
    commits = [Commit(one["commit"], tuple((status, path) for status, path in one["changes"])) for one in listed]
    commits.reverse()
    older, replayed = commits[:-count], commits[-count:]
    standing: dict[str, bool] = {}
    for commit in older:
        standing.update((path, status != "D") for status, path in commit.changes)
    first: dict[str, bool] = {}
    for commit in replayed:
        for status, path in commit.changes:
            first.setdefault(path, status != "A")
    standing.update(first)
    return History(tuple(sorted(path for path, stands in standing.items() if stands)), tuple(replayed))


class Project:
    """A repository that is built commit by commit, as one author would who froze a test now and then."""

    def __init__(self, root: Path, history: History) -> None:
        """Nothing is written yet."""
        self.root = root
        self.history = history
        self.day = 0
        self.counter = 0
        self.written: dict[str, str] = {}
        self.properties = {path: f"PROP-{number}" for number, path in enumerate(_steady_tests(history), start=1)}
        self.frozen: tuple[str, int, int] | None = None
        self.turn = 0
        self.outcome = Outcome()

    # the repository

    def git(self, *arguments: str, stdin: str | None = None) -> str:
        """What git prints."""
        command = ["git", "-c", "user.name=Finley", "-c", "user.email=finley@example.org", *arguments]
        done = subprocess.run(command, cwd=self.root, input=stdin, capture_output=True, text=True, check=True)
        return done.stdout

    def adopt(self) -> None:
        """The oldest tree, and on it what `flakeledger init` writes, with properties for a few of its tests."""
        self.git("init", "-q", "-b", "main", "--template=")
        self.git("fast-import", "--quiet", stdin="".join(self._first_commit()))
        self.git("reset", "-q", "--hard")
        before = {path.relative_to(self.root).as_posix(): path.read_bytes() for path in _files(self.root)}
        code, output = self.run("init")
        assert code == 0, output
        for file in _files(self.root):
            path = file.relative_to(self.root).as_posix()
            if before.get(path) != file.read_bytes():
                self.written[path] = file.read_text(encoding="utf-8")
        fixture = f"{Path(next(iter(self.properties))).parent}/fixtures/flakeledger.json"
        self.write(fixture, '{"schema": 1}\n')
        digest = hashlib.sha256((self.root / fixture).read_bytes()).hexdigest()
        self.write(FIXTURES, f"- id: FX-1\n  path: {fixture}\n  sha256: {digest}\n")
        rows = (
            f"- id: {name}\n  statement: what {path} protects\n  fixtures: [FX-1]\n"
            f"  tests: ['{path}::test_one', '{path}::test_two']\n"
            for path, name in self.properties.items()
        )
        self.write(PROPERTIES, "".join(rows))
        self.write(FREEZES, "")
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "-m", "adopt")
        assert self.judge().rules == (), self.judge()
        self.count_lost_tests()

    def _first_commit(self) -> Iterator[str]:
        yield "commit refs/heads/main\ncommitter Finley <finley@example.org> 1700000000 +0000\ndata 6\nbefore\n"
        for path in self.history.before:
            text = self.content(path)
            yield f'M 100644 inline "{path}"\ndata {len(text.encode())}\n{text}\n'

    def content(self, path: str) -> str:
        """A new text for a path: never the one it had, but the same tests."""
        self.counter += 1
        start = self.written.get(path, "repos: []\n" if path == GUARD else "")
        if path.endswith(".py") and looks_like_test(path):
            named = f'"""property_id: {self.properties[path]}"""\n' if path in self.properties else ""
            start = f"{named}def test_one():\n    assert True\ndef test_two():\n    assert True\n"
        return f"{start}# {path} {self.counter}\n"

    def write(self, path: str, text: str) -> None:
        """Put a file there."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def append(self, path: str, text: str) -> None:
        """Put text behind what stands there."""
        self.write(path, (self.root / path).read_text(encoding="utf-8") + text)

    def apply(self, commit: Commit) -> None:
        """What the commit did to its paths."""
        for status, path in commit.changes:
            if status == "D":
                (self.root / path).unlink(missing_ok=True)
            else:
                self.write(path, self.content(path))

    # judging

    def run(self, *arguments: str) -> tuple[int, str]:
        """The exit code and the standard output of a command of the product."""
        out = io.StringIO()
        with contextlib.chdir(self.root), contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = flakeledger(list(arguments))
        return code, out.getvalue()

    def judge(self, commit: str = "", step: str = "", paths: tuple[str, ...] = ()) -> Refusal:
        """What both checks refuse of what is staged; no rules: nothing."""
        found: list[tuple[str, str]] = []
        for check in ("check-ledgers", "check-change"):
            _, output = self.run(check, "--format", "json", "--now", f"{self.today()}T12:00:00Z")
            told = json.loads(output)
            if "cannot_tell" in told:
                found.append((f"{check}: cannot tell", told["cannot_tell"]["reason"]))
            for finding in told.get("findings", ()):
                if finding["level"] == "error":
                    found.append((finding["rule"], finding["message"]))
        rules = tuple(dict.fromkeys(rule for rule, _ in found))
        return Refusal(commit, rules, step, paths, tuple(message for _, message in found))

    def count_lost_tests(self) -> None:
        """Note how many test files fall to production, by `flakeledger classify`."""
        _, output = self.run("classify", "--format", "json")
        rows = [row for row in json.loads(output)["paths"] if looks_like_test(row["path"])]
        self.outcome.lost_tests.append((sum(row["class"] == "production" for row in rows), len(rows)))

    def policy(self) -> Policy:
        """The policy that is staged."""
        with open_repository(str(self.root), os.environ) as repository:
            policy = repository.policy(repository.tree(INDEX))
        assert policy is not None
        return policy

    # freezes

    def today(self, later: int = 0) -> str:
        """The date of the commit at hand: a day a commit."""
        return (FIRST_DAY + timedelta(days=self.day + later)).isoformat()

    def replay(self, test: str, passed: int) -> None:
        """Append evidence of this morning."""
        line = {
            "test": test,
            "run_at": f"{self.today()}T07:00:00Z",
            "env": self.policy().runners[0].name,
            "seeds": list(range(20)),
            "passed": passed,
            "total": 20,
        }
        failures = {} if passed == 20 else {"failures": {"TimeoutError": 20 - passed}}
        self.append(REPLAYS, json.dumps(line | failures) + "\n")

    def next_step(self) -> str:
        """What is due: open a row, renew it, thaw it."""
        if self.frozen is None:
            return "open"
        return "renew" if self.frozen[2] == 0 else "thaw"

    def make_step(self, step: str) -> None:
        """Edit the ledgers as the step says."""
        path = list(self.properties)[self.turn % len(self.properties)]
        test = f"{path}::test_one"
        self.replay(test, 20 if step == "thaw" else 18)
        if step == "thaw":
            self.write(FREEZES, "")
        else:
            self.git("add", "-A", "-f")
            self.write(FREEZES, self._row(test, self.properties[path], int(step == "renew")))

    def _row(self, test: str, property_id: str, renewed: int) -> str:
        with open_repository(str(self.root), os.environ) as repository:
            ledger = repository.ledger(repository.tree(INDEX))
            pins = ledger.fixture_pins(property_id)
            generators, text = ledger.generator_digest(property_id), ledger.sources.test_digest(test)
        runner = self.policy().runners[0].name
        fixtures = "".join(f"    {name}: {digest}\n" for name, digest in pins.items())
        return (
            f'- test: {test}\n  owner: "@finley"\n  frozen_on: {self.today()}\n  expires: {self.today(WINDOW_DAYS)}\n'
            f"  reason: depends on the wall clock\n  property_id: {property_id}\n  replay_env: {runner}\n"
            f"  runner_class: {runner}\n  failure_class: environment\n  fixture_hashes:\n{fixtures}"
            f"  generator_hash: {generators}\n  test_hash: {text}\n  renewed: {renewed}\n"
        )

    def step_done(self, step: str) -> None:
        """Remember what stands now."""
        self.outcome.steps[step] += 1
        path = list(self.properties)[self.turn % len(self.properties)]
        self.frozen = None if step == "thaw" else (path, self.day, int(step == "renew"))
        self.turn += step == "thaw"

    def drop_void(self) -> None:
        """Drop the row that the commit at hand voids, as the rules demand."""
        self.git("add", "-A", "-f")
        with open_repository(str(self.root), os.environ) as repository:
            ledger = repository.ledger(repository.tree(INDEX))
            void = any(ledger.void_pins(row) for row in ledger.freezes)
        if void:
            self.write(FREEZES, "")
            self.frozen = None
            self.turn += 1
            self.outcome.voided += 1

    # replaying

    def replay_all(self) -> Outcome:
        """Every commit of the history, judged as its hooks would have."""
        waiting = False
        classes = PathClasses(self.policy())
        for number, commit in enumerate(self.history.commits, start=1):
            self.day += 1
            self.apply(commit)
            generators = [path for _, path in commit.changes if classes.class_of(path).name == "generator"]
            self.outcome.generator_commits += bool(generators)
            if self.frozen is not None:
                self.drop_void()
            waiting = waiting or number % EVERY == 0
            if waiting:
                waiting = not self.commit_with_step(commit)
            else:
                self.commit_alone(commit)
        self.count_lost_tests()
        return self.outcome

    def commit_with_step(self, commit: Commit) -> bool:
        """Judge the commit together with the step that is due; whether it was let through."""
        step = self.next_step()
        kept = {path: (self.root / path).read_text(encoding="utf-8") for path in (FREEZES, REPLAYS)}
        self.make_step(step)
        if self._judged(commit, step):
            self.step_done(step)
            self.git("commit", "-q", "--allow-empty", "-m", commit.name)
            return True
        for path, text in kept.items():
            self.write(path, text)
        self.commit_alone(commit)
        return False

    def commit_alone(self, commit: Commit) -> None:
        """Judge the commit, and make it whatever is said."""
        self._judged(commit, "")
        self.git("commit", "-q", "--allow-empty", "-m", commit.name)

    def _judged(self, commit: Commit, step: str) -> bool:
        self.git("add", "-A", "-f")
        self.outcome.judged += 1
        found = self.judge(commit.name, step, tuple(path for _, path in commit.changes))
        if found.rules:
            self.outcome.refusals.append(found)
        return not found.rules


def _files(root: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name != ".git"]
        yield from (Path(folder) / file for file in files)


def _steady_tests(history: History) -> list[str]:
    """The Python test modules that were edited most and never went."""
    gone = {path for commit in history.commits for status, path in commit.changes if status == "D"}
    edits = Counter(path for commit in history.commits for _, path in commit.changes)
    steady = [path for path in history.before if path.endswith(".py") and looks_like_test(path) and path not in gone]
    return sorted(steady, key=lambda path: (-edits[path], path))[:PROPERTY_COUNT]


def show(name: str, outcome: Outcome) -> None:
    """Print what became of a project."""
    steps = ", ".join(f"{count} {step}" for step, count in sorted(outcome.steps.items()))
    lost = " and ".join(f"{fell} of {tests}" for fell, tests in outcome.lost_tests)
    print(f"{name}: {outcome.judged} judged, {len(outcome.refusals)} refused")
    print(f"  {outcome.generator_commits} commits edit a generator; freezes: {steps}, {outcome.voided} voided")
    print(f"  test files that fell to production, at the adoption and at the end: {lost}")
    for refusal in outcome.refusals:
        beside = f" beside `{refusal.step}`" if refusal.step else ""
        print(f"  {refusal.commit}{beside}: {', '.join(refusal.rules)}")
        for message in refusal.messages:
            print(f"    {message}")
        print(f"    paths: {', '.join(refusal.paths[:12])}{' …' if len(refusal.paths) > 12 else ''}")


def main(argv: Sequence[str] | None = None) -> int:
    """Replay every history of a folder and print what was refused."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder with the .jsonl files")
    parser.add_argument("--commits", type=int, default=300, help="how many of the newest commits (default: 300)")
    arguments = parser.parse_args(argv)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    os.environ |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    for file in sorted(arguments.folder.glob("*.jsonl")):
        with tempfile.TemporaryDirectory() as folder:
            project = Project(Path(folder), read_history(file, arguments.commits))
            project.adopt()
            show(file.stem, project.replay_all())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
