"""The repository of one run: git, its objects, and what earlier runs learnt about blobs that never change.

Invariants:
* A tree, a ledger and a policy are read once, however many rules ask.
* What is cached is a fact about a blob's content; losing the cache loses time, never an answer.
* Nothing is written but the cache, and where it cannot be written nothing is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import LEDGERS, PROPERTIES
from flakeledger.model.policy import Policy
from flakeledger.model.records import Freeze, Property
from flakeledger.repo.citing_files import CitingFiles
from flakeledger.repo.facts import Facts
from flakeledger.repo.files import Files
from flakeledger.repo.ids import is_python
from flakeledger.repo.known_rows import KnownRows
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.merge import after, refuse_unmerged
from flakeledger.repo.reading import Reading
from flakeledger.repo.situation import INDEX
from flakeledger.repo.tree import REGULAR_MODES, ChangedEntries, CommitEntries, Listing, Tree
from flakeledger.store.cache import Cache
from flakeledger.store.git import Git, PathChange, Underway
from flakeledger.store.objects import READS_THAT_PAY_FOR_PYGIT2, BatchReader, Folder, ObjectReader, open_objects

if TYPE_CHECKING:
    from flakeledger.repo.modules_underway import ModulesUnderway

#: so many modules pay for a process beside us, which costs 15 ms of processor time; each takes a millisecond to parse
_MANY_MODULES = 100
#: so many blobs pay for a second reader
_MANY, _READERS = 100, 2
#: so many do not pay for a stream: starting its process takes as long as reading them
_FEW = 32
#: facts about blobs that a run did not need and that may come back with the next switch of a branch
_SPARE = 4000


class Repository:
    """Everything a check asks of one repository. Made by `open_repository`."""

    def __init__(self, git: Git, cache: Cache, judges_disk: bool) -> None:
        """`judges_disk`: the index of `git` is a copy that holds what is on disk."""
        self.git = git
        self.judges_disk = judges_disk
        self._batch = BatchReader(git)
        self._blobs: ObjectReader = self._batch
        self._reads = 0
        self._digests = Facts(cache, "digests", _SPARE)
        self._modules = Facts(cache, "modules", _SPARE)
        self._files = Files(self._read, self._digests)
        self._reading = Reading(cache)
        self._citing = CitingFiles(git, cache, self._batch)
        self._trees: dict[str, Tree] = {}
        self._ledgers: dict[int, Ledger] = {}
        self._underway: list[Underway] = []
        self._ahead: dict[str, Underway] = {}
        self._modules_underway: ModulesUnderway | None = None

    def _read(self, oid: str) -> bytes:
        """One blob. Nobody knows how many will be asked for: a run that read many one by one will read many more."""
        if oid in self._ahead:
            return self._ahead.pop(oid).answer()
        self._reads += 1
        if self._reads == READS_THAT_PAY_FOR_PYGIT2:
            self._blobs = open_objects(self.git, self._reads)
        return self._blobs.read(oid)

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
            lister = self._list_index if revision == INDEX else partial(self._list_commit, revision)
            found = self._trees[revision] = Tree(self.label(revision), lister, self._read)
        return found

    def _list_commit(self, commit: str) -> Listing:
        return Listing(CommitEntries(self._batch.root(commit), self._batch.folder))

    def _list_index(self) -> Listing:
        """HEAD's tree with what is staged on top; a full listing before the first commit, or where HEAD is broken."""
        root = self._staged[0]
        if root is None:
            entries, unmerged = self.git.index_entries()
            return Listing(entries, frozenset(unmerged))
        changes = self._staged_changes
        staged = {change.path: after(change) for change in changes}
        unmerged_paths = frozenset(change.path for change in changes if change.unmerged)
        return Listing(ChangedEntries(CommitEntries(root, self._batch.folder), staged), unmerged_paths)

    @cached_property
    def _staged(self) -> tuple[Folder | None, Underway | None]:
        """HEAD's tree, and the question how the index differs from it: the very tree, wherever HEAD moves."""
        try:
            root = self._batch.root("HEAD")
        except CannotTell:
            return None, None
        return root, self._keep(self.git.begin_index_changes(root.oid))

    @cached_property
    def _staged_changes(self) -> tuple[PathChange, ...]:
        """How the index differs from HEAD's tree, which is there."""
        root, underway = self._staged
        assert root is not None
        return tuple(self.git.index_changes(root.oid, underway))

    def begin(self) -> None:
        """Ask git what the index holds, beside what the caller does next."""
        _ = self._unstaged, self._staged

    def begin_citations(self, revision: str) -> None:
        """Ask git which files of a tree may cite a freeze, beside what the caller does next."""
        root = self._staged[0] if revision == INDEX else self._batch.root(revision)
        underway = None if root is None else self._citing.begin(root.oid)
        if underway is not None:
            self._keep(underway)

    def _keep(self, underway: Underway) -> Underway:
        """Remember to end it, should nobody want its answer."""
        self._underway.append(underway)
        return underway

    @cached_property
    def _unstaged(self) -> Underway:
        return self._keep(self.git.begin_unstaged((LEDGERS,)))

    @cached_property
    def unstaged_ledgers(self) -> tuple[str, ...]:
        """The paths below ledgers/ whose file on disk differs from the index; none when the disk is judged."""
        return () if self.judges_disk else tuple(self.git.unstaged((LEDGERS,), self._unstaged))

    def differences(self, base: str, new: str) -> tuple[PathChange, ...]:
        """The raw difference from a commit (or the empty tree) to the index or another commit."""
        if new != INDEX:
            return tuple(self.git.tree_changes(base, new))
        root = self._staged[0]
        if root is not None and root.oid == self._batch.root(base).oid:
            return self._staged_changes
        return tuple(self.git.index_changes(base))

    def ledger(self, tree: Tree) -> Ledger:
        """The ledger of a tree. CannotTell where a merge left what is no ledger in conflict."""
        found = self._ledgers.get(id(tree))
        if found is None:
            refuse_unmerged(tree.unmerged)
            rows = self._reading.rows(tree)
            found = self._ledgers[id(tree)] = Ledger(tree, rows, self._files, self._modules, self._citing.of)
        return found

    def protection(self, tree: Tree) -> Ledger:
        """The ledger of a tree without its freezes and replays: for questions about properties and generators alone."""
        rows = self._reading.protection(tree)
        return Ledger(tree, rows, self._files, self._modules, self._citing.of)

    def recall(self) -> None:
        """Load what earlier runs learnt, all of it: while git works, for a run that will ask for all of it.

        Staged ledgers that no run has read are asked for in between: git unpacks them meanwhile.
        """
        rows = self._reading.known_rows
        for known in rows.values():
            known.recall()
        for change in self._staged_changes if self._staged[0] is not None else ():
            if change.path in rows and change.new_mode in REGULAR_MODES and not rows[change.path].knows(change.new_oid):
                self._ahead[change.new_oid] = self._keep(self.git.begin("cat-file", "blob", change.new_oid))
        for facts in self._learnt:
            facts.recall()

    def begin_modules(self, revision: str) -> None:
        """Let a process beside us parse the modules that a tree's properties name, where they are new and many."""
        tree = self.tree(revision)
        entry = tree.entry(PROPERTIES)
        if entry is None or self._reading.known_rows[PROPERTIES].knows(entry.oid):
            return
        paths = _modules_of(self._reading.protection(tree).properties)
        unknown = [oid for oid in _blobs(tree, filter(is_python, sorted(paths))) if oid not in self._modules]
        if len(unknown) >= _MANY_MODULES:
            from flakeledger.repo.modules_underway import begin_modules

            self._modules_underway = begin_modules(self._batch.read_many, unknown)

    def prepare(self, ledger: Ledger) -> None:
        """Learn what state rules ask of many blobs: digests of fixtures, test modules; few of them in one stream."""
        fixtures = [oid for oid in _fixture_blobs(ledger) if not self._files.knows(oid)]
        if len(fixtures) >= _MANY or self._modules_underway is not None:
            self._learn_digests(fixtures)
            fixtures = []
        if self._modules_underway is not None:
            self._modules.update(self._modules_underway.answer())
            self._modules_underway = None
        modules = [oid for oid in _module_blobs(ledger) if oid not in self._modules]
        blobs = self._batch.read_many(chain(fixtures, modules))
        self._files.learn(islice(blobs, len(fixtures)))
        if modules:
            from flakeledger.repo.modules import module_facts

            for oid, data in blobs:
                self._modules[oid] = module_facts(data).to_json()

    def _learn_digests(self, oids: list[str]) -> None:
        """Hash blobs; many of them with two readers, for git and the hash are busy in turn and both without the GIL."""
        if len(oids) < _MANY:
            self._files.learn(self._batch.read_many(oids))
            return
        from concurrent.futures import ThreadPoolExecutor

        parts = [oids[start::_READERS] for start in range(_READERS)]
        with ThreadPoolExecutor(_READERS) as readers:
            tuple(readers.map(lambda part: self._files.learn(self._batch.read_many(part)), parts))

    def read_many(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The id and the content of each blob in the order given; many of them in one stream of its own."""
        waiting = iter(oids)
        first = list(islice(waiting, _FEW + 1))
        if len(first) > _FEW:
            yield from self._batch.read_many(chain(first, waiting))
        else:
            yield from ((oid, self._read(oid)) for oid in first)

    def policy(self, tree: Tree) -> Policy | None:
        """The policy of a tree; None where it is missing or broken."""
        return self._reading.policy(tree)[0]

    def policy_of_blob(self, oid: str) -> Policy | None:
        """The policy that a blob holds; None where it is broken."""
        return self._reading.policy_of_blob(oid, self._read)[0]

    def freezes_of_blob(self, oid: str) -> tuple[Freeze, ...]:
        """The freezes that can be read in a blob, an old version of freezes.yaml."""
        return self._reading.freezes_of_blob(oid, self._read)

    def freezes_of_blobs(self, oids: Iterable[str]) -> Iterator[tuple[tuple[Freeze, ...], tuple[Finding, ...]]]:
        """The freezes that can be read in each blob, in the order given, and what is wrong; none of them is kept."""
        return (self._reading.freezes_in(data) for _, data in self.read_many(oids))

    def properties_of_blob(self, oid: str) -> tuple[Property, ...]:
        """The properties that can be read in a blob, an old version of properties.yaml."""
        return self._reading.properties_of_blob(oid, self._read)

    @contextmanager
    def with_files(self, files: Mapping[str, bytes]) -> Iterator[Repository]:
        """The same repository as it would be if some files held other bytes; nothing of them is written to it.

        CannotTell when git cannot store one of them.
        """
        self.save()  # the other one reads what this one learnt, and nothing is parsed twice
        from flakeledger.store.git_index import with_files

        with with_files(self.git, files) as git:
            yield from _opened(git, self.judges_disk)

    def save(self) -> None:
        """Keep what this run learnt."""
        for facts in self._learnt:
            facts.save()
        self._citing.save()

    @property
    def _learnt(self) -> tuple[KnownRows | Facts, ...]:
        return (self._digests, self._modules, *self._reading.facts)

    def close(self) -> None:
        """End what runs behind the objects, and what was begun in vain."""
        if self._modules_underway is not None:
            self._modules_underway.close()  # first: it holds copies of the pipes to the others
        self._blobs.close()
        self._batch.close()
        for underway in self._underway:
            underway.close()


def _fixture_blobs(ledger: Ledger) -> list[str]:
    """The blobs that are locked as bytes, each once."""
    paths = (row.path for row in ledger.fixtures if row.path is not None and row.hash != "contract")
    return _blobs(ledger.tree, paths)


def _module_blobs(ledger: Ledger) -> list[str]:
    """The Python modules of the tests that the ledgers name, and those that may cite a freeze, each once."""
    paths = _modules_of(ledger.properties).union(ledger.freezes_by_path, ledger.citing_files)
    return _blobs(ledger.tree, filter(is_python, sorted(paths)))


def _modules_of(properties: Iterable[Property]) -> set[str]:
    """The files of the tests that properties list."""
    return {test.partition("::")[0] for row in properties for test in row.tests or ()}


def _blobs(tree: Tree, paths: Iterable[str]) -> list[str]:
    entries = (tree.entry(path) for path in paths)
    return list({entry.oid: None for entry in entries if entry is not None and entry.mode in REGULAR_MODES})


@contextmanager
def open_repository(directory: str, environment: Mapping[str, str], *, from_disk: bool = False) -> Iterator[Repository]:
    """The repository that holds `directory`; `from_disk` reads the working tree instead of the index."""
    git = Git.open(directory, environment)
    if from_disk:
        from flakeledger.store.git_index import working_tree  # what is staged needs no index of its own

        with working_tree(git) as disk:
            yield from _opened(disk, True)
    else:
        yield from _opened(git, False)


def _opened(git: Git, judges_disk: bool) -> Iterator[Repository]:
    cache = Cache(git.git_dir)
    cache.sweep()
    repository = Repository(git, cache, judges_disk)
    try:
        yield repository
        repository.save()
    finally:
        repository.close()
