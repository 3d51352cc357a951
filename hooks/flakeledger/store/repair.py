"""Mends text that is no YAML where it can be proven what was meant: an unquoted `@owner`, unquoted ids with brackets.

Invariants:
* Only rows that cannot be read are touched, and in them only lines of these two kinds, by quotes alone.
* A row is mended only when it then reads without a finding and holds exactly the texts that were quoted.
* Every other byte stays; what is not proven stays as it was, for a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from flakeledger.model.rows import Row
from flakeledger.model.wording import shown
from flakeledger.store.ledger_text import Piece, ruamel_agrees
from flakeledger.store.reader import RowChunk, chunks_of, read_chunks
from flakeledger.store.scalars import quoted

_OWNER = re.compile(
    r"(?P<head> *+(?:- ++)?(?P<name>[A-Za-z_]++): ++)(?P<value>@[^\s#,\[\]{}\"':]++)(?P<rest> *+(?:(?<= )#.*+)?+)"
)
_LIST = re.compile(
    r"(?P<head> *+(?:- ++)?(?P<name>[A-Za-z_]++): ++)\[(?P<value>[^\"'#{}]*)\](?P<rest> *+(?:(?<= )#.*+)?+)"
)


class _Mended(NamedTuple):
    """A line as it was meant: its text, its field and what the field then holds."""

    text: str
    name: str
    value: str | list[str]


def repair(data: bytes, path: str) -> tuple[bytes, list[str]]:
    """The ledger with every row mended that can be proven, and what was quoted: `path:line: sentence`."""
    chunks, _ = chunks_of(data, path)
    said: list[str] = []
    mended: list[tuple[RowChunk, bytes]] = []
    for chunk, (row, findings) in zip(chunks, read_chunks(chunks, path), strict=True):
        if row is None and findings:
            text, sentences = _mended_row(chunk, path)
            if sentences:
                mended.append((chunk, text))
                said += sentences
    return _with_rows(data, mended), said


def _mended_row(chunk: RowChunk, path: str) -> tuple[bytes, list[str]]:
    lines = chunk.data.decode().split("\n")
    found = {number: mended for number, line in enumerate(lines) if (mended := _mended_line(line)) is not None}
    text = "\n".join(found[number].text if number in found else line for number, line in enumerate(lines))
    trial = chunk._replace(data=text.encode())
    row, findings = next(read_chunks([trial], path))
    if findings or row is None or not _is_proven(text, row, list(found.values())):
        return chunk.data, []
    return trial.data, [
        f"{path}:{chunk.line + number}: quoted {shown(one)}"
        for number, mend in found.items()
        for one in ([mend.value] if isinstance(mend.value, str) else mend.value)
    ]


def _is_proven(text: str, row: Row, mended: list[_Mended]) -> bool:
    return all(row.values.get(mend.name) == mend.value for mend in mended) and ruamel_agrees(
        Piece(text, "", row.values)
    )


def _mended_line(line: str) -> _Mended | None:
    bare = line.removesuffix("\r")
    end = line[len(bare) :]
    owner = _OWNER.fullmatch(bare)
    if owner is not None:
        return _Mended(f"{owner['head']}{quoted(owner['value'])}{owner['rest']}{end}", owner["name"], owner["value"])
    listed = _LIST.fullmatch(bare)
    if listed is None or "[" not in listed["value"]:
        return None
    items = list(_items(listed["value"]))
    if not all(items) or any(item.count("[") != item.count("]") for item in items):
        return None
    text = f"{listed['head']}[{', '.join(map(quoted, items))}]{listed['rest']}{end}"
    return _Mended(text, listed["name"], items)


def _items(text: str) -> Iterator[str]:
    """The parts between commas that stand in no bracket, without the blanks around them."""
    depth, begin = 0, 0
    for position, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            yield text[begin:position].strip(" ")
            begin = position + 1
    yield text[begin:].strip(" ")


def _with_rows(data: bytes, mended: list[tuple[RowChunk, bytes]]) -> bytes:
    """The text with the lines of some rows replaced; a newline that the reader added at the end goes again."""
    lines = data.split(b"\n")
    for chunk, text in reversed(mended):
        first = chunk.line - 1
        new = text.split(b"\n")[:-1]
        lines[first : first + len(new)] = new
    return b"\n".join(lines)
