"""The proposed classes on the layouts of real projects: no test falls to production, no production to generators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.patterns import PathClasses, compile_pattern, looks_like_test, pattern_problem
from flakeledger.model.policy import PathClass, Policy, Runner
from flakeledger.repo.layout import Layout
from flakeledger.repo.proposal import ORDER, literal, propose

DRAWS = b"import hypothesis.strategies as st\n"

#: a project -> the paths, the paths whose text draws inputs, and the class of each of its telling paths
PROJECTS = {
    "src layout with a strategies module in its tests": (
        """conftest.py src/attr/__init__.py src/attr/_make.py src/attr/filters.py src/attrs/filters.py tests/__init__.py
        tests/conftest.py tests/strategies.py tests/test_make.py tests/test_mypy.yml tests/utils.py
        tests/typing_example.py typing_tests/baseline.py typing_tests/__init__.py bench/test_benchmarks.py tox.ini
        uv.lock .github/workflows/ci.yml docs/api.md""",
        (),
        {
            "generator": "conftest.py tests/conftest.py tests/strategies.py",
            "test_body": """tests/__init__.py tests/test_make.py tests/test_mypy.yml tests/utils.py
                tests/typing_example.py typing_tests/baseline.py typing_tests/__init__.py bench/test_benchmarks.py""",
            "runner": "tox.ini uv.lock .github/workflows/ci.yml",
            "production": "src/attr/_make.py src/attr/filters.py docs/api.md",
        },
    ),
    "a library of strategies in a repository of several languages": (
        """lib/src/hypothesis/__init__.py lib/src/hypothesis/strategies/__init__.py
        lib/src/hypothesis/strategies/_internal/strategies.py lib/src/hypothesis/extra/pytestplugin.py
        lib/tests/conftest.py lib/tests/common/strategies.py lib/tests/common/utils.py lib/tests/cover/test_a.py
        lib/tests/pytest/test_fixtures.py lib/tests/cover/__snapshots__/test_a.ambr lib/rust/src/lib.rs
        lib/rust/tests/floats_tests.rs ruby/lib/engine.rb ruby/spec/arrays_spec.rb ruby/spec/spec_helper.rb
        whole/test_a.py whole/test_b.py whole/types/test_c.py whole/types/test_d.py whole/types/revealed.py
        requirements/test.txt lib/tox.ini""",
        ("lib/src/hypothesis/strategies/_internal/strategies.py",),
        {
            "generator": "lib/tests/conftest.py lib/tests/common/strategies.py ruby/spec/spec_helper.rb",
            "test_body": """lib/tests/common/utils.py lib/tests/cover/test_a.py lib/tests/pytest/test_fixtures.py
                lib/tests/cover/__snapshots__/test_a.ambr lib/rust/tests/floats_tests.rs ruby/spec/arrays_spec.rb
                whole/test_a.py whole/types/revealed.py""",
            "runner": "requirements/test.txt lib/tox.ini",
            "production": """lib/src/hypothesis/strategies/__init__.py lib/rust/src/lib.rs ruby/lib/engine.rb
                lib/src/hypothesis/strategies/_internal/strategies.py lib/src/hypothesis/extra/pytestplugin.py""",
        },
    ),
    "tests inside the package, a shipped strategies module, property tests beside": (
        """conftest.py xarray/__init__.py xarray/core/common.py xarray/testing/__init__.py xarray/testing/assertions.py
        xarray/testing/strategies.py xarray/tests/__init__.py xarray/tests/conftest.py xarray/tests/arrays.py
        xarray/tests/test_strategies.py xarray/tests/test_dataset.py properties/test_a.py properties/test_b.py
        properties/test_c.py properties/README.md ci/requirements/doc.yml pixi.toml""",
        ("xarray/testing/strategies.py",),
        {
            "generator": "conftest.py xarray/tests/conftest.py xarray/testing/strategies.py",
            "test_body": """xarray/tests/arrays.py xarray/tests/test_strategies.py xarray/tests/test_dataset.py
                properties/test_a.py properties/README.md""",
            "runner": "ci/requirements/doc.yml pixi.toml",
            "production": "xarray/core/common.py xarray/testing/__init__.py xarray/testing/assertions.py",
        },
    ),
    "a web shop with fixtures and strategies in production": (
        """shop/orders/fixtures/initial.json shop/orders/models.py shop/orders/tests.py shop/orders/strategies.py
        shop/auth/login.py shop/auth/test_login.py shop/orders/migrations/0001_initial.py manage.py
        tests/fixtures/orders.json tests/auth/test_all.py tests/factories.py""",
        (),
        {
            "generator": "tests/fixtures/orders.json tests/factories.py",
            "test_body": "shop/orders/tests.py shop/auth/test_login.py tests/auth/test_all.py",
            "review_only": "shop/auth/login.py shop/orders/migrations/0001_initial.py",
            "production": "shop/orders/fixtures/initial.json shop/orders/strategies.py manage.py",
        },
    ),
    "no Python": (
        """src/cart.ts src/cart.test.ts e2e/buy.spec.ts e2e/data/cart.json jest.config.js package-lock.json
        server/main.go server/main_test.go server/testdata/a.json""",
        (),
        {
            "generator": "e2e/data/cart.json server/testdata/a.json",
            "test_body": "src/cart.test.ts e2e/buy.spec.ts server/main_test.go",
            "runner": "jest.config.js package-lock.json",
            "production": "src/cart.ts server/main.go",
        },
    ),
}


def classes_of(paths: list[str], drawing: tuple[str, ...], seeds: str | None) -> PathClasses:
    found = propose(Layout(tuple(sorted(paths)), lambda path: DRAWS if path in drawing else b"x = 1\n"), seeds)
    entries = (PathClass(name, tuple(one.pattern for one in found if one.name == name)) for name in ORDER)
    return PathClasses(Policy(tuple(entries), (Runner("local"),)))


@pytest.mark.parametrize("project", PROJECTS)
def test_the_telling_paths_of_a_project(project: str) -> None:
    text, drawing, expected = PROJECTS[project]
    paths = text.split()
    classes = classes_of(paths, drawing, None)
    told = {path: name for name, listed in expected.items() for path in listed.split()}
    assert {path: classes.class_of(path).name for path in told} == told
    assert not [path for path in paths if looks_like_test(path) and classes.class_of(path).name == "production"]


def test_what_is_still_to_come_has_its_class() -> None:
    classes = classes_of(["tests/test_a.py", "src/a.py"], (), "tests/seeds/gate.json")
    expected = {
        "other/tests/conftest.py": "generator",
        "strategies.py": "generator",
        "other/tests/unit/fixtures/a.json": "generator",
        "tests/factories.py": "generator",
        "tests/seeds/gate.json": "generator",
        "other/tests/helper.py": "test_body",
        "src/a_test.py": "test_body",
        "src/fixtures/a.json": "production",
        "src/factories.py": "production",
        "requirements-dev.txt": "runner",
        ".github/workflows/new.yml": "runner",
        "src/auth/a.py": "review_only",
        "ledgers/freezes.yaml": "freeze_config",
    }
    assert {path: classes.class_of(path).name for path in expected} == expected


def test_what_is_still_to_come_in_a_project_of_scripts_has_its_class() -> None:
    classes = classes_of(["src/cart.ts", "src/__tests__/cart.test.ts"], (), None)
    expected = {
        "src/__tests__/factories/user.ts": "generator",
        "lib/__tests__/unit/fixtures/a.json": "generator",
        "tests/factories/user.js": "generator",
        "src/factories/user.ts": "production",
        "src/__tests__/helper.ts": "test_body",
    }
    assert {path: classes.class_of(path).name for path in expected} == expected


@pytest.mark.parametrize("paths", [[], ["README.md"], ["tests/fixtures/test_a.js"], ["a.go"]])
def test_ledgers_and_some_generator_are_always_covered(paths: list[str]) -> None:
    seeds = "tests/seeds/gate.json" if any(path.startswith("tests/") for path in paths) else None
    classes = classes_of(paths, (), seeds)
    assert classes.uncovered_ledger() is None
    found = propose(Layout(tuple(paths), lambda _: None), seeds)
    assert any(one.name == "generator" for one in found)


def test_a_pattern_says_how_many_files_it_covers() -> None:
    found = propose(Layout(("a/conftest.py", "conftest.py", "tests/test_a.py"), lambda _: None), None)
    assert {one.pattern: one.files for one in found if one.pattern in ("conftest.py", "/tests/", "tox.ini")} == {
        "conftest.py": 2,
        "/tests/": 1,
        "tox.ini": 0,
    }


def test_a_name_longer_than_a_pattern_may_be_is_left_out() -> None:
    folder = "/".join(["x" * 200] * 4)
    found = propose(Layout((f"{folder}/tests/test_a.py", f"{folder}/tests/data/a.json"), lambda _: None), None)
    assert all(pattern_problem(one.pattern) is None for one in found)


NAMES = st.text(st.characters().filter(lambda sign: sign not in "/\0"), min_size=1, max_size=12).filter(
    lambda name: name not in (".", "..")
)


@given(st.lists(NAMES, min_size=1, max_size=3))
def test_a_literal_matches_its_own_path(names: list[str]) -> None:
    path = "/".join(names)
    assert compile_pattern(literal(path)).match(path)
    assert compile_pattern(literal(f"{path}/")).match(f"{path}/below")
    assert not compile_pattern(literal(path)).match(f"elsewhere/{path}")


@given(
    st.lists(
        st.lists(
            st.sampled_from(["tests", "src", "data", "a.py", "test_a.py", "strategies.py", "x.json", "auth"]),
            min_size=1,
            max_size=4,
        )
    )
)
def test_no_class_of_generators_swallows_production(names: list[list[str]]) -> None:
    paths = sorted({"/".join(name) for name in names})
    layout = Layout(tuple(paths), lambda _: None)
    classes = classes_of(paths, (), None)
    assert {path for path in paths if classes.class_of(path).name == "generator"} <= layout.generators
