"""One version of a file of test code: its skips, which tests it has, and the texts by which both are known again.

Invariants:
* Texts are compared without indentation, blank lines and the reasons of marks, so that layout and a better reason
  change nothing; a text that is asked for "but for its name" has the name of the test blanked.
* A file is parsed once, and only when somebody asks. What cannot be parsed is compared line by line.
* Facts depend on the path's ending and the bytes alone; no input raises.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.repo.ids import is_python
from flakeledger.repo.skip import Skip

if TYPE_CHECKING:
    import ast

_BLANKED = "\0"
#: how a skip of a whole module begins that names no test
_OF_MODULES = ("pytestmark =", "pytest.skip()", "pytest.xfail()", "raise ")
#: of a longer line, what is near is compared; nobody writes one by hand
_LONGEST_LINE = 500
#: of a case, so many lines are compared
_MOST_LINES = 200
_WORD = re.compile(r"\w+")
#: what formatters, annotations and a class around a function change of it
_LAYOUT = re.compile(r"(?<=\()\s*self\b\s*,?|\s+|,(?=\s*[)\]}])|->\s*None(?=\s*:)")
_MARKS = re.compile(r"marks=.*|[\s,]", re.DOTALL)


class Span(NamedTuple):
    """The lines of a function with its decorators, or of a class down to its last base; both from 1, included."""

    first: int
    last: int


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def is_case(skip: Skip) -> bool:
    """Whether a skip takes out one case of a parametrised test alone."""
    return skip.name.startswith("pytest.param(")


class SkipTexts:
    """A file with what is compared of it. `data` are its bytes; b"" where there is no file."""

    def __init__(self, path: str, data: bytes) -> None:
        """Reads nothing yet."""
        self.path = path
        self.data = data
        self._nameless_texts: dict[str, str] = {}
        self._function_texts: dict[str, str] = {}

    @cached_property
    def skips(self) -> tuple[Skip, ...]:
        """What the file takes out of the runs, in source order."""
        if not self.data:
            return ()
        if is_python(self.path):
            from flakeledger.repo.python_skips import python_skips

            return tuple(python_skips(self.data))
        from flakeledger.repo.foreign_skips import foreign_skips

        return tuple(foreign_skips(self.path, self.data))

    @cached_property
    def _raw_lines(self) -> list[str]:
        """The lines; line N of the file is the one before index N."""
        return self.data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")

    @cached_property
    def lines(self) -> list[str]:
        """The same, stripped."""
        return [line.strip() for line in self._raw_lines]

    @cached_property
    def _module(self) -> ast.Module | None:
        """The Python module; None where the file is none, or none that can be parsed."""
        from flakeledger.repo.modules import parse_module

        module = parse_module(self.data) if is_python(self.path) else ""
        return None if isinstance(module, str) else module

    @cached_property
    def _spans(self) -> dict[str, Span] | None:
        """The functions and classes of a Python module by qualified name; None where they cannot be told apart."""
        if self._module is None:
            return None
        from flakeledger.repo.definitions import class_outlines, definitions
        from flakeledger.repo.outline import Function, qualified, read_outline

        outline = read_outline(self._module)
        spans = {}
        for (owner, statement), found in zip(outline.statements, definitions(outline), strict=True):
            if isinstance(statement, Function):
                spans[qualified(owner, statement.name)] = Span(found.first, found.last)
        for name, outlines in class_outlines(outline).items():
            spans[name] = Span(outlines[-1].header.first, outlines[-1].header.last)
        return spans

    def is_whole(self, skip: Skip) -> bool:
        """Whether a skip takes out every test of its Python module. (A hook of a conftest.py takes out others.)"""
        is_module = is_python(self.path) and self.path.rpartition("/")[2] != "conftest.py"
        return is_module and not skip.test and skip.name.startswith(_OF_MODULES)

    def case_text(self, skip: Skip) -> str:
        """The values of the case of a parametrised test that is taken out, without layout; its lines if in doubt."""
        number = bisect(self._cases, (skip.first, skip.column)) - 1
        first, column = self._cases[number] if number >= 0 else (skip.first, 1)
        text = "\n".join(self._raw_lines[first - 1 : min(skip.last, first + _MOST_LINES)])[column - 1 :]
        return _MARKS.sub("", text)

    @cached_property
    def _cases(self) -> list[tuple[int, int]]:
        """Where the calls of `pytest.param` begin: line and column."""
        if self._module is None:
            return []
        import ast

        from flakeledger.repo.outline import dotted

        calls = (node for node in ast.walk(self._module) if isinstance(node, ast.Call))
        params = (node for node in calls if dotted(node.func).rpartition(".")[2] == "param")
        return sorted((node.lineno, node.col_offset + 1) for node in params)

    def has(self, test: str) -> bool:
        """Whether the file has a test or a class of this qualified name (any other language: whether it names it)."""
        name = test.partition("[")[0] if self._spans is not None else self.last_name(test)
        return bool(name) and name in self.tests

    @cached_property
    def tests(self) -> Collection[str]:
        """The functions and classes that the file has; in another language every word, and every text in quotes."""
        if self._spans is not None:
            return self._spans.keys()
        pieces = (piece for line in self.lines for quote in "\"'`" for piece in line.split(quote))
        return {*pieces, *_WORD.findall(self.data.decode(errors="replace"))}

    def own_text(self, skip: Skip) -> str:
        """The lines that write a skip, without its reason."""
        lines = self.lines[skip.first - 1 : skip.last]
        if len(lines[0]) > _LONGEST_LINE:  # many skips may share it: what follows the skip is its own
            start = max(0, skip.column - 1 - _indentation(self._raw_lines[skip.first - 1]))
            lines[0] = lines[0][start : start + _LONGEST_LINE]
        text = " ".join(" ".join(lines).split())
        return text.replace(skip.reason, "") if skip.reason else text

    def nameless_text(self, skip: Skip) -> str:
        """The text of the test that is taken out, with its marks and but for its name; "" where it cannot be told.

        For a class its head; in another language the lines that write the skip.
        """
        found = self._nameless_texts.get(skip.test)
        if found is None:
            span = None if self._spans is None else self._spans.get(skip.test.partition("[")[0])
            if self._spans is None:
                return self._nameless(self.own_text(skip), skip)
            lines = [] if span is None else self.lines[span.first - 1 : span.last]
            found = self._nameless_texts[skip.test] = self._nameless("\n".join(filter(None, lines)), skip)
        return found

    @cached_property
    def _functions(self) -> dict[str, Span]:
        """The test functions of a Python module by qualified name, without their decorators."""
        if self._module is None:
            return {}
        from flakeledger.repo.outline import Function, qualified, read_outline

        found = {}
        for owner, statement in read_outline(self._module).statements:
            if isinstance(statement, Function) and statement.name.startswith("test"):
                found[qualified(owner, statement.name)] = Span(
                    statement.lineno, statement.end_lineno or statement.lineno
                )
        return found

    @cached_property
    def _tests_by_scope(self) -> dict[str, list[str]]:
        """The test functions below each class, and those of the whole module, which is ""."""
        found: dict[str, list[str]] = {}
        for name in self._functions:
            scope = name
            while scope:
                scope = scope.rpartition("::")[0]
                found.setdefault(scope, []).append(name)
        return found

    def tests_under(self, skip: Skip) -> list[str]:
        """The test functions that a skip of a class or of a whole Python module takes out."""
        return self._tests_by_scope.get(skip.test, []) if skip.test or self.is_whole(skip) else []

    def function_text(self, test: str) -> str:
        """The text of a test function without its marks and its layout; "" where there is none."""
        found = self._function_texts.get(test)
        if found is None:
            span = self._functions.get(test)
            text = "" if span is None else "\n".join(self.lines[span.first - 1 : span.last])
            found = self._function_texts[test] = _LAYOUT.sub("", text).replace("'", '"')
        return found

    def _nameless(self, text: str, skip: Skip) -> str:
        """A text in which the name of what is taken out is blanked, as a whole word where it is one."""
        name = self.last_name(skip.test)
        if not _WORD.fullmatch(name):
            return text.replace(name, _BLANKED) if name else text
        return _WORD.sub(lambda word: _BLANKED if word[0] == name else word[0], text)

    def places(self, skip: Skip) -> Iterator[tuple[str, ...]]:
        """Where a skip stands: what writes it and the line above, or the line below (no Python: the two lines below).

        One of them is the same where only the name of the test changed.
        """
        own = self._nameless(self.own_text(skip), skip)
        below = list(islice(self._texts(range(skip.last, len(self.lines))), 2))
        if is_python(self.path):
            yield own, "above", *islice(self._texts(range(skip.first - 2, -1, -1)), 1)
            yield own, "below", *below[:1]
        else:
            yield own, *(self._nameless(line, skip) for line in below)

    def _texts(self, numbers: Iterable[int]) -> Iterator[str]:
        """The lines of these indices that are not empty."""
        return (line[:_LONGEST_LINE] for number in numbers if (line := self.lines[number]))

    def last_name(self, test: str) -> str:
        """The name of a test without what stands around it."""
        return test.partition("[")[0].rpartition("::")[2] if is_python(self.path) else test

    @cached_property
    def _counted(self) -> Counter[str]:
        """How often each line stands in the file; empty lines are none."""
        return Counter(filter(None, self.lines))

    def holds_no_more_words(self, skip: Skip, other: SkipTexts) -> bool:
        """Whether each line of a skip that says a word of skips stands in the other version of the file as often."""
        from flakeledger.repo.skip_candidates import words_of

        words = words_of(self.path)
        further = (self._counted - other._counted).keys() & set(self.lines[skip.first - 1 : skip.last])
        return not any(words.are_in(line.encode(errors="replace")) for line in further)

    def is_moved_from(self, other: SkipTexts) -> bool:
        """Whether at least half of the lines of this file stand in the other one, as git tells a renamed file."""
        return 2 * (self._counted & other._counted).total() >= self._counted.total()
