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
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TextIO

from flakeledger import __version__
from flakeledger.model.errors import CannotTell

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Command(NamedTuple):
    """A command: the module that has `EXAMPLES`, `add_arguments` and `run`, its group, and one line about it."""

    module: str
    group: str
    summary: str


#: the groups of the overview, in its order
START, DAILY, EVIDENCE, GATE, REPORTS, HOOKS = GROUPS = (
    "to begin with",
    "from day to day",
    "evidence",
    "the gate: what may be merged, cited, frozen",
    "reports",
    "hooks: what pre-commit and git run",
)


COMMANDS = {
    "check": Command("flakeledger.cli.check", DAILY, "judge what is on disk, staged or in a revision by every rule"),
    "classify": Command(
        "flakeledger.cli.classify", REPORTS, "show the class of every path and the pattern that decided"
    ),
    "init": Command("flakeledger.cli.init", START, "write ledgers, a policy and hooks for the layout it finds"),
    "freeze": Command("flakeledger.cli.freeze", DAILY, "write a row that lets a test fail for a while, with its pins"),
    "pin": Command("flakeledger.cli.pin", DAILY, "fill the pins that rows of freezes do not hold"),
    "lock": Command("flakeledger.cli.lock", DAILY, "write the digests of fixtures whose files changed"),
    "replay": Command("flakeledger.cli.replay", EVIDENCE, "run tests of a commit under seeds; record what they showed"),
    "replays": Command("flakeledger.cli.replays", EVIDENCE, "join the lines of replays that ran on several machines"),
    "bound": Command("flakeledger.cli.bound", EVIDENCE, "say what a count of runs says about a rate of failure"),
    "verdict": Command("flakeledger.cli.verdict", GATE, "judge the failures in JUnit XML reports by the open freezes"),
    "comment": Command("flakeledger.cli.comment", GATE, "say in Markdown what a pull request does to the ledgers"),
    "status": Command("flakeledger.cli.status", REPORTS, "show what is frozen: owners, windows, replays, verdicts"),
    "remind": Command("flakeledger.cli.remind", REPORTS, "list who must act soon, owner by owner, to make mails of"),
    "review": Command("flakeledger.cli.review", DAILY, "say what must happen to each frozen test: the exit interview"),
    "log": Command("flakeledger.cli.log", REPORTS, "tell the life of freezes through history, commit by commit"),
    "report": Command("flakeledger.cli.report", REPORTS, "write one HTML page with all that the ledgers say"),
    "trend": Command("flakeledger.cli.trend", REPORTS, "show how freezes came and went, week by week"),
    "thaw": Command("flakeledger.cli.thaw", DAILY, "remove the rows of freezes that the exit interview lets go"),
    "decide": Command("flakeledger.cli.decide", GATE, "say of every citation, or of one record, whether it may stay"),
    "gate": Command("flakeledger.cli.gate", GATE, "say whether a patch may receive a freeze; write the note"),
    "witness": Command(
        "flakeledger.cli.witness", EVIDENCE, "show a witness, verify it, or replay it in a clean worktree"
    ),
    "oracle": Command("flakeledger.cli.oracle", GATE, "show or approve what a patch does to the tests that judge it"),
    "excerpt": Command("flakeledger.cli.excerpt", GATE, "pick out of a failure log what a classifier may be told"),
    "format": Command("flakeledger.cli.format", DAILY, "lay the ledgers out in canonical form; comments stay"),
    "import": Command("flakeledger.cli.importing", START, "turn the quarantine lists or marks of a team into freezes"),
    "digest": Command("flakeledger.cli.digest", EVIDENCE, "print the digest of the canonical form of JSON files"),
    "schema": Command("flakeledger.cli.schema", START, "print the JSON Schema of a ledger, for editors"),
    "demo": Command("flakeledger.cli.demo", START, "build a small shop repository and show what its hooks refuse"),
    "completion": Command("flakeledger.cli.completion", START, "print what lets a shell complete commands at TAB"),
    "help": Command("flakeledger.cli.help", START, "show the commands, or the arguments of one, with examples"),
    "merge-driver": Command(
        "flakeledger.cli.merge_driver", HOOKS, "what git runs to merge ledgers: rows by key, replays by line"
    ),
    "check-ledgers": Command("flakeledger.precommit.check_ledgers", HOOKS, "hook: every state rule on the staged tree"),
    "check-change": Command(
        "flakeledger.precommit.check_change", HOOKS, "hook: every change rule on what is committed"
    ),
    "format-ledgers": Command(
        "flakeledger.precommit.format_ledgers", HOOKS, "hook: the canonical layout of the ledgers"
    ),
    "record-decisions": Command(
        "flakeledger.precommit.record_decisions", HOOKS, "hook: the decisions on citations, as trailers of the commit"
    ),
}

_HELP_WIDTH = 78
_DESCRIPTION = "A git-native ledger of flaky-test freezes.\nExit codes: 0 nothing wrong, 1 findings, 2 cannot tell."


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
        code = _dispatch(arguments)
        sys.stdout.flush()  # what cannot be written is noticed while there is somebody to say so
        return code
    except CannotTell as error:
        return _undecided(arguments, error)
    except BrokenPipeError:
        # the reader of our output went away (`flakeledger check | head`): say nothing more
        _silence(sys.stdout)
        return 2
    except OSError as error:
        return _refused_by_the_system(arguments, error)
    except KeyboardInterrupt:
        print("flakeledger: interrupted; nothing was decided", file=sys.stderr)
        return 130


def _undecided(arguments: list[str], error: CannotTell) -> int:
    from flakeledger.reporters.text import undecided

    sys.stderr.write(undecided(" ".join(arguments[:1]), error))
    return 2


def _refused_by_the_system(arguments: list[str], error: OSError) -> int:
    """Say what a disk or the system refused where nobody expected it: a full disk, no memory for another process."""
    try:
        sys.stdout.flush()
    except OSError:
        _silence(sys.stdout)  # else the interpreter fails once more, at its end
    what = f": {error.filename}" if error.filename is not None else ""
    fix = "let its disk be written to (df -h shows which is full), then run this again"
    return _undecided(arguments, CannotTell(f"the system refused: {error.strerror or error}{what}", fix))


def _silence(stream: TextIO) -> None:
    """Let what is still to be written to a stream go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _spell_what_cannot_be_shown() -> None:
    """A terminal that lacks a character shows its escape: text from files must not end in a UnicodeEncodeError."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        _top_parser().print_help(sys.stderr)
        return 2
    name = arguments[0]
    if name.startswith("-"):
        _top_parser().parse_args(arguments)  # --help, --version, or an error
        return 2
    if name not in COMMANDS:
        from flakeledger.cli.usage import unknown_command

        sys.stderr.write(unknown_command(arguments, COMMANDS))
        return 2
    module = importlib.import_module(COMMANDS[name].module)
    parser = _Parser(prog=f"flakeledger {name}", **_described(name, module))
    module.add_arguments(parser)
    return int(module.run(parser.parse_args(arguments[1:])))


def whole_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line, which imports every command: for what describes them all."""
    parser = _top_parser()
    commands = parser.add_subparsers(metavar="COMMAND", prog=parser.prog)
    for name, command in COMMANDS.items():
        module = importlib.import_module(command.module)
        module.add_arguments(commands.add_parser(name, help=command.summary, **_described(name, module)))
    return parser


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help of one width: to ask the terminal, argparse imports shutil and with it three compressors, in every run."""

    def __init__(self, prog: str) -> None:
        """As wide as argparse makes it where there is no terminal."""
        super().__init__(prog, width=_HELP_WIDTH)


class _Parser(argparse.ArgumentParser):
    """A parser that answers bad usage with one line of usage, what is wrong, and what to type instead."""

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help at once, so that a disk that is full is noticed: argparse itself passes over it."""
        if file is not None:
            super().print_help(file)
            return
        sys.stdout.write(self.format_help())
        sys.stdout.flush()

    def error(self, message: str) -> NoReturn:
        """Print it and leave with 2."""
        from flakeledger.cli.usage import bad_usage

        self.exit(2, bad_usage(self.prog, self.format_usage(), message))


def _described(name: str, module: ModuleType) -> dict[str, Any]:
    """What the parser of a command is made with, but for its name and its arguments."""
    summary = COMMANDS[name].summary
    return {
        "description": summary[0].upper() + summary[1:] + ".",
        "epilog": f"examples:\n{module.EXAMPLES}",
        "formatter_class": _Help,
        "allow_abbrev": False,
    }


def _top_parser() -> _Parser:
    parser = _Parser(
        prog="flakeledger",
        usage="flakeledger [-h] [--version] COMMAND ...",
        description=_DESCRIPTION,
        epilog=_overview(),
        formatter_class=_Help,
        allow_abbrev=False,
    )
    version = ".".join(map(str, sys.version_info[:3]))
    parser.add_argument("--version", action="version", version=f"flakeledger {__version__} (Python {version})")
    return parser


def _overview() -> str:
    """Every command below the name of its group, and where to read on."""
    width = max(map(len, COMMANDS))
    lines = []
    for group in GROUPS:
        lines.append(f"{group}:")
        lines += [f"  {name:<{width}}  {one.summary}" for name, one in COMMANDS.items() if one.group == group]
        lines.append("")
    return "\n".join([*lines, "flakeledger help COMMAND   # the arguments of a command, with examples"])


if __name__ == "__main__":
    sys.exit(main())
