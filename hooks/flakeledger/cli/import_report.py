"""What an import says: the work list of entries that lack something, as text, CSV or JSON, and its progress.

Invariants:
* The work list is all that stands on standard output for a program: CSV rows, or one JSON document.
* Text that came from a list is escaped; a CSV cell that a spreadsheet would compute is turned into text.
* A terminal sees one line that moves; a log sees a line now and then; neither stands on standard output.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from flakeledger.cli.import_plan import Sorted, Unfit, place_of
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.reporters import spreadsheet
from flakeledger.reporters.escape import escape_line, escape_surrogates

VERSION = 1
_COLUMNS = (
    *("path", "line", "column", "test", "lacks", "messages", "fixes"),
    *("owner", "added", "expires", "reason", "issue", "property_id"),
)
Item = TypeVar("Item")


class Outcome(NamedTuple):
    """What became of the entries; `dry_run`: nothing was written."""

    found: Sorted
    dry_run: bool

    @property
    def summary(self) -> str:
        """One sentence for people."""
        verb = "would write" if self.dry_run else "wrote"
        accepted, standing, unfit = len(self.found.accepted), len(self.found.standing), len(self.found.unfit)
        return (
            f"{verb} {_counted(accepted, 'row')} to {FREEZES}; {standing} {'was' if standing == 1 else 'were'} there "
            f"already; {unfit} {'lacks' if unfit == 1 else 'lack'} something"
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def text(outcome: Outcome) -> str:
    """The work list for people, each entry with its fixes, then the summary."""
    return "".join(f"{escape_line(line)}\n" for line in _lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    for unfit in outcome.found.unfit:
        what = ", ".join(dict.fromkeys(lack.what for lack in unfit.lacks))
        yield f"{place_of(unfit.entry)}: {unfit.test or 'an entry'} lacks: {what}"
        for lack in dict.fromkeys(unfit.lacks):
            yield f"    {lack.message}"
            yield from _fix_lines(lack.fix)
    yield outcome.summary


def _fix_lines(fix: str) -> Iterator[str]:
    """A fix of several lines stands below its first word, as in the text of a report."""
    first, *others = fix.split("\n")
    yield f"        fix: {first}"
    for other in others:
        yield f"             {other}"


def csv_text(outcome: Outcome) -> str:
    """The work list as CSV with a heading; several lacks of one entry are separated by `; `."""
    return spreadsheet.csv_text(_COLUMNS, (list(_values(unfit)) for unfit in outcome.found.unfit))


def _values(unfit: Unfit) -> Iterator[str]:
    entry, lacks = unfit.entry, unfit.lacks
    yield from (entry.path, str(entry.place.line), str(entry.place.column), unfit.test)
    yield "; ".join(dict.fromkeys(lack.what for lack in lacks))
    yield "; ".join(dict.fromkeys(lack.message for lack in lacks))
    yield "; ".join(dict.fromkeys(lack.fix for lack in lacks))
    for value in (entry.owner, entry.added, entry.expires, entry.reason, entry.issue, entry.property_id):
        yield value or ""


def json_text(outcome: Outcome) -> str:
    """`version`, `dry_run`, `written` (tests), `standing` (places), `work`: entries with their `lacks`."""
    found = outcome.found
    document = {
        "version": VERSION,
        "dry_run": outcome.dry_run,
        "written": [candidate.test for candidate in found.accepted],
        "standing": [place_of(entry) for entry in found.standing],
        "work": [_work(unfit) for unfit in found.unfit],
    }
    return escape_surrogates(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def _work(unfit: Unfit) -> dict[str, object]:
    entry = unfit.entry
    return {
        "path": entry.path,
        "line": entry.place.line,
        "column": entry.place.column,
        "test": unfit.test,
        "selector": entry.selector.text,
        "lacks": [lack._asdict() for lack in unfit.lacks],
        "owner": entry.owner,
        "added": entry.added,
        "expires": entry.expires,
        "reason": entry.reason,
        "issue": entry.issue,
        "property_id": entry.property_id,
    }


FORMATS = {"csv": csv_text, "json": json_text, "text": text}

#: fewer entries are done before anybody looks
_LARGE = 200
_STEPS_OF_A_TERMINAL, _STEPS_OF_A_LOG = 100, 4


def progress(items: list[Item], what: str) -> Iterator[Item]:
    """The items one by one; of many, standard error says how far they are."""
    total = len(items)
    terminal = sys.stderr.isatty()
    step = max(1, total // (_STEPS_OF_A_TERMINAL if terminal else _STEPS_OF_A_LOG))
    for number, item in enumerate(items, 1):
        yield item
        if total >= _LARGE and (number % step == 0 or number == total):
            _say(f"{what}: {number} of {total}", moves=terminal and number < total)


def announce(what: str, total: int) -> None:
    """Say that something is done with many rows at once."""
    if total >= _LARGE:
        _say(f"{what}: {total} rows", moves=False)


def _say(line: str, *, moves: bool) -> None:
    """A line of progress; on a terminal one that moves is overwritten by the next."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}" + ("" if moves else "\n"))
        sys.stderr.flush()
    else:
        print(line, file=sys.stderr)
