"""The canonical form: one text, and so one digest, for every spelling of the same JSON object.

Invariants:
* Canonical text is `json.dumps(value, sort_keys=True, separators=(",", ":"))` with `ensure_ascii` left on;
  its digest is the SHA-256 of its UTF-8 bytes.
* Key order and white space cannot move the digest; array order is data.
* What two programs could read differently is refused, never guessed: floats, NaN and infinities,
  duplicate keys, lone surrogates, invalid UTF-8, a byte order mark, text after the object.
* The answer does not depend on the host: depth and integer size have limits of our own, below what any
  Python refuses. Depth is checked before anything recurses.
* Work is linear in the text. The C parser decides; only a refusal pays for the search of its place.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NoReturn

from flakeledger.model.wording import shown

#: deeper than any contract that people read, far from the recursion limit of 1000
MAX_DEPTH = 200
#: what `int()` converts whatever PYTHONINTMAXSTRDIGITS says
MAX_INTEGER_DIGITS = 640

#: Top-level keys that name a run, not a contract. Compared without case, `_` and `-`, so that `createdAt` is one too.
RUN_IDENTITY = (
    "timestamp",
    "created_at",
    "updated_at",
    "modified_at",
    "generated_at",
    "recorded_at",
    "started_at",
    "finished_at",
    "run_at",
    "run_id",
    "run_date",
    "build_id",
    "build_number",
    "job_id",
    "host",
    "host_name",
    "pid",
    "process_id",
)
_RUN_IDENTITY = frozenset(name.replace("_", "") for name in RUN_IDENTITY)

_INTEGER_END: int = 10**MAX_INTEGER_DIGITS
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
# without a run of so many digits no integer needs to be looked at one by one
_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_ANY_LONG_INTEGER = b"0" * (MAX_INTEGER_DIGITS + 1)
#: the depth of a large text is counted in pieces of so many characters, so that its words are not all in memory
_PIECE = 1024 * 1024
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = [(code in b"[{") - (code in b"]}") for code in range(256)]
# Only an odd text needs these, so each is compiled when one comes. The first three read text whose escaped quotes
# and backslashes are blanked, so a string is simply `"[^"]*"`. Its closing quote may be missing: otherwise every
# quote of a broken text would be searched to the end.
_BRACKET = r'"[^"]*"?|([\[{])|([\]}])'
_TEXT_OR_LITERAL = r'"[^"]*"?|[-+.0-9A-Za-z]+'
_KEY = r'("[^"]*"?)[ \t\r\n]*(:?)|([\[{])|([\]}])'
# A pair is read first, then half a pair (group 1), then any other escape, so that `\\ud800` is none.
_SURROGATE = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."


class NotCanonical(ValueError):
    """The value has no canonical form. `message` says why; `line` and `column` count from 1 (1:1: all of it)."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        """A refusal of the text at this place."""
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class _Literal(Exception):
    """A literal that is refused; json's hooks know its text but not its place."""

    def __init__(self, literal: str, message: str) -> None:
        """A refusal of the first token that starts with this literal."""
        super().__init__(message)
        self.literal = literal
        self.message = message


class _Duplicate(Exception):
    """Some object that was just closed has a key twice."""


def canonical_text(data: bytes) -> str:
    """The canonical text of the JSON object in `data`; `NotCanonical` says what is refused, and where."""
    return _ENCODER.encode(strict_object(data))


def digest(data: bytes) -> str:
    """The SHA-256 of the canonical text, in hex; `NotCanonical` as in `canonical_text`."""
    return text_digest(canonical_text(data))


def text_digest(canonical: str) -> str:
    """The SHA-256, in hex, of a text that is canonical already, such as one from `canonical_dump`."""
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def canonical_dump(value: object) -> str:
    """The canonical text of a value that we made: None, bool, int, str, and lists, tuples and str-keyed dicts of them.

    Raises `NotCanonical` for anything else, for integers and nesting beyond the limits. Surrogates are let
    through: a path that is no UTF-8 holds them, and the digest of a generator set must exist for it too.
    """
    pending: list[tuple[object, int]] = [(value, 0)]
    while pending:  # last in, first out: a list that holds itself meets the depth limit at once
        part, depth = pending.pop()
        pending.extend((child, depth + 1) for child in _children(part, depth))
    return _ENCODER.encode(value)


def strict_object(data: bytes) -> dict[str, object]:
    """The JSON object in `data`, of values that have one canonical form; `NotCanonical` otherwise."""
    text = _decoded(data)
    _refuse_depth(text)
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_refuse_float,
            parse_int=_integer if _ANY_LONG_INTEGER in data.translate(_DIGITS_ALIKE) else None,
            parse_constant=_refuse_constant,
        )
    except _Literal as refused:
        raise _at(text, _index_of_literal(text, refused.literal), refused.message) from None
    except _Duplicate:
        raise _duplicate_key(text) from None
    except json.JSONDecodeError as wrong:
        raise NotCanonical(_syntax_message(wrong.msg), wrong.lineno, wrong.colno) from None
    _refuse_lone_surrogates(text)
    if not isinstance(value, dict):
        raise NotCanonical("the top level is no object: a canonical text is one {…}")
    return value


def contract_digest(data: bytes) -> str:
    """The digest of a contract; `NotCanonical` says why `data` cannot be one, with the place.

    A contract has a canonical form, has `schema` at its top level, and has no top-level key of `RUN_IDENTITY`.
    Keys further down are data and may have any name.
    """
    contract = strict_object(data)
    if "schema" not in contract:
        raise NotCanonical("a contract says which rules it follows: it needs the key `schema` at its top level")
    key = next(filter(_names_a_run, contract), None)
    if key is not None:
        raise refused_key(data, key, f"{shown(key)} names a run, not a contract: leave it out")
    return text_digest(_ENCODER.encode(contract))


def refused_key(data: bytes, key: str, message: str) -> NotCanonical:
    """The refusal of a top-level key, at its place, of an object that `strict_object` reads."""
    text = data.decode("utf-8")
    return _at(text, next(index for number, name, index in _keys(text) if (number, name) == (0, key)), message)


def _names_a_run(key: str) -> bool:
    return key.lower().replace("_", "").replace("-", "") in _RUN_IDENTITY


def _children(part: object, depth: int) -> list[object]:
    """The values inside a part of a value that may be written; NotCanonical when the part may not be."""
    if part is None or isinstance(part, (bool, str)):
        return []
    if isinstance(part, int):
        if abs(part) >= _INTEGER_END:
            raise NotCanonical(_INTEGER_MESSAGE)
        return []
    if not isinstance(part, (dict, list, tuple)):
        raise NotCanonical(f"a {type(part).__name__} has no canonical form")
    if depth >= MAX_DEPTH:
        raise NotCanonical(_DEPTH_MESSAGE)
    if not isinstance(part, dict):
        return list(part)
    if not all(isinstance(key, str) for key in part):
        raise NotCanonical("a key that is no text has no canonical form")
    return list(part.values())


_DEPTH_MESSAGE = f"nested deeper than {MAX_DEPTH} levels"
_INTEGER_MESSAGE = f"an integer of more than {MAX_INTEGER_DIGITS} digits"


def _decoded(data: bytes) -> str:
    if data.startswith(codecs.BOM_UTF8):
        raise NotCanonical("a byte order mark at the start: save the file as UTF-8 without it")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        before = data[: wrong.start].decode("utf-8")
        raise _at(before, len(before), f"byte 0x{data[wrong.start]:02x} is not UTF-8") from None


def _bare(text: str) -> str:
    """The text with escaped backslashes and quotes blanked; every place stays what it was."""
    return text.replace("\\\\", "__").replace('\\"', "__")


def _refuse_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH or not _is_too_deep(_bare(text)):
        return
    depth = 0
    for match in re.finditer(_BRACKET, _bare(text)):
        depth += bool(match[1]) - bool(match[2])
        if depth > MAX_DEPTH:
            raise _at(text, match.start(), _DEPTH_MESSAGE)


def _is_too_deep(bare: str) -> bool:
    """Whether some bracket outside of texts opens a level beyond the limit; a tenth of the time of a search for it."""
    depth = inside = 0
    for start in range(0, len(bare), _PIECE):
        parts = bare[start : start + _PIECE].split('"')  # every other part is a text
        brackets = "".join(parts[inside::2]).encode().translate(None, _NO_BRACKETS)
        depths = list(accumulate(map(_STEPS.__getitem__, brackets), initial=depth))
        if max(depths) > MAX_DEPTH:
            return True
        depth = depths[-1]
        inside ^= len(parts) % 2 == 0
    return False


def _refuse_lone_surrogates(text: str) -> None:
    if "\\ud" not in text and "\\uD" not in text:
        return
    for match in re.finditer(_SURROGATE, text):
        if match[1]:
            raise _at(text, match.start(), f"{match[1]} is half a character (a lone surrogate)")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Duplicate
    return value


def _integer(literal: str) -> int:
    if len(literal) > MAX_INTEGER_DIGITS and len(literal.removeprefix("-")) > MAX_INTEGER_DIGITS:
        raise _Literal(literal, _INTEGER_MESSAGE)
    return int(literal)


def _refuse_float(literal: str) -> NoReturn:
    raise _Literal(literal, f"{shown(literal)} is a float: store whole minor units, or text")


def _refuse_constant(literal: str) -> NoReturn:
    raise _Literal(literal, f"{literal} is not JSON")


def _syntax_message(message: str) -> str:
    if message == "Extra data":
        return "text after the end of the object"
    return f"not JSON: {message[:1].lower()}{message[1:]}"


def _at(text: str, index: int, message: str) -> NotCanonical:
    line = text.count("\n", 0, index) + 1
    return NotCanonical(message, line, index - text.rfind("\n", 0, index))


def _index_of_literal(text: str, literal: str) -> int:
    """Where the parser met a literal: every token before it was fine, so it is the first that starts so."""
    return next(match.start() for match in re.finditer(_TEXT_OR_LITERAL, _bare(text)) if match[0].startswith(literal))


def _duplicate_key(text: str) -> NotCanonical:
    """The refusal of the first key that its object has already. The parser saw one, so there is one."""
    first: dict[tuple[int, str], int] = {}
    for number, key, index in _keys(text):
        if (number, key) in first:
            line = text.count("\n", 0, first[number, key]) + 1
            return _at(text, index, f"the key {shown(key)} stands twice in one object (first on line {line})")
        first[number, key] = index
    raise AssertionError("the parser saw a key twice")


def _keys(text: str) -> Iterator[tuple[int, str, int]]:
    """Every key with the number of its object (the outermost is 0) and its index, in the order of the text."""
    opened = 0
    around: list[int] = []
    for match in re.finditer(_KEY, _bare(text)):
        if match[2]:
            yield around[-1], json.loads(text[match.start(1) : match.end(1)]), match.start(1)
        elif match[3]:
            around.append(opened)
            opened += 1
        elif match[4]:
            around.pop()
