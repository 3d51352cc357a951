"""A merge that is being committed, judged against its three-way result.

Invariants:
* Only what the merge itself does is judged: a path or a row that is what one side made of it is right.
* Where both sides changed a path or a row, either side's version is right; any other counts as an
  edit of ours. A ledger as a whole is no such path: what one side made of another row may not get lost.
* A path in conflict is no deletion: what it will hold is not known. (Conflicts of ledgers are findings.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import LEDGERS, REPLAYS, ROW_LEDGERS
from flakeledger.model.records import Fixture, Freeze, Property
from flakeledger.store.git import PathChange, TreeEntry

Version = TypeVar("Version")

_BY_THEIR_ROWS = frozenset((*ROW_LEDGERS, REPLAYS))


def expected(
    base: Version | None, ours: Version | None, theirs: Version | None, result: Version | None
) -> Version | None:
    """What a three-way merge of one path or row should give; `result` settles a conflict where it is a side."""
    if ours == base:
        return theirs
    if theirs in (base, ours):
        return ours
    return result if result in (ours, theirs) else ours


def refuse_unmerged(paths: Iterable[str]) -> None:
    """CannotTell when one of these paths, which a merge left in conflict, is no ledger."""
    for path in sorted(paths):
        if not path.startswith(LEDGERS):
            from shlex import quote  # only this refusal pays for it

            raise CannotTell(
                f"{path} is unmerged in the index, so nobody knows what it will hold",
                f"resolve its conflict, then: git add {quote(path)}",
            )


def before(change: PathChange) -> TreeEntry | None:
    """What stood at the path before the change."""
    return None if not change.old_mode else TreeEntry(change.old_mode, change.old_oid)


def after(change: PathChange) -> TreeEntry | None:
    """What stands at the path after the change."""
    return None if not change.new_mode else TreeEntry(change.new_mode, change.new_oid)


def expected_entries(
    from_base: Sequence[PathChange], from_ours: Sequence[PathChange], from_theirs: Sequence[PathChange]
) -> dict[str, TreeEntry | None]:
    """The three-way result of every path on which the result differs from any of the three trees.

    Each argument is the raw difference from one tree to the result. A ledger that both sides changed is never what one
    of them made of it: its rows and lines are judged, each by itself. So it differs from the result whatever that is.
    """
    sides = [{change.path: change for change in changes} for changes in (from_base, from_ours, from_theirs)]
    merged: dict[str, TreeEntry | None] = {}
    for path in sorted(set().union(*sides)):
        result = next(after(side[path]) for side in sides if path in side)
        base, ours, theirs = (before(side[path]) if path in side else result for side in sides)
        merged[path] = expected(base, ours, theirs, result)
        if path in _BY_THEIR_ROWS and ours != base and theirs not in (base, ours) and merged[path] == result:
            merged[path] = theirs if result == ours else ours
    return merged


Record = TypeVar("Record", Freeze, Fixture, Property)


def merged_rows(
    base: Mapping[str, Record], ours: Mapping[str, Record], theirs: Mapping[str, Record], result: Mapping[str, Record]
) -> tuple[Record, ...]:
    """The three-way result of a ledger's rows by key. Where a row stands in the file does not count."""
    merged: list[Record] = []
    for key in dict.fromkeys((*ours, *theirs)):
        versions = [rows.get(key) for rows in (base, ours, theirs, result)]
        chosen = expected(*(None if row is None else row[1:] for row in versions))
        if chosen is not None:
            merged.append(next(row for row in versions if row is not None and row[1:] == chosen))
    return tuple(merged)
