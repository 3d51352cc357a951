"""The stage of the demo: one shop repository, the commands that are run in it, and what is shown of them.

Invariants:
* Everything is real: git, pre-commit, the hooks and their messages. Nothing is fetched.
* The user's own git configuration, hooks and environment do not matter, and nothing of them is changed.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys

from flakeledger.cli import demo_shop as shop
from flakeledger.cli.adoption import plan_adoption
from flakeledger.cli.init import write
from flakeledger.cli.policy_text import RUNNER
from flakeledger.cli.tool_source import ToolSource, installed_source
from flakeledger.model.clock import DAY, format_date, format_instant
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES, REPLAYS
from flakeledger.repo.base import INDEX
from flakeledger.repo.repository import open_repository
from flakeledger.reporters.escape import escape_line
from flakeledger.store.git import Git
from flakeledger.store.scalars import scalar

#: what a command needs from the user's environment; all else (GIT_*, SKIP, CI, …) could change the story
_KEPT = frozenset(
    {
        *("HOME", "LANG", "LC_ALL", "PATH", "PRE_COMMIT_HOME", "SYSTEMROOT"),
        *("TEMP", "TMP", "TMPDIR", "USERPROFILE", "XDG_CACHE_HOME"),
    }
)
_CALM = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
_IDENTITY = {"user.name": "Finley", "user.email": "finley@example.org", "commit.gpgsign": "false"}
WINDOW_DAYS = 14
_SEEDS, _PASSED = 20, 17
BOLD, DIM = "\x1b[1m", "\x1b[2m"
_RESET = "\x1b[0m"


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

    # what is run

    def command(self, *words: str, shown: str = "", ok: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Show a command, run it, show what it prints. CannotTell when it ends otherwise than `ok` says."""
        self.say_in(BOLD, f"$ {shown or shlex.join(words)}")
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
        self.say_in(BOLD, f"== A small shop in {self.folder}: orders, refunds, and one test that fails now and then")
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
        self.say_in(BOLD, "$ flakeledger init")
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
        self.write(FIXTURES, shop.fixture_rows())
        self.write(PROPERTIES, shop.PROPERTY_ROWS)
        self.write(REPLAYS, f"{json.dumps(_replay(self.now - DAY))}\n")
        reason = "times out on a busy machine"
        self.write(FREEZES, self.freeze_row(shop.BOOKING_TEST, "PROP-REFUND", reason, WINDOW_DAYS))

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
