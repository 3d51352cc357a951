"""`flakeledger help`: the commands by their groups, or the arguments of one command.

Invariants:
* It prints what `flakeledger --help` and `flakeledger COMMAND --help` print, and nothing else.
"""

from __future__ import annotations

import argparse

from flakeledger.cli.main import main

EXAMPLES = """\
  flakeledger help
  flakeledger help freeze"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("name", nargs="?", metavar="COMMAND", help="a command (default: show all of them)")


def run(arguments: argparse.Namespace) -> int:
    """Print the help and leave with 0; 2 for a command that there is not."""
    return main(["--help"] if arguments.name is None else [arguments.name, "--help"])
