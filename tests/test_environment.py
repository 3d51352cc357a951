"""The pinned environment: what a test is given, and what is refused when it was not got."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from flakeledger.evidence.environment import default_python, hash_seed, refusal, variables, zone_offsets
from flakeledger.evidence.runs import Environment
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Runner

HERE = Environment("3.11.7", "cpython", ("UTC", "UTC"), (0, 0, 0, 0), "0", False, {"pytest": "9.2.0"}, ())
MADRID = HERE._replace(timezone=("CET", "CEST"), offsets=(3600, 7200, 3600, 7200))
CASES: list[tuple[Runner, Environment, str]] = [
    (Runner("r"), HERE, ""),
    (Runner("r"), MADRID._replace(hash_seed="", randomized=True), ""),
    (Runner("r", python="3.11"), HERE, ""),
    (Runner("r", python="3"), HERE, ""),
    (Runner("r", python="3.11.7"), HERE, ""),
    (Runner("r", python="3.11.8"), HERE, "says Python 3.11.8, and the tests run on 3.11.7"),
    (Runner("r", python="3.1"), HERE, "says Python 3.1, "),
    (Runner("r", python="3.12"), HERE, "says Python 3.12"),
    (Runner("r", timezone="UTC"), HERE, ""),
    (Runner("r", timezone="Etc/UTC"), HERE, ""),
    (Runner("r", timezone="Europe/Madrid"), MADRID, ""),
    (Runner("r", timezone="Europe/Berlin"), MADRID, ""),
    (Runner("r", timezone="Africa/Algiers"), MADRID, "the time zone Africa/Algiers"),
    (Runner("r", timezone="Europe/Madrid"), HERE, "the time zone Europe/Madrid"),
    (Runner("r", hash_seed="0"), HERE, ""),
    (Runner("r", hash_seed="1"), HERE, "the hash seed 1, and the tests run under 0"),
    (Runner("r", hash_seed="1"), HERE._replace(hash_seed="1", randomized=True), ""),
    (Runner("r", hash_seed="0"), HERE._replace(randomized=True), "the hash seed 0"),
    (Runner("r", hash_seed="1"), HERE._replace(hash_seed="1"), "the hash seed 1"),
    (Runner("r", hash_seed="0"), HERE._replace(hash_seed=""), "under a random one"),
    (Runner("r", hash_seed="seed"), HERE._replace(hash_seed="5", randomized=True), ""),
    (Runner("r", hash_seed="seed"), HERE, "the hash seed 5"),
]


@pytest.mark.parametrize(("runner", "environment", "reason"), CASES)
def test_an_environment_is_refused_when_it_is_not_the_runner_s(
    runner: Runner, environment: Environment, reason: str
) -> None:
    refused = refusal(environment, runner, seed=5)
    assert (refused is None) == (reason == "")
    assert reason in (refused.reason if refused else "")


@pytest.mark.parametrize("name", ["Nowhere/City", "Europe", "posixrules2"])
def test_a_time_zone_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(CannotTell, match="is not known here"):
        zone_offsets(name)


@pytest.mark.parametrize(("pinned", "seed", "expected"), [
    (None, 1, ""), ("0", 1, "0"), ("seed", 7, "7"), ("seed", 2**32 + 7, "7"), ("seed", -1, "4294967295"),
])  # fmt: skip
def test_hash_seeds(pinned: str | None, seed: int, expected: str) -> None:
    assert hash_seed(Runner("r", hash_seed=pinned), seed) == expected


def test_a_test_gets_no_variable_that_selects_something(tmp_path: Path) -> None:
    root, worktree = tmp_path / "root", tmp_path / "worktree"
    dropped = {
        "GIT_DIR": "x", "GIT_INDEX_FILE": "x", "PYTEST_ADDOPTS": "-x", "PYTEST_XDIST_WORKER": "gw0",
        "PYTEST_CURRENT_TEST": "x", "HYPOTHESIS_STORAGE_DIRECTORY": "x", "PYTHONHASHSEED": "3",
    }  # fmt: skip
    kept = {"PATH": "/bin", "HOME": "/home", "PYTEST_PLUGINS": "mine", "CI": "true"}
    path = os.pathsep.join([str(root / "src"), str(root), "/elsewhere", str(tmp_path / "root2")])
    given = variables(
        kept | dropped | {"PYTHONPATH": path, "TZ": "Asia/Tokyo", "LC_ALL": "C"},
        Runner("r", timezone="UTC", hash_seed="seed"), 9, "/temporary", (str(root), str(worktree)),
    )  # fmt: skip
    moved = os.pathsep.join([str(worktree / "src"), str(worktree), "/elsewhere", str(tmp_path / "root2")])
    own = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), "/temporary") | {"LC_ALL": "C.UTF-8"}
    assert given == kept | own | {"TZ": "UTC", "PYTHONHASHSEED": "9", "PYTHONPATH": moved}


def test_what_the_runner_does_not_pin_is_left() -> None:
    given = variables({"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "3"}, Runner("r"), 9, "/t", ("/root", "/worktree"))
    assert given["TZ"] == "Asia/Tokyo"
    assert "PYTHONHASHSEED" not in given
    assert "PYTHONPATH" not in given


def test_the_interpreter_of_the_active_environment_runs_tests(tmp_path: Path) -> None:
    assert default_python({}) == sys.executable
    assert default_python({"VIRTUAL_ENV": str(tmp_path)}) == sys.executable
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    assert default_python({"VIRTUAL_ENV": str(tmp_path)}) == str(tmp_path / "bin" / "python")
