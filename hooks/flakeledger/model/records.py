"""The records of the ledgers, as their field tables type them.

Invariants:
* A record's fields after `places` are those of its field table in `fields.py`, in the same order.
* Dates and instants stay ISO text here; `clock.py` gives them a meaning.
* A field that is absent, or whose value was refused (a finding says so), is None, or the empty
  list or mapping; rules skip what is None.

Records are named tuples, not dataclasses: ten thousand of them are rebuilt from the cache in one run,
and `Freeze._make` costs a fifth of a frozen dataclass's constructor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from flakeledger.model.rows import LatePlaces, Places

#: how properties, fixtures and runners are named: no path, no blank, nothing that a shell or a terminal would read
NAME = "[A-Za-z][A-Za-z0-9_.-]*"


class Freeze(NamedTuple):
    """A row of freezes.yaml: one test that may fail for a while without failing the build."""

    places: Places | LatePlaces
    test: str | None
    owner: str | None
    frozen_on: str | None
    expires: str | None
    reason: str | None
    property_id: str | None
    replay_env: str | None
    runner_class: str | None
    failure_class: str | None
    fixture_hashes: dict[str, str] | None
    generator_hash: str | None
    test_hash: str | None
    witness: str | None
    note: str | None
    renewed: int | None
    issue: str | None


class Fixture(NamedTuple):
    """A row of fixtures.yaml: the lock on one file's digest. `hash` absent means bytes."""

    places: Places | LatePlaces
    id: str | None
    path: str | None
    sha256: str | None
    hash: str | None


class Property(NamedTuple):
    """A row of properties.yaml: an invariant and the tests that protect it."""

    places: Places | LatePlaces
    id: str | None
    statement: str | None
    fixtures: list[str] | None
    tests: list[str] | None
    generators: list[str] | None
    uncovered_until: str | None
    owner: str | None


Row = TypeVar("Row", Freeze, Fixture, Property)


class Replay(NamedTuple):
    """What a line of replays.jsonl says as evidence. `at` is `run_at` in seconds."""

    line: int
    test: str
    run_at: str
    at: int
    env: str
    passed: int
    total: int
    id: str | None
    seeded: bool | None
    failures: dict[str, int]
    #: how many runs ended neither in a pass nor in a failure, as far as the line says
    unsettled: int
    #: the files below the root that the test opened
    touched: Sequence[str]


class LogLine(NamedTuple):
    """A whole line of replays.jsonl. `text` is the line as it stands, without its newline."""

    text: str
    seeds: list[int]
    replay: Replay


def repeated(rows: Iterable[Row], field: str) -> Iterator[tuple[Row, Row]]:
    """Each row that has the same value in a field as one before it, with the first that has it; None is no value."""
    first: dict[str, Row] = {}
    for row in rows:
        value = getattr(row, field)
        if value is not None and (earlier := first.setdefault(value, row)) is not row:
            yield row, earlier


def covering(test: str) -> tuple[str, ...]:
    """The ids under which a list may hold a test: its own, and its function's without the parameters."""
    return (test, test.partition("[")[0]) if test.endswith("]") else (test,)
