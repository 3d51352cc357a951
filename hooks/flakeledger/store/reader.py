"""Bytes of ledgers to rows that know their line and column: the face of everything that reads YAML and JSON lines.

Invariants:
* Nothing is refused in silence: what is not in the answer has a finding with its place and the way to repair it.
* One bad row does not hide the others. Of a text with very many mistakes the end is not read, and a finding says so.
* PyYAML is imported when the first row must be parsed, and not before: a run that knows all rows never pays for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from flakeledger.model.findings import MOST_TOLD, Finding, unread_below
from flakeledger.model.rows import MappingNode, Node, Row
from flakeledger.store.chunks import Chunks, RowChunk, chunks_of
from flakeledger.store.replay_log import read_replays
from flakeledger.store.text import BYTE_ORDER_MARK, find_blemishes

if TYPE_CHECKING:
    from flakeledger.store.yaml_notes import Notes
    from flakeledger.store.yaml_rows import ChunkRead

__all__ = [
    "Chunks",
    "RowChunk",
    "RowsRead",
    "chunks_of",
    "read_chunks",
    "read_document",
    "read_plain",
    "read_policy",
    "read_replays",
    "read_rows",
]

Told = TypeVar("Told")


class RowsRead(NamedTuple):
    """The rows of a ledger that can be told, in order, and everything that is wrong with the text."""

    rows: list[Row]
    findings: list[Finding]


def read_chunks(chunks: Sequence[RowChunk], path: str) -> Iterator[ChunkRead]:
    """Parse each chunk alone, when it is asked for: its row, or None, and its findings."""
    if chunks:
        from flakeledger.store.yaml_rows import read_row

        yield from (read_row(chunk, path) for chunk in chunks)


def read_rows(data: bytes, path: str) -> RowsRead:
    """All rows of a YAML ledger. An empty text, or one of comments only, is an empty ledger."""
    chunks, found = chunks_of(data, path)
    rows, findings = [], [*found]
    for chunk, (row, mistakes) in zip(chunks, read_chunks(chunks, path), strict=True):
        if len(findings) > MOST_TOLD:
            findings.append(unread_below(path, chunk.line, "yaml-forbidden"))
            break
        findings += mistakes
        if row is not None:
            rows.append(row)
    return RowsRead(rows, sorted(findings))


def read_policy(data: bytes, path: str) -> tuple[MappingNode | None, list[Finding]]:
    """The policy's mapping with its places, or None; findings for everything that makes it unreadable."""
    from flakeledger.store.yaml_nodes import read_mapping

    return _told(read_mapping, data, path)


def read_document(data: bytes, path: str) -> tuple[Node | None, list[Finding]]:
    """Another tool's YAML file with its places, or None; findings for everything that makes it unreadable.

    It is refused like a ledger: nothing is constructed, and neither aliases nor depth can make it large.
    """
    from flakeledger.store.yaml_nodes import read_node

    return _told(read_node, data, path)


def _told(read: Callable[[str, Notes], Told | None], data: bytes, path: str) -> tuple[Told | None, list[Finding]]:
    """What `read` makes of a whole text without blemishes, and everything that is wrong with it."""
    from flakeledger.store.yaml_notes import Notes

    findings, spans = find_blemishes(data, path)
    if spans:
        return None, findings
    notes = Notes(data.removeprefix(BYTE_ORDER_MARK).decode(), 1, path)
    node = read(notes.text, notes)
    return node, sorted([*findings, *notes.findings])


def read_plain(data: bytes) -> object | None:
    """Another tool's YAML file as lists, mappings and texts; None when it cannot be read.

    Aliases and merge keys are followed, as that tool does; nothing is constructed from tags.
    """
    try:
        text = data.removeprefix(BYTE_ORDER_MARK).decode()
    except UnicodeDecodeError:
        return None
    from flakeledger.store.yaml_nodes import read_plain_values

    return read_plain_values(text)
