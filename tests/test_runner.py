"""Replays under seeds: the seed decides, in both modes and every environment, and nothing reaches the next seed."""

from __future__ import annotations

import functools
import os
import random
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

import pytest

from conftest import git as run_git
from flakeledger.evidence.runner import run_seeds
from flakeledger.evidence.runs import Mode, identical_streams
from flakeledger.evidence.worktree import worktrees
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Runner
from replaying import BOTH_MODES, RUNNER, committed, failing_seeds, job, outcomes, replayed, stopped_after

UNLUCKY = [3, 7, 11]
SEEDS = range(1, 21)
FEWER = range(1, 13)
PLAIN = f"""
    import random

    UNLUCKY = {[random.Random(seed).random() for seed in UNLUCKY]}

    def test_plain():
        assert random.random() not in UNLUCKY
"""
#: fails for unlucky numbers and for 77, which a run that fills an example database leaves in it
GIVEN = dedent("""
    import os
    from hypothesis import given, settings, strategies as st

    @settings(max_examples=10)
    @given(st.integers(0, 2**64))
    def test_given(number):
        if "RECORD" in os.environ:
            with open(os.environ["RECORD"], "a") as file:
                file.write(f"{number}\\n")
        assert number not in UNLUCKY
        assert number != 77 and ("FILL" not in os.environ or number < 77)
""")
PROFILE = """
    import os
    from hypothesis import settings
    from hypothesis.database import DirectoryBasedExampleDatabase

    settings.register_profile("mine", PROFILE)
    settings.load_profile("mine")
"""


@pytest.fixture(autouse=True)
def _few_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@functools.cache
def given_test() -> str:
    """A test that fails for what Hypothesis draws under the unlucky seeds, and under no other."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        repository, record = Path(folder, "repository"), Path(folder, "record")
        repository.mkdir()
        run_git(repository, "init", "-q")
        git = committed(repository, {"test_given.py": "UNLUCKY = []\n" + GIVEN})
        patch.setenv("RECORD", str(record))
        drawn = {}
        with worktrees(git, git.head() or "", 1) as (worktree,):
            for run in run_seeds(job("test_given.py::test_given", SEEDS, "fork"), worktree, lambda: False):
                assert run.outcome == "pass", run
                drawn[run.seed] = set(record.read_text().split())
                record.unlink()
    others = set().union(*(drawn[seed] for seed in SEEDS if seed not in UNLUCKY))
    numbers = [max(drawn[seed] - others, key=int) for seed in UNLUCKY]
    return f"UNLUCKY = [{', '.join(numbers)}]\n" + GIVEN


def plain_pytest(folder: Path, **variables: str) -> int:
    """The exit code of an ordinary pytest."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    return subprocess.run(command, cwd=folder, env=os.environ | variables, capture_output=True, check=False).returncode


def test_a_plain_test_fails_for_its_seeds_in_a_process_each_and_in_forks_and_again(repository: Path) -> None:
    git = committed(repository, {"test_plain.py": PLAIN})
    test = "test_plain.py::test_plain"
    processes, forks, again = (replayed(git, job(test, SEEDS, mode)) for mode in ("process", "fork", "fork"))
    assert failing_seeds(processes) == failing_seeds(forks) == failing_seeds(again) == UNLUCKY
    assert [run.seed for run in processes] == list(SEEDS)
    assert {run.failure for run in processes if run.outcome == "fail"} == {"AssertionError"}


def test_a_given_test_fails_for_its_seeds_in_a_process_each_and_in_forks(repository: Path) -> None:
    git = committed(repository, {"test_given.py": given_test()})
    forks = replayed(git, job("test_given.py::test_given", SEEDS, "fork"))
    assert failing_seeds(forks) == UNLUCKY
    assert len({run.examples for run in forks}) == len(SEEDS)
    assert not identical_streams(forks)
    some = [2, 3, 4, 7]
    processes = replayed(git, job("test_given.py::test_given", some))
    assert failing_seeds(processes) == [3, 7]
    by_seed = {run.seed: run.examples for run in forks}
    assert [run.examples for run in processes] == [by_seed[seed] for seed in some]


@pytest.mark.parametrize(
    "case", ["CI", "decorator", "profile", "committed database", "database elsewhere", "pytest-randomly"]
)
def test_nothing_around_it_keeps_the_seed_from_hypothesis(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    files, kept = {"test_given.py": given_test()}, str(tmp_path / "kept")
    if case == "CI":
        monkeypatch.setenv("CI", "true")
    elif case == "decorator":
        files["test_given.py"] = given_test().replace("max_examples=10", "max_examples=10, derandomize=True")
    elif case == "profile":
        files["conftest.py"] = PROFILE.replace("PROFILE", "derandomize=True")
    elif case == "database elsewhere":
        files["conftest.py"] = PROFILE.replace("PROFILE", f"database=DirectoryBasedExampleDatabase({kept!r})")
    elif case == "pytest-randomly":
        monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
        files["pytest.ini"] = "[pytest]\naddopts = --randomly-seed=5 --randomly-dont-reorganize\n"
    git = committed(repository, files)
    if "database" in case:
        assert plain_pytest(repository, FILL="1") == 1
        assert plain_pytest(repository) == 1, "an ordinary run does not find the example again"
    if case == "committed database":
        git = committed(repository, {})
        assert "examples" in run_git(repository, "ls-files", ".hypothesis")
    runs = replayed(git, job("test_given.py::test_given", FEWER, "fork"))
    assert failing_seeds(runs) == UNLUCKY
    assert not any("randomly" in name for run in runs if run.environment for name in run.environment.plugins)


LEAKS = """
    import os, pathlib, random, sys, tempfile
    import pytest

    HISTORY = []

    def test_global():
        HISTORY.append(1)
        assert len(HISTORY) == 1

    def test_file():
        path = pathlib.Path("left.txt")
        assert not path.exists()
        path.write_text("x")

    def test_ignored_file():
        path = pathlib.Path("build", "left.txt")
        path.parent.mkdir(exist_ok=True)
        assert not path.exists()
        path.write_text("x")

    def test_edited_file():
        path = pathlib.Path("data.txt")
        assert path.read_text() == "data"
        path.write_text("edited")

    def test_deleted_file():
        pathlib.Path("data.txt").unlink()

    def test_temporary_file():
        path = pathlib.Path(tempfile.gettempdir(), "left.txt")
        assert not path.exists()
        path.write_text("x")

    def test_variable():
        assert os.environ.setdefault("LEFT", str(os.getpid())) == str(os.getpid())

    def test_cache(pytestconfig):
        assert pytestconfig.cache.get("left", None) is None
        pytestconfig.cache.set("left", 1)

    def test_commit():
        assert pathlib.Path("data.txt").exists()
        os.system("git rm -q data.txt && git -c user.name=a -c user.email=a@b commit -qm gone")
        assert not pathlib.Path("data.txt").exists()

    def test_source():
        import helper
        assert helper.VALUE == 1
        path = pathlib.Path("helper.py")
        path.write_text(path.read_text().replace("1", "2"))
        del sys.modules["helper"]
        import helper

    @pytest.fixture(scope="session")
    def once():
        path = pathlib.Path("counter.txt")
        assert not path.exists(), "the second time"
        path.write_text("x")

    def test_session_fixture(once):
        pass
"""
LEAKING = [line.split("def ")[1].split("(")[0] for line in LEAKS.splitlines() if "def test_" in line]


@pytest.mark.parametrize("mode", BOTH_MODES)
def test_what_a_test_leaves_behind_does_not_reach_the_next_seed(repository: Path, mode: Mode) -> None:
    files = {"test_leaks.py": LEAKS, "data.txt": "data", "helper.py": "VALUE = 1\n", ".gitignore": "build/\n"}
    git = committed(repository, files)
    jobs = [job(f"test_leaks.py::{name}", (1, 2), mode) for name in LEAKING]
    runs = replayed(git, *jobs)
    assert [(run.outcome, run.detail) for run in runs] == [("pass", "")] * len(runs)
    assert run_git(repository, "status", "--porcelain") == ""
    assert run_git(repository, "rev-parse", "HEAD") == git.head()


@pytest.mark.parametrize("mode", BOTH_MODES)
def test_a_session_fixture_that_fails_the_second_time_on_this_machine_is_an_error(
    repository: Path, tmp_path: Path, mode: Mode
) -> None:
    counter = tmp_path / "counter"
    text = f"""
        import pathlib, pytest

        @pytest.fixture(scope="session", autouse=True)
        def once():
            pathlib.Path({str(counter)!r}).touch(exist_ok=False)

        def test_it():
            pass
    """
    git = committed(repository, {"test_it.py": text})
    runs = replayed(git, job("test_it.py::test_it", (1, 2, 3), mode))
    assert outcomes(runs) == ["pass", "error", "error"]
    assert runs[1].failure == "FileExistsError"
    assert runs[1].detail.startswith("setup: FileExistsError")


def test_what_collection_leaves_is_there_for_every_fork(repository: Path) -> None:
    text = """
        import pathlib, tempfile

        pathlib.Path("made.txt").write_text("x")
        FOLDER = tempfile.mkdtemp()

        def test_it():
            assert pathlib.Path("made.txt").exists() and pathlib.Path(FOLDER).exists()
    """
    git = committed(repository, {"test_it.py": text})
    assert outcomes(replayed(git, job("test_it.py::test_it", (1, 2), "fork"))) == ["pass", "pass"]


@pytest.mark.parametrize("mode", BOTH_MODES)
def test_a_suite_runs_what_is_around_the_test(repository: Path, mode: Mode) -> None:
    text = """
        import random
        SEEN = []

        def test_neighbour():
            SEEN.append(random.random())
            assert False, "not the one that was asked for"

        def test_it():
            assert SEEN == []
    """
    git = committed(repository, {"tests/test_it.py": text})
    alone = job("tests/test_it.py::test_it", (1, 2), mode)
    assert outcomes(replayed(git, alone)) == ["pass", "pass"]
    assert outcomes(replayed(git, alone._replace(suite="tests/test_it.py"))) == ["fail", "fail"]


@pytest.mark.parametrize("mode", BOTH_MODES)
def test_of_a_suite_runs_what_the_project_chooses(repository: Path, mode: Mode) -> None:
    text = """
        import pytest
        SEEN = []

        @pytest.mark.slow
        def test_slow():
            SEEN.append("slow")

        def test_it():
            assert SEEN == []
    """
    settings = '[pytest]\naddopts = -m "not slow"\nmarkers = slow: takes long\n'
    git = committed(repository, {"test_it.py": text, "pytest.ini": settings})
    alone = job("test_it.py::test_it", mode=mode)
    assert outcomes(replayed(git, alone, alone._replace(suite="."))) == ["pass", "pass"]


def test_seeds_stop_when_asked(repository: Path) -> None:
    git = committed(repository, {"test_plain.py": PLAIN})
    runs = stopped_after(2, git, job("test_plain.py::test_plain", SEEDS, "fork"))
    assert [run.seed for run in runs] == [1, 2]


@pytest.mark.parametrize(
    ("test", "mode", "runner", "suite", "reason"),
    [
        ("test_a.py", "process", RUNNER, None, "is no test id"),
        ("../test_a.py::test_it", "process", RUNNER, None, "leads out of the repository"),
        ("/test_a.py::test_it", "process", RUNNER, None, "leads out of the repository"),
        ("test_a.py::test_it", "process", RUNNER, "tests/../..", "leads out of the repository"),
        ("test_a.js::adds", "process", RUNNER, None, "no Python file"),
        ("test_a.py::test_it", "fork", Runner("r", hash_seed="seed"), None, "varies the hash seed"),
        ("test_a.js::adds", "process", Runner("r", python="3.11", command=("{path}",)), None, "cannot be checked"),
    ],
)
def test_a_job_that_cannot_be_evidence_is_refused(
    repository: Path, test: str, mode: Mode, runner: Runner, suite: str | None, reason: str
) -> None:
    git = committed(repository, {"test_a.py": "def test_it(): pass\n"})
    with pytest.raises(CannotTell, match=reason):
        replayed(git, job(test, (1,), mode, runner, suite))
