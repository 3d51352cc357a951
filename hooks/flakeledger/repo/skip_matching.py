"""Which skips of a file stood before: in the file itself, or in files from which they are gone.

A skip stands where its test had one before that was at least as lenient: on the test itself, on a class around it or
on its whole file. What is left stood before, too, if it is a gone skip known again: under another name in its place or
with the same text, or in another file under the same name with the same text.

Invariants:
* Every gone skip is known again at most once in its own file, and at most once in others: one old skip never covers
  two new ones there. One of a class or a file is known again for each of its tests as well, once.
* A test that the base has, and that nothing took out there, is never covered by another test's skip.
* The work is linear in the texts; how many files one skip is looked for in is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice

from flakeledger.repo.ids import is_python
from flakeledger.repo.skip import Skip, SkipKind
from flakeledger.repo.skip_texts import SkipTexts, is_case

#: a kind -> the kinds that were at least as lenient: a test that was skipped may become one that may fail, not back
AS_LENIENT: dict[SkipKind, tuple[SkipKind, ...]] = {
    "skip": ("skip",),
    "quarantine": ("quarantine", "skip"),
    "xfail": ("xfail", "quarantine", "skip"),
    "flaky": ("flaky", "retry", "xfail", "quarantine", "skip"),
    "retry": ("retry", "flaky", "xfail", "quarantine", "skip"),
    "deselect": ("deselect",),
    "ignore": ("ignore",),
    "unread": ("unread",),
    "hidden": ("hidden",),
}
#: kinds that name what they take out wherever they stand: where they stand is nothing
LISTED = ("deselect", "ignore")
#: stands for all tests of a file; no test has this name
WHOLE = ":"
#: how many gone files are compared with a new one
_MOST_FILES = 32

Key = tuple[str, ...]


class _Pool:
    """Skips that are gone, by what they are known again by; each is claimed at most once."""

    def __init__(self) -> None:
        """Nothing is gone yet."""
        self._members: dict[Key, list[tuple[int, SkipTexts]]] = {}
        self._number = 0
        self._claimed: set[int] = set()

    def add(self, texts: SkipTexts, skip: Skip, keys: Iterable[Key]) -> None:
        """One gone skip of a file, and what it is known again by."""
        self._number += 1
        for key in keys:
            self._members.setdefault((skip.kind, *key), []).append((self._number, texts))

    def claim(self, skip: Skip, keys: Iterable[Key], fits: Callable[[SkipTexts], bool] = lambda _: True) -> bool:
        """Whether a gone skip, at least as lenient, is known by one of the keys in a file that fits; it is used up."""
        for key in keys:
            for kind in AS_LENIENT[skip.kind]:
                members = self._members.get((kind, *key), [])
                while members and members[-1][0] in self._claimed:
                    members.pop()
                unclaimed = (member for member in reversed(members) if member[0] not in self._claimed)
                for number, texts in islice(unclaimed, _MOST_FILES):
                    if fits(texts):
                        self._claimed.add(number)
                        return True
        return False


def not_standing(new: SkipTexts, base: SkipTexts) -> list[Skip]:
    """The skips of a file that the same file did not hold before, in source order."""
    held = _held(base)
    left = [skip for skip in new.skips if not _is_held(new, skip, base, held)]
    if not left or not base.skips:
        return left
    gone = _Pool()
    for skip in base.skips:
        gone.add(base, skip, _keys_in_place(base, skip, new))
    for skip, test in _gone_below(base, new):
        gone.add(base, skip, [("named", base.last_name(test))])
    return [skip for skip in left if not gone.claim(skip, _keys_in_place(new, skip, base))]


def _gone_below(texts: SkipTexts, other: SkipTexts) -> Iterator[tuple[Skip, str]]:
    """The tests that skips of classes and of the file take out, and that another version has not; with one skip."""
    seen: set[tuple[SkipKind, str]] = set()
    for skip in texts.skips:
        if (skip.kind, skip.test) not in seen:
            below = [(skip, test) for test in texts.tests_under(skip) if not other.has(test)]
            seen.update([(skip.kind, skip.test)] if below else ())
            yield from below


def _held(texts: SkipTexts) -> set[tuple[SkipKind, str]]:
    """The scopes that a file takes out as a whole: tests, classes, the file itself."""
    scopes = ((skip.kind, WHOLE if texts.is_whole(skip) else skip.test) for skip in texts.skips if not is_case(skip))
    return {(kind, scope) for kind, scope in scopes if scope}


def _is_held(texts: SkipTexts, skip: Skip, base: SkipTexts, held: set[tuple[SkipKind, str]]) -> bool:
    """Whether what is taken out, or what stands around it, was taken out before, at least as leniently."""
    if skip.kind == "unread":
        return texts.holds_no_more_words(skip, base)
    around = [*_scopes(skip.test), WHOLE] if skip.test or texts.is_whole(skip) else []
    return any((kind, scope) in held for kind in AS_LENIENT[skip.kind] for scope in around)


def _scopes(test: str) -> Iterator[str]:
    while test:
        yield test
        test = test.rpartition("::")[0]


def _keys_in_place(texts: SkipTexts, skip: Skip, other: SkipTexts) -> Iterator[Key]:
    """By what a skip is known again in another version of its file; nothing where that version has its test."""
    if is_case(skip):
        yield "case", skip.test, texts.case_text(skip)
    elif not skip.test:
        yield "own", texts.own_text(skip)
    elif skip.kind not in LISTED and not other.has(skip.test):
        text = texts.nameless_text(skip)
        if text:
            yield "text", text
        yield from (("place", *place) for place in texts.places(skip))
        if is_python(texts.path):
            yield "named", texts.last_name(skip.test)


class Moves:
    """Skips that are gone from changed files, and may stand in another file now."""

    def __init__(self, files: Iterable[tuple[SkipTexts, SkipTexts]]) -> None:
        """`files` are the changed files before and after; one that is deleted has no bytes after."""
        self._gone = _Pool()
        self._deleted: list[SkipTexts] = []
        self._moved: dict[tuple[SkipTexts, SkipTexts], bool] = {}
        for before, after in files:
            if not after.data:
                self._deleted.append(before)
            listed = {(skip.kind, skip.test) for skip in after.skips}
            for skip in before.skips:
                is_there = (skip.kind, skip.test) in listed if skip.kind in LISTED else after.has(skip.test)
                if not is_there:
                    self._gone.add(before, skip, _keys_moved(before, skip, is_whole=not after.data))
            for skip, test in _gone_below(before, after):
                self._gone.add(before, skip, [_moved_function(before, test)])

    def explain(self, new: SkipTexts, base: SkipTexts, skip: Skip) -> bool:
        """Whether a skip that its file did not hold before came from another file. A file that is new: base is empty.

        The same test with the same text is gone there; or the file is that file, moved, and the skip is one that it
        had; or all tests of a class or of a new file were taken out elsewhere, and are gone there. A test that another
        deleted file ran is not taken for the one that was skipped.
        """
        if skip.kind not in LISTED and base.data and (not skip.test or base.has(skip.test)):
            return False  # it ran here, or nobody knows
        keys = list(_keys_moved(new, skip, is_whole=not base.data))
        exact, whole = [key for key in keys if key[0] != "whole"], [key for key in keys if key[0] == "whole"]
        if self._gone.claim(skip, exact) or self._gone.claim(skip, whole, lambda old: self._became(old, new, skip)):
            return True
        tests = new.tests_under(skip)
        return bool(tests) and all(self._gone.claim(skip, [_moved_function(new, test)]) for test in tests)

    def _became(self, old: SkipTexts, new: SkipTexts, skip: Skip) -> bool:
        """Whether a deleted file is the new one, moved, and no deleted file ran the test."""
        known = self._moved.get((old, new))
        if known is None:
            known = self._moved[old, new] = new.is_moved_from(old)
        return known and skip.test not in self._ran

    @cached_property
    def _ran(self) -> frozenset[str]:
        """The tests that some deleted file had and did not take out."""
        return frozenset(test for texts in self._deleted for test in _running(texts))


def _running(texts: SkipTexts) -> Iterator[str]:
    out = {scope for _, scope in _held(texts)}
    if WHOLE not in out:
        yield from (test for test in texts.tests if out.isdisjoint(_scopes(test)))


def _keys_moved(texts: SkipTexts, skip: Skip, *, is_whole: bool) -> Iterator[Key]:
    """By what a skip is known again in another file. `is_whole`: the whole file is gone, or new."""
    if skip.kind in LISTED:
        yield "listed", skip.test or texts.own_text(skip)
    elif not is_case(skip) and texts.function_text(skip.test):
        yield _moved_function(texts, skip.test)
    elif skip.test and (text := texts.nameless_text(skip)):
        yield "moved", skip.test.rpartition("::")[2], text
    if is_whole and skip.kind not in LISTED:
        yield ("whole", skip.test) if skip.test else ("whole", "", texts.own_text(skip))


def _moved_function(texts: SkipTexts, test: str) -> Key:
    return "moved", texts.last_name(test), texts.function_text(test)
