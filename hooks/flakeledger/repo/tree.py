"""One tree of the repository: which blob stands at which path, and what the blobs say.

Invariants:
* A tree is a commit, or another tree with some paths as they were, or as they are, elsewhere: the index is HEAD's tree
  with what is staged on top.
* Folders are read when somebody asks for a path in them, each once: looking at a few paths of 100,000 lists nothing.
* A mere intent to add is nothing, and an unmerged path has no entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from flakeledger.model.ledger_paths import LEDGERS
from flakeledger.store.git import TreeEntry
from flakeledger.store.objects import FOLDER_MODE, Folder

#: where GitHub and GitLab look for owners, in their order
CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
REGULAR_MODES = ("100644", "100755")
#: what else git stores at a path, for people
ODD_MODES = {"120000": "a symbolic link", "160000": "a submodule"}

Entries = Mapping[str, TreeEntry]


class Listing(NamedTuple):
    """What stands where, and the paths that a merge left in conflict."""

    entries: Entries
    unmerged: frozenset[str] = frozenset()


class Tree:
    """What stands at each path. `label` names the tree for people: "staged tree", "commit 1a2b3c4"."""

    def __init__(self, label: str, lister: Callable[[], Listing], blob: Callable[[str], bytes]) -> None:
        """`lister` is asked once, when somebody asks the tree; `blob` reads a blob by its id."""
        self.label = label
        self._lister = lister
        self.blob = blob

    @cached_property
    def _listing(self) -> Listing:
        return self._lister()

    @property
    def entries(self) -> Entries:
        """Every path of the tree."""
        return self._listing.entries

    @property
    def unmerged(self) -> frozenset[str]:
        """The paths that a merge left in conflict."""
        return self._listing.unmerged

    def entry(self, path: str) -> TreeEntry | None:
        """What stands at the path; None where nothing does."""
        return self._listing.entries.get(path)

    def ledger_conflicts(self) -> list[str]:
        """The ledger paths that a merge left in conflict, sorted."""
        return sorted(path for path in self.unmerged if path.startswith(LEDGERS))

    def is_folder(self, path: str) -> bool:
        """Whether some file lies below the path."""
        below = path.rstrip("/") + "/"
        return any(known.startswith(below) for known in self.entries)

    def read(self, path: str) -> bytes | None:
        """The content of the regular file at the path; None where there is none."""
        found = self.entry(path)
        if found is None or found.mode not in REGULAR_MODES:
            return None
        return self.blob(found.oid)

    def put_back(self, label: str, before: Mapping[str, TreeEntry | None]) -> Tree:
        """The same tree with some paths as they were before (None: the path was not there)."""
        return Tree(label, lambda: Listing(ChangedEntries(self.entries, before)), self.blob)


class _Asked(Mapping[str, TreeEntry]):
    """Entries that are found when they are asked for: by `get`, which every kind of them has."""

    def __getitem__(self, path: str) -> TreeEntry:
        """What stands at the path; KeyError where nothing does."""
        found: TreeEntry | None = self.get(path)
        if found is None:
            raise KeyError(path)
        return found

    def __len__(self) -> int:
        """How many paths there are."""
        return sum(1 for _ in self)


class CommitEntries(_Asked):
    """The entries of a commit's tree; each folder is read when a path in it is asked for."""

    def __init__(self, root: Folder, read: Callable[[str], Folder]) -> None:
        """`read` reads a folder by its id."""
        self.oid = root.oid
        self._read = read
        self._folders: dict[str, Mapping[str, TreeEntry]] = {"": root.entries}

    def _folder(self, path: str) -> Mapping[str, TreeEntry]:
        """What stands in a folder; nothing where there is none."""
        found = self._folders.get(path)
        if found is None:
            above, _, name = path.rpartition("/")
            entry = self._folder(above).get(name)
            is_folder = entry is not None and entry.mode == FOLDER_MODE
            found = self._folders[path] = self._read(entry.oid).entries if entry is not None and is_folder else {}
        return found

    def get(self, path: str, default: Any = None) -> Any:
        """What stands at the path, else the default. (Mapping's own would raise a KeyError for each that is absent.)"""
        folder, _, name = path.rpartition("/")
        entry = self._folder(folder).get(name) if path[:1] != "/" else None
        return default if entry is None or entry.mode == FOLDER_MODE else entry

    def __contains__(self, path: object) -> bool:
        """Whether something stands at the path."""
        return isinstance(path, str) and self.get(path) is not None

    def __iter__(self) -> Iterator[str]:
        """Every path, in git's order. Reads every folder."""
        pending = [("", iter(self._folders[""].items()))]
        while pending:
            above, entries = pending[-1]
            for name, entry in entries:
                if entry.mode == FOLDER_MODE:
                    pending.append((f"{above}{name}/", iter(self._folder(f"{above}{name}").items())))
                    break
                yield f"{above}{name}"
            else:
                pending.pop()


class ChangedEntries(_Asked):
    """Entries, some of them as they are elsewhere. The others are not copied: there may be a hundred thousand."""

    def __init__(self, entries: Entries, there: Mapping[str, TreeEntry | None]) -> None:
        """None in `there`: nothing stands at the path."""
        self.below = entries
        self.there = there

    def get(self, path: str, default: Any = None) -> Any:
        """What stands at the path, else the default."""
        if path in self.there:
            found = self.there[path]
            return default if found is None else found
        return self.below.get(path, default)

    def __contains__(self, path: object) -> bool:
        """Whether something stands at the path."""
        return self.there[path] is not None if path in self.there else path in self.below  # type: ignore[index]

    def __iter__(self) -> Iterator[str]:
        """The paths: those that are the same, then the others."""
        yield from (path for path in self.below if path not in self.there)
        yield from (path for path, entry in self.there.items() if entry is not None)
