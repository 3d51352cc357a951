"""The marks in Python test code that say "do not trust this test": skip, xfail and flaky, each with its reason.

Invariants:
* A mark counts for every test below it: a decorator of a class and a `pytestmark` mean all tests of their scope.
* A conditional mark is none: it says where a test can run, not that nobody trusts it (see `skip_marks.py`).
* Modules are parsed, never run; every test is named once, with the mark that stands nearest to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flakeledger.model.rows import Place
from flakeledger.repo.modules import parse_module
from flakeledger.repo.python_skips import module_skips
from flakeledger.repo.skip import Skip

#: how the names of skips begin that stand for every test of their scope
_MARKING = ("@", "pytestmark")
_KINDS = frozenset({"skip", "xfail", "flaky"})


class Mark(NamedTuple):
    """A mark on one test. `test` is its name inside the module; `reason` is the text that the mark gives, or ""."""

    test: str
    name: str
    place: Place
    reason: str


def marks_of(data: bytes) -> list[Mark] | str:
    """The marked tests of a Python module, in source order; or why the module cannot be parsed."""
    module = parse_module(data)
    if isinstance(module, str):
        return module
    from flakeledger.repo.definitions import definitions
    from flakeledger.repo.outline import qualified, read_outline

    outline = read_outline(module)
    first: dict[str, Skip] = {}
    for skip in module_skips(module, outline, data):
        if skip.kind in _KINDS and skip.name.startswith(_MARKING):
            first.setdefault(skip.test, skip)
    marks = []
    tests = [each for each in definitions(outline) if each.kind == "test"]
    for test in dict.fromkeys(qualified(each.owner, each.names[0]) for each in tests):
        nearest = next((first[scope] for scope in _scopes(test) if scope in first), None)
        if nearest is not None:
            marks.append(Mark(test, nearest.kind, Place(nearest.first, nearest.column), nearest.reason))
    return sorted(marks, key=lambda mark: mark.place)


def _scopes(test: str) -> Iterator[str]:
    """A test, the classes around it, nearest first, and the module."""
    while test:
        yield test
        test = test.rpartition("::")[0]
    yield ""
