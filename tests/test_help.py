"""Help: every command says what it takes and shows how it is typed, and what is misspelt is answered."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import subprocess
import sys

import pytest

from commands import TOOL
from fixes import commands, complaint
from flakeledger import __version__
from flakeledger.cli.main import COMMANDS, GROUPS, main, whole_parser

#: columns of the terminal that people are given when they did not choose one
TERMINAL = 80


def answer(*arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(arguments))
        except SystemExit as left:
            code = int(left.code or 0)
    return code, out.getvalue(), err.getvalue()


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command."""
    (table,) = (one for one in whole_parser()._actions if isinstance(one, argparse._SubParsersAction))
    return dict(table.choices)


PARSERS = parsers()


def test_the_whole_parser_has_every_command() -> None:
    assert list(PARSERS) == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_shows_examples_that_its_parser_takes(name: str) -> None:
    code, out, err = answer(name, "--help")
    assert (code, err) == (0, "")
    examples = out.partition("\nexamples:\n")[2].replace("\\\n", " ")
    typed = [one for line in examples.splitlines() for one in commands(line) if one.split()[0] == name]
    assert typed, examples
    assert {one: complaint(one.replace("…", "")) for one in typed} == dict.fromkeys(typed, "")


@pytest.mark.parametrize("typed", [(), *((name,) for name in COMMANDS)])
def test_no_line_is_wider_than_a_terminal(typed: tuple[str, ...]) -> None:
    _, out, _ = answer(*typed, "--help")
    assert [line for line in out.splitlines() if len(line) > TERMINAL] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_says_what_it_is(name: str) -> None:
    for action in PARSERS[name]._actions:
        what = "/".join(action.option_strings) or str(action.metavar or action.dest)
        assert action.help, f"{name} {what} has no help"
        takes_value = action.nargs != 0
        assert not takes_value or action.metavar or action.choices or action.dest.isidentifier(), what
        if not takes_value or action.required or action.default in (None, argparse.SUPPRESS, [], False):
            continue
        assert "(default" in action.help, f"{name} {what} does not say that its default is {action.default!r}"


def test_the_overview_has_every_command_once_below_its_group() -> None:
    code, out, err = answer()
    assert (code, out) == (2, "")
    assert re.findall(r"(?m)^(\S.*):$", err)[1:] == list(GROUPS)
    blocks = {group: err.partition(f"\n{group}:\n")[2].partition("\n\n")[0] for group in GROUPS}
    listed = [(name, group) for group in GROUPS for name in re.findall(r"(?m)^  ([\w-]+) ", blocks[group])]
    assert sorted(listed) == sorted((name, command.group) for name, command in COMMANDS.items())


@pytest.mark.parametrize(
    ("typed", "same_as"),
    [
        (("help",), ("--help",)),
        (("help", "freeze"), ("freeze", "--help")),
        (("help", "check-ledgers"), ("check-ledgers", "--help")),
        (("help", "help"), ("help", "--help")),
    ],
)
def test_help_is_the_same_by_either_name(typed: tuple[str, ...], same_as: tuple[str, ...]) -> None:
    assert answer(*typed) == answer(*same_as)
    assert answer(*typed)[0] == 0


MISTYPED = {
    ("chekc",): ("no command 'chekc'", "flakeledger check"),
    ("thw", "a test"): ("no command 'thw'", "flakeledger thaw 'a test'"),
    ("zzzzzz",): ("no command 'zzzzzz'", "flakeledger help   # shows every command"),
    ("",): ("no command ''", "flakeledger help   # shows every command"),
    ("help", "frezee"): ("no command 'frezee'", "flakeledger freeze --help"),
    ("--versoin",): ("unrecognized arguments: --versoin", "did you mean --version? flakeledger --help"),
    ("check", "--stagd"): ("unrecognized arguments: --stagd", "did you mean --staged? flakeledger check --help"),
    ("check", "--fromat", "json"): ("unrecognized arguments: --fromat json", "did you mean --format?"),
    ("check", "--format", "jsn"): ("invalid choice: 'jsn'", "did you mean --format json?"),
    ("check", "--format", "zzz"): ("invalid choice: 'zzz'", "flakeledger check --help"),
    ("schema", "frezes"): ("invalid choice: 'frezes'", "did you mean freezes?"),
    ("freeze",): ("the following arguments are required: TEST", "flakeledger freeze --help"),
    ("check", "one"): ("unrecognized arguments: one", "flakeledger check --help"),
    ("check", "--now", "soon"): ("argument --now", "flakeledger check --help"),
    ("\x1b[31mcheck",): (r"no command '\x1b[31mcheck'", "flakeledger check"),
    ("check", "\x1b[31m"): (r"unrecognized arguments: \x1b[31m", "flakeledger check --help"),
    ("check", "a\nb"): (r"unrecognized arguments: a\nb", "flakeledger check --help"),
    ("x" * 100_000,): ("no command 'xxx", "flakeledger help"),
}


@pytest.mark.parametrize("typed", MISTYPED, ids=lambda typed: ascii(" ".join(typed))[:40])
def test_what_is_mistyped_is_answered_with_usage_and_what_was_meant(typed: tuple[str, ...]) -> None:
    wrong, fix = MISTYPED[typed]
    code, out, err = answer(*typed)
    usage, error, advice = err.splitlines()
    assert (code, out) == (2, "")
    assert usage.startswith("usage: flakeledger ")
    assert len(usage) <= 120
    assert wrong in error
    assert advice.startswith(f"    fix: {fix}")


@pytest.mark.parametrize("name", COMMANDS)
def test_usage_is_one_short_line_for_every_command(name: str) -> None:
    usage = answer(name, "--no-such-option")[2].splitlines()[0]
    assert usage.startswith(f"usage: flakeledger {name} [options]")
    assert len(usage) <= 120
    assert usage.count("[options]") == 1
    assert " [-" not in usage


def test_the_version_says_which_python_runs_it() -> None:
    python = ".".join(map(str, sys.version_info[:3]))
    assert answer("--version") == (0, f"flakeledger {__version__} (Python {python})\n", "")


def test_nothing_but_an_error_pays_for_suggestions() -> None:
    code = "import sys; from flakeledger.cli.main import main; main(['digest', '/dev/null']); print(*sys.modules)"
    done = subprocess.run([TOOL.with_name("python"), "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "flakeledger.cli.digest" in loaded
    assert not loaded & {"difflib", "shtab", "flakeledger.cli.usage", "flakeledger.cli.completion"}
