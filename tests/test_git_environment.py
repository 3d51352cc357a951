from __future__ import annotations

import os

import pytest

from flakeledger.store.git_environment import FIXED_ENVIRONMENT, also_objects_of, calm, without_relative_path


@pytest.mark.parametrize(
    "name",
    [
        *("GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"),
        *("GIT_CONFIG", "GIT_SHALLOW_FILE", "GIT_ATTR_SOURCE", "GIT_TRACE", "GIT_TRACE2_EVENT"),
    ],
)
def test_what_changes_an_answer_is_dropped(name: str) -> None:
    assert calm({name: "x"}) == FIXED_ENVIRONMENT


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_GLOBAL", "HOME", "TRACE"])
def test_what_the_caller_means_stays(name: str) -> None:
    assert calm({name: "x"}) == FIXED_ENVIRONMENT | {name: "x"}


@pytest.mark.parametrize("name", FIXED_ENVIRONMENT)
def test_what_is_fixed_cannot_be_said_otherwise(name: str) -> None:
    assert calm({name: "x"}) == FIXED_ENVIRONMENT


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        (["/usr/bin", "/bin"], ["/usr/bin", "/bin"]),
        (["/usr/bin", ".", "tools", "", "/bin"], ["/usr/bin", "/bin"]),
        ([""], []),
    ],
)
def test_no_program_is_looked_for_in_the_tree(path: list[str], kept: list[str]) -> None:
    given = {"PATH": os.pathsep.join(path), "HOME": "."}
    assert without_relative_path(given) == {"PATH": os.pathsep.join(kept), "HOME": "."}
    assert given["PATH"] == os.pathsep.join(path)


def test_without_a_path_none_is_made() -> None:
    assert without_relative_path({"HOME": "/root"}) == {"HOME": "/root"}


@pytest.mark.parametrize(
    ("objects", "alternates", "expected"),
    [
        ("/a/objects", None, '"/a/objects"'),
        ("/a/objects", "", '"/a/objects"'),
        ("/a/objects", "/b:/c", '"/a/objects":/b:/c'),
        ('/a"b\\c', None, '"/a\\"b\\\\c"'),
    ],
)
def test_objects_of_another_repository(objects: str, alternates: str | None, expected: str) -> None:
    environment = {} if alternates is None else {"GIT_ALTERNATE_OBJECT_DIRECTORIES": alternates}
    assert also_objects_of(objects, environment) == {"GIT_ALTERNATE_OBJECT_DIRECTORIES": expected}
