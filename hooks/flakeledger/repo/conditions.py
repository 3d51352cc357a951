"""Conditions that are the same on every machine: what `skipif(True)` hides behind, and what `if` and `and` decide.

Invariants:
* Nothing is run. Only literals, names of the module that mean a literal, comparisons of those, `not`, `and`,
  `or` and `bool()` are judged; everything else is unknown, and an unknown condition is a real one.
* Every expression is judged in time linear in its size, with a stack of its own; long texts are unknown.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeGuard


class Known(NamedTuple):
    """The value of an expression that is known."""

    value: Any


#: names of the module -> the constant that each of them means
Constants = Mapping[str, Known]
#: comparing texts takes time in proportion to their length, and a name can be compared very often
_LONGEST = 1000
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_LARGEST = 1_000_000
_VERDICTS = (ast.BoolOp, ast.UnaryOp, ast.Compare)
_CONTAINERS = (ast.Tuple, ast.List, ast.Set)


def truth(node: ast.expr, constants: Constants) -> bool | None:
    """Whether a condition is always true (True) or always false (False); None: it depends on something."""
    order: list[ast.expr] = [node]
    for each in order:  # grows while it is walked: parents stand before their parts
        order += _parts(each)
    known: dict[ast.expr, bool | None] = {}
    for each in reversed(order):
        known[each] = _truth(each, known, constants)
    return known[node]


def _parts(node: ast.expr) -> Iterable[ast.expr]:
    """The conditions that a condition is made of."""
    if isinstance(node, ast.BoolOp):
        return node.values
    if _is_bool(node):
        return node.args
    return (node.operand,) if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else ()


def _is_bool(node: ast.expr) -> TypeGuard[ast.Call]:
    """Whether the condition is another one in a call of `bool`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "bool":
        return False
    return len(node.args) == 1 and not isinstance(node.args[0], ast.Starred) and not node.keywords


def _truth(node: ast.expr, known: Mapping[ast.expr, bool | None], constants: Constants) -> bool | None:
    if isinstance(node, ast.BoolOp):
        decisive = isinstance(node.op, ast.Or)
        values = [known[part] for part in node.values]
        return decisive if decisive in values else None if None in values else not decisive
    if isinstance(node, ast.UnaryOp):
        operand = known.get(node.operand)
        return None if operand is None else not operand
    if isinstance(node, ast.Compare):
        return _compared(node, constants)
    if _is_bool(node):
        return known[node.args[0]]
    if isinstance(node, ast.Lambda):
        return True  # a function object, never called
    if isinstance(node, _CONTAINERS) and any(not isinstance(part, ast.Starred) for part in node.elts):
        return True
    found = constant(node, constants)
    return None if found is None else bool(found.value)


def _compared(node: ast.Compare, constants: Constants) -> bool | None:
    operands = [_operand(each, constants) for each in (node.left, *node.comparators)]
    for left, kind, right in zip(operands, node.ops, operands[1:], strict=False):
        if left is None or right is None:
            return None
        try:
            if not _COMPARISONS[type(kind)](left.value, right.value):
                return False
        except TypeError:
            return None  # it raises when it runs: no condition that skips
    return True


def _operand(node: ast.expr, constants: Constants) -> Known | None:
    if isinstance(node, ast.BinOp):
        return _number(node, constants)
    if not isinstance(node, _CONTAINERS):
        return constant(node, constants)
    found = [constant(part, constants) for part in node.elts]
    return None if None in found else Known(tuple(part.value for part in found if part is not None))


def _number(node: ast.BinOp, constants: Constants) -> Known | None:
    """The value of `1 + 1`: one operation on two small whole numbers, no more."""
    operation = _OPERATIONS.get(type(node.op))
    left, right = constant(node.left, constants), constant(node.right, constants)
    if operation is None or left is None or right is None:
        return None
    values = (left.value, right.value)
    is_small = all(isinstance(value, int) and abs(value) < _LARGEST for value in values)
    return Known(operation(*values)) if is_small else None


def constant(node: ast.expr, constants: Constants) -> Known | None:
    """The literal that an expression is, or that its name means; None for anything else."""
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if not isinstance(node, ast.Constant):
        return None
    is_long = isinstance(node.value, str | bytes) and len(node.value) > _LONGEST
    return None if is_long else Known(node.value)


def meant(value: ast.expr, constants: Constants) -> Known | None:
    """What a name means that is assigned this: a constant, or the verdict of a constant condition."""
    known = constant(value, constants)
    if known is None and isinstance(value, _VERDICTS):
        verdict = truth(value, constants)
        known = None if verdict is None else Known(verdict)
    return known
