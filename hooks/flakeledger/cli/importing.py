"""`flakeledger import`: the quarantine lists that a team keeps today, or the marks in its test code, as freezes.

Invariants:
* Nothing is written but rows that every rule accepts, in one write; the rest is a work list.
* Lists are read whole, at most `LARGEST_LIST` bytes of a regular file, and nothing in them or in test code is run.
* Marks stay in the code: the command reads test code and never edits it.
"""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakeledger.cli.granting import values_of
from flakeledger.cli.import_plan import Candidate, Drafts, Given, sort_entries
from flakeledger.cli.import_report import FORMATS, Outcome, announce, progress
from flakeledger.cli.ledger_edits import LedgerEdits, OpenLedgers, open_ledgers, policy_of, refuse_unreadable
from flakeledger.cli.typed_paths import repository_path
from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.model.patterns import looks_like_test
from flakeledger.model.rows import Place
from flakeledger.precommit.arguments import instant, now_of
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.marks import marks_of
from flakeledger.repo.repository import Repository
from flakeledger.repo.situation import INDEX
from flakeledger.reporters.escape import escape_line
from flakeledger.rules.rehearsal import rehearse
from flakeledger.store.edits import Edits
from flakeledger.store.quarantine_entries import Entry, Selector
from flakeledger.store.quarantine_lists import KINDS, LARGEST_LIST, read_list

EXAMPLES = """\
  flakeledger import quarantine.txt --owner "@finley" --days 3
  flakeledger import muted-tests.yml --dry-run --format csv > work.csv
  flakeledger import .config/nextest.toml test/parallel/parallel.status --days 3
  flakeledger import --marks tests/ --owner "@org/team" --days 3"""

#: what a module must hold to have a mark
_WORDS = (b"skip", b"xfail", b"flaky", b"expectedFailure")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="lists; with --marks test modules or folders of them")
    parser.add_argument("--marks", action="store_true", help="import skip, xfail and flaky marks of Python tests")
    parser.add_argument("--kind", choices=sorted(KINDS), help="the kind of the lists (default: from name and text)")
    parser.add_argument("--property", metavar="ID", help="the property of tests whose entry names none")
    parser.add_argument("--owner", metavar="NAME", help="who owns entries without an owner (default: CODEOWNERS)")
    parser.add_argument("--runner", metavar="NAME", help="the runner of the rows (default: the policy's)")
    parser.add_argument("--days", type=_days, metavar="N", help="the window, from today, of entries without an end")
    parser.add_argument("--dry-run", action="store_true", help="judge and report; write nothing")
    parser.add_argument("--format", choices=sorted(FORMATS), default="text", help="of the work list (default: text)")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="import at this time: 2026-10-11T00:00:00Z")


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text)):
        raise argparse.ArgumentTypeError("it is a number of days from 1")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Import: 0, or 1 when some entry lacks something; CannotTell when a list or a ledger cannot be read."""
    if not arguments.files and not arguments.marks:
        raise CannotTell(
            "there is nothing to import",
            "flakeledger import FILE   # a list; the marks in test code: flakeledger import --marks",
        )
    if arguments.marks and arguments.kind:
        raise CannotTell(
            "--marks reads test code, which has no --kind", "flakeledger import --marks   # or without --marks"
        )
    with open_ledgers(writes=not arguments.dry_run) as ledgers:
        outcome = _import(ledgers, arguments)
    sys.stdout.write(FORMATS[arguments.format](outcome))
    sys.stdout.flush()
    said = [] if arguments.format == "text" else [outcome.summary]
    if outcome.found.accepted and not outcome.dry_run:
        said.append(f"next: git add {FREEZES}, and commit")
        if arguments.marks:
            said.append("the marks still stand in the code; a frozen test runs, so take its skip out")
    sys.stderr.writelines(f"{escape_line(line)}\n" for line in said)
    return int(bool(outcome.found.unfit))


class _Found(NamedTuple):
    """An entry, and the folder that its ids may be relative to."""

    entry: Entry
    beside: str


def _import(ledgers: OpenLedgers, arguments: argparse.Namespace) -> Outcome:
    repository = ledgers.repository
    ledger = repository.ledger(repository.tree(INDEX))
    refuse_unreadable(ledger, (FREEZES, FIXTURES, PROPERTIES))
    policy_of(ledger)
    given = Given(arguments.property, arguments.owner, arguments.runner, arguments.days)
    now = now_of(arguments)
    found = list(_marked(repository, ledger, arguments.files) if arguments.marks else _listed(repository, arguments))
    drafts = Drafts(ledger, given, now)
    drafted = [(each.entry, drafts.candidate(each.entry, each.beside)) for each in progress(found, "read")]
    attempt = _Attempt(repository, now)
    outcome = Outcome(sort_entries(drafted, ledger, attempt.refusals), arguments.dry_run)
    if outcome.found.accepted and not arguments.dry_run:
        attempt.write(outcome.found.accepted, ledgers.right)
    return outcome


class _Attempt:
    """The edit that writes the rows of candidates, judged and shrunk until the rules accept it."""

    def __init__(self, repository: Repository, now: int) -> None:
        """Nothing is edited yet."""
        self._repository = repository
        self._now = now
        self._edits = LedgerEdits(repository)
        self._tests: set[str] = set()

    def refusals(self, candidates: Sequence[Candidate]) -> list[Finding]:
        """What the rules find about an edit that writes these rows."""
        announce("judging", len(candidates))
        tests = self._set(candidates)
        return rehearse(self._repository, self._edits.files, self._now).refusals(tests)

    def write(self, candidates: Sequence[Candidate], right: Edits | None) -> None:
        """Write these rows, with the right to edit. CannotTell when the ledger cannot be written."""
        self._set(candidates)
        self._edits.write(right)

    def _set(self, candidates: Sequence[Candidate]) -> set[str]:
        """Let the edit hold these rows: all of them at first, later fewer."""
        tests = {candidate.test for candidate in candidates}
        if not self._tests:
            self._edits.append_all(FREEZES, [values_of(candidate.row) for candidate in candidates])
        elif self._tests > tests:
            self._edits.remove_all(FREEZES, sorted(self._tests - tests))
        self._tests = tests
        return tests


def _listed(repository: Repository, arguments: argparse.Namespace) -> Iterator[_Found]:
    root = repository.git.root
    for name in dict.fromkeys(arguments.files):
        data = _read(name)
        path = _path_of(root, name)
        for entry in read_list(data, path, arguments.kind):
            yield _Found(entry, beside=path.rpartition("/")[0])


def _path_of(root: str, name: str) -> str:
    """What a list is called: its path in the repository; outside of it, what was typed."""
    try:
        return repository_path(root, name)
    except CannotTell:
        return name


def _read(name: str) -> bytes:
    """The bytes of a regular file, one more than may be read at most."""
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):
            raise CannotTell(
                f"{name} is no regular file",
                "flakeledger import FILE   # a list; for test code: flakeledger import --marks FILE",
            )
        with open(name, "rb") as file:
            return file.read(LARGEST_LIST + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CannotTell(
            f"{name!r} cannot be read: {reason}", "flakeledger import FILE   # with a file that can be read"
        ) from error


def _marked(repository: Repository, ledger: Ledger, names: Sequence[str]) -> Iterator[_Found]:
    """The marked tests of the modules that are or lie below what was named; of all test modules by default."""
    wanted = [repository_path(repository.git.root, name) for name in names]
    modules = [
        path for path in sorted(ledger.tree.entries) if path.endswith(".py") and _is_wanted(ledger, path, wanted)
    ]
    missing = next((path for path in wanted if not any(_is_below(module, path) for module in modules)), None)
    if missing is not None:
        raise CannotTell(
            f"{missing} is, or holds, no Python module of this tree",
            "flakeledger import --marks FILE   # a test module, or a folder of them",
        )
    for path in progress(modules, "parsed"):
        data = ledger.tree.read(path) or b""
        if not any(word in data for word in _WORDS):
            continue
        marks = marks_of(data)
        if isinstance(marks, str):
            yield _Found(Entry(path, Place(1, 1), Selector(path, "none"), problem=marks), "")
            continue
        for mark in marks:
            reason = mark.reason or f"{mark.name} mark in {path}, which does not say why"
            yield _Found(Entry(path, mark.place, Selector(f"{path}::{mark.test}", "id"), reason=reason), "")


def _is_wanted(ledger: Ledger, path: str, wanted: Sequence[str]) -> bool:
    if wanted:
        return any(_is_below(path, each) for each in wanted)
    classes = ledger.classes
    return looks_like_test(path) or (classes is not None and classes.class_of(path).name == "test_body")


def _is_below(path: str, folder: str) -> bool:
    return folder == "." or path == folder or path.startswith(f"{folder}/")
