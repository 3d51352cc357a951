"""What of a test module an oracle review is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.repo.assertions import MODULE, Part, parts_of

IMPORTS = "import pytest\nfrom hypothesis import example, given, settings, strategies as st\n"


def parts(text: str) -> list[tuple[str, str, str]]:
    found = parts_of((IMPORTS + text).encode())
    assert not isinstance(found, str)
    return [(part.owner, part.kind, part.text) for part in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\nprint(x)\n", []),
        ("def test_a():\n    assert  x ==  'a'  # why\n", [("test_a", "assertion", "assert x == 'a'")]),
        ("class TestA:\n    def test_a(self):\n        self.assertEqual(a, 1)\n",
         [("TestA::test_a", "assertion", "self.assertEqual(a, 1)")]),
        ("def test_a():\n    pytest.fail('no')\n", [("test_a", "assertion", "pytest.fail('no')")]),
        ("async def test_a():\n    with pytest.raises(ValueError, match='x'):\n        assert f()\n",
         [("test_a", "raises", "pytest.raises(ValueError, match='x')"), ("test_a", "assertion", "assert f()")]),
        ("def test_a(self):\n    with self.assertRaises(E), self.assertLogs():\n        pass\n",
         [("test_a", "raises", "self.assertRaises(E)"), ("test_a", "raises", "self.assertLogs()")]),
        ("@settings(max_examples=5)\n@given(st.integers())\n@example(3)\ndef test_a(x):\n    pass\n",
         [("test_a", "settings", "@settings(max_examples=5)"), ("test_a", "strategy", "@given(st.integers())"),
          ("test_a", "input", "@example(3)")]),
        ("@pytest.mark.parametrize('a', [1, 2])\n@pytest.mark.skip\ndef test_a(a):\n    pass\n",
         [("test_a", "input", "@pytest.mark.parametrize('a', [1, 2])"), ("test_a", "marker", "@pytest.mark.skip")]),
        ("pytestmark = pytest.mark.slow\n", [(MODULE, "marker", "pytestmark = pytest.mark.slow")]),
        ("amounts = st.integers(0, 9)\n", [(MODULE, "strategy", "amounts = st.integers(0, 9)")]),
        ("from hypothesis.strategies import integers as whole\nnumbers: object = whole()\n",
         [(MODULE, "strategy", "numbers: object = whole()")]),
        ("import hypothesis\nnumbers = hypothesis.strategies.integers()\n",
         [(MODULE, "strategy", "numbers = hypothesis.strategies.integers()")]),
        ("def test_a(data):\n    x = data.draw(st.integers())\n    assume(x)\n",
         [("test_a", "strategy", "x = data.draw(st.integers())"), ("test_a", "settings", "assume(x)")]),
        ("def test_a():\n    def inner():\n        assert a\n    for x in y:\n        if x:\n            assert x\n",
         [("test_a::inner", "assertion", "assert a"), ("test_a", "assertion", "assert x")]),
    ],
)  # fmt: skip
def test_what_counts_and_where_it_stands(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert parts(text) == expected


def test_layout_comments_and_quotes_are_nothing() -> None:
    one = parts('def test_a():\n    assert a == "x"\n')
    other = parts("def test_a():\n    # why\n    assert (\n        a == 'x'\n    )\n")
    assert one == other


@pytest.mark.parametrize("text", ["def f(:\n", "\0", "x = (" * 1000, "assert " + "-" * 90_000 + "1", "a" * 2_000_000])
def test_what_cannot_be_parsed_is_said(text: str) -> None:
    assert isinstance(parts_of(text.encode()), str)


@pytest.mark.parametrize(
    "text",
    [
        "assert " + "[" * 90 + "]" * 90,
        "assert " + " + ".join(["a"] * 2_000),
        "assert a" + ".b" * 2_000,
        "@a\n" * 20_000 + "def test_x(): pass",
        "assert a\n" * 20_000,
    ],
    ids=["brackets", "sum", "attributes", "decorators", "assertions"],
)
def test_a_module_that_a_stranger_made_long_or_deep_is_read_or_refused(text: str) -> None:
    found = parts_of(text.encode())
    assert found, "it is said what is asserted, or why that cannot be said"


def test_definitions_may_be_nested_as_deeply_as_the_parser_lets_them() -> None:
    text = "".join(f"{' ' * depth}def f():\n" for depth in range(90)) + " " * 90 + "assert a\n"
    assert parts_of(text.encode()) == [Part("::".join(["f"] * 90), "assertion", "assert a")]


@given(st.text(st.sampled_from("assert @given(x)\n :def.\"'"), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert isinstance(parts_of(text.encode()), (list, str))
