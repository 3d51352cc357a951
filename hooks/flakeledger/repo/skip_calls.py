"""Calls that skip a test whenever it runs: in the test, in its fixtures and set-up, and in helpers that they call.

Invariants:
* A call counts where it is certain to be reached. A helper counts where something that runs calls it for certain,
  found by name in this module; a helper that nobody here calls is nothing.
* A helper that is defined twice, or under a decorator that may replace it, is not followed.
* The search visits every call once, so it is linear in the module.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from flakeledger.repo.bodies import Body, local_names
from flakeledger.repo.meanings import Local, Names
from flakeledger.repo.outline import MODULE, Outline
from flakeledger.repo.reached import certain_nodes, expressions
from flakeledger.repo.skip_marks import Mark, read_added, read_call, read_raise

#: a function of this module: the class that it stands in and its name
_Key = tuple[str, str]
#: decorators under which a helper still runs its body when it is called
_TRANSPARENT = frozenset({"staticmethod", "classmethod", "contextlib.contextmanager", "contextlib.asynccontextmanager"})


class Found(NamedTuple):
    """A mark, the code that writes it, and the test that it takes out."""

    node: ast.expr | ast.stmt
    mark: Mark
    test: str


class _Act(NamedTuple):
    """What a body is certain to do: skip by itself (`mark`), or call a function of this module (`callee`)."""

    node: ast.expr | ast.stmt
    mark: Mark | None
    callee: _Key


def skip_calls(outline: Outline, names: Names, found: Iterable[Body]) -> Iterator[Found]:
    """Every skip by a call or a raise that is certain to happen."""
    all_bodies = list(found)
    keys = Counter((body.owner, body.function.name) for body in all_bodies if body.function is not None)
    acts = [list(_acts(names, body, keys)) for body in all_bodies]
    helpers = {
        (body.owner, body.function.name): done
        for body, done in zip(all_bodies, acts, strict=True)
        if body.function is not None and keys[body.owner, body.function.name] == 1 and _runs_its_body(outline, body)
    }
    skipping = _skipping(helpers)
    for body, done in zip(all_bodies, acts, strict=True):
        if body.role == "helper":
            continue
        for node, mark, callee in done:
            if mark is not None:
                yield Found(node, mark, body.subject)
            elif callee in skipping:
                through = skipping[callee]
                yield Found(node, through._replace(name=f"{through.name} in {callee[1]}()"), body.subject)


def _runs_its_body(outline: Outline, body: Body) -> bool:
    decorators = body.function.decorator_list if body.function is not None else []
    return body.role != "fixture" and all(outline.resolve(node) in _TRANSPARENT for node in decorators)


def _skipping(helpers: dict[_Key, list[_Act]]) -> dict[_Key, Mark]:
    """The functions that skip whenever they are called, with the mark that does it."""
    callers: dict[_Key, list[_Key]] = {}
    skipping: dict[_Key, Mark] = {}
    for key, acts in helpers.items():
        for _, mark, callee in acts:
            if mark is None:
                callers.setdefault(callee, []).append(key)
            else:
                skipping.setdefault(key, mark)
    pending = list(skipping)
    while pending:
        callee = pending.pop()
        for caller in callers.get(callee, ()):
            if caller not in skipping:
                skipping[caller] = skipping[callee]
                pending.append(caller)
    return skipping


def _acts(names: Names, body: Body, keys: Counter[_Key]) -> Iterator[_Act]:
    local = local_names(body)
    for statement, is_certain, in_handler in body.statements:
        if not is_certain or in_handler:
            continue
        for node in certain_nodes(expressions(statement), names.truth):
            if isinstance(node, ast.Call):
                mark = read_call(names, node, local)
                if mark is None and not body.tests_pytest:
                    mark = read_added(names, node, body.owner, local)
                callee = _callee(body, node, local)
                if mark is not None or callee in keys:
                    yield _Act(node, mark, callee)
        if isinstance(statement, ast.Raise) and statement.exc is not None:
            mark = read_raise(names, statement.exc, local)
            if mark is not None:
                yield _Act(statement, mark, (MODULE, ""))


def _callee(body: Body, call: ast.Call, local: Local) -> _Key:
    """The function of this module that a call may mean: a name of the module, or a method of the own class."""
    function = call.func
    if isinstance(function, ast.Name) and function.id not in local:
        return (MODULE, function.id)
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        is_own = bool(body.owner) and function.value.id in ("self", "cls")
        return (body.owner, function.attr) if is_own else (MODULE, "")
    return (MODULE, "")
