"""What one Python module says: tests, the properties it names, citations, imports. Facts of a blob, made to be cached.

Invariants:
* Facts depend on the bytes alone, never on the path, so they can be cached by blob id; they are JSON, stamped
  with the form of the facts and the Python that parsed: another stamp is no answer.
* No input gives a traceback or runs code. A module that cannot be parsed has no tests but a `problem`.
* `ast` and `tokenize` are imported only when a module is parsed, not when facts come from the cache.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.model.records import NAME
from flakeledger.repo.citations import Cited, from_json, holds_words, to_json
from flakeledger.repo.imports import Import
from flakeledger.repo.source_encoding import BOM, codec, cookie

if TYPE_CHECKING:
    import ast

    from flakeledger.repo.closure import Closure
    from flakeledger.repo.outline import Outline
    from flakeledger.repo.python_citations import Comment

#: raise the first number whenever facts, or the digest of a test, get another form or meaning
STAMP = f"4 {sys.version_info[0]}.{sys.version_info[1]}"
#: a parsed byte can cost a thousand bytes of memory (`a;a;a;…`), so this is what bounds it
LARGEST = 1024 * 1024
#: nobody writes longer modules: a megabyte of code has 26,000 lines; one of lines like `a=b` would take ten seconds
MOST_LINES = 40_000
#: a megabyte of tests has 120,000, and 265,000 of the densest that were found (sympy's); one of `{},` would take 500 MB
MOST_SIGNS = 300_000
_SIGNS = b"[](){},:;=+-*/.<>|&^%~@"
#: patterns are compiled when a module is parsed: most runs parse none
_NAMED = rf"(?a)(?<![\w.-])property_id:[ \t]*({NAME})"
#: a comment that may matter; only then the module is cut into tokens. Searched from the beginnings of lines, so that
#: no line is read twice
_COMMENT = r"(?m)^[^\n#]*+#[^\n]*?(?:property_id|flakeledger):"


#: how the cache spells what a test is: column by column, for there are many tests and few kinds
_MARKS = {(False, False): "-", (True, False): "g", (False, True): "p", (True, True): "b"}
_GIVEN = frozenset("gb")
_PARAMETRISED = frozenset("pb")
_DIGITS = 64


class TestFacts(NamedTuple):
    """One test of a module. `digest` is its test_hash (see `closure.py`)."""

    line: int
    digest: str
    given: bool
    parametrised: bool


class ModuleFacts(NamedTuple):
    """What a module says.

    `tests` by qualified name ("Class::test_x"). `opaque` are the names whose tests may be written elsewhere:
    what the module assigns or imports ("*" for a star import), classes with a base, a metaclass or a decorator
    that this module does not explain, and members that a class assigns. `problem` says why it cannot be parsed.
    """

    tests: dict[str, TestFacts]
    classes: frozenset[str]
    opaque: frozenset[str]
    imports: list[Import]
    property_ids: frozenset[str]
    problem: str | None
    citations: tuple[Cited, ...] = ()

    def to_json(self) -> list[object]:
        """The facts as plain JSON."""
        return [
            STAMP,
            list(self.tests),
            [found.line for found in self.tests.values()],
            "".join(found.digest for found in self.tests.values()),
            "".join(_MARKS[found.given, found.parametrised] for found in self.tests.values()),
            sorted(self.classes),
            sorted(self.opaque),
            [[found.module, found.level, list(found.names)] for found in self.imports],
            sorted(self.property_ids),
            self.problem,
            to_json(self.citations),
        ]


def facts_from_json(value: object) -> ModuleFacts | None:
    """The facts that `to_json` wrote with the same stamp; None for anything else."""
    if not (isinstance(value, list) and len(value) == 11 and value[0] == STAMP):
        return None
    _, names, lines, digests, marks, classes, opaque, imports, property_ids, problem, citations = value
    texts = [digests[start : start + _DIGITS] for start in range(0, len(digests), _DIGITS)]
    given, parametrised = map(_GIVEN.__contains__, marks), map(_PARAMETRISED.__contains__, marks)
    # not `_make`, which is Python: there are many tests, and all of them are known in a warm run
    tests = map(partial(tuple.__new__, TestFacts), zip(lines, texts, given, parametrised, strict=True))
    return ModuleFacts(
        dict(zip(names, tests, strict=True)),
        frozenset(classes),
        frozenset(opaque),
        [Import(module, level, tuple(names)) for module, level, names in imports],
        frozenset(property_ids),
        problem,
        from_json(citations),
    )


def named_properties(text: str) -> list[str]:
    """The ids that a text names as `property_id: ID`; the full stop of a sentence is no part of an id."""
    return [name.rstrip(".") for name in re.findall(_NAMED, text)]


class _UnreadableError(Exception):
    """The module cannot be parsed; the text says why."""


def module_facts(data: bytes) -> ModuleFacts:
    """What the bytes of a Python module say; a module that cannot be parsed gives facts with a `problem`."""
    from flakeledger.repo.closure import TooMuchTextError

    try:
        return _facts(_text(data))
    except _UnreadableError as problem:
        return _unknown(str(problem))
    except TooMuchTextError:
        return _unknown("its tests reach more text of their module than flakeledger follows")


def test_texts(data: bytes) -> dict[str, str]:
    """The text of each test, of which its test_hash is the digest; none of a module that cannot be parsed."""
    from flakeledger.repo.closure import TooMuchTextError

    try:
        text = _text(data)
        *_, closure = _read(text, _parse(text))
        return {name: closure.text(owner, found) for name, owner, found in closure.tests()}
    except (_UnreadableError, TooMuchTextError):
        return {}


def parse_module(data: bytes) -> ast.Module | str:
    """A Python module, parsed; or why it cannot be."""
    try:
        return _parse(_text(data))
    except _UnreadableError as problem:
        return str(problem)


def _unknown(problem: str) -> ModuleFacts:
    return ModuleFacts({}, frozenset(), frozenset(), [], frozenset(), problem)


def _text(data: bytes) -> str:
    """The source text with line ends as newlines; _UnreadableError says why it is none."""
    if len(data) > LARGEST:
        raise _UnreadableError(f"it is larger than {LARGEST // 1024 // 1024} MB")
    encoding = codec(data)
    if encoding is None:
        name = cookie(data)
        raise _UnreadableError(f"its coding cookie {name!r} is no encoding that flakeledger reads; use utf-8")
    try:
        text = data.removeprefix(BOM).decode(encoding)
    except UnicodeDecodeError as trouble:
        line = data.count(b"\n", 0, trouble.start) + 1
        raise _UnreadableError(f"line {line} is not valid {encoding.replace('_', '-')}") from None
    if "\0" in text:
        raise _UnreadableError(f"line {text[: text.index(chr(0))].count(chr(10)) + 1} holds a null byte")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _parse(text: str) -> ast.Module:
    if text.count("\n") + text.count(";") > MOST_LINES:
        raise _UnreadableError(f"it has more than {MOST_LINES:,} lines")
    data = text.encode(errors="surrogateescape")
    if len(data) - len(data.translate(None, _SIGNS)) > MOST_SIGNS:
        raise _UnreadableError(f"it has more than {MOST_SIGNS:,} brackets, commas and operators")
    import ast
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError as trouble:
            python = ".".join(map(str, sys.version_info[:2]))
            raise _UnreadableError(f"line {trouble.lineno or 1} is no Python {python}: {trouble.msg}") from None
        except (ValueError, RecursionError, MemoryError) as trouble:
            raise _UnreadableError(f"it cannot be parsed: {str(trouble) or 'it is nested too deeply'}") from None


def _read(text: str, tree: ast.Module) -> tuple[Outline, list[str], list[Comment], Closure]:
    """What stands in a module: its definitions, its lines, its comments, and what its tests reach."""
    from flakeledger.repo.closure import Closure, edit_lines
    from flakeledger.repo.outline import read_outline

    outline = read_outline(tree)
    lines = text.split("\n")
    comments = _comments(text, lines)
    alone = [(comment.line, comment.text) for comment in comments if comment.is_alone]
    return outline, lines, comments, Closure(outline, edit_lines(lines, outline, alone))


def _facts(text: str) -> ModuleFacts:
    tree = _parse(text)
    outline, lines, comments, closure = _read(text, tree)
    return ModuleFacts(
        _tests(outline, closure),
        frozenset(closure.classes),
        frozenset(_opaque(outline, closure)),
        list(outline.imports),
        frozenset(_property_ids(outline, comments)),
        None,
        _citations(text, tree, outline, lines, comments),
    )


def _citations(
    text: str, tree: ast.Module, outline: Outline, lines: list[str], comments: list[Comment]
) -> tuple[Cited, ...]:
    if not holds_words(text.encode(errors="surrogateescape")):
        return ()
    from flakeledger.repo.python_citations import module_citations  # few modules cite

    return tuple(module_citations(tree, outline, lines, comments))


def _comments(text: str, lines: list[str]) -> list[Comment]:
    """The comments, where one may name a property or cite a freeze; else none."""
    if not re.search(_COMMENT, text):
        return []
    import io
    import tokenize

    from flakeledger.repo.python_citations import Comment

    try:
        return [
            Comment(
                token.start[0],
                token.start[1] + 1,
                token.string,
                lines[token.start[0] - 1].strip() == token.string.rstrip(),
            )
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type == tokenize.COMMENT
        ]
    except (tokenize.TokenError, SyntaxError) as trouble:
        raise _UnreadableError(f"its comments cannot be told apart: {trouble}") from None


def _tests(outline: Outline, closure: Closure) -> dict[str, TestFacts]:
    marks = _common_marks(outline, closure)
    known: dict[str, bool] = {}
    tests = {}
    for name, owner, found in closure.tests():
        if owner not in known:
            scopes = ("", *closure.scopes(owner).own, *closure.scopes(owner).around)
            known[owner] = any(closure.says(owner, marks.get(scope, ()), "parametrize") for scope in scopes)
        decorators = [node for definition in found for node in definition.decorators]
        tests[name] = TestFacts(
            found[-1].first,
            closure.digest(owner, found),
            closure.says(owner, decorators, "given"),
            known[owner] or closure.says(owner, decorators, "parametrize"),
        )
    return tests


def _common_marks(outline: Outline, closure: Closure) -> dict[str, list[ast.expr]]:
    """The marks on all tests of a class, or of the module (""): decorators and `pytestmark`."""
    import ast

    marks: dict[str, list[ast.expr]] = {}
    for owner, value in outline.pytestmarks:
        marks.setdefault(owner, []).extend(value.elts if isinstance(value, ast.Tuple | ast.List) else [value])
    for name, outlines in closure.classes.items():
        for found in outlines:
            marks.setdefault(name, []).extend(found.header.decorators)
    return marks


def _opaque(outline: Outline, closure: Closure) -> Iterator[str]:
    yield from outline.aliases
    yield from closure.assigned("")
    for owner in closure.classes:
        scopes = closure.scopes(owner)
        if not scopes.is_closed:
            yield owner
        for scope in scopes.own:
            yield from (f"{owner}::{name}" for name in closure.assigned(scope) if name.startswith("test"))


def _property_ids(outline: Outline, comments: Iterable[Comment]) -> Iterator[str]:
    import ast

    for comment in comments:
        yield from named_properties(comment.text)
    for docstring in outline.docstrings:
        if isinstance(docstring.value, ast.Constant) and isinstance(docstring.value.value, str):
            yield from named_properties(docstring.value.value)
    marks = [node for _, value in outline.pytestmarks for node in ast.walk(value)]
    for node in (*outline.decorators, *marks):
        if isinstance(node, ast.Call) and outline.resolve(node) == "pytest.mark.property_id":
            arguments = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            yield from (name for name in arguments if isinstance(name, str) and re.fullmatch(NAME, name))
