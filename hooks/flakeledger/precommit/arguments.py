"""The arguments that commands share, and the one clock read of a run.

Invariants:
* `--now` takes an instant with its zone; without it the clock is read once, here.
* `--no-base=warn` is the only way to pass without a base, and it is never silent.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping

from flakeledger.model.clock import parse_instant
from flakeledger.reporters import REPORTERS


def instant(text: str) -> int:
    """The `--now` argument in seconds; argparse prints what is wrong with it."""
    try:
        return parse_instant(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def seconds(text: str) -> float:
    """How long something may take, as an argument; argparse prints what is wrong with it."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return found


def number_up_to(most: int) -> Callable[[str], int]:
    """What reads a whole number from 1 to `most`, as an argument; argparse prints what is wrong with it."""

    def read(text: str) -> int:
        is_short = text.isascii() and text.isdigit() and len(text) <= len(str(most))
        if not is_short or not 0 < int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {most}")
        return int(text)

    return read


def rule_name(text: str) -> str:
    """The `--only` argument: the name of a rule."""
    from flakeledger.rules.table import RULE_NAMES

    if text not in RULE_NAMES:
        import difflib

        near = difflib.get_close_matches(text, RULE_NAMES, n=1)
        raise argparse.ArgumentTypeError(f"no rule {text!r}" + (f"; did you mean {near[0]}?" if near else ""))
    return text


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    """What check-ledgers, check-change and check have in common."""
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="judge at this time: 2026-10-11T00:00:00Z")
    parser.add_argument("--base", metavar="REV", help="judge against the merge base with this revision")
    parser.add_argument(
        "--no-base",
        choices=["warn"],
        metavar="warn",
        help="pass with a loud NOT CHECKED when no base is known (use it with `verbose: true`)",
    )
    formats = sorted(REPORTERS)
    parser.add_argument(
        "--format",
        choices=formats,
        default="text",
        metavar="FORMAT",
        help=f"how to report: {', '.join(formats)} (default: text)",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        type=rule_name,
        metavar="RULE",
        help="report this rule alone (repeatable)",
    )


def now_of(arguments: argparse.Namespace) -> int:
    """The time of this run in seconds."""
    return int(time.time()) if arguments.now is None else int(arguments.now)


def wants_colour(environment: Mapping[str, str]) -> bool:
    """Whether standard output is a terminal that may be coloured (https://no-color.org) and knows colours."""
    return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb" and sys.stdout.isatty()
