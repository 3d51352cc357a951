"""The command line: the table of commands, the exit codes, the one place that catches.

Invariants:
* 0 nothing wrong, 1 findings, 2 cannot tell (unreadable repository, no base, broken policy, bad usage).
* A command's module is imported only when the command runs: the hooks pay for nothing else.
* Whatever a user can cause ends in a sentence and a fix, never in a traceback.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import io
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
    "freeze": Command("flakeledger.cli.freeze", "write the row that lets a test fail for a while, with its pins"),
    "pin": Command("flakeledger.cli.pin", "fill the pins that rows of freezes do not hold"),
    "lock": Command("flakeledger.cli.lock", "write the digests of fixtures whose files changed"),
    "replay": Command("flakeledger.cli.replay", "run tests of a commit under their seeds, and record what they showed"),
    "replays": Command("flakeledger.cli.replays", "join the lines of replays that ran in parts on several machines"),
    "bound": Command("flakeledger.cli.bound", "say what a count of runs says about a rate of failure"),
    "verdict": Command(
        "flakeledger.cli.verdict", "judge the failures that JUnit XML reports list, by the open freezes"
    ),
    "review": Command("flakeledger.cli.review", "say what must happen to each frozen test: the exit interview"),
    "log": Command("flakeledger.cli.log", "tell the life of freezes through history, commit by commit"),
    "thaw": Command("flakeledger.cli.thaw", "remove the rows of freezes that the exit interview lets go"),
    "decide": Command("flakeledger.cli.decide", "say of every citation, or of one record, whether it may stay"),
    "gate": Command("flakeledger.cli.gate", "say whether a patch may receive a freeze, and write the review note"),
    "witness": Command("flakeledger.cli.witness", "show a witness, verify it, or replay it in a clean worktree"),
    "oracle": Command("flakeledger.cli.oracle", "show what a patch does to the tests that judge it, and approve it"),
    "excerpt": Command("flakeledger.cli.excerpt", "pick out of a failure log what a classifier may be told"),
    "format": Command("flakeledger.cli.format", "lay the ledgers out in canonical form; comments stay"),
    "import": Command("flakeledger.cli.importing", "turn the quarantine lists or marks of a team into freezes"),
    "digest": Command("flakeledger.cli.digest", "print the digest of the canonical form of JSON files"),
    "schema": Command("flakeledger.cli.schema", "print the JSON Schema of a ledger, for editors"),
    "demo": Command("flakeledger.cli.demo", "build a small shop repository and show what its hooks refuse"),
    "merge-driver": Command(
        "flakeledger.cli.merge_driver", "what git runs to merge ledgers: rows by key, replays by line"
    ),
    "check-ledgers": Command("flakeledger.precommit.check_ledgers", "hook: every state rule on the staged tree"),
    "check-change": Command("flakeledger.precommit.check_change", "hook: every change rule on what is committed"),
    "format-ledgers": Command("flakeledger.precommit.format_ledgers", "hook: the canonical layout of the ledgers"),
    "record-decisions": Command(
        "flakeledger.precommit.record_decisions", "hook: the decisions on citations, as trailers of the commit"
    ),
}

_HELP_WIDTH = 78
_DESCRIPTION = "A git-native ledger of flaky-test freezes. Exit codes: 0 nothing wrong, 1 findings, 2 cannot tell."


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code. Without `argv` it is the whole process that runs."""
    if argv is not None:
        return _run(list(argv))
    # ten thousand rows come and none goes: a collection would look at all of them, again and again, and once more
    # at the end, for memory that the process is about to give back
    gc.disable()
    try:
        return _run(sys.argv[1:])
    finally:
        gc.freeze()


def _run(arguments: list[str]) -> int:
    _spell_what_cannot_be_shown()
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


def _spell_what_cannot_be_shown() -> None:
    """A terminal that lacks a character shows its escape: text from files must not end in a UnicodeEncodeError."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


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
        formatter_class=_Help,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    return int(module.run(parser.parse_args(arguments[1:])))


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help of one width: to ask the terminal, argparse imports shutil and with it three compressors, in every run."""

    def __init__(self, prog: str) -> None:
        """As wide as argparse makes it where there is no terminal."""
        super().__init__(prog, width=_HELP_WIDTH)


def _top_parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="flakeledger",
        description=_DESCRIPTION,
        epilog=f"commands:\n{listed}\n\nflakeledger COMMAND --help shows the arguments of a command, with examples.",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"flakeledger {__version__}")
    parser.add_argument("command", metavar="COMMAND", choices=list(COMMANDS), help="one of the commands below")
    return parser


if __name__ == "__main__":
    sys.exit(main())
