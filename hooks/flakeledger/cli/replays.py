"""`flakeledger replays merge`: joins the lines that the parts of a split replay wrote into the log.

Invariants:
* All or nothing: one line of one file that is no replay, and the log stays as it is.
* A line that is there already, or comes twice, is one replay. An id that two different lines have is refused.
* Lines come behind the log's own, in the order in which the replays ended; no line is changed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakeledger.cli.named_file import read_named
from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import REPLAYS
from flakeledger.model.records import LogLine
from flakeledger.model.wording import shown
from flakeledger.reporters.escape import escape_line
from flakeledger.store.edits import locked, on_disk
from flakeledger.store.git import Git
from flakeledger.store.replay_log import read_replays

EXAMPLES = """\
  flakeledger replays merge shard-1.jsonl shard-2.jsonl"""

#: a million lines of usual length
LARGEST_LOG = 1 << 29


class Given(NamedTuple):
    """A line and where it stands."""

    path: str
    line: LogLine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("action", choices=["merge"], help="append the lines of the files to the log")
    parser.add_argument("files", nargs="+", metavar="FILE", help="what flakeledger replay --out wrote")


def run(arguments: argparse.Namespace) -> int:
    """Merge: 0. CannotTell, with nothing written, when a file cannot be read whole, or two lines have one id."""
    given = [one for path in arguments.files for one in _lines(path, read_named(path, LARGEST_LOG))]
    git = Git.open(os.curdir, os.environ)
    with locked(git) as edits:
        log = on_disk(git, REPLAYS) or b""
        # a line of the log that cannot be read is the checks' business, and no reason to lose others
        standing = [Given(REPLAYS, line) for line in read_replays(log, REPLAYS)[0]]
        new = new_lines(standing, given)
        if new:
            edits.append_lines(REPLAYS, "".join(f"{one.line.text}\n" for one in new).encode())
    sys.stdout.writelines(f"{escape_line(line)}\n" for line in _told(len(new), len(given)))
    return 0


def new_lines(standing: Sequence[Given], given: Sequence[Given]) -> list[Given]:
    """The given lines that are new, each once, by the time of their replays. CannotTell when two lines have one id."""
    texts = {one.line.text for one in standing}
    by_id = {one.line.replay.id: one for one in standing if one.line.replay.id is not None}
    new: list[Given] = []
    for one in given:
        if one.line.text in texts:
            continue
        name = one.line.replay.id
        if name in by_id:
            other = by_id[name]
            raise CannotTell(
                f"{shown(name or '')} is the id of another replay, {other.path}:{other.line.replay.line}",
                "keep the line that the recorder wrote, and take the other one out",
                f"{one.path}:{one.line.replay.line}:1",
            )
        texts.add(one.line.text)
        if name is not None:
            by_id[name] = one
        new.append(one)
    return sorted(new, key=_time)


def _time(one: Given) -> int:
    return one.line.replay.at


def _lines(path: str, data: bytes) -> Iterator[Given]:
    """The lines of a file. CannotTell, with the place of the first, when one of them is no replay."""
    lines, findings = read_replays(data, path)
    for finding in findings:
        raise _refusal(finding)
    return (Given(path, line) for line in lines)


def _refusal(finding: Finding) -> CannotTell:
    return CannotTell(finding.message, finding.fix, f"{finding.path}:{finding.line}:{finding.column}")


def _told(new: int, given: int) -> Iterator[str]:
    lines = f"{new} {'line' if new == 1 else 'lines'}"
    yield f"appended {lines} to {REPLAYS}" + (f"; {given - new} stood there already, or came twice" * (given > new))
    if new:
        yield f"next: git add {REPLAYS}, and commit"
