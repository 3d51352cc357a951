"""The engines: the same events from each of them, and nothing left running whatever ends them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from conftest import git as run_git
from flakeledger.evidence.engines import ENGINES, Abandoned, Event, Work
from flakeledger.evidence.runs import Job
from replaying import are_gone, committed, job, outcomes, processes_with

FILES = {
    "test_steady.py": "def test_steady():\n    pass\n",
    "test_slow.py": "import time\ndef test_slow():\n    time.sleep(600)\n",
    "steady.txt": "no test of Python\n",
}
STEADY, SLOW = "test_steady.py::test_steady", "test_slow.py::test_slow"
ALL = pytest.mark.parametrize("engine", ENGINES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return tmp_path / "tmp"


@pytest.fixture
def work(folder: Path, repository: Path) -> Callable[..., Work]:
    assert folder.exists()
    git = committed(repository, FILES)

    def of(*jobs: Job) -> Work:
        return Work(git, git.head() or "", jobs, 2)

    return of


def nothing_is_left(folder: Path, repository: Path) -> None:
    assert os.listdir(folder) == []
    assert are_gone(str(folder))
    assert len(run_git(repository, "worktree", "list").splitlines()) == 1


def events(engine: str, work: Work, stop: Callable[[], bool] = bool) -> list[Event]:
    with closing(ENGINES[engine](work, stop)) as found:
        return list(found)


@ALL
def test_each_job_has_its_seeds_in_order_and_one_end(
    engine: str, work: Callable[..., Work], folder: Path, repository: Path
) -> None:
    found = events(engine, work(job(STEADY, (5, 4), "fork"), job("steady.txt::x", (1,)), job(STEADY, ())))
    by_job = [[event for event in found if event.number == number] for number in range(3)]
    assert [event.run and event.run.seed for event in by_job[0]] == [5, 4, None]
    assert outcomes([event.run for event in by_job[0] if event.run]) == ["pass", "pass"]
    (refused,) = by_job[1]
    assert refused.refusal is not None
    assert "no Python file" in refused.refusal.reason
    assert by_job[2] == [Event(2)]
    nothing_is_left(folder, repository)


@ALL
def test_once_stopped_nothing_begins(engine: str, work: Callable[..., Work], folder: Path, repository: Path) -> None:
    found = events(engine, work(job(STEADY, (1, 2)), job(STEADY, (3,))), lambda: True)
    assert sorted(found) == [Event(0), Event(1)]
    nothing_is_left(folder, repository)


@ALL
@pytest.mark.parametrize("mode", ["fork", "process"])
def test_what_stop_raises_ends_what_runs(
    engine: str, mode: str, work: Callable[..., Work], folder: Path, repository: Path
) -> None:
    def stop() -> bool:
        if len(processes_with(str(folder))) > (0 if mode == "process" else 1):
            raise Abandoned
        return False

    with pytest.raises(Abandoned):
        events(engine, work(job(SLOW, mode=mode)), stop)  # type: ignore[arg-type]  # one of both modes
    nothing_is_left(folder, repository)


@ALL
def test_whoever_gives_up_listening_ends_what_runs(
    engine: str, work: Callable[..., Work], folder: Path, repository: Path
) -> None:
    found = ENGINES[engine](work(job(STEADY), job(SLOW)), bool)
    next(event for event in found if event.run is not None)
    found.close()
    nothing_is_left(folder, repository)


@ALL
def test_a_mistake_of_ours_is_no_outcome(
    engine: str, work: Callable[..., Work], folder: Path, repository: Path
) -> None:
    def stop() -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        events(engine, work(job(STEADY)), stop)
    nothing_is_left(folder, repository)
