"""What a change does to the ledgers, as the Markdown of a comment on a pull request.

Invariants:
* The first line is `MARKER`, by which a tool finds the comment that it replaces.
* At most `MOST_BYTES` bytes: a row, a finding or a block of lines is shown whole or not at all, and what is left out
  is counted where it is missing, and not even written.
* What is long is folded. Text from files is code or plain words (`markdown.py`): it mentions nobody and links nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters.markdown import code, cut, escape_code, fence_for, fenced, indented, prose, table_row
from flakeledger.reporters.text import summary

MARKER = "<!-- flakeledger comment -->"
#: GitHub takes comments of 65,536 characters: https://docs.github.com/en/rest/issues/comments answers 422 above that
MOST_BYTES = 60_000
#: more lines than these are folded
_MOST_OPEN_LINES = 30
_LONGEST_CELL, _LONGEST_SENTENCE, _LONGEST_FIX = 300, 1000, 6000
Item = TypeVar("Item")
_PLURALS = {"property": "properties", "policy": "policies", "witness": "witnesses"}


class RowChange(NamedTuple):
    """What a change does to one row (or to a ledger file that has no rows)."""

    #: "freeze", "fixture", ...
    kind: str
    #: "opened", "renewed", ...
    what: str
    #: the test, the id or the path
    name: str
    owner: str = ""
    window: str = ""
    why: str = ""
    #: the rules that refuse it
    refused: tuple[str, ...] = ()


class Ending(NamedTuple):
    """A freeze that ends soon, or has ended."""

    test: str
    owner: str
    expires: str
    #: "expired", "less than a day", "3 days"
    left: str
    next_step: str


class Told(NamedTuple):
    """All that a comment tells. None where it is not known: the notes of the report say why."""

    report: Report
    #: 0 nothing is refused, 1 something is, 2 cannot tell
    code: int
    changes: Sequence[RowChange] | None
    #: rows of YAML, ready to paste
    rows: Sequence[str]
    #: commands that write rows
    commands: Sequence[str]
    endings: Sequence[Ending]
    warn_days: int


class _Section(NamedTuple):
    """A part of a comment. Units are shown whole or left out; each ends in a newline.

    `number` is how many there are; `units` are the first of them, more than a comment can hold or all.
    """

    title: str
    noun: str
    number: int
    units: Sequence[str]
    before: str
    after: str


def comment(told: Told) -> str:
    """The whole comment; ends in a newline."""
    lines = [MARKER, _verdict(told), ""]
    if told.changes is not None and not told.changes:
        lines += ["It changes no row of the ledgers.", ""]
    head = "\n".join([*lines, ""])
    foot = f"Judged: {code(cut(summary(told.report), _LONGEST_SENTENCE))}\n"
    sections = [section for section in _sections(told) if section.units]
    room = MOST_BYTES - _size(head) - _size(foot)
    shown = _fitting(sections, room)
    return head + "".join(_text(*pair) for pair in zip(sections, shown, strict=True)) + foot


def undecided(error: CannotTell) -> str:
    """The comment where nothing could be told; ends in a newline."""
    place = f" at {code(cut(error.place, _LONGEST_CELL))}" if error.place else ""
    reason = prose(cut(error.reason, _LONGEST_SENTENCE))
    fix = fenced(cut(error.fix, _LONGEST_FIX), "text")
    return f"{MARKER}\n**flakeledger cannot tell what this change does**{place}: {reason}\n\n{fix}"


def _verdict(told: Told) -> str:
    found = _counted(told.report.errors, "finding")
    if told.report.warnings:
        found += f", {_counted(told.report.warnings, 'warning')}"
    says = (
        "flakeledger refuses nothing in this change",
        "flakeledger refuses this change",
        "flakeledger cannot tell what this change does",
    )[told.code]
    done = Counter((change.kind, change.what) for change in told.changes or ())
    changed = ", ".join(f"{_counted(number, kind)} {what}" for (kind, what), number in done.items())
    return f"**{says}**: {found}{'; ' if changed else ''}{changed}."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun if number == 1 else _PLURALS.get(noun, f'{noun}s')}"


def _sections(told: Told) -> tuple[_Section, ...]:
    errors, warnings = (
        [finding for finding in told.report.findings if finding.level == level] for level in ("error", "warning")
    )
    changes = sorted(told.changes or (), key=lambda change: not change.refused)
    yaml, sh = fence_for(told.rows), fence_for(told.commands)
    return (
        _section("Notes", "note", _note, told.report.notes),
        _section("What it does to the ledgers", "row", _change, changes, _head(*_CHANGE_HEADINGS)),
        _section("What is refused", "finding", _finding, errors),
        _section("Rows to paste", "row", _lines, told.rows, _paste_head(yaml), f"{yaml}\n"),
        _section("Commands that write them", "command", _lines, told.commands, f"{sh}sh\n", f"{sh}\n"),
        _section("Warnings", "warning", _finding, warnings),
        _section(
            f"What ends within {_counted(told.warn_days, 'day')}",
            "freeze",
            _ending,
            told.endings,
            _head("test", "owner", "ends", "left", "what must happen"),
        ),
    )


def _section(
    title: str, noun: str, write: Callable[[Item], str], items: Sequence[Item], before: str = "", after: str = ""
) -> _Section:
    """A part of a comment about items, written one by one until there is more than a comment can hold."""
    units: list[str] = []
    written = 0
    for item in items:
        if written > MOST_BYTES:
            break
        units.append(write(item))
        size = _size(units[-1])
        written += size if size <= MOST_BYTES else 0  # such a one is left out, and those below it need not be
    return _Section(title, noun, len(items), units, before, after)


_CHANGE_HEADINGS = ("what", "row", "owner", "window", "why")


def _head(*headings: str) -> str:
    return table_row(headings) + table_row(["---"] * len(headings))


def _paste_head(fence: str) -> str:
    return f"For `ledgers/freezes.yaml`, with each `?` filled in:\n\n{fence}yaml\n"


def _note(note: str) -> str:
    return f"- Note: {prose(cut(note, _LONGEST_SENTENCE))}\n"


def _lines(text: str) -> str:
    """Lines inside of a fence, which is chosen for all of them."""
    return "".join(f"{escape_code(line)}\n" for line in text.split("\n"))


def _change(change: RowChange) -> str:
    refused = f"**refused** by {', '.join(map(code, change.refused))}: " if change.refused else ""
    return table_row(
        (
            f"{refused}{change.kind} {change.what}",
            code(cut(change.name, _LONGEST_CELL)),
            code(cut(change.owner, _LONGEST_CELL)),
            code(cut(change.window, _LONGEST_CELL)),
            prose(cut(change.why, _LONGEST_CELL)),
        )
    )


def _ending(row: Ending) -> str:
    cells = [code(cut(text, _LONGEST_CELL)) for text in (row.test, row.owner, row.expires)]
    return table_row((*cells, row.left, code(cut(row.next_step, _LONGEST_CELL))))


def _finding(finding: Finding) -> str:
    place = f"{cut(finding.path, _LONGEST_CELL)}:{finding.line}:{finding.column}"
    item = f"- **{code(finding.rule)}** {code(place)} {prose(cut(finding.message, _LONGEST_SENTENCE))}\n"
    if not finding.fix:
        return item
    # half a command would be worse than none
    fix = finding.fix if len(finding.fix) <= _LONGEST_FIX else "flakeledger check   # prints how, which is long"
    return f"{item}\n{indented(fenced(fix, 'text'))}\n"


def _text(section: _Section, shown: Sequence[str]) -> str:
    """A section with some of its units."""
    counted, left = _counted(section.number, section.noun), section.number - len(shown)
    rest = f"{left} of {counted} left out: a comment has at most 60 KB.\n\n" if left else ""
    told = f"{section.before}{''.join(shown)}{section.after}".rstrip("\n")  # some units end in an empty line
    body = f"{told}\n\n{rest}" if shown else rest
    lines = sum(unit.count("\n") for unit in section.units)
    if lines > _MOST_OPEN_LINES or section.number > len(section.units):
        body = f"<details>\n<summary>{counted}</summary>\n\n{body}</details>\n\n"
    return f"### {section.title}\n\n{body}"


def _fitting(sections: Sequence[_Section], room: int) -> list[Sequence[str]]:
    """Of each section the units that fit. Short sections are shown whole, long ones share what is left evenly."""
    room -= sum(map(_frame, sections))
    shown: dict[int, Sequence[str]] = {}
    sizes = [sum(map(_size, section.units)) for section in sections]
    for done, index in enumerate(sorted(range(len(sections)), key=lambda index: sizes[index])):
        share = room // (len(sections) - done)
        shown[index] = _within(sections[index].units, share)
        room -= sum(map(_size, shown[index]))
    return [shown[index] for index in range(len(sections))]


def _frame(section: _Section) -> int:
    """The bytes of a section beside its units, when some are shown and some are left out."""
    return _size(_text(section, ())) + _size(section.before) + _size(section.after) + 1


def _within(units: Sequence[str], room: int) -> Sequence[str]:
    """The units that fit, in order; one that does not fit makes no room for it by itself."""
    shown = []
    for unit in units:
        if _size(unit) <= room:
            shown.append(unit)
            room -= _size(unit)
    return shown


def _size(text: str) -> int:
    return len(text.encode("utf-8"))
