"""One version of a file of test code: the texts by which a skip is known again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.repo.skip_texts import SkipTexts, is_case

MODULE = b"""\
import pytest

pytestmark = pytest.mark.skip(reason="all")


@pytest.mark.skip(
    reason="slow on  Tuesdays",
)
@pytest.mark.parametrize("x", [1, pytest.param(2, marks=[pytest.mark.xfail(reason="two")], id="b")])
def test_one(x):

    assert test_one  # test_one_more


@pytest.mark.skip
class TestOrders(
    Base
):
    def test_two(self):
        pytest.skip("later")
"""
TEXTS = SkipTexts("tests/test_a.py", MODULE)
WHOLE, ONE, CASE, CLASS, CALL = TEXTS.skips


def test_a_skip_has_the_text_of_its_own_lines_without_the_reason() -> None:
    assert TEXTS.own_text(WHOLE) == 'pytestmark = pytest.mark.skip(reason="")'
    assert TEXTS.own_text(ONE) == '@pytest.mark.skip( reason="", )'
    assert TEXTS.own_text(CALL) == 'pytest.skip("")'


def test_a_test_has_the_text_of_its_function_but_for_its_name() -> None:
    assert TEXTS.nameless_text(ONE).splitlines()[-2:] == ["def \0(x):", "assert \0  # test_one_more"]
    assert TEXTS.nameless_text(CLASS).splitlines() == ["@pytest.mark.skip", "class \0(", "Base"]
    assert TEXTS.nameless_text(CALL).splitlines() == ["def \0(self):", 'pytest.skip("later")']
    assert TEXTS.nameless_text(WHOLE) == ""


def test_a_case_has_the_text_of_its_values() -> None:
    assert [is_case(skip) for skip in TEXTS.skips] == [False, False, True, False, False]
    assert TEXTS.case_text(CASE) == "pytest.param(2"


def test_a_module_is_taken_out_as_a_whole() -> None:
    assert [TEXTS.is_whole(skip) for skip in TEXTS.skips] == [True, False, False, False, False]
    hook = SkipTexts("tests/conftest.py", b"import pytest\ndef pytest_runtest_setup():\n    pytest.skip()\n")
    assert [hook.is_whole(skip) for skip in hook.skips] == [False]


def test_a_skip_stands_between_its_neighbours() -> None:
    assert list(TEXTS.places(CALL)) == [
        ('pytest.skip("")', "above", "def test_two(self):"),
        ('pytest.skip("")', "below"),
    ]
    assert next(iter(TEXTS.places(CLASS))) == ("@pytest.mark.skip", "above", "assert test_one  # test_one_more")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("test_one", True),
        ("test_one[2]", True),
        ("TestOrders", True),
        ("TestOrders::test_two", True),
        ("test_two", False),
        ("test_one_more", False),
        ("x", False),
    ],
)
def test_a_module_has_what_it_defines(name: str, expected: bool) -> None:
    assert TEXTS.has(name) is expected


@pytest.mark.parametrize(
    ("name", "expected"), [("adds up", True), ("adds", True), ("adds up w", False), ("refund", True), ("fund", False)]
)
def test_any_other_file_has_what_it_names(name: str, expected: bool) -> None:
    assert SkipTexts("a.spec.ts", b"it('adds up', () => { refund(`x`) })").has(name) is expected


def test_a_moved_file_has_half_of_its_lines_from_there() -> None:
    old = SkipTexts("a.py", b"a\nb\n\n\nc\n")
    assert SkipTexts("b.py", b"a\n  b\nx\ny\n").is_moved_from(old)
    assert not SkipTexts("b.py", b"a\n\n\nx\ny\n").is_moved_from(old)
    assert not SkipTexts("b.py", b"a\na\na\nx\n").is_moved_from(old)


def test_a_module_that_cannot_be_parsed_has_its_words() -> None:
    texts = SkipTexts("tests/test_a.py", b"def test_one(:\n")
    assert texts.has("TestOrders::test_one")
    assert not texts.has("test_two")


@given(st.binary(max_size=80) | st.text("@pytest.markskipxfail()def :\n\t#'\"", max_size=80).map(str.encode))
def test_no_bytes_raise(data: bytes) -> None:
    for path in ("test_a.py", "conftest.py", "a.spec.ts", "tox.ini"):
        texts = SkipTexts(path, data)
        for skip in texts.skips:
            texts.own_text(skip), texts.nameless_text(skip), texts.case_text(skip), list(texts.places(skip))
            assert texts.is_moved_from(texts)
