"""The hook `check-ledgers`: every state rule on the tree that is being committed or pushed.

Invariants:
* It works on a checkout of depth 1: where no base is known, nothing that time broke is forgiven.
"""

from __future__ import annotations

import argparse

from flakeledger.precommit.arguments import add_check_arguments
from flakeledger.precommit.checking import run_check
from flakeledger.rules.inspection import inspect_ledgers

EXAMPLES = """\
  flakeledger check-ledgers
  flakeledger check-ledgers --now 2026-10-11T00:00:00Z --format json
  flakeledger check-ledgers --only fixture-drifted"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the hook."""
    add_check_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Judge the staged tree: 0, 1 or 2."""
    return run_check("check-ledgers", arguments, inspect_ledgers)
