"""Test ids: how one is written, and whether a file has the test that it names.

Invariants:
* A test is found by its whole id, never by its name alone; parameters are not judged, for only a run knows them.
* A module that cannot be parsed is "unreadable", which is neither found nor gone.
* Everything is a pure function of texts, in bounded time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Literal, NamedTuple

from flakeledger.repo.modules import ModuleFacts, TestFacts

#: suggestions compare at most so many names, each at most so long: comparing is quadratic
_MOST_NAMES = 300
_LONGEST_NAME = 80


class TestId(NamedTuple):
    """A test id: `path::Class::name[parameters]`. For a file that is no Python, one part holds the whole name."""

    path: str
    parts: tuple[str, ...]
    parameters: str | None

    @property
    def name(self) -> str:
        """The id inside its file, without parameters: `Class::name`."""
        return "::".join(self.parts)


class Found(NamedTuple):
    """Whether a tree has the test that an id names.

    `several`: the id names a class or a parametrised function. `unreadable`: its module cannot be parsed.
    `reason` and `fix` are empty when it is found. `facts` are there when the test is written in its module.
    """

    state: Literal["found", "absent", "several", "unreadable"]
    reason: str = ""
    fix: str = ""
    facts: TestFacts | None = None


def is_python(path: str) -> bool:
    """Whether the path is a Python module, whose tests are found by parsing it."""
    return path.endswith(".py")


def split_test_id(text: str) -> TestId:
    """The parts of `path::Class::name[parameters]`; ValueError says what is wrong with the id.

    Parameters are everything from the first bracket to the last character; they may hold `::` and brackets.
    """
    path, colons, rest = text.partition("::")
    if not colons:
        raise ValueError("a test id is written path::name or path::Class::name; this names a file or a folder")
    if not path:
        raise ValueError("a test id begins with the path of its file: path::name")
    parameters = None
    if is_python(path):
        rest, bracket, inside = rest.partition("[")
        if bracket and not inside.endswith("]"):
            raise ValueError("the parameters of a test id stand in brackets at its end: path::name[parameters]")
        if not bracket and rest.endswith("]"):
            raise ValueError("the test id has a closing bracket without an opening one")
        parameters = inside[:-1] if bracket else None
    parts = tuple(rest.split("::")) if is_python(path) else (rest,)
    if not all(part.strip() for part in rest.split("::")):
        raise ValueError("a part of the test id is empty: path::Class::name")
    return TestId(path, parts, parameters)


def word_in(name: str, data: bytes) -> bool:
    """Whether a file holds the last part of a name (after its last `::`) as a whole word."""
    word = name.rpartition("::")[2]
    encoded = word.encode(errors="surrogateescape")
    if not word or encoded not in data:
        return False
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", data.decode(errors="replace")) is not None


def with_word(data: bytes, old: str, new: str) -> bytes:
    """The bytes of a file with every whole word `old` replaced by `new`."""
    text = data.decode(errors="surrogateescape")
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text).encode(errors="surrogateescape")


def nameless_digest(data: bytes, name: str) -> str:
    """SHA-256 of a text without a word, wherever that stands: the same for texts that differ in their words alone."""
    from hashlib import sha256  # only a test under another name pays for it

    return sha256(with_word(data, name, "\0")).hexdigest()


def find_test(test: TestId, facts: ModuleFacts, mentioned: Callable[[str], bool], *, suggests: bool = True) -> Found:
    """Whether a Python module has the test.

    `mentioned` says whether a word stands in the module or in one that it imports; it is asked only for
    tests that may be written elsewhere.
    """
    if facts.problem is not None:
        return Found("unreadable", f"{test.path}: {facts.problem}", f"mend {test.path}, so that Python can parse it")
    name = test.name
    found = facts.tests.get(name)
    if found is not None and (test.parameters is not None or not found.parametrised):
        return Found("found", facts=found)
    if found is not None:
        fix = f"add the bracketed id that pytest prints: {test.path}::{name}[…]"
        return Found("several", f"{name} is parametrised: several tests; add the bracketed id", fix, found)
    if _is_elsewhere(test, facts, mentioned):
        return Found("found")
    if name in facts.classes or (name in facts.opaque and name[0].isupper()):
        inside = sorted(known for known in facts.tests if known.startswith(f"{name}::"))[:3]
        listed = " or ".join(f"{test.path}::{known}" for known in inside)
        return Found(
            "several", f"{name} is a class: several tests", f"name one test: {listed or f'{test.path}::{name}::…'}"
        )
    fix = f"name a test of {test.path}, or take the id out"
    return Found("absent", f"{test.path} has no test {name}", (_nearest(test, facts) if suggests else "") or fix)


def _is_elsewhere(test: TestId, facts: ModuleFacts, mentioned: Callable[[str], bool]) -> bool:
    """Whether the test belongs to something opaque that may hold it."""
    *owners, method = test.parts
    if not (method.startswith("test") or (owners and method == "runTest")):
        return False
    if test.name in facts.opaque:
        return True
    above = ("::".join(owners[:depth]) for depth in range(len(owners), 0, -1))
    if any(owner in facts.opaque for owner in above):
        return method == "runTest" or mentioned(method)
    return "*" in facts.opaque and test.name not in facts.classes and all(map(mentioned, test.parts))


def _nearest(test: TestId, facts: ModuleFacts) -> str:
    import difflib

    names = [name for name in islice(facts.tests, _MOST_NAMES) if len(name) <= _LONGEST_NAME]
    near = difflib.get_close_matches(test.name[:_LONGEST_NAME], names, n=1)
    same = [name for name in facts.tests if name.rpartition("::")[2] == test.parts[-1]]
    for name in (*same[:1], *near):
        return f"did you mean {test.path}::{name}?"
    return ""
