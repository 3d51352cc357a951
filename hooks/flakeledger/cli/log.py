"""`flakeledger log`: the life of the freezes of a test or a property, commit by commit, the newest first.

Invariants:
* It judges nothing and changes nothing; it reads commits only, so what is not committed is not in it.
* Rows go to standard output, one event a line; where the freezes stand follows on standard error.
* Where history is too shallow, what is known is printed, and then it cannot tell the rest.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import NamedTuple

from flakeledger.cli.interviewing import nearest_names
from flakeledger.model.errors import CannotTell
from flakeledger.model.records import Freeze
from flakeledger.model.wording import shown
from flakeledger.repo.citations import is_id
from flakeledger.repo.freeze_log import Event, FieldChange, Life, known_names, life_of_property, life_of_test
from flakeledger.repo.ids import split_test_id
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.reporters.columns import columns, terminal_width
from flakeledger.reporters.escape import escape_line, escape_surrogates
from flakeledger.reporters.json import dumped

EXAMPLES = """\
  flakeledger log PROP-014
  flakeledger log tests/test_orders.py::test_partial_refund
  flakeledger log PROP-014 --rev v1.2 --format json"""

VERSION = 1
_HEADINGS = ("commit", "date", "event", "of", "what", "subject")
_COMMIT_DIGITS = 12
_LONGEST_VALUE = 60
_MOST_STANDING = 3
#: fields whose values say nothing to people: that they changed is enough
_UNTOLD = frozenset(("fixture_hashes", "generator_hash", "test_hash", "witness", "note"))


class Asked(NamedTuple):
    """What the user asks about, and the commit behind which it is looked for."""

    name: str
    is_test: bool
    start: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("name", metavar="PROPERTY|TEST", help="the id of a property, or of a test")
    parser.add_argument("--rev", metavar="REV", default="HEAD", help="begin at this revision (default: HEAD)")
    parser.add_argument("--format", choices=["json", "text"], default="text", help="how to print (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """Print the life: 0, or 1 when there is none.

    CannotTell when the name can be neither of a test nor of a property, the revision is not here, or history is too
    shallow to know all of it (what is known is printed before).
    """
    with open_repository(os.curdir, os.environ) as repository:
        start = _start(repository, arguments.rev)
        asked = Asked(arguments.name, _is_test(repository, start, arguments.name), start)
        life = (life_of_test if asked.is_test else life_of_property)(repository, start, asked.name)
        if life.events or arguments.format == "json":
            sys.stdout.write(_json_text(asked, life) if arguments.format == "json" else _text(life))
            sys.stdout.flush()
        if life.cut_off is not None:
            raise life.cut_off
        if arguments.format == "text":
            told = _summary(asked, life) if life.events else _nothing(repository, asked)
            sys.stderr.write(f"{escape_line(told)}\n")
    return 0 if life.events else 1


def _start(repository: Repository, revision: str) -> str:
    commit = repository.git.commit(revision)
    if commit is None:
        reason = f"--rev {revision!r} names no commit whose tree is here"
        raise CannotTell(reason, "give the name of a commit, a tag or a branch; if it is elsewhere: git fetch")
    return commit


def _is_test(repository: Repository, start: str, name: str) -> bool:
    """Whether a name is the id of a test, else it is that of a property. CannotTell when it can be neither."""
    if is_id(name):
        return False
    try:
        split_test_id(name)
    except ValueError as error:
        near = _did_you_mean(repository, start, name)
        fix = near or "give PROP-014, or tests/test_orders.py::test_total"
        raise CannotTell(f"{shown(name)} is the id neither of a property nor of a test: {error}", fix) from None
    return True


def _nothing(repository: Repository, asked: Asked) -> str:
    what = "the test" if asked.is_test else "a test of the property"
    near = _did_you_mean(repository, asked.start, asked.name)
    return f"no row ever froze {what} {asked.name} behind commit {asked.start[:_COMMIT_DIGITS]}{near and f'; {near}'}"


def _did_you_mean(repository: Repository, start: str, name: str) -> str:
    near = nearest_names(name, known_names(repository, start))
    return f"did you mean {' or '.join(near)}?" if near else ""


# text


def _text(life: Life) -> str:
    return columns(_HEADINGS, [_cells(life, event) for event in life.events], terminal_width(sys.stdout))


def _cells(life: Life, event: Event) -> tuple[str, ...]:
    message = life.messages[event.commit]
    return (
        event.commit[:_COMMIT_DIGITS],
        message.author_date[: len("2026-11-19")] or "no date",
        event.what,
        event.test or event.property_id,
        _told(event),
        message.subject,
    )


def _told(event: Event) -> str:
    """What happened, in a few words."""
    if event.what == "decided":
        return f"{event.decision} now={event.now}"
    if event.what == "removed":
        return event.why
    if event.what == "opened":
        values = {field.name: field.after for field in event.fields}
        return f"{event.property_id or 'no property'}, until {values.get('expires', 'no end')}"
    return "; ".join(map(_told_field, event.fields))


def _told_field(field: FieldChange) -> str:
    if field.name in _UNTOLD:
        return field.name
    before, after = ("none" if side is None else _short(str(side)) for side in (field.before, field.after))
    return f"{field.name} {before} -> {after}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _summary(asked: Asked, life: Life) -> str:
    events = f"{len(life.events)} {'event' if len(life.events) == 1 else 'events'}"
    stands = [f"{row.test} until {row.expires or 'no end'}" for row in life.standing[:_MOST_STANDING]]
    if len(life.standing) > _MOST_STANDING:
        stands.append(f"and {len(life.standing) - _MOST_STANDING} more")
    return f"{events} behind commit {asked.start[:_COMMIT_DIGITS]}; frozen there: {', '.join(stands) or 'nothing'}"


# JSON


def _json_text(asked: Asked, life: Life) -> str:
    """For programs; `docs/commands.md` says what the keys mean."""
    value = {
        "version": VERSION,
        "asked": escape_surrogates(asked.name),
        "commit": asked.start,
        "complete": life.cut_off is None,
        "events": [_json_event(life, event) for event in life.events],
        "standing": [_json_row(row) for row in life.standing],
    }
    return dumped(value)


def _json_event(life: Life, event: Event) -> dict[str, object]:
    message = life.messages[event.commit]
    return {
        "commit": event.commit,
        "author_date": escape_surrogates(message.author_date),
        "subject": escape_surrogates(message.subject),
        "event": event.what,
        "test": event.test or None,
        "property_id": event.property_id or None,
        "fields": {field.name: {"before": field.before, "after": field.after} for field in event.fields},
        "why": event.why or None,
        "decision": event.decision or None,
        "now": event.now or None,
    }


def _json_row(row: Freeze) -> dict[str, object]:
    return {
        "test": row.test,
        "property_id": row.property_id,
        "owner": row.owner,
        "frozen_on": row.frozen_on,
        "expires": row.expires,
    }
