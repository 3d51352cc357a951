"""What one entry of a quarantine list says: the test that it names, and what it says of it.

Invariants:
* An entry says what its list says and nothing more: what a list lacks stays None.
* A key that is not ours is left alone, unless it looks like a misspelt one: that is a problem of the entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Literal, NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.model.rows import Place
from flakeledger.model.wording import shown

#: in a list; nobody keeps one that is longer
MOST_ENTRIES = 50_000
#: what the keys of an object mean; any other key is not ours
_KEYS = {
    "test": "selector",
    "selector": "selector",
    "owner": "owner",
    "added": "added",
    "expires": "expires",
    "reason": "reason",
    "issue": "issue",
    "property": "property_id",
    "property_id": "property_id",
}


class Selector(NamedTuple):
    """How a list names a test. `text` is what it wrote; `how` says what `name` and `hints` mean:

    `id`: `text` is a test id. `class`: method `name` of the class `hints[0]`, "" for the whole class. `function`:
    function `name` of some module, `hints` are names of its package or binary. `file`: the whole file whose path
    without its extension is `name`. `none`: no single test; `problem` of the entry says why.
    """

    text: str
    how: Literal["id", "class", "function", "file", "none"]
    name: str = ""
    hints: tuple[str, ...] = ()


class Entry(NamedTuple):
    """One test of a list, at its place. Dates are as written; `problem` says what is wrong with the entry itself."""

    path: str
    place: Place
    selector: Selector
    owner: str | None = None
    added: str | None = None
    expires: str | None = None
    reason: str | None = None
    issue: str | None = None
    property_id: str | None = None
    problem: str = ""


def refuse_more(number: int, path: str) -> None:
    """CannotTell when a list has more than `MOST_ENTRIES`; asked while it is read, not at its end."""
    if number > MOST_ENTRIES:
        raise CannotTell(f"{path} names more than {MOST_ENTRIES} tests", "split the list", f"{path}:1:1")


def entry_of_fields(values: Mapping[str, object], path: str, place: Place) -> Entry:
    """The entry of an object or a mapping with `test` or `selector`, `owner`, `added`, `expires`, `reason`, `issue`."""
    fields: dict[str, str] = {}
    for key, value in values.items():
        name = _KEYS.get(key)
        if name is None or value is None or value == "":
            continue
        if not isinstance(value, str):
            return bad_entry(path, place, _selected(values), f"{shown(key)} is a text")
        fields[name] = value
    selector = fields.pop("selector", "")
    if not selector:
        return bad_entry(path, place, "", "the entry names no test: it has neither `test` nor `selector`")
    misspelt = _misspelt(values)
    return Entry(path, place, Selector(selector, "id"), **fields, problem=misspelt)


def _selected(values: Mapping[str, object]) -> str:
    return next((str(values[key]) for key in ("test", "selector") if isinstance(values.get(key), str)), "")


def _misspelt(values: Mapping[str, object]) -> str:
    """What to say of a key that looks like one of ours and is none: a misspelt `expires` is no missing one."""

    for key in values:
        if key not in _KEYS and (near := get_close_matches(key[:32], set(_KEYS) - set(values), 1, 0.8)):
            return f"unknown key {shown(key)}, did you mean {shown(near[0])}?"
    return ""


def bad_entry(path: str, place: Place, written: str, problem: str) -> Entry:
    """An entry that names no single test, with the reason; `written` is what stands there."""
    return Entry(path, place, Selector(written, "none"), problem=problem)
