"""The typed rows of a ledger that earlier runs read, so that no row is parsed twice.

Invariants:
* A row is known by the digest of its text, and a ledger by its blob id: as the digests of its rows, in order.
* Only a ledger with nothing wrong is known by its blob id; of any other the good rows are known.
* Writing costs what was learnt: a few new rows go beside the many old ones, until they are many themselves.
* It stays small: of the rows that no known ledger holds, the newest `SPARE` are kept.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from flakeledger.repo.columns import columns_of, rows_of
from flakeledger.store.cache import Cache

#: rows that no known ledger holds and that may come back with the next switch of a branch
SPARE = 1000
#: known ledgers: those of the base and the new tree, and of a branch or two
MOST_LEDGERS = 4
#: new rows are many when they are this many, and at least this part of all
MANY, PART = 100, 50

#: the values of a row, in the order of its field table; JSON, never changed in place
Values = Sequence[object]


class _Known(NamedTuple):
    """What one value of the cache says: rows by digest, ledgers (oldest first) as the digests of their rows.

    `name` tells it from whatever else stands, or stood, at its place.
    """

    rows: dict[str, Values]
    ledgers: dict[str, list[str]]
    name: str = ""


class KnownRows:
    """The rows of one kind of ledger."""

    def __init__(self, cache: Cache, name: str) -> None:
        """Reads nothing yet."""
        self._cache = cache
        self._name = name
        self._learnt = False

    @cached_property
    def _many(self) -> _Known:
        return _known(self._cache.load(self._name), None)

    @cached_property
    def _few(self) -> _Known:
        return _known(self._cache.load(f"{self._name}-new"), self._many)

    def recall(self) -> None:
        """Load what is known, now."""
        _ = self._few

    def knows(self, oid: str) -> bool:
        """Whether the ledger with this blob id is known."""
        return oid in self._few.ledgers or oid in self._many.ledgers

    def ledger(self, oid: str) -> list[Values] | None:
        """The rows of a ledger whose blob is known; None for any other."""
        digests = self._few.ledgers.get(oid, self._many.ledgers.get(oid))
        if digests is None:
            return None
        few, many = self._few.rows, self._many.rows
        return [few[digest] if digest in few else many[digest] for digest in digests]

    def row(self, digest: str) -> Values | None:
        """The row whose text has this digest; None when it is not known."""
        return self._few.rows.get(digest) or self._many.rows.get(digest)

    def learn(self, oid: str | None, digests: Sequence[str], new: Mapping[str, Values]) -> None:
        """Learn the new rows, and (unless `oid` is None) of which rows the ledger with this blob id consists."""
        if oid is None and not new:
            return
        self._few.rows.update(new)
        if oid is not None:
            self._few.ledgers[oid] = list(digests)
        self._learnt = True

    def save(self) -> None:
        """Keep what was learnt for the next run."""
        if not self._learnt:
            return
        self._learnt = False
        few, many = self._few, self._many
        if many.rows and len(few.rows) <= max(MANY, len(many.rows) // PART):
            newest = dict(list(few.ledgers.items())[-MOST_LEDGERS:])
            self._cache.save(f"{self._name}-new", _written(_Known(few.rows, newest, many.name), list(many.rows)))
            return
        ledgers = dict(list((many.ledgers | few.ledgers).items())[-MOST_LEDGERS:])
        rows = _needed(many.rows | few.rows, ledgers)
        self._cache.save(self._name, _written(_Known(rows, ledgers, os.urandom(16).hex()), list(rows)))
        if few.name:  # what was new stands there still
            self._cache.save(f"{self._name}-new", None)


def _needed(rows: dict[str, Values], ledgers: dict[str, list[str]]) -> dict[str, Values]:
    """The newest of the rows that no ledger needs, then those that one needs: the newest ledger's come last."""
    needed = {digest: rows[digest] for digests in ledgers.values() for digest in digests}
    for digest in next(reversed(ledgers.values()), ()):
        needed[digest] = needed.pop(digest)
    spare = [digest for digest in rows if digest not in needed][-SPARE:]
    return {digest: rows[digest] for digest in spare} | needed


def _written(known: _Known, base: list[str]) -> list[object]:
    """What is known, as JSON.

    A ledger is kept as how many digests it shares with the start and with the end of `base`, and what it has in
    between: next to nothing, for what was edited.
    """
    ledgers = {oid: _difference(base, digests) for oid, digests in known.ledgers.items()}
    return [known.name, list(known.rows), columns_of(known.rows.values()), ledgers]


def _difference(base: list[str], digests: list[str]) -> list[object]:
    start = _shared(base, digests)
    end = _shared(base[start:][::-1], digests[start:][::-1])
    return [start, end, digests[start : len(digests) - end]]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How long two lists are the same from their start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def _known(value: object, many: _Known | None) -> _Known:
    """What a value of the cache says; nothing for one that is not there, or that stands on other knowledge."""
    shape = [type(part) for part in value] if isinstance(value, list) else []
    if not isinstance(value, list) or shape != [str, list, list, dict]:
        return _Known({}, {})
    name, digests, columns, differences = value
    if many is not None and name != many.name:
        return _Known({}, {})
    base = digests if many is None else list(many.rows)
    rows = dict(zip(digests, rows_of(columns), strict=True))
    ledgers = {
        oid: base[:start] + middle + base[len(base) - end :] for oid, (start, end, middle) in differences.items()
    }
    return _Known(rows, ledgers, name)
