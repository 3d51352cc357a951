"""The wings of the house: a module imports only from its own wing and from wings below."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent / "hooks" / "flakeledger"
#: from the ground up
WINGS = ("model", "store", "repo", "verdicts", "rules", "reporters", "evidence", "precommit", "cli")
MODULES = sorted(HOUSE.glob("*/*.py"))
#: files that the runner of replays copies into an interpreter without flakeledger
COPIED = ("seeding_", "faithful")
#: what may import a package from outside, and which
OUTSIDE = {
    "yaml": {f"store/{name}.py" for name in ("yaml_nodes", "yaml_notes", "yaml_parser", "yaml_rows", "row_spans")},
    "ruamel": {"store/ledger_text.py"},
    "pygit2": {"store/objects.py"},
    "subprocess": {
        *{"store/git.py", "store/objects.py", "store/underway.py", "cli/demo_stage.py"},
        *{"evidence/processes.py", "evidence/pins.py"},
    },
    # how long something takes is measured in more rooms; what time it is, only at the edge
    "time": {
        *{"precommit/arguments.py", "cli/demo.py", "store/edits.py"},
        *{"cli/replay.py", "cli/replaying.py", "cli/replay_progress.py"},
        *{f"evidence/{name}.py" for name in ("processes", "pytest_session", "command_run", "seeding_plugin")},
        *{"evidence/pytest_plugin.py", "evidence/seeding_seen.py", "evidence/dask_engine.py", "evidence/sealing.py"},
    },
    "distributed": {"evidence/dask_cluster.py", "evidence/dask_engine.py"},
    "wcwidth": {"reporters/cells.py"},
    "junitparser": {"evidence/junit.py", "evidence/junit_failures.py"},
    "defusedxml": {"evidence/junit.py"},
    "detect_secrets": {"evidence/secrets.py"},
    "jinja2": {"reporters/page.py"},
    "drawsvg": {"reporters/page_charts.py"},
    "tqdm": {"cli/replay_progress.py", "cli/trend.py"},
    "plotille": {"reporters/trend_chart.py"},
}


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                # what is copied into the project's own interpreter knows its siblings alone
                assert path.name.startswith(COPIED), f"{path}: imports name their wing in full"
                assert node.level == 1, path
                assert (node.module or "").startswith(COPIED), f"{path}: {node.module} is not copied beside it"
                continue
            found.add(node.module or "")
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return found


def test_every_module_has_a_wing() -> None:
    assert {path.parent.name for path in MODULES} == set(WINGS)
    assert {path.name for path in HOUSE.glob("*.py")} == {"__init__.py"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_module_imports_only_from_its_own_wing_and_below(path: Path) -> None:
    here = WINGS.index(path.parent.name)
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "flakeledger" and len(parts) > 1 and parts[1] in WINGS:
            assert WINGS.index(parts[1]) <= here, f"{path.parent.name}/{path.name} imports {name} from above"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_each_outside_world_has_its_room(path: Path) -> None:
    room = f"{path.parent.name}/{path.name}"
    for name in {name.split(".")[0] for name in imported(path)} & OUTSIDE.keys():
        assert room in OUTSIDE[name], f"{room} imports {name}"


@pytest.mark.parametrize("path", [path for path in MODULES if path.name.startswith(COPIED)], ids=lambda path: path.name)
def test_what_is_copied_needs_no_flakeledger(path: Path) -> None:
    outside = {name.split(".")[0] for name in imported(path)} - sys.stdlib_module_names
    assert outside <= {"pytest", "hypothesis"}


def test_the_model_does_no_input_or_output() -> None:
    for path in HOUSE.glob("model/*.py"):
        assert not imported(path) & {"os", "pathlib", "subprocess", "sys", "time", "socket", "io"}, path.name


def test_the_hooks_start_without_heavy_imports() -> None:
    """What a hook imports before it reads anything: no YAML, no libgit2."""
    hooks = "flakeledger.precommit.check_ledgers, flakeledger.precommit.check_change"
    code = f"import sys; import {hooks}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "flakeledger.precommit.check_ledgers" in loaded
    assert not loaded & {"yaml", "pygit2", "ruamel", "asyncio", "http", "email"}
