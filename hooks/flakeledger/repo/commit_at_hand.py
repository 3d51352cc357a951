"""The commit that is being made: what it grows from, and which paths and rows it touches.

Invariants:
* It touches what differs from every parent: of a merge only what the merge itself does.
* An amended commit is what it becomes: it is compared with the parents of the commit that it replaces.
* Rows are compared by what they say; where they stand is nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from flakeledger.model.ledger_paths import ROW_LEDGERS
from flakeledger.model.records import Fixture, Freeze, Property
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository
from flakeledger.repo.situation import INDEX
from flakeledger.store.git import Git

Rows = Mapping[str, Freeze] | Mapping[str, Fixture] | Mapping[str, Property]


class Touched(NamedTuple):
    """What a commit touches: paths, the tests of freezes, the ids of properties and of fixtures."""

    paths: frozenset[str]
    tests: frozenset[str]
    properties: frozenset[str]
    fixtures: frozenset[str]


def parents_at_hand(git: Git, source: str, name: str) -> tuple[str, ...]:
    """The parents of the commit that is being made, or the empty tree for a root.

    `source` and `name` are what git tells the hook prepare-commit-msg: `commit` and `HEAD` where it amends. (So it
    does for `git commit -C HEAD`; then the commit before counts as part of this one.)
    """
    head = git.head()
    if head is None:
        return (git.empty_tree(),)
    if source == "commit" and git.commit(name) == head:
        return tuple(git.parents(head)) or (git.empty_tree(),)
    return (head, *git.merge_heads())


def touched_paths(repository: Repository, parents: Sequence[str]) -> frozenset[str]:
    """The paths of the index that differ from every parent. CannotTell when a parent is not here."""
    sides = [{change.path for change in repository.differences(parent, INDEX)} for parent in parents]
    return frozenset(set[str].intersection(*sides))


def touched(repository: Repository, parents: Sequence[str], paths: frozenset[str]) -> Touched:
    """Everything that the commit touches; `paths` are its paths. CannotTell when a parent's ledgers are not here."""
    if paths.isdisjoint(ROW_LEDGERS):
        return Touched(paths, frozenset(), frozenset(), frozenset())
    new = repository.ledger(repository.tree(INDEX))
    old = [repository.ledger(repository.tree(parent)) for parent in parents]
    return Touched(
        paths,
        _moved([ledger.freeze_by_test for ledger in old], new.freeze_by_test),
        _moved([ledger.property_by_id for ledger in old], new.property_by_id),
        _moved([ledger.fixture_by_id for ledger in old], new.fixture_by_id),
    )


def _moved(old: Sequence[Rows], new: Rows) -> frozenset[str]:
    """The keys whose row is no parent's row."""
    keys = {*new, *(key for rows in old for key in rows)}
    return frozenset(key for key in keys if all(_said(rows, key) != _said(new, key) for rows in old))


def _said(rows: Rows, key: str) -> tuple[object, ...] | None:
    row = rows.get(key)
    return None if row is None else row[1:]


def touches_row(touched: Touched, ledger: Ledger, freeze: Freeze) -> bool:
    """Whether the commit touches a freeze of its ledger: the row, its property, or a fixture of that property."""
    found = ledger.property_by_id.get(freeze.property_id or "")
    return (
        freeze.test in touched.tests
        or freeze.property_id in touched.properties
        or (found is not None and not touched.fixtures.isdisjoint(found.fixtures or ()))
    )
