"""Which skips of a file stood before: tables of two versions of a file, and of files that were moved."""

from __future__ import annotations

from functools import partial
from textwrap import dedent
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.repo.skip import MOST_PLACES, SkipKind
from flakeledger.repo.skip_matching import AS_LENIENT, Moves, not_standing
from flakeledger.repo.skip_texts import SkipTexts
from growing import assert_linear

TEST = "tests/test_a.py"
SPEC = "tests/a.spec.ts"
ONE = """
    import pytest

    @pytest.mark.skip(reason="slow")
    def test_one():
        assert 1

    def test_two():
        assert 2
"""
CLASS = """
    class TestOrders:
        @pytest.mark.skip
        def test_one(self):
            assert 1

        def test_two(self):
            assert 2
"""
CASES = """
    @pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.skip(reason="two")), 3])
    def test_case(x):
        assert x
"""
MODULE = """
    pytestmark = pytest.mark.skip(reason="all of it")

    def test_one():
        assert 1

    def test_two():
        assert 2
"""
SCRIPT = """
    describe('orders', () => {
      it.skip('adds up', () => {
        expect(total()).toBe(3);
        expect(total()).toBe(4);
      });
      it('is never negative', () => {
        expect(total()).toBe(5);
        expect(total()).toBe(6);
      });
    });
"""


class Case:
    """Two versions of a file, the new one as an edit of the old, and the lines of the skips that are new."""

    def __init__(self, name: str, base: str, *edits: tuple[str, str], expected: tuple[str, ...] = ()) -> None:
        self.name = name
        self.base = self.new = dedent(base)
        for old, new in edits:
            assert old in self.new, (name, old)
            self.new = self.new.replace(old, new, 1)
        self.expected = expected


PYTHON = (
    Case("nothing changes", ONE),
    Case("a skip", ONE, ("def test_two", "@pytest.mark.skip\ndef test_two"), expected=("test_two",)),
    Case("skipif(True)", ONE, ("def test_two", "@pytest.mark.skipif(True)\ndef test_two"), expected=("test_two",)),
    Case("skipif(platform)", ONE, ("def test_two", "@pytest.mark.skipif(\"os.name == 'nt'\")\ndef test_two")),
    Case("a call", ONE, ("assert 2", 'pytest.skip("later")'), expected=("test_two",)),
    Case(
        "the whole module", ONE, ("import pytest\n", "import pytest\npytestmark = pytest.mark.skip\n"), expected=("",)
    ),
    Case(
        "a new test, skipped", ONE, ("assert 2", "assert 2\n@pytest.mark.skip\ndef test_3(): 3"), expected=("test_3",)
    ),
    # what was there
    Case("another reason", ONE, ('"slow"', '"slower than the others"')),
    Case("no reason any more", ONE, ('(reason="slow")', "")),
    Case("a reason on lines of its own", ONE, ('(reason="slow")', '(\n    reason="slow"\n)')),
    Case("the function edited below its mark", ONE, ("assert 1", "assert 1 + 1")),
    Case("moved down", ONE, ("import pytest\n", "import pytest\n\nX = 1\n\n\ndef test_zero():\n    assert X\n")),
    Case("another mark above it", ONE, ("@pytest.mark.skip", "@pytest.mark.slow\n@pytest.mark.skip")),
    Case("another mark below it", ONE, ("def test_one", "@pytest.mark.slow\ndef test_one")),
    Case("skipped by another way", ONE, ('@pytest.mark.skip(reason="slow")\ndef', "@unittest.skip('slow')\ndef")),
    Case("skipped by a call", ONE, ('@pytest.mark.skip(reason="slow")\n', ""), ("assert 1", 'pytest.skip("slow")')),
    Case("skipped twice", ONE, ("assert 1", 'pytest.skip("slow")')),
    Case(
        "indented anew", ONE, ("import pytest\n", "import pytest\nif True:\n    pass\n"), ("    assert 1", "  assert 1")
    ),
    # narrower and stricter
    Case(
        "from module to test",
        MODULE,
        ('pytestmark = pytest.mark.skip(reason="all of it")', ""),
        ("def test_one", "@pytest.mark.skip\ndef test_one"),
    ),
    Case(
        "from class to test",
        CLASS.replace("    class", "    @pytest.mark.skip\n    class"),
        ("@pytest.mark.skip\n", ""),
    ),
    Case(
        "from test to case",
        CASES.replace("@pytest.mark.p", "@pytest.mark.skip\n    @pytest.mark.p"),
        ("@pytest.mark.skip\n", ""),
    ),
    Case(
        "from a class to functions",
        CLASS.replace("    class", "    @pytest.mark.skip\n    class"),
        ("@pytest.mark.skip\nclass TestOrders:\n", ""),
        (
            "    @pytest.mark.skip\n    def test_one(self):\n        assert 1",
            "@skip\ndef test_one():\n    assert 2",
        ),
        ("    def test_two(self):\n        assert 2", "@skip\ndef test_two():\n    assert 3"),
        ("@skip\n", "from unittest import skip\n@skip\n"),
    ),
    Case(
        "into a class",
        ONE,
        (
            '@pytest.mark.skip(reason="slow")\ndef test_one():\n    assert 1\n',
            "class TestA:\n    @pytest.mark.skip\n    def test_one(self):\n        assert 9\n",
        ),
    ),
    Case(
        "into a class, and another one of its name",
        ONE,
        (
            '@pytest.mark.skip(reason="slow")\ndef test_one():\n    assert 1\n',
            "".join(
                f"class {name}:\n    @pytest.mark.skip\n    def test_one(self): assert '{name}'\n"
                for name in ("TestA", "TestB")
            ),
        ),
        expected=("TestB::test_one",),
    ),
    Case("from skip to xfail", ONE, ("mark.skip", "mark.xfail")),
    Case("the module from skip to xfail", MODULE, ("mark.skip", "mark.xfail")),
    Case("from skip to flaky", ONE, ("mark.skip", "mark.flaky")),
    Case("from xfail to flaky", ONE.replace("mark.skip", "mark.xfail"), ("mark.xfail", "mark.flaky")),
    # broader and more lenient
    Case("from test to class", CLASS, ("class", "@pytest.mark.skip\nclass"), expected=("TestOrders",)),
    Case(
        "from conditional to unconditional",
        ONE.replace("skip(", "skipif(os.name == 'nt', "),
        ("os.name == 'nt'", "1 == 1"),
        expected=("test_one",),
    ),
    Case("from case to test", CASES, ("@", "@pytest.mark.skip\n@"), expected=("test_case",)),
    Case("from xfail to skip", ONE.replace("skip", "xfail"), ("xfail", "skip"), expected=("test_one",)),
    Case("from flaky to skip", ONE.replace("skip", "flaky"), ("flaky", "skip"), expected=("test_one",)),
    Case("from flaky to xfail", ONE.replace("skip", "flaky"), ("flaky", "xfail"), expected=("test_one",)),
    Case("from test to module", ONE, ("import pytest", "import pytest\npytestmark = pytest.mark.skip"), expected=("",)),
    # from one to another
    Case(
        "a mark moves to another test",
        ONE,
        ('@pytest.mark.skip(reason="slow")\n', ""),
        ("def test_two", '@pytest.mark.skip(reason="slow")\ndef test_two'),
        expected=("test_two",),
    ),
    Case(
        "the functions change places below it",
        ONE,
        ("one", "three"),
        ("two", "one"),
        ("three", "two"),
        expected=("test_two",),
    ),
    Case(
        "a method's mark moves",
        CLASS,
        ("_one", "_3"),
        ("_two", "_one"),
        ("_3", "_two"),
        expected=("TestOrders::test_two",),
    ),
    Case("the mark of a test that is gone", ONE, ("def test_one():\n    assert 1\n\n", ""), expected=("test_two",)),
    # cases of parametrised tests
    Case("a case's reason", CASES, ('(reason="two")', '(\n    reason="for two"\n)')),
    Case("a case on lines of its own", CASES, ("pytest.param(2, ", "pytest.param(\n        2,\n        ")),
    Case("another case before it", CASES, ("[1, ", "[0, 1, ")),
    Case("another case", CASES, ("3]", "pytest.param(3, marks=pytest.mark.skip)]"), expected=("test_case",)),
    Case("the mark moves to another case", CASES, ("param(2", "param(4"), expected=("test_case",)),
    Case("a case from skip to xfail", CASES, ("marks=pytest.mark.skip", "marks=pytest.mark.xfail")),
    # renaming
    Case("a skipped test gets another name", ONE, ("test_one", "test_uno")),
    Case("another name, and edited", ONE, ("test_one", "test_uno"), ("assert 1", "assert 1 + 1")),
    Case("a skip call's test gets another name", ONE.replace("assert 2", "pytest.skip()"), ("test_two", "test_duo")),
    Case(
        "another name and another place", ONE, ("test_one", "test_uno"), ("import pytest\n", "import pytest\nX = 1\n")
    ),
    Case("its class gets another name", CLASS, ("TestOrders", "TestOrder")),
    Case(
        "a skipped class gets another name",
        CLASS.replace("    class", "    @pytest.mark.skip\n    class"),
        ("Orders", "Order"),
    ),
    Case(
        "a copy under another name",
        ONE,
        ("def test_two", '@pytest.mark.skip(reason="slow")\ndef test_uno():\n    assert 1\n\ndef test_two'),
        expected=("test_uno",),
    ),
    Case(
        "one gone skip is no two",
        ONE,
        (
            "def test_one():\n    assert 1\n",
            'def test_uno():\n    assert 1\n\n@pytest.mark.skip(reason="slow")\ndef test_dos():\n    assert 1\n',
        ),
        expected=("test_dos",),
    ),
)
FOREIGN = (
    Case("nothing changes", SCRIPT),
    Case("a skip", SCRIPT, ("it('is", "it.skip('is"), expected=("is never negative",)),
    Case("indented anew", SCRIPT, ("  it.skip", "    it.skip")),
    Case("another title", SCRIPT, ("adds up", "adds up well")),
    Case("another place", SCRIPT, ("describe", "const x = 1;\ndescribe")),
    Case(
        "a skip moves",
        SCRIPT,
        ("it.skip('adds", "it('adds"),
        ("it('is", "it.skip('is"),
        expected=("is never negative",),
    ),
)


def brought(path: str, case: Case) -> tuple[str, ...]:
    new, base = (SkipTexts(path, text.encode()) for text in (case.new, case.base))
    return tuple(skip.test for skip in not_standing(new, base))


@pytest.mark.parametrize("case", PYTHON, ids=lambda case: case.name)
def test_what_a_python_module_held_before(case: Case) -> None:
    assert brought(TEST, case) == case.expected


@pytest.mark.parametrize("case", FOREIGN, ids=lambda case: case.name)
def test_what_a_file_in_another_language_held_before(case: Case) -> None:
    assert brought(SPEC, case) == case.expected


def test_an_option_is_known_wherever_it_stands() -> None:
    base = SkipTexts("tox.ini", b"[pytest]\naddopts = --deselect tests/a.py::b --deselect tests/c.py::d\n")
    new = SkipTexts("tox.ini", b"[pytest]\naddopts =\n    --deselect tests/c.py::d\n    --deselect tests/e.py::f\n")
    assert [skip.test for skip in not_standing(new, base)] == ["tests/e.py::f"]


def test_a_hook_is_known_by_its_line() -> None:
    hook = "def pytest_runtest_setup(item):\n    pytest.skip({!r})\n"
    base = SkipTexts("tests/conftest.py", hook.format("slow").encode())
    same = SkipTexts("tests/conftest.py", hook.format("slower").encode())
    more = SkipTexts("tests/conftest.py", (hook.format("slow") + "    pytest.skip()\n").encode())
    assert not_standing(same, base) == []
    assert [skip.first for skip in not_standing(more, base)] == [3]


def test_every_kind_stands_for_itself() -> None:
    assert AS_LENIENT.keys() == set(get_args(SkipKind))
    assert all(kinds[0] == kind for kind, kinds in AS_LENIENT.items())


# moves


def moved(new: str, *files: tuple[str, str, str], path: str = "tests/test_new.py", base: str = "") -> list[str]:
    """The tests whose skips come from nowhere, given other files before and after."""
    texts, before = SkipTexts(path, dedent(new).encode()), SkipTexts(path, dedent(base).encode())
    pairs = [(SkipTexts(name, dedent(old).encode()), SkipTexts(name, dedent(now).encode())) for name, old, now in files]
    moves = Moves(pairs)
    return [skip.test for skip in not_standing(texts, before) if not moves.explain(texts, before, skip)]


LIVE = ONE.replace('    @pytest.mark.skip(reason="slow")\n', "")
REST = """
    def test_two():
        assert 2
"""


@pytest.mark.parametrize(
    ("new", "files", "expected"),
    [
        (ONE, [(TEST, ONE, "")], []),
        (ONE.replace("assert 1", "assert 1 + 1"), [(TEST, ONE, "")], []),
        (ONE.replace('"slow"', '"slower"'), [(TEST, ONE, "")], []),
        (ONE.replace("test_one", "test_uno"), [(TEST, ONE, "")], ["test_uno"]),
        (ONE, [(TEST, ONE, ONE)], ["test_one"]),
        (ONE, [(TEST, LIVE, "")], ["test_one"]),
        (ONE, [], ["test_one"]),
        (ONE, [(TEST, ONE, REST)], []),
        (ONE.replace("assert 1", "assert 0"), [(TEST, ONE, REST)], ["test_one"]),
        (MODULE, [(TEST, MODULE, "")], []),
        (MODULE, [(TEST, MODULE.replace("test_", "test_of_").replace("assert", "assert not"), "")], [""]),
        (CLASS, [(TEST, CLASS, "")], []),
        # formatted, indented, in a class
        (
            ONE.replace('(reason="slow")', "").replace("assert 1", "assert pay(1, 'x')"),
            [(TEST, ONE.replace("assert 1", 'assert pay(\n            1,\n            "x",\n        )'), REST)],
            [],
        ),
        (
            "class TestA:\n    @pytest.mark.skip\n    def test_one(\n        self,\n    ) -> None:\n        assert 1\n",
            [(TEST, ONE, REST)],
            [],
        ),
        # a part of a module or class that was taken out as a whole; nothing else may come with it
        (MODULE.replace("test_two", "check_two"), [(TEST, MODULE, MODULE.replace("test_one", "test_0"))], []),
        (MODULE, [(TEST, MODULE, MODULE.replace("test_one", "test_0"))], [""]),
        (MODULE.replace("assert 1", "assert 0"), [(TEST, MODULE, MODULE.replace("test_", "test_0"))], [""]),
        (MODULE.replace("mark.skip(", "mark.xfail("), [(TEST, MODULE, MODULE.replace("test_", "test_0"))], []),
        (
            MODULE,
            [(TEST, MODULE.replace("mark.skip(", "mark.xfail("), MODULE.replace("test_", "test_0"))],
            [""],
        ),
        (ONE.replace("    def test_one", "    @pytest.mark.x\n    def test_one"), [(TEST, ONE, "")], []),
        # a running test must not take the mark of another one that is deleted
        (
            ONE.replace("assert 1", "pay()"),
            [(TEST, ONE, ""), ("tests/b.py", LIVE.replace("assert 1", "pay()"), "")],
            ["test_one"],
        ),
    ],
)
def test_a_skip_may_come_from_a_file_that_it_left(
    new: str, files: list[tuple[str, str, str]], expected: list[str]
) -> None:
    assert moved(new, *files) == expected


def test_a_test_that_ran_here_takes_no_mark_from_elsewhere() -> None:
    assert moved(ONE, (TEST, ONE, ""), base=LIVE) == ["test_one"]


def test_a_file_that_ran_is_not_skipped_as_a_whole_because_another_one_is_gone() -> None:
    live = MODULE.replace("    pytestmark =", "    none =")
    assert moved(MODULE, (TEST, MODULE, ""), base=live) == [""]


def test_one_skip_that_left_explains_one() -> None:
    other = ("tests/test_other.py", ONE, "")
    texts = SkipTexts("tests/test_new.py", dedent(ONE).encode())
    more = SkipTexts("tests/test_more.py", dedent(ONE).encode())
    nothing = SkipTexts("", b"")
    for files, expected in (([other], [True, False]), ([other, (TEST, ONE, "")], [True, True])):
        moves = Moves((SkipTexts(name, dedent(old).encode()), SkipTexts(name, b"")) for name, old, _ in files)
        assert [moves.explain(one, nothing, one.skips[0]) for one in (texts, more)] == expected


def test_what_nobody_looked_at_stands_while_it_says_no_new_word() -> None:
    many = "skip\n" * MOST_PLACES + "x\nskip\n"
    base, same, more = (
        SkipTexts("a_spec.rb", text.encode()) for text in (many, many.replace("x", "y"), f"{many}skip\n")
    )
    assert base.skips[-1].kind == "unread"
    assert not_standing(same, base) == []
    assert [skip.kind for skip in not_standing(more, base)] == ["unread"]
    assert not_standing(base, more) == []


def test_many_skips_of_one_long_line_are_compared_by_what_is_near() -> None:
    def compared(number: int) -> tuple[list[str], list[bool]]:
        """The tests of the skips that came, and whether another file explains them."""
        line = "".join(f"it('a{one}')->skip();" for one in range(number))
        base, new = (SkipTexts("ATest.php", f"<?php {text}".encode()) for text in (line, line + "it('b')->skip();"))
        moves = Moves([(base, SkipTexts("ATest.php", b""))])
        explained = [moves.explain(new, SkipTexts("", b""), skip) for skip in new.skips if skip.test == "b"]
        return [skip.test for skip in not_standing(new, base)], explained

    assert assert_linear(lambda number: partial(compared, number), MOST_PLACES // 2) == (["b"], [False])


def test_a_deselection_may_move_to_another_file() -> None:
    line = "[pytest]\naddopts = --deselect tests/a.py::b\n"
    assert moved(line, ("tox.ini", line, "[tox]\n"), path="pytest.ini") == []
    assert moved(line, ("tox.ini", line, "[tox]\n"), path="pytest.ini", base="[pytest]\n") == []
    assert moved(line, ("tox.ini", line, line), path="pytest.ini") == ["tests/a.py::b"]


MARKS = st.sampled_from(["", "@pytest.mark.skip\n", "@pytest.mark.xfail\n", '@pytest.mark.skip(reason="why")\n'])


@given(st.lists(MARKS, max_size=6), st.lists(MARKS, max_size=6))
def test_a_test_that_ran_before_is_found_exactly_when_it_does_not_run_now(old: list[str], new: list[str]) -> None:
    """Tests are named by number; those of the longer list are new or gone."""
    texts = [
        SkipTexts(TEST, "".join(f"{mark}def test_{n}():\n    {n}\n\n" for n, mark in enumerate(marks)).encode())
        for marks in (old, new)
    ]
    found = {skip.test for skip in not_standing(texts[1], texts[0])}
    for number, (before, after) in enumerate(zip(old, new, strict=False)):
        worse = (after != "" and before == "") or ("skip" in after and "xfail" in before)
        assert (f"test_{number}" in found) == worse
    assert not_standing(texts[1], texts[1]) == []
