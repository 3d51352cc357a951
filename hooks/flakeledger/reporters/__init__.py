"""Findings as text, JSON or GitHub workflow commands: the reporters by name.

Adding one is a module with `report` and `undecided`, and a line in each table.
A reporter is imported when it is asked for: a run pays for one of them.
"""

from __future__ import annotations

from collections.abc import Callable

from flakeledger.model.errors import CannotTell
from flakeledger.model.report import Report

#: A report and whether colours are wanted -> the text to print. Only people read colours.
Reporter = Callable[[Report, bool], str]

#: A command and why it could not decide -> the text to print.
Undecided = Callable[[str, CannotTell], str]


def _github(report: Report, _colour: bool) -> str:
    from flakeledger.reporters import github

    return github.report(report)


def _json(report: Report, _colour: bool) -> str:
    from flakeledger.reporters import json

    return json.report(report)


def _text(report: Report, colour: bool) -> str:
    from flakeledger.reporters import text

    return text.report(report, colour)


def _undecided_github(command: str, error: CannotTell) -> str:
    from flakeledger.reporters import github

    return github.undecided(command, error)


def _undecided_json(command: str, error: CannotTell) -> str:
    from flakeledger.reporters import json

    return json.undecided(command, error)


def _undecided_text(command: str, error: CannotTell) -> str:
    from flakeledger.reporters import text

    return text.undecided(command, error)


REPORTERS: dict[str, Reporter] = {"github": _github, "json": _json, "text": _text}

UNDECIDED: dict[str, Undecided] = {"github": _undecided_github, "json": _undecided_json, "text": _undecided_text}
