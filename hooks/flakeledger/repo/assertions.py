"""What a Python test module asks of the product and of Hypothesis: the parts that an oracle review is about.

Invariants:
* The module is parsed, never run. Every part stands under the definition that holds it, in the order of the text.
* Layout, comments and the kind of quotes are nothing: a part is what the syntax tree says.
* Whatever else a module holds is shown by the difference of its lines; nothing here claims to be all of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from flakeledger.repo.modules import parse_module
from flakeledger.repo.outline import qualified

Kind = Literal["assertion", "raises", "strategy", "input", "settings", "marker"]
#: where a part stands that no definition holds
MODULE = ""

#: what a call is about, by the last part of its name; the first pattern that matches wins
_CALLS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"raises|warns|deprecated_call|assert(Not)?(Raises|Warns|Logs|NoLogs)(Regex)?"), "raises"),
    (re.compile(r"assert\w*|fail"), "assertion"),
    (re.compile(r"given|composite"), "strategy"),
    (re.compile(r"parametrize|example"), "input"),
    (re.compile(r"settings|seed|assume|target|reproduce_failure"), "settings"),
)
_HYPOTHESIS, _STRATEGIES = "hypothesis", "strategies"


class Part(NamedTuple):
    """One part of a module: the definition that holds it ("Class::name", or MODULE), what it is, its text."""

    owner: str
    kind: Kind
    text: str


def parts_of(data: bytes) -> list[Part] | str:
    """The parts of a module in the order of its text; or why it cannot be parsed."""
    module = parse_module(data)
    if isinstance(module, str):
        return module
    try:
        return list(_parts(module, _names_of_strategies(module)))
    except RecursionError:  # the parser reads what the writer of the standard library cannot write
        return "an expression is nested too deeply"


def _names_of_strategies(module: ast.Module) -> frozenset[str]:
    """The names under which the module knows Hypothesis's strategies, or the module that has them."""
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_HYPOTHESIS):
            inside = _STRATEGIES in (node.module or "")
            found |= {name.asname or name.name for name in node.names if inside or name.name == _STRATEGIES}
        elif isinstance(node, ast.Import):
            named = (name for name in node.names if name.name.partition(".")[0] == _HYPOTHESIS)
            found |= {name.asname or _HYPOTHESIS for name in named}
    return frozenset(found)


def _parts(module: ast.Module, strategies: frozenset[str]) -> Iterator[Part]:
    """The parts, without recursion: how deep a stranger nests definitions is none of our stack's business."""
    pending: list[tuple[str, ast.AST]] = [(MODULE, node) for node in reversed(module.body)]
    while pending:
        owner, node = pending.pop()
        kind = _kind(node, strategies)
        if kind is not None:
            yield Part(owner, kind, ast.unparse(node))
            continue
        decorators: list[ast.expr] = []
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            owner, decorators = qualified(owner, node.name), node.decorator_list
            yield from (_decoration(owner, decorator) for decorator in decorators)
        known = {id(decorator) for decorator in decorators}
        inside = [(owner, child) for child in ast.iter_child_nodes(node) if id(child) not in known]
        pending += reversed(inside)


def _decoration(owner: str, decorator: ast.expr) -> Part:
    """A decorator: what its name says, else a marker, for it stands on a test or on what a test uses."""
    return Part(owner, _of_call(decorator) or "marker", f"@{ast.unparse(decorator)}")


def _kind(node: ast.AST, strategies: frozenset[str]) -> Kind | None:
    """What a node is, where it is a part as a whole."""
    if isinstance(node, ast.Assert):
        return "assertion"
    if isinstance(node, ast.Call):
        return _of_call(node)
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in targets):
            return "marker"
        return "strategy" if _draws(node.value, strategies) else None
    return None


def _draws(value: ast.expr | None, strategies: frozenset[str]) -> bool:
    """Whether a value names strategies."""
    nodes: Sequence[ast.AST] = () if value is None else tuple(ast.walk(value))
    return any(isinstance(node, ast.Name) and node.id in strategies for node in nodes)


def _of_call(node: ast.expr) -> Kind | None:
    """What a call, or a decorator that is none, is about by its name."""
    function = node.func if isinstance(node, ast.Call) else node
    name = (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )
    return next((kind for pattern, kind in _CALLS if pattern.fullmatch(name)), None)
