"""Texts as YAML scalars on one line.

Invariants:
* A scalar stands without quotes only if every YAML, 1.1 or 1.2, block or flow, reads it as this text.
* In a ledger a date stands without quotes too: there the field table says what a text means.
* A quoted scalar holds no character that a ledger may not hold: such a character becomes its escape.
"""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z0-9/][A-Za-z0-9/.@_+=-]*(?:(?: |::?)[A-Za-z0-9/.@_+=-]+)*", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
#: everything that some YAML takes for no text, and a little more
_NO_TEXT = re.compile(
    r"y|n|yes|no|on|off|true|false|null"
    r"|[0-9][0-9_.,:e+-]*"  # integers, floats, sexagesimal numbers
    r"|0[xob][0-9a-f_]*"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:t|[ ]).*",
    re.IGNORECASE | re.ASCII,
)
#: the one printable character that no ledger may hold
_JOINER = "\u034f"
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def scalar(text: str) -> str:
    """The text as a YAML scalar, quoted where it must be."""
    return text if _PLAIN.fullmatch(text) and not _NO_TEXT.fullmatch(text) else quoted(text)


def ledger_scalar(text: str) -> str:
    """The text as a scalar of a ledger, quoted where it must be."""
    return text if _DATE.fullmatch(text) else scalar(text)


def quoted(text: str) -> str:
    """The text in double quotes; in single quotes where those need fewer escapes."""
    if text.isprintable() and _JOINER not in text:  # what `_is_harmless` asks of each character
        if '"' not in text and "\\" not in text:
            return f'"{text}"'
        if '"' in text and "'" not in text:
            return f"'{text}'"
    return '"' + "".join(map(_escaped, text)) + '"'


def scalar_like(text: str, written: str) -> str:
    """The text as a scalar of a ledger in the quotes of the scalar that it replaces, as far as they can hold it."""
    if written.startswith("'") and all(map(_is_harmless, text)):
        return "'" + text.replace("'", "''") + "'"
    if written.startswith(("'", '"')):
        return quoted(text)
    return ledger_scalar(text)


def _is_harmless(character: str) -> bool:
    return character.isprintable() and character != _JOINER


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if _is_harmless(character):
        return character
    code = ord(character)
    width, letter = (2, "x") if code < 0x100 else (4, "u") if code < 0x10000 else (8, "U")
    return f"\\{letter}{code:0{width}x}"
