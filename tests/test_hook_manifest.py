"""The hook manifest: valid for pre-commit, each id a command of the same name that the README names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from flakeledger.cli.hook_config import STAGES
from flakeledger.cli.main import COMMANDS
from flakeledger.repo.guard import GUARDS

HOME = Path(__file__).parent.parent
MANIFEST = HOME / ".pre-commit-hooks.yaml"
HOOKS = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))}


def test_pre_commit_accepts_the_manifest() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(MANIFEST)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_guards_are_hooks() -> None:
    assert set(GUARDS) <= set(HOOKS)


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_runs_the_command_of_its_name(name: str) -> None:
    assert HOOKS[name]["entry"] == f"flakeledger {name}"
    assert COMMANDS[name].summary.startswith("hook: ")


@pytest.mark.parametrize("name", GUARDS)
def test_a_check_sees_every_commit_once_and_leaves_arguments_to_users(name: str) -> None:
    hook = HOOKS[name]
    assert hook["language"] == "python"
    assert (hook["pass_filenames"], hook["always_run"], hook["require_serial"]) == (False, True, True)
    assert hook["stages"] == list(STAGES)
    assert hook["minimum_pre_commit_version"] == "3.2.0"
    assert "args" not in hook


@pytest.mark.parametrize("name", HOOKS)
def test_the_readme_names_the_hook(name: str) -> None:
    assert f"`{name}`" in (HOME / "README.md").read_text(encoding="utf-8")
