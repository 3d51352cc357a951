"""The first ledgers hold no rows, their examples are rows of this repository, and the gate is what services read."""

from __future__ import annotations

import json
import shlex

import pytest
import yaml

from flakeledger.cli.lock import next_id
from flakeledger.cli.starting_texts import (
    Example,
    example_of,
    gitlab_job,
    install_command,
    ledger_texts,
    seeds_text,
    workflow_text,
)
from flakeledger.cli.tool_source import ToolSource, named_source, source_of_record
from flakeledger.model.fields import FIXTURE_FIELDS, FREEZE_FIELDS, PROPERTY_FIELDS, check_row
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.model.policy import Limits
from flakeledger.repo.layout import Layout
from flakeledger.store.formatter import format_rows
from flakeledger.store.reader import read_rows

INVENTED = Example("tests/test_orders.py::test_total", "tests/fixtures/orders.json")
TABLES = {FREEZES: FREEZE_FIELDS, FIXTURES: FIXTURE_FIELDS, PROPERTIES: PROPERTY_FIELDS}


@pytest.mark.parametrize("path", TABLES)
def test_a_ledger_begins_empty_and_its_example_is_a_row(path: str) -> None:
    text = ledger_texts(Example("tests/test_a.py::test_b", "tests/data/a.json"))[path]
    assert read_rows(text.encode(), path) == ([], [])
    example = "\n".join(line.removeprefix("# ") for line in text.split("#\n", 1)[1].splitlines())
    example = example.replace("YYYY-MM-DD", "2026-11-19").replace("<64 hexadecimal digits>", "ab" * 32)
    (row,), findings = read_rows(f"{example}\n".encode(), path)
    assert findings == []
    assert check_row(TABLES[path], row, path)[1] == []
    assert format_rows(f"{example}\n".encode(), path) == f"{example}\n".encode()


def test_the_comments_name_the_commands_and_their_style_of_ids() -> None:
    texts = ledger_texts(INVENTED)
    assert "`flakeledger freeze TEST`" in texts[FREEZES]
    assert "`flakeledger pin --all`" in texts[FREEZES]
    assert "`flakeledger lock --add PATH`" in texts[FIXTURES]
    assert f"# - id: {next_id([])}\n" in texts[FIXTURES]
    assert f"fixtures: [{next_id([])}]\n" in texts[PROPERTIES]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({}, INVENTED),
        (
            {
                "tests/test_a.py": b"x\nasync def test_b():\n",
                "tests/data/a.json": b"{}",
                "tests/data/seeds.json": b"[1]",
            },
            Example("tests/test_a.py::test_b", "tests/data/a.json"),
        ),
        (
            {
                "tests/test_a.py": b"class TestA:\n    def test_b(self): ...\n",
                "tests/test_b.py": b"def test_c(): ...\n",
            },
            Example("tests/test_b.py::test_c", "tests/fixtures/orders.json"),
        ),
        ({"tests/a.test.ts": b""}, Example("tests/a.test.ts::the name of a test", "tests/fixtures/orders.json")),
        (
            {"tests/test_\u202e.py": b"def test_a(): ...\n"},
            Example("tests/test_orders.py::test_total", "tests/fixtures/orders.json"),
        ),
    ],
)
def test_the_example_is_of_this_repository(texts: dict[str, bytes], expected: Example) -> None:
    assert example_of(Layout(tuple(sorted(texts)), texts.get)) == expected


def test_the_seeds_differ_and_suffice() -> None:
    seeds = json.loads(seeds_text())
    assert len(set(seeds)) == len(seeds) >= Limits().min_seeds
    assert all(type(seed) is int for seed in seeds)


@pytest.mark.parametrize("source", [source_of_record(None, "flakeledger"), named_source("git@x.org:a/b", "v1;$(x)")])
def test_the_install_command_is_two_words_after_install_for_a_shell(source: ToolSource) -> None:
    command = install_command(source)
    words = shlex.split(command)
    assert words[:4] == ["python", "-m", "pip", "install"]
    assert words[4:] == [source.requirement]
    loaded = yaml.safe_load(workflow_text(source, ["main", "no"]))
    assert command in [step.get("run") for step in loaded["jobs"]["flakeledger"]["steps"]]
    assert loaded[True]["push"]["branches"] == ["main", "no"]


def test_the_gate_sees_the_whole_history_and_runs_both_checks() -> None:
    source = source_of_record(None, "flakeledger")
    workflow = yaml.safe_load(workflow_text(source, ["main"]))
    steps = workflow["jobs"]["flakeledger"]["steps"]
    assert steps[0]["with"]["fetch-depth"] == 0
    assert workflow["permissions"] == {"contents": "read"}
    commands = [step["run"] for step in steps if "run" in step]
    assert commands[1:] == ["flakeledger check-ledgers --format github", "flakeledger check-change --format github"]
    job = yaml.safe_load(gitlab_job(source))["flakeledger"]
    assert job["variables"]["GIT_DEPTH"] == "0"
    assert job["script"][1:] == ["flakeledger check-ledgers", "flakeledger check-change"]
