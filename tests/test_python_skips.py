"""Unconditional skips in Python test code: what counts, what is exempt, and what no text can do."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from math import isqrt
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flakeledger.repo.python_skips import python_skips
from flakeledger.repo.skip import MOST_PLACES, unread
from growing import assert_linear

HERE = Path(__file__).parent


def found(text: str) -> list[str]:
    """The skips as "kind name > test @first line"."""
    return [f"{skip.kind} {skip.name} > {skip.test} @{skip.first}" for skip in python_skips(text.encode())]


IMPORTS = "import pytest, unittest, os\n"

DECORATORS = [
    ("@pytest.mark.skip", "skip @pytest.mark.skip > test_a @2"),
    ("@pytest.mark.skip()", "skip @pytest.mark.skip > test_a @2"),
    ("@pytest.mark.skip(**why)", "skip @pytest.mark.skip > test_a @2"),
    ("@pytest.mark.skipif", "skip @pytest.mark.skipif > test_a @2"),
    ("@pytest.mark.skipif(reason='no condition at all')", "skip @pytest.mark.skipif > test_a @2"),
    ("@pytest.mark.skipif(os.name == 'nt', True, reason='x')", "skip @pytest.mark.skipif > test_a @2"),
    ("@pytest.mark.skipif('True', reason='x')", "skip @pytest.mark.skipif > test_a @2"),
    ("@pytest.mark.skipif('1 == 1', reason='x')", "skip @pytest.mark.skipif > test_a @2"),
    ("@pytest.mark.skipif(condition=True, reason='x')", "skip @pytest.mark.skipif > test_a @2"),
    ("@pytest.mark.xfail", "xfail @pytest.mark.xfail > test_a @2"),
    ("@pytest.mark.xfail(reason='x', strict=True)", "xfail @pytest.mark.xfail > test_a @2"),
    ("@pytest.mark.xfail('a reason, not a condition')", "xfail @pytest.mark.xfail > test_a @2"),
    ("@pytest.mark.flaky(reruns=3)", "flaky @pytest.mark.flaky > test_a @2"),
    ("@pytest.mark.flaky(3, 2)", "flaky @pytest.mark.flaky > test_a @2"),
    ("@pytest.mark.rerun(2)", "retry @pytest.mark.rerun > test_a @2"),
    ("@pytest.mark.reruns", "retry @pytest.mark.reruns > test_a @2"),
    ("@pytest.mark.retry(3)", "retry @pytest.mark.retry > test_a @2"),
    ("@pytest.mark.quarantine", "quarantine @pytest.mark.quarantine > test_a @2"),
    ("@pytest.mark.quarantined('x')", "quarantine @pytest.mark.quarantined > test_a @2"),
    ("@unittest.skip('x')", "skip @unittest.skip > test_a @2"),
    ("@unittest.skip", "skip @unittest.skip > test_a @2"),
    ("@unittest.skipIf(True, 'x')", "skip @unittest.skipIf > test_a @2"),
    ("@unittest.skipIf('False', 'a text is true')", "skip @unittest.skipIf > test_a @2"),
    ("@unittest.skipIf(condition=1, reason='x')", "skip @unittest.skipIf > test_a @2"),
    ("@unittest.skipUnless(False, 'x')", "skip @unittest.skipUnless > test_a @2"),
    ("@unittest.skipUnless(0, 'x')", "skip @unittest.skipUnless > test_a @2"),
    ("@unittest.expectedFailure", "xfail @unittest.expectedFailure > test_a @2"),
    ("@unittest.case.skip('x')", "skip @unittest.skip > test_a @2"),
    ("@py.test.mark.skip", "skip @pytest.mark.skip > test_a @2"),
    ("@pytest.mark.skip(reason='x')(print)", "skip @pytest.mark.skip > test_a @2"),
]
NO_DECORATORS = [
    "@pytest.mark.slow",
    "@pytest.mark.parametrize('x', ['skip', 'xfail'])",
    "@pytest.mark.skipif(os.name == 'nt', reason='x')",
    "@pytest.mark.skipif(os.name == 'nt', reason=True)",
    "@pytest.mark.skipif(False, reason='x')",
    "@pytest.mark.skipif('os.name == \"nt\"', reason='x')",
    "@pytest.mark.skipif('False', reason='x')",
    "@pytest.mark.skipif('', reason='x')",
    "@pytest.mark.skipif(*conditions)",
    "@pytest.mark.skipif(**conditions)",
    "@pytest.mark.skipif(len('x'), reason='x')",
    "@pytest.mark.xfail(False)",
    "@pytest.mark.xfail(os.name == 'nt')",
    "@pytest.mark.xfail(condition=os.name == 'nt')",
    "@pytest.mark.xfail(condition=False, reason='x')",
    "@pytest.mark.flaky(reruns=3, condition=os.name == 'nt')",
    "@pytest.mark.flaky(reruns=3, condition=False)",
    "@pytest.mark.skip['x']",
    "@unittest.skipIf(os.name == 'nt', 'x')",
    "@unittest.skipIf(False, 'x')",
    "@unittest.skipUnless(True, 'x')",
    "@unittest.skipUnless(os.name == 'nt', 'x')",
    "@unittest.skipUnless('x', 'a text is true')",
    "@unittest.skipIf()",
    "@skip",
    "@skip('x')",
    "@self.skip",
    "@(lambda f: f)",
]


@pytest.mark.parametrize(("decorator", "expected"), DECORATORS)
def test_decorators_that_count(decorator: str, expected: str) -> None:
    assert found(f"{IMPORTS}{decorator}\ndef test_a(): pass\n") == [expected]


@pytest.mark.parametrize(("decorator", "expected"), DECORATORS)
def test_decorators_of_classes_methods_and_coroutines(decorator: str, expected: str) -> None:
    name = expected.partition(" > ")[0]
    text = f"{IMPORTS}{decorator}\nclass TestA:\n    {decorator}\n    async def test_b(self): pass\n"
    assert found(text) == [f"{name} > TestA @2", f"{name} > TestA::test_b @4"]


@pytest.mark.parametrize("decorator", NO_DECORATORS)
def test_decorators_that_do_not_count(decorator: str) -> None:
    assert found(f"{IMPORTS}{decorator}\ndef test_a(): pass\n") == []


CONDITIONS = [
    ("True", True),
    ("1", True),
    ("-1 + 2 == 1", None),  # one operation on plain numbers is folded, no more
    ("1 + 1 == 2", True),
    ("2 * 2 == 5 - 0", False),
    ("'x'[0]", None),
    ("not False", True),
    ("not not 0", False),
    ("True and 1", True),
    ("True and os.name", None),
    ("os.name or True", True),
    ("os.name and False", False),
    ("os.name or False", None),
    ("not (os.name and False)", True),
    ("1 < 2 < 3", True),
    ("1 < 2 > 3", False),
    ("1 < 'x'", None),
    ("None is None", True),
    ("None is not None", False),
    ("'a' in ('a', 'b')", True),
    ("'a' not in ['a']", False),
    ("os.name in ('a', 'b')", None),
    ("ON", True),
    ("OFF", False),
    ("not OFF", True),
    ("BOTH", True),
    ("ON == True", True),
    ("CHANGED", None),
    ("ANNOTATED", True),
    ("GROWN", None),
    ("CHOSEN", None),
    ("IMPORTED", None),
    ("REBOUND", None),
    ("LOOPED", None),
    ("MISSING", None),
    ("[os.name]", True),
    ("[*names]", None),
    ("()", None),
    ("lambda: False", True),
    ("bool(1)", True),
    ("not bool(OFF)", True),
    ("bool(os.name)", None),
    ("bool(*names)", None),
    ("bool()", None),
    ("1 if os.name else 1", None),
]
NAMES = """\
import os, pytest, unittest
ON = True
OFF = not ON
BOTH = ON and not OFF
CHANGED = True
CHANGED = False
ANNOTATED: bool = True
GROWN = 1
GROWN += 1
try:
    import numpy
    CHOSEN = False
except ImportError:
    CHOSEN = True
from flags import *
try:
    from flags import IMPORTED
except ImportError:
    IMPORTED = True
REBOUND = True
def change():
    global REBOUND
    REBOUND = False
for LOOPED in (True,): pass
if os.name:
    MISSING = True
"""


@pytest.mark.parametrize(("condition", "truth"), CONDITIONS)
def test_conditions_that_are_constant(condition: str, truth: bool | None) -> None:
    body = "    def test_a(self): pass\n"
    head = f"{NAMES}class A(unittest.TestCase):\n"
    assert bool(found(f"{head}    @pytest.mark.skipif({condition}, reason='x')\n{body}")) is (truth is True)
    assert bool(found(f"{head}    @pytest.mark.skipif({condition!r}, reason='x')\n{body}")) is (truth is True)
    assert bool(found(f"{head}    @unittest.skipUnless({condition}, 'x')\n{body}")) is (truth is False)
    called = (
        f"{NAMES}def test_a():\n    if {condition}:\n        pytest.skip('x')\n    else:\n        pytest.xfail('x')\n"
    )
    kinds = {True: ["skip"], False: ["xfail"], None: []}[truth]
    assert [line.split()[0] for line in found(called)] == kinds


def test_a_long_text_and_a_deep_condition_are_unknown() -> None:
    long = f"@pytest.mark.skipif({'1 == 1 and ' * 200 + 'True'!r}, reason='x')"
    assert found(f"{IMPORTS}{long}\ndef test_a(): pass\n") == []
    deep = "not " * 800 + "True"
    assert len(found(f"{IMPORTS}@pytest.mark.skipif({deep})\ndef test_a(): pass\n")) == 1


ALIASES = [
    ("import pytest as pt\n@pt.mark.skip\ndef test_a(): pass", ["skip @pytest.mark.skip > test_a @2"]),
    ("from pytest import mark\n@mark.xfail\ndef test_a(): pass", ["xfail @pytest.mark.xfail > test_a @2"]),
    ("import pytest\nskip = pytest.mark.skip\n@skip\ndef test_a(): pass", ["skip @pytest.mark.skip > test_a @3"]),
    ("import pytest\nm = pytest.mark\n@m.skip('x')\ndef test_a(): pass", ["skip @pytest.mark.skip > test_a @3"]),
    (
        "import pytest\nno = pytest.mark.skip(reason='x')\n@no\ndef test_a(): pass\n@no\ndef test_b(): pass",
        ["skip @pytest.mark.skip > test_a @3", "skip @pytest.mark.skip > test_b @5"],
    ),
    (
        "import pytest\nbroken = pytest.mark.skip(reason='x')\nworse = broken\n@worse\ndef test_a(): pass",
        ["skip @pytest.mark.skip > test_a @4"],
    ),
    (
        "import pytest\nbroken = pytest.mark.skipif(True, reason='x')\n@broken\ndef test_a(): pass",
        ["skip @pytest.mark.skipif > test_a @3"],
    ),
    (
        "import pytest, os\nwindows = pytest.mark.skipif(os.name == 'nt', reason='x')\n@windows\ndef test_a(): pass",
        [],
    ),
    (
        "import pytest, os\nif os.name: b = pytest.mark.skip\nelse: b = pytest.mark.slow\n@b\ndef test_a(): pass",
        [],
    ),
    (
        "import pytest\nclass TestA:\n    broken = pytest.mark.skip('x')\n    @broken\n    def test_a(self): pass",
        ["skip @pytest.mark.skip > TestA::test_a @4"],
    ),
    ("from unittest import skip as no\n@no('x')\ndef test_a(): pass", ["skip @unittest.skip > test_a @2"]),
    ("from unittest2 import skip\n@skip('x')\ndef test_a(): pass", ["skip @unittest.skip > test_a @2"]),
    ("from a.compat import unittest\n@unittest.skip('x')\ndef test_a(): pass", ["skip @unittest.skip > test_a @2"]),
    ("from pytest import *\n@mark.skip\ndef test_a(): pass", ["skip @pytest.mark.skip > test_a @2"]),
    ("from unittest import *\n@skip('x')\ndef test_a(): pass", ["skip @unittest.skip > test_a @2"]),
    ("from flaky import flaky\n@flaky(max_runs=3)\ndef test_a(): pass", ["flaky @flaky.flaky > test_a @2"]),
    ("from . import flaky\n@flaky\ndef test_a(): pass", ["flaky @..flaky > test_a @2"]),
    ("from compat import expectedFailure\n@expectedFailure\ndef test_a(): pass",
     ["xfail @compat.expectedFailure > test_a @2"]),
    ("from tenacity import retry\n@retry(stop=3)\ndef test_a(): pass", ["retry @tenacity.retry > test_a @2"]),
    ("import retrying\n@retrying.retry\ndef test_a(): pass", ["retry @retrying.retry > test_a @2"]),
    ("from tenacity import retry\n@retry(stop=3)\ndef connect(): pass", []),
    ("from nose.tools import nottest\n@nottest\ndef test_a(): pass", ["skip @nose.tools.nottest > test_a @2"]),
    ("from nose.tools import nottest\n@nottest\ndef make_test(): pass", []),
    ("import pytest\na0 = pytest.mark.skip\n" + "".join(f"a{n + 1} = a{n}\n" for n in range(20))
     + "@a20\ndef test_a(): 0", ["skip @pytest.mark.skip > test_a @23"]),
    ("import pytest\nskip = pytest.mark.skip\nclass A:\n    skip = skip\n    @skip\n    def test_a(self): pass",
     ["skip @pytest.mark.skip > A::test_a @5"]),
    ("import pytest\na = pytest.mark.skip('x')\n@a.b\ndef test_a(): pass", []),
    ("import pytest\n@getattr(pytest.mark, 'skip')\ndef test_a(): pass", ["skip @pytest.mark.skip > test_a @2"]),
    ("import pytest\n@getattr(pytest.mark, 'skip')('x')\ndef test_a(): pass", ["skip @pytest.mark.skip > test_a @2"]),
    ("import pytest\n@getattr(pytest.mark, skip)\ndef test_a(): pass", []),
    ("import pytest\n@(no := pytest.mark.skip)\ndef test_a(): pass", ["skip @pytest.mark.skip > test_a @2"]),
    ("import pytest\na = b\nb = a\n@a\n# skip\ndef test_a(): pass", []),
    ("import pytest\n@pytest.mark.\N{MATHEMATICAL BOLD SMALL S}kip\ndef test_a(): pass",
     ["skip @pytest.mark.skip > test_a @2"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ALIASES)
def test_aliases_are_followed(text: str, expected: list[str]) -> None:
    assert found(text) == expected


DEFINITIONS = [
    ("broken = pytest.mark.skip(reason='x')", ["skip pytest.mark.skip >  @2"]),
    ("broken = pytest.mark.skip", ["skip pytest.mark.skip >  @2"]),
    ("broken: object = pytest.mark.xfail(reason='x')", ["xfail pytest.mark.xfail >  @2"]),
    ("both = [pytest.mark.skip, pytest.mark.flaky]", ["skip pytest.mark.skip >  @2", "flaky pytest.mark.flaky >  @2"]),
    ("skip = pytest.mark.skip", []),
    ("xfail = pytest.mark.xfail", []),
    ("windows = pytest.mark.skipif(os.name == 'nt', reason='x')", []),
    ("never = pytest.mark.skipif(True, reason='x')", ["skip pytest.mark.skipif >  @2"]),
    ("if os.name:\n    broken = pytest.mark.skip('x')", []),
    ("broken = pytest.mark.skip('x') if os.name else pytest.mark.slow", []),
    ("broken = pytest.mark.skip('x')\nbroken = pytest.mark.slow", []),
    (("slow = pytest.mark.skip('x')\ndef pytest_itemcollected(item):\n    if 'slow' in item.name:\n"
     "        item.add_marker(slow)"), []),
    ("def mark(): return pytest.mark.skip('x')", []),
    ("test_a = pytest.mark.skip('x')(other.test_a)", ["skip pytest.mark.skip > test_a @2"]),
    ("def test_a(): pass\ntest_a = unittest.skip('x')(test_a)", ["skip unittest.skip > test_a @3"]),
    ("test_a = unittest.skipIf(True, 'x')(other.test_a)", ["skip unittest.skipIf > test_a @2"]),
    ("class A(B):\n    test_a = unittest.skip('x')(B.test_a)", ["skip unittest.skip > A::test_a @3"]),
    ("class A(B):\n    broken = unittest.skip('x')", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), DEFINITIONS)
def test_named_marks_that_nothing_reads(text: str, expected: list[str]) -> None:
    assert found(IMPORTS + text) == expected


PYTESTMARKS = [
    ("pytestmark = pytest.mark.skip", ["skip pytestmark = pytest.mark.skip >  @2"]),
    ("pytestmark = [pytest.mark.slow, pytest.mark.skip('x')]", ["skip pytestmark = pytest.mark.skip >  @2"]),
    ("pytestmark = (pytest.mark.flaky,)", ["flaky pytestmark = pytest.mark.flaky >  @2"]),
    ("pytestmark: list = [pytest.mark.skip]", ["skip pytestmark = pytest.mark.skip >  @2"]),
    ("pytestmark = []\npytestmark += [pytest.mark.skip]", ["skip pytestmark = pytest.mark.skip >  @3"]),
    ("pytestmark = []\npytestmark.append(pytest.mark.skip)", ["skip pytestmark = pytest.mark.skip >  @3"]),
    ("pytestmark = [pytest.mark.slow] + [pytest.mark.skip]", ["skip pytestmark = pytest.mark.skip >  @2"]),
    ("marks = [pytest.mark.skip]\npytestmark = [*marks]", ["skip pytestmark = pytest.mark.skip >  @3"]),
    ("marks = [pytest.mark.skip]\npytestmark = marks", ["skip pytestmark = pytest.mark.skip >  @3"]),
    ("pytestmark = unittest.skip('x')", ["skip pytestmark = unittest.skip >  @2"]),
    ("class TestA:\n    pytestmark = pytest.mark.skip", ["skip pytestmark = pytest.mark.skip > TestA @3"]),
    ("class TestA:\n    class TestB:\n        pytestmark = pytest.mark.skip",
     ["skip pytestmark = pytest.mark.skip > TestA::TestB @4"]),
    ("if True:\n    pytestmark = pytest.mark.skip", ["skip pytestmark = pytest.mark.skip >  @3"]),
    ("try:\n    pytestmark = pytest.mark.skip\nfinally: pass", ["skip pytestmark = pytest.mark.skip >  @3"]),
    ("if os.name:\n    raise ValueError\npytestmark = pytest.mark.skip", ["skip pytestmark = pytest.mark.skip >  @4"]),
    ("if os.name:\n    pytestmark = pytest.mark.skip", []),
    ("try:\n    import x\nexcept ImportError:\n    pytestmark = pytest.mark.skip", []),
    ("pytestmark = pytest.mark.skip if os.name else []", []),
    ("pytestmark = pytest.mark.skip if False else []", []),
    ("pytestmark = pytest.mark.skipif(os.name == 'nt', reason='x')", []),
    ("pytestmark = pytest.mark.slow", []),
    ("def test_a():\n    pytestmark = pytest.mark.skip", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PYTESTMARKS)
def test_marks_of_modules_and_classes(text: str, expected: list[str]) -> None:
    assert found(IMPORTS + text) == expected


CASES = [
    ("@pytest.mark.parametrize('x', [1, pytest.param(2, marks=pytest.mark.skip)])\ndef test_a(x): pass",
     ["skip pytest.param(marks=pytest.mark.skip) > test_a @2"]),
    (("@pytest.mark.parametrize('x', [\n    pytest.param(2, marks=[pytest.mark.slow, pytest.mark.xfail(reason='x')]),\n"
     "])\ndef test_a(x): pass"), ["xfail pytest.param(marks=pytest.mark.xfail) > test_a @3"]),
    (("from pytest import param as p\nclass TestA:\n    @pytest.mark.parametrize('x', [p(2, marks=pytest.mark.skip)])\n"
     "    def test_a(self, x): pass"), ["skip pytest.param(marks=pytest.mark.skip) > TestA::test_a @4"]),
    ("CASES = [pytest.param(2, marks=pytest.mark.skip)]\n@pytest.mark.parametrize('x', CASES)\ndef test_a(x): pass",
     ["skip pytest.param(marks=pytest.mark.skip) > test_a @2"]),
    ("CASES = [pytest.param(2, marks=pytest.mark.skip)]", ["skip pytest.param(marks=pytest.mark.skip) >  @2"]),
    (("broken = pytest.mark.skip('x')\n@pytest.mark.parametrize('x', [pytest.param(2, marks=broken)])\n"
     "def test_a(x): pass"), ["skip pytest.param(marks=pytest.mark.skip) > test_a @3"]),
    ("@pytest.fixture(params=[pytest.param(2, marks=pytest.mark.skip)])\ndef one(request): pass",
     ["skip pytest.param(marks=pytest.mark.skip) > one @2"]),
    ("pytestmark = pytest.mark.parametrize('x', [pytest.param(2, marks=pytest.mark.skip)])",
     ["skip pytest.param(marks=pytest.mark.skip) >  @2"]),
    ("@pytest.mark.parametrize('x', [pytest.param(x, marks=pytest.mark.skip) for x in (1, 2)])\ndef test_a(x): pass",
     ["skip pytest.param(marks=pytest.mark.skip) > test_a @2"]),
    ("def pytest_generate_tests(metafunc):\n    metafunc.parametrize('x', [pytest.param(2, marks=pytest.mark.skip)])",
     ["skip pytest.param(marks=pytest.mark.skip) >  @3"]),
    ("def cases():\n    return [pytest.param(2, marks=pytest.mark.skip)]",
     ["skip pytest.param(marks=pytest.mark.skip) >  @3"]),
    (("@pytest.mark.parametrize('x', [pytest.param(x, marks=pytest.mark.skip) for x in (1, 2) if x > os.n])\n"
     "def test_a(x): pass"), []),
    (("@pytest.mark.parametrize('x', [pytest.param(2, marks=pytest.mark.skip if os.name else ())])\n"
     "def test_a(x): pass"), []),
    (("@pytest.mark.parametrize('x', [pytest.param(2, marks=pytest.mark.skipif(os.name, reason='x'))])\n"
     "def test_a(x): pass"), []),
    ("@pytest.mark.parametrize('x', [pytest.param(2, marks=pytest.mark.slow)])\ndef test_a(x): pass", []),
    ("def test_params():\n    assert pytest.param(2, marks=pytest.mark.skip).marks", []),
    ("param = dict\n@pytest.mark.parametrize('x', [param(marks=pytest.mark.skip)])\ndef test_a(x): pass", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_marks_of_cases(text: str, expected: list[str]) -> None:
    assert found(IMPORTS + text) == expected


def test_definitions_under_conditions() -> None:
    text = (
        "import os, pytest\nif os.name:\n    @pytest.mark.skip\n    def test_a(): pass\nelse:\n    def test_a(): pass\n"
        "if os.name:\n    @pytest.mark.skip\n    def test_b(): pass\n"
        "    class TestC:\n        pytestmark = pytest.mark.skip\n"
        "try:\n    import x\nexcept ImportError:\n    @pytest.mark.skip\n    def test_d(): pass\n"
        "    class TestE:\n        pytestmark = pytest.mark.skip\n"
    )
    assert found(text) == ["skip @pytest.mark.skip > test_b @8", "skip pytestmark = pytest.mark.skip > TestC @11"]


CALLS = [
    ("pytest.skip('x')", "skip pytest.skip() > test_a @3"),
    ("pytest.skip()", "skip pytest.skip() > test_a @3"),
    ("return pytest.skip('x')", "skip pytest.skip() > test_a @3"),
    ("raise pytest.skip.Exception('x')", "skip raise pytest.skip.Exception > test_a @3"),
    ("pytest.xfail('x')", "xfail pytest.xfail() > test_a @3"),
    ("self.skipTest('x')", "skip self.skipTest() > test_a @3"),
    ("raise unittest.SkipTest('x')", "skip raise unittest.SkipTest > test_a @3"),
    ("raise unittest.SkipTest", "skip raise unittest.SkipTest > test_a @3"),
    ("import nose; raise nose.SkipTest", "skip raise nose.SkipTest > test_a @3"),
    (
        "from nose.plugins.skip import SkipTest; raise SkipTest('x')",
        "skip raise nose.plugins.skip.SkipTest > test_a @3",
    ),
    ("from pytest import skip; skip('x')", "skip pytest.skip() > test_a @3"),
    ("import pytest as p; p.skip('x')", "skip pytest.skip() > test_a @3"),
    ("skip = pytest.skip; skip('x')", "skip pytest.skip() > test_a @3"),
    ("raise self.skipException('x')", "skip raise self.skipException > test_a @3"),
    ("request.node.add_marker(pytest.mark.skip)", "skip add_marker(pytest.mark.skip) > test_a @3"),
    ("request.applymarker(pytest.mark.xfail(reason='x'))", "xfail add_marker(pytest.mark.xfail) > test_a @3"),
    ("m = pytest.mark.xfail; request.applymarker(m)", "xfail add_marker(pytest.mark.xfail) > test_a @3"),
    ("request.node.add_marker('xfail')", "xfail add_marker(pytest.mark.xfail) > test_a @3"),
    ("with open('x'): pytest.skip('x')", "skip pytest.skip() > test_a @3"),
    ("for x in xs: pytest.skip('x')", "skip pytest.skip() > test_a @3"),
    ("while True: pytest.skip('x')", "skip pytest.skip() > test_a @3"),
    ("if True: pytest.skip('x')", "skip pytest.skip() > test_a @3"),
    ("if not os.name or 1: pytest.skip('x')", "skip pytest.skip() > test_a @3"),
    ("x = True and pytest.skip('x')", "skip pytest.skip() > test_a @3"),
    ("x = pytest.skip('x') and True", "skip pytest.skip() > test_a @3"),
    ("x = [pytest.skip('x') for y in z]", "skip pytest.skip() > test_a @3"),
    ("pytest.skip('x') if 1 else 2", "skip pytest.skip() > test_a @3"),
    ("if pytest.skip('x'): pass", "skip pytest.skip() > test_a @3"),
    ("with pytest.raises(ValueError): pytest.skip('x')", "skip pytest.skip() > test_a @3"),
]
NO_CALLS = [
    "if os.name: pytest.skip('x')",
    "if False: pytest.skip('x')",
    "while os.name: pytest.skip('x')",
    "while 0: pytest.skip('x')",
    "os.name and pytest.skip('x')",
    "os.name or pytest.skip('x')",
    "False and pytest.skip('x')",
    "1 < os.name < pytest.skip('x')",
    "x = pytest.skip('x') if os.name else 1",
    "x = 1 if os.name else pytest.skip('x')",
    "x = lambda: pytest.skip('x')",
    "x = [pytest.skip('x') for y in z if y]",
    "x = (pytest.skip('x') for y in z)",
    "return; pytest.skip('x')",
    "raise ValueError; pytest.skip('x')",
    "assert pytest.skip.Exception",
    "pytest.importorskip('numpy')",
    "pytest.fail('x')",
    "raise ValueError('skip')",
    "x = pytest.skip",
    "request.node.add_marker(pytest.mark.slow)",
    "request.node.add_marker(pytest.mark.xfail(os.name == 'nt'))",
    "request.node.add_marker('slow')",
    "request.node.add_marker()",
    "skip('x')",
    "x = 'pytest.skip()'",
    "pytester.makepyfile('import pytest; pytest.skip()')",
    "with pytest.raises(pytest.skip.Exception): pytest.skip('x')",
    "with self.assertRaises((ValueError, unittest.SkipTest)): self.skipTest('x')",
    "for x in xs: break; pytest.skip('x')",
    "def inner(): pytest.skip('x')",
    "class Inner:\n        @pytest.mark.skip\n        def test_b(self): pytest.skip('x')",
    "@unittest.skip\n    def inner(): pass",
]


@pytest.mark.parametrize(("call", "expected"), CALLS)
def test_calls_that_count(call: str, expected: str) -> None:
    assert found(f"{IMPORTS}def test_a(self, request):\n    {call}\n") == [expected]


@pytest.mark.parametrize("call", NO_CALLS)
def test_calls_that_do_not_count(call: str) -> None:
    assert found(f"{IMPORTS}def test_a(self, request, pytester):\n    {call}\n") == []


def test_a_test_of_pytest_marks_its_own_items() -> None:
    assert found(f"{IMPORTS}def test_a(pytester, item):\n    item.add_marker(pytest.mark.skip)\n") == []
    assert len(found(f"{IMPORTS}def test_a(pytester, item):\n    pytest.skip('x')\n")) == 1


#: bodies of a function, and whether the skip at its end is certain
BODIES = [
    ("x = 1\nSKIP", True),
    ("if a: return\nSKIP", False),
    ("if a: raise ValueError\nSKIP", False),
    ("if a: pass\nSKIP", True),
    ("if False: return\nSKIP", True),
    ("if a:\n    for x in y: return\nSKIP", False),
    ("for x in y:\n    if x: continue\n    SKIP", False),
    ("for x in y:\n    if x: break\nSKIP", True),
    ("for x in y:\n    if x: return\nSKIP", False),
    ("for x in y: pass\nelse: SKIP", True),
    ("for x in y:\n    if x: break\nelse: SKIP", False),
    ("for x in y:\n    if x: return\nelse: SKIP", False),
    ("while x: pass\nelse: SKIP", False),
    ("while False: pass\nelse: SKIP", True),
    ("if a: pass\nelif b: SKIP", False),
    ("if a: pass\nelse: SKIP", False),
    ("if a: pass\nelif True: SKIP", False),
    ("if 0: pass\nelif True: SKIP", True),
    ("try: SKIP\nfinally: f()", True),
    ("try: f()\nfinally: SKIP", True),
    ("try: return f()\nfinally: SKIP", True),
    ("try: SKIP\nexcept ValueError: pass", True),
    ("try: f()\nexcept ValueError: SKIP", False),
    ("try: f()\nexcept ValueError: pass\nelse: SKIP", False),
    ("try: return f()\nexcept ValueError: pass\nSKIP", False),
    ("try: f()\nexcept ValueError: return\nSKIP", False),
    ("try: f()\nexcept ValueError: pass\nSKIP", True),
    ("try:\n    f()\n    SKIP\nexcept ValueError: pass", False),
    ("try:\n    import x\n    SKIP\nexcept ImportError: pass", False),
    ("try:\n    with a:\n        f()\n        SKIP\nexcept ValueError: pass", False),
    ("try:\n    x = 1\n    SKIP\nexcept ValueError: pass", True),
    ("try:\n    f()\n    SKIP\nexcept ValueError: raise", True),
    ("try:\n    f()\n    SKIP\nfinally: g()", True),
    ("try: SKIP\nexcept: pass", False),
    ("try: SKIP\nexcept BaseException: raise", True),
    ("try: SKIP\nexcept pytest.skip.Exception: pass", False),
    ("with contextlib.suppress(BaseException): SKIP", False),
    ("with contextlib.suppress(KeyError): SKIP", True),
    ("with pytest.raises(ValueError): raise ValueError\nSKIP", False),
    ("with pytest.raises(pytest.skip.Exception): raise pytest.skip.Exception('x')\nSKIP", True),
    ("match x:\n    case 1: SKIP", False),
    ("match x:\n    case 1: return\nSKIP", False),
    ("with a:\n    if b: return\nSKIP", False),
    ("def inner(): return\nSKIP", True),
    ("async with a: SKIP", True),
    ("async for a in b: SKIP", True),
]


@pytest.mark.parametrize(("body", "is_certain"), BODIES)
@pytest.mark.parametrize("skip", ["pytest.xfail('x')", "self.skipTest('x')", "raise unittest.SkipTest"])
def test_what_is_certain_to_be_reached(body: str, is_certain: bool, skip: str) -> None:
    lines = body.replace("SKIP", skip).split("\n")
    text = "\n".join(["import pytest, unittest", "async def test_a(self):", *(f"    {line}" for line in lines), ""])
    place = next(number for number, line in enumerate(body.split("\n"), 3) if "SKIP" in line)
    assert [line.rpartition("@")[2] for line in found(text)] == ([str(place)] if is_certain else [])


RUNNING = [
    ("@pytest.fixture\ndef one(): pytest.skip('x')", ["skip pytest.skip() > one @3"]),
    ("@pytest.fixture(autouse=True)\ndef one():\n    yield\n    pytest.skip('x')", ["skip pytest.skip() > one @5"]),
    ("class TestA:\n    @pytest.fixture\n    def one(self): pytest.skip('x')", ["skip pytest.skip() > TestA::one @4"]),
    ("class A(B):\n    def setUp(self): self.skipTest('x')", ["skip self.skipTest() > A @3"]),
    ("class A(B):\n    @classmethod\n    def setUpClass(cls): raise unittest.SkipTest('x')",
     ["skip raise unittest.SkipTest > A @4"]),
    ("class A(B):\n    def runTest(self): self.skipTest('x')", ["skip self.skipTest() > A::runTest @3"]),
    ("def setup_module(): pytest.skip('x')", ["skip pytest.skip() >  @2"]),
    ("def pytest_runtest_setup(item): pytest.skip('x')", ["skip pytest.skip() >  @2"]),
    ("def pytest_collection_modifyitems(items):\n    for item in items:\n        item.add_marker(pytest.mark.skip)",
     ["skip add_marker(pytest.mark.skip) >  @4"]),
    (("def pytest_collection_modifyitems(items):\n    for item in items:\n        if 'x' in item.name:\n"
     "            item.add_marker(pytest.mark.skip)"), []),
    (("def pytest_collection_modifyitems(config, items):\n    if config.getoption('x'): return\n"
     "    mark = pytest.mark.skip('x')\n    for item in items:\n        item.add_marker(mark)"), []),
    ("pytest.skip('x', allow_module_level=True)", ["skip pytest.skip() >  @2"]),
    ("raise unittest.SkipTest('x')", ["skip raise unittest.SkipTest >  @2"]),
    ("if os.name:\n    raise unittest.SkipTest('x')", []),
    ("if os.name:\n    raise ValueError\npytest.skip('x', allow_module_level=True)", ["skip pytest.skip() >  @4"]),
    ("try:\n    import x\nexcept ImportError:\n    pytest.skip('x', allow_module_level=True)", []),
    ("class TestA:\n    pytest.skip('x')", ["skip pytest.skip() >  @3"]),
    ("def helper(): pytest.skip('x')", []),
    ("def helper(): pytest.skip('x')\ndef test_a():\n    helper()", ["skip pytest.skip() in helper() > test_a @4"]),
    ("def helper(): pytest.skip('x')\ndef other(): helper()\nclass TestA:\n    def test_a(self):\n        x = other()",
     ["skip pytest.skip() in other() > TestA::test_a @6"]),
    ("def a(): b()\ndef b():\n    a()\n    pytest.skip('x')\ndef test_a(): a()",
     ["skip pytest.skip() in a() > test_a @6"]),
    ("class A(B):\n    def check(self): self.skipTest('x')\n    def test_a(self): self.check()",
     ["skip self.skipTest() in check() > A::test_a @4"]),
    ("def check(): pytest.skip('x')\nclass A(B):\n    def test_a(self): self.check()", []),
    ("def helper():\n    if os.name: pytest.skip('x')\ndef test_a(): helper()", []),
    ("def helper(): pytest.skip('x')\ndef test_a():\n    if os.name: helper()", []),
    ("def helper(): pytest.skip('x')\ndef test_a(helper): helper()", []),
    ("@decorated\ndef helper(): pytest.skip('x')\ndef test_a(): helper()", []),
    ("if os.name:\n    def helper(): pytest.skip('x')\nelse:\n    def helper(): pass\ndef test_a(): helper()", []),
    ("def helper(): pytest.skip('x')\nhelper()", ["skip pytest.skip() in helper() >  @3"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), RUNNING)
def test_what_runs_and_whom_it_takes_out(text: str, expected: list[str]) -> None:
    assert found(IMPORTS + text) == expected


OPTIONS = [
    ("pytest.main(['-x', '--deselect', 'tests/a.py::b'])", ["tests/a.py::b"]),
    ("pytest.main(['--deselect=tests/a.py::b'])", ["tests/a.py::b"]),
    ("ARGS = ('--deselect', 'a', '--deselect', 'b')", ["a", "b"]),
    ("ARGS = ['--deselect', name]", [""]),
    ("ARGS = ['--deselect']", [""]),
    ("ARGS = [f'--deselect={name}']", [""]),
    ("ARGS = ['--deselect=' + name]", [""]),
    ("ARGS = ['--deselect=%s' % name]", [""]),
    ("args.append('--deselect')\nargs.append(x)", [""]),
    ("args.extend(['--deselect', 'a'])", ["a"]),
    ("args += ['--deselect', 'a']", ["a"]),
    ("OPTIONS = '-x --deselect tests/a.py::b -q --deselect=tests/c.py'", ["tests/a.py::b", "tests/c.py"]),
    ("os.environ['PYTEST_ADDOPTS'] = '--deselect tests/a.py'", ["tests/a.py"]),
    ("run(env={'PYTEST_ADDOPTS': '--deselect tests/a.py'})", ["tests/a.py"]),
    ("@nox.session\ndef tests(session):\n    session.run('pytest', '--deselect', 'a')", ["a"]),
    ("run('python -m pytest -x --deselect tests/a.py::b')", ["tests/a.py::b"]),
    ("print('an error: --deselect tests/a.py::b names no test')", []),
    ("def pytest_configure(config):\n    config.option.deselect = ['a', 'b']", ["a", "b"]),
    ("def pytest_configure(config):\n    config.option.deselect += [x]", [""]),
    ("def pytest_configure(config):\n    config.option.deselect.append('a')", ["a"]),
    ("def pytest_configure(config):\n    if config.x:\n        config.option.deselect = ['a']", []),
    ("@nox.session\ndef tests(session):\n    if session.x:\n        session.run('pytest', '--deselect', 'a')", []),
    ("def test_deselect():\n    run('pytest', '--deselect', 'a')", []),
    ("def run(pytester):\n    pytester.runpytest('--deselect', 'a')", []),
    ("CASES = ['--deselect', 'a']\ndef test_a(): pass", []),
    ("def run(*words):\n    call('pytest', '--deselect', 'a')\ndef test_a(): run()", []),
    ("def pytest_configure(config):\n    config.option.deselect = ['a']\ndef test_a(): pass", ["a"]),
    ("def test_a(testdir):\n    testdir.runpytest('--deselect=a')", []),
    ("parser.addoption('--deselect', 'a', help='x')", []),
    ("parser.add_argument('--deselect', default='a')", []),
    ("x = '--deselect' in sys.argv", []),
    ("x = sys.argv.index('--deselect')", []),
    ("print('use --deselect to leave a test out')", []),
    ('"""--deselect tests/a.py::b"""', []),
    ("x = '--deselected=a'", []),
]


@pytest.mark.parametrize(("text", "tests"), OPTIONS)
def test_deselections(text: str, tests: list[str]) -> None:
    skips = python_skips(f"import os, pytest, sys\n{text}\n".encode())
    assert {skip.kind for skip in skips} <= {"deselect"}
    assert [skip.test for skip in skips] == tests


IGNORES = [
    ("collect_ignore = ['a.py', 'b']", ["a.py", "b"]),
    ("collect_ignore_glob = ['*_old.py']", ["*_old.py"]),
    ("collect_ignore: list = ['a.py']", ["a.py"]),
    ("collect_ignore += ['a.py']", ["a.py"]),
    ("collect_ignore.append('a.py')", ["a.py"]),
    ("collect_ignore.extend(['a.py', 'b.py'])", ["a.py", "b.py"]),
    ("collect_ignore = ['a.py'] + ['b.py']", ["a.py", "b.py"]),
    ("collect_ignore = find()", [""]),
    ("collect_ignore = [name, 'b.py']", ["", "b.py"]),
    ("OLD = ['a.py']\ncollect_ignore = OLD", ["a.py"]),
    ("OLD = ['a.py']\ncollect_ignore = [*OLD, 'b.py']", ["a.py", "b.py"]),
    ("OLD = 'a.py'\ncollect_ignore = [OLD]", ["a.py"]),
    ("collect_ignore = []", []),
    ("collect_ignore = ['a.py'] if sys.x else []", []),
    ("collect_ignore = ['a.py'] if True else []", ["a.py"]),
    ("if sys.x:\n    collect_ignore = ['a.py']", []),
    ("if True:\n    collect_ignore = ['a.py']", ["a.py"]),
    ("try:\n    import x\nexcept ImportError:\n    collect_ignore = ['a.py']", []),
    ("def f():\n    collect_ignore = ['a.py']", []),
    ("class A:\n    collect_ignore = ['a.py']", []),
    ("x = 'collect_ignore'", []),
]


@pytest.mark.parametrize(("text", "paths"), IGNORES)
def test_ignored_paths(text: str, paths: list[str]) -> None:
    skips = python_skips(f"import sys\n{text}\n".encode())
    assert {skip.kind for skip in skips} <= {"ignore"}
    assert [skip.test for skip in skips] == paths


REASONS = [
    ("@pytest.mark.skip('why  not\\n at all')", "why not at all"),
    ("@pytest.mark.skip(reason='why')", "why"),
    ("@pytest.mark.skip(reason='wh' 'y')", "why"),
    ("@pytest.mark.skip(reason=WHY)", "why"),
    ("@pytest.mark.skip(reason=f'{WHY}')", ""),
    ("@pytest.mark.skip", ""),
    ("@pytest.mark.skipif(True, reason='why')", "why"),
    ("@pytest.mark.xfail(raises=ValueError, reason='why')", "why"),
    ("@unittest.skipIf(True, 'why')", "why"),
    ("@unittest.skipUnless(False, reason='why')", "why"),
    ("@pytest.mark.flaky(reruns=3)", ""),
    ("@broken", "why"),
]


@pytest.mark.parametrize(("decorator", "reason"), REASONS)
def test_reasons(decorator: str, reason: str) -> None:
    head = "import pytest, unittest\nWHY = 'why'\nbroken = pytest.mark.skip(WHY)\n"
    (skip,) = (skip for skip in python_skips(f"{head}{decorator}\ndef test_a(): broken\n".encode()))
    assert skip.reason == reason


def test_reasons_of_calls() -> None:
    text = (
        "import pytest, unittest\n"
        "def test_a(): pytest.skip('one')\ndef test_b(): pytest.skip(msg='two')\n"
        "def test_c(self): self.skipTest('three')\ndef test_d(): raise unittest.SkipTest('four')\n"
    )
    assert [skip.reason for skip in python_skips(text.encode())] == ["one", "two", "three", "four"]


PLACES = [
    ("@pytest.mark.skip(\n    reason='x',\n)\ndef test_a(): pass\n", (2, 4, 2)),
    ("def test_a():\n    'é'; pytest.skip(\n'x')\n", (3, 4, 10)),
    ("def test_a():\n    raise unittest.SkipTest('x')\n", (3, 3, 5)),
    ("class A:\r\n    @pytest.mark.skip\r\n    def test_a(): pass\r\n", (3, 3, 6)),
    ("collect_ignore = [\n    'a.py',\n]\n", (3, 3, 5)),
]


@pytest.mark.parametrize(("text", "place"), PLACES)
def test_places(text: str, place: tuple[int, int, int]) -> None:
    (skip,) = python_skips(f"import pytest, unittest\n{text}".encode())
    assert (skip.first, skip.last, skip.column) == place


#: texts that no Python parses end with this line
BROKEN = "def broken(:\n    pass\n"
PATTERNS = [
    ("@pytest.mark.skip\ndef test_a(): pass", ["skip @pytest.mark.skip > test_a @1"]),
    ("class A:\n    @pytest.mark.skip('x')\n    @other\n    def test_a(self): pass",
     ["skip @pytest.mark.skip > A::test_a @2"]),
    ("@unittest.skip('x')\nclass A: pass", ["skip @unittest.skip > A @1"]),
    ("@unittest.expectedFailure\ndef test_a(): pass", ["xfail @unittest.expectedFailure > test_a @1"]),
    ("@pytest.mark.xfail(reason='x')\ndef test_a(): pass", ["xfail @pytest.mark.xfail > test_a @1"]),
    ("@pytest.mark.xfail\ndef test_a(): pass", ["xfail @pytest.mark.xfail > test_a @1"]),
    ("@pytest.mark.xfail(os.name == 'nt')\ndef test_a(): pass", []),
    ("@pytest.mark.flaky(reruns=3)\ndef test_a(): pass", ["flaky @pytest.mark.flaky > test_a @1"]),
    ("@pytest.mark.retry\ndef test_a(): pass", ["retry @pytest.mark.retry > test_a @1"]),
    ("@pytest.mark.quarantined\ndef test_a(): pass", ["quarantine @pytest.mark.quarantined > test_a @1"]),
    ("@pytest.mark.skipif(True, reason='x')\ndef test_a(): pass", ["skip @pytest.mark.skipif > test_a @1"]),
    ("@unittest.skipUnless(False, 'x')\ndef test_a(): pass", ["skip @unittest.skipUnless > test_a @1"]),
    ("@pytest.mark.skipif(os.name == 'nt')\ndef test_a(): pass", []),
    ("@pytest.mark.skipper\ndef test_a(): pass", []),
    ("# @pytest.mark.skip\ndef test_a(): pass", []),
    ("x = '''\n@pytest.mark.skip\ndef test_a(): pass\n'''", []),
    ("def test_a():\n    pytest.skip('x')", ["skip pytest.skip() > test_a @2"]),
    ("def test_a():\n    return pytest.skip('x')", ["skip pytest.skip() > test_a @2"]),
    ("def test_a():\n    pytest.xfail('x')", ["xfail pytest.xfail() > test_a @2"]),
    ("class A:\n    def setUp(self):\n        self.skipTest('x')", ["skip self.skipTest() > A @3"]),
    ("def test_a():\n    raise unittest.SkipTest, 'x'", ["skip raise unittest.SkipTest > test_a @2"]),
    ("def test_a():\n    if x:\n        pytest.skip('x')", []),
    ("def test_a():\n    if True:\n        pytest.skip('x')", ["skip pytest.skip() > test_a @3"]),
    ("def test_a():\n    if x:\n        return\n    pytest.skip('x')", []),
    ("def test_a():\n    if x:\n        return\ndef test_b():\n    pytest.skip()", ["skip pytest.skip() > test_b @5"]),
    ("def test_a():\n    try:\n        f()\n    except E:\n        pytest.skip('x')", []),
    ("def test_a():\n    with x:\n        pytest.skip('x')", ["skip pytest.skip() > test_a @3"]),
    ("def test_a():\n    if x: pytest.skip('x')", []),
    ("def test_a():\n    def test_b():\n        pytest.skip('x')", []),
    ("def test_a():\n    @pytest.mark.skip\n    def inner(): pass", []),
    ("def helper():\n    pytest.skip('x')", []),
    ("@pytest.fixture\ndef one():\n    pytest.skip('x')", ["skip pytest.skip() > one @3"]),
    ("if x:\n    pytest.skip('x')", []),
    ("pytest.skip('x')", ["skip pytest.skip() >  @1"]),
    ("pytestmark = pytest.mark.skip('x')", ["skip pytestmark = pytest.mark.skip >  @1"]),
    ("class A:\n    pytestmark = [pytest.mark.slow, pytest.mark.skip]", ["skip pytestmark = pytest.mark.skip > A @2"]),
    ("def test_a(x,\n           y):\n    f(1,\n  2)\n    pytest.skip('x')", ["skip pytest.skip() > test_a @5"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PATTERNS)
def test_text_that_cannot_be_parsed(text: str, expected: list[str]) -> None:
    assert found(f"{text}\n{BROKEN}") == expected


def test_patterns_and_syntax_agree_on_plain_code() -> None:
    plain = [text for text, expected in PATTERNS if "SkipTest, " not in text]
    for text in plain:
        whole = f"import pytest, unittest, os\n{text}\n"
        assert python_skips(whole.encode()) == python_skips((whole + BROKEN).encode()), text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe pytest.skip()",
        b"# coding: rot13\n@pytest.mark.skip\ndef test_a(): pass\n",
        b"skip\0",
        b"\xef\xbb\xbf@pytest.mark.skip\n",
        b"(" * 5000 + b"skip",
        b"@pytest.mark.skip",
        b"@",
        b"\t@pytest.mark.skip\n  def test(:\n",
        "pytest.mark.skip(reason='\ud800')".encode(errors="surrogatepass"),
    ],
)
def test_odd_bytes_are_no_trouble(data: bytes) -> None:
    python_skips(data)


def test_an_undecodable_byte_hides_no_skip() -> None:
    data = b"# \xff\n@pytest.mark.skip(reason='x')\ndef test_a(): pass\n"
    assert [(skip.test, skip.first, skip.reason) for skip in python_skips(data)] == [("test_a", 2, "x")]


SOURCES = [
    "\n".join(text for text, _ in group)
    for group in (DEFINITIONS, PYTESTMARKS, CASES, RUNNING, OPTIONS, IGNORES, PATTERNS)
] + [path.read_text(encoding="utf-8") for path in (HERE / "test_outline.py", HERE / "world.py", Path(__file__))]


PIECES = ["(", ")", "'", '"""', "\n", "    ", "if x:", "@", ":", "\\", "\r", "é"]


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    python_skips(data)
    python_skips(b"skip\n" + data)


@settings(max_examples=60)
@given(st.data())
def test_no_mutation_of_a_source_raises(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(SOURCES))
    start = data.draw(st.integers(0, len(source)))
    text = source[start : start + data.draw(st.integers(0, 3000))]
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        text = text[:place] + data.draw(st.sampled_from(PIECES)) + text[place + cut :]
    for skip in python_skips(text.encode(errors="replace")):
        assert 1 <= skip.first <= skip.last <= text.count("\n") + text.count("\r") + 1
        assert skip.column >= 1


STABLE = [
    f"{IMPORTS}{text}\n" for group in (ALIASES, DEFINITIONS, PYTESTMARKS, CASES, RUNNING) for text, _ in group
] + [f"{text}\n{BROKEN}" for text, _ in PATTERNS if "'''" not in text]


@settings(max_examples=150)
@given(st.sampled_from(STABLE), st.data())
def test_blank_lines_and_comments_move_only_line_numbers(text: str, data: st.DataObject) -> None:
    lines = text.split("\n")
    added = data.draw(st.lists(st.integers(0, len(lines) - 1), unique=True, max_size=4))
    moved: list[str] = []
    where: dict[int, int] = {}
    for number, line in enumerate(lines):
        if number in added:
            moved += ["", "        # pytest.skip() @pytest.mark.skip"]
        moved.append(line)
        where[number + 1] = len(moved)
    before = python_skips(text.encode())
    after = python_skips("\n".join(moved).encode())
    assert [skip._replace(first=where[skip.first], last=where[skip.last]) for skip in before] == after


def numbered(text: str, number: int) -> str:
    """The text with each number in it, and the one that follows."""
    return "".join(text.format(one, one + 1) for one in range(number))


IMPORT = "import pytest\n"
#: what is repeated, and how often: a megabyte, or as much as Python can parse; every one of them parses or falls back
WORST: dict[str, tuple[Callable[[int], str], int]] = {
    "statements": (lambda n: f"{IMPORT}def test_a():\n" + " pytest.skip()\n" * n, 8_000),
    "decorators": (lambda n: IMPORT + "@pytest.mark.skip\ndef test_a(): pass\n" * n, 3_000),
    "unparsable": (lambda n: IMPORT + "@pytest.mark.skip\ndef test_a(: pass\n" * n, 10_000),
    "one line": (lambda n: "# skip\nx = [" + "'--deselect', " * n + "]", 30_000),
    "conditions": (lambda n: "# skip\nif " + "a and " * n + "b: pass", 60_000),
    "elif": (lambda n: "# skip\ndef test_a():\n if a: pass\n" + " elif b: pass\n" * n, 1_500),
    "helpers": (
        lambda n: numbered("def h{}(): h{}()\n", n) + f"def h{n}(): pytest.skip()\ndef test(): h0()\n",
        4_000,
    ),
    "aliases": (lambda n: f"{IMPORT}a0 = pytest.mark.skip\n" + numbered("a{1} = a{0}\n", n), 3_000),
    "long chain of aliases": (lambda n: f"{IMPORT}a0 = pytest.mark.skip\n" + numbered("a{1} = a{0}\n", n), 30_000),
    "lists of lists": (lambda n: f"{IMPORT}a0 = [pytest.mark.skip]\n" + numbered("a{1} = a{0} + a{0}\n", n), 20_000),
    "a list with many users": (
        lambda n: (
            f"{IMPORT}a = [" + "pytest.mark.skip, " * 2 * n + "]\n" + numbered("class A{}:\n pytestmark = a\n", n)
        ),
        5_000,
    ),
    "a chain of aliases with many users": (
        lambda n: (
            f"{IMPORT}a0 = pytest.mark.skip\n"
            + numbered("a{1} = a{0}\n", n)
            + numbered(f"class A{{}}:\n @a{n}\n def test_a(self): 0\n", n)
        ),
        5_000,
    ),
    "conditions in texts": (lambda n: IMPORT + "@pytest.mark.skipif('x < 1')\ndef test_a(): 0\n" * n, 10_000),
    "doubling": (
        lambda n: f"{IMPORT}a0 = [pytest.mark.skip]\n" + numbered("a{1} = [a{0}, a{0}]\n", n) + f"pytestmark = a{n}\n",
        40,
    ),
    "deep": (lambda n: "# skip\n" + "".join(f"{' ' * i}try:\n" for i in range(n)) + " " * n + "f()\n", 90),
    "quotes": (lambda n: "skip" + "'" * n, 1_000_000),
    "brackets": (lambda n: "skip" + "(" * n, 1_000_000),
    # their blanks grow with the square of their number
    "indents": (lambda n: "skip(\n" + "".join(f"{' ' * i}if x:\n" for i in range(isqrt(n))), 1_000_000),
    "at": (lambda n: "skip" + "@" * n, 1_000_000),
}


@pytest.mark.parametrize("name", WORST)
def test_the_time_is_linear(name: str) -> None:
    made, number = WORST[name]
    assert_linear(lambda number: partial(python_skips, made(number).encode()), number)


def test_what_is_too_much_to_look_at_is_one_skip() -> None:
    text = "import pytest\n" + "pytest.skip()\n" * (MOST_PLACES + 5)
    *skips, rest = python_skips(text.encode())
    assert rest.kind == "skip"
    assert [skip.kind for skip in skips].count("unread") == 1
    assert len(skips) == MOST_PLACES
    assert unread(1, MOST_PLACES + 7) in skips
    assert all(skip.kind == "skip" for skip in python_skips(b"import pytest\n" + b"pytest.skip()\n" * MOST_PLACES))


def test_its_own_tests_are_found_as_they_stand() -> None:
    """This file is full of skips in texts and has none of its own."""
    text = Path(__file__).read_text(encoding="utf-8")
    assert len(re.findall("skip", text)) > 300
    assert python_skips(text.encode()) == []
