"""Findings as text, JSON or GitHub workflow commands: the reporters by name.

Adding one is a module with a `report`, and a line in `REPORTERS`.
"""

from __future__ import annotations

from collections.abc import Callable

from flakeledger.model.errors import CannotTell
from flakeledger.model.report import Report
from flakeledger.reporters import github, json, text

#: A report and whether colours are wanted -> the text to print. Only people read colours.
Reporter = Callable[[Report, bool], str]

REPORTERS: dict[str, Reporter] = {
    "github": lambda report, _colour: github.report(report),
    "json": lambda report, _colour: json.report(report),
    "text": text.report,
}

#: A command and why it could not decide -> the text to print.
Undecided = Callable[[str, CannotTell], str]

UNDECIDED: dict[str, Undecided] = {
    "github": github.undecided,
    "json": json.undecided,
    "text": text.undecided,
}
