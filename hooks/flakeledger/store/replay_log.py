"""Reads replays.jsonl: one strict JSON object a line, each judged on its own.

Invariants:
* A replay is given only if every field of its line is what the table says and its numbers agree with each other.
  Any other line has a finding and is left out. A last line without its newline is given and has a finding.
* Two identical lines are one replay written twice by a union merge, and no finding; one id on two different lines is.
* A line is bounded in length, numbers and depth; a float is refused wherever the table has none.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NoReturn

from flakeledger.model.clock import parse_instant
from flakeledger.model.fields import REPLAY_FIELDS, nearest_name
from flakeledger.model.findings import MOST_TOLD, Finding, unread_below
from flakeledger.model.kinds import Shape
from flakeledger.model.records import LogLine, Replay
from flakeledger.model.wording import listed, shown
from flakeledger.store.text import BYTE_ORDER_MARK, find_blemishes, touches

LONGEST_LINE = 1 << 20
#: numbers beyond 64 bits are refused: other languages cannot hold them
LARGEST_NUMBER = 2**64
#: the outcomes that count; whatever else happened to a run leaves the count incomplete
SETTLED = ("pass", "fail")
_RESTORE = "write the line as the recorder wrote it, or delete it: lines that cannot be read may go"


#: the lines of a log by the ids that they have: number and text
Identified = Mapping[str, tuple[int, str]]


def read_replays(
    data: bytes, path: str, first_line: int = 1, above: Identified | None = None
) -> tuple[list[LogLine], list[Finding]]:
    """The lines of a log, or of the end of one, and what is wrong with them.

    When `data` is only the end of the log, `first_line` is the line on which it starts and `above` holds the lines
    before it that have an id: one that stands there too is a finding here.
    """
    findings, spans = find_blemishes(data, path, "replay-malformed")
    findings = [finding._replace(line=finding.line + first_line - 1) for finding in findings]
    lines = data.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "surrogateescape").split("\n")
    if lines[-1]:
        message, fix = "the last line does not end in a newline", "end the file with a newline"
        findings.append(
            Finding(path, first_line + len(lines) - 1, len(lines[-1]) + 1, "replay-malformed", message, fix)
        )
    else:
        lines.pop()
    read = []
    for number, line in enumerate(lines, 1):
        if len(findings) > MOST_TOLD:
            findings.append(unread_below(path, first_line + number - 1, "replay-malformed"))
            break
        if spans and touches(spans, number, number):
            continue
        try:
            read.append(_log_line(line, first_line + number - 1))
        except _BadLineError as refused:
            findings.append(refused.finding(path, first_line + number - 1, line))
    return read, sorted([*findings, *_duplicates(above or {}, read, path)])


class _BadLineError(Exception):
    """A line that is no replay. `place` is a column, or the field whose column it is."""

    def __init__(self, message: str, place: int | str = 1, rule: str = "replay-malformed", fix: str = _RESTORE) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.rule = rule
        self.fix = fix

    def finding(self, path: str, number: int, line: str) -> Finding:
        column = self.place if isinstance(self.place, int) else line.find(json.dumps(self.place)) + 1
        return Finding(path, number, max(column, 1), self.rule, self.message, self.fix)


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name in found if counts[name] > 1)
        raise _BadLineError(f"{shown(twice)} stands twice in one object", twice)
    return found


def _no_constant(name: str) -> NoReturn:
    raise _BadLineError(f"{name} is no number of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_constant)


def _log_line(line: str, number: int) -> LogLine:
    values = _object(line)
    for name, value in values.items():
        check = _CHECKS.get(name)
        if check is None:
            _refuse_unknown(name)
        complaint = check(value)
        if complaint:
            raise _BadLineError(f"{shown(name)}: {complaint}", name)
    try:
        replay = Replay(
            number,
            values["test"],
            values["run_at"],
            parse_instant(values["run_at"]),
            values["env"],
            values["passed"],
            values["total"],
            values.get("id"),
            values.get("seeded"),
            values.get("failures", {}),
            _unsettled(values),
            _one_for_all(tuple(values["touched"])) if "touched" in values else (),
        )
        found = LogLine(line, values["seeds"], replay)
    except KeyError as missing:
        (name,) = missing.args
        raise _BadLineError(f"no {shown(name)}: {REPLAY_FIELDS.by_name[name].help}") from None
    _check_numbers(found, values)
    return found


@lru_cache(maxsize=1024)  # every replay of a test opens the same files
def _one_for_all(paths: tuple[str, ...]) -> tuple[str, ...]:
    """The paths, as the same object whenever they come again: a log has ten thousand lines."""
    return paths


def _unsettled(values: Mapping[str, Any]) -> int:
    """How many runs ended neither in a pass nor in a failure; 0 where the line does not say how they ended."""
    if "outcomes" in values:
        return sum(outcome not in SETTLED for outcome in values["outcomes"])
    failures = sum(values.get("failures", {}).values())
    return max(values["total"] - values["passed"] - failures, 0) if failures else 0


def _object(line: str) -> dict[str, Any]:
    if not line:
        raise _BadLineError("an empty line", fix="delete the line")
    if len(line) > LONGEST_LINE:
        raise _BadLineError("a line longer than 1 MiB")
    if line.endswith("\r"):
        raise _BadLineError("the line ends in a carriage return", len(line), fix="end lines with a line feed alone")
    try:
        values, end = _DECODER.raw_decode(line)
    except json.JSONDecodeError as error:
        raise _BadLineError(f"this is no JSON: {error.msg}", error.colno) from None
    except RecursionError:
        raise _BadLineError("nested too deep") from None
    except ValueError:
        raise _BadLineError("a number with thousands of digits") from None
    if end != len(line):
        raise _BadLineError("something stands after the object", end + 1)
    if not isinstance(values, dict):
        raise _BadLineError("a replay is a JSON object")
    return values


def _refuse_unknown(name: str) -> NoReturn:
    nearest = nearest_name(name, REPLAY_FIELDS)
    message = f"unknown field {shown(name)}" + (f", did you mean {shown(nearest)}?" if nearest else "")
    raise _BadLineError(message, name, fix=f"the fields are {listed(REPLAY_FIELDS.by_name)}")


def _check_numbers(found: LogLine, values: dict[str, object]) -> None:
    replay, seeds = found.replay, len(found.seeds)
    total, passed = replay.total, replay.passed
    outcomes = values.get("outcomes")
    if total != seeds:
        message, place = f"total is {total}, and there are {seeds} seeds", "total"
    elif len(set(found.seeds)) != seeds:
        message, place = "a seed stands twice", "seeds"
    elif passed > total:
        message, place = f"passed is {passed}, more than the total of {total}", "passed"
    elif sum(replay.failures.values()) > total - passed:
        message, place = f"more failures than the {total - passed} seeds that did not pass", "failures"
    elif isinstance(outcomes, list) and len(outcomes) != total:
        message, place = f"{len(outcomes)} outcomes of {total} seeds", "outcomes"
    else:
        return
    raise _BadLineError(message, place, "replay-inconsistent")


def _duplicates(above: Identified, read: Iterable[LogLine], path: str) -> Iterator[Finding]:
    first = dict(above)
    for text, _, replay in read:
        if replay.id is None:
            continue
        number, earlier = first.setdefault(replay.id, (replay.line, text))
        if earlier != text:
            message = f"{shown(replay.id)} is the id of another replay, on line {number}"
            column = max(text.find('"id"') + 1, 1)
            yield Finding(
                path, replay.line, column, "replay-duplicate", message, "give the newer replay an `id` of its own"
            )


_Check = Callable[[object], str]


def _text(complaint: Callable[[str], str]) -> _Check:
    def check(value: object) -> str:
        if type(value) is not str:
            return "it is a text"
        return complaint(value) if value else "it is empty"

    return check


def _flag(value: object) -> str:
    return "" if type(value) is bool else "it is true or false"


def _count(value: object) -> str:
    return "" if type(value) is int and 0 <= value < LARGEST_NUMBER else "it is a number from 0, without a point"


def _seconds(value: object) -> str:
    if isinstance(value, int | float) and type(value) is not bool and 0 <= value < LARGEST_NUMBER:
        return ""
    return "it is a number of seconds"


_INTEGER = frozenset((int,))  # and not bool, which is a kind of int


def _integers(value: object) -> str:
    if type(value) is list and (not value or (_INTEGER.issuperset(map(type, value)) and _is_bounded(value))):
        return ""
    return "it is a list of whole numbers of at most 64 bits"


def _is_bounded(numbers: list[int]) -> bool:
    return min(numbers) > -LARGEST_NUMBER and max(numbers) < LARGEST_NUMBER


def _list(complaint: Callable[[str], str]) -> _Check:
    item_complaint = _text(complaint)

    def check(value: object) -> str:
        if type(value) is not list:
            return "it is a list of texts"
        return next(filter(None, map(item_complaint, value)), "")

    return check


def _mapping(complaint: Callable[[str], str]) -> _Check:
    item_complaint = _text(complaint)

    def check(value: object) -> str:
        if type(value) is not dict:
            return "it is an object of texts"
        return next(filter(None, map(item_complaint, value.values())), "")

    return check


def _counts(value: object) -> str:
    if type(value) is dict and all(type(count) is int and 0 < count < LARGEST_NUMBER for count in value.values()):
        return ""
    return "it is an object of counts from 1"


_SHAPES: dict[Shape, Callable[[Callable[[str], str]], _Check]] = {
    "text": _text,
    "flag": lambda _complaint: _flag,
    "count": lambda _complaint: _count,
    "seconds": lambda _complaint: _seconds,
    "integers": lambda _complaint: _integers,
    "list": _list,
    "mapping": _mapping,
    "counts": lambda _complaint: _counts,
}
_CHECKS = {field.name: _SHAPES[field.kind.shape](field.kind.complaint) for field in REPLAY_FIELDS.fields}
