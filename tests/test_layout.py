"""Where tests lie and what draws their inputs, told from paths."""

from __future__ import annotations

from functools import partial

import pytest

from flakeledger.repo.layout import LARGEST_READ, Layout, Root, SeedList, is_code
from growing import assert_linear

HYPOTHESIS = b"from hypothesis import strategies as st\n"


def layout(*paths: str, **texts: bytes) -> Layout:
    """A layout of paths; a text is given by the path with `__` for `/` and `_dot_` for `.`."""
    known = {name.replace("__", "/").replace("_dot_", "."): text for name, text in texts.items()}
    return Layout(tuple(sorted({*paths, *known})), known.get)


@pytest.mark.parametrize(
    ("paths", "roots"),
    [
        (["src/a.py"], []),
        (["tests/test_a.py", "tests/helper.py", "src/a.py"], ["tests"]),
        (["pkg/tests/test_a.py", "pkg/a.py"], ["pkg/tests"]),
        (["a/tests/test_a.py", "b/tests/test_b.py"], ["a/tests", "b/tests"]),
        (["tests/unit/tests/test_a.py"], ["tests"]),
        (["crate/tests/cases.rs"], ["crate/tests"]),
        (["src/__tests__/x.ts"], ["src/__tests__"]),
        (["typing_tests/baseline.py"], ["typing_tests"]),
        # a shipped library of test helpers holds no tests
        (["django/test/client.py", "django/test/runner.py"], []),
        (["src/test/java/CartTest.java", "src/main/java/Cart.java"], ["src/test"]),
        (["spec/cart_spec.rb", "spec/spec_helper.rb"], ["spec"]),
        (["lab_tests/models.py", "lab_tests/views.py", "lab_tests/tests.py"], []),
        (
            ["properties/test_a.py", "properties/test_b.py", "properties/test_c.py", "properties/README.md"],
            ["properties"],
        ),
        # tests beside the code that they test
        (["src/a.ts", "src/a.test.ts", "src/b.ts", "src/b.test.ts", "src/c.ts", "src/c.test.ts"], []),
        (["bench/test_benchmarks.py"], []),
        (["vendor/lib/tests/test_a.py"], []),
    ],
)
def test_test_roots(paths: list[str], roots: list[str]) -> None:
    assert [root.path for root in layout(*paths).test_roots] == roots


def test_a_root_counts_its_files_and_the_main_one_has_most_tests() -> None:
    found = layout("a/tests/test_a.py", "a/tests/b.py", "b/tests/x.py", "b/tests/y.py", "b/tests/z.py")
    assert found.test_roots == (Root("a/tests", 2, 1), Root("b/tests", 3, 0))
    assert found.main_root == Root("a/tests", 2, 1)
    assert layout("a.py").main_root is None


@pytest.mark.parametrize(
    ("paths", "generators"),
    [
        (["conftest.py", "tests/conftest.py", "src/conftest.txt"], ["conftest.py", "tests/conftest.py"]),
        (["tests/strategies.py", "src/strategies.py"], ["tests/strategies.py"]),
        (["tests/data/a.json", "src/data/a.json"], ["tests/data/a.json"]),
        (["src/shop/fixtures/initial.json", "tests/test_a.py"], []),
        (["pkg/testdata/a.json"], ["pkg/testdata/a.json"]),
        # a folder of tests about data
        (["tests/data/test_frames.py", "tests/data/cases.json"], []),
        (
            ["tests/a/fixtures/x.json", "tests/fixtures/deep/y.json"],
            ["tests/a/fixtures/x.json", "tests/fixtures/deep/y.json"],
        ),
        (
            ["spec/factories.rb", "spec/cart_spec.rb", "spec/spec_helper.rb"],
            ["spec/factories.rb", "spec/spec_helper.rb"],
        ),
    ],
)
def test_generators(paths: list[str], generators: list[str]) -> None:
    assert sorted(layout(*paths).generators) == generators


def test_outside_the_tests_a_module_draws_inputs_only_if_its_text_says_so() -> None:
    found = layout(
        "trade/orders.py",
        trade__strategies_dot_py=b"class MeanReversion: ...\n",
        trade__testing__strategies_dot_py=b"import numpy\n" + HYPOTHESIS,
        trade__factories_dot_py=b"# import factory\n",
    )
    assert found.generators == {"trade/testing/strategies.py"}


def test_a_library_that_imports_itself_draws_nothing() -> None:
    found = layout("src/hypothesis/__init__.py", src__hypothesis__strategies_dot_py=HYPOTHESIS)
    assert found.generators == set()


def test_a_text_that_cannot_be_read_proves_nothing() -> None:
    assert layout("src/strategies.py").generators == set()


def test_reviewed_code_is_named_outside_tests_and_docs() -> None:
    found = layout(
        "src/auth/login.py", "src/crypto.py", "docs/auth/a.md", "tests/auth/test_a.py", "src/auth.md", "a/oauth/b.ts"
    )
    assert found.reviewed == ("a/oauth/", "src/auth/", "src/crypto.py")


def test_older_quarantine_lists() -> None:
    found = layout(
        "quarantine.txt", "ci/flaky_allowlist.yml", "muted-tests.yml", "src/quarantine.py", "tests/data/flaky.json"
    )
    assert found.older_stores == ("ci/flaky_allowlist.yml", "muted-tests.yml", "quarantine.txt")


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        (b"[3, 1, 3]", 2),
        (b" \n[1]", 1),
        (b"[]", 0),
        (b"[true]", 0),
        (b"[1.0]", 0),
        (b'["1"]', 0),
        (b'{"seeds": [1]}', 0),
        (b"[" * 60_000, 0),
        (b"[1", 0),
        (b"[" + b"1," * LARGEST_READ + b"1]", 0),
        (b"[\xff]", 0),
        (b"[" + b"9" * 5_000 + b"]", 0),
    ],
)
def test_a_seed_list_is_an_array_of_whole_numbers(text: bytes, seeds: int) -> None:
    found = layout(tests__seeds__a_dot_json=text, tests__other_dot_json=b"[1]").seed_lists
    assert found == ((SeedList("tests/seeds/a.json", seeds),) if seeds else ())


def test_the_longest_seed_list_comes_first() -> None:
    found = layout(a_seeds_dot_json=b"[1]", b_seeds_dot_json=b"[1, 2]").seed_lists
    assert [one.path for one in found] == ["b_seeds.json", "a_seeds.json"]


def test_code_is_what_a_language_of_tests_is_written_in() -> None:
    found = [path for path in ("a.py", "b.tsx", "c.md", "d.json", "py", "e/f.go") if is_code(path)]
    assert found == ["a.py", "b.tsx", "e/f.go"]


def hostile(number: int, depth: int) -> tuple[list[str], int]:
    """The roots and the number of generators of so many paths in so many folders."""
    paths = ["/".join(["tests"] * depth + [f"test_{one}.py"]) for one in range(number)]
    found = Layout(tuple(paths), lambda _: None)
    return [root.path for root in found.test_roots], len(found.generators)


def test_hostile_paths_take_linear_time() -> None:
    assert hostile(500, 1_000) == (["tests"], 0)
    assert_linear(lambda number: partial(hostile, number, 1_000), 500)
    assert_linear(lambda depth: partial(hostile, 500, depth), 1_000)
