"""The definitions of a Python module: what gives its names a meaning, and what its classes inherit.

Invariants:
* A definition belongs to the module or to a class (`outline.py`). Imports are none.
* Its nodes are all that it says, without the marks that are no edit of a test.
* A class is closed only where this module explains every test method that it has.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
from typing import Literal, NamedTuple

from flakeledger.repo.outline import MODULE, Function, Loop, Outline, bound_names, dotted, first_line

#: bases that bring no test methods of their own
_PLAIN_BASES = frozenset(
    {
        "object",
        "abc.ABC",
        "typing.Generic",
        "typing.Protocol",
        "unittest.TestCase",
        "unittest.IsolatedAsyncioTestCase",
        "unittest.case.TestCase",
    }
)
_PLAIN_METACLASSES = frozenset({"abc.ABCMeta", "type"})


class Definition:
    """A statement that gives names a meaning; equal only to itself. Lines count from 1 and include decorators.

    `nodes` are what it says (marks that are no edit left out); `names` are those it can be reached by.
    `is_automatic`: it runs around tests that do not name it, as a fixture with `autouse` does.
    """

    __slots__ = ("decorators", "first", "is_automatic", "kind", "last", "names", "nodes", "owner")

    def __init__(
        self,
        kind: Literal["test", "function", "class", "value", "header"],
        owner: str,
        names: tuple[str, ...],
        first: int,
        last: int,
        nodes: tuple[ast.AST, ...],
        decorators: tuple[ast.expr, ...] = (),
        is_automatic: bool = False,
    ) -> None:
        """See the class."""
        self.kind = kind
        self.owner = owner
        self.names = names
        self.first = first
        self.last = last
        self.nodes = nodes
        self.decorators = decorators
        self.is_automatic = is_automatic


class ClassOutline(NamedTuple):
    """A class: its header, its decorators and the classes of this module that it inherits from.

    `is_closed` means that every test method it has is written in this module.
    """

    header: Definition
    bases: tuple[str, ...]
    is_closed: bool


def definitions(outline: Outline) -> list[Definition]:
    """Every definition of the module, in source order."""
    return [_definition(outline, owner, statement) for owner, statement in outline.statements]


def _definition(outline: Outline, owner: str, statement: ast.stmt) -> Definition:
    if isinstance(statement, Function):
        return _function(outline, owner, statement)
    if isinstance(statement, ast.ClassDef):
        kept = _kept(outline, statement.decorator_list)
        nodes = (*kept, *statement.bases, *statement.keywords, *statement.body)
        first, last = first_line(statement), _last_line(statement)
        return Definition("class", owner, (statement.name,), first, last, nodes, kept)
    says = _says(statement)
    last = max(_last_line(node) for node in says)
    return Definition("value", owner, tuple(bound_names(statement)), statement.lineno, last, says)


def _says(statement: ast.stmt) -> tuple[ast.AST, ...]:
    """What gives the names their value: the whole assignment, the head of a `for` or a `with`."""
    if isinstance(statement, Loop):
        return (statement.target, statement.iter)
    if isinstance(statement, ast.With | ast.AsyncWith):
        parts = [(item.context_expr, item.optional_vars) for item in statement.items]
        return tuple(node for pair in parts for node in pair if node is not None)
    return (statement,)


def _function(outline: Outline, owner: str, statement: Function) -> Definition:
    kept = _kept(outline, statement.decorator_list)
    fixtures = [node for node in kept if outline.resolve(node).rpartition(".")[2] == "fixture"]
    other_names, is_automatic = _fixture_options(fixtures)
    is_test = statement.name.startswith("test") or (owner != MODULE and statement.name == "runTest")
    returns = () if statement.returns is None else (statement.returns,)
    return Definition(
        "test" if is_test and not fixtures else "function",
        owner,
        (statement.name, *other_names),
        first_line(statement),
        _last_line(statement),
        (*kept, statement.args, *returns, *statement.body),
        kept,
        is_automatic,
    )


def _fixture_options(decorators: list[ast.expr]) -> tuple[list[str], bool]:
    """The names that `@pytest.fixture(name=...)` gives, and whether it runs for every test (`autouse`)."""
    keywords = [keyword for node in decorators if isinstance(node, ast.Call) for keyword in node.keywords]
    names, is_automatic = [], False
    for keyword in keywords:
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg == "name" and isinstance(value, str):
            names.append(value)
        if keyword.arg == "autouse" and value is not False:
            is_automatic = True
    return names, is_automatic


def _kept(outline: Outline, decorators: list[ast.expr]) -> tuple[ast.expr, ...]:
    return tuple(node for node in decorators if not outline.is_no_edit(node))


def _last_line(node: ast.AST) -> int:
    last = getattr(node, "end_lineno", None)
    assert isinstance(last, int)
    return last


def class_outlines(outline: Outline) -> dict[str, list[ClassOutline]]:
    """Every class by its path; several where it is defined several times."""
    return {
        name: [_class_outline(outline, name, statement) for statement in statements]
        for name, statements in outline.classes.items()
    }


def _class_outline(outline: Outline, name: str, statement: ast.ClassDef) -> ClassOutline:
    kept = _kept(outline, statement.decorator_list)
    heads = [*statement.bases, *(keyword.value for keyword in statement.keywords)]
    last = max([statement.lineno, *(_last_line(node) for node in heads)])
    owner = name.rpartition("::")[0]
    header = Definition("header", owner, (), first_line(statement), last, kept, kept)
    local = [_local_class(outline, owner, dotted(base)) for base in statement.bases]
    is_closed = (
        all(found or outline.resolve(base) in _PLAIN_BASES for found, base in zip(local, statement.bases, strict=True))
        and all(outline.resolve(word.value) in _PLAIN_METACLASSES for word in statement.keywords)
        and all(outline.resolve(node).startswith("pytest.mark.") for node in kept)
    )
    return ClassOutline(header, tuple(found for found in local if found), is_closed)


def _local_class(outline: Outline, owner: str, name: str) -> str:
    """The path of a base class that this module defines; "" for any other base."""
    path = name.replace(".", "::")
    for candidate in (f"{owner}::{path}", path) if owner else (path,):
        if candidate in outline.classes:
            return candidate
    return ""
