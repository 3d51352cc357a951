"""The first texts of the ledgers and of the merge gate.

Invariants:
* The ledgers begin without a row: the examples are comments, about files that this repository has.
* The gate checks out the whole history, gets a token that can only read, and runs both checks whatever one says.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import NamedTuple

from flakeledger.cli.lock import FIRST_ID
from flakeledger.cli.plain_yaml import comment
from flakeledger.cli.policy_text import RUNNER
from flakeledger.cli.tool_source import ToolSource
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.repo.layout import Layout
from flakeledger.repo.proposal import literal
from flakeledger.store.scalars import scalar

GATE_SEEDS = 64
_TEST_FUNCTION = re.compile(rb"^(?:async[ ]+)?def[ ]+(test[A-Za-z0-9_]*)", re.MULTILINE)


class Example(NamedTuple):
    """A test and a fixture of this repository, for the examples in comments."""

    test: str
    fixture: str


def example_of(layout: Layout) -> Example:
    """A test and a data file that the repository has; invented ones where it has none."""
    tests = (path for path in layout.test_files if layout.in_tests(path) and _is_plain(path))
    test = next((found for path in tests for found in _test_of(layout, path)), "tests/test_orders.py::test_total")
    data = [path for folder in layout.input_folders for path in layout.paths if path.startswith(f"{folder}/")]
    seeds = {found.path for found in layout.seed_lists}
    fixtures = [path for path in data if path.endswith(".json") and path not in seeds and _is_plain(path)]
    return Example(test, next(iter(fixtures), "tests/fixtures/orders.json"))


def _is_plain(path: str) -> bool:
    return literal(path) == f"/{path}"


def _test_of(layout: Layout, path: str) -> list[str]:
    if not path.endswith(".py"):
        return [f"{path}::the name of a test"]
    found = _TEST_FUNCTION.search(layout.read(path) or b"")
    return [f"{path}::{found[1].decode()}"] if found else []


def ledger_texts(example: Example) -> dict[str, str]:
    """The empty row ledgers by path, each with an example row as a comment."""
    digest = "<64 hexadecimal digits>"
    freeze = f"""\
- test: {scalar(example.test)}
  owner: "@your-name"
  frozen_on: YYYY-MM-DD  # today
  expires: YYYY-MM-DD  # how long at most: max_window_days of policy.yaml
  reason: "what makes it fail now and then, in a few words"
  property_id: PROP-001
  replay_env: {RUNNER}
  runner_class: {RUNNER}
  failure_class: environment"""
    fixture = f"""\
- id: {FIRST_ID}
  path: {scalar(example.fixture)}
  sha256: {digest}
  hash: contract  # leave it out for a file that is no JSON contract"""
    bound = f"""\
- id: PROP-001
  statement: "what must always hold, in one sentence"
  fixtures: [{FIRST_ID}]
  tests:
    - {scalar(example.test)}"""
    return {
        FREEZES: _ledger_text("Freezes: the tests that may fail for a while without failing the build.", freeze, _PINS),
        FIXTURES: _ledger_text("Fixtures: the files that properties read, locked by their digest.", fixture, _LOCK),
        PROPERTIES: _ledger_text("Properties: what the tests protect.", bound, _NAMED),
    }


_PINS = "`flakeledger freeze TEST` writes a row with its pins; `flakeledger pin --all` fills in what rows lack."
_LOCK = "`flakeledger lock --add PATH` writes a row with its digest; `flakeledger lock` keeps the digests up to date."
_NAMED = "Each of its test modules names it: a comment `property_id: PROP-001`, or @pytest.mark.property_id."


def _ledger_text(heading: str, row: str, hint: str) -> str:
    return f"{comment(heading)}{comment(hint)}#\n{comment(row)}"


def seeds_text() -> str:
    """The first seed list: the same in every repository, for seeds are names of draws and no secrets."""
    return json.dumps(list(range(1, GATE_SEEDS + 1))) + "\n"


def install_command(source: ToolSource) -> str:
    """The command that installs this tool in continuous integration."""
    return f"python -m pip install {shlex.quote(source.requirement)}"


def workflow_text(source: ToolSource, branches: list[str]) -> str:
    """The merge gate as a GitHub workflow."""
    return f"""\
# The merge gate: hooks on a laptop can be switched off, this cannot.
name: flakeledger

on:
  pull_request:
  merge_group:
  push:
    branches: [{", ".join(map(scalar, branches))}]
  schedule:
    - cron: "17 4 * * *"  # a freeze that expires is seen the next morning, whoever pushes

permissions:
  contents: read

jobs:
  flakeledger:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0  # a change is judged against its base
          persist-credentials: false
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: {scalar(install_command(source))}
      - run: flakeledger check-ledgers --format github
      - run: flakeledger check-change --format github
        if: success() || failure()
"""


def gitlab_job(source: ToolSource) -> str:
    """The merge gate as a GitLab job, to paste."""
    return f"""\
flakeledger:
  image: python:3.12
  variables:
    GIT_DEPTH: "0"  # a change is judged against its base
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - {scalar(install_command(source))}
    - flakeledger check-ledgers
    - flakeledger check-change
"""
