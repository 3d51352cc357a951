"""The life of freezes through history: which commit opened, changed, renewed or removed a row, and what was decided.

Invariants:
* Every line of history counts, and a commit's date never does. Newest first: children stand before their parents.
* A merge did to a row only what none of its parents has.
* What cannot be read in an old version is left out: the checks refuse such a version, so no freeze stood in it.
* Why a row left is told where both trees can be read, else not at all; nothing is guessed.
* A version is read once a blob; the number of processes does not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Literal, NamedTuple, TypeVar

from flakeledger.model.decision_trailers import TRAILER, recorded
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES, REPLAYS
from flakeledger.model.records import Freeze, Property
from flakeledger.repo.change import changed_fields, voids
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository
from flakeledger.repo.tree import REGULAR_MODES
from flakeledger.store.commit_messages import Message, commits_that_say, messages, newest_first
from flakeledger.store.git_history import PathVersion, path_history

What = Literal["opened", "changed", "renewed", "removed", "stated", "restated", "retired", "decided"]
Why = Literal["void", "by choice", "with its test", ""]
Record = TypeVar("Record", Freeze, Property)
#: the ledger of a revision
Ledgers = Callable[[str], Ledger]


class FieldChange(NamedTuple):
    """A field of a row before and after a commit; None where it is absent."""

    name: str
    before: object
    after: object


class Event(NamedTuple):
    """What a commit did to a row, or recorded.

    `test` is "" for an event of a property and for a decision. `why` says why a row was removed, "" where that cannot
    be told. `decision` and `now` (an instant) are those of a recorded decision, else "".
    """

    commit: str
    what: What
    test: str
    property_id: str
    fields: tuple[FieldChange, ...] = ()
    why: Why = ""
    decision: str = ""
    now: str = ""


class Life(NamedTuple):
    """The life of the freezes of a test or a property.

    `standing` are their rows in the tree where history begins. `cut_off` says why older events are not known; None
    where all of them are.
    """

    events: tuple[Event, ...]
    messages: Mapping[str, Message]
    standing: tuple[Freeze, ...]
    cut_off: CannotTell | None


def life_of_test(repository: Repository, start: str, test: str) -> Life:
    """What happened to the rows of a test behind a commit, and what was decided on the properties they named."""
    freezes = path_history(repository.git, [start], FREEZES)
    events = [*_freeze_events(repository, freezes.versions, lambda row: row.test == test)]
    rows = tuple(row for row in _standing(repository, start) if row.test == test)
    named = {event.property_id for event in events}
    named |= {
        str(side) for event in events for field in event.fields if field.name == "property_id" for side in field[1:]
    }
    return _life(repository, start, events, named, rows, freezes.cut_off)


def life_of_property(repository: Repository, start: str, name: str) -> Life:
    """What happened to the rows of a property's tests and to its own row, and what was decided on it."""
    freezes, properties = (path_history(repository.git, [start], path) for path in (FREEZES, PROPERTIES))
    events = [
        *_freeze_events(repository, freezes.versions, lambda row: row.property_id == name),
        *_property_events(repository, properties.versions, name),
    ]
    rows = tuple(row for row in _standing(repository, start) if row.property_id == name)
    return _life(repository, start, events, {name}, rows, freezes.cut_off or properties.cut_off)


def known_names(repository: Repository, start: str) -> list[str]:
    """The tests and the properties that rows of freezes ever named, sorted."""
    versions = path_history(repository.git, [start], FREEZES).versions
    oids = {oid for version in versions for oid in (*version.before, version.after)}
    rows = [row for oid in oids if oid for row in repository.freezes_of_blob(oid)]
    return sorted({name for row in rows for name in (row.test, row.property_id) if name})


def _life(
    repository: Repository,
    start: str,
    events: list[Event],
    properties: set[str],
    standing: tuple[Freeze, ...],
    cut_off: CannotTell | None,
) -> Life:
    """The events and the decisions on some properties in the order of history, each with its commit's message."""
    git = repository.git
    commits = dict.fromkeys((*(event.commit for event in events), *commits_that_say(git, start, f"{TRAILER}:")))
    said = {message.commit: message for message in messages(git, list(commits), TRAILER)}
    events += _decisions(said.values(), properties)
    positions = {commit: number for number, commit in enumerate(newest_first(git, start))}
    events.sort(key=lambda event: positions[event.commit])
    return Life(tuple(events), said, standing, cut_off)


def _decisions(said: Iterable[Message], properties: set[str]) -> Iterator[Event]:
    for message in said:
        for value in message.values:
            found = recorded(value)
            if found is not None and found.property_id in properties:
                one = Event(message.commit, "decided", "", found.property_id)
                yield one._replace(decision=found.decision, now=found.now)


def _standing(repository: Repository, start: str) -> tuple[Freeze, ...]:
    entry = repository.tree(start).entry(FREEZES)
    return repository.freezes_of_blob(entry.oid) if entry is not None and entry.mode in REGULAR_MODES else ()


def _freeze_events(
    repository: Repository, versions: Iterable[PathVersion], concerns: Callable[[Freeze], bool]
) -> Iterator[Event]:
    """What happened to the freezes of `concerns`; a row counts when it did before or does after a commit."""

    @cache
    def rows(oid: str) -> Mapping[str, Freeze]:
        found = repository.freezes_of_blob(oid) if oid else ()
        return {row.test: row for row in reversed(found) if row.test is not None}

    ledgers = cache(partial(_ledger, repository))
    for version in versions:
        for test, olds, new in _moved([rows(oid) for oid in version.before], rows(version.after)):
            if any(row is not None and concerns(row) for row in (new, *olds)):
                yield _freeze_event(version.commit, test, olds, new, ledgers)


def _freeze_event(commit: str, test: str, olds: Sequence[Freeze | None], new: Freeze | None, ledgers: Ledgers) -> Event:
    """What a commit did to the row of a test; `olds` are the rows of its parents, of which the first that is counts."""
    parent, old = next(((number, row) for number, row in enumerate(olds, 1) if row is not None), (0, None))
    what: What = "opened"
    why: Why = ""
    if old is not None and new is None:
        what, why = "removed", _why_removed(ledgers, f"{commit}^{parent}", commit, old)
    elif old is not None and new is not None:
        what = "changed" if old.frozen_on == new.frozen_on else "renewed"
    shown = new or old
    property_id = shown.property_id if shown is not None else None
    return Event(commit, what, test, property_id or "", _fields(Freeze, old, new), why)


def _property_events(repository: Repository, versions: Iterable[PathVersion], name: str) -> Iterator[Event]:
    """When the property got a row, got another statement, and lost its row."""

    @cache
    def rows(oid: str) -> Mapping[str, Property]:
        found = repository.properties_of_blob(oid) if oid else ()
        return {row.id: row for row in reversed(found) if row.id == name}

    for version in versions:
        for _, olds, new in _moved([rows(oid) for oid in version.before], rows(version.after)):
            old = next(filter(None, olds), None)
            fields = tuple(field for field in _fields(Property, old, new) if field.name == "statement")
            if old is None or new is None or fields:
                what: What = "stated" if old is None else "retired" if new is None else "restated"
                yield Event(version.commit, what, "", name, fields)


def _moved(
    before: Sequence[Mapping[str, Record]], after: Mapping[str, Record]
) -> Iterator[tuple[str, list[Record | None], Record | None]]:
    """Each key whose row is none of the parents' rows: the key, the parents' rows and the row."""
    for key in sorted({*after, *(key for rows in before for key in rows)}):
        new, olds = after.get(key), [rows.get(key) for rows in before]
        if not any(_same(old, new) for old in olds):
            yield key, olds, new


def _same(one: Record | None, other: Record | None) -> bool:
    """Whether two rows say the same, wherever they stand."""
    return one is other or (one is not None and other is not None and one[1:] == other[1:])


def _fields(record: type[Record], old: Record | None, new: Record | None) -> tuple[FieldChange, ...]:
    """The fields that differ, in the order of the row."""
    nothing = record._make([None] * len(record._fields))
    before, after = old or nothing, new or nothing
    names = changed_fields(before, after)
    return tuple(
        FieldChange(name, getattr(before, name), getattr(after, name)) for name in record._fields if name in names
    )


def _why_removed(ledgers: Ledgers, before: str, after: str, row: Freeze) -> Why:
    """Why a row left between two revisions; "" where a tree cannot be read as a whole."""
    assert row.test is not None
    try:
        base, new = ledgers(before), ledgers(after)
        if any(ledger.policy is None or ledger.unreadable for ledger in (base, new)):
            return ""
        if base.has_test(row.test) and not new.has_test(row.test):
            return "with its test"
        return "void" if voids(base, new, row) else "by choice"
    except CannotTell:
        return ""


def _ledger(repository: Repository, revision: str) -> Ledger:
    """The ledger of an old tree without its log, which does not say why a row left."""
    tree = repository.tree(revision)
    return repository.ledger(tree.put_back(tree.label, {REPLAYS: None}))
