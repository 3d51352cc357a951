"""From how a list names a test to the test's id in this tree.

Invariants:
* A test is named only where the tree leaves no doubt: one file, one function. Otherwise the answer says what is
  missing, and no id is made up.
* A file is read at most once, its words are found in linear time, and only files of the list's own language are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from flakeledger.model.wording import listed
from flakeledger.repo.tree import REGULAR_MODES, Tree
from flakeledger.store.quarantine_entries import Selector

_JVM = (".java", ".kt", ".scala", ".groovy")
_SCRIPTS = (".js", ".mjs", ".cjs", ".ts")
LARGEST_SOURCE = 1 << 20
_RUST_TEST = re.compile(rb"\bfn[ \t]++([A-Za-z_]\w*+)")
_SCRIPT_TEST = re.compile(rb"(?<![\w.])(?:test|it)\([ \t\r\n]*+(?:'([^'\\\r\n]++)'|\"([^\"\\\r\n]++)\")[ \t\r\n]*+,")


class Named(NamedTuple):
    """The id of a test, or ("" and) why there is none and what to write instead."""

    test: str
    problem: str = ""
    fix: str = ""


class Selectors:
    """Resolves selectors in one tree; `beside` is the folder of the list, whose ids may be relative to it."""

    def __init__(self, tree: Tree) -> None:
        """Reads nothing yet."""
        self._tree = tree
        self._ways: dict[str, Callable[[Selector, str], Named]] = {
            "id": self._by_id,
            "class": self._by_class,
            "function": self._by_function,
            "file": self._by_file,
        }

    def test_of(self, selector: Selector, beside: str) -> Named:
        """The test that a selector means; not for selectors that name none."""
        return self._ways[selector.how](selector, beside)

    def _by_id(self, selector: Selector, beside: str) -> Named:
        path, colons, _ = selector.text.partition("::")
        if not colons:
            return Named("", "it names a file, a folder or a pattern, not one test", "write one test id: path::name")
        if beside and path not in self._files and f"{beside}/{path}" in self._files:
            return Named(f"{beside}/{selector.text}")
        return Named(selector.text)

    def _by_class(self, selector: Selector, _beside: str) -> Named:
        (name,) = selector.hints
        inside = name.partition("$")[0].replace(".", "/")
        paths = [path for path in self._by_stem.get(inside.rpartition("/")[2], ()) if path.endswith(_JVM)]
        paths = [path for path in paths if f"/{path.rpartition('.')[0]}".endswith(f"/{inside}")]
        if len(paths) != 1:
            return _not_one(paths, f"holds the class {name}")
        if not selector.name:
            return Named("", "it mutes a whole class", f"name one method: {paths[0]}::METHOD")
        return Named(f"{paths[0]}::{selector.name}")

    def _by_function(self, selector: Selector, _beside: str) -> Named:
        paths = self._rust_functions.get(selector.name.rpartition("::")[2], [])
        for hint in selector.hints if len(paths) > 1 else ():
            words = {hint, hint.replace("-", "_"), hint.replace("_", "-")}
            nearer = [path for path in paths if words.intersection(re.split(r"[/.]", path))]
            paths = nearer or paths
        if len(paths) != 1:
            return _not_one(paths, f"defines the function {selector.name}")
        return Named(f"{paths[0]}::{selector.name}")

    def _by_file(self, selector: Selector, _beside: str) -> Named:
        paths = [f"{selector.name}{ending}" for ending in _SCRIPTS if f"{selector.name}{ending}" in self._files]
        if len(paths) != 1:
            return _not_one(paths, f"is named {selector.name}")
        names = {(one or other).decode(errors="replace") for one, other in _SCRIPT_TEST.findall(self._read(paths[0]))}
        if len(names) != 1:
            found = f"it holds {len(names)} named tests" if names else "it holds no named test"
            return Named("", f"{paths[0]} is a whole file, and {found}", f"name one of its tests: {paths[0]}::NAME")
        return Named(f"{paths[0]}::{names.pop()}")

    @cached_property
    def _files(self) -> frozenset[str]:
        entries = self._tree.entries
        return frozenset(path for path, entry in entries.items() if entry.mode in REGULAR_MODES)

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        """The paths by the name of their file without its extension, sorted."""
        found: dict[str, list[str]] = {}
        for path in sorted(self._files):
            found.setdefault(path.rpartition("/")[2].partition(".")[0], []).append(path)
        return found

    @cached_property
    def _rust_functions(self) -> dict[str, list[str]]:
        """The paths of the modules that define each function, sorted."""
        found: dict[str, list[str]] = {}
        for path in sorted(path for path in self._files if path.endswith(".rs")):
            for name in dict.fromkeys(_RUST_TEST.findall(self._read(path))):
                found.setdefault(name.decode(errors="replace"), []).append(path)
        return found

    def _read(self, path: str) -> bytes:
        """The text of a source file; of one that is too large to be written by people, nothing."""
        data = self._tree.read(path) or b""
        return data if len(data) <= LARGEST_SOURCE else b""


def _not_one(paths: list[str], what: str) -> Named:
    if not paths:
        return Named("", f"no file of this tree {what}", "take the entry out, or name its test: path::name")
    shown = listed(paths[:3]) + (", …" if len(paths) > 3 else "")
    return Named("", f"more than one file {what}: {shown}", f"name the one that is meant: {paths[0]}::NAME")
