"""Merges three versions of a row ledger by the keys of their rows.

Invariants:
* What each row becomes is decided by `merge.expected`; where a row stands in a file decides nothing. A row that both
  sides changed differently is a conflict, and so is one of which the base cannot be told.
* Ours gives the layout, the order and the comments; a comment of theirs comes along with its row, and where ours
  left its place alone.
* What comes out was read again: it holds exactly the merged rows; with conflicts, once for each side of all of them.
  What cannot be proven so is CannotTell, never a merge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.model.wording import listed, shown
from flakeledger.repo.merge import expected
from flakeledger.store.editor import append_rows, remove_rows
from flakeledger.store.ledger_text import LedgerText, Piece, Values, cut
from flakeledger.store.reader import read_rows
from flakeledger.store.row_writing import style_of
from flakeledger.store.splice import CannotEdit, with_fields

BY_HAND = "resolve the conflict by hand: keep the rows that are right, delete the markers"
OURS, BETWEEN, THEIRS = "<<<<<<< ours", "=======", ">>>>>>> theirs"
_MARKER = re.compile(rb"^(?:<{7,}|>{7,}|={7,}|\|{7,})(?:[ \r][^\n]*+)?(?:\n|\Z)", re.MULTILINE)


class Merged(NamedTuple):
    """The merged text, the keys of the rows in conflict, and comment lines of theirs that found no place."""

    data: bytes
    conflicts: tuple[str, ...]
    lost_comments: tuple[str, ...]


class _Base(NamedTuple):
    """The rows of the common ancestor; of the `murky` ones a merge of ancestors left several versions."""

    pieces: Mapping[str, Piece]
    murky: frozenset[str]
    head: str


class _Decision(NamedTuple):
    """What the row of a key becomes: its values (None: it goes), or a conflict of both sides' rows."""

    values: Values | None
    conflict: bool


def merge_rows(base: bytes, ours: bytes, theirs: bytes, path: str) -> Merged:
    """The three-way result. CannotTell when a version cannot be read as rows with keys, or nothing can be proven."""
    known = _base(base, path)
    our_text, their_text = cut(ours, path), cut(theirs, path)
    our_rows, their_rows = _by_key(our_text), _by_key(their_text)
    decisions = {
        key: _decided(key, known, our_rows.get(key), their_rows.get(key))
        for key in dict.fromkeys((*our_rows, *their_rows))
    }
    added = [key for key, one in decisions.items() if key not in our_rows and (one.conflict or one.values is not None)]
    removed = [key for key, one in decisions.items() if key in our_rows and one.values is None and not one.conflict]
    text = _with_their_edits(our_text, known, their_rows, decisions)
    text = _with_their_comments(text, known, their_text)
    data = text.data()
    if removed:
        data = remove_rows(data, path, removed)
    if added:
        data = append_rows(data, path, [_plain(their_rows[key].values) for key in added])
    text = _with_their_rows(cut(data, path), added, their_text)
    conflicts = [key for key, one in decisions.items() if one.conflict]
    result = _marked(text, our_rows, their_rows, conflicts) if conflicts else text.data()
    _prove(result, path, decisions, our_rows, their_rows)
    return Merged(result, tuple(conflicts), tuple(_lost(base, theirs, result)))


def _by_key(text: LedgerText) -> dict[str, Piece]:
    found = dict(zip(text.keys, text.pieces, strict=True))
    twice = [key for key, count in Counter(text.keys).items() if count > 1 or not key]
    if twice:
        what = f"several rows for {listed(twice)}" if twice[0] else f"a row without `{text.table.key}`"
        raise CannotTell(f"one side of {text.path} holds {what}", BY_HAND)
    return found


def _base(data: bytes, path: str) -> _Base:
    """The ancestor. Markers stand in it where the ancestors of a criss-cross merge were in conflict themselves."""
    stripped = _MARKER.sub(b"", data)
    if stripped == data:
        text = cut(data, path)
        return _Base(_by_key(text), frozenset(), text.head)
    rows, findings = read_rows(data, path)
    if any(finding.rule != "conflict-marker" for finding in findings):
        raise CannotTell(f"the common ancestor of {path} cannot be read: {findings[0].message}", BY_HAND)
    text = cut(stripped, path)
    clear = {str(row.values.get(text.table.key)) for row in rows}
    pieces = {key: piece for key, piece in zip(text.keys, text.pieces, strict=True) if key in clear}
    return _Base(pieces, frozenset(text.keys) - clear, text.head)


def _decided(key: str, base: _Base, ours: Piece | None, theirs: Piece | None) -> _Decision:
    old, our, their = (None if piece is None else piece.values for piece in (base.pieces.get(key), ours, theirs))
    if key in base.murky:
        return _Decision(our, conflict=our != their)
    chosen = expected(old, our, their, our)
    return _Decision(chosen, conflict=chosen != expected(old, our, their, their))


def _with_their_edits(
    text: LedgerText, base: _Base, theirs: Mapping[str, Piece], decisions: Mapping[str, _Decision]
) -> LedgerText:
    """Ours with the rows that only theirs changed, in their own words where those fit in."""
    pieces = []
    for key, piece in zip(text.keys, text.pieces, strict=True):
        their, decision = theirs.get(key), decisions[key]
        if their is not None and not decision.conflict:
            untouched = key in base.pieces and base.pieces[key].own == piece.own
            if decision.values == their.values and (untouched or decision.values != piece.values):
                piece = piece._replace(own=_fitted(text, piece, their, untouched), values=their.values)
        pieces.append(piece)
    return text._replace(pieces=tuple(pieces))


def _fitted(text: LedgerText, ours: Piece, theirs: Piece, untouched: bool) -> str:
    """Their row in the layout of ours; `untouched`: nothing but their text is worth keeping."""
    if untouched and _fits(text, ours.own.index("-"), theirs):
        return theirs.own
    gone = {name: None for name in ours.values if name not in theirs.values}
    try:
        return with_fields(ours.own, text.table, {**_plain(theirs.values), **gone}, style_of([ours.own], text.newline))
    except CannotEdit as error:
        raise CannotTell(f"a row of {text.path} cannot be merged: {error}", BY_HAND) from error


def _fits(text: LedgerText, dash: int, piece: Piece) -> bool:
    """Whether a row of another version can stand in this text as it is."""
    return piece.own.index("-") == dash and piece.own.endswith("\r\n") == (text.newline == "\r\n")


def _plain(values: Values) -> dict[str, str | list[str] | dict[str, str]]:
    """Values for the editor. CannotTell for a value that is not written: no editor writes it."""
    found: dict[str, str | list[str] | dict[str, str]] = {}
    for name, value in values.items():
        parts = (
            [value]
            if isinstance(value, str)
            else list((value or {"": None}).values())
            if not isinstance(value, list)
            else value
        )
        if value is None or None in parts:
            raise CannotTell(f"{shown(name)} of a row is empty", BY_HAND)
        found[name] = value  # type: ignore[assignment]  # no part of it is None
    return found


def _with_their_comments(text: LedgerText, base: _Base, theirs: LedgerText) -> LedgerText:
    """Ours with what theirs wrote between two rows that are neighbours on both sides, where ours left it alone."""
    their_next = dict(zip(("", *theirs.keys), (*theirs.keys, ""), strict=True))
    their_tails = {key: piece.tail for key, piece in zip(theirs.keys, theirs.pieces, strict=True)}
    keys = text.keys
    pieces = []
    for key, piece, following in zip(keys, text.pieces, [*keys, ""][1:], strict=True):
        old, new = base.pieces.get(key), their_tails.get(key)
        untouched = old is not None and old.tail == piece.tail != new
        if new is not None and untouched and their_next[key] == following:
            piece = piece._replace(tail=_ended(new, text.newline))
        pieces.append(piece)
    head = text.head
    if base.head == head != theirs.head and their_next[""] == [*keys, ""][0]:
        head = _ended(theirs.head, text.newline)
    return text._replace(head=head, pieces=tuple(pieces))


def _ended(between: str, newline: str) -> str:
    """Lines between rows with the line ends of ours."""
    return between.replace("\r\n", "\n").replace("\n", newline)


def _with_their_rows(text: LedgerText, added: Iterable[str], theirs: LedgerText) -> LedgerText:
    """The text with the rows that came from theirs in their own words, and with the comments right above them."""
    pieces, numbers = list(text.pieces), {key: number for number, key in enumerate(text.keys)}
    head = text.head
    above = dict(zip(theirs.keys, (theirs.head, *(piece.tail for piece in theirs.pieces)), strict=False))
    own = dict(zip(theirs.keys, theirs.pieces, strict=True))
    first = next(iter(theirs.keys), "")
    for key in added:
        number = numbers[key]
        piece = pieces[number]
        if _fits(text, piece.own.index("-"), own[key]):
            pieces[number] = piece._replace(own=own[key].own)
        heading = _heading(above[key], is_head=first == key)
        if heading and number:
            tail = pieces[number - 1].tail
            pieces[number - 1] = pieces[number - 1]._replace(tail=tail + _ended(heading, text.newline))
        elif heading and heading not in head:
            head += _ended(heading, text.newline)
    return text._replace(head=head, pieces=tuple(pieces))


def _heading(between: str, *, is_head: bool) -> str:
    """The comment lines right above a row; what heads the whole file is none of them."""
    lines = between.splitlines(keepends=True)
    first = len(lines)
    while first and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return "" if is_head and first == 0 else "".join(lines[first:])


def _marked(
    text: LedgerText, ours: Mapping[str, Piece], theirs: Mapping[str, Piece], conflicts: Iterable[str]
) -> bytes:
    """The text with both sides of each row in conflict between markers."""
    parts, unsettled, end = [text.head], frozenset(conflicts), text.newline
    for key, piece in zip(text.keys, text.pieces, strict=True):
        if key not in unsettled:
            parts.append(piece.own + piece.tail)
            continue
        our = piece.own if key in ours else ""
        their = "" if key not in theirs else piece.own if not our else _fitted(text, piece, theirs[key], untouched=True)
        parts += [OURS + end, our, BETWEEN + end, their, THEIRS + end, piece.tail]
    return "".join(parts).encode()


def _prove(
    data: bytes,
    path: str,
    decisions: Mapping[str, _Decision],
    ours: Mapping[str, Piece],
    theirs: Mapping[str, Piece],
) -> None:
    """CannotTell unless the text holds what was decided, whichever side settles the conflicts."""
    for side, rows in ((True, ours), (False, theirs)):
        wanted = {}
        for key, decision in decisions.items():
            values = decision.values if not decision.conflict else rows[key].values if key in rows else None
            if values is not None:
                wanted[key] = values
        text = cut(resolved(data, ours=side), path)
        if (
            len(text.keys) != len(wanted)
            or dict(zip(text.keys, (piece.values for piece in text.pieces), strict=True)) != wanted
        ):
            raise CannotTell(f"the merge of {path} would hold other rows than both sides make", BY_HAND)


def resolved(data: bytes, *, ours: bool) -> bytes:
    """A text with every conflict settled for one side."""
    kept, inside = [], ""
    for line in data.splitlines(keepends=True):
        word = line.rstrip(b"\r\n").decode(errors="surrogateescape")
        if word in (OURS, BETWEEN, THEIRS):
            inside = "" if word == THEIRS else word
        elif not inside or (inside == OURS) is ours:
            kept.append(line)
    return b"".join(kept)


def _lost(base: bytes, theirs: bytes, result: bytes) -> Iterable[str]:
    """The comment lines that theirs has and the base has not, and that the result lacks."""
    new = Counter(_comment_lines(theirs)) - Counter(_comment_lines(base))
    return (new - Counter(_comment_lines(result))).elements()


def _comment_lines(data: bytes) -> list[str]:
    lines = (line.strip() for line in data.decode(errors="surrogateescape").splitlines())
    return [line for line in lines if line.startswith("#")]
