"""The plugin's options, markers and start, and that it is inert where there is nothing for it to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import noon
from plugin_runs import FROZEN, PLUGIN, SUITE, read_log, run, suite
from world import World

MARKED = """
import pytest

@pytest.mark.property_id("PROP-2")
@pytest.mark.frozen("PROP-2", runner_class="local-fixture")
def test_marked():
    pass
"""


ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def typed(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with the plugin, without others, and nothing else said."""
    return started(where, ALONE, *PLUGIN, *arguments)


def started(where: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in an environment that says nothing else about it."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    variables = clean | {"COLUMNS": "400"} | environment
    return subprocess.run(command, cwd=where, env=variables, capture_output=True, text=True, check=False, timeout=300)


def test_installed_it_is_there_beside_all_others_and_can_be_left_out(tmp_path: Path) -> None:
    world = suite(World.new(tmp_path / "world"), "def test_late():\n    raise TimeoutError\n", ["test_late"])
    now = f"--flakeledger-now={noon(FROZEN)}"
    honoured = started(world.root, {}, now, SUITE)
    assert honoured.returncode == 0
    assert f"excused: {SUITE}::test_late: frozen, @finley owns it" in honoured.stdout
    without = started(world.root, {}, "-p", "no:flakeledger", SUITE)
    assert without.returncode == 1
    assert "flakeledger" not in without.stdout.replace("flakeledger-0", "")


def test_without_ledgers_it_is_inert_but_its_markers_are_known(tmp_path: Path) -> None:
    (tmp_path / "test_marked.py").write_text(MARKED)
    (tmp_path / "ledgers").mkdir()  # somebody else's
    (tmp_path / "conftest.py").write_text(
        "import sys\n\ndef pytest_unconfigure():\n"
        "    print(sorted(name for name in sys.modules if name.startswith('flakeledger')))\n"
    )
    done = typed(tmp_path, "--strict-markers")
    assert done.returncode == 0
    assert "flakeledger:" not in done.stdout
    loaded = done.stdout.splitlines()[-1]
    assert "flakeledger.evidence.pytest_plugin" in loaded
    assert "honouring" not in loaded
    assert "frozen_tests" not in loaded


def test_a_log_is_written_without_ledgers_and_in_every_mode(tmp_path: Path) -> None:
    (tmp_path / "test_marked.py").write_text(MARKED)
    done = typed(tmp_path, "--flakeledger=off", "--flakeledger-log=new/folder/log.jsonl", "-k", "marked")
    assert done.returncode == 0
    assert "flakeledger:" not in done.stdout
    lines = read_log((tmp_path / "new/folder/log.jsonl").read_text())
    assert [(line["when"], line["outcome"]) for line in lines] == [
        ("setup", "passed"),
        ("call", "passed"),
        ("teardown", "passed"),
    ]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--flakeledger=maybe", "invalid choice: 'maybe'"),
        ("--flakeledger-now=2026-03-12T12:00:00", "an instant needs its zone: 2026-03-12T12:00:00Z"),
        ("--flakeledger-now=tomorrow", "an instant is written 2026-11-19T12:00:00Z"),
        ("--flakeledger-log=test_marked.py/log", "cannot be written: "),
    ],
)
def test_a_wrong_option_is_bad_usage(tmp_path: Path, option: str, said: str) -> None:
    (tmp_path / "test_marked.py").write_text(MARKED)
    done = typed(tmp_path, option)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_the_options_explain_themselves(tmp_path: Path) -> None:
    out = typed(tmp_path, "--help").stdout
    for option in ("--flakeledger={off,report,enforce}", "--flakeledger-now=INSTANT", "--flakeledger-log=FILE"):
        assert option in out


def test_now_is_the_clock_where_no_instant_is_given(tmp_path: Path) -> None:
    """The freeze ended long ago on every clock that runs this."""
    text = "def test_late():\n    raise TimeoutError\n"
    world = suite(World.new(tmp_path / "world"), text, ["test_late"])
    world.sub("ledgers/freezes.yaml", "2026-03-", "2016-03-")
    done = typed(world.root, SUITE)
    assert "its freeze ended at 2016-03-27T00:00:00Z; @finley owned it" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--rootdir=tests", "nothing is excused: {root}/tests has no ledgers; fix: pytest --rootdir={root}"),
        ("--rootdir=.", "1 freeze open for pinned-py311 (enforce)"),
    ],
)
def test_ledgers_above_the_rootdir_are_told(tmp_path: Path, option: str, said: str) -> None:
    world = suite(World.new(tmp_path / "world"), "def test_one():\n    raise TimeoutError\n", ["test_one"])
    result = run(world, option, SUITE)
    assert result.header == f"flakeledger: {said.format(root=world.root)}"
    assert result.outcomes("test_one") == ["failed" if "fix" in said else "xfailed"]
    assert run(world, option, "--flakeledger=off", SUITE).header == ""
