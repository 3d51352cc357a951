"""What every check does around its rules: open the repository, judge, print, keep what was learnt.

Invariants:
* What cannot be told is printed in the form that was asked for, and is exit code 2.
* A report is printed after the repository is closed: nothing of git runs on, whatever becomes of the output.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from flakeledger.model.errors import CannotTell
from flakeledger.precommit.arguments import now_of
from flakeledger.precommit.output import show, show_undecided
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.rules.inspection import Outcome, Request

Inspect = Callable[[Repository, Request], Outcome]


def run_check(
    command: str,
    arguments: argparse.Namespace,
    inspect: Inspect,
    *,
    head: str | None = None,
    from_disk: bool = False,
) -> int:
    """One check from arguments to exit code; it judges `head`, what is on disk, or what is staged or pushed."""
    request = Request(
        command=command,
        environment=os.environ,
        now=now_of(arguments),
        base=arguments.base,
        head=head,
        no_base=arguments.no_base == "warn",
        only=frozenset(arguments.only),
    )
    try:
        with open_repository(os.curdir, os.environ, from_disk=from_disk) as repository:
            outcome = inspect(repository, request)
    except CannotTell as error:
        show_undecided(command, error, arguments.format)
        return 2
    show(outcome.report, arguments.format)
    return outcome.code
