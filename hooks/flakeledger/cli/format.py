"""`flakeledger format`: the canonical layout of the row ledgers, and repairs of what is no YAML.

Invariants:
* Without `--repair` it does what the hook does: layout only.
* `--check` and `--diff` write nothing.
"""

from __future__ import annotations

import argparse

from flakeledger.precommit.format_ledgers import Way, run_format

EXAMPLES = """\
  flakeledger format            # 1 when a file was changed
  flakeledger format --check    # 1 when a file would be changed
  flakeledger format --diff     # print what would change
  flakeledger format --repair   # also quote what must not stand without quotes"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--check", action="store_true", help="only tell: write nothing")
    parser.add_argument("--diff", action="store_true", help="print what would change as a diff: write nothing")
    parser.add_argument("--repair", action="store_true", help="also mend what is no YAML, where it can be proven")


def run(arguments: argparse.Namespace) -> int:
    """Format: 0 nothing to do, 1 changed (or would), 2 a ledger that cannot be read."""
    writes = not (arguments.check or arguments.diff)
    return run_format("format", Way(write=writes, diff=arguments.diff, mend=arguments.repair))
