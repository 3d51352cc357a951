"""Citations as they are read: marks and comments in Python, comments in other languages, and what is malformed."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.rows import Place
from flakeledger.repo.citations import Cited, cited_in_comment, from_json, holds_words, text_citations, to_json
from flakeledger.repo.languages import language_of
from flakeledger.repo.modules import module_facts
from growing import assert_linear

HEAD = "import pytest\n"
LONG_CLASS = "class TestA:\n    def test_a(self): ...\n"


def cited(module: str) -> list[tuple[int, int, str, str | None, str]]:
    """The citations of a Python module, none of them malformed."""
    facts = module_facts(module.encode())
    assert facts.problem is None
    assert [found.problem for found in facts.citations if found.problem] == []
    return [(*found.place, *found[1:4]) for found in facts.citations]


def problems(module: str) -> list[str]:
    return [found.problem for found in module_facts(module.encode()).citations]


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ('@pytest.mark.frozen("P-1", runner_class="box")\ndef test_a(): ...', [(2, 2, "P-1", "box", "test_a")]),
        ('@pytest.mark.frozen("P-1")\nasync def test_a(): ...', [(2, 2, "P-1", None, "test_a")]),
        ('@pytest.mark.slow\n@pytest.mark.frozen("P-1")\ndef test_a(): ...', [(3, 2, "P-1", None, "test_a")]),
        (
            '@pytest.mark.frozen(\n    "P-1",\n    runner_class="box",\n)\ndef test_a(): ...',
            [(2, 2, "P-1", "box", "test_a")],
        ),
        ('@pytest.mark.frozen("P-1")\nclass TestA:\n    def test_a(self): ...', [(2, 2, "P-1", None, "TestA")]),
        (
            'class TestA:\n    @pytest.mark.frozen("P-1")\n    def test_a(self): ...',
            [(3, 6, "P-1", None, "TestA::test_a")],
        ),
        (
            'class TestA:\n    class TestB:\n        pytestmark = pytest.mark.frozen("P-1")\n        x = 1',
            [(4, 22, "P-1", None, "TestA::TestB")],
        ),
        ('pytestmark = [pytest.mark.slow, pytest.mark.frozen("P-1")]', [(2, 33, "P-1", None, "")]),
        ('pytestmark = pytest.mark.frozen("P-1")', [(2, 14, "P-1", None, "")]),
        (
            '@pytest.mark.parametrize("a", [pytest.param(1, marks=pytest.mark.frozen("P-1"))])\ndef test_a(a): ...',
            [(2, 54, "P-1", None, "test_a")],
        ),
        ('def test_a(request):\n    request.applymarker(pytest.mark.frozen("P-1"))', [(3, 25, "P-1", None, "test_a")]),
        ('BROKEN = pytest.mark.frozen("P-1")\n@BROKEN\ndef test_a(): ...', [(2, 10, "P-1", None, "")]),
        ('if True:\n    @pytest.mark.frozen("P-1")\n    def test_a(): ...', [(3, 6, "P-1", None, "test_a")]),
        ('from pytest import mark\n@mark.frozen("P-1")\ndef test_a(): ...', [(3, 2, "P-1", None, "test_a")]),
        ('import pytest as pt\n@pt.mark.frozen("P-1")\ndef test_a(): ...', [(3, 2, "P-1", None, "test_a")]),
        ('mark = pytest.mark\n@mark.frozen("P-1")\ndef test_a(): ...', [(3, 2, "P-1", None, "test_a")]),
        ('@pytest.mark.frozen("P-" "1")\ndef test_a(): ...', [(2, 2, "P-1", None, "test_a")]),
        ('x = "é"; pytestmark = pytest.mark.frozen("P-1")', [(2, 23, "P-1", None, "")]),
        (
            '@pytest.mark.frozen("P-1")\n@pytest.mark.frozen("P-2")\ndef test_a(): ...',
            [(2, 2, "P-1", None, "test_a"), (3, 2, "P-2", None, "test_a")],
        ),
    ],
)
def test_marks(module: str, expected: list[tuple[int, int, str, str | None, str]]) -> None:
    assert cited(HEAD + module) == expected


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("# flakeledger: cite P-1\ndef test_a(): ...", [(1, 3, "P-1", None, "test_a")]),
        ("# flakeledger: cite P-1 runner_class=box\n# why\n@mark\ndef test_a(): ...", [(1, 3, "P-1", "box", "test_a")]),
        ("@mark\n# flakeledger: cite P-1\ndef test_a(): ...", [(2, 3, "P-1", None, "test_a")]),
        ("# flakeledger: cite P-1\n\ndef test_a(): ...", [(1, 3, "P-1", None, "")]),
        ("x = 1  # flakeledger: cite P-1\ndef test_a(): ...", [(1, 10, "P-1", None, "")]),
        ("def test_a():  # flakeledger: cite P-1\n    ...", [(1, 18, "P-1", None, "test_a")]),
        ("def test_a():\n    x = 1  #flakeledger:cite P-1\n", [(2, 13, "P-1", None, "test_a")]),
        (
            "def test_a():\n    def inner():\n        # flakeledger: cite P-1\n        ...",
            [(3, 11, "P-1", None, "test_a")],
        ),
        ("def test_a():\n    pass\n\n    # flakeledger: cite P-1\ndef test_b(): ...", [(4, 7, "P-1", None, "test_a")]),
        ("def test_a():\n    pass\n# flakeledger: cite P-1\ndef test_b(): ...", [(3, 3, "P-1", None, "test_b")]),
        ("def test_a():\n    pass\n# flakeledger: cite P-1\n", [(3, 3, "P-1", None, "")]),
        ("# flakeledger: cite P-1\n" + LONG_CLASS, [(1, 3, "P-1", None, "TestA")]),
        ("class TestA:\n    # flakeledger: cite P-1\n    x = 1", [(2, 7, "P-1", None, "TestA")]),
        (
            "class TestA:\n    # flakeledger: cite P-1\n    def test_a(self): ...",
            [(2, 7, "P-1", None, "TestA::test_a")],
        ),
        ("#: # flakeledger: cite P-1\n", [(1, 6, "P-1", None, "")]),
        ("x = 1  # pragma: no cover  # flakeledger: cite P-1 # other\n", [(1, 30, "P-1", None, "")]),
        ("# flakeledger: cite P-1.\n", [(1, 3, "P-1", None, "")]),
        ('"""\n# flakeledger: cite P-1\n"""\nx = "# flakeledger: cite P-1"\n', []),
        ("# flakeledger: this file is explained elsewhere\n", []),
        ("# write `# flakeledger: cite P-1` above the test\n", []),
        ("# my-flakeledger: cite P-1\n# see flakeledger: cite P-1\n", []),
        ("def frozen(x): ...\nself.mark.frozen = True\nlandmark.frozen('P-1')\n", []),
        ('from house import mark\n@mark.frozen("P-1")\ndef test_a(): ...', []),
        ('"pytest.mark.frozen"\nx = "@pytest.mark.frozen(1)"', []),
    ],
)
def test_comments(module: str, expected: list[tuple[int, int, str, str | None, str]]) -> None:
    assert cited(module) == expected


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("@pytest.mark.frozen", "it names no property"),
        ("@pytest.mark.frozen()", "it names no property"),
        ('@pytest.mark.frozen(runner_class="box")', "it names no property"),
        ("@pytest.mark.frozen(PROPERTY)", "its property is no text that is written out"),
        ('@pytest.mark.frozen(f"P-{1}")', "its property is no text that is written out"),
        ("@pytest.mark.frozen(*ids)", "its property is no text that is written out"),
        ("@pytest.mark.frozen(1)", "its property is no text that is written out"),
        ('@pytest.mark.frozen("1-P")', "`1-P` is no id of a property"),
        ('@pytest.mark.frozen("")', "`` is no id of a property"),
        ('@pytest.mark.frozen("P-1", "box")', "it has more arguments than the property and `runner_class=`"),
        ('@pytest.mark.frozen("P-1", reason="slow")', "`reason` is no argument of the mark"),
        ('@pytest.mark.frozen("P-1", **options)', "`**` is no argument of the mark"),
        ('@pytest.mark.frozen("P-1", runner_class=BOX)', "its `runner_class` is no text that is written out"),
        ('@pytest.mark.frozen("P-1", runner_class=" ")', "its `runner_class` is empty"),
        ('@pytest.mark.frozen.with_args("P-1")', "it names no property"),
        ("# flakeledger: cite", "it names no property"),
        ("# flakeledger: cite  # later", "it names no property"),
        ("# flakeledger: cite tests/test_a.py::test_a", "`tests/test_a.py::test_a` is no id of a property"),
        ("# flakeledger: cite P-1, runner_class=box", "`P-1,` is no id of a property"),
        ("# flakeledger: cite P-1 P-2", "`P-2` is no word of a citation"),
        ("# flakeledger: cite P-1 runner-class=box", "`runner-class=box` is no word of a citation"),
        ("# flakeledger: cite P-1 runner_class=a runner_class=b", "it names more than one runner class"),
        ("# flakeledger: cite P-1 runner_class=", "its `runner_class` is empty"),
        ('# flakeledger: cite P-1 runner_class="box"', '`"box"` is written with quotes'),
        ("# flakeledger: cited P-1", "`cited` is misspelt; the word is `cite`"),
        ("# flakeledger: Cite P-1", "`Cite` is misspelt; the word is `cite`"),
    ],
)
def test_what_begins_as_a_citation_is_never_silently_none(code: str, problem: str) -> None:
    module = f"{HEAD}{code}\ndef test_a(): ...\n"
    found = module_facts(module.encode()).citations
    assert [(one.place.line, one.property_id, one.test, one.problem) for one in found] == [(2, "", "test_a", problem)]


def test_a_mark_that_is_not_called_is_malformed_wherever_it_stands() -> None:
    assert problems(HEAD + "frozen = pytest.mark.frozen\n@frozen('P-1')\ndef test_a(): ...") == ["it names no property"]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.js", "// flakeledger: cite P-1 runner_class=box\n", [(1, 4, "P-1", "box")]),
        ("a.js", "it('a', () => {\n  /* flakeledger: cite P-1 */\n})", [(2, 6, "P-1", None)]),
        (
            "a.ts",
            "/**\n * flakeledger: cite P-1\n * flakeledger: cite P-2\n */",
            [(2, 4, "P-1", None), (3, 4, "P-2", None)],
        ),
        ("a.js", "const a = '// flakeledger: cite P-1';\nconst b = `\n// flakeledger: cite P-1\n`;", []),
        ("a.go", "x := 1 // nolint // flakeledger: cite P-1 // more\n", [(1, 21, "P-1", None)]),
        ("a.rs", "/// flakeledger: cite P-1\n", [(1, 5, "P-1", None)]),
        ("a.rb", "# flakeledger: cite P-1\n", [(1, 3, "P-1", None)]),
        ("a.sql", "-- flakeledger: cite P-1\n", [(1, 4, "P-1", None)]),
        ("a.ini", "; flakeledger: cite P-1\n", [(1, 3, "P-1", None)]),
        ("Makefile", "all: # flakeledger: cite P-1\n", [(1, 8, "P-1", None)]),
        ("a.yaml", "a: 1 # flakeledger: cite P-1\n", [(1, 8, "P-1", None)]),
        ("a.js", '@pytest.mark.frozen("P-1")\n', []),
    ],
)
def test_comments_of_other_languages_stand_for_their_file(
    path: str, text: str, expected: list[tuple[int, int, str, str | None]]
) -> None:
    language = language_of(path)
    assert language is not None
    found = text_citations(text, language)
    assert [(*one.place, one.property_id, one.runner_class) for one in found] == expected
    assert all((one.test, one.problem) == ("", "") for one in found)


def test_a_mark_in_code_that_cannot_be_parsed_cannot_be_read() -> None:
    python = language_of("a.py")
    assert python is not None
    text = '# flakeledger: cite P-1\nprint "x"\n@pytest.mark.frozen("P-1")\ndef a(): "pytest.mark.frozen"\n'
    comment, mark = text_citations(text, python, "line 2 is no Python")
    assert comment == Cited(Place(1, 3), "P-1", None, "")
    assert mark == Cited(Place(3, 2), "", None, "", "its module cannot be parsed: line 2 is no Python")


@pytest.mark.parametrize(
    ("data", "holds"),
    [(b"@pytest.mark.frozen", True), (b"\xff# flakeledger: cite", True), (b"frozen flakeledger", False), (b"", False)],
)
def test_words(data: bytes, holds: bool) -> None:
    assert holds_words(data) is holds


def test_citations_survive_json() -> None:
    facts = module_facts(f'{HEAD}@pytest.mark.frozen("P-1")\ndef test_a(): ...  # flakeledger: cite\n'.encode())
    assert len(facts.citations) == 2
    assert from_json(json.loads(json.dumps(to_json(facts.citations)))) == facts.citations


@given(st.text(alphabet="# \t/;-*!:.=\"'citeflakeledgerPx1_", max_size=80), st.sampled_from(("", "flakeledger: cite")))
def test_a_comment_gives_a_citation_with_an_id_or_a_problem(rest: str, begin: str) -> None:
    found = cited_in_comment(f"{begin}{rest}", Place(1, 1), "test_a")
    assert found is None or bool(found.property_id) != bool(found.problem)
    assert found is not None or not begin or rest[:1].isalnum() or rest[:1] == "_"


@pytest.mark.parametrize("begin", ["x", "flakeledger: cite"])
@pytest.mark.parametrize("part", [" ", "# ", "flakeledger: ", " #\tflakeledger:"])
def test_a_comment_is_read_in_linear_time(part: str, begin: str) -> None:
    def work(size: int) -> Callable[[], object]:
        return partial(cited_in_comment, begin + part * (size // len(part)), Place(1, 1), "")

    assert_linear(work, 500_000)


def test_a_large_module_is_read_in_linear_time() -> None:
    classes = "".join(f"{' ' * depth}class A:\n" for depth in range(60)) + " " * 60 + "x = 1\n"

    def module(number: int) -> bytes:
        return (HEAD + classes + "# flakeledger: cite P-1\n" * number + "def test_a(): ...\n" * number).encode()

    found = module_facts(module(10_000)).citations
    assert len(found) == 10_000
    assert {one.test for one in found} == {"test_a"}
    assert_linear(lambda number: partial(module_facts, module(number)), 10_000)
