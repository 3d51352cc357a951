"""The skips that a change brings into test code.

Invariants:
* Only test code whose added lines may hold a skip is parsed, and files in which skips were moved from are read only
  when there is a skip to explain. Blobs come in one stream.
* A file of a merge is compared with each parent's and with the three-way result: what one of them held stands.
* Data that a fixture row locks is no test code, unless a test runner reads it because of its name: such a file is
  data only if the base locked it, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.repo.change import Change
from flakeledger.repo.code_of_tests import (
    Versions,
    contents,
    edits_of_tests,
    is_test_code,
    regular,
    runs_by_name,
    versions_of,
)
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.skip_candidates import may_bring_skips
from flakeledger.repo.tree import REGULAR_MODES
from flakeledger.store.git import PathChange

if TYPE_CHECKING:  # only a change that may bring a skip pays for them
    from flakeledger.repo.skip import Skip
    from flakeledger.repo.skip_texts import SkipTexts

#: so many names are looked for in the bytes of every changed file
_MOST_NAMES = 64


class Brought(NamedTuple):
    """A skip that the change brings, the file that holds it in the new tree, and the lines that write it there."""

    path: str
    skip: Skip
    text: str


class _Edited(NamedTuple):
    """A file with skips that none of its versions before the change held."""

    new: SkipTexts
    bases: tuple[SkipTexts, ...]
    left: list[Skip]


def brought_skips(change: Change) -> list[Brought]:
    """Every skip that the change brings, by path and line. CannotTell where a blob is missing."""
    edited = [one for one in _edited(change) if not _is_data(change, one.new.path)]
    if not edited:
        return []
    from flakeledger.repo.skip_matching import Moves

    moves = Moves(_gone_files(change, edited))
    return [
        Brought(one.new.path, skip, one.new.own_text(skip))
        for one in edited
        for skip in one.left
        if not any(moves.explain(one.new, base, skip) for base in one.bases)
    ]


def _edited(change: Change) -> Iterator[_Edited]:
    versions = [_versions(change, edit) for edit in edits_of_tests(change.paths, change.classes)]
    for one, (new, *bases) in zip(versions, contents(versions, change.read_many), strict=True):
        if all(may_bring_skips(one.path, base, new) for base in bases):
            found = _compared(one.path, new, bases)
            if found.left:
                yield found


def _compared(path: str, new: bytes, bases: Sequence[bytes]) -> _Edited:
    from flakeledger.repo.skip_matching import not_standing
    from flakeledger.repo.skip_texts import SkipTexts

    texts, before = SkipTexts(path, new), tuple(SkipTexts(path, base) for base in bases)
    left = list(texts.skips)
    for base in before if left else ():
        brought = set(not_standing(texts, base))
        left = [skip for skip in left if skip in brought]
    return _Edited(texts, before, left)


def _versions(change: Change, edit: PathChange) -> Versions:
    entries = [tree.entry(edit.path) for tree in (change.base_tree, *change.parents)]
    oids = ("" if entry is None else regular(*entry) for entry in entries)
    return Versions(edit.path, edit.new_oid, tuple(dict.fromkeys(oids)))


def _is_data(change: Change, path: str) -> bool:
    """Whether the file is a locked fixture: data that tests read, whatever it looks like."""
    if path not in _locked(change.new):
        return False
    return not runs_by_name(path) or path in _locked(change.base)


def _locked(ledger: Ledger) -> set[str | None]:
    return {fixture.path for fixture in ledger.fixtures}


def _gone_files(change: Change, edited: Sequence[_Edited]) -> Iterator[tuple[SkipTexts, SkipTexts]]:
    """The changed files, before and after, that may have held one of the skips that are left."""
    from flakeledger.repo.skip_texts import SkipTexts

    before = [edit for edit in change.paths if edit.old_mode in REGULAR_MODES]
    versions = [versions_of(edit) for edit in before if is_test_code(edit.path, change.classes)]
    wanted = _names(edited)
    for one, (after, base) in zip(versions, contents(versions, change.read_many), strict=True):
        if may_bring_skips(one.path, b"", base) and any(name in base for name in wanted):
            yield SkipTexts(one.path, base), SkipTexts(one.path, after)


def _names(edited: Sequence[_Edited]) -> list[bytes]:
    """What a file must hold to have held one of the skips; any file will do where they are many, or have no name."""
    names = {skip.test.partition("[")[0].rpartition("::")[2] for one in edited for skip in one.left}
    return [b""] if "" in names or len(names) > _MOST_NAMES else [name.encode(errors="replace") for name in names]
