"""State rules about fixtures: the lock against the blob that git stores.

Invariants:
* One fault is one finding: a fixture that is no file has no digest that could drift.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FIXTURES

if TYPE_CHECKING:
    from flakeledger.model.records import Fixture
    from flakeledger.repo.ledger import Ledger


def _at(fixture: Fixture, field: str, rule: str, message: str, fix: str) -> Finding:
    place = fixture.places.of(field)
    return Finding(FIXTURES, place.line, place.column, rule, message, fix, subject=fixture.id or "")


def fixture_missing(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """No file at the path."""
    for fixture in ledger.fixtures:
        if fixture.path is not None and ledger.locked_file(fixture).state == "missing":
            yield _at(
                fixture,
                "path",
                "fixture-missing",
                f"{fixture.path} is not in the tree",
                f"git add {fixture.path}, or remove the row {fixture.id} together with the file",
            )


def fixture_not_a_file(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """A symbolic link, a submodule or a folder: its content is not what git stores at the path."""
    for fixture in ledger.fixtures:
        if fixture.path is not None:
            locked = ledger.locked_file(fixture)
            if locked.state == "not-a-file":
                message = f"{fixture.path} is {locked.problem}; a fixture is a regular file"
                yield _at(fixture, "path", "fixture-not-a-file", message, "name a regular file of this repository")


def fixture_drifted(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The blob's digest is not the lock's."""
    for fixture in ledger.fixtures:
        if fixture.path is None or fixture.sha256 is None:
            continue
        locked = ledger.locked_file(fixture)
        if locked.state == "file" and locked.digest != fixture.sha256:
            from shlex import quote  # a lock that holds pays for no command to write

            yield _at(
                fixture,
                "sha256",
                "fixture-drifted",
                f"{fixture.path} is not what {fixture.id or 'this row'} locks: its digest is {locked.digest}",
                f"flakeledger lock {quote(fixture.path)}   # if the edit is meant\n"
                f"or write by hand, in the same commit: sha256: {locked.digest}",
            )


def fixture_contract(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """A fixture hashed as a contract that cannot be one says why."""
    for fixture in ledger.fixtures:
        if fixture.path is not None:
            locked = ledger.locked_file(fixture)
            if locked.state == "no-contract":
                yield _at(
                    fixture,
                    "hash",
                    "fixture-contract",
                    f"{fixture.path} cannot be a contract: {locked.problem}",
                    "mend the file, or lock its bytes: hash: bytes",
                )


def fixture_duplicate(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """One row a path, one row an id."""
    for field in ("id", "path"):
        first: dict[str, Fixture] = {}
        for fixture in ledger.fixtures:
            value = getattr(fixture, field)
            if value is None:
                continue
            earlier = first.setdefault(value, fixture)
            if earlier is not fixture:
                yield _at(
                    fixture,
                    field,
                    "fixture-duplicate",
                    f"{field} {value} stands twice; the first row is on line {earlier.places.line}",
                    "keep one of the two rows" if field == "path" else "give this row an id of its own",
                )
