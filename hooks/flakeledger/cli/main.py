"""The command line: the table of commands, the exit codes, the one place that catches.

Invariants:
* 0 nothing wrong, 1 findings, 2 cannot tell (unreadable repository, no base, broken policy, bad usage).
* A command's module is imported only when the command runs: the hooks pay for nothing else.
* Whatever a user can cause ends in a sentence and a fix, never in a traceback.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from flakeledger import __version__
from flakeledger.model.errors import CannotTell


class Command(NamedTuple):
    """A command: the module that has `EXAMPLES`, `add_arguments` and `run`, and one line about it."""

    module: str
    summary: str


COMMANDS = {
    "check": Command("flakeledger.cli.check", "judge what is on disk, staged or in a revision by every rule"),
    "classify": Command("flakeledger.cli.classify", "show the class of every path and the pattern that decided"),
    "init": Command("flakeledger.cli.init", "write ledgers, a policy and the hooks for the layout it finds"),
    "schema": Command("flakeledger.cli.schema", "print the JSON Schema of a ledger, for editors"),
    "demo": Command("flakeledger.cli.demo", "build a small shop repository and show what its hooks refuse"),
    "check-ledgers": Command("flakeledger.precommit.check_ledgers", "hook: every state rule on the staged tree"),
    "check-change": Command("flakeledger.precommit.check_change", "hook: every change rule on what is committed"),
}

_DESCRIPTION = "A git-native ledger of flaky-test freezes. Exit codes: 0 nothing wrong, 1 findings, 2 cannot tell."


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(arguments)
    except CannotTell as error:
        from flakeledger.reporters.text import undecided

        sys.stderr.write(undecided(arguments[0], error))
        return 2
    except BrokenPipeError:
        # the reader of our output went away (`flakeledger check | head`): say nothing more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except KeyboardInterrupt:
        print("flakeledger: interrupted; nothing was decided", file=sys.stderr)
        return 130


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        _top_parser().print_help(sys.stderr)
        return 2
    if arguments[0] not in COMMANDS:
        _top_parser().parse_args(arguments)  # --help, --version, or an error that lists the commands
        return 2
    name = arguments[0]
    command = COMMANDS[name]
    module = importlib.import_module(command.module)
    parser = argparse.ArgumentParser(
        prog=f"flakeledger {name}",
        description=command.summary[0].upper() + command.summary[1:] + ".",
        epilog=f"examples:\n{module.EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    return int(module.run(parser.parse_args(arguments[1:])))


def _top_parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="flakeledger",
        description=_DESCRIPTION,
        epilog=f"commands:\n{listed}\n\nflakeledger COMMAND --help shows the arguments of a command, with examples.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"flakeledger {__version__}")
    parser.add_argument("command", metavar="COMMAND", choices=list(COMMANDS), help="one of the commands below")
    return parser


if __name__ == "__main__":
    sys.exit(main())
