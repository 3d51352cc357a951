"""The outline of a module: dotted names, what statements bind, where classes stand."""

from __future__ import annotations

import ast

import pytest

from flakeledger.repo.outline import bound_names, dotted, first_line, qualified, read_outline


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


def test_only_what_is_called_pytestmark_is_a_mark_of_its_scope() -> None:
    text = "marks = A\npytestmark = B\npytestmark: list\nclass T:\n    other = C\n    pytestmark = D\n"
    outline = read_outline(ast.parse(text))
    assert [(owner, ast.unparse(value)) for owner, value in outline.pytestmarks] == [("", "B"), ("T", "D")]


@pytest.mark.parametrize(("owner", "name", "expected"), [("", "test_a", "test_a"), ("A::B", "test_a", "A::B::test_a")])
def test_qualified(owner: str, name: str, expected: str) -> None:
    assert qualified(owner, name) == expected


def test_a_definition_begins_with_its_first_decorator() -> None:
    found = ast.parse("@one\n@two\ndef test_a(): ...\n\nclass A: ...").body
    assert [first_line(one) for one in found if isinstance(one, ast.FunctionDef | ast.ClassDef)] == [1, 5]
