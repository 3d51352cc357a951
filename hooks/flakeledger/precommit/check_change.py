"""The hook `check-change`: every change rule on what is being committed, pushed or merged.

Invariants:
* It needs history: without a base it cannot tell (exit 2) and says how the base is brought in.
"""

from __future__ import annotations

import argparse

from flakeledger.precommit.arguments import add_check_arguments
from flakeledger.precommit.checking import run_check
from flakeledger.rules.inspection import inspect_change

EXAMPLES = """\
  flakeledger check-change
  flakeledger check-change --base origin/main --format github
  flakeledger check-change --only mixed-change"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the hook."""
    add_check_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Judge the change: 0, 1 or 2."""
    return run_check("check-change", arguments, inspect_change)
