"""`flakeledger check`: every rule on what is on disk, what is staged, or a revision."""

from __future__ import annotations

import argparse

from flakeledger.precommit.arguments import add_check_arguments
from flakeledger.precommit.checking import run_check
from flakeledger.rules.inspection import inspect_both

EXAMPLES = """\
  flakeledger check                     # what is on disk, as git would store it
  flakeledger check --staged            # what the next commit would hold
  flakeledger check --rev HEAD~3        # a revision
  flakeledger check --base origin/main  # the whole branch"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--staged", action="store_true", help="judge the index")
    which.add_argument("--rev", metavar="REV", help="judge this revision")
    add_check_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Judge by every rule: 0, 1 or 2."""
    from_disk = not arguments.staged and arguments.rev is None
    return run_check("check", arguments, inspect_both, head=arguments.rev, from_disk=from_disk)
