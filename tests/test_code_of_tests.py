"""Which files of a change are test code, and how their versions are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from flakeledger.model.patterns import PathClasses
from flakeledger.model.policy import PathClass, Policy, Runner
from flakeledger.repo.code_of_tests import contents, edits_of_tests, is_test_code, runs_by_name, versions_of
from flakeledger.store.git import PathChange

CLASSES = PathClasses(
    Policy(
        paths=(
            PathClass("freeze_config", ("/ledgers/", "freeze/")),
            PathClass("generator", ("conftest.py", "strategies/")),
            PathClass("runner", ("noxfile.py", "/.github/workflows/", "Makefile")),
            PathClass("review_only", ("auth/",)),
            PathClass("test_body", ("/tests/",)),
        ),
        runners=(Runner("local-fixture"),),
    )
)
PATHS = {
    "tests/test_orders.py": True,
    "tests/helper.py": True,
    "tests/data/example.py": True,
    "tests/a.spec.ts": True,
    "tests/README.md": False,
    "tests/orders.json": False,
    "tests/picture.png": False,
    "strategies/amounts.py": True,
    "conftest.py": True,
    "src/deep/conftest.py": True,
    "noxfile.py": True,
    ".github/workflows/ci.yml": True,
    "Makefile": True,
    "tox.ini": True,
    "pytest.ini": True,
    "lib/pyproject.toml": True,
    "setup.cfg": True,
    "auth/test_login.py": True,
    "auth/login.py": False,
    "src/orders.py": False,
    "src/orders_test.go": True,
    "src/OrdersTest.java": True,
    "src/skip.js": False,
    "ledgers/test_policy.py": False,
    "ledgers/conftest.py": False,
    "docs/conf.ini": False,
}


@pytest.mark.parametrize(("path", "expected"), PATHS.items())
def test_test_code_is_told_by_class_and_by_name(path: str, expected: bool) -> None:
    assert is_test_code(path, CLASSES) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [("tests/data/example.py", False), ("tests/data/test_example.py", True), ("a/conftest.py", True), ("a.ini", False)],
)
def test_some_files_are_run_because_of_their_name(path: str, expected: bool) -> None:
    assert runs_by_name(path) is expected


ONE, TWO = "1" * 40, "2" * 40
EDITED = PathChange("tests/test_a.py", "100644", ONE, "100755", TWO)
ADDED = PathChange("tests/test_b.py", "", "", "100644", TWO)
DELETED = PathChange("tests/test_c.py", "100644", ONE, "", "")
LINKED = PathChange("tests/test_d.py", "100644", ONE, "120000", TWO)
WAS_LINK = PathChange("tests/test_e.py", "120000", ONE, "100644", TWO)
PRODUCTION = PathChange("src/orders.py", "100644", ONE, "100644", TWO)
CHANGES = (EDITED, ADDED, DELETED, LINKED, WAS_LINK, PRODUCTION)


def test_only_regular_files_of_the_new_tree_are_read() -> None:
    assert edits_of_tests(CHANGES, CLASSES) == [EDITED, ADDED, WAS_LINK]
    sides = [(one.new, one.bases) for one in map(versions_of, CHANGES)]
    assert sides == [(TWO, (ONE,)), (TWO, ("",)), ("", (ONE,)), ("", (ONE,)), (TWO, ("",)), (TWO, (ONE,))]


def test_all_versions_come_in_one_stream() -> None:
    asked: list[list[str]] = []

    def read_many(oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        asked.append(list(oids))
        yield from ((oid, oid[:3].encode()) for oid in asked[-1])

    found = list(contents([versions_of(change) for change in CHANGES[:3]], read_many))
    assert found == [[b"222", b"111"], [b"222", b""], [b"", b"111"]]
    assert asked == [[TWO, ONE, TWO, ONE]]
