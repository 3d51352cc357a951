"""Printing a report, and what continuous integration shows beside it.

Invariants:
* Only reporters make text, and they escape what came from files.
* On GitHub every run with `--format github` has a step summary; with another format what must not go unseen (NOT
  CHECKED, a removed guard) is written there. A summary that cannot be written is `CannotTell`, after the report was
  printed. A run elsewhere imports nothing of it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from flakeledger.model.errors import CannotTell
from flakeledger.model.report import Report
from flakeledger.precommit.arguments import wants_colour
from flakeledger.reporters import REPORTERS, UNDECIDED


def show(report: Report, format_name: str) -> None:
    """Print the report to standard output, and the whole or its loud parts to GitHub's step summary.

    CannotTell when that summary cannot be written: nobody would see what must not go unseen.
    """
    colour = format_name == "text" and wants_colour(os.environ)
    sys.stdout.write(REPORTERS[format_name](report, colour))
    sys.stdout.flush()
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        from flakeledger.reporters import step_summary

        if format_name == "github":
            _add(path, lambda room: step_summary.step_summary(report, room))
        elif loud := step_summary.loud_parts(report):
            _add(path, lambda _room: loud)


def show_undecided(command: str, error: CannotTell, format_name: str) -> None:
    """Say what could not be decided: people read standard error, programs standard output.

    CannotTell when GitHub's step summary, which `github` has as well, cannot be written.
    """
    stream = sys.stderr if format_name == "text" else sys.stdout
    stream.write(UNDECIDED[format_name](command, error))
    stream.flush()
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path and format_name == "github":
        from flakeledger.reporters import step_summary

        _add(path, lambda room: step_summary.undecided_summary(command, error, room))


def _add(path: str, told: Callable[[int], str]) -> None:
    """Add to GitHub's step summary what is told of the bytes that are left there."""
    from flakeledger.reporters.step_summary import LIMIT

    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(told(LIMIT - os.fstat(file.fileno()).st_size))
    except OSError as error:
        reason = f"GITHUB_STEP_SUMMARY {path!r} cannot be written: {error.strerror}"
        raise CannotTell(reason, "let GITHUB_STEP_SUMMARY name a file that can be written, or unset it") from error
