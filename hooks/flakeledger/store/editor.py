"""Adds, changes and removes one row of a ledger: the smallest edit of a text, and the only editor of YAML.

Invariants:
* Text goes in and text comes out; nothing here reads or writes a file.
* Every byte outside of the edited row stays, but for the blank line that set it off.
* A comment outside of the edited row stays where it is; one inside goes only with the field or row that it is in.
* What comes out was read again and proven (`ledger_text.proven`), or CannotTell says what to write by hand.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from itertools import pairwise

from flakeledger.model.errors import CannotTell
from flakeledger.model.wording import shown
from flakeledger.store.ledger_text import Known, LedgerText, Piece, Values, cut, proven
from flakeledger.store.row_spans import line_end, spans_of
from flakeledger.store.row_writing import NewValue, Style, field_lines, row_text, style_of
from flakeledger.store.splice import CannotEdit, plain_value, with_fields

__all__ = [
    "NewValue",
    "append_row",
    "append_rows",
    "change_row",
    "change_rows",
    "remove_row",
    "remove_rows",
    "row_to_paste",
]

#: how many rows are looked at for their layout
_SAMPLES = 8
_DIGITS = re.compile(r"([0-9]+)")


def append_row(data: bytes, path: str, fields: Mapping[str, NewValue]) -> bytes:
    """The ledger with one row more, in the layout of its neighbours.

    It goes below the last row, or to its place if the rows are sorted by their key; into a ledger without rows below
    its comments. CannotTell when the ledger cannot be read, holds this key already, or cannot be edited safely.
    """
    return append_rows(data, path, [fields])


def append_rows(data: bytes, path: str, rows: Sequence[Mapping[str, NewValue]]) -> bytes:
    """The ledger with several rows more, each where `append_row` puts one, proven once."""
    known: Known = {}
    before = cut(data, path, known)
    new = _new_pieces(before, rows)
    gap = before.newline * _usual_gap(before)
    after = _with_all_pieces(before, new, gap)
    places = [place for place in sorted(new) for _ in new[place]]
    added = [piece for place in sorted(new) for piece in new[place]]
    edited = {place + number: piece.values for number, (place, piece) in enumerate(zip(places, added, strict=True))}
    by_hand = f"add to {path}, by hand:\n{''.join(piece.own for piece in added)}".rstrip()
    return proven(before, after, edited, (), known, by_hand)


def _new_pieces(text: LedgerText, rows: Sequence[Mapping[str, NewValue]]) -> dict[int, list[Piece]]:
    """New rows by the place of the row that they stand before. CannotTell when a key is held already."""
    order = _order_of(text.keys)
    given = [] if order is None else [order(key) for key in text.keys]
    held = dict.fromkeys(text.keys)
    found: dict[int, list[Piece]] = {}
    styles: dict[int, Style] = {}
    for fields in rows if order is None else sorted(rows, key=lambda row: order(str(row[text.table.key]))):
        key = str(fields[text.table.key])
        if key in held:
            line = text.line_of(text.keys.index(key)) if key in text.keys else 1
            fix = "change or remove that row"
            raise CannotTell(f"{text.path} holds a row for {shown(key)} already", fix, f"{text.path}:{line}:1")
        held[key] = None
        place = len(text.pieces) if order is None else bisect_left(given, order(key))
        if place not in styles:
            styles[place] = _style_at(text, place)
        found.setdefault(place, []).append(Piece(row_text(text.table, fields, styles[place]), "", _values(fields)))
    return found


def change_row(data: bytes, path: str, key: str, changes: Mapping[str, NewValue | None]) -> bytes:
    """The ledger with these fields of one row changed; None removes a field, a new one takes its table's place.

    CannotTell when there is not exactly one row of this key, or it cannot be edited safely.
    """
    return change_rows(data, path, {key: changes})


def change_rows(data: bytes, path: str, changes: Mapping[str, Mapping[str, NewValue | None]]) -> bytes:
    """The ledger with several rows changed, each by its key as `change_row` changes one, proven once."""
    known: Known = {}
    before = cut(data, path, known)
    pieces = list(before.pieces)
    edited: dict[int, Values] = {}
    may_go: list[str] = []
    by_hand: list[str] = []
    numbers = _numbers(before)
    for key, wanted in changes.items():
        number = _number_of(before, numbers, key)
        by_hand.append(f"edit the row by hand:\n{_written_changes(before, wanted)}".rstrip())
        pieces[number] = _changed_piece(before, number, key, wanted, by_hand[-1])
        edited[number] = pieces[number].values
        may_go += _comments_in(before.pieces[number].own, wanted)
    after = before._replace(pieces=tuple(pieces))
    return proven(before, after, edited, may_go, known, "\n".join(by_hand))


def _changed_piece(
    text: LedgerText, number: int, key: str, changes: Mapping[str, NewValue | None], by_hand: str
) -> Piece:
    piece = text.pieces[number]
    try:
        own = with_fields(piece.own, text.table, changes, _style_at(text, number + 1))
    except CannotEdit as error:
        place = f"{text.path}:{text.line_of(number)}:1"
        raise CannotTell(f"the row of {shown(key)} cannot be edited safely: {error}", by_hand, place) from error
    kept = {name: value for name, value in piece.values.items() if name not in changes}
    given = _values({name: value for name, value in changes.items() if value is not None})
    end = line_end(own, spans_of(own).fields[-1].end)  # the comments of a row whose last field went stand below it now
    return Piece(own[:end], own[end:] + piece.tail, kept | given)


def remove_row(data: bytes, path: str, key: str) -> bytes:
    """The ledger without one row; comments above and below it stay.

    CannotTell when there is not exactly one row of this key, or it cannot be removed safely.
    """
    return remove_rows(data, path, [key])


def remove_rows(data: bytes, path: str, keys: Sequence[str]) -> bytes:
    """The ledger without several rows, each removed as `remove_row` removes one, proven once."""
    known: Known = {}
    before = cut(data, path, known)
    known_numbers = _numbers(before)
    numbers = sorted({_number_of(before, known_numbers, key) for key in keys})
    may_go = [comment.text for number in numbers for comment in spans_of(before.pieces[number].own).comments]
    starts = before.lines
    ends = (starts[number] + before.pieces[number].own.count("\n") - 1 for number in numbers)
    lines = [f"{starts[number]} to {end}" for number, end in zip(numbers, ends, strict=True)]
    by_hand = f"delete the lines {', '.join(lines)} of {path} by hand"
    return proven(before, _without_pieces(before, numbers), {}, may_go, known, by_hand)


def row_to_paste(data: bytes, path: str, fields: Mapping[str, NewValue]) -> str:
    """A row as `append_row` would write it into this ledger."""
    before = cut(data, path)
    return row_text(before.table, fields, _style_at(before, len(before.pieces)))


def _values(fields: Mapping[str, NewValue]) -> Values:
    return {name: plain_value(value) for name, value in fields.items()}


def _comments_in(own: str, names: Container[str]) -> list[str]:
    """The comments that stand in or behind these fields of a row."""
    spans = spans_of(own)
    areas = [(field.key, line_end(own, field.end)) for field in spans.fields if field.name in names]
    return [found.text for found in spans.comments if any(begin < found.start < end for begin, end in areas)]


def _numbers(text: LedgerText) -> dict[str, list[int]]:
    """The numbers of the rows of each key."""
    found: dict[str, list[int]] = {}
    for number, key in enumerate(text.keys):
        found.setdefault(key, []).append(number)
    return found


def _number_of(text: LedgerText, known: Mapping[str, Sequence[int]], key: str) -> int:
    numbers = known.get(key, ())
    if len(numbers) == 1:
        return numbers[0]
    if not numbers:
        raise CannotTell(
            f"{text.path} holds no row for {shown(key)}", f"look for its `{text.table.key}` in {text.path}"
        )
    lines = " and ".join(str(text.line_of(number)) for number in numbers)
    place = f"{text.path}:{text.line_of(numbers[0])}:1"
    raise CannotTell(
        f"{len(numbers)} rows hold {shown(key)}, on the lines {lines}",
        f"delete all but one of them from {text.path}",
        place,
    )


def _written_changes(text: LedgerText, changes: Mapping[str, NewValue | None]) -> str:
    lines: list[str] = []
    for name, value in changes.items():
        lines += [f"(remove {name})"] if value is None else field_lines(text.table, name, value, Style())
    return "\n".join(lines)


# where a row goes


_Sorting = tuple[tuple[int, str], ...]


def _natural(key: str) -> _Sorting:
    """A key for sorting that puts FX-9 before FX-10."""
    parts = _DIGITS.split(key)
    return tuple((len(part.lstrip("0")) if number % 2 else 0, part) for number, part in enumerate(parts))


def _plain(key: str) -> _Sorting:
    return ((0, key),)


def _order_of(keys: Sequence[str]) -> Callable[[str], _Sorting] | None:
    """The order that the rows are sorted by; None where they are not."""
    for order in (_natural, _plain):
        given = [order(key) for key in keys]
        if len(keys) > 1 and all(one <= other for one, other in pairwise(given)):
            return order
    return None


def _style_at(text: LedgerText, place: int) -> Style:
    above = [piece.own for piece in reversed(text.pieces[max(0, place - _SAMPLES) : place])]
    below = [piece.own for piece in text.pieces[place : place + _SAMPLES]]
    return style_of([*above, *below], text.newline)


def _with_all_pieces(text: LedgerText, new: Mapping[int, Sequence[Piece]], gap: str) -> LedgerText:
    """The text with rows put before those of these places; `gap` is what stands between two of them."""
    if not text.pieces:
        head, tail = _split_comments(text.head, text.newline)
        return text._replace(head=head, pieces=tuple(_chain(new[0], gap, tail))) if new else text
    head, pieces = text.head, list[Piece]()
    if 0 in new:
        at = _heading(head)
        pieces += _chain(new[0], gap, gap + head[at:])
        head = head[:at]
    for place, above in enumerate(text.pieces, 1):
        if place in new:
            at = _own_comments(above.tail, above.own.index("-"))
            pieces += [above._replace(tail=above.tail[:at] + gap), *_chain(new[place], gap, above.tail[at:])]
        else:
            pieces.append(above)
    return text._replace(head=head, pieces=tuple(pieces))


def _chain(new: Sequence[Piece], gap: str, tail: str) -> list[Piece]:
    """Rows with a gap between each two, and what stands below the last one."""
    return [*(piece._replace(tail=gap) for piece in new[:-1]), new[-1]._replace(tail=tail)]


def _split_comments(head: str, newline: str) -> tuple[str, str]:
    """A ledger without rows: what stands above the first row, without an empty list, and what stands below it."""
    lines = [_without_empty_list(line, newline) for line in head.splitlines(keepends=True)]
    last = max((number for number, line in enumerate(lines, 1) if line.strip()), default=0)
    return "".join(lines[:last]), "".join(lines[last:])


def _without_empty_list(line: str, newline: str) -> str:
    if not line.lstrip(" ").startswith("["):
        return line
    rest = line.partition("]")[2].strip()
    return rest + newline if rest else ""


def _heading(head: str) -> int:
    """Where the comments start that head the first row: below the last blank line; those of line 1 head the file."""
    lines = head.splitlines(keepends=True)
    blank = max((number for number, line in enumerate(lines, 1) if not line.strip()), default=len(lines))
    started = max((number for number, line in enumerate(lines, 1) if line.startswith("---")), default=0)
    return len("".join(lines[: blank if blank >= started else len(lines)]))


def _own_comments(tail: str, dash: int) -> int:
    """Where the comments end that directly follow a row and stand in deeper than its dash: they belong to it."""
    end = 0
    for line in tail.splitlines(keepends=True):
        bare = line.lstrip(" ")
        if not bare.startswith("#") or len(line) - len(bare) <= dash:
            break
        end += len(line)
    return end


def _usual_gap(text: LedgerText) -> int:
    """How many blank lines usually stand between two rows."""
    gaps = Counter(_blanks(piece.tail[_own_comments(piece.tail, piece.own.index("-")) :]) for piece in text.pieces[:-1])
    return gaps.most_common(1)[0][0] if gaps else 0


def _blanks(text: str) -> int:
    """How many blank lines a text begins with."""
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines) if line.strip()), len(lines))


# what goes with a row


def _without_pieces(text: LedgerText, numbers: Sequence[int]) -> LedgerText:
    gone = frozenset(numbers)
    pieces = [piece for number, piece in enumerate(text.pieces) if number not in gone]
    gap = max(1, _usual_gap(text._replace(pieces=tuple(pieces))))
    between: list[list[str]] = [[text.head]]  # what stands above the first row that stays, and below each
    for number, piece in enumerate(text.pieces):
        if number not in gone:
            between.append([])
        between[-1].append(piece.tail)
    last = len(between) - 1
    tails = [_closed_up(texts, gap, is_head=not at, is_last=at == last) for at, texts in enumerate(between)]
    kept = (piece._replace(tail=tail) for piece, tail in zip(pieces, tails[1:], strict=True))
    return text._replace(head=tails[0], pieces=tuple(kept))


def _closed_up(texts: Sequence[str], gap: int, *, is_head: bool, is_last: bool) -> str:
    """What stood above, between and below rows that went, without the blank lines that set them off."""
    *uppers, lowest = texts
    under = lowest.splitlines(keepends=True)[::-1]  # from the last line to the first
    is_blank = not lowest.strip()
    for number, above in reversed([*enumerate(uppers)]):
        over = above.splitlines(keepends=True)
        blanks_over, begins_blank = _blanks("".join(reversed(over))), bool(under) and not under[-1].strip()
        if blanks_over and (begins_blank or is_last):
            taken = blanks_over if is_blank and not begins_blank else min(blanks_over, gap)
            over = over[: len(over) - taken]
        elif is_head and number == 0 and begins_blank and not is_last and _heading(above) == len(above):
            first = under[-gap:][::-1]
            del under[len(under) - min(_blanks("".join(first)), gap) :]
        under += reversed(over)
        is_blank = is_blank and not above.strip()
    return "".join(reversed(under))
