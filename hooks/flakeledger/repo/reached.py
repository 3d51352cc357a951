"""Which statements and expressions of a body are certain to run when the body is entered.

Invariants:
* Not certain is what stands under a condition that is not constant, in an `except` handler, in the `else` of a `try`,
  after a statement that may leave the body, or after one whose exception a handler may swallow.
* What follows a statement that always leaves is never certain.
* Dead branches of constant conditions are not given at all.
* Where `with` or `except` catches a skip, the body below it is not certain to skip: it is a test of skipping.
* What a function or a class inside the body holds belongs to that function or class, not to the body.
* All walks have stacks of their own and are linear, so deep nesting cannot exhaust Python's.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from flakeledger.repo.outline import dotted

Truth = Callable[[ast.expr], bool | None]
#: what an exception class must be called to catch a skip; a bare `except` does too
_CATCHING = ("skip", "xfail", "outcome", "baseexception")
#: contexts that swallow or expect the exceptions that they are given
_EXPECTING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "suppress"})
#: what can raise the exception that a handler waits for
_RAISING = (ast.Call, ast.Subscript, ast.Import, ast.ImportFrom, ast.Assert)
_LEAVING_LOOPS = frozenset({ast.Break, ast.Continue})
_LEAVING = _LEAVING_LOOPS | {ast.Return, ast.Raise}
_LEAVES = frozenset({ast.Constant, ast.Name})


class Reached(NamedTuple):
    """A statement, whether it is certain to run, and whether it stands in an `except` handler."""

    statement: ast.stmt
    is_certain: bool
    in_handler: bool


class _Block:
    """A list of statements that is being walked, and how it was left so far."""

    __slots__ = ("breaks", "catches", "exits", "in_handler", "is_certain", "is_handled", "is_loop", "parent", "rest")

    def __init__(
        self,
        statements: Iterable[ast.stmt],
        parent: _Block | None,
        is_certain: bool = True,
        *,
        is_loop: bool = False,
        in_handler: bool = False,
        catches: bool = False,
        is_handled: bool = False,
    ) -> None:
        self.rest = iter(statements)
        self.parent = parent
        self.is_certain: bool = is_certain and not catches and (parent is None or parent.is_certain)
        self.in_handler: bool = in_handler or (parent is not None and parent.in_handler)
        self.is_handled: bool = is_handled or (parent is not None and parent.is_handled)
        self.is_loop = is_loop
        self.catches = catches
        self.exits = self.breaks = False

    def leave(self) -> None:
        """Tell the block around that this one may leave it."""
        parent = self.parent
        if parent is not None:
            parent.exits |= self.exits
            parent.breaks |= self.breaks and not self.is_loop
            parent.is_certain &= not (self.exits or (self.breaks and not self.is_loop))


def reached(body: Iterable[ast.stmt], truth: Truth, *, is_function: bool) -> Iterator[Reached]:
    """Every live statement of a body, those of inner blocks included, in source order.

    In the body of a module or a class `raise` leaves nothing behind that counts, so only a function's `raise` does.
    """
    blocks = [_Block(body, None)]
    while blocks:
        block = blocks[-1]
        statement = next(block.rest, None)
        if statement is None:
            blocks.pop().leave()
            continue
        yield Reached(statement, block.is_certain, block.in_handler)
        kind = type(statement)
        if kind in _LEAVING:
            _leave(block, kind, is_function=is_function)
        elif kind in _INNER:
            blocks += reversed(list(_INNER[kind](statement, block, truth)))
        if block.is_handled and block.is_certain and _may_raise(statement):
            block.is_certain = False


def _leave(block: _Block, kind: type[ast.stmt], *, is_function: bool) -> None:
    """Note that a statement leaves its block."""
    if kind in _LEAVING_LOOPS:
        block.breaks = True
    elif kind is ast.Return or is_function:
        block.exits |= kind is ast.Return or not block.catches
    else:
        return
    block.is_certain = False


def _if_blocks(statement: ast.If, block: _Block, truth: Truth) -> Iterator[_Block]:
    verdict = truth(statement.test)
    if verdict is not False:
        yield _Block(statement.body, block, verdict is True)
    if verdict is not True:
        yield _Block(statement.orelse, block, verdict is False)


def _while_blocks(statement: ast.While, block: _Block, truth: Truth) -> Iterator[_Block]:
    verdict = truth(statement.test)
    if verdict is not False:
        yield _Block(statement.body, block, verdict is True, is_loop=True)
    yield _Block(statement.orelse, block, verdict is False)


def _for_blocks(statement: ast.For, block: _Block, _truth: Truth) -> Iterator[_Block]:
    yield _Block(statement.body, block, is_loop=True)
    yield _Block(statement.orelse, block, not _leaves(statement))


def _with_blocks(statement: ast.With, block: _Block, _truth: Truth) -> Iterator[_Block]:
    yield _Block(statement.body, block, catches=any(_expects(item.context_expr) for item in statement.items))


def _try_blocks(statement: ast.Try, block: _Block, _truth: Truth) -> Iterator[_Block]:
    swallowing = [handler for handler in statement.handlers if _swallows(handler)]
    yield _Block(statement.body, block, catches=any(map(_catches, swallowing)), is_handled=bool(swallowing))
    for handler in statement.handlers:
        yield _Block(handler.body, block, False, in_handler=True)
    yield _Block(statement.orelse, block, False)
    yield _Block(statement.finalbody, block)


def _match_blocks(statement: ast.Match, block: _Block, _truth: Truth) -> Iterator[_Block]:
    for case in statement.cases:
        yield _Block(case.body, block, False)


#: kind of compound statement -> its live blocks, in source order
_INNER: dict[type[ast.stmt], Callable[[Any, _Block, Truth], Iterator[_Block]]] = {
    ast.If: _if_blocks,
    ast.While: _while_blocks,
    ast.For: _for_blocks,
    ast.AsyncFor: _for_blocks,
    ast.With: _with_blocks,
    ast.AsyncWith: _with_blocks,
    ast.Try: _try_blocks,
    ast.TryStar: _try_blocks,
    ast.Match: _match_blocks,
}


def _leaves(loop: ast.For) -> bool:
    """Whether a loop may be left before its `else`."""
    if not loop.orelse:
        return False
    kinds = (ast.Break, ast.Return, ast.Raise)
    return any(isinstance(node, kinds) for statement in loop.body for node in ast.walk(statement))


def _expects(node: ast.expr) -> bool:
    """Whether a context of `with` expects a skip: `pytest.raises(pytest.skip.Exception)`."""
    return (
        isinstance(node, ast.Call)
        and dotted(node).rpartition(".")[2] in _EXPECTING
        and any(_catches_skips(argument) for argument in node.args)
    )


def _may_raise(statement: ast.stmt) -> bool:
    return any(isinstance(node, _RAISING) for node in ast.walk(statement))


def _swallows(handler: ast.ExceptHandler) -> bool:
    return not any(isinstance(node, ast.Raise) for node in ast.walk(handler))


def _catches(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or _catches_skips(handler.type)


def _catches_skips(node: ast.expr) -> bool:
    kinds = node.elts if isinstance(node, ast.Tuple) else [node]
    names = [dotted(kind).lower() for kind in kinds]
    return any(word in name for name in names for word in _CATCHING)


def certain_nodes(roots: Iterable[ast.expr], truth: Truth) -> Iterator[ast.AST]:
    """The expressions that are evaluated whenever `roots` are, names and literals left out.

    Not what stands behind `and`, `or`, a ternary or a comprehension's condition, nor in a `lambda`.
    """
    pending: list[ast.AST] = [node for node in roots if type(node) not in _LEAVES]
    while pending:
        node = pending.pop()
        yield node
        pending += [part for part in _evaluated(node, truth) if type(part) not in _LEAVES]


def _evaluated(node: ast.AST, truth: Truth) -> Iterable[ast.AST]:
    parts = _PARTS.get(type(node))
    return ast.iter_child_nodes(node) if parts is None else parts(node, truth)


def _ternary(node: ast.IfExp, truth: Truth) -> Iterable[ast.AST]:
    verdict = truth(node.test)
    return (node.test,) if verdict is None else (node.body if verdict else node.orelse,)


def _comprehension(node: ast.ListComp | ast.SetComp | ast.DictComp, _truth: Truth) -> Iterable[ast.AST]:
    is_conditional = any(each.ifs for each in node.generators)
    return (node.generators[0].iter,) if is_conditional else ast.iter_child_nodes(node)


def _call(node: ast.Call, _truth: Truth) -> Iterable[ast.AST]:
    return (node.func, *node.args, *(word.value for word in node.keywords))


def _collection(node: ast.List | ast.Tuple, _truth: Truth) -> Iterable[ast.AST]:
    return node.elts


def _operands(node: ast.BoolOp, truth: Truth) -> Iterator[ast.expr]:
    goes_on = isinstance(node.op, ast.And)
    for value in node.values:
        yield value
        if truth(value) is not goes_on:
            return


#: kind of expression -> what of it is evaluated for certain, where that is not all of it, or where it is often asked
_PARTS: dict[type[ast.AST], Callable[[Any, Truth], Iterable[ast.AST]]] = {
    ast.BoolOp: _operands,
    ast.IfExp: _ternary,
    ast.Lambda: lambda _node, _truth: (),
    ast.GeneratorExp: lambda _node, _truth: (),
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Compare: lambda node, _truth: (node.left, node.comparators[0]),
    ast.Call: _call,
    ast.List: _collection,
    ast.Tuple: _collection,
    ast.Attribute: lambda node, _truth: (node.value,),
}


def expressions(statement: ast.stmt) -> list[ast.expr]:
    """What a statement itself evaluates: not the statements inside it, not what a definition holds."""
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [item.context_expr for item in statement.items]
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return []
    fields = ("value", "exc", "test", "iter", "subject")
    return [value for name in fields if (value := getattr(statement, name, None)) is not None]
