"""The table of marks, calls and exceptions that take a Python test out or let it fail, and how one is read.

Invariants:
* A mark with a condition that depends on anything is none: it says where a test can run. A constant condition
  is no condition: `skipif(True)` is a skip, `skipif(False)` is nothing.
* One table per form: whoever looks for marks in Python looks here.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from flakeledger.repo.meanings import Local, Names
from flakeledger.repo.modules import parse_module
from flakeledger.repo.outline import MODULE, dotted
from flakeledger.repo.skip import SkipKind

#: where a mark's condition stands: nowhere; in `condition=` alone; in any argument, texts being expressions
#: (pytest); in the first argument, which must be true (skipIf) or false (skipUnless)
_Conditions = Literal["none", "keyword", "any", "if", "unless"]
_MARKS: dict[str, tuple[SkipKind, _Conditions]] = {
    "pytest.mark.skip": ("skip", "none"),
    "pytest.mark.skipif": ("skip", "any"),
    "pytest.mark.xfail": ("xfail", "any"),
    "pytest.mark.flaky": ("flaky", "keyword"),
    "pytest.mark.rerun": ("retry", "keyword"),
    "pytest.mark.reruns": ("retry", "keyword"),
    "pytest.mark.retry": ("retry", "keyword"),
    "pytest.mark.quarantine": ("quarantine", "none"),
    "pytest.mark.quarantined": ("quarantine", "none"),
    "unittest.skip": ("skip", "none"),
    "unittest.skipIf": ("skip", "if"),
    "unittest.skipUnless": ("skip", "unless"),
    "unittest.expectedFailure": ("xfail", "none"),
    "flaky.flaky": ("flaky", "none"),
}
#: last names of decorators that count whatever module they come from, on test functions only
_TEST_DECORATORS: dict[str, SkipKind] = {
    "retry": "retry",
    "flaky_retry": "retry",
    "flaky": "flaky",
    "expectedFailure": "xfail",
    "nottest": "skip",
}
_CALLS: dict[str, SkipKind] = {"pytest.skip": "skip", "pytest.xfail": "xfail"}
_RAISED: dict[str, SkipKind] = {
    "pytest.skip.Exception": "skip",
    "pytest.Skipped": "skip",
    "pytest.xfail.Exception": "xfail",
    "pytest.XFailed": "xfail",
}
#: last names of exceptions that count whatever module they come from: unittest, nose, trial, testtools
_RAISED_ANYWHERE = frozenset({"SkipTest", "skipException"})
#: last names of functions that add a mark to a test that runs or is collected
_ADDING = frozenset({"add_marker", "applymarker"})


class Mark(NamedTuple):
    """What a mark or call does: its kind, its spelling in full (`pytest.mark.skip`) and the reason it gives or ""."""

    kind: SkipKind
    name: str
    reason: str


def read_mark(names: Names, node: ast.expr, owner: str = MODULE, local: Local | None = None) -> Mark | None:
    """The mark that an expression is or stands for; None: no mark, or one with a condition."""
    if isinstance(node, ast.Subscript | ast.Constant):
        return None
    name, source = names.meaning(node, owner, local)
    found = _MARKS.get(name)
    if found is None or not _always(names, source, found[1]):
        return None
    return Mark(found[0], name, _reason(names, source, _REASONS[found[1]]))


def test_decorator(names: Names, node: ast.expr, owner: str) -> Mark | None:
    """What a decorator of a test function is that counts by its last name alone: `retry` of any library."""
    name, source = names.meaning(node, owner)
    kind = _TEST_DECORATORS.get(name.rpartition(".")[2])
    return None if kind is None or name in _MARKS else Mark(kind, name, _reason(names, source))


def marks_in(names: Names, node: ast.expr, owner: str = MODULE) -> Iterator[tuple[ast.expr, Mark]]:
    """The marks of an expression that is one or a collection of them, each with its place in the expression.

    Follows names, `+` and constant ternaries; a collection that is only known by name gives that name as the place.
    """
    for place, found in _leaves(names, node, owner):
        if isinstance(found, Mark):
            yield place, found
        else:
            for mark in _marks_of_name(names, owner, found):
                yield place, mark


def _leaves(names: Names, node: ast.expr, owner: str) -> Iterator[tuple[ast.expr, Mark | str]]:
    """The marks of a collection that are written down in it, and the names in it, which may stand for more."""
    pending = [node]
    while pending:
        value = pending.pop()
        mark = read_mark(names, value, owner)
        if mark is not None:
            yield value, mark
        elif isinstance(value, ast.Name):
            yield value, value.id
        else:
            pending += reversed(list(_members(names, value)))


def _marks_of_name(names: Names, owner: str, name: str) -> tuple[Mark, ...]:
    """The marks of a collection by its name, one of a kind: a long one may be named often.

    Every name of a scope is looked into once, after the names that stand in it; a ring of them ends where it closes.
    """
    first = (names.scope(owner, name), name)
    pending, begun = [first], set[tuple[str, str]]()
    while pending:
        current = pending[-1]
        meant = names.value(*current)
        if current in names.marks or meant is None:
            names.marks.setdefault(current, ())
            pending.pop()
            continue
        scope = current[0]
        leaves = [
            found if isinstance(found, Mark) else (names.scope(scope, found), found)
            for _, found in _leaves(names, meant, scope)
        ]
        if current not in begun:
            begun.add(current)
            pending += [
                each for each in leaves if not isinstance(each, Mark) and each not in names.marks and each not in begun
            ]
            continue
        marks = [mark for each in leaves for mark in ((each,) if isinstance(each, Mark) else names.marks.get(each, ()))]
        names.marks[current] = tuple({mark[:2]: mark for mark in reversed(marks)}.values())[::-1]
    return names.marks[first]


def _members(names: Names, node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        yield from node.elts
    elif isinstance(node, ast.Starred):
        yield node.value
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from (node.left, node.right)
    elif isinstance(node, ast.IfExp):
        verdict = names.truth(node.test)
        if verdict is not None:
            yield node.body if verdict else node.orelse


def read_call(names: Names, node: ast.Call, local: Local | None = None) -> Mark | None:
    """What a call does to the test that makes it: `pytest.skip("why")`, `self.skipTest()`; None: nothing."""
    name, _ = names.meaning(node.func, local=local)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "skipTest":
        return Mark("skip", "self.skipTest()", _reason(names, node))
    kind = _CALLS.get(name)
    return None if kind is None else Mark(kind, f"{name}()", _reason(names, node))


def read_added(names: Names, node: ast.Call, owner: str, local: Local | None = None) -> Mark | None:
    """The mark that `request.node.add_marker(…)` adds, given as a mark or as its name; None: none."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _ADDING or not node.args:
        return None
    text = names.text(node.args[0])
    if text:
        found = _MARKS.get(f"pytest.mark.{text}")
        return Mark(found[0], f"add_marker(pytest.mark.{text})", "") if found is not None else None
    mark = read_mark(names, node.args[0], owner, local)
    return None if mark is None else mark._replace(name=f"add_marker({mark.name})")


def read_raise(names: Names, node: ast.expr, local: Local | None = None) -> Mark | None:
    """What raising an exception does to a test: `raise unittest.SkipTest("why")`; None: it fails."""
    name, source = names.meaning(node, local=local)
    name = name or dotted(node)
    kind = _RAISED.get(name)
    if kind is None and name.rpartition(".")[2] in _RAISED_ANYWHERE:
        kind = "skip"
    return None if kind is None else Mark(kind, f"raise {name}", _reason(names, source))


def _always(names: Names, node: ast.expr, conditions: _Conditions) -> bool:
    """Whether a mark counts on every machine."""
    arguments = node.args if isinstance(node, ast.Call) else []
    keywords = _keywords(node)
    if conditions == "none":
        return True
    if conditions in ("if", "unless"):
        given = keywords.get("condition", arguments[0] if arguments else None)
        return given is not None and names.truth(given) is (conditions == "if")
    given_all = [keywords["condition"]] if "condition" in keywords else arguments if conditions == "any" else []
    if not given_all:
        return None not in keywords  # `**options` may hold a condition
    return any(_expression_truth(names, each) is True for each in given_all)


def _expression_truth(names: Names, node: ast.expr) -> bool | None:
    """Whether a condition of pytest is always true. A text is an expression; one that is none is a misplaced reason."""
    text = names.text(node)
    if not text:
        return names.truth(node) if _is_no_text(node) else None
    if text not in names.conditions:
        names.conditions[text] = _text_truth(names, text)
    return names.conditions[text]


def _text_truth(names: Names, text: str) -> bool | None:
    if len(text) > _LONGEST_CONDITION:
        return None
    condition = parse_module(text.encode(errors="replace"))
    if isinstance(condition, str):
        return True
    only = condition.body[0] if len(condition.body) == 1 else None
    return names.truth(only.value) if isinstance(only, ast.Expr) else None


def _is_no_text(node: ast.expr) -> bool:
    return not (isinstance(node, ast.Starred) or (isinstance(node, ast.Constant) and isinstance(node.value, str)))


#: parsing takes time; nobody writes a longer condition as a text
_LONGEST_CONDITION = 1000


def _keywords(node: ast.expr) -> Mapping[str | None, ast.expr]:
    return {word.arg: word.value for word in node.keywords} if isinstance(node, ast.Call) else {}


#: which argument is the reason, unless it is named
_REASONS: dict[_Conditions, int] = {"none": 0, "keyword": 0, "any": 0, "if": 1, "unless": 1}


def _reason(names: Names, node: ast.expr, position: int = 0) -> str:
    """The text of `reason=`, of `msg=` (old pytest), or of the argument at a position."""
    keywords = _keywords(node)
    given = [keywords[word] for word in ("reason", "msg") if word in keywords]
    arguments = node.args if isinstance(node, ast.Call) else []
    texts = (names.text(each) for each in (*given, *arguments[position : position + 1]))
    return next((text for text in texts if text), "")
