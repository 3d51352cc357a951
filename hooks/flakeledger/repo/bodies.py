"""The bodies of a Python test module: its own, those of its classes, and those of its functions, with their roles.

Invariants:
* Definitions inside functions are no tests and have no body here; neither has what stands in an `except` handler,
  which is written for machines where something is missing.
* A body's statements say which of them are certain to run; the body of a class or function that is itself
  defined under a condition is walked as if it were not, for its tests run only where it is defined.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, NamedTuple

from flakeledger.repo.closure import AUTOMATIC
from flakeledger.repo.meanings import Local, Names
from flakeledger.repo.outline import MODULE, Function, Outline, bound_names, qualified
from flakeledger.repo.reached import Reached, reached

#: what runs a body: "scope" is the module or a class, "automatic" runs around tests, a "helper" must be called
Role = Literal["scope", "test", "fixture", "automatic", "hook", "helper"]
_TESTERS = frozenset({"pytester", "testdir"})


class Body(NamedTuple):
    """The statements of the module, of a class or of a function, each with whether it is certain to run.

    `owner` is the class that it is or stands in ("" for the module); `function` is None for a module or a class.
    """

    owner: str
    function: ast.FunctionDef | ast.AsyncFunctionDef | None
    role: Role
    statements: list[Reached]

    @property
    def tests_pytest(self) -> bool:
        """Whether the function takes a pytest to play with: what it marks and deselects is not run by its own."""
        return self.function is not None and not _TESTERS.isdisjoint(parameters(self.function))

    @property
    def subject(self) -> str:
        """What a skip in this body takes out: the test or fixture, the class of a `setUp`; "" for the whole file."""
        if self.function is not None and self.role in ("test", "fixture"):
            return qualified(self.owner, self.function.name)
        return self.owner if self.role == "automatic" else ""


def bodies(module: ast.Module, outline: Outline, names: Names) -> list[Body]:
    """Every body of the module, its own first."""
    found: list[Body] = []
    pending: list[tuple[str, list[ast.stmt]]] = [(MODULE, module.body)]
    while pending:
        owner, statements = pending.pop()
        scope = Body(owner, None, "scope", list(reached(statements, names.truth, is_function=False)))
        found.append(scope)
        for statement, _, in_handler in scope.statements:
            if in_handler:
                continue
            if isinstance(statement, Function):
                inner = list(reached(statement.body, names.truth, is_function=True))
                found.append(Body(owner, statement, _role(outline, owner, statement), inner))
            elif isinstance(statement, ast.ClassDef):
                pending.append((qualified(owner, statement.name), statement.body))
    return found


def _role(outline: Outline, owner: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Role:
    decorators = {outline.resolve(node).rpartition(".")[2] for node in function.decorator_list}
    if "fixture" in decorators:
        return "fixture"
    if "session" in decorators:  # nox: `def tests(session)` runs pytest and is no test
        return "helper"
    if function.name.startswith("test") or (owner and function.name == "runTest"):
        return "test"
    if function.name.startswith("pytest_"):
        return "hook"
    return "automatic" if function.name in AUTOMATIC else "helper"


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The names of a function's parameters."""
    given = function.args
    for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if each is not None:
            yield each.arg


def local_names(body: Body) -> Local:
    """What a function binds itself: imports as dotted names, single certain assignments as values, else None."""
    if body.function is None:
        return {}
    found: dict[str, ast.expr | str | None] = dict.fromkeys(parameters(body.function))
    for statement, is_certain, _ in body.statements:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                root = alias.name.partition(".")[0]
                found[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                found[alias.asname or alias.name] = f"{'.' * statement.level}{statement.module or ''}.{alias.name}"
        elif isinstance(statement, Function | ast.ClassDef):
            found[statement.name] = None
        else:
            value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
            for name in bound_names(statement):
                found[name] = value if is_certain and name not in found else None
    return found
