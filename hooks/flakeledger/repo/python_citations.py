"""The citations of a Python module that was parsed: marks and comments, each with what it stands for.

A citation stands for the innermost function or class whose text holds it (decorators, and comments below its last
statement that are indented as its body is, belong to that text), or that follows directly below the comments it
stands in; else for the whole module. What a function defines inside itself belongs to that function.

Invariants:
* A mark is `pytest.mark.frozen` however pytest was imported, wherever it stands: as a decorator, in `pytestmark`, in
  `pytest.param(marks=…)`. Every mark is a citation; where it is no call with a literal id it is malformed.
* The work is linear in the module (times the depth to which its classes nest), without recursion.
* This module imports `ast`; it is imported only when a module with one of the words of a citation is parsed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from flakeledger.model.rows import Place
from flakeledger.model.wording import shown
from flakeledger.repo.citations import NO_ID, Cited, cited_in_comment, in_order, is_id, malformed, problem_of_runner
from flakeledger.repo.outline import MODULE, Function, Outline, first_line, qualified

_MARK = "frozen"
_MARKS = "pytest.mark"


class Comment(NamedTuple):
    """A comment of a module, with its sign; `is_alone`: its line holds nothing else. Line and column from 1."""

    line: int
    column: int
    text: str
    is_alone: bool


def module_citations(
    tree: ast.Module, outline: Outline, lines: Sequence[str], comments: Iterable[Comment]
) -> list[Cited]:
    """The citations of a module, in source order. `lines` are those of its text, `comments` all it has."""
    comments = list(comments)
    scopes = _scopes(outline, lines)
    holders = _holders(scopes)
    above = _above(scopes, comments)
    found: list[Cited | None] = [_cited_by_mark(node, lines, holders) for node in _marks(tree, outline)]
    for comment in comments:
        test = above.get(comment.line) or holders.get(comment.line, MODULE)
        found.append(cited_in_comment(comment.text, Place(comment.line, comment.column), test))
    return in_order(cited for cited in found if cited is not None)


class _Scope(NamedTuple):
    """A function or a class: its name inside the file, its lines, and the column at which it begins (from 1)."""

    name: str
    first: int
    last: int
    column: int


def _scopes(outline: Outline, lines: Sequence[str]) -> list[_Scope]:
    """The functions and classes of the module, the outer ones first."""
    found = []
    for owner, statement in outline.statements:
        if isinstance(statement, Function | ast.ClassDef):
            name, first = qualified(owner, statement.name), first_line(statement)
            found.append(_Scope(name, first, _last_line(statement, lines), statement.col_offset + 1))
    return found


def _last_line(statement: ast.stmt, lines: Sequence[str]) -> int:
    """The last line of a definition, with the comments below its last statement that are indented as its body is."""
    last = number = statement.end_lineno or statement.lineno
    while number < len(lines):  # no slice: there may be as many definitions as lines
        line = lines[number]
        text = line.lstrip()
        if text and not (text.startswith("#") and len(line) - len(text) > statement.col_offset):
            break
        number += 1
        last = number if text else last
    return last


def _holders(scopes: Iterable[_Scope]) -> dict[int, str]:
    """For each line the innermost scope that holds it."""
    return {line: scope.name for scope in scopes for line in range(scope.first, scope.last + 1)}


def _above(scopes: Iterable[_Scope], comments: Sequence[Comment]) -> dict[int, str]:
    """For each line of the comments that stand directly above a scope, indented no deeper than it, that scope."""
    starts = {scope.first: scope for scope in scopes}
    found: dict[int, str] = {}
    for comment in reversed(comments):
        below = starts.get(comment.line + 1)
        if comment.is_alone and below is not None and comment.column <= below.column:
            starts[comment.line] = below
            found[comment.line] = below.name
    return found


def _marks(tree: ast.Module, outline: Outline) -> Iterator[ast.Call | ast.Attribute]:
    """Every mark of the module: its call, or the bare mark where it is not called."""
    names = {_MARKS, *_names_of_marks(outline)}
    called = set()
    for node in ast.walk(tree):  # a call comes before what it calls
        if isinstance(node, ast.Call) and _is_mark(node.func, outline, names):
            called.add(node.func)
            yield node
        elif isinstance(node, ast.Attribute) and node not in called and _is_mark(node, outline, names):
            yield node


def _is_mark(node: ast.expr, outline: Outline, names: set[str]) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == _MARK
        and isinstance(node.value, ast.Attribute | ast.Name)
        and outline.resolve(node.value) in names
    )


def _names_of_marks(outline: Outline) -> Iterator[str]:
    """The names that a module gives to `pytest.mark`: `mark = pytest.mark`."""
    for _, statement in outline.statements:
        if isinstance(statement, ast.Assign) and outline.resolve(statement.value) == _MARKS:
            yield from (target.id for target in statement.targets if isinstance(target, ast.Name))


def _cited_by_mark(node: ast.Call | ast.Attribute, lines: Sequence[str], holders: dict[int, str]) -> Cited:
    # `ast` counts bytes, people count characters
    column = len(lines[node.lineno - 1].encode()[: node.col_offset].decode(errors="replace")) + 1
    place, test = Place(node.lineno, column), holders.get(node.lineno, MODULE)
    if isinstance(node, ast.Attribute):
        return malformed(place, test, NO_ID)
    problem = _problem_of_arguments(node)
    if problem:
        return malformed(place, test, problem)
    runner = node.keywords[0].value if node.keywords else None
    return Cited(place, _text(node.args[0]) or "", None if runner is None else _text(runner), test)


def _problem_of_arguments(node: ast.Call) -> str:
    """Why the arguments of a mark are no citation; "" when they are one."""
    if not node.args:
        return NO_ID
    name = _text(node.args[0])
    if name is None:
        return "its property is no text that is written out"
    if not is_id(name):
        return f"{shown(name)} is no id of a property"
    if len(node.args) > 1:
        return "it has more arguments than the property and `runner_class=`"
    unknown = [word.arg for word in node.keywords if word.arg != "runner_class"]
    if unknown:
        return f"{shown(unknown[0] or '**')} is no argument of the mark"
    if not node.keywords:
        return ""
    runner = _text(node.keywords[0].value)
    return "its `runner_class` is no text that is written out" if runner is None else problem_of_runner(runner)


def _text(node: ast.expr) -> str | None:
    """The literal text that an expression is; None for any other."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
