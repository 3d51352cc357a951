"""A change: its base and its new tree, the class of every path, what happened to every row.

Invariants:
* Ledger files are classed by what happens to their rows (RULES.md): bookkeeping may travel with
  anything, everything else is freeze configuration. Comments, layout and the order of rows are nothing.
* A standing row is one present in base and new, matched by its test (fixtures and properties: by id).
* A change that touches no ledger reads no ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from flakeledger.model.ledger_paths import (
    DIGEST_FOLDERS,
    FIXTURES,
    FREEZES,
    GUARD,
    LEDGERS,
    POLICY,
    PROPERTIES,
    REPLAYS,
    ROW_LEDGERS,
)
from flakeledger.model.patterns import PathClasses
from flakeledger.model.policy import ClassName, Policy
from flakeledger.model.records import Fixture, Freeze, Property
from flakeledger.model.rows import Place
from flakeledger.repo.base import Basis
from flakeledger.repo.guard import weakened
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.tree import Tree
from flakeledger.store.git import PathChange

if TYPE_CHECKING:
    from flakeledger.repo.code_of_tests import ReadMany
    from flakeledger.repo.history import History

#: the contexts of scheduled runs
SCHEDULES = ("github-schedule", "gitlab-schedule")
PINS = ("fixture_hashes", "generator_hash", "test_hash")

OperationClass = Literal["bookkeeping", "freeze_config"]
What = Literal["added", "removed", "voided", "changed", "edited"]


class RowOperation(NamedTuple):
    """What a change does to one row (or to one file below ledgers/ that has no rows)."""

    name: OperationClass
    path: str
    key: str
    what: What
    fields: frozenset[str]
    place: Place


class Readers(NamedTuple):
    """How a change gets its ledgers when it needs them."""

    base: Callable[[], Ledger]
    new: Callable[[], Ledger]
    #: of where the branch left the default branch; None where it did not, or nobody knows
    branch_point: Callable[[], Ledger] | None
    #: the versions of freezes.yaml behind some commits
    history: Callable[[Sequence[str]], History]
    #: the id and the content of each blob in the order given, in one stream
    blobs: ReadMany


class Change:
    """One change. `parents` are the trees it grows from, `policy` judges it."""

    def __init__(
        self,
        basis: Basis,
        base_tree: Tree,
        new_tree: Tree,
        paths: tuple[PathChange, ...],
        policy: Policy,
        readers: Readers,
        parents: tuple[Tree, ...],
    ) -> None:
        """Reads nothing yet."""
        self.basis = basis
        self.base_tree = base_tree
        self.new_tree = new_tree
        self.paths = paths
        self.policy = policy
        self.parents = parents
        self._readers = readers
        self._gone: dict[int, tuple[Sequence[Freeze], list[Freeze]]] = {}

    @property
    def read_many(self) -> ReadMany:
        """How many blobs are read in one stream, by their ids."""
        return self._readers.blobs

    @cached_property
    def base(self) -> Ledger:
        """The ledger of the base; for a merge, the three-way result."""
        return self._readers.base()

    @cached_property
    def new(self) -> Ledger:
        """The ledger of the new tree."""
        return self._readers.new()

    @cached_property
    def own(self) -> frozenset[str]:
        """The tests whose rows this branch itself added: they are absent where it left the default branch."""
        if self._readers.branch_point is None or FREEZES not in self.changed_paths:
            return frozenset()
        left = self._readers.branch_point()
        return frozenset(self.base.freeze_by_test.keys() - left.freeze_by_test.keys())

    @cached_property
    def moved_digests(self) -> frozenset[str | None]:
        """The digests of frozen tests that are gone: a test equal to one of them was moved, not edited."""
        gone = [test for test in self.base.freeze_by_test if not self.new.has_test(test)]
        return frozenset(map(self.base.sources.test_digest, gone))

    def gone(self, rows: Sequence[Freeze]) -> list[Freeze]:
        """Those of some rows whose test the new tree lacks. Many rows of a change may ask the same rows of history."""
        known = self._gone.get(id(rows))
        if known is None:
            found = [row for row in rows if row.test is not None and not self.new.has_test(row.test)]
            known = self._gone[id(rows)] = rows, found  # the rows are kept, so that nothing else gets their identity
        return known[1]

    @property
    def is_seen_again(self) -> bool:
        """Whether the change was judged when it was pushed, and a scheduled run meets it again, days or weeks later."""
        return self.basis.context in SCHEDULES

    def history_of(self, test: str) -> History:
        """The versions of freezes.yaml before this change that count for a row that the change adds.

        What a branch did by itself is provisional: while committing to one, they are those of where it left the
        default branch. A merge has those of all its parents.
        """
        point = self.basis.branch_point
        if point is not None and (test in self.own or not self.basis.merged):
            return self._readers.history((point,))
        return self._readers.history((self.basis.base, *self.basis.merged))

    @cached_property
    def classes(self) -> PathClasses:
        """The path classes of the policy that judges."""
        return PathClasses(self.policy)

    @cached_property
    def changed_paths(self) -> frozenset[str]:
        """Every path whose entry differs."""
        return frozenset(change.path for change in self.paths)

    @cached_property
    def touches_ledgers(self) -> bool:
        """Whether a path below ledgers/ differs."""
        return any(path.startswith(LEDGERS) for path in self.changed_paths)

    @cached_property
    def operations(self) -> tuple[RowOperation, ...]:
        """What happens to each row, sorted by file and line."""
        if not self.touches_ledgers:
            return ()
        found = [
            *self._file_operations(),
            *(freeze_operations(self.base, self.new) if FREEZES in self.changed_paths else ()),
            *(fixture_operations(self.base, self.new) if FIXTURES in self.changed_paths else ()),
            *(property_operations(self.base, self.new) if PROPERTIES in self.changed_paths else ()),
        ]
        return tuple(sorted(found, key=lambda operation: (operation.path, operation.place, operation.key)))

    def _file_operations(self) -> Iterator[RowOperation]:
        top = Place(1, 1)
        for path in sorted(self.changed_paths):
            if path == POLICY or path.startswith(DIGEST_FOLDERS):
                yield RowOperation("freeze_config", path, "", "edited", frozenset(), top)
            elif path == REPLAYS:
                yield RowOperation("bookkeeping", path, "", "edited", frozenset(), top)

    @cached_property
    def guard_weakened(self) -> tuple[str, ...]:
        """How `.pre-commit-config.yaml` lost hold of this tool's hooks; empty when it did not."""
        if GUARD not in self.changed_paths:
            return ()
        return weakened(self.base_tree.read(GUARD), self.new_tree.read(GUARD))

    @cached_property
    def paths_by_class(self) -> dict[ClassName, list[str]]:
        """The changed paths that are no ledgers, by class; the guard is freeze_config where it is weakened."""
        grouped: dict[ClassName, list[str]] = {}
        for path in sorted(self.changed_paths):
            if path in ROW_LEDGERS or path in (POLICY, REPLAYS) or path.startswith(DIGEST_FOLDERS):
                continue
            name = self.classes.class_of(path).name
            if path == GUARD and self.guard_weakened:
                name = "freeze_config"
            grouped.setdefault(name, []).append(path)
        return grouped

    @cached_property
    def changed_keys(self) -> frozenset[str]:
        """The keys of the rows that something happens to."""
        return frozenset(operation.key for operation in self.operations)

    @cached_property
    def freeze_operations(self) -> tuple[RowOperation, ...]:
        """The operations that are freeze configuration."""
        return tuple(operation for operation in self.operations if operation.name == "freeze_config")


def freeze_operations(base: Ledger, new: Ledger) -> Iterator[RowOperation]:
    """What happens to freezes. A row that the change itself voids may go as a consequence."""
    before, after = base.freeze_by_test, new.freeze_by_test
    for test, row in after.items():
        if test not in before:
            yield RowOperation("freeze_config", FREEZES, test, "added", frozenset(), row.places.of())
        elif before[test][1:] != row[1:]:
            fields = changed_fields(before[test], row)
            harmless = all(field in (*PINS, "issue") and getattr(before[test], field) is None for field in fields)
            name: OperationClass = "bookkeeping" if harmless else "freeze_config"
            yield RowOperation(name, FREEZES, test, "changed", fields, row.places.of())
    for test, row in before.items():
        if test not in after:
            if voids(base, new, row):
                yield RowOperation("bookkeeping", FREEZES, test, "voided", frozenset(), Place(1, 1))
            else:
                yield RowOperation("freeze_config", FREEZES, test, "removed", frozenset(), Place(1, 1))


def changed_fields(before: Freeze | Fixture | Property, after: Freeze | Fixture | Property) -> frozenset[str]:
    """The names of the fields that differ between two versions of a row."""
    pairs = zip(before._fields[1:], before[1:], after[1:], strict=True)
    return frozenset(name for name, old, new in pairs if old != new)


def voids(base: Ledger, new: Ledger, row: Freeze) -> bool:
    """Whether going from base to new voids the row: its test goes, or a pin (an absent one too) breaks."""
    assert row.test is not None
    if base.has_test(row.test) and not new.has_test(row.test):
        return True
    return bool(new.void_pins(base.pinned(row))) and not base.void_pins(row)


def fixture_operations(base: Ledger, new: Ledger) -> Iterator[RowOperation]:
    """What happens to locks. A lock moves together with its file, and goes with it."""
    before, after = base.fixture_by_id, new.fixture_by_id
    for name, row in after.items():
        if name not in before:
            yield RowOperation("bookkeeping", FIXTURES, name, "added", frozenset(), row.places.of())
        elif before[name][1:] != row[1:]:
            kind: OperationClass = "bookkeeping" if _follows_file(base, new, before[name], row) else "freeze_config"
            yield RowOperation(kind, FIXTURES, name, "changed", changed_fields(before[name], row), row.places.of())
    for name, row in before.items():
        if name not in after:
            kind = "bookkeeping" if row.path is None or new.tree.entry(row.path) is None else "freeze_config"
            yield RowOperation(kind, FIXTURES, name, "removed", frozenset(), Place(1, 1))


def _follows_file(base: Ledger, new: Ledger, before: Fixture, after: Fixture) -> bool:
    if (before.hash or "bytes") != (after.hash or "bytes") or before.path is None or after.path is None:
        return False
    if before.path == after.path:
        return base.tree.entry(before.path) != new.tree.entry(after.path)
    return new.tree.entry(before.path) is None


def property_operations(base: Ledger, new: Ledger) -> Iterator[RowOperation]:
    """What happens to properties. Gaining protection is bookkeeping; so is losing what is gone from the tree."""
    before, after = base.property_by_id, new.property_by_id
    for name, row in after.items():
        if name not in before:
            yield RowOperation("bookkeeping", PROPERTIES, name, "added", frozenset(), row.places.of())
        elif before[name][1:] != row[1:]:
            kind: OperationClass = "bookkeeping" if _keeps_protection(base, new, before[name], row) else "freeze_config"
            fields = changed_fields(before[name], row)
            yield RowOperation(kind, PROPERTIES, name, "changed", fields, row.places.of())
    for name, row in before.items():
        if name not in after:
            gone = not any(new.has_test(test) for test in row.tests or ())
            kind = "bookkeeping" if gone else "freeze_config"
            yield RowOperation(kind, PROPERTIES, name, "removed", frozenset(), Place(1, 1))


def _keeps_protection(base: Ledger, new: Ledger, before: Property, after: Property) -> bool:
    earlier = (after.uncovered_until or "") <= (before.uncovered_until or "")
    same_owner = before.owner == after.owner or after.uncovered_until is None
    return (
        before.statement == after.statement
        and earlier
        and same_owner
        and not lost_tests(new, before, after)
        and not lost_fixtures(base, new, before, after)
        and not lost_generators(base, new, before, after)
    )


def lost_tests(new: Ledger, before: Property, after: Property) -> list[str]:
    """Tests that the property lists no more although the new tree has them."""
    kept = set(after.tests or ())
    return [test for test in before.tests or () if test not in kept and new.has_test(test)]


def lost_fixtures(base: Ledger, new: Ledger, before: Property, after: Property) -> list[str]:
    """Fixture ids that the property lost although their file is there and no other fixture of it locks the file."""
    kept = {new.fixture_by_id[name].path for name in after.fixtures or () if name in new.fixture_by_id}
    lost = []
    for name in set(before.fixtures or ()) - set(after.fixtures or ()):
        row = base.fixture_by_id.get(name)
        if row is not None and row.path is not None and row.path not in kept and new.tree.entry(row.path) is not None:
            lost.append(name)
    return sorted(lost)


def lost_generators(base: Ledger, new: Ledger, before: Property, after: Property) -> list[str]:
    """Paths that an edit of the `generators` field dropped from the set although they are there."""
    if before.generators == after.generators:
        return []
    left = set(new.generator_set(after.id))
    return [path for path in base.generator_set(before.id) if path not in left and new.tree.entry(path) is not None]
