"""The definitions of a module: what gives its names a meaning, and what its classes inherit."""

from __future__ import annotations

import ast

import pytest

from flakeledger.repo.definitions import Definition, class_outlines, definitions
from flakeledger.repo.outline import read_outline

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


def only(text: str) -> Definition:
    *_, found = definitions(read_outline(ast.parse(f"import pytest, unittest\n{text}")))
    return found


@pytest.mark.parametrize(
    ("text", "kind", "names", "is_automatic"),
    [
        ("def test_a(): ...", "test", ("test_a",), False),
        ("async def test_a(): ...", "test", ("test_a",), False),
        ("def helper(): ...", "function", ("helper",), False),
        ("def runTest(): ...", "function", ("runTest",), False),
        ("class T:\n    def runTest(self): ...", "test", ("runTest",), False),
        ("@pytest.fixture\ndef test_data(): ...", "function", ("test_data",), False),
        ("@pytest.fixture(name='x')\ndef data(): ...", "function", ("data", "x"), False),
        ("@pytest.fixture(name=NAME)\ndef data(): ...", "function", ("data",), False),
        ("@pytest.fixture(autouse=True)\ndef data(): ...", "function", ("data",), True),
        ("@pytest.fixture(autouse=False)\ndef data(): ...", "function", ("data",), False),
        ("@pytest.fixture(autouse=SOME)\ndef data(): ...", "function", ("data",), True),
        ("class T: ...", "class", ("T",), False),
        ("A = B = 1", "value", ("A", "B"), False),
        ("for A, B in x: ...", "value", ("A", "B"), False),
    ],
)
def test_what_a_definition_is(text: str, kind: str, names: tuple[str, ...], is_automatic: bool) -> None:
    found = only(text)
    assert (found.kind, sorted(found.names), found.is_automatic) == (kind, sorted(names), is_automatic)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("def test_a():\n    pass", 2, 3),
        ("@one\n@two\ndef test_a():\n    pass", 2, 5),
        ("@pytest.mark.skip\ndef test_a():\n    pass", 2, 4),
        ("with x(\n) as A:\n    pass", 2, 3),
        ("for A in (\n    1,\n):\n    pass", 2, 4),
        ("A = [\n    1,\n]", 2, 4),
    ],
)
def test_where_a_definition_stands(text: str, first: int, last: int) -> None:
    """Of `for` and `with` only the head counts: what stands below it are definitions of its own."""
    found = only(text)
    assert (found.first, found.last) == (first, last)


@pytest.mark.parametrize(
    ("mark", "is_kept"),
    [
        ("pytest.mark.skip", False),
        ("pytest.mark.frozen('PROP-1')", False),
        ("unittest.skip('why')", False),
        ("pytest.mark.skipif(True)", True),
        ("pytest.mark.parametrize('a', [1])", True),
    ],
)
def test_marks_that_are_no_edit_are_none_of_its_nodes(mark: str, is_kept: bool) -> None:
    found = only(f"@{mark}\ndef test_a(): ...")
    assert [ast.unparse(node) for node in found.decorators] == ([mark] if is_kept else [])
    assert [node for node in found.nodes if isinstance(node, ast.expr)] == [
        *found.decorators,
    ]
