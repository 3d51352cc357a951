"""The GitHub Action: what the service accepts, and its steps run on the checkouts that the service makes."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from flakeledger.reporters.comment import MARKER
from pages import ROOT
from service_steps import Done, Hosted, Runner, bad, checked_out, good, host, outputs
from steps import Edit
from world import CLOCK, World

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SHELL = [step for step in STEPS if "run" in step]
DEFAULTS = {f"inputs.{name}": given["default"] for name, given in ACTION["inputs"].items()}
#: all that an installation is made of
SOURCES = ("action.yml", "setup.cfg", "pyproject.toml", "README.md", "LICENSE", "hooks", "schema", "docs")


def test_it_is_what_the_service_accepts() -> None:
    vendored = files("check_jsonschema").joinpath("builtin_schemas", "vendor", "github-actions.json")
    schema = json.loads(vendored.read_text(encoding="utf-8"))
    assert [error.message for error in Draft7Validator(schema).iter_errors(ACTION)] == []
    broken = ACTION | {"runs": {"using": "composite", "steps": [{"run": "x"}]}}
    assert list(Draft7Validator(schema).iter_errors(broken))


def test_no_expression_reaches_a_shell() -> None:
    assert [step["name"] for step in SHELL if "${{" in step["run"]] == []
    assert {step["shell"] for step in SHELL} == {"bash"}


def test_every_expression_names_what_there_is() -> None:
    known = {f"inputs.{name}" for name in ACTION["inputs"]}
    set_by = {step["id"]: step.get("run", "python-path=") for step in STEPS if "id" in step}
    used = re.findall(r"\$\{\{ ([^}]*) \}\}", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert len(used) >= len(known)
    for expression in used:
        if expression not in known:
            _, step, _, name = expression.split(".")
            assert re.search(rf"\b{name}(=|<<)", set_by[step]), expression
    assert known <= set(used)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's folder for temporary files, after the step that installs flakeledger ran in it.

    The machine may have no network: what flakeledger needs is taken from where these tests found it.
    """
    base = tmp_path_factory.mktemp("action")
    action, temp, workspace = base / "action", base / "temp", base / "workspace"
    for folder in (action, temp, workspace):
        folder.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, action / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(ROOT / name, action / name)
    here = sysconfig.get_path("purelib")
    offline = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PYTHONPATH": here}
    # a module of the judged repository that would take the place of one of Python's
    (workspace / "venv.py").write_text("raise SystemExit('the repository was run')\n")
    runner = Runner(
        workspace,
        base / "files",
        offline | {"RUNNER_TEMP": str(temp), "GITHUB_ACTION_PATH": str(action)},
        {"steps.python.outputs.python-path": sys.executable},
    )
    done = runner.run(SHELL[:1])
    assert done.code == 0, done.output
    (packages,) = (temp / "flakeledger").glob("lib/python*/site-packages")
    assert (packages / "flakeledger").is_dir()
    (packages / "needs.pth").write_text(f"{here}\n")
    return temp


class Ran:
    """The action after its steps ran."""

    def __init__(self, runner: Runner, done: Done) -> None:
        self.code = done.code
        self.log = done.output
        self.summary = runner.summary.read_text(encoding="utf-8") if runner.summary.exists() else ""
        self.outputs = {name: runner.filled(given["value"]) for name, given in ACTION["outputs"].items()}

    @property
    def errors(self) -> list[str]:
        """The annotations that GitHub would show as errors."""
        return [line for line in self.log.splitlines() if line.startswith("::error ")]


def runner_of(
    installed: Path, workspace: Path, event_name: str, event: object, folder: Path, inputs: Mapping[str, str]
) -> Runner:
    """The runner of a job in an event, with the repository in its workspace."""
    folder.mkdir()
    (folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
    where = workspace / inputs.get("working-directory", ".")
    environment = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": event_name,
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_SHA": World(where).head(),
        "GITHUB_REF": "refs/pull/7/merge" if event_name == "pull_request" else "refs/heads/main",
        "RUNNER_TEMP": str(installed),
        # what a job may have set for itself, and what would be imported then
        "PYTHONPATH": str(where),
    }
    values = DEFAULTS | {f"inputs.{name}": value for name, value in inputs.items()}
    return Runner(workspace, folder / "files", environment, values)


def ran(installed: Path, world: World, event_name: str, event: object, folder: Path, **inputs: str) -> Ran:
    """The action in a checkout, in an event."""
    runner = runner_of(installed, world.root, event_name, event, folder, inputs)
    return Ran(runner, runner.run(SHELL[1:]))


def pull_request(hosted: Hosted) -> dict[str, Any]:
    return {"pull_request": {"number": 7, "head": {"sha": hosted.work}, "base": {"ref": "main", "sha": hosted.main}}}


def whole_checkout(hosted: Hosted, where: Path) -> World:
    """What actions/checkout makes with `fetch-depth: 0`."""
    fetched = ("+refs/heads/*:refs/remotes/origin/*", f"+{hosted.merge}:refs/remotes/pull/7/merge")
    return checked_out(hosted, where, "refs/remotes/pull/7/merge", *fetched)


def test_a_good_pull_request_passes_and_has_its_comment(installed: Path, tmp_path: Path) -> None:
    hosted = host(tmp_path / "hosted", good)
    world = whole_checkout(hosted, tmp_path / "checkout")
    world.write("yaml.py", "raise SystemExit('the repository was run')\n")
    found = ran(installed, world, "pull_request", pull_request(hosted), tmp_path / "runner")
    assert (found.code, found.outputs["exit-code"], found.errors) == (0, "0", [])
    comment = found.outputs["comment"]
    assert comment.startswith(f"{MARKER}\n**flakeledger refuses nothing in this change**")
    assert f"freeze opened | `{CLOCK}`" in comment
    assert Path(found.outputs["comment-file"]).read_text(encoding="utf-8") == f"{comment}\n"
    assert found.summary == f"{comment}\n"


def test_a_bad_pull_request_fails_with_annotations_and_has_its_comment(installed: Path, tmp_path: Path) -> None:
    hosted = host(tmp_path / "hosted", bad)
    world = whole_checkout(hosted, tmp_path / "checkout")
    found = ran(installed, world, "pull_request", pull_request(hosted), tmp_path / "runner")
    assert (found.code, found.outputs["exit-code"]) == (1, "1")
    assert set(re.findall("(?m)^::error .*title=([a-z-]+)", found.log)) >= {"mixed-change", "freeze-with-edit"}
    assert "flakeledger refuses this change" in found.outputs["comment"]
    assert found.log.splitlines()[-1].startswith("flakeledger refuses this change: the annotations")
    assert found.summary.count(MARKER) == 1


def test_a_shallow_checkout_without_the_base_fails_and_says_how_to_mend_it(installed: Path, tmp_path: Path) -> None:
    hosted = host(tmp_path / "hosted", good)
    world = checked_out(hosted, tmp_path / "checkout", hosted.merge, "--depth=1", hosted.merge)
    found = ran(installed, world, "pull_request", pull_request(hosted), tmp_path / "runner")
    assert (found.code, found.outputs["exit-code"]) == (2, "2")
    (error,) = found.errors
    assert "the clone is shallow" in error
    assert "actions/checkout with `fetch-depth: 2` (or 0)" in error
    assert "flakeledger cannot tell" in found.outputs["comment"]
    assert "`fetch-depth: 2`" in found.summary


def test_a_push_to_the_default_branch_is_judged_as_well(installed: Path, tmp_path: Path) -> None:
    hosted = host(tmp_path / "hosted", bad)
    hosted.world.git("merge", "-q", "--ff-only", hosted.merge)
    world = checked_out(
        hosted, tmp_path / "checkout", "refs/remotes/origin/main", "+refs/heads/*:refs/remotes/origin/*"
    )
    event = {"ref": "refs/heads/main", "before": hosted.main, "repository": {"default_branch": "main"}}
    found = ran(installed, world, "push", event, tmp_path / "runner")
    assert found.outputs["exit-code"] == "1"
    assert "mixed-change" in found.outputs["comment"]


@pytest.mark.parametrize(
    ("base", "code"), [("origin/main", 0), ("nowhere; touch pwned", 2), ("--now=2020-01-01T00:00:00Z", 2)]
)
def test_the_base_is_a_revision_and_nothing_else(base: str, code: int, installed: Path, tmp_path: Path) -> None:
    hosted = host(tmp_path / "hosted", good)
    world = whole_checkout(hosted, tmp_path / "checkout")
    found = ran(installed, world, "workflow_dispatch", {}, tmp_path / "runner", base=base)
    assert (found.code, found.outputs["exit-code"]) == (code, str(code))
    assert sorted(path.name for path in world.root.iterdir()) == [".git", "ledgers", "src", "tests"]


def test_the_repository_may_lie_in_a_folder(installed: Path, tmp_path: Path) -> None:
    hosted = host(tmp_path / "hosted", good)
    whole_checkout(hosted, tmp_path / "workspace" / "shop")
    runner = runner_of(
        installed,
        tmp_path / "workspace",
        "pull_request",
        pull_request(hosted),
        tmp_path / "runner",
        {"working-directory": "shop"},
    )
    assert runner.run(SHELL[1:]).code == 0


def test_no_text_can_end_the_comment(installed: Path, tmp_path: Path) -> None:
    hosted = host(tmp_path / "hosted", good)
    world = whole_checkout(hosted, tmp_path / "checkout")
    runner = runner_of(installed, world.root, "pull_request", pull_request(hosted), tmp_path / "runner", {})
    (tell,) = (step for step in STEPS if step.get("id") == "tell")
    assert runner.run([tell, tell]).code == 0
    delimiters = [re.findall(r"(?m)^comment<<(comment-[0-9a-f]{32})$", text) for text in runner.written]
    assert all(len(found) == 1 for found in delimiters)
    assert delimiters[0] != delimiters[1]


def test_outputs_are_read_as_the_runner_reads_them() -> None:
    assert outputs("a=1\nb<<end\nx=2\ny\nend\nc=\n") == {"a": "1", "b": "x=2\ny", "c": ""}


COMMENTING: dict[str, Any] = yaml.safe_load(
    (ROOT / "docs" / "recipes" / "github-comment.yml").read_text(encoding="utf-8")
)["jobs"]


@pytest.mark.parametrize(("edit", "said"), [(good, "refuses nothing in this change"), (bad, "refuses this change")])
def test_the_second_workflow_reads_a_pull_request_as_data(edit: Edit, said: str, tmp_path: Path) -> None:
    hosted = host(tmp_path / "hosted", edit)
    world = checked_out(hosted, tmp_path / "checkout", "origin/main", "+refs/heads/main:refs/remotes/origin/main")
    before = world.git("status", "--porcelain", "--ignored")
    (step,) = (step for step in COMMENTING["tell"]["steps"] if "flakeledger comment" in step.get("run", ""))
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"workflow_run": {"event": "pull_request"}}), encoding="utf-8")
    environment = {
        "GITHUB_EVENT_NAME": "workflow_run",
        "GITHUB_EVENT_PATH": str(event),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    runner = Runner(world.root, tmp_path / "files", environment, {"steps.find.outputs.number": "7"})
    done = runner.run([step])
    assert done.code == 0, done.output
    comment = world.read("comment.md")
    assert comment.startswith(f"{MARKER}\n**flakeledger {said}**")
    assert f"freeze opened | `{CLOCK}`" in comment
    # nothing of it was checked out
    assert world.git("status", "--porcelain", "--ignored") == "\n".join(filter(None, [before, "?? comment.md"]))


def test_whoever_may_write_has_nothing_of_the_pull_request_but_the_comment() -> None:
    assert [name for name, job in COMMENTING.items() if "write" in job["permissions"].values()] == ["post"]
    assert [step.get("uses", "").partition("@")[0] for step in COMMENTING["post"]["steps"]] == [
        "actions/download-artifact",
        "",
    ]
    assert MARKER in COMMENTING["post"]["steps"][1]["run"]
    scripts = [step["run"] for job in COMMENTING.values() for step in job["steps"] if "run" in step]
    assert [text for text in scripts if "${{" in text] == []
