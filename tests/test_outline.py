"""The outline of a module: dotted names, what statements bind, where classes stand."""

from __future__ import annotations

import ast

import pytest

from flakeledger.repo.outline import bound_names, class_outlines, definitions, dotted, read_outline


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a", "a"),
        ("a.b.c", "a.b.c"),
        ("a.b(1, x=2)", "a.b"),
        ("a.b[int]", "a.b"),
        ("a.b(1).c", "a.b.c"),
        ("(lambda: 0).b", ""),
        ("'text'.join", ""),
        ("1", ""),
    ],
)
def test_dotted(text: str, name: str) -> None:
    assert dotted(ast.parse(text, mode="eval").body) == name


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a = b = 1", {"a", "b"}),
        ("a, (b, *c) = x", {"a", "b", "c"}),
        ("a: int = 1", {"a"}),
        ("a += 1", {"a"}),
        ("a['x'] = i", {"a"}),
        ("a.b.c = 1", {"a"}),
        ("for a, b in x: pass", {"a", "b"}),
        ("with x as a, y as (b, c), z: pass", {"a", "b", "c"}),
        ("a == 1", set()),
        ("f().x = 1", {"f"}),
        ("(lambda: 0).x = 1", set()),
    ],
)
def test_bound_names(text: str, names: set[str]) -> None:
    assert set(bound_names(ast.parse(text).body[0])) == names


EVERY_BLOCK = """\
if x:
    A = 1
elif y:
    B = 1
else:
    C = 1
try:
    D = 1
except ValueError:
    E = 1
else:
    F = 1
finally:
    G = 1
with x as H:
    I = 1
for J in x:
    K = 1
else:
    L = 1
while x:
    M = 1
match x:
    case 1:
        N = 1
class O:
    if x:
        P = 1
    class Q:
        R = 1
def S():
    inside = 1
    class Inside:
        pass
"""


def test_definitions_stand_in_every_block_but_in_no_function() -> None:
    found = {name: one.owner for one in definitions(read_outline(ast.parse(EVERY_BLOCK))) for name in one.names}
    assert found == dict.fromkeys("ABCDEFGHIJKLMNOQS", "") | {"P": "O", "Q": "O", "R": "O::Q"} | {"O": "", "S": ""}


def test_imports_of_the_whole_module_but_aliases_of_its_top_level() -> None:
    text = "import a.b\nimport c.d as e\ndef f():\n    from ..g import h as i, j\n"
    outline = read_outline(ast.parse(text + "try:\n    from k import *\nexcept E: pass\n"))
    assert [tuple(found) for found in outline.imports] == [
        ("a.b", 0, ()),
        ("c.d", 0, ()),
        ("g", 2, ("h", "j")),
        ("k", 0, ("*",)),
    ]
    assert outline.aliases == {"a": "a", "e": "c.d", "*": "k.*"}


@pytest.mark.parametrize(
    ("line", "bases", "is_closed"),
    [
        ("class T: ...", (), True),
        ("class T(object): ...", (), True),
        ("class T(Base): ...", ("Base",), True),
        ("class T(Base.Inner): ...", ("Base::Inner",), True),
        ("class T(unittest.TestCase): ...", (), True),
        ("class T(Case): ...", (), True),
        ("class T(Generic[X]): ...", (), True),
        ("class T(metaclass=ABCMeta): ...", (), True),
        ("@pytest.mark.slow\nclass T: ...", (), True),
        ("class T(Unknown): ...", (), False),
        ("class T(Base, Unknown): ...", ("Base",), False),
        ("class T(make()): ...", (), False),
        ("class T(*bases): ...", (), False),
        ("class T(metaclass=Odd): ...", (), False),
        ("@parameterized_class\nclass T: ...", (), False),
    ],
)
def test_a_class_is_closed_when_the_module_explains_its_tests(
    line: str, bases: tuple[str, ...], is_closed: bool
) -> None:
    imports = (
        "import unittest\nfrom unittest import TestCase as Case\nfrom typing import Generic\nfrom abc import ABCMeta\n"
    )
    outline = read_outline(ast.parse(imports + "class Base:\n    class Inner: ...\n" + line))
    (found,) = class_outlines(outline)["T"]
    assert (found.bases, found.is_closed) == (bases, is_closed)


def test_deep_nesting_does_not_exhaust_the_stack() -> None:
    """Deeper than Python's own recursion limit would allow a recursive walk."""
    inner: ast.stmt = ast.parse("A = 1").body[0]
    for _ in range(5000):
        inner = ast.If(test=ast.Constant(True), body=[inner], orelse=[])
    assert [one.names for one in definitions(read_outline(ast.Module(body=[inner], type_ignores=[])))] == [("A",)]
