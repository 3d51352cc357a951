"""`flakeledger decide` in a repository: every citation of a tree, with its decision.

Invariants:
* It decides and edits nothing; `now` is the caller's, no clock is read.
* A ledger or a policy that cannot be read as a whole is `CannotTell`: what is missing might be what decides.
* Citations go to standard output, one a line; the counts follow on standard error, so that a pipe holds only citations.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence

from flakeledger.model.clock import format_instant
from flakeledger.model.errors import CannotTell
from flakeledger.precommit.output import show_undecided
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import new_tree
from flakeledger.reporters.columns import columns, terminal_width
from flakeledger.reporters.escape import escape_line, escape_surrogates
from flakeledger.reporters.json import dumped
from flakeledger.rules.interviews import readable_policy
from flakeledger.verdicts.citing import Judged, judged_citations
from flakeledger.verdicts.decision import DECISION_TABLE

VERSION = 1
NO_ROW = "no row"
MALFORMED = "malformed"
_HEADINGS = ("place", "property", "test", "decision")


def run(arguments: argparse.Namespace) -> int:
    """Print the citations of the staged tree, or of `arguments.rev`: 0 when all may stay, 1 otherwise, 2 cannot tell.

    `arguments.now` are seconds, `arguments.format` is "text" or "json".
    """
    try:
        with open_repository(os.curdir, os.environ) as repository:
            revision = new_tree(repository.git, head=arguments.rev, environment={})
            repository.begin_citations(revision)
            ledger = repository.ledger(repository.tree(revision))
            readable_policy(ledger)
            repository.prepare(ledger)
            found = judged_citations(ledger, arguments.now)
            label = ledger.tree.label
    except CannotTell as error:
        show_undecided("decide", error, arguments.format)
        return 2
    _show(arguments.format, found, label, arguments.now)
    return int(any(one.decision != "allow_cite" for one in found))


def outcome_of(one: Judged) -> str:
    """What became of a citation: its decision, "no row" or "malformed"."""
    return one.decision or (MALFORMED if one.citation.problem else NO_ROW)


def _show(format_name: str, found: Sequence[Judged], label: str, now: int) -> None:
    if format_name == "json":
        sys.stdout.write(_json_text(found, label, now))
        return
    sys.stdout.write(columns(_HEADINGS, [_cells(one) for one in found], terminal_width(sys.stdout)))
    sys.stdout.flush()
    sys.stderr.write(escape_line(_summary(found, label, now)) + "\n")


def _cells(one: Judged) -> tuple[str, ...]:
    path, place, property_id, _, test, problem = one.citation
    meant = (one.freeze.test or "") if one.freeze is not None else f"{path}::{test}" if test else path
    said = f"{MALFORMED}: {problem}" if problem else outcome_of(one)
    return (f"{path}:{place.line}:{place.column}:", property_id or "-", meant, said)


def _counts(found: Sequence[Judged]) -> dict[str, int]:
    counted = Counter(map(outcome_of, found))
    return {name: counted[name] for name in (*(line.decision for line in DECISION_TABLE), NO_ROW, MALFORMED)}


def _summary(found: Sequence[Judged], label: str, now: int) -> str:
    counts = ", ".join(f"{count} {name}" for name, count in _counts(found).items() if count)
    number = f"{len(found) or 'no'} {'citation' if len(found) == 1 else 'citations'}"
    return f"{number}{': ' if counts else ''}{counts}; judged: {label}; now: {format_instant(now)}"


def _json_text(found: Sequence[Judged], label: str, now: int) -> str:
    """`version`, `judged`, `now`, `counts` (outcome to number) and `citations`, in the order of the text."""
    value = {
        "version": VERSION,
        "judged": escape_surrogates(label),
        "now": format_instant(now),
        "counts": _counts(found),
        "citations": [_json_row(one) for one in found],
    }
    return dumped(value)


def _json_row(one: Judged) -> dict[str, object]:
    path, place, property_id, runner_class, test, problem = one.citation
    row = None if one.freeze is None else one.freeze
    return {
        "path": escape_surrogates(path),
        "line": place.line,
        "column": place.column,
        "stands_for": escape_surrogates(test),
        "property_id": property_id,
        "runner_class": None if runner_class is None else escape_surrogates(runner_class),
        "test": None if row is None or row.test is None else escape_surrogates(row.test),
        "decision": one.decision,
        "outcome": outcome_of(one),
        "problem": escape_surrogates(problem),
    }
