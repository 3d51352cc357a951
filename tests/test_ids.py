"""Test ids: how one is written, and whether a module has the test."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.repo import ids
from flakeledger.repo.modules import module_facts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tests/test_a.py::test_b", ("tests/test_a.py", ("test_b",), None)),
        ("a.py::A::B::test_b", ("a.py", ("A", "B", "test_b"), None)),
        ("a.py::test_b[1-2]", ("a.py", ("test_b",), "1-2")),
        ("a.py::A::test_b[x::y]", ("a.py", ("A", "test_b"), "x::y")),
        ("a.py::test_b[a b [c] ]]", ("a.py", ("test_b",), "a b [c] ]")),
        ("a.py::test_b[[]", ("a.py", ("test_b",), "[")),
        ("a.py::test_b[]", ("a.py", ("test_b",), "")),
        ("a[1]/test_a.py::test_b", ("a[1]/test_a.py", ("test_b",), None)),
        ("a.spec.ts::adds [1] :: twice", ("a.spec.ts", ("adds [1] :: twice",), None)),
        ("src/lib.rs::tests::test_b", ("src/lib.rs", ("tests::test_b",), None)),
    ],
)
def test_split(text: str, expected: tuple[str, tuple[str, ...], str | None]) -> None:
    assert tuple(ids.split_test_id(text)) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tests/test_a.py", "a file or a folder"),
        ("", "a file or a folder"),
        ("tests/", "a file or a folder"),
        ("::test_a", "begins with the path"),
        ("a.py::test_b[1", "in brackets at its end"),
        ("a.py::test_b[1]x", "in brackets at its end"),
        ("a.py::test_b1]", "without an opening one"),
        ("a.py::", "is empty"),
        ("a.py::A::", "is empty"),
        ("a.py::::test_b", "is empty"),
        ("a.py::[1]", "is empty"),
        ("a.ts:: ", "is empty"),
    ],
)
def test_what_is_no_test_id(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ids.split_test_id(text)


@given(st.lists(st.from_regex(r"[A-Za-z_]\w*", fullmatch=True), min_size=1), st.none() | st.text())
def test_a_written_id_splits_into_what_it_was_made_of(parts: list[str], parameters: str | None) -> None:
    brackets = "" if parameters is None else f"[{parameters}]"
    found = ids.split_test_id("tests/a.py::" + "::".join(parts) + brackets)
    assert found == ids.TestId("tests/a.py", tuple(parts), parameters)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("adds", b'it("adds", () => {})', True),
        ("adds two", b"it('adds two')", True),
        ("add", b'it("adds")', False),
        ("dds", b'it("adds")', False),
        ("adds", b"adds_more", False),
        ("suite::adds", b"fn adds() {}", True),
        ("adds (a+)+", b'it("adds (a+)+")', True),
        ("adds (a+)+", b'it("adds aaa")', False),
        ("é", "it('é')".encode(), True),
        ("a", "éa".encode(), False),
        ("adds", b"\xff adds \xff", True),
        ("\udcff", b"\xff", False),
        ("adds", b"", False),
    ],
)
def test_word_in(name: str, data: bytes, expected: bool) -> None:
    assert ids.word_in(name, data) is expected


MODULE = """\
import unittest, pytest
from machines import Machine, Shared, test_imported
from common import CommonTests
def helper(): ...
def test_plain(): ...
@pytest.mark.parametrize("a", [1])
def test_many(a): ...
class TestA:
    def test_in(self): ...
class TestB(CommonTests):
    def test_own(self): ...
class TestC(unittest.TestCase):
    def test_case(self): ...
TestMachine = Machine.TestCase
test_assigned = make()
LIMIT = 3
"""


@pytest.mark.parametrize(
    ("test", "state"),
    [
        ("test_plain", "found"),
        ("test_plain[x]", "found"),  # a fixture may have parameters
        ("test_many[1]", "found"),
        ("test_many", "several"),
        ("TestA::test_in", "found"),
        ("TestA", "several"),
        ("TestA::test_plain", "absent"),
        ("TestA::mentioned", "absent"),
        ("TestA::test_mentioned", "absent"),
        ("test_in", "absent"),
        ("helper", "absent"),
        ("TestB::test_own", "found"),
        ("TestB::test_mentioned", "found"),
        ("TestB::test_nowhere", "absent"),
        ("TestB::mentioned", "absent"),
        ("TestB::runTest", "found"),
        ("TestB::Inner::test_mentioned", "found"),
        ("TestC::test_case", "found"),
        ("TestC::test_mentioned", "absent"),  # unittest.TestCase brings no tests
        ("TestMachine::runTest", "found"),
        ("TestMachine", "several"),
        ("Shared::test_mentioned", "found"),
        ("test_imported", "found"),
        ("test_assigned", "found"),
        ("LIMIT", "several"),
        ("Nowhere::test_mentioned", "absent"),
        ("test_mentioned", "absent"),
        ("runTest", "absent"),
        ("test_*", "absent"),
    ],
)
def test_find(test: str, state: str) -> None:
    facts = module_facts(MODULE.encode())
    found = ids.find_test(ids.split_test_id(f"a.py::{test}"), facts, {"test_mentioned", "mentioned"}.__contains__)
    assert found.state == state
    assert bool(found.reason) is bool(found.fix) is (state != "found")


@pytest.mark.parametrize(
    ("test", "state"),
    [
        ("test_mentioned", "found"),
        ("TestX::test_mentioned", "found"),
        ("test_no", "absent"),
        ("TestY::test_mentioned", "absent"),
    ],
)
def test_a_star_import_may_bring_a_test(test: str, state: str) -> None:
    facts = module_facts(b"from common import *\n")
    found = ids.find_test(ids.split_test_id(f"a.py::{test}"), facts, {"test_mentioned", "TestX"}.__contains__)
    assert found.state == state


@pytest.mark.parametrize(
    ("test", "fix"),
    [
        ("test_plian", "did you mean a.py::test_plain?"),
        ("test_in", "did you mean a.py::TestA::test_in?"),
        ("test_many", "add the bracketed id that pytest prints: a.py::test_many[…]"),
        ("TestA", "name one test: a.py::TestA::test_in"),
        ("zzz", "name a test of a.py, or take the id out"),
    ],
)
def test_the_fix_names_the_nearest_test(test: str, fix: str) -> None:
    found = ids.find_test(ids.split_test_id(f"a.py::{test}"), module_facts(MODULE.encode()), lambda _: False)
    assert found.fix == fix


def test_a_broken_module_is_neither_found_nor_absent() -> None:
    found = ids.find_test(ids.split_test_id("a.py::test_a"), module_facts(b"def test_a(:\n"), lambda _: True)
    assert found.state == "unreadable"
    assert found.reason.startswith("a.py: line 1 is no Python")


@pytest.mark.parametrize(
    ("data", "renamed"),
    [
        (b"def test_a(): test_a()", b"def test_b(): test_b()"),
        (b"def test_ab(): xtest_a", b"def test_ab(): xtest_a"),
        ("# é test_a\n".encode("latin-1"), "# é test_b\n".encode("latin-1")),
        ("étest_a".encode(), "étest_a".encode()),
        (b"\r\ntest_a\0", b"\r\ntest_b\0"),
    ],
)
def test_whole_words_are_replaced(data: bytes, renamed: bytes) -> None:
    assert ids.with_word(data, "test_a", "test_b") == renamed


def test_a_word_is_no_pattern_and_its_replacement_no_template() -> None:
    assert ids.with_word(b"a.b acb", "a.b", r"\1\g<0>") == rb"\1\g<0> acb"
