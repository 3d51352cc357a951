"""`flakeledger lock`: writes the digests of fixtures, of what git would store for the files on disk.

Invariants:
* A lock is a regular file of this repository; nothing is written while one of those that are meant cannot be made.
* A digest that a freeze pins is not written over: the row of the freeze goes in the same edit, or nothing is written.
* A standing row keeps everything but its digest.
* No contract is locked in which the scanner of `evidence/secrets.py` finds something: a lock keeps it for ever.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import or_
from shlex import quote
from typing import NamedTuple

from flakeledger.cli.ledger_edits import LedgerEdits, OpenLedgers, open_ledgers, refuse_unreadable
from flakeledger.cli.typed_paths import repository_path
from flakeledger.model.errors import CannotTell
from flakeledger.model.fields import FIXTURE_FIELDS
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.model.records import Fixture, Freeze
from flakeledger.model.report import Report
from flakeledger.model.rows import Places
from flakeledger.precommit.output import show
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository
from flakeledger.repo.situation import INDEX
from flakeledger.reporters.escape import escape_line
from flakeledger.rules.fixtures import fixture_contract, fixture_drifted, fixture_missing, fixture_not_a_file
from flakeledger.rules.freezes import at, shown
from flakeledger.store.editor import NewValue

EXAMPLES = """\
  flakeledger lock                # every fixture whose file changed
  flakeledger lock tests/fixtures/orders.json
  flakeledger lock --add tests/fixtures/rates.json  # a row with a free id
  flakeledger lock --check        # only tell: 1 when a lock differs
  flakeledger lock --drop-void    # the rows of freezes that fall with it go too"""

FIRST_ID = "FX-1"
_NUMBERED = re.compile(r"(.*?)([0-9]{1,15})", re.ASCII)
#: the rules that say that a lock cannot be made
_NO_LOCKS = (fixture_missing, fixture_not_a_file, fixture_contract)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files of fixtures (default: all that are locked)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--add", action="store_true", help="make rows for the files that none locks yet")
    how.add_argument("--check", action="store_true", help="only tell: exit code 1 when a lock differs")
    parser.add_argument(
        "--drop-void", action="store_true", help="remove the rows of freezes that pin what is locked anew"
    )


def run(arguments: argparse.Namespace) -> int:
    """Lock: 0; 1 when a lock differs (--check), cannot be made, or a freeze pins it; CannotTell on bad usage."""
    if arguments.add and not arguments.paths:
        raise CannotTell("--add needs the files to lock", "flakeledger lock --add PATH")
    with open_ledgers(writes=not arguments.check) as ledgers:
        return _lock(ledgers, arguments)


class Locks(NamedTuple):
    """What is to be locked: standing rows with another digest, and new rows."""

    changed: tuple[Fixture, ...]
    added: tuple[Fixture, ...]


def _lock(ledgers: OpenLedgers, arguments: argparse.Namespace) -> int:
    repository = ledgers.repository
    ledger = repository.ledger(repository.tree(INDEX))
    refuse_unreadable(ledger, (FIXTURES, FREEZES))
    paths = list(dict.fromkeys(repository_path(repository.git.root, name) for name in arguments.paths))
    rows = _standing(ledger, paths, arguments.add)
    wrong = sorted(finding for rule in _NO_LOCKS for finding in rule(_only(ledger, rows), 0))
    drifted = sorted(fixture_drifted(_only(ledger, rows), 0))
    if wrong or arguments.check:
        return _told(ledger, sorted([*wrong, *drifted]), len(rows))
    locks = Locks(
        tuple(row._replace(sha256=digest) for row in rows if (digest := _digest(ledger, row)) != row.sha256),
        tuple(_new_rows(ledger, paths)),
    )
    secrets = list(_secrets(ledger, [*locks.changed, *locks.added]))
    if secrets:
        return _told(ledger, secrets, len(rows))
    edits = LedgerEdits(repository)
    _write_locks(edits, locks)
    void = _void_rows(repository, ledger, edits, locks)
    if void and not arguments.drop_void:
        changed = frozenset(row.id for row in locks.changed)
        return _told(ledger, [_pinned(freeze, changed) for freeze in void], len(rows))
    if void:
        edits.remove_all(FREEZES, [str(freeze.test) for freeze in void])
    edits.write(ledgers.right)
    _say(_done(rows, locks, void))
    _say(edits.next_steps())
    return 0


def _standing(ledger: Ledger, paths: Sequence[str], adds: bool) -> list[Fixture]:
    """The rows that are meant. CannotTell when a path has none and none is to be made, or a row has no id or path."""
    nameless = next((row for row in ledger.fixtures if row.id is None or row.path is None), None)
    if nameless is not None:
        place = nameless.places.of()
        raise CannotTell(
            f"the row on line {place.line} has no id or no path that can be read",
            "flakeledger check   # says what is wrong with the row; mend it by hand",
            f"{FIXTURES}:{place.line}:{place.column}",
        )
    locked = {row.path for row in ledger.fixtures}
    for path in paths:
        if path not in locked and not adds:
            raise CannotTell(f"no row of {FIXTURES} locks {path}", f"flakeledger lock --add {quote(path)}")
    wanted = frozenset(paths)
    return [row for row in ledger.fixtures if not wanted or row.path in wanted]


def _only(ledger: Ledger, rows: Sequence[Fixture]) -> Ledger:
    """The ledger with these fixtures alone, for the rules about fixtures."""
    changed = ledger.rows._replace(fixtures=tuple(rows))
    return Ledger(ledger.tree, changed, ledger.files, ledger.modules, ledger.citing)


def _digest(ledger: Ledger, row: Fixture) -> str:
    digest = ledger.locked_file(row).digest
    assert digest is not None  # a row whose file has none was refused above
    return digest


def _new_rows(ledger: Ledger, paths: Sequence[str]) -> Iterator[Fixture]:
    """A row for each path that has none. CannotTell for what is no regular file of the tree."""
    locked = {row.path for row in ledger.fixtures}
    taken = {name for row in ledger.properties for name in row.fixtures or ()}
    taken |= {name for row in ledger.freezes for name in row.fixture_hashes or ()}
    ids, name = [row.id for row in ledger.fixtures if row.id is not None], ""
    for path in paths:
        if path not in locked:
            # the ids after one that is free are free as well, and in the style of the last one
            name = next_id([name]) if name else next_id(ids, taken)
            yield _new_row(ledger, name, path)


def next_id(ids: Sequence[str], taken: Iterable[str] = ()) -> str:
    """The next free id in the style of the last one that ends in a number: FX-7 -> FX-8, FX-007 -> FX-008.

    `taken` are ids that are used without having a row.
    """
    numbered = [found for name in [*ids, *taken] if (found := _NUMBERED.fullmatch(name))]
    last = next((found for name in reversed(ids) if (found := _NUMBERED.fullmatch(name))), None)
    if last is None:
        last = _NUMBERED.fullmatch(FIRST_ID)
        assert last is not None
        if not any(found[1] == last[1] for found in numbered):
            return FIRST_ID
    highest = max(int(found[2]) for found in [last, *numbered] if found[1] == last[1])
    return f"{last[1]}{highest + 1:0{len(last[2])}d}"


def _new_row(ledger: Ledger, name: str, path: str) -> Fixture:
    complaint = FIXTURE_FIELDS.by_name["path"].kind.complaint(path)
    if complaint or not path.isprintable():
        raise CannotTell(
            f"{path!r} cannot stand in a ledger: {complaint or 'it holds odd characters'}",
            f"git mv {quote(path)} NEW_NAME",
        )
    row = Fixture(Places(1, 1, {}), name, path, None, None)
    locked = ledger.locked_file(row)
    if locked.state == "missing":
        raise CannotTell(f"{path} is not in the tree", f"create it; if git ignores it: git add -f {quote(path)}")
    if locked.digest is None:
        raise CannotTell(
            f"{path} is {locked.problem}; a fixture is a regular file",
            "flakeledger lock --add PATH   # with a file of this repository",
        )
    contract = ledger.locked_file(row._replace(hash="contract")).digest
    return row._replace(sha256=contract or locked.digest, hash="contract" if contract else None)


def _secrets(ledger: Ledger, rows: Iterable[Fixture]) -> Iterator[Finding]:
    """What looks like a secret in the contracts that are to be locked, the first one of each."""
    for row in rows:
        data = ledger.tree.read(str(row.path)) if row.hash == "contract" else None
        if data is None:
            continue
        from flakeledger.evidence.secrets import secret_in  # a lock of bytes pays for no scanner
        from flakeledger.model.canonical import strict_object

        secret = secret_in(strict_object(data))  # it has the digest of a contract, so it is one
        if secret is not None:
            message = f"{row.path} holds {secret.told}"
            fix = "write an invented value in its place; if it is a real secret, have it replaced where it is used"
            yield Finding(str(row.path), 1, 1, "fixture-contract", message, fix, subject=row.id or "")


def _write_locks(edits: LedgerEdits, locks: Locks) -> None:
    if locks.changed:
        edits.change_all(FIXTURES, {str(row.id): {"sha256": str(row.sha256)} for row in locks.changed})
    if locks.added:
        edits.append_all(FIXTURES, [_fields(row) for row in locks.added])


def _fields(row: Fixture) -> dict[str, NewValue]:
    return {name: value for name, value in row._asdict().items() if name != "places" and value is not None}


def _void_rows(repository: Repository, ledger: Ledger, edits: LedgerEdits, locks: Locks) -> list[Freeze]:
    """The freezes that pin another digest of a fixture that is locked anew, or that a new row makes void.

    A locked file is no generator any more, so a new row may change the generators of a property.
    """
    digests = {row.id: row.sha256 for row in locks.changed}
    pins = [any(_differs(row, name, digests) for name in row.fixture_hashes or ()) for row in ledger.freezes]
    if not locks.added or not ledger.freezes:
        return list(compress(ledger.freezes, pins))
    with repository.with_files(edits.files) as edited:
        after = edited.ledger(edited.tree(INDEX))
        falls = [bool(after.void_pins(row)) and not ledger.void_pins(row) for row in ledger.freezes]
    return list(compress(ledger.freezes, map(or_, pins, falls)))


def _differs(row: Freeze, name: str, digests: Mapping[str | None, str | None]) -> bool:
    return name in digests and (row.fixture_hashes or {})[name] != digests[name]


def _pinned(freeze: Freeze, changed: Collection[str | None]) -> Finding:
    """Why nothing is written: the row that stands in the way, and who owns it."""
    names = [name for name in freeze.fixture_hashes or () if name in changed]
    what = f"pins {', '.join(names)}" if names else "pins the generators of its property, which a new row changes"
    return at(
        freeze,
        "fixture_hashes" if names else "generator_hash",
        "freeze-fixture-hash" if names else "freeze-generator-hash",
        f"the freeze of {shown(freeze)} {what}; {freeze.owner or 'nobody'} owns it, until {freeze.expires or 'ever'}",
        "ask its owner, then remove the row in the same edit: flakeledger lock --drop-void",
    )


def _told(ledger: Ledger, findings: Sequence[Finding], rows: int) -> int:
    """Print what was found and what was judged: 1 when there is anything, else 0."""
    note = f"{rows} {'lock was' if rows == 1 else 'locks were'} compared; nothing was written"
    show(Report("lock", tuple(findings), ledger.counts(), ledger.tree.label, "", "", (note,)), "text")
    return int(bool(findings))


def _done(rows: Sequence[Fixture], locks: Locks, void: Sequence[Freeze]) -> Iterator[str]:
    for row in locks.changed:
        yield f"locked {row.id}: {row.path} {row.sha256}"
    for row in locks.added:
        yield f"added {row.id}: {row.path} {row.sha256}{' as a contract' if row.hash else ''}"
    for freeze in void:
        yield f"removed the void freeze of {freeze.test}, which {freeze.owner or 'nobody'} owned"
    if not locks.changed and not locks.added:
        yield f"nothing to do: {len(rows)} {'lock holds' if len(rows) == 1 else 'locks hold'}"
    if locks.added:
        names = ", ".join(str(row.id) for row in locks.added)
        yield f"next: list {names} in the fixtures of a property in {PROPERTIES}"


def _say(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{escape_line(line)}\n" for line in lines)
