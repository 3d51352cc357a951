"""Tests that Python code takes out of a run from outside: `--deselect`, `config.option.deselect`, `collect_ignore`.

Invariants:
* Only texts that are handed on count: arguments, elements of lists and values that are assigned. A text that
  merely speaks of the option, in a message or a docstring, names no test after it.
* What is written in a module with tests, or in a function that takes `pytester` or `testdir`, is about deselection:
  pytest is given no options there. Its hooks are not: they run where they are defined.
* What stands under a condition is exempt, as it is for every other skip.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from flakeledger.repo.bodies import Body
from flakeledger.repo.meanings import Names
from flakeledger.repo.outline import MODULE, dotted
from flakeledger.repo.reached import certain_nodes, expressions
from flakeledger.repo.skip_calls import Found
from flakeledger.repo.skip_marks import Mark

_OPTION = "--deselect"
_DESELECTED = Mark("deselect", _OPTION, "")
#: the lists of pytest that hold paths which are never collected
_IGNORED = frozenset({"collect_ignore", "collect_ignore_glob"})
#: lists in lists by name: more is not followed
_DEEPEST = 4
_COLLECTIONS = (ast.List, ast.Tuple, ast.Set)
_GROWING = frozenset({"append", "extend", "add", "update", "insert"})
#: what runs pytest, among the first words of a command line
_RUNNERS = ("pytest", "py.test")
_FIRST_WORDS = 6
_PROGRAM = r"[\w./-]+"
#: functions that define, look up or remove an option: they hand no option on
_ABOUT_OPTIONS = frozenset(
    {"addoption", "add_argument", "add_option", "getoption", "get_option", "getvalue", "option", "index", "remove"}
    | {"count", "startswith", "endswith", "join", "split", "replace", "Option", "Argument"}
)


def deselections(names: Names, bodies: Iterable[Body]) -> Iterator[Found]:
    """Every test that the module deselects for certain; `test` is the deselected id, "" where it is computed."""
    listed = list(bodies)
    has_tests = any(body.role == "test" for body in listed)
    for body in listed:
        if body.tests_pytest or (has_tests and body.role != "hook"):
            continue
        for statement in _certain(body):
            yield from _option_attribute(names, statement)
            if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) and statement.value is not None:
                yield from _in_texts([statement.value])
            for node in certain_nodes(expressions(statement), names.truth):
                yield from _handed_on(node)


def ignored_paths(names: Names, bodies: Iterable[Body]) -> Iterator[Found]:
    """Every path that a `conftest.py` keeps from being collected; `test` is the path, "" where it is computed."""
    for body in bodies:
        if body.owner == MODULE and body.role == "scope":
            for statement in _certain(body):
                for name, value, is_one in _grown(statement):
                    if name in _IGNORED:
                        for node, text in _entries(names, value, is_one=is_one):
                            yield Found(node, Mark("ignore", name, ""), text)


def _certain(body: Body) -> Iterator[ast.stmt]:
    return (statement for statement, is_certain, in_handler in body.statements if is_certain and not in_handler)


def _handed_on(node: ast.AST) -> Iterator[Found]:
    """The deselections among the arguments of a call or the elements of a collection."""
    if isinstance(node, ast.Call):
        function = dotted(node.func).rpartition(".")[2] or getattr(node.func, "attr", "")
        if function not in _ABOUT_OPTIONS:
            yield from _in_texts(node.args, is_open=function in _GROWING)
            yield from _in_texts([word.value for word in node.keywords])
    elif isinstance(node, ast.List | ast.Tuple):
        yield from _in_texts(node.elts, is_open=True)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _in_texts([value])


def _in_texts(nodes: list[ast.expr], *, is_open: bool = False) -> Iterator[Found]:
    """The tests that texts deselect; `is_open`: an option that stands last gets its value elsewhere."""
    for index, node in enumerate(nodes):
        text, is_whole = _beginning(node)
        if text.strip() == _OPTION and is_whole:
            if index + 1 < len(nodes) or is_open:
                value = nodes[index + 1] if index + 1 < len(nodes) else node
                chosen, is_known = _beginning(value) if value is not node else ("", False)
                yield Found(node, _DESELECTED, chosen if is_known else "")
        elif _OPTION in text:
            for test in _named_in(text, is_whole=is_whole):
                yield Found(node, _DESELECTED, test)


def _beginning(node: ast.expr) -> tuple[str, bool]:
    """The literal text that an expression begins with, and whether that is all of it."""
    is_whole = True
    while isinstance(node, ast.BinOp):
        node, is_whole = node.left, False
    if isinstance(node, ast.JoinedStr) and node.values:
        node, is_whole = node.values[0], False
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value, is_whole
    return "", False


def _named_in(text: str, *, is_whole: bool) -> Iterator[str]:
    """The tests that a text of options deselects: `-x --deselect=tests/test_a.py::test_b`."""
    words = text.split()
    is_single = len(words) == 1
    if not _is_command(words):
        return
    for index, word in enumerate(words):
        option, _, value = word.partition("=")
        if option != _OPTION:
            continue
        if "=" not in word:
            value = words[index + 1] if index + 1 < len(words) else ""
        value = value.strip("\"'")
        is_last = word is words[-1] or ("=" not in word and index + 2 == len(words))
        if not is_whole and is_last and ("=" in word or not value):
            yield ""
        elif value and (is_single or _looks_like_an_id(value)):
            yield value


def _is_command(words: list[str]) -> bool:
    """Whether words are options or a command line, and no sentence or program that speaks of one."""
    is_program = re.fullmatch(_PROGRAM, words[0]) is not None
    return words[0].startswith("-") or (is_program and any(word.endswith(_RUNNERS) for word in words[:_FIRST_WORDS]))


def _looks_like_an_id(text: str) -> bool:
    return "::" in text or ".py" in text or "/" in text


def _grown(statement: ast.stmt) -> Iterator[tuple[str, ast.expr, bool]]:
    """The lists that a statement assigns or grows, as (dotted name, value, whether the value is one entry)."""
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) and statement.value is not None:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield dotted(target), statement.value, False
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name, _, method = dotted(statement.value).rpartition(".")
        if method in _GROWING and statement.value.args:
            yield name, statement.value.args[-1], method in ("append", "add", "insert")


def _option_attribute(names: Names, statement: ast.stmt) -> Iterator[Found]:
    """`config.option.deselect = [...]` and what grows it."""
    for name, value, is_one in _grown(statement):
        if f".{name}".endswith(".option.deselect"):
            for node, text in _entries(names, value, is_one=is_one):
                yield Found(node, _DESELECTED._replace(name="config.option.deselect"), text)


def _entries(names: Names, node: ast.expr, *, is_one: bool) -> Iterator[tuple[ast.expr, str]]:
    """The entries of a list with their texts, "" for what is computed; nothing for an empty list or a condition.

    A list that is known by name gives that name as the place of its entries.
    """
    pending: list[tuple[ast.expr, ast.expr, int]] = [(node, node, 0)]
    while pending:
        place, value, depth = pending.pop()
        known = names.value(MODULE, value.id) if isinstance(value, ast.Name) and depth < _DEEPEST else None
        parts = [] if is_one else [known] if known is not None else _parts(names, value)
        if not parts and parts is not None and not isinstance(value, _COLLECTIONS):
            yield place, names.text(value)
        below = depth + (known is not None)
        pending += [(place if below else part, part, below) for part in reversed(parts or ())]


def _parts(names: Names, node: ast.expr) -> list[ast.expr] | None:
    """What a collection is made of; [] for an entry, None for one that depends on a condition."""
    if isinstance(node, _COLLECTIONS):
        return node.elts
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [node.left, node.right]
    if isinstance(node, ast.Starred):
        return [node.value]
    if isinstance(node, ast.IfExp):
        verdict = names.truth(node.test)
        return None if verdict is None else [node.body if verdict else node.orelse]
    return []
