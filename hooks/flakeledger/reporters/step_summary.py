"""The summary of a step on GitHub, in Markdown: what a run found, beside its log.

Invariants:
* Text from files makes no markup, no link, no mention and no cell of the table (see `markdown.py`).
* What is written fits into the room that is left, and says how much of it did not. (GitHub drops a summary of more
  than 1 MiB as a whole: docs.github.com, "Workflow commands", job summaries.)
* Many findings are folded behind their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters.markdown import code, prose, table_row
from flakeledger.reporters.text import summary

#: what GitHub takes of one step, in bytes
LIMIT = 1 << 20
#: more findings than a reader sees at one glance are folded
_OPEN = 20
_LOUD_RULES = ("guard-removed",)
_LOUD_NOTE = "NOT CHECKED"
_HEAD = table_row(["", "place", "rule", "what is wrong", "how to fix it"]) + table_row(["---"] * 5)
_UNDECIDED = "❓ cannot tell"
_MARKS = {"error": "❌ error", "warning": "⚠️ warning"}
#: kept free for what follows the table
_RESERVED = 400


def step_summary(report: Report, room: int) -> str:
    """The report in at most `room` bytes: counts, base and notes, then the findings as a table. "" without room."""
    words = ("✅ nothing wrong", "❌ findings", _UNDECIDED)[report.code]
    head = [f"### flakeledger {report.command}: {words}\n\n", f"{prose(summary(report))}\n\n"]
    head += [f"- {_UNDECIDED if note in report.undecided else 'note:'} {prose(note)}\n" for note in report.notes]
    told, left = _fitting(head, room - _RESERVED)
    return told + _table(report, room - len(told.encode())) + _left_out(left, "line") if told else ""


def undecided_summary(command: str, error: CannotTell, room: int) -> str:
    """What could not be decided, in at most `room` bytes."""
    place = f"{error.place}:" if error.place else ""
    lines = [f"### flakeledger {command}: {_UNDECIDED}\n\n", f"{code(place)} {prose(error.reason)}\n"]
    lines += [f"\nfix: {_lines(error.fix)}\n"]
    return _fitting(lines, room)[0]


def loud_parts(report: Report) -> str:
    """What must not go unseen in any format: that nothing was checked, and that a guard was removed."""
    loud = [note for note in report.notes if note.startswith(_LOUD_NOTE)]
    loud += [f"{finding.rule}: {finding.message}" for finding in report.findings if finding.rule in _LOUD_RULES]
    return "".join(f"- flakeledger {report.command}: {prose(line)}\n" for line in loud)


def _table(report: Report, room: int) -> str:
    if not report.findings:
        return ""
    opening, closing = "\n", ""
    if len(report.findings) > _OPEN:
        opening = f"\n<details><summary>{len(report.findings)} findings and warnings</summary>\n\n"
        closing = "\n</details>\n"
    rows, left = _fitting(map(_row, report.findings), room - _RESERVED - len(opening + _HEAD + closing))
    table = opening + _HEAD + rows + closing if rows else ""
    return table + _left_out(left, "finding")


def _row(finding: Finding) -> str:
    place = code(f"{finding.path}:{finding.line}:{finding.column}")
    return table_row([_MARKS[finding.level], place, finding.rule, prose(finding.message), _lines(finding.fix)])


def _lines(text: str) -> str:
    """Several lines, which are commands or text to write, inside one line of Markdown."""
    return "<br>".join(map(code, text.split("\n")))


def _fitting(lines: Iterable[str], room: int) -> tuple[str, int]:
    """As many of the lines as fit, in their order, and how many do not."""
    every = list(lines)
    kept = list(_that_fit(every, room))
    return "".join(kept), len(every) - len(kept)


def _that_fit(lines: Iterable[str], room: int) -> Iterator[str]:
    for line in lines:
        size = len(line.encode())
        if size <= room:  # one huge line hides no other
            room -= size
            yield line


def _left_out(number: int, what: str) -> str:
    return f"\n{number} more {what}{'' if number == 1 else 's'} in the log: this summary is full.\n" if number else ""
