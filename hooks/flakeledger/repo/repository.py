"""The repository of one run: git, its objects, and what earlier runs learnt about blobs that never change.

Invariants:
* A tree, a ledger and a policy are read once, however many rules ask.
* What is cached is a fact about a blob's content; losing the cache loses time, never an answer.
* Nothing is written but the cache, and where it cannot be written nothing is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from flakeledger.model.policy import Policy
from flakeledger.model.records import Fixture
from flakeledger.repo.situation import INDEX
from flakeledger.repo.facts import Facts
from flakeledger.repo.files import Files
from flakeledger.repo.ledger import Ledger, Rows
from flakeledger.repo.reading import Reading
from flakeledger.repo.tree import REGULAR_MODES, Tree, commit_tree, index_tree
from flakeledger.store.cache import Cache
from flakeledger.store.git import Git, PathChange
from flakeledger.store.objects import ObjectReader, open_objects

#: the ledgers, the guard and CODEOWNERS, in base and new: too few to pay for libgit2
_FEW = 16
#: facts about blobs that a run did not need and that may come back with the next switch of a branch
_SPARE = 4000


class Repository:
    """Everything a check asks of one repository. Made by `open_repository`."""

    def __init__(self, git: Git, cache: Cache, judges_disk: bool) -> None:
        """`judges_disk`: the index of `git` is a copy that holds what is on disk."""
        self.git = git
        self.judges_disk = judges_disk
        self._objects: ObjectReader = open_objects(git, _FEW)
        self._digests = Facts(cache, "digests", _SPARE)
        self._modules = Facts(cache, "modules", _SPARE)
        self._files = Files(self._read, self._digests)
        self._reading = Reading(cache)
        self._trees: dict[str, Tree] = {}
        self._ledgers: dict[int, Ledger] = {}

    def _read(self, oid: str) -> bytes:
        return self._objects.read(oid)

    def label(self, revision: str) -> str:
        """What people call a revision or the index."""
        if revision == INDEX:
            return "the working tree" if self.judges_disk else "the staged tree"
        if revision == self.git.empty_tree():
            return "the empty tree"
        return f"commit {revision[:12]}"

    def tree(self, revision: str) -> Tree:
        """The index, or the tree of a commit."""
        found = self._trees.get(revision)
        if found is None:
            label = self.label(revision)
            found = self._trees[revision] = (
                index_tree(self.git, self._read, label)
                if revision == INDEX
                else commit_tree(self.git, self._read, revision, label)
            )
        return found

    def differences(self, base: str, new: str) -> tuple[PathChange, ...]:
        """The raw difference from a commit (or the empty tree) to the index or another commit."""
        changes = self.git.index_changes(base) if new == INDEX else self.git.tree_changes(base, new)
        return tuple(changes)

    def ledger(self, tree: Tree) -> Ledger:
        """The ledger of a tree."""
        found = self._ledgers.get(id(tree))
        if found is None:
            rows = self._reading.rows(tree)
            self._expect(tree, rows)
            found = self._ledgers[id(tree)] = Ledger(tree, rows, self._files, self._modules)
        return found

    def _expect(self, tree: Tree, rows: Rows) -> None:
        """Get ready for the blobs that rules will ask for: fixtures in one stream, test modules one by one."""
        locked = {oid: None for row in rows.fixtures if row.hash != "contract" and (oid := _locked_blob(tree, row))}
        unknown = [oid for oid in locked if not self._files.knows(oid)]
        if unknown:
            self._files.learn(self._objects.read_many(unknown))
        tests = [test for row in rows.properties for test in row.tests or ()]
        tests += [row.test for row in rows.freezes if row.test is not None]
        modules = {test.partition("::")[0] for test in tests}
        single = sum(1 for path in modules if (entry := tree.entry(path)) and entry.oid not in self._modules)
        if single > _FEW:
            self._objects.close()
            self._objects = open_objects(self.git, single)

    def policy(self, tree: Tree) -> Policy | None:
        """The policy of a tree; None where it is missing or broken."""
        return self._reading.policy(tree)[0]

    def policy_of_blob(self, oid: str) -> Policy | None:
        """The policy that a blob holds; None where it is broken."""
        return self._reading.policy_of_blob(oid, self._read)[0]

    def save(self) -> None:
        """Keep what this run learnt."""
        for facts in (self._digests, self._modules, *self._reading.facts):
            facts.save()

    def close(self) -> None:
        """End what runs behind the objects."""
        self._objects.close()


def _locked_blob(tree: Tree, row: Fixture) -> str | None:
    entry = tree.entry(row.path) if row.path is not None else None
    return entry.oid if entry is not None and entry.mode in REGULAR_MODES else None


@contextmanager
def open_repository(directory: str, environment: Mapping[str, str], *, from_disk: bool = False) -> Iterator[Repository]:
    """The repository that holds `directory`; `from_disk` reads the working tree instead of the index."""
    git = Git.open(directory, environment)
    if from_disk:
        with git.working_tree() as disk:
            yield from _opened(disk, True)
    else:
        yield from _opened(git, False)


def _opened(git: Git, judges_disk: bool) -> Iterator[Repository]:
    repository = Repository(git, Cache(git.git_dir), judges_disk)
    try:
        yield repository
        repository.save()
    finally:
        repository.close()
