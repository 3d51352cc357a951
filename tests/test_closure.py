"""test_hash: which edits of a module change a test's digest and which do not."""

from __future__ import annotations

import hashlib
from functools import partial

import pytest

from flakeledger.repo import closure
from flakeledger.repo.modules import module_facts
from growing import assert_linear

MODULE = '''\
import random
import pytest
from hypothesis import given, strategies as st

LIMIT = 3
LOW, (HIGH, *REST) = 1, (2, 3)
AMOUNTS: list[int] = [1]
AMOUNTS += [2]
UNUSED = 9
TABLE = {}
TABLE["x"] = 1

def rounded(value):
    return value % modulus()

def modulus():
    return 97

def lonely():
    return 0

class Order:
    def total(self):
        return LIMIT

@pytest.fixture
def order():
    return Order()

@pytest.fixture(name="client")
def _client():
    return "client"

@pytest.fixture(autouse=True)
def clock():
    yield 1

@pytest.mark.parametrize("extra", AMOUNTS)
def test_total(order, client, extra):
    """Totals add up."""
    # the formula
    assert rounded(order.total()) + extra + HIGH + TABLE["x"] != LOW

def test_other():
    assert lonely() == 0

class Base:
    factor = 2

    def scaled(self, value):
        return value * self.factor

    def idle(self):
        return 0

class TestOrders(Base):
    size = 4

    def setup_method(self):
        self.start = UNUSED

    def helper(self):
        return self.size

    def spare(self):
        return 5

    def test_scaled(self):
        assert self.scaled(self.helper()) > 0

    def test_plain(self):
        assert LIMIT
'''


def digest(module: str, name: str = "test_total") -> str:
    facts = module_facts(module.encode())
    assert facts.problem is None
    return facts.tests[name].digest


def edited(old: str, new: str) -> str:
    assert MODULE.count(old) == 1, old
    return MODULE.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("!= LOW", "!= LOW + 1"),
        ("return value % modulus()", "return value % 2"),
        ("return 97", "return 98"),
        ("LIMIT = 3", "LIMIT = 4"),
        ("(2, 3)", "(2, 4)"),
        ("AMOUNTS += [2]", "AMOUNTS += [3]"),
        ("= [1]", "= [7]"),
        ('TABLE["x"] = 1', 'TABLE["x"] = 2'),
        ("        return LIMIT\n", "        return LIMIT + 1\n"),
        ("    return Order()", "    return None"),
        ('return "client"', 'return "other"'),
        ("yield 1", "yield 2"),
        ('"extra", AMOUNTS', '"extra", AMOUNTS[:1]'),
        ("@pytest.mark.parametrize", '@pytest.mark.skipif(True, reason="x")\n@pytest.mark.parametrize'),
        ("    # the formula\n", "    # another formula\n"),
        ("Totals add up.", "Totals do not add up."),
        ("@pytest.mark.param", "def modulus(): return 1\n\n@pytest.mark.param"),
        ("@pytest.mark.param", "def setup_module(): pass\n\n@pytest.mark.param"),
        ("LIMIT = 3", "if random:\n    LIMIT = 3\nelse:\n    LIMIT = 5"),
        ("def test_total(", '@pytest.mark.usefixtures("lonely")\ndef test_total('),
        ("    assert rounded(", "    assert  rounded("),
    ],
)
def test_an_edit_of_what_the_test_says_or_reaches_changes_its_digest(old: str, new: str) -> None:
    assert digest(edited(old, new)) != digest(MODULE)


SKIP = '@pytest.mark.skip(\n    reason="flaky",\n)\n'


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("assert lonely() == 0", "assert lonely() == 1"),
        ("    return 0\n\nclass Order", "    return 1\n\nclass Order"),
        ("UNUSED = 9", "UNUSED = 10"),
        ("import random\n", "import random, os\n\n\n"),
        ("    # the formula\n", "    # the formula   \n"),
        ("    # the formula\n", "    # property_id: PROP-1\n    # the formula\n"),
        ("    # the formula\n", "    # the formula\n    # flakeledger: cite tests/test_a.py::test_b\n"),
        ('"""Totals add up."""', '"""Totals add up.\n\n    property_id: PROP-1\n    """'),
        ('"""Totals add up."""', "r'''Totals add up.'''"),
        *(
            ("@pytest.mark.parametrize", f"{mark}\n@pytest.mark.parametrize")
            for mark in (
                SKIP.rstrip(),
                "@pytest.mark.skip  # for now",
                "@pytest.mark.xfail(strict=LIMIT, reason=lonely)",
                "@pytest.mark.flaky(reruns=3)",
                '@pytest.mark.property_id("PROP-1")',
                "@pytest.mark.frozen",
            )
        ),
        ("self.size\n", "self.size + 1\n"),
    ],
)
def test_other_edits_do_not(old: str, new: str) -> None:
    assert digest(edited(old, new)) == digest(MODULE)


def test_fixtures_named_by_usefixtures_are_reached() -> None:
    marked = edited("def test_total(", '@pytest.mark.usefixtures("lonely")\ndef test_total(')
    other = marked.replace("    return 0\n\nclass Order", "    return 1\n\nclass Order")
    assert digest(other) != digest(marked)


@pytest.mark.parametrize(
    "header",
    [
        "import unittest\n@unittest.skip('x')\n",
        "from unittest import skip as later\n@later('x')\n",
        "from flaky import flaky\n@flaky\n",
        "import pytest as pt\n@pt.mark.skip\n",
        "from pytest import mark\n@mark.xfail\n",
        "import unittest as u\n@u.expectedFailure\n",
    ],
)
def test_marks_are_known_by_what_they_are_imported_as(header: str) -> None:
    body = "def test_a():\n    assert 1\n"
    assert digest(header + body, "test_a") == digest(body, "test_a")


def test_a_decorator_that_is_only_called_like_a_mark_is_an_edit() -> None:
    body = "def test_a():\n    assert 1\n"
    assert digest("from house import skip\n@skip\n" + body, "test_a") != digest(body, "test_a")


def test_line_ends_do_not_count() -> None:
    assert digest(MODULE.replace("\n", "\r\n")) == digest(MODULE)
    assert digest("\ufeff" + MODULE) == digest(MODULE)


@pytest.mark.parametrize(
    ("old", "new", "differs"),
    [
        ("return value * self.factor", "return value", True),
        ("factor = 2", "factor = 3", True),
        ("size = 4", "size = 5", True),
        ("self.start = UNUSED", "self.start = 1", True),
        ("UNUSED = 9", "UNUSED = 10", True),
        ("class TestOrders(Base):", "class TestOrders(Base, Order):", True),
        ("class TestOrders(Base):", '@pytest.mark.usefixtures("client")\nclass TestOrders(Base):', True),
        ("class TestOrders(Base):", "@pytest.mark.skip\nclass TestOrders(Base):", False),
        ("class TestOrders(Base):\n", 'class TestOrders(Base):\n    """Says.\n\n    property_id: P\n    """\n', False),
        ("        return 5", "        return 6", False),
        ("    def idle(self):\n        return 0", "    def idle(self):\n        return 1", False),
        ("    def test_plain(self):\n        assert LIMIT", "    def test_plain(self):\n        assert 0", False),
        ("        assert self.scaled(self.helper()) > 0", "        assert self.scaled(self.spare()) > 0", True),
    ],
)
def test_a_method_reaches_members_of_its_class_and_of_the_bases(old: str, new: str, differs: bool) -> None:
    name = "TestOrders::test_scaled"
    assert (digest(edited(old, new), name) != digest(MODULE, name)) is differs


def test_an_inherited_test_has_the_digest_of_its_own_class() -> None:
    module = """\
class TestBase:
    value = 1
    def test_a(self):
        assert self.value
class TestChild(TestBase):
    value = 2
"""
    other = module.replace("value = 2", "value = 3")
    assert digest(other, "TestChild::test_a") != digest(module, "TestChild::test_a")
    assert digest(other, "TestBase::test_a") == digest(module, "TestBase::test_a")


def test_a_helper_class_called_test_something_is_reached_but_another_test_class_is_not() -> None:
    module = (
        "class TestData:\n    low = 1\n\nclass TestB:\n    high = 2\n    rest = 3\n    def test_b(self): assert 1\n\n"
    )
    module += "def test_a():\n    assert TestData.low < TestB.high\n"
    for old, differs in (("low = 1", True), ("high = 2", True), ("rest = 3", False), ("assert 1", False)):
        assert (digest(module.replace(old, old + "0"), "test_a") != digest(module, "test_a")) is differs, old


def test_a_test_class_inside_the_own_class_is_not_reached_as_a_whole() -> None:
    module = "class TestA:\n    class TestIn:\n        def test_b(self): assert 1\n"
    module += "    def test_a(self):\n        assert self.TestIn\n"
    assert digest(module.replace("assert 1", "assert 2"), "TestA::test_a") == digest(module, "TestA::test_a")


def test_a_moved_function_keeps_its_digest() -> None:
    other = "import os\n\nX = 1\n\ndef helper():\n    return 2\n\n\ndef test_a():\n    assert helper()\n"
    here = "def helper():\n    return 2\n\ndef test_b():\n    assert 0\n\ndef test_a():\n    assert helper()\n"
    assert digest(other, "test_a") == digest(here, "test_a")
    assert digest(other.replace("test_a", "test_c"), "test_c") != digest(here, "test_a")


def test_the_digest_can_be_computed_by_hand() -> None:
    module = "LIMIT = 3 \nX = 1\n\n@pytest.mark.skip\n@case\ndef test_a():\n"
    module += '    """\n    Says so.\n    """\n    assert LIMIT\n'
    by_hand = "LIMIT = 3\n@case\ndef test_a():\nSays so.\n    assert LIMIT"
    assert digest(module, "test_a") == hashlib.sha256(by_hand.encode()).hexdigest()


def test_comment_lines_inside_a_string_are_text() -> None:
    module = 'def test_a():\n    assert f("""\n    # property_id: A\n""")\n'
    other = module.replace("    # property_id: A\n", "")
    assert digest(module, "test_a") != digest(other, "test_a")


def test_the_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that all reach everything are refused, not followed in quadratic time."""
    monkeypatch.setattr(closure, "MOST_WORK", 2_000_000)
    chain = "".join(f"def f{i}(): return f{i + 1}\n" for i in range(2000))
    once = module_facts((chain + "def test_a(): f0()\n").encode())
    assert once.problem is None

    def module(number: int) -> bytes:
        parts = (
            text.format(i, i + 1)
            for text in ("def f{}(): return f{}\n", "def test_{}(): f0()\n")
            for i in range(number)
        )
        return "".join(parts).encode()

    facts = module_facts(module(2000))
    assert facts.problem is not None
    assert "more text" in facts.problem
    assert not facts.tests
    assert_linear(lambda number: partial(module_facts, module(number)), 2000)


def test_a_code_line_that_ends_in_a_property_id_is_still_code() -> None:
    module = "def test_a():\n    assert 1  # property_id: A\n"
    assert digest(module.replace("assert 1", "assert 2"), "test_a") != digest(module, "test_a")


def test_names_with_thousands_of_definitions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quadratic only in lists that lead nowhere new: it has to be counted all the same."""
    monkeypatch.setattr(closure, "MOST_WORK", 1_000_000)
    module = "def f(): f\n" * 2000 + "def test_a(): f\n"
    assert module_facts(module.encode()).problem is not None


def test_long_chains_of_classes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closure, "MOST_WORK", 2_000_000)
    module = "class C0:\n    def test_a(self): ...\n" + "".join(f"class C{i}(C{i - 1}): ...\n" for i in range(1, 1500))
    assert module_facts(module.encode()).problem is not None
