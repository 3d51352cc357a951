"""Sessions of pytest: whatever a test does to its process, its files or its pipes, the next seed runs.

The tests that are replayed here behave as badly as tests can.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import git as run_git
from flakeledger.evidence.runner import run_seeds
from flakeledger.evidence.runs import Mode
from flakeledger.evidence.worktree import worktrees
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Runner
from replaying import BOTH_MODES, HANGS, SLEEP, are_gone, committed, job, outcomes, replayed

BAD = f"""
    import os, pathlib, resource, shutil, signal, subprocess, sys, threading, time

    def hang():
        time.sleep({HANGS})
        pathlib.Path(os.environ["WOKE"]).touch()

    def test_sleeps():
        hang()

    def test_cannot_be_ended():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen(["sleep", "{SLEEP}"])
        time.sleep(1000)

    def test_leaves_a_process():
        subprocess.Popen(["sleep", "{SLEEP}"])

    def test_leaves_a_process_in_another_session():
        subprocess.Popen(["sleep", "{SLEEP}"], start_new_session=True)

    def test_leaves_a_fork_that_holds_everything():
        if os.fork() == 0:
            os.setsid()
            time.sleep(1000)

    def test_leaves_a_thread():
        threading.Thread(target=hang).start()

    def test_comes_back_twice():
        os.fork()

    def test_child_fails():
        if os.fork() == 0:
            raise ValueError

    def test_ends_its_process():
        os._exit(0)

    def test_crashes():
        os.kill(os.getpid(), signal.SIGSEGV)

    def test_kills_its_group():
        os.killpg(0, signal.SIGKILL)

    def test_kills_its_parent():
        os.kill(os.getppid() if os.environ["MODE"] == "fork" else os.getpid(), signal.SIGKILL)
        time.sleep(1000)

    def test_closes_its_streams():
        for number in (0, 1, 2):
            os.close(number)

    def test_closes_all_but_its_streams():
        os.closerange(3, 100)

    def test_prints_much():
        for _ in range(3000):
            os.write(1, b"x" * 1023 + b"\\n")
            print("y" * 1023, file=sys.stderr)

    def test_goes_elsewhere():
        os.chdir("/")

    def test_removes_its_folder():
        shutil.rmtree(os.getcwd())

    def test_removes_its_repository():
        os.unlink(".git")

    def test_forbids_its_folder():
        os.makedirs("a/b/c")
        pathlib.Path("a/b/c/file").write_text("x")
        os.chmod("a/b", 0)

    def test_replaces_its_folder():
        here = os.getcwd()
        os.chdir("/")
        shutil.rmtree(here)
        pathlib.Path(here).write_text("a file")

    def test_has_no_memory():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        bytearray(1 << 31)

    def test_fine():
        assert pathlib.Path("test_bad.py").exists()
"""
ENDS = """
    import atexit, os, threading, time

    def tell(word):
        with open(os.environ["WOKE"], "a") as file:
            file.write(word + " ")

    def test_ends():
        atexit.register(tell, "called")
        threading.Thread(target=lambda: (time.sleep(0.2), tell("waited"))).start()
"""
#: test -> its outcome in a process, and in a fork
WAYS: dict[str, tuple[str, str]] = {
    "test_leaves_a_process": ("pass", "pass"),
    "test_leaves_a_process_in_another_session": ("pass", "pass"),
    "test_leaves_a_fork_that_holds_everything": ("pass", "pass"),
    "test_comes_back_twice": ("pass", "pass"),
    "test_child_fails": ("pass", "pass"),
    "test_ends_its_process": ("error", "error"),
    "test_crashes": ("error", "error"),
    "test_kills_its_group": ("error", "error"),
    "test_kills_its_parent": ("error", "error"),
    "test_closes_its_streams": ("pass", "pass"),
    "test_prints_much": ("pass", "pass"),
    "test_goes_elsewhere": ("pass", "pass"),
    "test_removes_its_folder": ("pass", "pass"),
    "test_removes_its_repository": ("pass", "pass"),
    "test_forbids_its_folder": ("pass", "pass"),
    "test_replaces_its_folder": ("pass", "pass"),
    "test_has_no_memory": ("fail", "fail"),
}


@pytest.fixture(autouse=True)
def _few_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def woke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is there once something woke that was to be ended while it slept."""
    monkeypatch.setenv("WOKE", str(tmp_path / "woke"))
    return tmp_path / "woke"


@pytest.mark.parametrize("mode", BOTH_MODES)
def test_a_bad_test_does_not_harm_the_next(repository: Path, monkeypatch: pytest.MonkeyPatch, mode: Mode) -> None:
    monkeypatch.setenv("MODE", mode)
    git = committed(repository, {"test_bad.py": BAD})
    jobs = [job(f"test_bad.py::{name}", (1, 2) if mode == "fork" else (1,), mode) for name in WAYS]
    runs = replayed(git, *jobs, job("test_bad.py::test_fine", (1,), mode))
    column = BOTH_MODES.index(mode)
    expected = [ways[column] for ways in WAYS.values() for _ in range(1 + column)]
    assert outcomes(runs) == [*expected, "pass"], [run.detail for run in runs]
    assert are_gone(SLEEP)


@pytest.mark.parametrize(
    ("mode", "test"),
    [("process", "test_cannot_be_ended"), ("fork", "test_cannot_be_ended"), ("process", "test_sleeps")],
)
def test_a_test_that_hangs_is_ended_with_all_that_it_started(
    repository: Path, woke: Path, mode: Mode, test: str
) -> None:
    git = committed(repository, {"test_bad.py": BAD})
    seeds = (1, 2) if mode == "fork" else (1,)
    runs = replayed(git, job(f"test_bad.py::{test}", seeds, mode, timeout=3), job("test_bad.py::test_fine", (1,), mode))
    assert outcomes(runs) == [*["timeout"] * len(seeds), "pass"]
    assert runs[0].detail == "it took longer than 3 seconds"
    assert are_gone(SLEEP)
    assert not woke.exists()


def test_the_end_of_a_process_is_not_cut_short(repository: Path, woke: Path) -> None:
    """Threads are waited for, and what a test registered for the end of its process is called, after them."""
    git = committed(repository, {"test_ends.py": ENDS})
    assert outcomes(replayed(git, job("test_ends.py::test_ends"))) == ["pass"]
    assert woke.read_text() == "waited called "


def test_a_thread_that_never_ends_does_not_hold_the_session(repository: Path, woke: Path) -> None:
    git = committed(repository, {"test_bad.py": BAD})
    assert outcomes(replayed(git, job("test_bad.py::test_leaves_a_thread", timeout=5 * HANGS))) == ["pass"]
    assert not woke.exists(), "it was waited for"


@pytest.mark.parametrize("mode", BOTH_MODES)
def test_a_run_that_is_given_up_leaves_nothing(repository: Path, mode: Mode) -> None:
    git = committed(repository, {"test_bad.py": BAD})
    with worktrees(git, git.head() or "", 1) as (worktree,):
        runs = run_seeds(job("test_bad.py::test_fine", (1, 2, 3), mode), worktree, lambda: False)
        assert next(runs).outcome == "pass"
        runs.close()  # type: ignore[attr-defined]  # every way of running is a generator
        assert are_gone(worktree.path)  # others may replay on this machine
    assert run_git(repository, "worktree", "list").count("\n") == 0
    assert not os.path.exists(worktree.path)


def test_threads_that_run_once_tests_are_collected_refuse_a_fork(repository: Path) -> None:
    text = """
        import threading, time
        threading.Thread(target=time.sleep, args=(1000,), daemon=True, name="ticker").start()
        def test_it(): pass
    """
    git = committed(repository, {"test_it.py": text})
    with pytest.raises(CannotTell, match=r"threads run once they are collected.*ticker"):
        replayed(git, job("test_it.py::test_it", mode="fork"))
    assert outcomes(replayed(git, job("test_it.py::test_it"))) == ["pass"]


BROKEN: list[tuple[str, dict[str, str], str, str]] = [
    (
        "a module that cannot be imported",
        {"test_it.py": "import nowhere_to_be_found\ndef test_it(): pass\n"},
        "error",
        "No module named 'nowhere_to_be_found'",
    ),
    ("a module that is no Python", {"test_it.py": "def test_it(:\n"}, "error", "SyntaxError"),
    (
        "a conftest that fails",
        {"test_it.py": "def test_it(): pass\n", "conftest.py": "raise ValueError('bad conftest')\n"},
        "error",
        "bad conftest",
    ),
    (
        "an option that nobody knows",
        {"test_it.py": "def test_it(): pass\n", "pytest.ini": "[pytest]\naddopts = --nope\n"},
        "error",
        "unrecognized arguments: --nope",
    ),
    (
        "a module that skips itself",
        {"test_it.py": "import pytest\npytest.importorskip('nowhere')\ndef test_it(): pass\n"},
        "skipped",
        "could not import 'nowhere'",
    ),
    ("a file that is not there", {"other.txt": "x"}, "not_run", "there is no such test"),
    (
        "a test that is deselected",
        {"test_it.py": "def test_it(): pass\n", "pytest.ini": "[pytest]\naddopts = --deselect test_it.py::test_it\n"},
        "not_run",
        "it was deselected",
    ),
    (
        "a hook that fails",
        {
            "test_it.py": "def test_it(): pass\n",
            "conftest.py": "def pytest_runtest_logstart(): raise ValueError('bad hook')\n",
        },
        "error",
        "ValueError: bad hook",
    ),
]


@pytest.mark.parametrize("mode", BOTH_MODES)
@pytest.mark.parametrize(("files", "outcome", "said"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_test_that_cannot_be_run_says_why(
    repository: Path, mode: Mode, files: dict[str, str], outcome: str, said: str
) -> None:
    (run,) = replayed(committed(repository, files), job("test_it.py::test_it", mode=mode))
    assert run.outcome == outcome, run.detail
    assert said in run.detail
    assert not run.detail.startswith("E ")  # pytest's mark of a line, and no word of a sentence


def test_an_interpreter_that_cannot_run_pytest_is_refused(repository: Path, tmp_path: Path) -> None:
    git = committed(repository, {"test_it.py": "def test_it(): pass\n"})
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    with pytest.raises(CannotTell, match="pytest cannot be imported by"):
        replayed(git, job("test_it.py::test_it", python=str(bare / "bin" / "python")))
    with pytest.raises(CannotTell, match="cannot be started: No such file"):
        replayed(git, job("test_it.py::test_it", python=str(bare / "bin" / "nothing")))


REFUSED: list[tuple[Runner, str, str]] = [
    (Runner("r", python="3.1"), "", "says Python 3.1, and the tests run on 3."),
    (
        Runner("r", timezone="Asia/Tokyo"),
        "import os, time\nos.environ['TZ'] = 'UTC'\ntime.tzset()\n",
        "says the time zone Asia/Tokyo",
    ),
    (Runner("r", timezone="Nowhere/City"), "", "the time zone `Nowhere/City` is not known here"),
]


@pytest.mark.parametrize(("runner", "conftest", "reason"), REFUSED)
def test_another_environment_than_the_runner_says_is_refused(
    repository: Path, runner: Runner, conftest: str, reason: str
) -> None:
    git = committed(repository, {"test_it.py": "def test_it(): pass\n", "conftest.py": conftest})
    with pytest.raises(CannotTell, match=reason):
        replayed(git, job("test_it.py::test_it", runner=runner))


def test_a_fixture_that_changes_the_time_zone_is_refused(repository: Path) -> None:
    conftest = """
        import os, time, pytest

        @pytest.fixture(autouse=True)
        def elsewhere():
            os.environ["TZ"] = "Asia/Tokyo"
            time.tzset()
    """
    git = committed(repository, {"test_it.py": "def test_it(): pass\n", "conftest.py": conftest})
    with pytest.raises(CannotTell, match="says the time zone UTC"):
        replayed(git, job("test_it.py::test_it", mode="fork"))


def test_the_hash_seed_varies_where_the_runner_says_so(repository: Path) -> None:
    text = """
        import os, sys
        def test_it(): raise ValueError(os.environ["PYTHONHASHSEED"], hash("text"), os.environ["TZ"])
    """
    git = committed(repository, {"test_it.py": text})
    runner = Runner("r", timezone="Europe/Madrid", hash_seed="seed")
    runs = replayed(
        git, job("test_it.py::test_it", (5, 6), runner=runner), job("test_it.py::test_it", (5,), runner=runner)
    )
    assert runs[0].detail == runs[2].detail != runs[1].detail
    assert "'5'" in runs[0].detail
    assert "Europe/Madrid" in runs[0].detail
    assert runs[0].environment is not None
    assert runs[0].environment.hash_seed == "5"
    assert runs[0].environment.offsets[:2] == (3600, 7200)


@pytest.mark.parametrize("mode", BOTH_MODES)
def test_tracked_data_files_that_a_test_opens_are_noted(repository: Path, mode: Mode) -> None:
    text = """
        import os, pathlib, sqlite3
        pathlib.Path("data/early.txt").read_text()

        def test_it(tmp_path):
            open(os.path.abspath("data/late.txt")).close()
            os.chdir("data")
            open(b"bytes.txt", "rb").close()
            sqlite3.connect("base.sqlite").close()
            for path in ("untracked.txt", str(tmp_path / "x.txt")):
                open(path, "w").close()
            open("module.py").close()
    """
    names = ("early.txt", "late.txt", "bytes.txt", "base.sqlite", "never.txt", "module.py")
    git = committed(repository, {"test_it.py": text, **{f"data/{name}": "" for name in names}})
    runs = replayed(git, job("test_it.py::test_it", (1, 2), mode))
    assert outcomes(runs) == ["pass", "pass"], runs[0].detail
    assert runs[0].touched == tuple(f"data/{name}" for name in ("base.sqlite", "bytes.txt", "early.txt", "late.txt"))
    assert runs[0].touched == runs[1].touched


def test_what_pytest_reads_to_configure_itself_is_none_of_the_test(repository: Path) -> None:
    text = """
        def test_it(): pass
        def test_reads(): open("tox.ini").close()
    """
    git = committed(repository, {"test_it.py": text, "pyproject.toml": "", "tox.ini": "[tox]\n"})
    runs = replayed(git, job("test_it.py::test_it", (1,)), job("test_it.py::test_reads", (1,)))
    assert outcomes(runs) == ["pass", "pass"], runs[0].detail
    assert [run.touched for run in runs] == [(), ("tox.ini",)]


ADDOPTS = """
    [pytest]
    addopts = -n 2 --reruns 3 --cov=. --cov-fail-under=90 -x --lf --sw -m "not slow" -k nothing --strict-markers
        --flakeledger enforce --randomly-seed=3
    markers = slow: takes long
"""
SLOW = """
    import pytest
    RUNS = []

    @pytest.mark.slow
    @pytest.mark.property_id("PROP-1")
    @pytest.mark.flaky(reruns=3)
    def test_it(worker_id):
        RUNS.append(worker_id)
        assert RUNS != ["master"]
"""


@pytest.mark.parametrize("mode", BOTH_MODES)
def test_options_of_the_project_neither_distribute_nor_repeat_nor_deselect(
    repository: Path, monkeypatch: pytest.MonkeyPatch, mode: Mode
) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    git = committed(repository, {"test_it.py": SLOW, "pytest.ini": ADDOPTS})
    (run,) = replayed(git, job("test_it.py::test_it", mode=mode))
    assert (run.outcome, run.failure) == ("fail", "AssertionError"), run.detail


# a debugger without a terminal calls the test passed; a plan of fixtures gives the test none of them
@pytest.mark.parametrize("addopts", ["--trace", "--pdb", "--setup-plan", "--setup-only"])
def test_options_under_which_a_test_is_not_run_as_it_is(repository: Path, addopts: str) -> None:
    text = """
        import pytest
        @pytest.fixture
        def two():
            return 2
        def test_it(two):
            raise TimeoutError(f"fixture: {two}")
    """
    files = {"test_it.py": text, "pytest.ini": f"[pytest]\naddopts = {addopts}\n"}
    (run,) = replayed(committed(repository, files), job("test_it.py::test_it"))
    assert (run.outcome, run.detail) == ("fail", "TimeoutError: fixture: 2")


@pytest.mark.parametrize("addopts", ["-p no:cacheprovider --strict-config", "-p no:randomly -p no:flakeledger", "-s"])
def test_options_that_block_what_we_move_or_block(repository: Path, addopts: str) -> None:
    files = {"test_it.py": "def test_it(): pass\n", "pytest.ini": f"[pytest]\naddopts = {addopts}\n"}
    assert outcomes(replayed(committed(repository, files), job("test_it.py::test_it"))) == ["pass"]


def test_the_tests_process_has_nothing_of_flakeledger_that_hypothesis_draws_from(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hypothesis draws constants of local modules, and takes none of site-packages for local."""
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    text = """
        import sys

        def test_it():
            ours = [name for name in sys.modules if name.startswith(("flakeledger", "__main__"))]
            assert "flakeledger" not in ours and len(ours) > 3
            assert all("/site-packages/" in sys.modules[name].__file__ for name in ours)
    """
    (run,) = replayed(committed(repository, {"test_it.py": text}), job("test_it.py::test_it"))
    assert run.outcome == "pass", run.detail


def test_the_module_is_found_as_python_m_pytest_finds_it(repository: Path) -> None:
    files = {
        "package/__init__.py": "VALUE = 1\n",
        "tests/test_it.py": "from package import VALUE\ndef test_it(): pass\n",
    }
    assert outcomes(replayed(committed(repository, files), job("tests/test_it.py::test_it"))) == ["pass"]


# the working tree


def _environment_with(folder: Path, pth: str) -> str:
    """A virtual environment that sees our packages, and has one more `.pth` file; its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (site / "project.pth").write_text("\n".join([*ours, pth]) + "\n")
    return str(folder / "bin" / "python")


VALUE = """
    import subprocess, sys
    from package import VALUE

    def test_it():
        assert VALUE == 1
        assert subprocess.check_output([sys.executable, "-c", "import package; print(package.VALUE)"]) == b"1\\n"
"""
FINDER = """
    import sys
    from importlib.machinery import PathFinder
    from importlib.util import spec_from_file_location

    MAPPING = {{"package": {folder!r}}}
    NAMESPACES = {{}}

    class Finder:
        @classmethod
        def find_spec(cls, name, path=None, target=None):
            if name in MAPPING:
                return spec_from_file_location(name, MAPPING[name] + "/__init__.py", submodule_search_locations=[])

    sys.meta_path.append(Finder)
"""


@pytest.mark.parametrize("place", ["outside", "inside"])
@pytest.mark.parametrize("way", ["path file", "finder", "PYTHONPATH"])
def test_edits_of_the_working_tree_are_not_seen(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, place: str
) -> None:
    source = repository / "src" / "package" / "__init__.py"
    git = committed(repository, {"src/package/__init__.py": "VALUE = 1\n", "tests/test_it.py": VALUE})
    source.write_text("VALUE = 2\n")
    (repository / "tests" / "test_it.py").write_text("def test_it(): assert False, 'edited'\n")
    environment = tmp_path / "venv" if place == "outside" else repository / ".venv"
    lines = {"path file": str(repository / "src"), "finder": "import __editable___project_finder", "PYTHONPATH": ""}
    python = _environment_with(environment, lines[way])
    if way == "finder":
        (site,) = environment.glob("lib/python*/site-packages")
        text = FINDER.format(folder=str(source.parent))
        (site / "__editable___project_finder.py").write_text("\n".join(line[4:] for line in text.splitlines()))
    if way == "PYTHONPATH":
        monkeypatch.setenv("PYTHONPATH", str(repository / "src"))
    runs = replayed(git, job("tests/test_it.py::test_it", python=python))
    assert outcomes(runs) == ["pass"], runs[0].detail


def test_a_module_that_came_from_the_working_tree_all_the_same_is_refused(repository: Path, tmp_path: Path) -> None:
    """Imported by the environment itself, before anything can be led elsewhere."""
    git = committed(repository, {"src/package.py": "", "test_it.py": "def test_it(): pass\n"})
    line = f"import sys; sys.path.insert(0, {str(repository / 'src')!r}); import package"
    python = _environment_with(tmp_path / "venv", line)
    with pytest.raises(CannotTell, match=r"imported .*src/package\.py from the working tree"):
        replayed(git, job("test_it.py::test_it", python=python))


def test_a_folder_that_a_program_looks_for_by_name_keeps_its_name(repository: Path) -> None:
    text = "import pathlib\ndef test_it(): assert pathlib.Path.cwd().name == 'repository'\n"
    (run,) = replayed(committed(repository, {"test_it.py": text}), job("test_it.py::test_it"))
    assert run.outcome == "pass", run.detail
