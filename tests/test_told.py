"""What the formats for services say alike."""

from __future__ import annotations

import pytest

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import POLICY
from flakeledger.reporters.told import escape_lines, notes_of, placed, told, undecided_finding
from reports import NO_POLICY, UNSTAGED, report_of


@pytest.mark.parametrize(
    ("message", "fix", "text"),
    [
        ("wrong", "", "wrong"),
        ("wrong", "one\ntwo", "wrong\nfix: one\ntwo"),
        ("one\n::error::two", "", r"one\n::error::two"),
        ("::error::x", "::error::y\n::error::z", "\\x3a:error::x\nfix: ::error::y\n\\x3a:error::z"),
    ],
)
def test_the_message_is_the_first_line_and_the_fix_begins_the_second(message: str, fix: str, text: str) -> None:
    assert told(Finding("a", 1, 1, "bad-value", message, fix)) == text


def test_every_line_is_escaped() -> None:
    assert escape_lines("a\x1b\n##[error]b") == "a\\x1b\n#\\x23[error]b"


def test_notes_say_which_of_them_leave_something_undecided() -> None:
    found = list(notes_of(report_of(notes=(UNSTAGED, NO_POLICY), undecided=(NO_POLICY,))))
    assert [(one.rule, one.message, one.level) for one in found] == [
        ("note", UNSTAGED, "warning"),
        ("cannot-tell", NO_POLICY, "error"),
    ]


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ("", None),
        ("a.yaml:3:5", ("a.yaml", 3, 5)),
        ("a:b.yaml:3:5", ("a:b.yaml", 3, 5)),
        ("a.yaml", ("a.yaml", 1, 1)),
        ("a.yaml:3", ("a.yaml:3", 1, 1)),
        ("a.yaml:x:5", ("a.yaml:x:5", 1, 1)),
        ("a.yaml:0:0", ("a.yaml", 1, 1)),
        ("a.yaml:٣:5", ("a.yaml:٣:5", 1, 1)),  # a digit that is none of ours
    ],
)
def test_a_place_is_a_path_a_line_and_a_column(place: str, parts: tuple[str, int, int] | None) -> None:
    assert placed(place) == parts
    found = undecided_finding("check", CannotTell("why", "how", place))
    assert found[:5] == (*(parts or (POLICY, 1, 1)), "cannot-tell", "why")
