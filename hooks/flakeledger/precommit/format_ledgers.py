"""The hook `format-ledgers`: the canonical layout of the row ledgers on disk; comments stay.

Invariants:
* It changes layout only: never a value, a digest, a date or a row, and it repairs nothing.
* What is read are the files on disk: the hook runners put them as they are staged before they start a hook.
* A ledger that cannot be read does not keep the others from being formatted; the exit code is 2 then.
* The policy is not touched.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import ROW_LEDGERS
from flakeledger.model.report import Report
from flakeledger.precommit.output import show
from flakeledger.reporters.escape import escape_line
from flakeledger.store.edits import locked, on_disk
from flakeledger.store.formatter import format_rows
from flakeledger.store.git import Git
from flakeledger.store.reader import read_rows
from flakeledger.store.repair import repair

EXAMPLES = """\
  flakeledger format-ledgers"""

#: a line as git sees it, with its end: nothing but a line feed ends one
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Way(NamedTuple):
    """How to format: whether to write, to print what differs, to mend what can be proven."""

    write: bool
    diff: bool
    mend: bool


class Formatted(NamedTuple):
    """A ledger before and after, what was mended in it, and what keeps it from being read."""

    path: str
    before: bytes
    after: bytes
    mended: list[str]
    findings: list[Finding]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The hook has no arguments of its own."""


def run(_arguments: argparse.Namespace) -> int:
    """Format: 0, 1 when a file was changed, 2 when one cannot be read."""
    return run_format("format-ledgers", Way(write=True, diff=False, mend=False))


def run_format(command: str, way: Way) -> int:
    """Format every row ledger that stands on disk, print what happened, and give the exit code."""
    git = Git.open(os.curdir, os.environ)
    done = _all_formatted(git, way)
    if way.write and any(one.after != one.before for one in done):
        with locked(git) as edits:  # nobody needs the lock to find that there is nothing to do
            done = _all_formatted(git, way)
            edits.write({one.path: (one.before, one.after) for one in done if one.after != one.before})
    changed = [one for one in done if one.after != one.before]
    for one in changed:
        _say([*one.mended, *(_difference(one) if way.diff else [_told(one, way)])])
    findings = tuple(finding for one in done for finding in one.findings)
    if findings:
        show(Report(command, findings, {}, "the working tree", "", "", ()), "text")
        return 2
    return 1 if changed else 0


def _all_formatted(git: Git, way: Way) -> list[Formatted]:
    texts = ((path, on_disk(git, path)) for path in ROW_LEDGERS)
    return [formatted(path, data, mend=way.mend) for path, data in texts if data is not None]


def formatted(path: str, data: bytes, *, mend: bool) -> Formatted:
    """A ledger's text in canonical layout; as it is, with findings, where the strict reader does not read it.

    CannotTell when the canonical text could not be proven to hold the same rows.
    """
    text, mended = repair(data, path) if mend else (data, [])
    try:
        return Formatted(path, data, format_rows(text, path), mended, [])
    except CannotTell:
        findings = read_rows(text, path).findings
        if not findings:
            raise
        return Formatted(path, data, text, mended, findings)


def _told(one: Formatted, way: Way) -> str:
    what = "formatted" if not one.findings else "mended in part"
    return f"{one.path}: {what}" if way.write else f"{one.path}: would be {what}"


def _difference(one: Formatted) -> Iterator[str]:
    """A patch that `git apply` takes, line by line."""
    from difflib import unified_diff

    before, after = (_LINE.findall(text.decode(errors="surrogateescape")) for text in (one.before, one.after))
    for line in unified_diff(before, after, f"a/{one.path}", f"b/{one.path}"):
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _say(lines: list[str]) -> None:
    """Print lines; the carriage return of a line end drives no terminal, and a patch needs it."""
    for line in lines:
        bare = line.removesuffix("\r")
        sys.stdout.write(f"{escape_line(bare)}{line[len(bare) :]}\n")
    sys.stdout.flush()
