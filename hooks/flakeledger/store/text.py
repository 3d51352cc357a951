"""What no ledger may hold: characters that deceive the eye, conflict markers, bytes that are no text.

Invariants:
* A text without blemishes is valid UTF-8 without a byte order mark; its only line ends are LF and CRLF.
* A blemish gives a finding with line and column, and the lines that must not be parsed.
* The search is linear, and its answer is bounded: after `MOST_FINDINGS` the rest of the text is one blemish.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from flakeledger.model.findings import Finding

LARGEST_FILE = 32 << 20
MOST_FINDINGS = 100
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LAST_LINE = LARGEST_FILE + 1

#: first and last line, counted from 1
Span = tuple[int, int]


class Blemishes(NamedTuple):
    """What is wrong with a text, and the lines (sorted, disjoint) that must not be parsed."""

    findings: list[Finding]
    spans: list[Span]


class _Family(NamedTuple):
    characters: str
    name: str
    fix: str


#: the first family that holds a character names it
_FAMILIES = (
    _Family("\t", "a tab", "indent and separate with spaces"),
    _Family("\r", "a carriage return without a line feed", "end every line with a line feed"),
    _Family("\ufeff", "a byte order mark", "save the file as UTF-8 without a byte order mark"),
    _Family("\u00a0\u2007\u202f", "a no-break space", "write an ordinary space"),
    _Family("\u0085\u2028\u2029", "a line separator", "end the line with a line feed"),
    _Family(
        "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f", "a character that changes the direction of text", "delete it"
    ),
    _Family(
        "\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2065\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f",
        "an invisible character",
        "delete it",
    ),
    _Family("\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f", "a control character", "delete it"),
    _Family("\ud800-\udfff", "no text", "save the file as UTF-8"),
)
#: as text: most ledgers are ASCII, and then this pattern is never compiled
_FORBIDDEN = "[" + "".join(family.characters for family in _FAMILIES if family.characters != "\r") + "]|\r(?!\n)"
_CONTROLS = bytes(set(range(32)) - {ord("\n"), ord("\r")} | {0x7F})
_ASCII = bytes(range(128))

_MARKER_STARTS = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")
_MARKER = re.compile(rb"^(?:<{7,}|>{7,}|={7,}|\|{7,})(?=[ \r\n]|\Z)", re.MULTILINE)


def find_blemishes(data: bytes, path: str, rule: str = "yaml-forbidden") -> Blemishes:
    """Everything in a file that is no text a ledger may hold.

    `rule` names the rule of forbidden characters and sizes; conflict markers are always `conflict-marker`.
    """
    if len(data) > LARGEST_FILE:
        return _whole_file(path, rule, "the file is larger than 32 MiB", "split it, or remove what is no longer needed")
    if data.startswith(_WIDE_MARKS):
        fix = "save the file as UTF-8; .gitattributes may give it no working-tree-encoding"
        return _whole_file(path, rule, "the file is UTF-16, and a ledger is UTF-8", fix)
    found = [*_character_findings(data.removeprefix(BYTE_ORDER_MARK), path, rule), *_conflict_findings(data, path)]
    findings = sorted(finding for finding, _ in found)
    if data.startswith(BYTE_ORDER_MARK):
        findings.insert(0, Finding(path, 1, 1, rule, *_name("\ufeff")))
    return Blemishes(findings, _merged(sorted(span for _, span in found)))


def touches(spans: list[Span], first: int, last: int) -> bool:
    """Whether any of the lines first to last is in one of the spans, which are sorted and disjoint."""
    after = bisect_right(spans, (last, _LAST_LINE))
    return after > 0 and spans[after - 1][1] >= first


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for first, last in spans:
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _whole_file(path: str, rule: str, message: str, fix: str) -> Blemishes:
    return Blemishes([Finding(path, 1, 1, rule, message, fix)], [(1, _LAST_LINE)])


_Found = tuple[Finding, Span]


def _character_findings(data: bytes, path: str, rule: str) -> list[_Found]:
    if _is_clean(data):
        return []
    text = data.decode("utf-8", "surrogateescape")
    found = [
        (Finding(path, line, column, rule, *_name(character)), (line, line))
        for line, column, character in islice(_first_of_each_line(text), MOST_FINDINGS + 1)
    ]
    if len(found) > MOST_FINDINGS:
        line = found.pop()[0].line
        message = f"more than {MOST_FINDINGS} lines hold forbidden characters; from here on nothing is read"
        found.append((Finding(path, line, 1, rule, message, "repair the lines above first"), (line, _LAST_LINE)))
    return found


def _is_clean(data: bytes) -> bool:
    """Whether no character is forbidden. ASCII is judged as bytes: a pattern over the text costs ten times as much."""
    if len(data.translate(None, _CONTROLS)) != len(data):
        return False
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return False
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return re.search(_FORBIDDEN, data.translate(None, _ASCII).decode("utf-8")) is None


def _first_of_each_line(text: str) -> Iterator[tuple[int, int, str]]:
    line, start, position = 1, 0, 0
    forbidden = re.compile(_FORBIDDEN)
    while found := forbidden.search(text, position):
        at = found.start()
        line += text.count("\n", start, at)
        start = max(start, text.rfind("\n", start, at) + 1)
        yield line, at - start + 1, found[0]
        end = text.find("\n", at)
        if end < 0:
            return
        position = end


def _name(character: str) -> tuple[str, str]:
    family = next(family for family in _FAMILIES if re.match(f"[{family.characters}]", character))
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"the byte 0x{code - 0xDC00:02X} is no UTF-8", family.fix
    return f"U+{code:04X} is {family.name}, which no ledger may hold", family.fix


def _conflict_findings(data: bytes, path: str) -> list[_Found]:
    # a tenth of the pattern's time; most ledgers hold not even one of the characters, which is seen at once
    if not any(start[:1] in data and start in data for start in _MARKER_STARTS):
        return []
    found = []
    for first, last, opened in islice(_conflicts(_marker_lines(data)), MOST_FINDINGS):
        message = "unresolved merge conflict" if opened else "a marker left over from a merge conflict"
        if last > first:
            message += f" (to line {last}); the rows it touches are not read"
        finding = Finding(
            path,
            first,
            1,
            "conflict-marker",
            message,
            "keep the rows that are right, delete the markers, and: git add ledgers",
        )
        found.append((finding, (first, last)))
    if len(found) == MOST_FINDINGS:
        found[-1] = (found[-1][0], (found[-1][1][0], _LAST_LINE))
    return found


def _marker_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    line, position = 1, 0
    for marker in _MARKER.finditer(data):
        line += data.count(b"\n", position, marker.start())
        position = marker.start()
        yield line, marker[0][:1]


def _conflicts(markers: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, int, bool]]:
    """(first line, last line, whether it is more than a stray marker) of each conflict."""
    first = last = 0
    for line, kind in markers:
        if first and kind != b"<":
            last = line
            if kind == b">":
                yield first, last, True
                first = 0
        else:
            if first:
                yield first, last, True
            if kind == b"<":
                first = last = line
            else:
                yield line, line, False
    if first:
        yield first, last, True
