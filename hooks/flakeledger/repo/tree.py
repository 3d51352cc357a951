"""One tree of the repository: which blob stands at which path, and what the blobs say.

Invariants:
* A tree is the index, a commit, or one of them with some paths put back to what they were.
* The few paths that every check needs (the ledgers, the guard, CODEOWNERS) are listed alone, so
  that a change which touches no ledger never lists a repository of 100,000 files.
* Nothing is listed twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import cached_property

from flakeledger.model.ledger_paths import GUARD, LEDGERS
from flakeledger.store.git import Git, Listing, TreeEntry

#: where GitHub and GitLab look for owners, in their order
CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
_ALWAYS = (LEDGERS.rstrip("/"), GUARD, *CODEOWNERS)
REGULAR_MODES = ("100644", "100755")

Lister = Callable[[tuple[str, ...]], Listing]


class Tree:
    """What stands at each path. `label` names the tree for people: "staged tree", "commit 1a2b3c4"."""

    def __init__(self, label: str, lister: Lister, blob: Callable[[str], bytes]) -> None:
        """`lister` lists the named paths, or all; `blob` reads a blob by its id."""
        self.label = label
        self._lister = lister
        self.blob = blob

    @cached_property
    def _few(self) -> Listing:
        return self._lister(_ALWAYS)

    @cached_property
    def _all(self) -> Listing:
        return self._lister(())

    @property
    def entries(self) -> Mapping[str, TreeEntry]:
        """Every path of the tree."""
        return self._all.entries

    @property
    def unmerged(self) -> frozenset[str]:
        """The paths that a merge left in conflict."""
        return frozenset(self._all.unmerged)

    def entry(self, path: str) -> TreeEntry | None:
        """What stands at the path; None where nothing does."""
        if path.startswith(LEDGERS) or path in _ALWAYS:
            return self._few.entries.get(path)
        return self.entries.get(path)

    def ledger_conflicts(self) -> list[str]:
        """The ledger paths that a merge left in conflict, sorted."""
        return sorted(path for path in self._few.unmerged if path.startswith(LEDGERS))

    def ledger_files(self) -> list[str]:
        """Every path below ledgers/."""
        return sorted(path for path in self._few.entries if path.startswith(LEDGERS))

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.entries)

    def is_folder(self, path: str) -> bool:
        """Whether some file lies below the path."""
        below = path.rstrip("/") + "/"
        index = bisect_left(self._sorted, below)
        return index < len(self._sorted) and self._sorted[index].startswith(below)

    def read(self, path: str) -> bytes | None:
        """The content of the regular file at the path; None where there is none."""
        found = self.entry(path)
        if found is None or found.mode not in REGULAR_MODES:
            return None
        return self.blob(found.oid)

    def put_back(self, label: str, before: Mapping[str, TreeEntry | None]) -> Tree:
        """The same tree with some paths as they were before (None: the path was not there)."""

        def lister(paths: tuple[str, ...]) -> Listing:
            listing = self._few if paths else self._all
            return Listing(_patched(listing.entries, before, few=bool(paths)), {})

        return Tree(label, lister, self.blob)


def _patched(
    entries: Mapping[str, TreeEntry], before: Mapping[str, TreeEntry | None], few: bool
) -> dict[str, TreeEntry]:
    patched = dict(entries)
    for path, entry in before.items():
        if few and not (path.startswith(LEDGERS) or path in _ALWAYS):
            continue
        if entry is None:
            patched.pop(path, None)
        else:
            patched[path] = entry
    return patched


def index_tree(git: Git, blob: Callable[[str], bytes], label: str) -> Tree:
    """The tree that the index holds."""
    return Tree(label, git.index_entries, blob)


def commit_tree(git: Git, blob: Callable[[str], bytes], commit: str, label: str) -> Tree:
    """The tree of a commit (or the empty tree)."""
    return Tree(label, lambda paths: Listing(git.tree_entries(commit, paths), {}), blob)
