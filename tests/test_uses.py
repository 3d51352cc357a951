"""What pieces of a module name, and with which words."""

from __future__ import annotations

import ast

import pytest

from flakeledger.repo.outline import read_outline
from flakeledger.repo.uses import Uses, uses


def used(text: str) -> Uses:
    module = ast.parse(text)
    return uses(module.body, read_outline(module))


@pytest.mark.parametrize(
    ("text", "names", "attributes"),
    [
        ("a", {"a"}, set()),
        ("a = b", {"b"}, set()),
        ("a.b.c", {"a"}, {"b", "c"}),
        ("a(b, *c, d=e, **f)", {"a", "b", "c", "e", "f"}, set()),
        ("def f(a, *b, c=d, **e): return g", {"a", "b", "c", "d", "e", "g"}, set()),
        ("lambda a: b", {"a", "b"}, set()),
        ("[a for b in c if d]", {"a", "c", "d"}, set()),
        ("f'{a:{b}}'", {"a", "b"}, set()),
        ("x: 'a' = b", {"b"}, set()),
        ("match a:\n    case B(c=1): d", {"a", "B", "d"}, set()),
        ("{**a, 'b': c}", {"a", "c"}, set()),
        ("'a'", set(), set()),
        ("del a", set(), set()),
        ("@pytest.mark.usefixtures('a', 'b')\ndef f(): ...", {"pytest", "a", "b"}, {"mark", "usefixtures"}),
        ("usefixtures('a', *b)", {"usefixtures", "a", "b"}, set()),
        ("other('a')", {"other"}, set()),
    ],
)
def test_what_is_named(text: str, names: set[str], attributes: set[str]) -> None:
    found = used(text)
    assert (set(found.names), set(found.attributes)) == (names, attributes)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("given(x)", {"given"}),
        ("hypothesis.given(x)", {"given"}),
        ("from hypothesis import given as g\ng(x)", {"given"}),
        ("from a import b as given\ngiven(x)", set()),
        ("pytest.mark.parametrize('a', [1])", {"parametrize"}),
        ("example(1)", set()),
    ],
)
def test_watched_words_are_known_by_what_they_are_imported_as(text: str, says: set[str]) -> None:
    assert used(text).says == says


def test_deep_nesting_does_not_exhaust_the_stack() -> None:
    node: ast.expr = ast.Name("a", ast.Load())
    for _ in range(5000):
        node = ast.UnaryOp(ast.Not(), node)
    assert uses([node], read_outline(ast.parse(""))).names == {"a"}
