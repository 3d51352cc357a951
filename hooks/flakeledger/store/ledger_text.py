"""A ledger's text cut into what is a row's own and what stands between, and the proof that an edit did what it should.

Invariants:
* Head, rows and tails joined are the text, byte for byte. A row's own lines go from its dash to the last line of its
  last value; comments and blank lines below it are its tail.
* Only a ledger that the strict reader reads without a finding is cut: the rest has to be repaired by hand first.
* A text that `proven` gives back was read again: it holds exactly the intended rows, every other row has its bytes,
  every line outside of rows is there, and ruamel.yaml reads the edited rows as our reader does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, islice
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.model.fields import ROW_TABLES, FieldTable
from flakeledger.model.rows import Row, Value
from flakeledger.store.reader import RowChunk, chunks_of, read_chunks

Values = dict[str, Value]


class Piece(NamedTuple):
    """A row: its own lines, the lines below it up to the next row, and what it holds."""

    own: str
    tail: str
    values: Values


class LedgerText(NamedTuple):
    """A ledger's text in pieces. `ended` says whether the text ends in a newline; the pieces always do."""

    path: str
    newline: str
    ended: bool
    head: str
    pieces: tuple[Piece, ...]

    @property
    def table(self) -> FieldTable:
        """The fields of this ledger."""
        return ROW_TABLES[self.path]

    @property
    def keys(self) -> list[str]:
        """The key of each row; the empty text where there is none."""
        held = (piece.values.get(self.table.key) for piece in self.pieces)
        return [key if isinstance(key, str) else "" for key in held]

    @property
    def lines(self) -> list[int]:
        """The line of each row's dash, from 1."""
        heights = (piece.own.count("\n") + piece.tail.count("\n") for piece in self.pieces[:-1])
        return [*accumulate(heights, initial=1 + self.head.count("\n"))][: len(self.pieces)]

    def line_of(self, number: int) -> int:
        """The line of one row's dash, from 1."""
        return self.lines[number]

    def data(self) -> bytes:
        """The whole text."""
        text = self.head + "".join(piece.own + piece.tail for piece in self.pieces)
        return (text if self.ended else text.removesuffix(self.newline)).encode()


#: rows by the digest of their chunk, each with the number of lines that are its own
Known = dict[str, tuple[Row, int]]


def cut(data: bytes, path: str, known: Known | None = None, newline: str = "") -> LedgerText:
    """The ledger in pieces.

    `known` holds rows that need not be parsed again, and grows; `newline` ends the lines, by default as the first one.
    CannotTell, with the first finding, for a ledger that the strict reader does not read.
    """
    known = {} if known is None else known
    newline = newline or ("\r\n" if data.partition(b"\n")[0].endswith(b"\r") else "\n")
    ended = not data or data.endswith(b"\n")
    if not ended and not data.endswith(b"\r"):  # a newline would make a line end of it, and the reader refuses it
        data += newline.encode()
    chunks, findings = chunks_of(data, path)
    first_of: dict[str, RowChunk] = {}
    for chunk in chunks:
        first_of.setdefault(chunk.digest, chunk)
    fresh = [chunk for digest, chunk in first_of.items() if digest not in known]
    for chunk, (row, found) in zip(fresh, read_chunks(fresh, path), strict=True):
        findings = findings + found
        if row is not None:
            known[chunk.digest] = row, row.last_line - chunk.line + 1
        if found:  # the first is what is said
            break
    if findings:
        first = min(findings)
        place = f"{first.path}:{first.line}:{first.column}"
        raise CannotTell(f"{path} cannot be read, so it is not edited: {first.message}", first.fix, place)
    pieces = tuple(_piece(chunk.data.decode(), *known[chunk.digest]) for chunk in chunks)
    head = data[: len(data) - sum(len(chunk.data) for chunk in chunks)].decode()
    return LedgerText(path, newline, ended, head, pieces)


def _piece(text: str, row: Row, lines: int) -> Piece:
    end = 0
    for _ in range(lines):
        end = text.index("\n", end) + 1
    return Piece(text[:end], text[end:], row.values)


def proven(
    before: LedgerText,
    after: LedgerText,
    edited: Mapping[int, Values],
    may_go: Iterable[str],
    known: Known,
    by_hand: str,
    read_twice: int | None = None,
) -> bytes:
    """The new text, once it is proven right.

    `edited` gives what the rows with these new numbers must hold, `may_go` the comments that go with what was edited.
    `read_twice` is how many of them, those that differ, ruamel.yaml reads as well: None for all.
    CannotTell, with what to write by hand, when the new text is anything else than intended.
    """
    data = after.data()
    problem = _problem_of_rows(after, data, edited, known, read_twice) or _problem_of_comments(before, after, may_go)
    if problem:
        raise CannotTell(f"{before.path} cannot be edited safely: {problem}; nothing was written", by_hand)
    return data


def _problem_of_rows(
    after: LedgerText, data: bytes, edited: Mapping[int, Values], known: Known, read_twice: int | None
) -> str:
    try:
        read = cut(data, after.path, known, after.newline)
    except CannotTell as error:
        return f"the new text could not be read ({error.reason})"
    if [piece.values for piece in read.pieces] != [
        edited.get(number, piece.values) for number, piece in enumerate(after.pieces)
    ]:
        return "the new text would hold other rows than intended"
    if [piece.own for piece in read.pieces] != [piece.own for piece in after.pieces]:
        return "the lines of another row would change"
    distinct = {read.pieces[number].own: read.pieces[number] for number in edited}
    if not all(map(ruamel_agrees, islice(distinct.values(), read_twice))):
        return "another YAML reader would read the edited row differently"
    return ""


def _problem_of_comments(before: LedgerText, after: LedgerText, may_go: Iterable[str]) -> str:
    old, new = Counter(_comments(before, after)), Counter(_comments(after, before))
    return "" if new <= old and old - new <= Counter(may_go) else "a comment would be lost"


def _comments(text: LedgerText, other: LedgerText) -> Iterator[str]:
    """What stands between rows, and the comments in the rows that the other text lacks. Indentation does not count."""
    from flakeledger.store.row_spans import spans_of

    for part in (text.head, *(piece.tail for piece in text.pieces)):
        for line in part.split("\n"):
            bare = line.strip()
            if bare.startswith("["):
                bare = bare.partition("]")[2].strip()
            if bare:
                yield bare
    shared = {piece.own for piece in other.pieces}
    for piece in text.pieces:
        if piece.own not in shared and "#" in piece.own:
            yield from (comment.text for comment in spans_of(piece.own).comments)


def ruamel_agrees(piece: Piece) -> bool:
    """Whether ruamel.yaml reads the row's own lines as the strict reader does."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        found = YAML(typ="base", pure=True).load(piece.own)
    except YAMLError:
        return False
    return bool(found == [{name: _as_text(value) for name, value in piece.values.items()}])


def _as_text(value: Value) -> object:
    """A value as ruamel's reader of plain texts gives it: nothing is the empty text."""
    if isinstance(value, dict):
        return {name: text or "" for name, text in value.items()}
    return [text or "" for text in value] if isinstance(value, list) else value or ""
