"""How much room text takes on a terminal: measured, cut and padded in cells, not in characters.

Invariants:
* Text comes in escaped (`reporters/escape.py`): nothing in it moves the cursor.
* A character of two cells is never halved, and what is cut or padded to a width has that width.
* Text that is written from right to left stays in its column: marks around it keep what stands beside it in order
  (https://unicode.org/reports/tr9/, implicit marks).
"""

from __future__ import annotations

_LEFT_TO_RIGHT_MARK = "\u200e"
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})


def width_of(text: str) -> int:
    """How many cells the text takes."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # only who shows more than ASCII pays for its tables

    return wcswidth(text)


def cut_middle(text: str, most: int, mark: str) -> str:
    """The text in at most so many cells: its begin, the mark, and its end, which says most in the id of a test."""
    if width_of(text) <= most:
        return text
    room = most - width_of(mark)
    if room < 0:
        return ""
    head, whole = room // 3, width_of(text)
    return _clipped(text, 0, head) + mark + _clipped(text, whole - (room - head), whole)


def _clipped(text: str, start: int, end: int) -> str:
    """The cells from one column to before another; half of a wide character is a blank."""
    if text.isascii():
        return text[start:end]
    from wcwidth import clip

    return clip(text, start, end)


def padded(text: str, width: int) -> str:
    """The text, and blanks up to a width."""
    return text + " " * (width - width_of(text))


def in_its_column(text: str) -> str:
    """The text, with marks of no width around it where it is written from right to left."""
    if text.isascii():
        return text
    from unicodedata import bidirectional

    if not any(bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return text
    return f"{_LEFT_TO_RIGHT_MARK}{text}{_LEFT_TO_RIGHT_MARK}"
