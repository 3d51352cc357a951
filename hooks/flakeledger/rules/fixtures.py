"""State rules about fixtures: the lock against the blob that git stores.

Invariants:
* One fault is one finding: a fixture that is no file has no digest that could drift.
* What the replays of a test opened is told of its first row; any other row of it is `freeze-duplicate`.
* What a replay opened is judged by the tree as it is now: a file that is gone since needs no lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FIXTURES
from flakeledger.model.records import repeated
from flakeledger.repo.ids import is_python
from flakeledger.repo.tree import REGULAR_MODES
from flakeledger.rules.freeze_evidence import replays_that_count
from flakeledger.rules.freezes import at

if TYPE_CHECKING:
    from flakeledger.model.records import Fixture, Freeze
    from flakeledger.repo.ledger import Ledger, LockedFile


def _at(fixture: Fixture, field: str, rule: str, message: str, fix: str) -> Finding:
    place = fixture.places.of(field)
    return Finding(FIXTURES, place.line, place.column, rule, message, fix, subject=fixture.id or "")


def _locked(ledger: Ledger) -> Iterator[tuple[Fixture, str, LockedFile]]:
    """Each row that names a path, the path, and what stands there."""
    for fixture in ledger.fixtures:
        if fixture.path is not None:
            yield fixture, fixture.path, ledger.locked_file(fixture)


def fixture_missing(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """No file at the path."""
    for fixture, path, locked in _locked(ledger):
        if locked.state == "missing":
            from shlex import quote  # a file that is there pays for no command

            fix = f"git add {quote(path)}, or remove the row {fixture.id} together with the file"
            yield _at(fixture, "path", "fixture-missing", f"{path} is not in the tree", fix)


def fixture_not_a_file(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """A symbolic link, a submodule or a folder: its content is not what git stores at the path."""
    for fixture, path, locked in _locked(ledger):
        if locked.state == "not-a-file":
            message = f"{path} is {locked.problem}; a fixture is a regular file"
            fix = "write the `path` of a regular file of this repository"
            yield _at(fixture, "path", "fixture-not-a-file", message, fix)


def fixture_drifted(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The blob's digest is not the lock's."""
    for fixture, path, locked in _locked(ledger):
        if locked.state == "file" and fixture.sha256 not in (None, locked.digest):
            from shlex import quote  # a lock that holds pays for no command to write

            message = f"{path} is not what {fixture.id or 'this row'} locks: its digest is {locked.digest}"
            fix = (
                f"flakeledger lock {quote(path)}   # if the edit is meant\n"
                f"or write by hand, in the same commit: sha256: {locked.digest}"
            )
            yield _at(fixture, "sha256", "fixture-drifted", message, fix)


def fixture_contract(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """A fixture hashed as a contract that cannot be one says why."""
    for fixture, path, locked in _locked(ledger):
        if locked.state == "no-contract":
            message = f"{path} cannot be a contract: {locked.problem}"
            yield _at(fixture, "hash", "fixture-contract", message, "mend the file, or lock its bytes: hash: bytes")


def fixture_duplicate(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """One row a path, one row an id."""
    for field in ("id", "path"):
        for fixture, earlier in repeated(ledger.fixtures, field):
            line = earlier.places.line
            message = f"{field} {getattr(fixture, field)} stands twice; the first row is on line {line}"
            either = f"delete this row, or the one on line {line}, from {FIXTURES}"
            fix = either if field == "path" else "give this row an `id` of its own"
            yield _at(fixture, field, "fixture-duplicate", message, fix)


def fixture_unlocked(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """A replay that is evidence for a freeze opened a data file of class generator that no fixture row locks.

    Fresh evidence causes it, not an edit: whoever records a replay must not be stopped by what it shows.
    """
    touching = {replay.test for replay in ledger.replays if replay.touched}
    for freeze in ledger.freezes if touching else ():
        if freeze.test not in touching or not ledger.is_first(freeze):
            continue
        for path in sorted(path for path in _touched(ledger, freeze) if _needs_lock(ledger, freeze, path)):
            from shlex import quote  # only an open file without a lock pays for it

            message = f"a replay of {freeze.test} opened {path}, whose content no fixture locks"
            fix = f"flakeledger lock --add {quote(path)}   # then list its id in `fixtures` of {freeze.property_id}"
            yield at(freeze, "test", "fixture-unlocked", message, fix)._replace(by_time=True)


def _touched(ledger: Ledger, freeze: Freeze) -> set[str]:
    assert ledger.policy is not None
    replays = replays_that_count(ledger, freeze, ledger.policy.limits)
    return {path for replay in replays for path in replay.touched}


def _needs_lock(ledger: Ledger, freeze: Freeze, path: str) -> bool:
    """Whether a path is that of a data file of class generator that neither a fixture nor the freeze itself pins."""
    entry = ledger.tree.entry(path)
    assert ledger.policy is not None and ledger.classes is not None
    if entry is None or entry.mode not in REGULAR_MODES or is_python(path) or path in ledger.locked_paths:
        return False
    # the seed list says under which seeds replays run, and holds nothing that a property could read
    if path == ledger.policy.seeds or ledger.classes.class_of(path).name != "generator":
        return False
    # where a property lists its data among its `generators`, the freeze's own pin holds it, and a lock would void that
    return freeze.generator_hash is None or not ledger.is_generator(freeze.property_id, path)
