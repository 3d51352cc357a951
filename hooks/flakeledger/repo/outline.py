"""The outline of a Python module: the statements that define something, its imports, marks and docstrings.

Invariants:
* A statement belongs to the module or to a class, also under `if`, `try`, `with`, `for`, `while` or `match`; what a
  function defines inside itself is left out.
* A class is named by the path to it: `Outer::Inner`; the module's own scope is "".
* Everything is found in source order, with a stack of its own: deep nesting cannot exhaust Python's.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

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
    name = qualified(owner, statement.name)
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


def qualified(owner: str, name: str) -> str:
    """The name of a definition inside its module: "Class::name"."""
    return f"{owner}::{name}" if owner else name


def first_line(statement: Function | ast.ClassDef) -> int:
    """The line on which a definition begins, its decorators included."""
    return min([statement.lineno, *(node.lineno for node in statement.decorator_list)])


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
