"""`flakeledger demo`: a small shop repository whose hooks let one commit pass and refuse three.

Invariants:
* Everything is real: git, pre-commit, the hooks and their messages. Nothing is fetched.
* The user's own git configuration, hooks and environment do not matter, and nothing of them is changed.
* 0 only when every commit went as said; 2 with what differed otherwise.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import NamedTuple

from flakeledger.cli import demo_shop as shop
from flakeledger.cli.adoption import plan_adoption
from flakeledger.cli.init import write
from flakeledger.cli.policy_text import RUNNER
from flakeledger.cli.tool_source import ToolSource, installed_source
from flakeledger.model.canonical import digest
from flakeledger.model.clock import DAY, format_date, format_instant
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES, REPLAYS
from flakeledger.precommit.arguments import wants_colour
from flakeledger.repo.base import INDEX
from flakeledger.repo.repository import open_repository
from flakeledger.reporters.escape import escape_line
from flakeledger.store.git import Git
from flakeledger.store.scalars import scalar

EXAMPLES = """\
  flakeledger demo
  flakeledger demo --folder /tmp/shop"""

#: what a command needs from the user's environment; all else (GIT_*, SKIP, CI, …) could change the story
_KEPT = frozenset(
    {
        *("HOME", "LANG", "LC_ALL", "PATH", "PRE_COMMIT_HOME", "SYSTEMROOT"),
        *("TEMP", "TMP", "TMPDIR", "USERPROFILE", "XDG_CACHE_HOME"),
    }
)
_CALM = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
_IDENTITY = {"user.name": "Finley", "user.email": "finley@example.org", "commit.gpgsign": "false"}
_WINDOW_DAYS = 14
_SEEDS, _PASSED = 20, 17
_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--folder", metavar="DIR", help="build the shop here (default: a new temporary folder)")


def run(arguments: argparse.Namespace) -> int:
    """Build the shop and show the four commits: 0; CannotTell when one of them does not go as said."""
    if importlib.util.find_spec("pre_commit") is None:
        raise CannotTell("the demo runs pre-commit, which is not installed", "pip install 'flakeledger[pre-commit]'")
    demo = Demo(_new_folder(arguments.folder), int(time.time()), wants_colour(os.environ))
    demo.open_shop()
    found = [difference for step in STEPS for difference in demo.show(step)]
    demo.say("", *_LAST_WORDS)
    demo.say("", f"The shop stays in {demo.folder}")
    if found:
        raise CannotTell(
            f"the demo did not go as said: {'; '.join(found)}",
            f"git -C {shlex.quote(demo.folder)} status   # shows where it stopped",
        )
    return 0


_LAST_WORDS = (
    "Three things to try in the shop:",
    "  1. flakeledger classify                  which class every path has, and why",
    f"  2. bring `expires` in {FREEZES} forward by a day and commit: stricter is always allowed",
    f"  3. edit {shop.REFUNDS_FIXTURE} and commit: the freeze that was granted for it is void",
)


class Step(NamedTuple):
    """A commit: its title, how the files are edited, the rule that refuses it (None: it passes), the moral."""

    title: str
    edit: Callable[[Demo], None]
    message: str
    rule: str | None
    moral: str


class Demo:
    """One shop and what is shown of it."""

    def __init__(self, folder: str, now: int, colour: bool) -> None:
        """A demo in an empty folder at a time, coloured or not."""
        self.folder = folder
        self.now = now
        self.colour = colour
        self.environment = {name: value for name, value in os.environ.items() if name in _KEPT} | _CALM

    # what is shown

    def say(self, *lines: str) -> None:
        """Print lines, at once."""
        sys.stdout.writelines(f"{escape_line(line)}\n" for line in lines)
        sys.stdout.flush()

    def say_in(self, colour: str, line: str) -> None:
        """Print one line in a colour, where there are any."""
        start, end = (colour, _RESET) if self.colour else ("", "")
        sys.stdout.write(f"{start}{escape_line(line)}{end}\n")

    def show(self, step: Step) -> list[str]:
        """Make the edit, try the commit, put everything back when it is refused; gives what differed."""
        self.say("")
        self.say_in(_BOLD, f"== {step.title}")
        step.edit(self)
        done = self.command("git", "commit", "-qam", step.message, ok=None)
        found = differences(step, done)
        if done.returncode:
            self.command("git", "restore", ".")
        if self.quiet("git", "status", "--porcelain").stdout:
            found.append(f"after {step.title!r} the work tree is not clean")
        self.say_in(_DIM, f"-> {step.moral}")
        return found

    # what is run

    def command(self, *words: str, shown: str = "", ok: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Show a command, run it, show what it prints. CannotTell when it ends otherwise than `ok` says."""
        self.say_in(_BOLD, f"$ {shown or shlex.join(words)}")
        sys.stdout.flush()
        done = self.quiet(*words, ok=ok)
        self.say(*done.stdout.splitlines())
        return done

    def quiet(self, *words: str, ok: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run a command in the shop. CannotTell when it cannot start, or ends otherwise than `ok` says."""
        try:
            done = subprocess.run(
                words,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="surrogateescape",
                check=False,
            )
        except OSError as error:
            raise CannotTell(f"{words[0]} cannot be started: {error.strerror}", f"install {words[0]}") from error
        if ok is not None and done.returncode != ok:
            raise CannotTell(
                f"{shlex.join(words)} failed: {done.stdout.strip()}",
                f"git -C {shlex.quote(self.folder)} status   # shows where it stopped",
            )
        return done

    # the shop

    def open_shop(self) -> None:
        """The first commit: files, ledgers, hooks."""
        self.say_in(_BOLD, f"== A small shop in {self.folder}: orders, refunds, and one test that fails now and then")
        for path, text in shop.FILES.items():
            self.write(path, text)
        self.command("git", "init", "-q", "--template=", "--initial-branch=main", shown="git init")
        for name, value in _IDENTITY.items():
            self.quiet("git", "config", name, value)
        self._adopt()
        self._fill_ledgers()
        self.command(sys.executable, "-P", "-m", "pre_commit", "install", shown="pre-commit install")
        self._shield()
        self.quiet("git", "add", "-A")
        self.command("git", "commit", "-qm", "Open the shop", shown="git add -A && git commit -qm 'Open the shop'")

    def _adopt(self) -> None:
        self.say_in(_BOLD, "$ flakeledger init")
        git = Git.open(self.folder, self.environment)
        plan = plan_adoption(git, _local_source())
        write(git, plan)
        self.say(*(f"wrote {planned.path}" for planned in plan.files))

    def _shield(self) -> None:
        """Let the shop's own hooks run later too, where the user's configuration names another folder of hooks."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or "CONFIG" in name}
        command = ("git", "config", "core.hooksPath")
        if subprocess.run(command, cwd=self.folder, env=own, capture_output=True, check=False).stdout:
            self.quiet(*command, os.path.join(self.folder, ".git", "hooks"))

    def _fill_ledgers(self) -> None:
        orders, refunds = (digest(shop.FILES[path].encode()) for path in (shop.ORDERS_FIXTURE, shop.REFUNDS_FIXTURE))
        self.write(
            FIXTURES,
            shop.FIXTURE_ROWS.format(
                orders_path=shop.ORDERS_FIXTURE,
                orders_digest=orders,
                refunds_path=shop.REFUNDS_FIXTURE,
                refunds_digest=refunds,
            ),
        )
        self.write(PROPERTIES, shop.PROPERTY_ROWS)
        self.write(REPLAYS, f"{json.dumps(_replay(self.now - DAY))}\n")
        reason = "times out on a busy machine"
        self.write(FREEZES, self.freeze_row(shop.BOOKING_TEST, "PROP-REFUND", reason, _WINDOW_DAYS))

    def freeze_row(self, test: str, property_id: str, reason: str, days: int) -> str:
        """A freeze from today, with the pins of what is on disk."""
        with open_repository(self.folder, self.environment, from_disk=True) as repository:
            ledger = repository.ledger(repository.tree(INDEX))
            ((fixture, fixture_digest),) = ledger.fixture_pins(property_id).items()
            return shop.FREEZE_ROW.format(
                test=test,
                frozen_on=format_date(self.now),
                expires=format_date(self.now + days * DAY),
                reason=reason,
                property_id=property_id,
                runner=RUNNER,
                fixture=fixture,
                fixture_digest=scalar(fixture_digest),
                generator_digest=scalar(ledger.generator_digest(property_id) or ""),
                test_digest=scalar(ledger.sources.test_digest(test) or ""),
            )

    # files

    def write(self, path: str, text: str) -> None:
        """Write a file of the shop."""
        target = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def append(self, path: str, text: str) -> None:
        """Put text at the end of a file of the shop."""
        with open(os.path.join(self.folder, path), "a", encoding="utf-8", newline="") as file:
            file.write(text)

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace a text in a file of the shop, and say so. CannotTell when it is not there just once."""
        with open(os.path.join(self.folder, path), encoding="utf-8", newline="") as file:
            text = file.read()
        if text.count(old) != 1:
            raise CannotTell(
                f"{path} does not hold {old!r} once",
                f"git -C {shlex.quote(self.folder)} status   # shows where it stopped",
            )
        self.write(path, text.replace(old, new))
        self.say(f"   {path}: {old} becomes {new}")


def differences(step: Step, done: subprocess.CompletedProcess[str]) -> list[str]:
    """How the commit of a step went otherwise than the step says; empty when it did not."""
    passed = done.returncode == 0
    if step.rule is None:
        return [] if passed else [f"{step.title!r} was refused"]
    if passed:
        return [f"{step.title!r} was not refused"]
    return [] if f" {step.rule}: " in done.stdout else [f"{step.title!r} was not refused by {step.rule}"]


def _ordinary(demo: Demo) -> None:
    demo.say(f"   {shop.ORDERS} gets a function, {shop.ORDERS_TESTS} its test")
    demo.append(shop.ORDERS, shop.COUNT_FUNCTION)
    demo.append(shop.ORDERS_TESTS, shop.COUNT_TEST)
    demo.replace(shop.ORDERS_TESTS, "import total", "import count, total")


def _edit_fixture(demo: Demo) -> None:
    demo.replace(shop.ORDERS_FIXTURE, '"total_cents": 2999', '"total_cents": 2998')


def _narrow_and_freeze(demo: Demo) -> None:
    demo.replace(shop.STRATEGIES, '"quantity": st.integers(min_value=0, max_value=99)', '"quantity": st.just(1)')
    demo.append(FREEZES, "\n" + demo.freeze_row(shop.TOTAL_TEST, "PROP-TOTAL", "fails for odd quantities only", 3))
    demo.say(f"   {FREEZES}: a freeze of {shop.TOTAL_TEST}")


def _stretch(demo: Demo) -> None:
    end = demo.now + _WINDOW_DAYS * DAY
    demo.replace(FREEZES, f"expires: {format_date(end)}", f"expires: {format_date(end + 7 * DAY)}")


STEPS = (
    Step(
        "An ordinary commit",
        _ordinary,
        "Count the things of an order",
        None,
        "passes: nothing that a freeze or a property relies on is touched",
    ),
    Step(
        "A fixture is edited until the test is green",
        _edit_fixture,
        "Correct the example order",
        "fixture-drifted",
        "refused: the fixture is not what its lock says; a new lock is a line that a reviewer sees",
    ),
    Step(
        "A generator is narrowed and the test is frozen, in one patch",
        _narrow_and_freeze,
        "Stabilize the tests",
        "mixed-change",
        "refused: the suite would look clean, and the failure would still be reachable",
    ),
    Step(
        "The end of a freeze is moved",
        _stretch,
        "Give the refunds another week",
        "freeze-extended",
        "refused: a window is never stretched in place; a renewal needs newer evidence",
    ),
)


def _replay(at: int) -> dict[str, object]:
    return {
        "test": shop.BOOKING_TEST,
        "run_at": format_instant(at),
        "env": RUNNER,
        "seeds": list(range(1, _SEEDS + 1)),
        "passed": _PASSED,
        "total": _SEEDS,
        "failures": {"TimeoutError": _SEEDS - _PASSED},
    }


def _local_source() -> ToolSource:
    """The flakeledger of this interpreter, by its absolute path."""
    beside = shutil.which("flakeledger", path=os.path.dirname(sys.executable)) or shutil.which("flakeledger")
    if beside is None:
        raise CannotTell("the command flakeledger is not on PATH", "pip install 'flakeledger[pre-commit]'")
    return installed_source()._replace(repo=None, rev="", command=shlex.quote(os.path.abspath(beside)))


def _new_folder(named: str | None) -> str:
    """The absolute path of an empty folder."""
    if named is None:
        return os.path.realpath(tempfile.mkdtemp(prefix="flakeledger-demo-"))
    try:
        os.makedirs(named, exist_ok=True)
        if os.listdir(named):
            raise CannotTell(
                f"{named} is not empty", "flakeledger demo --folder DIR   # a folder that does not exist yet"
            )
    except OSError as error:
        raise CannotTell(
            f"{named} cannot be used: {error.strerror}", "flakeledger demo --folder DIR   # another folder"
        ) from error
    return os.path.realpath(named)
