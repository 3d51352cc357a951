"""Units: what one host runs in one go, here on this one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from flakeledger import __version__
from flakeledger.evidence.bundle import bundle_of, receive
from flakeledger.evidence.engines import Abandoned
from flakeledger.evidence.runs import Job
from flakeledger.evidence.units import Unit, shown_by, units_of
from flakeledger.store.git import Git
from replaying import committed, failing_seeds, job

FILES = {
    "src/shop.py": "price = 'committed'\n",
    "test_shop.py": """\
        import shop
        def test_shop():
            assert shop.price == "committed"
        """,
    "test_skipped.py": "import pytest\ndef test_skipped():\n    pytest.skip('not today')\n",
}
SHOP, SKIPPED = "test_shop.py::test_shop", "test_skipped.py::test_skipped"
HERE = "tcp://here:1"


@pytest.fixture(autouse=True)
def quickly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def git(repository: Path) -> Git:
    return committed(repository, FILES)


def units(git: Git, one: Job) -> list[Unit]:
    bundle, data = bundle_of(git, git.head() or "")
    receive(bundle, data, os.environ)
    return list(units_of(4, one, bundle))


def test_a_seed_is_a_unit_and_forks_are_one(git: Git) -> None:
    assert [unit.job.seeds for unit in units(git, job(SHOP, (3, 1)))] == [(3,), (1,)]
    forks = units(git, job(SHOP, (3, 1), "fork"))
    assert [(unit.number, unit.job.seeds, unit.attempt, unit.version) for unit in forks] == [
        (4, (3, 1), 0, __version__)
    ]


def test_the_work_tree_that_the_commit_came_from_is_not_seen(
    git: Git, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a host that shares the file system: PYTHONPATH leads to the work tree, whose file is edited."""
    monkeypatch.setenv("PYTHONPATH", f"{repository}/src")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    (unit,) = units(git, job(SHOP, (1, 2), "fork", python=""))
    (repository / "src" / "shop.py").write_text("price = 'edited'\n")
    found = shown_by(unit, HERE, bool)
    assert (found.worker, found.refusal, found.again) == (HERE, None, None)
    assert failing_seeds(found.runs) == []
    assert len(found.runs) == 2


def test_what_is_no_evidence_names_the_worker(git: Git) -> None:
    (unit,) = units(git, job(SKIPPED))
    (run,) = shown_by(unit, HERE, bool).runs
    assert run.outcome == "skipped"
    assert run.detail.endswith(f"(on the worker {HERE})")
    nowhere = unit._replace(job=unit.job._replace(python="/nowhere/python"))
    refusal = shown_by(nowhere, HERE, bool).refusal
    assert refusal is not None
    assert refusal[0].startswith("`/nowhere/python` cannot be started")


def test_another_version_runs_nothing(git: Git) -> None:
    (unit,) = units(git, job(SHOP, python=sys.executable))
    found = shown_by(unit._replace(version="0.0.9"), HERE, bool)
    assert found.runs == ()
    assert found.refusal is not None
    assert found.refusal[0].startswith(f"it has flakeledger {__version__}, and the units come from")


def test_a_host_without_the_commit_asks_for_it(git: Git) -> None:
    bundle, _ = bundle_of(git, git.head() or "")
    (unit,) = units_of(0, job(SHOP), bundle)
    assert shown_by(unit, HERE, bool).again == "lacks"


def test_a_host_that_is_told_to_end_says_so(git: Git) -> None:
    def stop() -> bool:
        raise Abandoned

    (unit,) = units(git, job(SHOP))
    assert shown_by(unit, HERE, stop).again == "ends"
