"""Whether an edit can bring a skip, told from lines: a table, and that it never misses what parsing finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.repo import skip_marks
from flakeledger.repo.skip_candidates import may_bring_skips, words_of
from flakeledger.repo.skip_matching import not_standing
from flakeledger.repo.skip_patterns import CANDIDATE_WORDS
from flakeledger.repo.skip_texts import SkipTexts
from growing import assert_linear

PATH = "tests/test_a.py"
BASE = """\
import sys

import pytest

LINUX = sys.platform == "linux"


@pytest.mark.skip(reason="slow")
@pytest.mark.parametrize(
    "x",
    [1, 2],
)
def test_one(x):
    assert x


class TestOrders:
    def test_two(self):
        assert 2

    def test_three(self):
        if not LINUX:
            pytest.skip("not here")
        assert 3


def test_four():
    assert 4
"""
TABLE = [
    ("nothing", [], False),
    ("an edit elsewhere", [("assert 4", "assert 4 + 1")], False),
    ("an edit of its function", [("assert x", "assert x + 1")], False),
    ("edits around it", [("import sys\n", "import os\n"), ("assert 4", "assert 5")], False),
    ("a function before it", [("LINUX =", "def test_0():\n    assert 0\n\n\nLINUX =")], False),
    (
        "a method beside it",
        [("        assert 2\n", "        assert 2\n\n    def test_5(self):\n        assert 5\n")],
        False,
    ),
    ("lines below it", [("assert 3", "assert 3\n        assert 4")], False),
    ("indented by one more", [('            pytest.skip("not here")', '             pytest.skip("not here")')], False),
    ("line ends", [("\n", "\r\n")], False),
    ("a mark", [("def test_four", "@pytest.mark.skip\ndef test_four")], True),
    ("a mark with arguments", [("def test_four", "@pytest.mark.xfail(\n    strict=True,\n)\ndef test_four")], True),
    ("a call", [("assert 4", "pytest.skip()")], True),
    ("another reason", [('"slow"', '"slower"')], True),
    ("taken out", [('@pytest.mark.skip(reason="slow")\n', "")], False),
    ("its function's name", [("def test_one", "def test_uno")], True),
    ("its condition", [("if not LINUX", "if True")], True),
    ("a constant that may be its condition", [('LINUX = sys.platform == "linux"', "LINUX = True")], True),
    ("another value that may be its condition", [('"linux"', '"win32"')], False),
    ("a word that means nothing here", [("assert 4", 'assert "skip"')], True),
    ("its method's name", [("test_three", "test_tres")], True),
    ("its class's name", [("TestOrders", "TestOrder")], True),
]


@pytest.mark.parametrize(("edits", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_a_line_is_brought_with_what_stands_around_it(edits: list[tuple[str, str]], expected: bool) -> None:
    new = BASE
    for old, text in edits:
        assert old in new
        new = new.replace(old, text)
    assert may_bring_skips(PATH, BASE.encode(), new.encode()) is expected


@pytest.mark.parametrize(
    ("given", "old", "new"),
    [
        ("broken = pytest.mark.skip('later')\n", "def test_b", "@broken\ndef test_b"),
        ("broken: Mark = unittest.skip('later')\n", "def test_b", "@broken\ndef test_b"),
        ("def leave():\n    pytest.skip()\n", "    assert 2", "    leave()"),
        ("broken = pytest.mark.skip('later')\nworse = broken\n", "def test_b", "@worse\ndef test_b"),
        ("class Base:\n    def leave(self):\n        self.skipTest('')\n", "    assert 2", "    self.leave()"),
    ],
)
def test_a_name_that_stands_for_a_skip_is_a_word_too(given: str, old: str, new: str) -> None:
    base = f"{given}\n\ndef test_a():\n    assert 1\n\n\ndef test_b():\n    assert 2\n"
    assert may_bring_skips(PATH, base.encode(), base.replace(old, new).encode())
    assert not may_bring_skips(PATH, base.encode(), base.replace("assert 1", "assert 3").encode())


@pytest.mark.parametrize(
    "name",
    [
        *skip_marks._MARKS,
        *sorted(skip_marks._TEST_DECORATORS),
        *sorted(skip_marks._CALLS),
        *sorted(skip_marks._RAISED),
        *sorted(skip_marks._RAISED_ANYWHERE),
        *("self.skipTest", "--deselect", "config.option.deselect", "collect_ignore", "collect_ignore_glob"),
    ],
)
def test_every_skip_of_python_is_written_with_a_word(name: str) -> None:
    assert words_of("tests/test_a.py").are_in(f"    x = {name}\n".encode())


@given(st.from_regex(CANDIDATE_WORDS, fullmatch=True))
def test_every_word_of_other_languages_holds_a_stem(word: bytes) -> None:
    assert words_of("tests/a.spec.ts").are_in(b"\n  " + word + b" (\n")


def test_a_mark_that_moves_is_brought_although_no_line_is_new() -> None:
    one, two = "@pytest.mark.skip\ndef test_one():\n    assert 1\n", "def test_two():\n    assert 2\n"
    swapped = "@pytest.mark.skip\ndef test_two():\n    assert 2\n", "def test_one():\n    assert 1\n"
    assert may_bring_skips(PATH, "\n\n".join((one, two)).encode(), "\n\n".join(swapped).encode())
    assert may_bring_skips(PATH, "\n\n".join((one, two)).encode(), "\n\n".join(reversed(swapped)).encode())
    assert not may_bring_skips(PATH, "\n\n".join((one, two)).encode(), "\n\n".join((two, one)).encode())


#: a statement on several lines, and what an edit writes in the place of `WINDOWS`
CONDITIONS = [
    (PATH, "pytestmark = pytest.mark.skipif(\n    {},\n    reason='x',\n)\n", "True"),
    (PATH, "pytestmark = [\n    pytest.mark.skipif(\n        {},\n        reason='x',\n    ),\n]\n", "True"),
    (PATH, "@pytest.mark.skipif(\n    # why\n    {},\n    reason='x',\n)\ndef test_one(): pass\n", "True"),
    (PATH, "@pytest.mark.skipif(\n\n    LINUX or\n    {})\ndef test_one(): pass\n", "True"),
    (PATH, "def test_one():\n    pytest.skip(\n        'x'\n    ) if {} else None\n", "True"),
    (PATH, "def test_one():\n    if (\n        LINUX\n        or {}\n    ):\n        pytest.skip('x')\n", "True"),
    (PATH, "def test_one():\n    if \\\n       {}:\n        pytest.skip('x')\n", "True"),
    (PATH, "slow = pytest.mark.skipif(\n    {},\n    reason='x',\n)\n\n\n@slow\ndef test_one(): pass\n", "True"),
    ("a.test.js", "test('a', () => {{\n  test.skip(\n    {},\n    'slow',\n  );\n}});\n", "true"),
    ("a.test.js", "test.skip(\n{}\n);\n", ""),
    ("a.test.js", "test\n.skip\n({});\n", ""),
    ("a.test.js", "it('a', {{ skip:\n    {} }}, f);\n", "true"),
    ("a_test.go", "func TestA(t *testing.T) {{\n\tif LINUX ||\n\t\t{} {{\n\t\tt.Skip()\n\t}}\n}}\n", "true"),
]


@pytest.mark.parametrize(("path", "text", "condition"), CONDITIONS)
def test_a_condition_on_a_line_of_its_own_brings_the_skip(path: str, text: str, condition: str) -> None:
    base, new = text.format("WINDOWS"), text.format(condition)
    assert may_bring_skips(path, base.encode(), new.encode())
    # an edit above and one below hide it among lines that stay
    assert may_bring_skips(path, f"import a\n{base}a = 2\n".encode(), f"import b\n{new}a = 3\n".encode())


@pytest.mark.parametrize(
    "text", ["foo(\n    {},\n)\n", "def test_two():\n    foo(\n        {},\n    )\n    assert 2\n"]
)
def test_a_statement_beside_a_skip_brings_none(text: str) -> None:
    skips = (
        "@pytest.mark.skip\ndef test_one():\n    pytest.skip(1)\n\n\n",
        "\n\n@pytest.mark.skip\ndef test_three(): 1\n",
    )
    around = text.join(skips)
    assert not may_bring_skips(PATH, around.format("WINDOWS").encode(), around.format("True").encode())


def test_a_new_file_is_looked_through_as_a_whole() -> None:
    assert may_bring_skips(PATH, b"", b"@pytest.mark.skip\n")
    assert not may_bring_skips(PATH, b"", b"def test_one(): pass\n")
    assert not may_bring_skips(PATH, b"@pytest.mark.skip\n", b"")


@pytest.mark.parametrize("name", ["\N{MATHEMATICAL BOLD SMALL S}kip", "\N{FULLWIDTH LATIN SMALL LETTER S}kip"])
def test_a_word_counts_in_whatever_letters_python_reads_it(name: str) -> None:
    base = "import pytest\n# \N{CJK UNIFIED IDEOGRAPH-65E5}\ndef test_one(): pass\n"
    assert may_bring_skips(PATH, base.encode(), base.replace("def", f"@pytest.mark.{name}\ndef").encode())
    assert may_bring_skips(PATH, b"", f"@pytest.mark.{name}\n".encode())
    assert not may_bring_skips(PATH, base.encode(), base.replace("pass", "0").encode())


@pytest.mark.parametrize(
    "unit",
    [b"x\n", b"@skip\n", b" skip\n  skip\n", b"skip", b"\n"],
    ids=["plain", "marks", "nested", "one line", "blank"],
)
def test_half_a_megabyte_is_told_in_linear_time(unit: bytes) -> None:
    def work(size: int) -> Callable[[], object]:
        text = unit * (size // len(unit))
        versions = ((b"@skip\n" + text, text + b"@skip\n"), (text, b""), (b"", text))
        return lambda: [may_bring_skips(PATH, base, new) for base, new in versions]

    assert_linear(work, 500_000)


BLOCKS = st.lists(
    st.tuples(st.sampled_from(["", "@pytest.mark.skip\n", "@pytest.mark.xfail\n@slow\n"]), st.sampled_from("abcd"))
    | st.sampled_from(
        [
            "class TestA:\n",
            "    def test_m(self):\n        pytest.skip()\n",
            "    @pytest.mark.skip\n    def test_n(self): 1\n",
        ]
    ),
    max_size=5,
)


def module(blocks: list[tuple[str, str] | str]) -> bytes:
    """A module of tests; members of a class stand in one, so that it can always be parsed."""
    parts = [one if isinstance(one, str) else f"{one[0]}def test_{one[1]}():\n    {one[1]}\n" for one in blocks]
    parts = ["class TestB:\n" + part if part.startswith("    ") else part for part in parts]
    return "\n".join(part + "    pass\n" if part == "class TestA:\n" else part for part in parts).encode()


@given(BLOCKS, BLOCKS)
def test_what_is_not_brought_is_never_new(old: list[tuple[str, str] | str], new: list[tuple[str, str] | str]) -> None:
    base, edited = module(old), module(new)
    if not_standing(SkipTexts("test_a.py", edited), SkipTexts("test_a.py", base)):
        assert may_bring_skips(PATH, base, edited)
