"""The command `flakeledger schema`."""

from __future__ import annotations

import argparse
import json

import pytest

from flakeledger.cli import schema
from flakeledger.model.schemas import SCHEMAS


def _run(*arguments: str) -> int:
    parser = argparse.ArgumentParser(
        "flakeledger schema", epilog=schema.EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    schema.add_arguments(parser)
    return schema.run(parser.parse_args(arguments))


@pytest.mark.parametrize("name", SCHEMAS)
def test_it_prints_a_schema(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(name) == 0
    printed = capsys.readouterr().out
    assert printed.endswith("}\n")
    assert json.loads(printed)["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_it_lists_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("--list") == 0
    assert capsys.readouterr().out == "freezes\nfixtures\nproperties\nreplays\npolicy\nreport\n"


@pytest.mark.parametrize("arguments", [(), ("nothing",), ("freezes", "--list"), ("freezes", "fixtures")])
def test_bad_usage_is_exit_2_and_names_what_there_is(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        _run(*arguments)
    assert stopped.value.code == 2
    assert "usage: flakeledger schema" in capsys.readouterr().err


def test_an_unknown_name_lists_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _run("nothing")
    said = capsys.readouterr().err
    assert all(name in said for name in SCHEMAS)


def test_the_help_shows_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        _run("--help")
    assert stopped.value.code == 0
    assert "flakeledger schema freezes > schema/freezes.json" in capsys.readouterr().out
