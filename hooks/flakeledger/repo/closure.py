"""What a test's text reaches in its module, and the digest of that text: `test_hash`.

The digest of a test is the SHA-256 of the UTF-8 bytes of its pieces joined by "\\n".

The pieces are the lines of definitions (see `definitions.py`), sorted by first line, then last; the same lines
count once. The definitions are:
* every definition of the test itself: where its class (or the module) defines the name several times, all;
* for a method: the header of its class, of the classes of this module that it inherits from, and of
  the classes around it (decorators, the `class` line up to its last base), and their automatic
  members: `setUp` and the others of `AUTOMATIC`, and fixtures with `autouse`;
* the module's automatic definitions (`setup_module`, …, fixtures with `autouse`);
* transitively, what a piece names. Its names are every name that it reads, every argument name (pytest
  fixtures) and the strings in `usefixtures(...)`; a header's are those of its decorators.
  A name reaches all definitions of it in the module: functions, whole classes, assignments, the heads
  of `for` and `with`. In a piece that stands in a class, names and attribute names reach the members
  of the test's own class, of those it inherits from and of those around it too.
  A name that is a test class (it has or inherits tests) reaches, by the attribute names beside it,
  members of that class, never the whole of it.
Tests are never reached: only a digest's own test is in it.

The text of a piece is its lines from the first decorator to its end, with line ends as "\\n" and trailing
blanks, tabs and form feeds stripped, less the lines that are no edit:
* decorators that are `pytest.mark.skip`, `xfail`, `flaky`, `property_id` or `frozen` (with or without
  arguments), `unittest.skip`, `unittest.expectedFailure`, `flaky.flaky`;
* comment lines that hold only `property_id: ID` or `flakeledger: cite …`;
* in a docstring that stands on lines of its own: its quotes and prefix, blanks around its lines, blank
  lines, and lines that hold only `property_id: ID` or `flakeledger: cite …`.

Invariants:
* Everything else is an edit: comments, blank lines and indentation too.
* The work is bounded: a module whose tests reach more than `MOST_WORK` is refused with `TooMuchTextError`.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from flakeledger.model.records import NAME
from flakeledger.repo.definitions import ClassOutline, Definition, class_outlines, definitions
from flakeledger.repo.outline import MODULE, Outline
from flakeledger.repo.uses import Uses, uses

#: members and functions that run around a test although nothing names them
AUTOMATIC = frozenset(
    {"setUp", "tearDown", "setUpClass", "tearDownClass", "asyncSetUp", "asyncTearDown"}
    | {"setup_method", "teardown_method", "setup_class", "teardown_class"}
    | {"setUpModule", "tearDownModule", "setup_module", "teardown_module", "setup_function", "teardown_function"}
)
#: characters of text, plus `_STEP` for each definition looked at: a second or so
MOST_WORK = 48_000_000
_STEP = 16
_BLANKS = " \t\f"
_NO_EDIT = rf"(?:property_id:[ \t]*{NAME}|flakeledger:[ \t]*cite\b.*)[ \t]*"
_NO_EDIT_TEXT = re.compile(_NO_EDIT)
_NO_EDIT_COMMENT = re.compile(r"#+[ \t]*" + _NO_EDIT)
_QUOTES = re.compile(r"[rRuU]?(\"\"\"|'''|\"|')")


class TooMuchTextError(Exception):
    """The tests of the module reach more text than is followed."""


class Scopes(NamedTuple):
    """Where a test's members are looked up: its class and those it inherits from, then the classes around it."""

    own: tuple[str, ...]
    around: tuple[str, ...]
    is_closed: bool


def edit_lines(lines: list[str], outline: Outline, comments: Iterable[tuple[int, str]]) -> list[str | None]:
    """The lines of a module as digests see them: None for a line that is no edit.

    `comments` are its comments as (line, text), for the lines that hold nothing else.
    """
    found: list[str | None] = [line.rstrip(_BLANKS) for line in lines]
    for node in outline.decorators:
        if outline.is_no_edit(node) and node.end_lineno is not None:
            found[node.lineno - 1 : node.end_lineno] = [None] * (node.end_lineno - node.lineno + 1)
    for line, text in comments:
        if _NO_EDIT_COMMENT.fullmatch(text):
            found[line - 1] = None
    for docstring in outline.docstrings:
        _normalise_docstring(found, docstring)
    return found


def _normalise_docstring(lines: list[str | None], node: ast.Expr) -> None:
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    texts = [line or "" for line in lines[first : last + 1]]
    opening = _QUOTES.match(texts[0], node.col_offset)
    is_alone = not texts[0][: node.col_offset].strip(_BLANKS) and len(texts[-1].encode()) == node.end_col_offset
    if opening is None or not is_alone or not texts[-1].endswith(opening[1]):
        return
    texts[-1] = texts[-1].removesuffix(opening[1])
    texts[0] = texts[0][opening.end() :]
    for index, text in enumerate(texts, first):
        plain = text.strip(_BLANKS)
        lines[index] = None if not plain or _NO_EDIT_TEXT.fullmatch(plain) else plain


class Closure:
    """The definitions of one module and what its tests reach."""

    def __init__(self, outline: Outline, lines: list[str | None]) -> None:
        """`lines` are those of `edit_lines`."""
        self._outline = outline
        self._lines = lines
        self._left = MOST_WORK
        self._uses: dict[Definition, Uses] = {}
        self._texts: dict[tuple[int, int], str] = {}
        self._scopes: dict[str, Scopes] = {}
        self.classes: dict[str, list[ClassOutline]] = class_outlines(outline)
        self._tests: dict[str, dict[str, list[Definition]]] = {}
        self._members: dict[str, dict[str, list[Definition]]] = {}
        for definition in definitions(outline):
            group = self._tests if definition.kind == "test" else self._members
            scope = group.setdefault(definition.owner, {})
            for name in definition.names:
                scope.setdefault(name, []).append(definition)
        self._inherit_nested()

    def _inherit_nested(self) -> None:
        """A class inherits the classes inside its bases: `Child::Inner` is what `Base::Inner` is."""
        nested = [name for name in self.classes if "::" in name]
        for owner in list(self.classes) if nested else ():
            for base in self.scopes(owner).own[1:]:
                self._spend(_STEP * len(nested))
                for name in nested:
                    inherited = owner + name.removeprefix(base)
                    if name.startswith(f"{base}::") and inherited not in self.classes:
                        self.classes[inherited] = self.classes[name]
                        self._tests[inherited] = self._tests.get(name, {})
                        self._members[inherited] = self._members.get(name, {})

    def _spend(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            raise TooMuchTextError

    def assigned(self, owner: str) -> Iterator[str]:
        """The names to which a class (or the module) assigns something."""
        for name, found in self._members.get(owner, {}).items():
            self._spend(_STEP + len(found))
            if any(definition.kind == "value" for definition in found):
                yield name

    def scopes(self, owner: str) -> Scopes:
        """Where the members of a class are looked up. An unknown base or decorator leaves it open."""
        found = self._scopes.get(owner)
        if found is None:
            own, is_closed = self._inherited(owner)
            above = owner.rpartition("::")[0]
            around = (*self.scopes(above).own, *self.scopes(above).around) if above else ()
            found = self._scopes[owner] = Scopes(own, around, is_closed)
            self._spend(_STEP * (len(own) + len(around)))
        return found

    def _inherited(self, owner: str) -> tuple[tuple[str, ...], bool]:
        found: dict[str, None] = {}
        is_closed = True
        pending = [owner] if owner != MODULE else []
        while pending:
            name = pending.pop()
            if name in found:
                continue
            found[name] = None
            for outline in self.classes[name]:
                self._spend(_STEP + len(outline.bases))
                is_closed = is_closed and outline.is_closed
                pending += reversed(outline.bases)
        return tuple(found), is_closed

    def tests(self) -> Iterator[tuple[str, str, list[Definition]]]:
        """Every test as (qualified name, class, definitions): written in its class, or inherited by it."""
        for name, found in self._tests.get(MODULE, {}).items():
            yield name, MODULE, found
        for owner in self.classes:
            seen: set[str] = set()
            for scope in self.scopes(owner).own:
                for name, found in self._tests.get(scope, {}).items():
                    self._spend(_STEP)
                    if name not in seen:
                        seen.add(name)
                        yield f"{owner}::{name}", owner, found

    @cached_property
    def _test_classes(self) -> frozenset[str]:
        """Classes that have or inherit tests, or stand around one that does."""
        found = {owner for owner in self.classes if any(self._tests.get(scope) for scope in self.scopes(owner).own)}
        for owner in list(found):
            while owner := owner.rpartition("::")[0]:
                found.add(owner)
        return frozenset(found)

    def uses(self, definition: Definition) -> Uses:
        """What the definition names."""
        found = self._uses.get(definition)
        if found is None:
            found = self._uses[definition] = uses(definition.nodes, self._outline)
        return found

    def _text(self, span: tuple[int, int]) -> str:
        text = self._texts.get(span)
        if text is None:
            lines = self._lines[span[0] - 1 : span[1]]
            text = self._texts[span] = "\n".join(line for line in lines if line is not None)
            self._spend(len(text))
        return text

    def digest(self, owner: str, tests: Iterable[Definition]) -> str:
        """The digest of a test, given as its class (or "") and its definitions."""
        return hashlib.sha256(self.text(owner, tests).encode()).hexdigest()

    def text(self, owner: str, tests: Iterable[Definition]) -> str:
        """What `digest` is the digest of."""
        scopes = self.scopes(owner)
        every = (*scopes.own, *scopes.around)
        self._spend(_STEP * len(every))
        start = [*tests, *self._automatic.get(MODULE, ())]
        for scope in every:
            start += [outline.header for outline in self.classes[scope]]
            start += self._automatic.get(scope, ())
        spans = {(found.first, found.last) for found in self._reach(start, every)}
        pieces = [self._text(span) for span in sorted(spans)]
        self._spend(sum(map(len, pieces)))
        return "\n".join(pieces)

    @cached_property
    def _automatic(self) -> dict[str, list[Definition]]:
        return {
            scope: [
                found for name, group in members.items() for found in group if name in AUTOMATIC or found.is_automatic
            ]
            for scope, members in self._members.items()
        }

    def _reach(self, start: Iterable[Definition], scopes: tuple[str, ...]) -> set[Definition]:
        """The definitions that are reached from some, those included."""
        pending = list(start)
        reached: set[Definition] = set()
        while pending:
            definition = pending.pop()
            if definition in reached:
                continue
            reached.add(definition)
            for found in self._named_by(definition, scopes if definition.owner else ()):
                self._spend(len(found))
                pending += found
        return reached

    def _named_by(self, definition: Definition, scopes: tuple[str, ...]) -> Iterator[list[Definition]]:
        """What one definition names, group by group."""
        names, attributes, _ = self.uses(definition)
        self._spend(_STEP + len(names) + len(attributes))
        members = self._members.get(MODULE, {})
        for name in names & members.keys():
            if name not in self._test_classes:
                yield members[name]
            else:
                yield from self._members_of(self.scopes(name).own, attributes)
        if scopes:
            yield from self._members_of(scopes, names | attributes)

    def _members_of(self, scopes: tuple[str, ...], names: frozenset[str]) -> Iterator[list[Definition]]:
        for scope in scopes:
            members = self._members.get(scope, {})
            self._spend(_STEP + len(names))
            for name in names & members.keys():
                if f"{scope}::{name}" not in self._test_classes:
                    yield members[name]

    def says(self, owner: str, decorators: Iterable[ast.expr], word: str) -> bool:
        """Whether decorators are the watched word, or names of this module whose definitions say it."""
        roots = [self._outline.resolve(node) for node in decorators]
        if not roots:
            return False
        if any(root.rpartition(".")[2] == word for root in roots):
            return True
        scopes = self.scopes(owner)
        every = (MODULE, *scopes.own, *scopes.around)
        heads = [root.partition(".")[0] for root in roots]
        self._spend(_STEP * len(every) * len(heads))
        start = [found for scope in every for head in heads for found in self._members.get(scope, {}).get(head, [])]
        return any(word in self.uses(found).says for found in self._reach(start, ()))
