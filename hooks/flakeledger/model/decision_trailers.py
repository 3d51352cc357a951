"""The trailers with which commits record decisions, and the part of a commit's message that they stand in.

A trailer is `Freeze-Decision: PROP-014 allow_cite now=2026-10-11T00:00:00Z`: a property, what table 1 decided about
a citation of it (`verdicts/decision.py`), and the instant for which it decided.

Invariants:
* What is read is exactly what is written: a line that says anything else is somebody's text and is never touched.
* Only a whole line in the message itself is ours: what lies below git's scissors is not the message.
* The work is linear in the message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from flakeledger.model.clock import format_instant
from flakeledger.model.records import NAME

TRAILER = "Freeze-Decision"
#: what git may begin comments with when `core.commentChar` is `auto` (builtin/commit.c, adjust_comment_line_char)
_USUAL_STARTS = "#;@!$%^&|:"
_VALUE = (
    rf"({NAME}) (allow_cite|reject:[a-z_]+) "
    r"now=([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)"
)
_LINE = f"{TRAILER}: {_VALUE}"
#: a paragraph that holds nothing but lines of ours goes with the blank line above it; elsewhere the line goes alone
_OURS = re.compile(rf"^(?:\r?\n(?:{_LINE}\r?\n)+(?=\r?\n|\Z)|{_LINE}\r?(?:\n|\Z))".encode(), re.MULTILINE)
_SCISSORS = re.compile(rb"^(?P<start>\S{1,40}) -{24} >8 -{24}\r?$", re.MULTILINE)


class Recorded(NamedTuple):
    """What a trailer says. `now` is an instant as it is written."""

    property_id: str
    decision: str
    now: str


def trailer(property_id: str, decision: str, now: int) -> str:
    """The trailer for a decision made for this second."""
    return f"{TRAILER}: {property_id} {decision} now={format_instant(now)}"


def recorded(value: str) -> Recorded | None:
    """What the value of a trailer says; None when it is none of ours."""
    found = re.fullmatch(_VALUE, value.strip())
    return None if found is None else Recorded(*found.groups())


def without_decisions(message: bytes) -> bytes:
    """The message without the decisions that were recorded in it: they are about another commit, or about an
    earlier form of this one."""
    cut = _SCISSORS.search(message)
    end = len(message) if cut is None else cut.start()
    return _OURS.sub(b"", message[:end]) + message[end:]


def comment_start(message: bytes, configured: Sequence[str]) -> str | None:
    """What begins the comments that git put below a message for an editor; None when it put none there.

    `configured` is what the user's git may use; it is tried before what git may choose by itself.
    """
    cut = _SCISSORS.search(message)
    if cut is not None:
        return cut["start"].decode(errors="replace")
    last = message.rstrip().rpartition(b"\n")[2]
    return next((start for start in (*configured, *_USUAL_STARTS) if last.startswith(start.encode())), None)


def is_blank(message: bytes, comment: str | None) -> bool:
    """Whether a message has no text of its own: blank lines, comments and what lies below the scissors only."""
    cut = _SCISSORS.search(message) if comment is not None else None
    lines = message[: len(message) if cut is None else cut.start()].split(b"\n")
    return all(not line.strip() or (comment is not None and line.startswith(comment.encode())) for line in lines)


def with_comment(message: bytes, last_trailer: str, comment: str, text: str) -> bytes:
    """The message with one more comment, below its last trailer where git's own comments begin.

    Where those begin with the scissors it goes below them, for nobody strips a comment above.
    """
    head, line, below = message.rpartition(f"\n{last_trailer}\n".encode())
    first = re.search(rf"^{re.escape(comment)}[^\n]*\n?".encode(), below, re.MULTILINE)
    at = 0 if first is None else first.end() if _SCISSORS.match(first[0].rstrip(b"\n")) else first.start()
    return head + line + below[:at] + f"{comment} {text}\n".encode() + below[at:]
