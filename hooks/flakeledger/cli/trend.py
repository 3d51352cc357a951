"""`flakeledger trend`: how freezes came and went, week by week, in the history of the branch.

Invariants:
* It judges nothing and changes nothing; it reads commits only, so what is not committed is not in it.
* Standard output gets the trend and nothing else; progress, on a terminal, and notes go to standard error.
* Into a pipe, or on a terminal that can show no more, the text is ASCII but for the names that files hold.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flakeledger.precommit.arguments import instant, now_of, wants_colour
from flakeledger.repo.repository import open_repository
from flakeledger.repo.trend import Oldest, Trend, Week, trend
from flakeledger.reporters.columns import columns, terminal_width
from flakeledger.reporters.escape import escape_surrogates
from flakeledger.reporters.json import dumped
from flakeledger.reporters.trend_chart import chart, shows_dots

EXAMPLES = """\
  flakeledger trend
  flakeledger trend --since 2026-01-01
  flakeledger trend --since v1.2 --format csv"""

VERSION = 1
_NEWEST_WEEKS = 12
#: where standard output is no terminal, or does not say how wide it is
_WIDTH = 78
_WIDEST = 120
_WEEK_HEADINGS = ("week", *Week._fields[1:])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--since",
        metavar="REV|DATE",
        help="begin in the week of this date, or of this revision (default: with the first ledger)",
    )
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="end at this time: 2026-10-11T00:00:00Z")
    parser.add_argument("--format", choices=sorted(FORMATS), default="text", help="how to print (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """Print the trend: 0. CannotTell when history does not say it; see `repo/trend.py`."""
    with open_repository(os.curdir, os.environ) as repository, _progress() as tell:
        found = trend(repository, now_of(arguments), arguments.since, tell)
    sys.stdout.write(FORMATS[arguments.format](found))
    sys.stdout.flush()
    if found.passed_over:
        versions = "1 version" if found.passed_over == 1 else f"{found.passed_over} versions"
        sys.stderr.write(f"passed over: {versions} of the ledger that cannot be read; the rows before stand on there\n")
    return 0


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """What hears how far the reading is: a bar on a terminal, which goes in the end, else nothing."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from tqdm import tqdm

    with tqdm(unit="version", file=sys.stderr, leave=False, dynamic_ncols=True) as bar:

        def tell(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield tell


# text


def _text(found: Trend) -> str:
    """For people: the chart, the newest weeks, the sums, the freezes that stand longest."""
    return "\n".join(part for part in (_chart(found), _week_table(found), _sums(found), _oldest_table(found)) if part)


def _chart(found: Trend) -> str:
    is_terminal = sys.stdout.isatty()
    plain = not is_terminal or not shows_dots(sys.stdout.encoding, os.environ.get("TERM", ""))
    width = min(shutil.get_terminal_size((_WIDTH, 0)).columns, _WIDEST) if is_terminal else _WIDTH
    return chart(found.weeks, width, plain=plain, colour=wants_colour(os.environ))


def _week_table(found: Trend) -> str:
    rows = [tuple(map(str, week)) for week in found.weeks[-_NEWEST_WEEKS:]]
    return columns(_WEEK_HEADINGS, rows, terminal_width(sys.stdout))


def _sums(found: Trend) -> str:
    """What the weeks add up to, in sentences."""
    counts = f"{found.opened} opened, {found.thawed} thawed, {found.renewed} renewed, {found.open} open"
    lines = [f"{found.since} to {found.until}: {counts}"]
    if found.median_days_to_thaw is not None:
        lines.append(f"median time to thaw: {found.median_days_to_thaw:.1f} days")
    if found.share_expired_unthawed is not None:
        share = f"{100 * found.share_expired_unthawed:.0f} %"
        lines.append(f"expired unthawed: {found.expired_unthawed}, {share} of the windows that ended")
    return "".join(f"{line}\n" for line in lines)


def _oldest_table(found: Trend) -> str:
    rows = [tuple("-" if cell is None else str(cell) for cell in row) for row in found.oldest]
    return columns(("oldest", "owner", "property", "since", "days"), rows, terminal_width(sys.stdout))


# for programs


def _json(found: Trend) -> str:
    """One object; `docs/formats.md` says what the keys mean."""
    weeks = [week._asdict() for week in found.weeks]
    return dumped({"version": VERSION, **found._asdict(), "weeks": weeks, "oldest": list(map(_json_row, found.oldest))})


def _json_row(row: Oldest) -> dict[str, object]:
    return {name: escape_surrogates(cell) if isinstance(cell, str) else cell for name, cell in row._asdict().items()}


def _csv(found: Trend) -> str:
    """A line a week, under a heading."""
    from flakeledger.reporters.spreadsheet import csv_text

    return csv_text(_WEEK_HEADINGS, found.weeks)


FORMATS: dict[str, Callable[[Trend], str]] = {"csv": _csv, "json": _json, "text": _text}
