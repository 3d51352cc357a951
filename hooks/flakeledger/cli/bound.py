"""`flakeledger bound`: what a count of runs says about a rate of failure, and how many runs a wanted rate takes.

Invariants:
* The numbers are those that findings, `review` and `thaw` print: exact, one-sided, with a confidence of 95 %.
* It reads nothing but its arguments.
"""

from __future__ import annotations

import argparse
import re
import sys

from flakeledger.model.errors import CannotTell
from flakeledger.reporters.json import dumped
from flakeledger.verdicts.rates import percent, replays_needed, upper_bound

EXAMPLES = """\
  flakeledger bound --passed 20              # at most 13.9 %
  flakeledger bound --passed 18 --failed 2
  flakeledger bound --rate 5%                # 59 runs without a failure"""

VERSION = 1
#: the work grows with the square root of the number of runs
_MOST_RUNS = 10**9
#: below this a rate needs more runs than anybody makes
_LOWEST_RATE = 1e-6
_RATE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?) ?(%?)", re.ASCII)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--passed", type=_count, metavar="N", help="so many runs passed: the rate that this leaves")
    what.add_argument("--rate", type=_rate, metavar="RATE", help="5%% or 0.05: the runs without a failure it takes")
    parser.add_argument("--failed", type=_count, metavar="N", help="beside --passed: so many runs failed (default: 0)")
    parser.add_argument("--format", choices=["json", "text"], default="text", help="how to print (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """Print the bound or the number of runs: 0. CannotTell for --failed without --passed, and for no run at all."""
    told, value = _of_rate(arguments) if arguments.rate is not None else _of_counts(arguments)
    sys.stdout.write(dumped({"version": VERSION, "confidence": 0.95, **value}) if arguments.format == "json" else told)
    return 0


def _of_counts(arguments: argparse.Namespace) -> tuple[str, dict[str, object]]:
    failed = arguments.failed or 0
    runs = arguments.passed + failed
    if runs == 0:
        raise CannotTell("no run says nothing about a rate", "flakeledger bound --passed 20")
    bound = upper_bound(failed, runs)
    told = f"{failed} of {runs} runs failed: the rate of failure is at most {percent(bound)} (95 %, one-sided)\n"
    return told, {"passed": arguments.passed, "failed": failed, "runs": runs, "bound": bound}


def _of_rate(arguments: argparse.Namespace) -> tuple[str, dict[str, object]]:
    if arguments.failed is not None:
        raise CannotTell("--failed goes with --passed", "flakeledger bound --passed 18 --failed 2")
    rate = arguments.rate
    runs = replays_needed(rate)
    told = f"{runs} runs without a failure leave a rate of at most {100 * rate:g} % (95 %, one-sided)\n"
    return told, {"rate": rate, "runs": runs}


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(_MOST_RUNS))) or int(text) > _MOST_RUNS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of runs, from 0 to {_MOST_RUNS}")
    return int(text)


def _rate(text: str) -> float:
    found = _RATE.fullmatch(text)
    rate = 0.0 if found is None else float(found[1]) / (100 if found[2] else 1)
    if not _LOWEST_RATE <= rate < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no rate: write 5% or 0.05, below 100 %")
    return rate
