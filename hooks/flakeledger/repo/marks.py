"""The marks in Python test code that say "do not trust this test": skip, xfail and flaky, each with its reason.

Invariants:
* A mark counts for every test below it: a decorator of a class and a `pytestmark` mean all tests of their scope.
* A conditional mark is none: it says where a test can run, not that nobody trusts it. A constant condition is none.
* Modules are parsed, never run; every test is named once, with the mark that stands nearest to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.model.rows import Place
from flakeledger.repo.modules import parse_module

if TYPE_CHECKING:
    import ast

    from flakeledger.repo.outline import Outline

#: resolved names of marks -> what they are called, and how many leading arguments are conditions
_MARKS = {
    "pytest.mark.skip": ("skip", 0),
    "pytest.mark.skipif": ("skip", 1),
    "pytest.mark.xfail": ("xfail", 1),
    "pytest.mark.flaky": ("flaky", 0),
    "unittest.skip": ("skip", 0),
    "unittest.skipIf": ("skip", 1),
    "unittest.skipUnless": ("skip", -1),
    "unittest.expectedFailure": ("xfail", 0),
    "flaky.flaky": ("flaky", 0),
}


class Mark(NamedTuple):
    """A mark on one test. `test` is its name inside the module; `reason` is the text that the mark gives, or ""."""

    test: str
    name: str
    place: Place
    reason: str


def marks_of(data: bytes) -> list[Mark] | str:
    """The marked tests of a Python module, in source order; or why the module cannot be parsed."""
    module = parse_module(data)
    if isinstance(module, str):
        return module
    from flakeledger.repo.outline import MODULE, Function, definitions, read_outline

    outline = read_outline(module)
    scopes = _scope_marks(outline)
    names = {(found.owner, found.names[0]) for found in definitions(outline) if found.kind == "test"}
    marks: dict[str, Mark] = {}
    for owner, statement in outline.statements:
        if not isinstance(statement, Function) or (owner, statement.name) not in names:
            continue
        test = f"{owner}::{statement.name}" if owner else statement.name
        own = [found for node in statement.decorator_list if (found := _mark(outline, node, test))]
        around = [scopes[scope] for scope in (*_scopes(owner), MODULE) if scope in scopes]
        for mark in [*own, *around][:1]:
            marks[test] = mark._replace(test=test)
    return sorted(marks.values(), key=lambda mark: mark.place)


def _scopes(owner: str) -> Iterator[str]:
    """A class and the classes around it, nearest first."""
    while owner:
        yield owner
        owner = owner.rpartition("::")[0]


def _scope_marks(outline: Outline) -> dict[str, Mark]:
    """The first mark of each class, and of the module ("")."""
    import ast

    found: dict[str, Mark] = {}
    for name, statements in outline.classes.items():
        for node in (node for statement in statements for node in statement.decorator_list):
            if mark := _mark(outline, node, name):
                found.setdefault(name, mark)
    for owner, value in outline.pytestmarks:
        for node in value.elts if isinstance(value, ast.Tuple | ast.List) else [value]:
            if owner is not None and (mark := _mark(outline, node, owner)):
                found.setdefault(owner, mark)
    return found


def _mark(outline: Outline, node: ast.expr, test: str) -> Mark | None:
    """The mark that an expression is; None for anything else, and for a mark with a condition."""
    import ast

    known = _MARKS.get(outline.resolve(node))
    if known is None or isinstance(node, ast.Subscript):
        return None
    name, conditions = known
    arguments = node.args if isinstance(node, ast.Call) else []
    keywords = {word.arg: word.value for word in node.keywords} if isinstance(node, ast.Call) else {}
    if conditions:
        given = keywords.get("condition", arguments[0] if arguments else None)
        if given is not None and not _always(given, wanted=conditions > 0):
            return None
        arguments = arguments[1:]
    texts = [keywords.get("reason"), *arguments[:1]]
    reason = next((text for each in texts if each is not None and (text := _constant_text(each))), "")
    return Mark(test, name, Place(node.lineno, node.col_offset + 1), " ".join(reason.split()))


def _always(node: ast.expr, *, wanted: bool) -> bool:
    """Whether a condition is a constant that is true (`wanted`) or false."""
    import ast

    return isinstance(node, ast.Constant) and bool(node.value) is wanted


def _constant_text(node: ast.expr) -> str:
    import ast

    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
