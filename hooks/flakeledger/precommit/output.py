"""Printing a report, and what continuous integration shows beside it.

Invariants:
* Only reporters make text, and they escape what came from files.
* On GitHub, what must not go unseen (NOT CHECKED, a removed guard) is also written to the step summary; a summary
  that cannot be written is `CannotTell`, after the report was printed.
"""

from __future__ import annotations

import os
import sys

from flakeledger.model.errors import CannotTell
from flakeledger.model.report import Report
from flakeledger.precommit.arguments import wants_colour
from flakeledger.reporters import REPORTERS, UNDECIDED

_LOUD_RULES = ("guard-removed",)
_LOUD_NOTE = "NOT CHECKED"


def show(report: Report, format_name: str) -> None:
    """Print the report to standard output, and its loud parts to GitHub's step summary.

    CannotTell when that summary cannot be written: nobody would see what must not go unseen.
    """
    colour = format_name == "text" and wants_colour(os.environ.get("NO_COLOR"))
    sys.stdout.write(REPORTERS[format_name](report, colour))
    sys.stdout.flush()
    loud = [note for note in report.notes if note.startswith(_LOUD_NOTE)]
    loud += [f"{finding.rule}: {finding.message}" for finding in report.findings if finding.rule in _LOUD_RULES]
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if loud and summary:
        from flakeledger.reporters.escape import escape_markdown

        lines = [f"- flakeledger {report.command}: {escape_markdown(line)}\n" for line in loud]
        try:
            with open(summary, "a", encoding="utf-8") as file:
                file.writelines(lines)
        except OSError as error:
            reason = f"GITHUB_STEP_SUMMARY {summary!r} cannot be written: {error.strerror}"
            raise CannotTell(reason, "let GITHUB_STEP_SUMMARY name a file that can be written, or unset it") from error


def show_undecided(command: str, error: CannotTell, format_name: str) -> None:
    """Say what could not be decided: people read standard error, programs standard output."""
    stream = sys.stderr if format_name == "text" else sys.stdout
    stream.write(UNDECIDED[format_name](command, error))
    stream.flush()
