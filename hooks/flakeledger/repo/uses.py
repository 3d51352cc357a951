"""What pieces of a Python module name: the names that they read, their attributes, the fixtures that they ask for.

Invariants:
* The work is linear in the number of syntax nodes, without recursion.
* A name that is bound is not named; an argument is, for pytest hands it the fixture of that name.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from flakeledger.repo.outline import Outline

#: what a decorator may say that matters to a ledger
_WATCHED = frozenset({"given", "parametrize"})
#: fields that hold texts, numbers, contexts or operators
_NO_NODES = frozenset(
    {"asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "level", "module", "name", "op", "ops", "rest"}
    | {"simple", "tag", "type_comment"}
)
#: the fields of each kind of syntax node that may hold nodes which name something
_FIELDS = {
    kind: tuple(name for name in kind._fields if name not in _NO_NODES)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and kind is not ast.Constant
}


class Uses(NamedTuple):
    """What a definition names. `says` are the watched words (`given`, `parametrize`) among it."""

    names: frozenset[str]
    attributes: frozenset[str]
    says: frozenset[str]


def uses(nodes: Iterable[ast.AST], outline: Outline) -> Uses:
    """What syntax nodes name, in time linear in their number."""
    names: set[str] = set()
    attributes: set[str] = set()
    pending: list[Any] = list(nodes)
    while pending:
        node = pending.pop()
        # exact types, the most frequent first: much of the time of a cold run is spent here
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is ast.Load:
                names.add(node.id)
        elif kind is ast.Attribute:
            attributes.add(node.attr)
            pending.append(node.value)
        elif kind is ast.Call:
            function = node.func
            pending.append(function)
            pending += node.args
            pending += node.keywords
            if type(function) in (ast.Name, ast.Attribute) and _is_usefixtures(function):
                names.update(_strings(node.args))
        elif kind in _FIELDS:  # a list of nodes may hold None, the name of a keyword is a text
            if kind is ast.arg:
                names.add(node.arg)
            for name in _FIELDS[kind]:
                value = getattr(node, name, None)
                if type(value) is list:
                    pending += value
                elif value is not None:
                    pending.append(value)
    said = {outline.aliases.get(name, name).rpartition(".")[2] for name in names} | attributes
    return Uses(frozenset(names), frozenset(attributes), _WATCHED & said)


def _is_usefixtures(function: ast.expr) -> bool:
    name = getattr(function, "attr", None) or getattr(function, "id", None)
    return name == "usefixtures"


def _strings(nodes: Iterable[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
