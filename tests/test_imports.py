"""From imports to paths: where a module may lie, and which generators a test module reaches."""

from __future__ import annotations

import pytest

from flakeledger.repo.imports import (
    Import,
    conftests,
    folders_above,
    imported_generators,
    imported_paths,
    listed_paths,
)

FILES = frozenset(
    {
        "strategies.py",
        "tests/strategies.py",
        "tests/unit/orders/__init__.py",
        "tests/unit/orders/draw.py",
        "tests/unit/__init__.py",
        "tests/__init__.py",
        "src/shop/__init__.py",
        "src/shop/money.py",
        "src/shop/deep/er/factories.py",
        "lib/tool.py",
        "both.py",
        "both/__init__.py",
        "names/one.py",
    }
)


@pytest.mark.parametrize(
    ("found", "importer", "paths"),
    [
        (Import("strategies", 0, ()), "tests/unit/test_a.py", ["tests/strategies.py"]),
        (Import("strategies", 0, ("x",)), "other/test_a.py", ["strategies.py"]),
        (Import("tests.strategies", 0, ()), "tests/unit/test_a.py", ["tests/__init__.py", "tests/strategies.py"]),
        (Import("shop.money", 0, ("Money",)), "tests/test_a.py", ["src/shop/__init__.py", "src/shop/money.py"]),
        (Import("shop", 0, ("money",)), "tests/test_a.py", ["src/shop/__init__.py", "src/shop/money.py"]),
        (Import("shop", 0, ("*",)), "tests/test_a.py", ["src/shop/__init__.py"]),
        (
            Import("shop.deep.er", 0, ("factories",)),
            "tests/test_a.py",
            ["src/shop/__init__.py", "src/shop/deep/er/factories.py"],
        ),
        (Import("tool", 0, ()), "test_a.py", ["lib/tool.py"]),
        (Import("both", 0, ()), "test_a.py", ["both/__init__.py"]),
        (Import("names", 0, ("one", "two")), "test_a.py", ["names/one.py"]),
        (
            Import("orders.draw", 0, ()),
            "tests/unit/test_a.py",
            ["tests/unit/orders/__init__.py", "tests/unit/orders/draw.py"],
        ),
        (Import("", 1, ("strategies",)), "tests/test_a.py", ["tests/__init__.py", "tests/strategies.py"]),
        (Import("strategies", 2, ("x",)), "tests/unit/test_a.py", ["tests/strategies.py"]),
        (Import("", 2, ("strategies",)), "tests/unit/test_a.py", ["tests/__init__.py", "tests/strategies.py"]),
        (Import("strategies", 1, ()), "tests/unit/test_a.py", []),
        (Import("strategies", 9, ()), "tests/unit/test_a.py", []),
        (Import("", 9, ("strategies",)), "tests/unit/test_a.py", []),
        (Import("numpy", 0, ("array",)), "tests/test_a.py", []),
        (Import(".".join(["a"] * 100_000), 0, ()), "tests/test_a.py", []),
    ],
)
def test_imported_paths(found: Import, importer: str, paths: list[str]) -> None:
    assert imported_paths(found, importer, FILES.__contains__) == paths


def test_folders_above() -> None:
    assert folders_above("a/b/c.py") == ["a/b", "a", ""]
    assert folders_above("c.py") == [""]


def test_conftests_from_the_folder_to_the_root() -> None:
    assert list(conftests("tests/unit/test_a.py")) == ["tests/unit/conftest.py", "tests/conftest.py", "conftest.py"]


def test_only_generators_are_followed_and_cycles_end() -> None:
    graph = {
        "test_a.py": ["gen/a.py", "src/b.py"],
        "gen/a.py": ["gen/c.py", "gen/a.py"],
        "gen/c.py": ["gen/a.py", "test_a.py"],
        "src/b.py": ["gen/unreached.py"],
        "test_d.py": ["gen/d.py"],
    }
    found = imported_generators(
        ["test_a.py", "test_d.py"], lambda path: graph.get(path, []), lambda path: path.startswith("gen/")
    )
    assert found == {"gen/a.py", "gen/c.py", "gen/d.py"}


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        (["a.py"], {"a.py"}),
        (["data"], {"data/x.json", "data/deep/y.json"}),
        (["data/"], {"data/x.json", "data/deep/y.json"}),
        (["./data/deep", "a.py"], {"data/deep/y.json", "a.py"}),
        (["dat", "missing.py", "../a.py", "/a.py"], set()),
        (["."], {"a.py", "data/x.json", "data/deep/y.json", "data.py", "data-more/z.json"}),
    ],
)
def test_listed_paths(listed: list[str], expected: set[str]) -> None:
    paths = sorted(["a.py", "data/x.json", "data/deep/y.json", "data.py", "data-more/z.json"])
    assert listed_paths(listed, paths) == expected
