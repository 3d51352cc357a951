"""How far a replay is: a bar on a terminal, plain lines in a log. On standard error, without colours.

Invariants:
* A log gets whole lines and no carriage return: one when a test is done, and one every ten seconds at most.
* Text from files is escaped.
* The rate and the time left are those of this run: seeds that an earlier one ended are no speed.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from time import monotonic
from typing import Any, Protocol

from flakeledger.evidence.runs import SeedRun
from flakeledger.reporters.escape import escape_line

_EVERY = 10.0
#: the size of a terminal that does not say so, as that of script(1) without one around it: tqdm would draw nothing
_UNKNOWN_WIDTH, _UNKNOWN_HEIGHT = 80, 24
_MINUTE, _HOUR = 60, 3600
_BAR = "{percentage:3.0f} %|{bar}| {n_fmt} of {total_fmt} seeds, {rate_fmt}, {remaining} left{postfix}"


class Progress(Protocol):
    """What tells people how far a replay is."""

    def seed(self, run: SeedRun) -> None:
        """A seed ended."""

    def say(self, line: str) -> None:
        """A line about a test that is done."""

    def close(self) -> None:
        """Nothing more follows."""


def progress(total: int, known: tuple[SeedRun, ...]) -> Progress:
    """A bar where standard error is a terminal, else lines. `known` are the seeds that an earlier run ended."""
    return Bar(total, known) if sys.stderr.isatty() else Lines(total, known)


class Bar:
    """A bar at the bottom of a terminal."""

    def __init__(self, total: int, known: tuple[SeedRun, ...]) -> None:
        """Draw it."""
        from tqdm import tqdm  # the checks never pay for it, and neither does a log

        self._counts = counted(known)
        told = os.get_terminal_size(sys.stderr.fileno()).columns > 0
        size: dict[str, Any] = {"dynamic_ncols": True} if told else {"ncols": _UNKNOWN_WIDTH, "nrows": _UNKNOWN_HEIGHT}
        # a thread of tqdm's own would redraw the bar after long pauses: a fork in between could copy its lock
        self._bar = tqdm(
            total=total, initial=len(known), unit="seed", bar_format=_BAR, file=sys.stderr, miniters=1, maxinterval=0,
            leave=False, postfix=passes_and_failures(self._counts), **size,
        )  # fmt: skip

    def seed(self, run: SeedRun) -> None:
        """Move on."""
        self._counts[run.outcome] += 1
        self._bar.set_postfix_str(passes_and_failures(self._counts), refresh=False)
        self._bar.update()

    def say(self, line: str) -> None:
        """Above the bar."""
        self._bar.write(escape_line(line), file=sys.stderr)

    def close(self) -> None:
        """Remove the bar: a table follows."""
        self._bar.close()


class Lines:
    """Lines in a log."""

    def __init__(self, total: int, known: tuple[SeedRun, ...]) -> None:
        """Nothing is said yet."""
        self._total, self._before = total, len(known)
        self._counts = counted(known)
        self._begun = self._said = monotonic()

    def seed(self, run: SeedRun) -> None:
        """Say how far it is when nothing was said for a while."""
        self._counts[run.outcome] += 1
        now = monotonic()
        if now - self._said >= _EVERY:
            done = self._counts.total()
            rate = (done - self._before) / (now - self._begun)
            left = duration((self._total - done) / rate)
            counts = passes_and_failures(self._counts)
            self._write(f"{done} of {self._total} seeds, {rate:.2f} a second, about {left} left, {counts}")

    def say(self, line: str) -> None:
        """A line of its own."""
        self._write(line)

    def close(self) -> None:
        """Nothing is left to do."""

    def _write(self, line: str) -> None:
        self._said = monotonic()
        sys.stderr.write(escape_line(line) + "\n")
        sys.stderr.flush()


def counted(runs: tuple[SeedRun, ...]) -> Counter[str]:
    """How often each outcome was seen."""
    return Counter(run.outcome for run in runs)


def passes_and_failures(counts: Counter[str]) -> str:
    """The counts in words: those of neither only where there are some."""
    others = counts.total() - counts["pass"] - counts["fail"]
    return f"{counts['pass']} passed, {counts['fail']} failed" + (f", {others} neither" if others else "")


def duration(seconds: float) -> str:
    """A time for people: `1 h 2 min`, `3 min 4 s`, `5 s`."""
    whole = round(seconds)
    if whole >= _HOUR:
        return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
    return f"{whole // _MINUTE} min {whole % _MINUTE} s" if whole >= _MINUTE else f"{whole} s"
