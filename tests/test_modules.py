"""What a module says: tests, opaque names, imports, property ids, and why it cannot be parsed."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flakeledger.repo.modules import LARGEST, STAMP, ModuleFacts, facts_from_json, module_facts, named_properties
from growing import assert_linear

TESTS = """\
import unittest
from hypothesis import given, given as forall, strategies as st
import hypothesis, pytest
quick = given(st.integers())
rates = pytest.mark.parametrize("rate", [1, 2])
def helper(): ...
def test_plain(): ...
async def test_async(): ...
@given(st.integers())
def test_given(x): ...
@hypothesis.given(st.integers())
@pytest.mark.parametrize("a", [1])
def test_both(x, a): ...
@forall(st.integers())
def test_renamed(x): ...
@quick
def test_through_a_name(x): ...
@rates
def test_rates(rate): ...
@pytest.fixture
def test_data(): ...
if True:
    def test_conditional(): ...
class TestA:
    def test_in(self): ...
    def other(self): ...
    class TestInner:
        def test_deep(self): ...
    def test_outer(self):
        def test_not_collected(): ...
class OrdersTest(unittest.TestCase):
    def testCamel(self): ...
    def runTest(self): ...
class TestChild(TestA):
    def test_more(self): ...
@pytest.mark.parametrize("a", [1])
class TestMany:
    def test_one(self, a): ...
class TestMarked:
    pytestmark = [pytest.mark.slow, pytest.mark.parametrize("a", [1])]
    def test_two(self, a): ...
"""


def test_every_test_with_its_line_and_kind() -> None:
    facts = module_facts(TESTS.encode())
    assert {name: (found.given, found.parametrised) for name, found in facts.tests.items()} == {
        "test_plain": (False, False),
        "test_async": (False, False),
        "test_given": (True, False),
        "test_both": (True, True),
        "test_renamed": (True, False),
        "test_through_a_name": (True, False),
        "test_rates": (False, True),
        "test_conditional": (False, False),
        "TestA::test_in": (False, False),
        "TestA::test_outer": (False, False),
        "TestA::TestInner::test_deep": (False, False),
        "OrdersTest::testCamel": (False, False),
        "OrdersTest::runTest": (False, False),
        "TestChild::test_in": (False, False),
        "TestChild::test_outer": (False, False),
        "TestChild::test_more": (False, False),
        "TestChild::TestInner::test_deep": (False, False),
        "TestMany::test_one": (False, True),
        "TestMarked::test_two": (False, True),
    }
    assert facts.tests["test_plain"].line == 7
    assert facts.tests["test_given"].line == 9
    nested = {"TestA::TestInner", "TestChild::TestInner"}
    assert facts.classes == {"TestA", "OrdersTest", "TestChild", "TestMany", "TestMarked"} | nested


def test_a_mark_of_the_module_is_a_mark_of_every_test() -> None:
    facts = module_facts(b"import pytest\npytestmark = pytest.mark.parametrize('a', [1])\ndef test_a(a): ...\n")
    assert facts.tests["test_a"].parametrised


@pytest.mark.parametrize(
    ("module", "opaque"),
    [
        ("class A(Imported): ...\nclass B(A): ...\nclass C: ...", {"A", "B"}),
        ("from x import *", {"*"}),
        ("from x import Machine, y as z\nTestMachine = Machine.TestCase", {"Machine", "z", "TestMachine"}),
        ("class A:\n    test_b = make()\n    size = 1\nclass B(A): ...", {"A::test_b", "B::test_b"}),
        ("def f():\n    from x import y", set()),
    ],
)
def test_opaque_names(module: str, opaque: set[str]) -> None:
    assert module_facts(module.encode()).opaque == opaque


@pytest.mark.parametrize(
    ("module", "ids"),
    [
        ('"""property_id: A-1."""', {"A-1"}),
        ('"""Text.\n\nproperty_id: A.b_1-c and property_id: B"""', {"A.b_1-c", "B"}),
        ("# property_id: A\nx = 1  # property_id:B", {"A", "B"}),
        ('def test_a():\n    """property_id: A"""', {"A"}),
        ('class T:\n    "property_id: A"\n    def f():\n        def g():\n            "property_id: B"', {"A", "B"}),
        ('x = "property_id: A"', set()),
        ('x = """\n# property_id: A\n"""  # property_id: B', {"B"}),
        ('f("""\n""" # property_id: A\n"# property_id: B")', {"A"}),
        ("x = 1\n'property_id: A'", set()),
        ("# my_property_id: A, property_id: 1, property_id: -", set()),
        ('import pytest\n@pytest.mark.property_id("A")\ndef test_a(): ...', {"A"}),
        ('import pytest as p\nclass T:\n    @p.mark.property_id("A", "B")\n    async def test_a(): ...', {"A", "B"}),
        ('from pytest import mark\npytestmark = mark.property_id("A")', {"A"}),
        ('import pytest\npytestmark = [pytest.mark.slow, pytest.mark.property_id("A")]', {"A"}),
        ('import pytest\nclass T:\n    pytestmark = (pytest.mark.property_id("A"),)', {"A"}),
        ('import pytest\n@pytest.mark.property_id("no id", name)\ndef test_a(): ...', set()),
        ('from house import mark\n@mark.property_id("A")\ndef test_a(): ...', set()),
    ],
)
def test_property_ids(module: str, ids: set[str]) -> None:
    facts = module_facts(module.encode())
    assert facts.problem is None
    assert facts.property_ids == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("// property_id: PROP-014.", ["PROP-014"]),
        ("property_id:A property_id: B.", ["A", "B"]),
        ("a_property_id: A", []),
        ("property_id:\nA", []),
    ],
)
def test_named_properties(text: str, ids: list[str]) -> None:
    assert named_properties(text) == ids


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x = 1\ndef f(:\n", "line 2 is no Python"),
        (b"x = 1\n\0\n", "line 2 holds a null byte"),
        (b"x = 1\n'\xff'\n", "line 2 is not valid utf-8"),
        (b"# coding: rot13\nx = 1\n", "coding cookie 'rot13'"),
        (b"#!/usr/bin/python\n# -*- coding: unicode_escape -*-\n", "coding cookie 'unicode_escape'"),
        (b"# coding: ascii\n'\xc3\xa9'", "not valid ascii"),
        (b"#" * (LARGEST + 1), "larger than 1 MB"),
        (b"(" * 1000, "line 1 is no Python"),
        (b"x = " + b"-" * 100_000 + b"1", "cannot be parsed"),
        (b"x = a" + b".b" * 100_000, "cannot be parsed"),
    ],
)
def test_a_module_that_cannot_be_parsed_has_a_problem_and_nothing_else(data: bytes, said: str) -> None:
    facts = module_facts(data)
    assert facts.problem is not None
    assert said in facts.problem
    assert facts == ModuleFacts({}, frozenset(), frozenset(), [], frozenset(), facts.problem)


@pytest.mark.parametrize(
    "data",
    [
        b"# coding: latin-1\ndef test_a(): '\xe9'",
        b"\n# vim: set fileencoding=UTF_8 :\ndef test_a(): ...",
        b"\xef\xbb\xbfdef test_a(): ...",
        b"x = 1\n# coding: rot13\ndef test_a(): ...",
        b"def test_a(): ...\r\n",
        b"def test_a():\r    assert 1\r",
        b"\x0cdef test_a(): ...",
    ],
)
def test_encodings_and_line_ends_that_python_reads(data: bytes) -> None:
    facts = module_facts(data)
    assert facts.problem is None
    assert list(facts.tests) == ["test_a"]


def test_warnings_of_the_checked_code_stay_silent() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert module_facts(b"def test_a():\n    assert '\\d' is 1\n").problem is None
    assert not caught


def test_facts_survive_json() -> None:
    facts = module_facts(TESTS.encode() + b"from . import a, b\n# property_id: A\n# flakeledger: cite A\n")
    assert len(facts.citations) == 1
    assert facts_from_json(json.loads(json.dumps(facts.to_json()))) == facts
    broken = module_facts(b"(")
    assert facts_from_json(json.loads(json.dumps(broken.to_json()))) == broken


@pytest.mark.parametrize("value", [None, [], {}, "x", ["0 3.11", {}, [], [], [], [], None]])
def test_facts_of_another_form_are_no_answer(value: object) -> None:
    assert facts_from_json(value) is None


def test_the_stamp_names_the_python_that_parsed() -> None:
    assert STAMP.endswith(f" {sys.version_info.major}.{sys.version_info.minor}")


#: pieces of which hostile modules are made
PIECES = st.sampled_from(
    [
        *("def test_a", "class A", "async ", "import ", "from . ", "lambda ", "pass", "x", "@pytest.mark.skip"),
        *("(", ")", ":", "=", "*", "\n", "    ", "\r", "\0", "\x0c", "\\", "\ufeff"),
        *('"""', "'", "f'{", "}'", "#", "property_id: A", "flakeledger: cite", "@pytest.mark.frozen(", "'A'"),
    ]
)


@settings(max_examples=200)
@given(st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=40).map(lambda parts: "".join(parts).encode())))
def test_no_bytes_give_a_traceback(data: bytes) -> None:
    facts = module_facts(data)
    assert (facts.problem is None) or not facts.tests
    assert facts_from_json(json.loads(json.dumps(facts.to_json()))) == facts


def test_facts_from_the_cache_take_linear_time() -> None:
    """In the tests of a module; that those of 300 tests are read in 2 ms is a bar of `benchmarks/bounds.py`."""

    def work(number: int) -> Callable[[], object]:
        module = "import pytest\n" + "".join(f"def test_{one}(): ...\n" for one in range(number))
        cached = json.loads(json.dumps(module_facts(module.encode()).to_json()))
        assert facts_from_json(cached) is not None
        return partial(facts_from_json, cached)

    assert_linear(work, 10_000)
