"""Which files of a tree may cite a freeze: those of a known language whose content holds a word of a citation.

One tree is searched as a whole, by git; of every other tree only the difference is looked at, so that the cost grows
with the change and not with the repository.

Invariants:
* The answer is a function of the tree. What is kept (one tree of HEAD, with its files) saves time only: where it is
  gone, damaged or of a tree that is no longer here, the tree is searched again.
* A blob that cannot be read is `CannotTell`, never a file that cites nothing.
* Ledgers cite nothing, links and submodules are not followed, an unmerged path has no content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import LEDGERS
from flakeledger.repo.citations import WORDS, holds_words
from flakeledger.repo.merge import after
from flakeledger.repo.tree import REGULAR_MODES, ChangedEntries, CommitEntries, Entries
from flakeledger.store.cache import Cache
from flakeledger.store.git import Git, TreeEntry, Underway
from flakeledger.store.objects import BatchReader, is_object_id

_NAME = "citing"
#: so many blobs pay for a process of their own
_MANY = 60
#: what is kept means something else when other words, or files of other names, are looked for. It is the CRC-32 that
#: a test computes of both; reading the table of languages would cost every run what it saves
STAMP = 747100488


def may_cite(path: str) -> bool:
    """Whether the file's name is that of a language in which comments are known, and it is no ledger."""
    from flakeledger.repo.languages import language_of  # only what changed is asked about

    return language_of(path) is not None and not path.startswith(LEDGERS)


class CitingFiles:
    """The files of this repository's trees that may cite a freeze; every tree is asked about once."""

    def __init__(self, git: Git, cache: Cache, batch: BatchReader) -> None:
        """Starts and reads nothing yet."""
        self._git = git
        self._cache = cache
        self._batch = batch
        self._known: dict[str, frozenset[str]] = {}
        self._newest = ""
        self._comparison: Underway | None = None
        self._search: Underway | None = None

    @cached_property
    def _reference(self) -> tuple[str, frozenset[str]]:
        """The tree of which an earlier run kept the files, and the files; "" and none where nothing is kept."""
        match self._cache.load(_NAME):
            case [kept, str(tree), list(paths)] if kept == STAMP and is_object_id(tree):
                return tree, frozenset(path for path in paths if isinstance(path, str))
        return "", frozenset()

    def begin(self, tree: str) -> Underway | None:
        """Ask git what is needed to know a commit's tree, beside what the caller does next; its files will be kept.

        None where nothing is needed, else what the caller should close in the end.
        """
        self._newest = tree
        reference = self._reference[0]
        if tree == reference:
            return None
        if reference:
            self._comparison = self._git.begin_tree_changes(reference, tree)
            return self._comparison
        self._search = self._begin_search(tree)
        return self._search

    def _begin_search(self, tree: str) -> Underway:
        from flakeledger.repo.languages import ENDINGS
        from flakeledger.store.git_search import begin_search

        return begin_search(self._git, tree, WORDS, ENDINGS)

    def of(self, entries: Entries) -> frozenset[str]:
        """The files of a tree that may cite a freeze. CannotTell when one of them cannot be read."""
        if isinstance(entries, CommitEntries):
            return self._of_tree(entries.oid)
        if isinstance(entries, ChangedEntries):
            return self._changed(self.of(entries.below), entries.there)
        return self._changed(frozenset(), entries)

    def _of_tree(self, tree: str) -> frozenset[str]:
        self._newest = self._newest or tree
        reference, paths = self._reference
        if tree == reference:
            return paths
        found = self._known.get(tree)
        if found is None:
            found = self._compared(tree) if reference else None
            found = self._known[tree] = self._searched(tree) if found is None else found
        return found

    def _compared(self, tree: str) -> frozenset[str] | None:
        """The files of a tree by its difference from the reference; None where the two cannot be compared."""
        underway = self._comparison if tree == self._newest else None
        reference, paths = self._reference
        try:
            changes = self._git.tree_changes(reference, tree, underway)
        except CannotTell:  # the reference is no longer here, or this tree is not: then the search says why
            return None
        return self._changed(paths, {change.path: after(change) for change in changes})

    def _searched(self, tree: str) -> frozenset[str]:
        """The files of a tree by looking at all of it."""
        from flakeledger.store.git_search import search_answer

        underway = self._search if tree == self._newest else None
        found = search_answer(tree, underway or self._begin_search(tree))
        for oid in found.unreadable:
            self._batch.read(oid)  # says why it cannot be read, and what helps
            raise CannotTell(f"git grep could not read the blob {oid}", "git fsck, and repair what it reports")
        return frozenset(filter(may_cite, found.paths))

    def _changed(self, paths: frozenset[str], there: Mapping[str, TreeEntry | None]) -> frozenset[str]:
        """The files of a tree that differs from another one in some paths; what stands there now is looked at."""
        looked_at = {
            path: entry.oid
            for path, entry in there.items()
            if entry is not None and entry.mode in REGULAR_MODES and may_cite(path)
        }
        citing = self._citing(set(looked_at.values()))
        return paths - there.keys() | {path for path, oid in looked_at.items() if oid in citing}

    def _citing(self, oids: Iterable[str]) -> set[str]:
        """Those of some blobs that hold a word of a citation."""
        wanted = sorted(oids)
        few = ((oid, self._batch.read(oid)) for oid in wanted)
        blobs = few if len(wanted) < _MANY else self._batch.read_many(wanted)
        return {oid for oid, data in blobs if holds_words(data)}

    def save(self) -> None:
        """Keep the files of the newest tree, where it moved."""
        if self._newest in self._known:
            self._cache.save(_NAME, [STAMP, self._newest, sorted(self._known[self._newest])])
