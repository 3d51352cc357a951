"""The trailers that record decisions: what is written is what is read, and what is taken out of a message."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.clock import parse_instant
from flakeledger.model.decision_trailers import (
    TRAILER,
    Recorded,
    comment_start,
    is_blank,
    recorded,
    trailer,
    with_comment,
    without_decisions,
)
from growing import assert_linear

NOW = parse_instant("2026-10-11T00:00:00Z")
ONE = "Freeze-Decision: PROP-014 allow_cite now=2026-10-11T00:00:00Z\n"
TWO = "Freeze-Decision: PROP-2 reject:fixture_hash now=2026-10-12T13:14:15Z\n"
SCISSORS = "# ------------------------ >8 ------------------------\n"


def test_a_trailer_as_it_is_written() -> None:
    assert trailer("PROP-014", "allow_cite", NOW) + "\n" == ONE


@given(
    st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,20}", fullmatch=True),
    st.sampled_from(["allow_cite", "reject:unnamed", "reject:not_environment"]),
    st.integers(0, 4_000_000_000),
)
def test_what_is_written_is_what_is_read(property_id: str, decision: str, now: int) -> None:
    name, _, value = trailer(property_id, decision, now).partition(": ")
    found = recorded(value)
    assert name == TRAILER
    assert found is not None
    assert (found.property_id, found.decision, parse_instant(found.now)) == (property_id, decision, now)
    assert without_decisions(f"Fix\n\n{name}: {value}\n".encode()) == b"Fix\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("P allow_cite now=2026-10-11T00:00:00Z", Recorded("P", "allow_cite", "2026-10-11T00:00:00Z")),
        (" P reject:window now=2026-10-11T00:00:00Z\r", Recorded("P", "reject:window", "2026-10-11T00:00:00Z")),
        ("P allow_cite", None),
        ("P allow_cite now=2026-10-11", None),
        ("P allow_cite now=2026-10-11T00:00:00Z and more", None),
        ("P allow_all now=2026-10-11T00:00:00Z", None),
        ("1P allow_cite now=2026-10-11T00:00:00Z", None),
        ("", None),
    ],
)
def test_anything_else_is_somebodys_text(value: str, expected: Recorded | None) -> None:
    assert recorded(value) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("Fix\n", "Fix\n"),
        (f"Fix\n\n{ONE}", "Fix\n"),
        (f"Fix\n\n{ONE}{TWO}", "Fix\n"),
        (f"Fix\n\n{ONE[:-1]}", "Fix\n\n"),
        (f"Fix\r\n\r\n{ONE[:-1]}\r\n", "Fix\r\n"),
        (f"Fix\n\nSigned-off-by: A <a@b>\n{ONE}", "Fix\n\nSigned-off-by: A <a@b>\n"),
        (f"Fix\n\n{ONE}Signed-off-by: A <a@b>\n", "Fix\n\nSigned-off-by: A <a@b>\n"),
        (f"One\n\n{ONE}\nTwo\n\n{TWO}\n# rebase\n", "One\n\nTwo\n\n# rebase\n"),
        (f"Fix\n\n{ONE}# comment\n", "Fix\n\n# comment\n"),
        (f"Fix\n\n    {ONE}> {ONE}", f"Fix\n\n    {ONE}> {ONE}"),
        (f"Fix\n\n{ONE[:-1]} or so\n", f"Fix\n\n{ONE[:-1]} or so\n"),
        (f"Fix\n{SCISSORS}{ONE}", f"Fix\n{SCISSORS}{ONE}"),
        (f"Fix\n\n{TWO}{SCISSORS}{ONE}", f"Fix\n{SCISSORS}{ONE}"),
    ],
)
def test_recorded_decisions_go_and_every_other_byte_stays(before: str, after: str) -> None:
    assert without_decisions(before.encode()) == after.encode()


@given(st.lists(st.sampled_from([ONE, TWO, "Fix\n", "\n", "# c\n", SCISSORS, "\r\n", "x: y\n", ONE[:-1], "\xff"])))
def test_once_taken_out_nothing_is_left_to_take_out(parts: list[str]) -> None:
    once = without_decisions("".join(parts).encode())
    assert without_decisions(once) == once


@pytest.mark.parametrize(
    "part", ["\n", ONE, f"\n{ONE}", "Freeze-Decision: ", "Freeze-Decision: P allow_cite now=\n", SCISSORS[:-1]]
)
def test_a_large_message_takes_linear_time(part: str) -> None:
    assert_linear(lambda size: partial(without_decisions, part.encode() * (size // len(part))), 1_000_000)


@pytest.mark.parametrize(
    ("message", "configured", "expected"),
    [
        ("", [], None),
        ("Fix\n", [], None),
        ("\n# Please\n#\n", [], "#"),
        ("#1 is fixed\n\n; Please\n;\n\n", [], ";"),
        ("Fix\n\n// Please\n", ["//"], "//"),
        ("Fix\n\n% Please\n", ["#"], "%"),
        (f"Fix\n\n# P\n{SCISSORS}diff --git a/x b/x\n+x\n", [], "#"),
        (f"Fix\n{SCISSORS.replace('#', '//')}+x\n", [], "//"),
    ],
)
def test_what_begins_a_comment(message: str, configured: list[str], expected: str | None) -> None:
    assert comment_start(message.encode(), configured) == expected


@pytest.mark.parametrize(
    ("message", "comment", "expected"),
    [
        ("", None, True),
        (" \n\r\n\n", None, True),
        ("# Please\n", "#", True),
        ("# Please\n", None, False),
        (f"\n{SCISSORS}diff\n", "#", True),
        ("\n;\n", "#", False),
        ("\nx\n# Please\n", "#", False),
    ],
)
def test_a_message_without_text_of_its_own(message: str, comment: str | None, expected: bool) -> None:
    assert is_blank(message.encode(), comment) is expected


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        ("", "# hint\n"),
        ("# Please\n#\n", "# hint\n# Please\n#\n"),
        ("\n# Please\n", "\n# hint\n# Please\n"),
        (f"# Please\n{SCISSORS}+x\n", f"# hint\n# Please\n{SCISSORS}+x\n"),
        (f"{SCISSORS}# Please\n+{ONE}", f"{SCISSORS}# hint\n# Please\n+{ONE}"),
    ],
)
def test_a_comment_stands_where_somebody_strips_it(below: str, expected: str) -> None:
    head = f"\n\n{TWO}{ONE}"
    assert with_comment((head + below).encode(), ONE[:-1], "#", "hint") == (head + expected).encode()
