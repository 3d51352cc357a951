"""Marks that are written down in a Python test module: decorators, `pytestmark`, parametrisation, named marks.

Invariants:
* A mark counts for every test below it: a decorator of a class and a `pytestmark` mean all tests of their scope.
* A definition that is one of several under conditions has no marks that count, for it depends which one it is.
* A named mark counts where it is used; one that nothing in its module reads is there for other modules, and counts
  where it is defined.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from flakeledger.repo.bodies import Body
from flakeledger.repo.meanings import Names
from flakeledger.repo.outline import Function, bound_names, dotted, qualified
from flakeledger.repo.reached import certain_nodes, expressions
from flakeledger.repo.skip_calls import Found
from flakeledger.repo.skip_marks import marks_in, read_mark, test_decorator

_PYTESTMARK = "pytestmark"
#: what a list of marks is grown with
_GROWING = frozenset({"append", "extend", "insert"})


def written_marks(module: ast.Module, names: Names, bodies: Iterable[Body]) -> Iterator[Found]:
    """Every mark that the module writes down, conditional ones left out."""
    scopes = [body for body in bodies if body.role == "scope"]
    for scope in scopes:
        for owner, statement in _definitions(scope):
            yield from _decorator_marks(names, owner, statement)
        for each in scope.statements:
            if each.is_certain and not each.in_handler:
                yield from _pytestmarks(names, scope.owner, each.statement)
    yield from _named_marks(module, names, scopes)
    yield from _case_marks(names, scopes)
    yield from _function_case_marks(names, bodies)


def _definitions(scope: Body) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """The functions and classes of a scope whose marks count."""
    counts = Counter(
        statement.name for statement, *_ in scope.statements if isinstance(statement, Function | ast.ClassDef)
    )
    for statement, is_certain, in_handler in scope.statements:
        if in_handler or not isinstance(statement, Function | ast.ClassDef):
            continue
        if is_certain or counts[statement.name] == 1:
            yield scope.owner, statement


def _decorator_marks(names: Names, owner: str, statement: Function | ast.ClassDef) -> Iterator[Found]:
    test = qualified(owner, statement.name)
    is_test = isinstance(statement, Function) and statement.name.startswith("test")
    for node in statement.decorator_list:
        mark = read_mark(names, node, owner) or (test_decorator(names, node, owner) if is_test else None)
        if mark is not None:
            yield Found(node, mark._replace(name=f"@{mark.name}"), test)


def _pytestmarks(names: Names, owner: str, statement: ast.stmt) -> Iterator[Found]:
    """The marks that a statement puts on all tests of its scope."""
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        given = [statement.value] if _PYTESTMARK in bound_names(statement) and statement.value is not None else []
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name, _, method = dotted(statement.value).rpartition(".")
        given = statement.value.args if name == _PYTESTMARK and method in _GROWING else []
    else:
        return
    for value in given:
        for node, mark in marks_in(names, value, owner):
            yield Found(node, mark._replace(name=f"{_PYTESTMARK} = {mark.name}"), owner)


def _named_marks(module: ast.Module, names: Names, scopes: Iterable[Body]) -> Iterator[Found]:
    """Marks that get a name which nothing reads here, and tests that are replaced by a marked version."""
    read: set[str] | None = None
    for scope, name, value in _assigned(scopes):
        is_test = name.lower().startswith("test")
        if name == _PYTESTMARK or (scope.owner and not is_test) or _is_alias(name, value):
            continue
        marks = list(marks_in(names, value, scope.owner))
        if marks and read is None:
            read = {node.id for node in ast.walk(module) if isinstance(node, ast.Name) and _is_read(node)}
        if read is not None and (is_test or (name not in read and names.value(scope.owner, name) is value)):
            for node, mark in marks:
                yield Found(node, mark, qualified(scope.owner, name) if is_test else "")


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _is_alias(name: str, value: ast.expr) -> bool:
    """Whether an assignment only shortens a name: `skip = pytest.mark.skip`, to be called by whoever imports it."""
    return isinstance(value, ast.Name | ast.Attribute) and dotted(value).rpartition(".")[2] == name


def _assigned(scopes: Iterable[Body]) -> Iterator[tuple[Body, str, ast.expr]]:
    """The certain assignments of the module and its classes, name by name."""
    for scope in scopes:
        for statement, is_certain, in_handler in scope.statements:
            if is_certain and not in_handler and isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
                for name in bound_names(statement):
                    yield scope, name, statement.value


def _case_marks(names: Names, scopes: Iterable[Body]) -> Iterator[Found]:
    """The marks of `pytest.param(…, marks=…)`: in decorators, and in cases that the module names."""
    users: dict[str, str] = {}
    for scope in scopes:
        for owner, statement in _definitions(scope):
            test = qualified(owner, statement.name)
            for node in certain_nodes(statement.decorator_list, names.truth):
                yield from _param_marks(names, owner, node, test)
            for decorator in statement.decorator_list if isinstance(statement, Function) else ():
                for node in ast.walk(decorator):
                    if isinstance(node, ast.Name):
                        users.setdefault(node.id, test)
    for scope, name, value in _assigned(scopes):
        test = scope.owner if name == _PYTESTMARK else users.get(name, "")
        for node in certain_nodes([value], names.truth):
            yield from _param_marks(names, scope.owner, node, test)


def _function_case_marks(names: Names, bodies: Iterable[Body]) -> Iterator[Found]:
    """Cases that a hook or a helper makes. A test or fixture that makes some is a test of parametrisation."""
    for body in bodies:
        if body.role not in ("hook", "helper"):
            continue
        for statement, is_certain, _ in body.statements:
            if is_certain:
                for node in certain_nodes(expressions(statement), names.truth):
                    yield from _param_marks(names, body.owner, node, "")


def _param_marks(names: Names, owner: str, node: ast.AST, test: str) -> Iterator[Found]:
    if not isinstance(node, ast.Call):
        return
    for word in node.keywords:
        if word.arg == "marks" and names.meaning(node.func, owner).name == "pytest.param":
            for place, mark in marks_in(names, word.value, owner):
                yield Found(place, mark._replace(name=f"pytest.param(marks={mark.name})"), test)
