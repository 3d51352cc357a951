"""What a YAML text may not hold although it is YAML, noted while its events are read.

Invariants:
* A scalar is text, whatever it looks like; anchors, aliases, tags, merge keys and `?` are findings at their place.
* Of one text at most `MOST_TOLD` findings are noted: then the rest is not read, and the last one says so.
* A line that is no YAML has one finding, which says why.
"""

from __future__ import annotations

from typing import Any, NoReturn

from yaml.events import ScalarEvent

from flakeledger.model.findings import MOST_TOLD, Finding, unread_below
from flakeledger.model.rows import Scalar
from flakeledger.model.wording import shown
from flakeledger.store.mistakes import Mistake, Spot, continuation

PLAIN = (None, "")
_BLOCK = ("|", ">")


class UnreadableError(Exception):
    """The rest of this text cannot be told; a finding says why."""


class Notes:
    """The findings of one text, and what they need to know of it. `first` is the line on which the text starts."""

    def __init__(self, text: str, first: int, path: str) -> None:
        """Start without findings."""
        self.text = text
        self.first = first
        self.path = path
        self.findings: list[Finding] = []
        self.whole = True

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        return [line.removesuffix("\r") for line in self.text.split("\n")]

    def say(self, spot: Spot, rule: str, message: str, fix: str) -> None:
        """Note a finding. libyaml puts the end of a text without a newline on the line below, where nothing stands."""
        line = self.first + min(spot.line, self.text.count("\n"))
        if len(self.findings) >= MOST_TOLD:
            self.whole = False
            self.findings.append(unread_below(self.path, line, "yaml-forbidden"))
            raise UnreadableError
        self.findings.append(Finding(self.path, line, spot.column, rule, message, fix))

    def mistake(self, mistake: Mistake) -> None:
        """Note what is no YAML, instead of what was noted of the same line: one line, one mistake."""
        self.findings = [known for known in self.findings if known.line != self.first + mistake.spot.line]
        self.say(mistake.spot, "yaml-syntax", mistake.message, mistake.fix)

    def forbid(self, event: Any, message: str, fix: str) -> None:
        """Note that what this event starts may not be."""
        self.say(spot_of(event), "yaml-forbidden", message, fix)

    def refuse(self, event: Any, message: str, fix: str) -> NoReturn:
        """Note that what this event starts may not be, and stop."""
        self.forbid(event, message, fix)
        raise UnreadableError


def spot_of(event: Any) -> Spot:
    """Where an event starts."""
    return Spot(event.start_mark.line, event.start_mark.column + 1)


def forbid_duplicate(key: Any, name: str, line: int, notes: Notes) -> None:
    """Note that a key stands twice; `line` is the first one's."""
    message = f"{shown(name)} stands twice in one mapping, first on line {line}"
    notes.say(spot_of(key), "duplicate-key", message, f"delete one of the two {shown(name)}")


def forbid_alias(event: Any, notes: Notes) -> None:
    """Note that an alias stands where a value should."""
    message = f"{shown('*' + event.anchor)} is a YAML alias, which no ledger may hold"
    notes.forbid(event, message, f'write the value out; if it is text, quote it: "*{event.anchor}…"')


def forbid_decoration(event: Any, notes: Notes) -> None:
    """Note that a value has an anchor or a tag."""
    what = f"{shown('&' + event.anchor)} is a YAML anchor" if event.anchor else f"{shown(event.tag)} is a YAML tag"
    notes.forbid(event, f"{what}, which no ledger may hold", 'delete it; if it is text, quote the whole text: "…"')


def text_of(event: Any, notes: Notes) -> Scalar:
    """A scalar's text; None where nothing is written. Notes what a scalar may not be."""
    if event.anchor or event.tag:
        forbid_decoration(event, notes)
    text: str = event.value
    if event.style in PLAIN:
        if not text:
            return None
        if event.end_mark.line != event.start_mark.line:
            mistake = continuation(notes.lines, event.start_mark.line, notes.first)
            notes.say(mistake.spot, "yaml-forbidden", mistake.message, mistake.fix)
    elif event.style in _BLOCK:
        _check_first_line(event.start_mark.line + 1, notes)
    return text


def _check_first_line(line: int, notes: Notes) -> None:
    """A block text may not start with a line of blanks: YAML's parsers do not agree on what that means."""
    lines = notes.lines
    if line < len(lines) and lines[line] and not lines[line].strip():
        message = "a text of `|` or `>` starts with a line that holds only blanks"
        notes.say(Spot(line, 1), "yaml-forbidden", message, "delete the blanks on this line")


def key_of(event: Any, indent: int | None, notes: Notes) -> str:
    """A key's name. `indent` is the column of its mapping, None in flow style. Notes what a key may not be."""
    kind = type(event)
    if kind is not ScalarEvent or event.style in _BLOCK:
        notes.refuse(event, "a field's name is a plain word", "write `name: value`")
    if event.anchor or event.tag:
        forbid_decoration(event, notes)
    name: str = event.value
    if name == "<<":
        notes.refuse(event, "a merge key (`<<`), which no ledger may hold", "write the fields out")
    if indent is not None and event.start_mark.column != indent:
        notes.forbid(event, "a name is written without `?`", "write `name: value`")
    return name


def last_line(event: Any, notes: Notes) -> int:
    """The last line of a scalar. The mark of a block scalar's end stands on the next token's line."""
    end: int = event.end_mark.line
    if event.style not in _BLOCK:
        return end
    first: int = event.start_mark.line
    lines = notes.lines
    if "+" in lines[first][event.start_mark.column :].partition("#")[0]:
        return max(first, end - 1)
    return max((line for line in range(first, end) if lines[line].strip()), default=first)
