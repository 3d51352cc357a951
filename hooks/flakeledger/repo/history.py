"""Earlier versions of freezes.yaml: which row a test had before, which tree held it last, and which tree followed.

Invariants:
* Every line of history counts, side lines too; a commit's date never does: children stand before their parents.
* What cannot be read in an old version is left out: the checks refuse such a version, so no freeze stood in it.
* A version is read when it is asked for and once a blob; listing all of them takes a constant number of processes.
* Too little history to know is `CannotTell`, unless the answer was found before history ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from flakeledger.model.ledger_paths import FREEZES
from flakeledger.model.records import Freeze
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository
from flakeledger.repo.tree import REGULAR_MODES
from flakeledger.store.git_history import PathHistory, path_history

#: the ledger of a tree of history, read when it is asked for
Late = Callable[[], Ledger]


class Version(NamedTuple):
    """The freezes of one tree of history, and its whole ledger for who asks.

    `by_test` has the first row of each test, `by_property` the rows of each property in their order.
    """

    by_test: dict[str, Freeze]
    by_property: dict[str | None, list[Freeze]]
    ledger: Late


class Passage(NamedTuple):
    """A commit that changed freezes.yaml: the versions of its parents, and its own."""

    before: tuple[Version, ...]
    after: Version


class EarlierRow(NamedTuple):
    """A row of history, and how it left.

    `holder` is the last tree that held it. `follower` is the tree after that; None where the row stands still, and
    where it vanished in a merge that took another side's version, so that no tree shows why it left.
    """

    row: Freeze
    holder: Late
    follower: Late | None
    stands: bool


class History:
    """The versions of freezes.yaml behind some commits; without commits there is none."""

    def __init__(self, repository: Repository, starts: Sequence[str]) -> None:
        """Reads nothing yet."""
        self._repository = repository
        #: many rows may be added, and each of them asks
        self._known: dict[str, tuple[dict[str, Freeze], dict[str | None, list[Freeze]]]] = {}
        self._starts = [start for start in starts if start != repository.git.empty_tree()]

    def earlier_row(self, match: Callable[[Version], Freeze | None]) -> EarlierRow | None:
        """The newest row that `match` finds in a version; None when no version has one.

        CannotTell when history is too shallow to know.
        """
        for version in self._tips():
            row = match(version)
            if row is not None:
                return EarlierRow(row, version.ledger, None, stands=True)
        seen: EarlierRow | None = None
        for passage in self._passages():
            found = match(passage.after)
            if found is not None:
                seen = seen or EarlierRow(found, passage.after.ledger, None, stands=False)
                continue
            left = [(row, version.ledger) for version in passage.before if (row := match(version)) is not None]
            if left and len(left) == len(passage.before):
                row, holder = left[0]
                return _newer(EarlierRow(row, holder, passage.after.ledger, stands=False), seen)
        return seen

    def _tips(self) -> Iterator[Version]:
        for start in self._starts:
            entry = self._repository.tree(start).entry(FREEZES)
            oid = entry.oid if entry is not None and entry.mode in REGULAR_MODES else ""
            yield Version(*self._freezes(oid), partial(self._ledger, start))

    @cached_property
    def _changes(self) -> PathHistory:
        """What git lists, once however many rows ask, and why the list ends too early."""
        return path_history(self._repository.git, self._starts, FREEZES)

    def _passages(self) -> Iterator[Passage]:
        for change in self._changes.versions:
            before = (
                Version(*self._freezes(oid), partial(self._parent_ledger, change.commit, index))
                for index, oid in enumerate(change.before)
            )
            yield Passage(tuple(before), Version(*self._freezes(change.after), partial(self._ledger, change.commit)))
        if self._changes.cut_off is not None:
            raise self._changes.cut_off

    def _freezes(self, oid: str) -> tuple[dict[str, Freeze], dict[str | None, list[Freeze]]]:
        known = self._known.get(oid)
        if known is None:
            rows = self._repository.freezes_of_blob(oid) if oid else ()
            by_property: dict[str | None, list[Freeze]] = {}
            for row in rows:
                by_property.setdefault(row.property_id, []).append(row)
            by_test = {row.test: row for row in reversed(rows) if row.test is not None}
            known = self._known[oid] = by_test, by_property
        return known

    def _ledger(self, commit: str) -> Ledger:
        return self._repository.ledger(self._repository.tree(commit))

    def _parent_ledger(self, commit: str, index: int) -> Ledger:
        return self._ledger(self._repository.git.parents(commit)[index])


def _newer(left: EarlierRow, seen: EarlierRow | None) -> EarlierRow:
    """The row that was seen to leave, unless a younger one was seen that vanished in a merge."""
    if seen is None or (left.row.frozen_on or "") >= (seen.row.frozen_on or ""):
        return left
    return seen
