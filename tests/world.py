"""A small real repository with ledgers, edited by hand as a person would, and judged by the two checks.

Invariants:
* Every edit is an edit of text files; pins are those that the product itself computes for the tree.
* Day 0 is a fixed date; the checks run at noon UTC of the day they are given, replays ran that morning.
* A verdict is the set of rules that blocked, and `UNDECIDED` when a check ended with 2.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from conftest import git
from flakeledger.cli.main import main
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.repo.base import INDEX
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import open_repository

Verdict = frozenset[str]
Value = str | int | Sequence[str] | Mapping[str, str]
Start = Callable[["World"], None]

UNDECIDED = "exit 2"
CHECKS = ("check-ledgers", "check-change")
DAY_0 = date(2026, 3, 2)

TESTS = "tests/test_orders.py"
REFUND, TOTAL, CLOCK = (f"{TESTS}::test_{name}" for name in ("refund", "total", "clock"))
ORDERS = "tests/fixtures/orders.json"
CONFTEST = "tests/conftest.py"
STRATEGIES = "tests/strategies.py"
PRODUCT = "src/orders.py"

BASE_POLICY = """\
version: 1
level: keyed
paths:
  - class: freeze_config
    match: [/ledgers/, "freeze/"]
  - class: generator
    match: [conftest.py, "strategies/", strategies.py, "fixtures/", factories.py, /tests/seeds/]
  - class: runner
    match: [tox.ini, /.github/workflows/]
  - class: review_only
    match: ["auth/"]
  - class: test_body
    match: ["/tests/", "test_*.py", "*_test.py"]
limits:
  max_window_days: 30
  unproven_days: 3
  max_replay_age_days: 14
  max_freezes: 50
  max_renewals: 1
  warn_days: 7
seeds: tests/seeds/gate.json
stale_rows: block
environment_failures: [TimeoutError]
runners:
  - name: pinned-py311
  - name: local-fixture
"""

BASE_FILES = {
    PRODUCT: "def total():\n    return 3\n",
    CONFTEST: "LIMIT = 1\n",
    STRATEGIES: "from hypothesis import strategies\n\namounts = strategies.integers(0, 9)\n",
    "tests/seeds/gate.json": "[1, 2, 3]\n",
    ORDERS: '{"a": 1}\n',
    TESTS: '''\
"""What an order adds up to. property_id: PROP-1"""
from hypothesis import given
from src.orders import total
from tests.strategies import amounts
@given(amounts)
def test_refund(x):
    assert x >= 0
def test_total():
    assert total() == 3
def test_clock():
    assert total() > 0
''',
}
#: a property whose tests are these three, on the one fixture
BASE_PROPERTY = {"id": "PROP-1", "statement": "a refund is never negative", "fixtures": ["FX-1"]}


def on(day: int) -> str:
    """The date of a day."""
    return (DAY_0 + timedelta(days=day)).isoformat()


def field_text(name: str, value: Value) -> str:
    """The lines of one field of a row, indented by two."""
    if isinstance(value, Mapping):
        return f"  {name}:\n" + "".join(f"    {key}: {item}\n" for key, item in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"  {name}:\n" + "".join(f"    - {item}\n" for item in value) if value else f"  {name}: []\n"
    return f"  {name}: {json.dumps(value) if re.search('[@ ]', str(value)) else value}\n"


def row_text(fields: Mapping[str, Value]) -> str:
    """A row of a YAML ledger."""
    return "- " + "".join(field_text(name, value) for name, value in fields.items())[2:]


class World:
    """A repository on disk. `World.new` makes one with the base tree committed on main."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def new(cls, root: Path, level: str = "keyed", stale_rows: str = "block", **policy: Value) -> World:
        """A new repository with the base tree, one commit on main."""
        world = cls(root)
        root.mkdir()
        world.git("init", "-q", "--template=")
        world.git("config", "maintenance.auto", "false")
        for path, text in BASE_FILES.items():
            world.write(path, text)
        world.write(POLICY, BASE_POLICY)
        world.set_policy(level=level, stale_rows=stale_rows, **policy)
        world.add_fixture("FX-1", ORDERS)
        world.add_row(PROPERTIES, **BASE_PROPERTY, tests=[REFUND, TOTAL, CLOCK])
        world.write(FREEZES, "")
        world.write(REPLAYS, "")
        world.record("base")
        return world

    def copy(self, root: Path) -> World:
        """The same repository at another place."""
        shutil.copytree(self.root, root)
        return World(root)

    # files

    def git(self, *arguments: str, **environment: str) -> str:
        """What git prints at the root."""
        return git(self.root, *arguments, environment=environment)

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def append(self, path: str, text: str) -> None:
        self.write(path, self.read(path) + text)

    def sub(self, path: str, old: str, new: str) -> None:
        """Replace a text that must be there, everywhere in the file."""
        text = self.read(path)
        assert old in text, f"{path} does not hold {old!r}"
        self.write(path, text.replace(old, new))

    def move(self, old: str, new: str) -> None:
        """Move a file or a folder."""
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def delete(self, *paths: str) -> None:
        for path in paths:
            (self.root / path).unlink()

    # ledgers

    def set_policy(self, **fields: Value) -> None:
        """Change values that the policy's text holds."""
        text = self.read(POLICY)
        for name, value in fields.items():
            text, count = re.subn(rf"(?m)^( *{name}:) .*$", rf"\1 {value}", text)
            assert count == 1, f"the policy does not say {name}"
        self.write(POLICY, text)

    def rows(self, ledger: str) -> list[str]:
        """The texts of a ledger's rows."""
        return re.split(r"(?m)^(?=- )", self.read(ledger))[1:]

    def row(self, ledger: str, key: str) -> str:
        """The text of one row, found by its test or id."""
        return next(text for text in self.rows(ledger) if re.match(rf"- \w+: {re.escape(key)}\n", text))

    def add_row(self, ledger: str, **fields: Value) -> None:
        """Append a row."""
        text = self.read(ledger) if (self.root / ledger).exists() else ""
        self.write(ledger, text + row_text(fields))

    def remove_row(self, ledger: str, key: str) -> None:
        self.sub(ledger, self.row(ledger, key), "")

    def set_fields(self, ledger: str, key: str, **fields: Value | None) -> None:
        """Change fields of a row, add those it lacks, remove those set to None."""
        before = self.row(ledger, key)
        text = before
        for name, value in fields.items():
            found = re.search(rf"(?m)^  {name}:.*\n(?:    .*\n)*", text)
            start, end = found.span() if found else (len(text), len(text))
            text = text[:start] + ("" if value is None else field_text(name, value)) + text[end:]
        self.sub(ledger, before, text)

    def add_fixture(self, name: str, path: str) -> None:
        """A fixture row with the digest of what lies at the path."""
        self.add_row(FIXTURES, id=name, path=path, sha256=self.digest_of(path))

    def lock(self, name: str = "FX-1", path: str = ORDERS) -> None:
        """Write the digest that the file has now."""
        self.set_fields(FIXTURES, name, sha256=self.digest_of(path))

    def digest_of(self, path: str) -> str:
        """The digest of a file's content, as people compute it: sha256sum."""
        return hashlib.sha256((self.root / path).read_bytes()).hexdigest()

    def replay(
        self,
        day: int,
        passed: int = 18,
        total: int = 20,
        test: str = REFUND,
        env: str = "pinned-py311",
        failure: str = "TimeoutError",
    ) -> None:
        """Append a line to the log; no two lines are equal."""
        number = self.read(REPLAYS).count("\n")
        line = {
            "test": test,
            "run_at": f"{on(day)}T{7 + number // 60:02}:{number % 60:02}:00Z",
            "env": env,
            "seeds": list(range(total)),
            "passed": passed,
            "total": total,
        }
        failures = {"failures": {failure: total - passed}} if passed < total else {}
        self.append(REPLAYS, json.dumps(line | failures) + "\n")

    @contextlib.contextmanager
    def ledger(self) -> Iterator[Ledger]:
        """What the product reads in the tree as it lies here, staged."""
        self.git("add", "-A")
        with open_repository(str(self.root), os.environ) as repository:
            yield repository.ledger(repository.tree(INDEX))

    def pins(self, test: str, ledger: Ledger) -> dict[str, Value]:
        """What a freeze of the test must say at the policy's level, beyond what every level needs."""
        policy = ledger.policy
        assert policy is not None
        found = next(row.id for row in ledger.properties if test in (row.tests or ()))
        pins: dict[str, Value] = {"property_id": found or "", "replay_env": "pinned-py311"}
        if policy.level == "ledger":
            return pins
        digests = {
            "generator_hash": ledger.generator_digest(found) or "",
            "test_hash": ledger.sources.test_digest(test) or "",
        }
        return pins | {
            "runner_class": "pinned-py311",
            "failure_class": "environment",
            "fixture_hashes": ledger.fixture_pins(found),
            **digests,
        }

    def freeze(self, test: str, day: int, days: int, **fields: Value) -> None:
        """Append a row that is right for the tree as it lies here."""
        self.freeze_all([test], day, days, **fields)

    def freeze_all(self, tests: Sequence[str], day: int, days: int, **fields: Value) -> None:
        """Append a right row for each test."""
        with self.ledger() as ledger:
            pins = {test: self.pins(test, ledger) for test in tests}
        for test in tests:
            row: dict[str, Value] = {"test": test, "owner": "@finley", "frozen_on": on(day), "expires": on(day + days)}
            self.add_row(FREEZES, **(row | {"reason": "depends on the wall clock"} | pins[test] | fields))

    def unfreeze(self, *tests: str) -> None:
        for test in tests or (REFUND,):
            self.remove_row(FREEZES, test)

    # judging

    def record(self, message: str = "edit", **environment: str) -> None:
        """A commit of everything that lies here, unjudged."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, **environment)

    def head(self) -> str:
        """The commit that HEAD is at."""
        return self.git("rev-parse", "HEAD")

    def commit(self, day: int) -> Verdict:
        """Stage everything, judge it as the hooks do, and commit it whatever they say."""
        self.git("add", "-A")
        verdict = self.judge(day)
        self.git("commit", "-q", "--allow-empty", "-m", "judged")
        return verdict

    def judge(self, day: int, *arguments: str, **environment: str) -> Verdict:
        """What both checks refuse, run at the root at noon of the day."""
        return frozenset[str]().union(
            *(self.run(check, "--now", f"{on(day)}T12:00:00Z", *arguments, **environment) for check in CHECKS)
        )

    def judge_pull_request(self, day: int) -> Verdict:
        """What both checks refuse of the branch as a whole, against main."""
        return self.judge(day, "--base", "main")

    def judge_push(self, day: int, before: str) -> Verdict:
        """What both checks refuse on GitHub after a push to main."""
        event = {
            "ref": "refs/heads/main",
            "before": before,
            "after": self.head(),
            "repository": {"default_branch": "main"},
        }
        file = self.root.with_name(f"{self.root.name}-event.json")
        file.write_text(json.dumps(event), encoding="utf-8")
        service = {"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(file)}
        return self.judge(day, **service, GITHUB_REF="refs/heads/main")

    def judge_schedule(self, day: int) -> Verdict:
        """What both checks refuse in a scheduled run of GitHub on main."""
        file = self.root.with_name(f"{self.root.name}-schedule.json")
        file.write_text(json.dumps({"schedule": "0 6 * * *"}), encoding="utf-8")
        service = {"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(file)}
        return self.judge(day, **service, GITHUB_EVENT_NAME="schedule", GITHUB_REF="refs/heads/main")

    def squash(self) -> str:
        """Squash the branch onto main; gives where main stood before."""
        before = self.git("rev-parse", "main")
        self.git("switch", "-q", "main")
        self.git("merge", "-q", "--squash", "work")
        self.git("commit", "-q", "--allow-empty", "-m", "squashed")
        return before

    def run(self, check: str, *arguments: str, **environment: str) -> Verdict:
        """The rules that one check refuses by; its exit code must say the same."""
        code, out = run_main(self.root, [check, "--format", "json", *arguments], environment)
        report = json.loads(out)
        findings = report.get("findings", ())
        rules = frozenset(finding["rule"] for finding in findings if finding["level"] == "error")
        assert code == 2 if "cannot_tell" in report else code or not rules, out
        assert code != 1 or rules, out
        return rules | ({UNDECIDED} if code == 2 else set())


def run_main(where: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """The exit code and the standard output of a command, run in this process at a place."""
    out = io.StringIO()
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        with contextlib.chdir(where), contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = main(list(arguments))
    finally:
        os.environ.clear()
        os.environ.update(before)
    return code, out.getvalue()


class Templates:
    """Repositories that many tests start from, each made once and copied."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[tuple[Start, str, str], World] = {}

    def start(self, root: Path, start: Start, level: str, stale_rows: str) -> World:
        """A copy of the repository that `start` builds on the base tree, on a branch of its own called work."""
        key = (start, level, stale_rows)
        if key not in self._made:
            made = World.new(self.folder / str(len(self._made)), level, stale_rows)
            start(made)
            made.git("switch", "-q", "-c", "work")
            self._made[key] = made
        return self._made[key].copy(root)
