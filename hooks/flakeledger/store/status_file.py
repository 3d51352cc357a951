"""Reads status files of Node and V8: `prefix parallel`, `[condition]`, `name: PASS,FLAKY`.

Invariants:
* Only tests that the file does not trust are entries: a slow test is trusted.
* A link in the comment above a line is its issue; a blank line ends the comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from flakeledger.model.rows import Place
from flakeledger.store.quarantine_entries import Entry, Selector, bad_entry

_STATUS_LINE = re.compile(
    r"(?P<name>[^\s:#\[\]]++)[ \t]*+:[ \t]*+(?P<statuses>[A-Z_]++(?:[ \t]*+,[ \t]*+[A-Z_]++)*+)\s*+"
)
_SECTION = re.compile(r"\[(?P<condition>.*)\]")
_LINK = re.compile(r"https?://\S++")
#: what a test is expected to do that a suite which trusts it would not expect
_UNTRUSTED = frozenset({"FLAKY", "SKIP", "FAIL", "CRASH", "TIMEOUT"})


def read_status(text: str, path: str) -> Iterator[Entry]:
    """The entries of a status file; a line that is none of its kinds is an entry with a problem."""
    prefix, condition, issue = "", "true", None
    for number, line in enumerate(text.split("\n"), 1):
        written = line.strip()
        if written.startswith("#"):
            link = _LINK.search(written)
            issue = link[0] if link is not None else issue
        elif not written:
            issue = None
        elif section := _SECTION.fullmatch(written.partition("#")[0].strip()):
            condition, issue = section["condition"].strip(), None
        elif written.startswith("prefix "):
            prefix = written.removeprefix("prefix ").strip()
        else:
            place = Place(number, line.index(written) + 1)
            found = _STATUS_LINE.fullmatch(written.partition("#")[0])
            if found is None:
                yield bad_entry(
                    path, place, written, "a line of a status file is `name: STATUS`, `[condition]` or a comment"
                )
            else:
                yield from _status_entry(found, path, place, prefix, condition, issue)
                issue = None


def _status_entry(
    found: re.Match[str], path: str, place: Place, prefix: str, condition: str, issue: str | None
) -> Iterator[Entry]:
    statuses = [status.strip() for status in found["statuses"].split(",")]
    if _UNTRUSTED.isdisjoint(statuses):
        return
    folder = path.rpartition("/")[0]
    inside = "" if folder.rpartition("/")[2] == prefix else prefix
    name = "/".join(filter(None, (folder, inside, found["name"])))
    how: Literal["none", "file"] = "none" if "*" in name else "file"
    reason = f"{','.join(statuses)} where {condition}" if condition != "true" else f"{','.join(statuses)} everywhere"
    problem = "a pattern names several tests" if how == "none" else ""
    yield Entry(path, place, Selector(found["name"], how, name), reason=reason, issue=issue, problem=problem)
