"""Reads quarantine lists in JSON: ids or objects in a list, in an object of such lists, or in one from id to object.

Invariants:
* Every entry knows its place; so does what is no JSON.
* The text is read once from the left; nesting and numbers are bounded by the decoder, whose refusals are told.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NoReturn

from flakeledger.model.errors import CannotTell
from flakeledger.model.rows import Place
from flakeledger.model.wording import shown
from flakeledger.store.quarantine_entries import Entry, Selector, bad_entry, entry_of_fields, refuse_more

_BLANKS = re.compile(r"[ \t\n\r]*+")
_DECODER = json.JSONDecoder()


class _Text:
    """A JSON text that is read from the left, and knows the place of every offset."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.ends = [found.start() for found in re.finditer("\n", text)]

    def place(self, offset: int) -> Place:
        line = bisect_left(self.ends, offset)
        return Place(line + 1, offset - (self.ends[line - 1] if line else -1))

    def refuse(self, offset: int, message: str) -> NoReturn:
        line, column = self.place(offset)
        raise CannotTell(f"this is no JSON: {message}", "repair the file", f"{self.path}:{line}:{column}") from None

    def skip(self, offset: int) -> int:
        found = _BLANKS.match(self.text, offset)
        return found.end() if found is not None else offset

    def value(self, offset: int) -> tuple[object, int]:
        """The value that starts here, and where the next text starts."""
        try:
            value, end = _DECODER.raw_decode(self.text, offset)
        except json.JSONDecodeError as error:
            self.refuse(error.pos, error.msg)
        except RecursionError:
            self.refuse(offset, "it is nested too deep")
        except ValueError:
            self.refuse(offset, "a number with thousands of digits")
        return value, self.skip(end)

    def items(self, offset: int, close: str, step: Callable[[int], int]) -> int:
        """Walk from an opening bracket over what stands between commas; gives the offset after the closing one."""
        offset = self.skip(offset + 1)
        if self.text.startswith(close, offset):
            return self.skip(offset + 1)
        while True:
            offset = step(offset)
            if self.text.startswith(close, offset):
                return self.skip(offset + 1)
            if not self.text.startswith(",", offset):
                self.refuse(offset, f"`,` or `{close}` is missing")
            offset = self.skip(offset + 1)


class _List:
    """The entries of a JSON list, as far as it is read."""

    def __init__(self, source: _Text) -> None:
        self.source = source
        self.found: list[Entry] = []

    def item(self, offset: int) -> int:
        """An entry starts here; where the next text starts."""
        value, end = self.source.value(offset)
        self._add(value, offset)
        return end

    def pair(self, offset: int) -> int:
        """A name with a list, or an id with an object; whatever else has a name is no entry."""
        source = self.source
        name, after = source.value(offset)
        if not isinstance(name, str) or not source.text.startswith(":", after):
            source.refuse(offset, '`"name": value` is missing')
        start = source.skip(after + 1)
        if source.text.startswith("[", start):
            return source.items(start, "]", self.item)
        value, end = source.value(start)
        if isinstance(value, dict):
            self._add({"selector": name, **value}, offset)
        return end

    def _add(self, value: object, offset: int) -> None:
        refuse_more(len(self.found) + 1, self.source.path)
        self.found.append(_json_entry(value, self.source.path, self.source.place(offset)))


def read_json(text: str, path: str) -> Iterator[Entry]:
    """The entries of a JSON list. CannotTell, with its place, for what is no JSON."""
    source = _Text(text, path)
    found = _List(source)
    start = source.skip(0)
    if text.startswith("{", start):
        end = source.items(start, "}", found.pair)
    elif text.startswith("[", start):
        end = source.items(start, "]", found.item)
    else:
        source.refuse(start, "a list starts with `[` or `{`")
    if end != len(text):
        source.refuse(end, "something stands after the list")
    yield from found.found


def _json_entry(value: object, path: str, place: Place) -> Entry:
    if isinstance(value, str):
        return Entry(path, place, Selector(value, "id"))
    if not isinstance(value, dict):
        return bad_entry(path, place, shown(json.dumps(value)), "an entry is a test id or an object with `test`")
    return entry_of_fields(value, path, place)
