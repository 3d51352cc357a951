"""The outline of a Python module: what it defines, imports and marks, and where.

Invariants:
* A definition belongs to the module or to a class, also under `if`, `try`, `with`, `for`, `while`
  or `match`; what a function defines inside itself is no definition. Imports are none either.
* A class is named by the path to it: `Outer::Inner`; the module's own scope is "".
* Everything is found in source order, with a stack of its own: deep nesting cannot exhaust Python's.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, NamedTuple

from flakeledger.repo.imports import Import

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.AsyncFor
Block = ast.stmt | ast.ExceptHandler | ast.match_case

#: statements with no statement inside and nothing to note; the others of the second kind say nothing in a function
_PLAIN = frozenset((ast.Expr, ast.Return, ast.Assert, ast.Raise, ast.Pass, ast.Delete, ast.Global, ast.Nonlocal))
_PLAIN_IN_FUNCTIONS = _PLAIN | {ast.Assign, ast.AnnAssign, ast.AugAssign}

MODULE = ""
#: resolved names of the decorators that are no edit of a test: they say whether it counts, not what it checks
MARKS_THAT_ARE_NO_EDIT = frozenset(
    {f"pytest.mark.{name}" for name in ("skip", "xfail", "flaky", "property_id", "frozen")}
    | {"unittest.skip", "unittest.expectedFailure", "flaky.flaky"}
)
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


class Outline:
    """What one module says, in source order."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.aliases: dict[str, str] = {}
        self.imports: dict[Import, None] = {}
        self.statements: list[tuple[str, ast.stmt]] = []
        self.classes: dict[str, list[ast.ClassDef]] = {}
        self.docstrings: list[ast.Expr] = []
        self.decorators: list[ast.expr] = []
        self.pytestmarks: list[tuple[str, ast.expr]] = []

    def resolve(self, node: ast.expr) -> str:
        """The dotted name of an expression as its module would import it: `pt.mark.skip()` -> `pytest.mark.skip`."""
        root, dot, rest = dotted(node).partition(".")
        return self.aliases.get(root, root) + dot + rest

    def is_no_edit(self, decorator: ast.expr) -> bool:
        """Whether the decorator is a mark that is no edit of the test."""
        return self.resolve(decorator) in MARKS_THAT_ARE_NO_EDIT


def dotted(node: ast.expr) -> str:
    """`a.b` for the expression `a.b`, `a.b(...)` or `a.b[...]`; "" for one that begins with no name."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Name):
            parts.append(node.id)
            return ".".join(reversed(parts))
        else:
            return ""


def read_outline(tree: ast.Module) -> Outline:
    """The outline of a parsed module."""
    outline = Outline()
    _note_docstring(outline, tree)
    pending: list[tuple[Block, str | None]] = [(statement, MODULE) for statement in reversed(tree.body)]
    while pending:
        statement, owner = pending.pop()
        if type(statement) in (_PLAIN if owner is not None else _PLAIN_IN_FUNCTIONS):
            continue
        inner = _visit(outline, statement, owner)
        pending.extend((below, inner) for below in reversed(list(_blocks(statement))))
    return outline


def _blocks(statement: Block) -> Iterator[Block]:
    """The statements inside a compound statement, one level down."""
    for name in ("body", "cases", "handlers", "orelse", "finalbody"):
        yield from getattr(statement, name, ())


def _visit(outline: Outline, statement: Block, owner: str | None) -> str | None:
    """Note what one statement says; gives the scope of the statements inside it (None: inside a function)."""
    if isinstance(statement, Function):
        _note_docstring(outline, statement)
        outline.decorators += statement.decorator_list
        if owner is not None:
            outline.statements.append((owner, statement))
        return None
    if isinstance(statement, ast.ClassDef):
        return _visit_class(outline, statement, owner)
    if isinstance(statement, ast.Import | ast.ImportFrom):
        _visit_import(outline, statement, is_global=owner == MODULE)
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        assert owner is not None
        outline.statements.append((owner, statement))
        if "pytestmark" in bound_names(statement) and statement.value is not None:
            outline.pytestmarks.append((owner, statement.value))
    elif isinstance(statement, Loop | ast.With | ast.AsyncWith) and owner is not None:
        outline.statements.append((owner, statement))
    return owner


def _visit_class(outline: Outline, statement: ast.ClassDef, owner: str | None) -> str | None:
    _note_docstring(outline, statement)
    outline.decorators += statement.decorator_list
    if owner is None:
        return None
    name = f"{owner}::{statement.name}" if owner else statement.name
    outline.classes.setdefault(name, []).append(statement)
    outline.statements.append((owner, statement))
    return name


def _visit_import(outline: Outline, statement: ast.Import | ast.ImportFrom, is_global: bool) -> None:
    aliases: dict[str, str] = {}
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            outline.imports[Import(alias.name, 0, ())] = None
            root = alias.name.partition(".")[0]
            aliases[alias.asname or root] = alias.name if alias.asname else root
    else:
        module, level = statement.module or "", statement.level
        outline.imports[Import(module, level, tuple(alias.name for alias in statement.names))] = None
        for alias in statement.names:
            aliases[alias.asname or alias.name] = f"{'.' * level}{module}.{alias.name}"
    if is_global:
        outline.aliases |= aliases


def _note_docstring(outline: Outline, node: ast.Module | ast.ClassDef | Function) -> None:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        outline.docstrings.append(first)


def bound_names(statement: ast.stmt) -> list[str]:
    """The names that an assignment, a `for` or a `with` gives a value, or changes (`CASES["x"] = 1`)."""
    if isinstance(statement, ast.Assign):
        if len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
            return [statement.targets[0].id]  # most of them, and there are many
        pending = list(statement.targets)
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign | Loop):
        pending = [statement.target]
    elif isinstance(statement, ast.With | ast.AsyncWith):
        pending = [item.optional_vars for item in statement.items if item.optional_vars is not None]
    else:
        pending = []
    names = []
    while pending:
        target = pending.pop()
        if isinstance(target, ast.Tuple | ast.List):
            pending += target.elts
        elif isinstance(target, ast.Starred):
            pending.append(target.value)
        else:
            names.append(dotted(target).partition(".")[0])
    return [name for name in names if name]


def definitions(outline: Outline) -> list[Definition]:
    """Every definition of the module, in source order."""
    return [_definition(outline, owner, statement) for owner, statement in outline.statements]


def _definition(outline: Outline, owner: str, statement: ast.stmt) -> Definition:
    if isinstance(statement, Function):
        return _function(outline, owner, statement)
    if isinstance(statement, ast.ClassDef):
        kept = _kept(outline, statement.decorator_list)
        nodes = (*kept, *statement.bases, *statement.keywords, *statement.body)
        first, last = _first_line(statement), _last_line(statement)
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
        _first_line(statement),
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


def _first_line(statement: Function | ast.ClassDef) -> int:
    return min([statement.lineno, *(node.lineno for node in statement.decorator_list)])


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
    header = Definition("header", owner, (), _first_line(statement), last, kept, kept)
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
