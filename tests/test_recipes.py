"""The recipes for services: each file is one that its service accepts, and calls what there is.

Invariants:
* The schemas are those that the services publish, as check-jsonschema brings them along.
* Every command of ours is parsed by its own parser, with a number in the place of each variable.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from flakeledger import __version__
from flakeledger.cli.main import COMMANDS
from pages import PAGES, ROOT

RECIPES = sorted((ROOT / "docs" / "recipes").iterdir())
SCHEMAS = {"github": "github-workflows.json", "gitlab": "gitlab-ci.json"}
#: `${{ matrix.part }}`, `$NAME` and `${NAME}`: whatever a service or a shell puts there
VARIABLE = re.compile(r"\$\{\{.*?\}\}|\$\{\w+\}|\$\w+")

#: what ends the words of a command
OPERATOR = re.compile(r" (?:\|\|?|&&|>) ")


def schema_of(path: Path) -> str:
    """The name of the schema of a recipe's service."""
    return SCHEMAS[path.name.partition("-")[0]]


def loaded(path: Path) -> Any:
    # YAML 1.1 reads the key `on` as a truth value
    text = re.sub(r"(?m)^on:", '"on":', path.read_text(encoding="utf-8"))
    return yaml.safe_load(text)


def errors(value: Any, schema: str) -> list[str]:
    text = files("check_jsonschema").joinpath("builtin_schemas", "vendor", schema).read_text(encoding="utf-8")
    return [error.message for error in Draft7Validator(json.loads(text)).iter_errors(value)]


def scripts(value: object) -> Iterator[str]:
    """The shell scripts of a recipe: `run` of GitHub, `script` and what runs around it of GitLab."""
    if isinstance(value, dict):
        for name, inside in value.items():
            if name in ("run", "script", "before_script", "after_script"):
                yield from [inside] if isinstance(inside, str) else inside
            else:
                yield from scripts(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from scripts(inside)


def calls(path: Path) -> list[list[str]]:
    """The words of every command of ours in a recipe."""
    lines = [line.strip() for script in scripts(loaded(path)) for line in VARIABLE.sub("1", script).splitlines()]
    found = (OPERATOR.split(line)[0] for line in lines if line.startswith("flakeledger "))
    return [shlex.split(line)[1:] for line in found]


def parsed(words: list[str]) -> argparse.Namespace:
    """The arguments as the command's own parser reads them."""
    module = importlib.import_module(COMMANDS[words[0]].module)
    parser = argparse.ArgumentParser(allow_abbrev=False, exit_on_error=False)
    module.add_arguments(parser)
    return parser.parse_args(words[1:])


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_a_recipe_is_what_its_service_accepts(path: Path) -> None:
    assert errors(loaded(path), schema_of(path)) == []


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("jobs:\n  a:\n    runs-on: x\n    steps: [{runs: y}]\n'on': push\n", "github-workflows.json"),
        ("a:\n  script: [x]\n  artifacts: {reports: {junit: {}}}\n", "gitlab-ci.json"),
    ],
)
def test_a_schema_refuses_what_its_service_would(text: str, schema: str) -> None:
    assert errors(yaml.safe_load(text), schema)


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_a_recipe_calls_only_what_there_is(path: Path) -> None:
    called = calls(path)
    assert len([parsed(words) for words in called]) == len(called)
    assert called or "uses: example/flakeledger@" in path.read_text(encoding="utf-8")


def test_the_recipes_show_every_command_for_services() -> None:
    assert {words[0] for path in RECIPES for words in calls(path)} == {
        *("check-ledgers", "check-change", "comment", "replay", "replays", "verdict"),
    }


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_a_recipe_is_shell_and_installs_this_version(path: Path) -> None:
    for script in scripts(loaded(path)):
        text = VARIABLE.sub("1", script)
        done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert set(re.findall(r"flakeledger==(\S+)", text)) <= {__version__}


def test_every_recipe_is_in_the_index() -> None:
    (page,) = [page for page in PAGES if page.name == "recipes.md"]
    linked = re.findall(r"\]\(recipes/([\w.-]+)\)", page.read_text(encoding="utf-8"))
    assert sorted(set(linked)) == [path.name for path in RECIPES]
