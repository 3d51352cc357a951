"""The ledgers that one command edits: read once, edited in memory, judged, written together or not at all.

Invariants:
* Who may write holds the lock on editing before anything is read: of two commands at once the second reads what the
  first one wrote. Who writes nothing takes no lock.
* What is edited is the file on disk; where that is not what git would store, nothing is edited.
* A row's key is its test or its id; every row but the one that is meant keeps its bytes (`store/editor.py` sees to it).
* Nothing is written before `write`, and then only files that differ.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from shlex import join, quote
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Policy
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.store.editor import NewValue, append_rows, change_rows, remove_rows
from flakeledger.store.edits import Edits, locked, on_disk
from flakeledger.store.git import Git
from flakeledger.store.reader import chunks_of, read_rows


class OpenLedgers(NamedTuple):
    """The repository with the files on disk as its tree, and the right to edit; None: nothing will be written."""

    repository: Repository
    right: Edits | None


@contextmanager
def open_ledgers(*, writes: bool) -> Iterator[OpenLedgers]:
    """The ledgers around the current folder; with `writes`, nobody else edits them until this ends.

    CannotTell outside of a repository, and when another command keeps the lock for too long.
    """
    with ExitStack() as stack:
        right = stack.enter_context(locked(Git.open(os.curdir, os.environ))) if writes else None
        yield OpenLedgers(stack.enter_context(open_repository(os.curdir, os.environ, from_disk=True)), right)


class LedgerEdits:
    """The edits of one command. Made from a repository that reads the working tree."""

    def __init__(self, repository: Repository) -> None:
        """Nothing is edited yet."""
        self._repository = repository
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes] = {}

    def append_all(self, path: str, rows: Sequence[Mapping[str, NewValue]]) -> None:
        """New rows. CannotTell when the ledger cannot be edited."""
        self._after[path] = append_rows(self._text(path), path, rows)

    def change_all(self, path: str, changes: Mapping[str, Mapping[str, NewValue | None]]) -> None:
        """Other values in rows, by their keys; None takes a field out. CannotTell when the ledger cannot be edited."""
        self._after[path] = change_rows(self._text(path), path, changes)

    def remove_all(self, path: str, keys: Sequence[str]) -> None:
        """Rows less, by their keys. CannotTell when the ledger cannot be edited."""
        self._after[path] = remove_rows(self._text(path), path, keys)

    def put(self, files: Mapping[str, bytes]) -> None:
        """Files as a whole, such as witnesses. CannotTell when something stands there that cannot be replaced."""
        for path, data in files.items():
            self._text(path)
            self._after[path] = data

    @property
    def files(self) -> dict[str, bytes]:
        """The new texts of the files that differ."""
        return {path: after for path, after in self._after.items() if after != self._before[path]}

    def row_text(self, path: str, key_field: str, key: str) -> str:
        """The lines of a row as the edit leaves them."""
        data = self._after[path]
        last = next(row.last_line for row in read_rows(data, path).rows if row.values.get(key_field) == key)
        first = max(chunk.line for chunk in chunks_of(data, path).chunks if chunk.line <= last)
        return "".join(f"{line}\n" for line in data.decode().replace("\r\n", "\n").split("\n")[first - 1 : last])

    def write(self, right: Edits | None) -> None:
        """Write the files that differ; without the right to edit, none.

        CannotTell, with nothing written, when one of them cannot be.
        """
        changes = {path: (self._before[path], after) for path, after in self.files.items()}
        if changes and right is not None:
            right.write(changes)

    def next_steps(self) -> Iterator[str]:
        """What to say after `write`."""
        if self.files:
            yield f"next: git add {join(self.files)}, and commit"

    def _text(self, path: str) -> bytes:
        """The text as it is by now. CannotTell when the file on disk is not the one that git would store."""
        if path not in self._before:
            data = self._before[path] = on_disk(self._repository.git, path)
            if data is not None and self._repository.tree(INDEX).entry(path) is None:
                raise CannotTell(
                    f"git ignores {path}, so nothing that stands in it counts", f"git add -f {quote(path)}"
                )
        return self._after.get(path, self._before[path] or b"")


def policy_of(ledger: Ledger) -> Policy:
    """The policy of the tree. CannotTell without one that can be read."""
    if ledger.policy is None:
        raise CannotTell(
            f"{ledger.tree.label} has no policy that can be read", "flakeledger check   # says what is wrong with it"
        )
    return ledger.policy


def refuse_unreadable(ledger: Ledger, paths: Iterable[str]) -> None:
    """CannotTell when some row of one of these ledgers cannot be read: it may be the very row that is meant."""
    for finding in ledger.findings:
        if finding.path in ledger.unreadable.intersection(paths):
            raise CannotTell(
                f"{finding.path} cannot be read as a whole: {finding.message}",
                finding.fix or "flakeledger check   # says what is wrong, and how to mend it",
                f"{finding.path}:{finding.line}:{finding.column}",
            )
