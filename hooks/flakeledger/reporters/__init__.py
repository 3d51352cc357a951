"""Findings as text and in the formats that programs and services read: the reporters by name.

Adding one is a module with `report` and `undecided`, and a line in the table.
A reporter is imported when it is asked for: a run pays for one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from flakeledger.model.errors import CannotTell
from flakeledger.model.report import Report

#: A report and whether colours are wanted -> the text to print. Only people read colours.
Reporter = Callable[[Report, bool], str]

#: A command and why it could not decide -> the text to print.
Undecided = Callable[[str, CannotTell], str]

#: the formats of services and programs; each has a module of its name
_MACHINE_FORMATS = ("github", "gitlab", "json", "junit", "sarif")


def _text(report: Report, colour: bool) -> str:
    from flakeledger.reporters import text

    return text.report(report, colour)


def _undecided_text(command: str, error: CannotTell) -> str:
    from flakeledger.reporters import text

    return text.undecided(command, error)


def _reporter(name: str) -> Reporter:
    """The `report` of a module, which is imported by the first report."""
    return lambda report, _colour: str(import_module(f"{__name__}.{name}").report(report))


def _undecided(name: str) -> Undecided:
    """The `undecided` of a module, which is imported when it is needed."""
    return lambda command, error: str(import_module(f"{__name__}.{name}").undecided(command, error))


REPORTERS: dict[str, Reporter] = {"text": _text, **{name: _reporter(name) for name in _MACHINE_FORMATS}}

UNDECIDED: dict[str, Undecided] = {"text": _undecided_text, **{name: _undecided(name) for name in _MACHINE_FORMATS}}
