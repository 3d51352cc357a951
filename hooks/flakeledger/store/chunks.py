"""Cuts a ledger at the dashes of its list, so that a row which is known is never parsed again.

Invariants:
* A chunk starts at its row's dash and ends before the next row's; it ends in a newline. Parsing a chunk alone gives
  what parsing the whole ledger gives for that row.
* Equal chunks have equal digests, wherever they stand: a row that merely moved is known.
* Whatever is not in a chunk is a comment, a blank line, the `---` above the list, or has a finding.
* Cutting is linear and does not need a YAML parser.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

from flakeledger.model.findings import Finding
from flakeledger.store.text import BYTE_ORDER_MARK, Span, find_blemishes, touches

LARGEST_ROW = 1 << 20
MOST_ROWS = 250_000
_DASH_ENDS = (b" ", b"\n", b"\r", b"")
_LINE = re.compile(rb"[^\n]*+\n?+")
_BLANK_LINES = re.compile(rb"(?: *+(?:#[^\n]*+)?+\r?+\n)*+")
_DOCUMENT_START = re.compile(rb"--- *+(?:(?<= )#[^\n]*+)?+\r?+\n")
_DASH = re.compile(rb"( *+)-(?=[ \r\n])")
_EMPTY_LIST = re.compile(rb"\[ *+\]")
_DOCUMENT_MARK = re.compile(rb"^(?:---|\.\.\.)(?=[ \r\n])", re.MULTILINE)


class RowChunk(NamedTuple):
    """The text of one row: from its dash to the line before the next one. `line` counts from 1."""

    digest: str
    line: int
    data: bytes


class Chunks(NamedTuple):
    """A ledger cut at its dashes; rows that cannot be read for what is in `findings` are left out."""

    chunks: list[RowChunk]
    findings: list[Finding]


def chunks_of(data: bytes, path: str) -> Chunks:
    """Cut a ledger's bytes into its rows; findings for everything that makes a text no list of rows."""
    blemishes = find_blemishes(data, path)
    if data.startswith(BYTE_ORDER_MARK):
        data = data[len(BYTE_ORDER_MARK) :]
    if not data.endswith(b"\n"):
        data += b"\n"
    start, line = _skip_head(data, blemishes.spans)
    dash = _DASH.match(data, start)
    if dash is None:
        return Chunks([], blemishes.findings + _no_list(data, start, line, path))
    if data.count(b"\n" + dash[0], start) >= MOST_ROWS:
        message = f"more than {MOST_ROWS} rows"
        return Chunks([], [*blemishes.findings, Finding(path, line, 1, "yaml-forbidden", message, "remove rows")])
    chunks, findings = _cut(data, start, line, len(dash[1]), path, blemishes.spans)
    return Chunks(chunks, sorted(blemishes.findings + findings))


def _skip_head(data: bytes, spans: list[Span]) -> tuple[int, int]:
    """Where the list starts: offset and line, after comments, blank lines, one `---` and what is not to be parsed."""
    position, line, started = 0, 1, False
    while position < len(data):
        blank, found = _BLANK_LINES.match(data, position), _LINE.match(data, position)
        assert blank is not None
        assert found is not None
        if touches(spans, line, line):
            end = found.end()
        elif blank[0]:
            end = blank.end() if not spans else found.end()
        elif not started and _DOCUMENT_START.match(data, position):
            end, started = found.end(), True
        else:
            break
        line += data.count(b"\n", position, end)
        position = end
    return position, line


def _no_list(data: bytes, start: int, line: int, path: str) -> list[Finding]:
    """The finding for a text that does not go on with a row; none if there is no text, or an empty list."""
    empty = _EMPTY_LIST.match(data, start)
    if _is_blank(data, empty.end() if empty else start):
        return []
    rest = data[start:].lstrip(b" ")
    column = len(data) - start - len(rest) + 1
    message, fix = next((message, fix) for begin, message, fix in _OTHER_STARTS if rest.startswith(begin))
    return [Finding(path, line, column, "yaml-forbidden", message, fix)]


def _is_blank(data: bytes, start: int) -> bool:
    return _BLANK_LINES.fullmatch(data, start) is not None


_ONE_DOCUMENT = ("a ledger is one YAML document", "delete this line, and what does not belong to the ledger")
#: what stands where the list should: beginning, message, fix
_OTHER_STARTS: tuple[tuple[bytes | tuple[bytes, ...], str, str], ...] = (
    (b"%", "a ledger holds no YAML directives", "delete this line"),
    ((b"---", b"..."), *_ONE_DOCUMENT),
    ((b"[", b"{"), "rows are written in block style, each after a dash", "write `- name: value`, one field a line"),
    (b"-", "a row starts with a dash and a space", "put a space after the dash"),
    (
        b"",
        "a ledger is a list of rows, and each row starts with `- `; nothing stands above the list",
        "start the row with `- `; if this line heads the list, delete it",
    ),
)


def _cut(
    data: bytes, start: int, line: int, column: int, path: str, spans: list[Span]
) -> tuple[list[RowChunk], list[Finding]]:
    chunks: list[RowChunk] = []
    findings: list[Finding] = []
    marks = _document_marks(data, start)
    for begin, end in pairwise([*_dashes(data, start, column), len(data)]):
        text = data[begin:end]
        after = line + text.count(b"\n")
        if marks and (stray := bisect_left(marks, begin)) < len(marks) and marks[stray] < end:
            at = line + data.count(b"\n", begin, marks[stray])
            findings.append(Finding(path, at, 1, "yaml-forbidden", *_ONE_DOCUMENT))
        elif len(text) > LARGEST_ROW:
            findings.append(Finding(path, line, column + 1, "yaml-forbidden", "a row larger than 1 MiB", "shorten it"))
        elif not spans or not touches(spans, line, after - 1):
            chunks.append(RowChunk(blake2b(text, digest_size=16).hexdigest(), line, text))
        line = after
    return chunks, findings


def _dashes(data: bytes, start: int, column: int) -> list[int]:
    """The offset of every line that starts a row."""
    separator = b"\n" + b" " * column + b"-"
    pieces = data[start:].split(separator)
    starts, position = [start], start + len(pieces[0])
    for piece in pieces[1:]:
        if piece[:1] in _DASH_ENDS:
            starts.append(position + 1)
        position += len(separator) + len(piece)
    return starts


def _document_marks(data: bytes, start: int) -> list[int]:
    """The offsets of `---` and `...` in the list; a last `...` with nothing after it ends the only document."""
    if b"\n---" not in data and b"\n..." not in data:
        return []
    marks = [mark.start() for mark in _DOCUMENT_MARK.finditer(data, start)]
    if marks and data.startswith(b"...", marks[-1]) and _is_blank(data, marks[-1] + len(b"...")):
        marks.pop()
    return marks
