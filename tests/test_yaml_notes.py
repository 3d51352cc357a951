"""What is noted of a YAML text while its events are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flakeledger.model.findings import MOST_TOLD
from flakeledger.store.mistakes import Mistake, Spot
from flakeledger.store.yaml_notes import Notes, UnreadableError, key_of, last_line, text_of
from flakeledger.store.yaml_parser import start


def scalars(text: str) -> list[Any]:
    """The events of a text that are scalars."""
    get = start(text)
    events = []
    while type(event := get()).__name__ != "StreamEndEvent":
        events.append(event)
    return [event for event in events if type(event).__name__ == "ScalarEvent"]


def said(notes: Notes) -> list[tuple[int, int, str]]:
    return [(found.line, found.column, found.rule) for found in notes.findings]


@pytest.mark.parametrize(
    ("text", "expected", "findings"),
    [
        ("a: b", "b", []),
        ("a: no", "no", []),
        ("a: 1.5", "1.5", []),
        ("a: ''", "", []),
        ("a:", None, []),
        ("a: |\n  b\n", "b\n", []),
        ("a: &x b", "b", [(11, 4, "yaml-forbidden")]),
        ("a: !!str b", "b", [(11, 4, "yaml-forbidden")]),
        ("a: b\n  c", "b c", [(12, 3, "yaml-forbidden")]),
    ],
)
def test_a_scalar_is_text(text: str, expected: str | None, findings: list[tuple[int, int, str]]) -> None:
    notes = Notes(text, 11, "f")
    assert text_of(scalars(text)[1], notes) == expected
    assert said(notes) == findings


def test_a_block_that_starts_with_blanks_is_refused_whatever_the_parser_makes_of_it() -> None:
    notes = Notes("a: |\n  \n  b\n", 11, "f")
    text_of(scalars("a: |\n  \n  b\n")[1], notes)
    assert said(notes) == [(12, 1, "yaml-forbidden")]


@pytest.mark.parametrize(
    ("text", "indent", "refused", "findings"),
    [
        ("a: b", 0, False, []),
        ('"a": b', 0, False, []),
        ("{a: b}", None, False, []),
        ("? a\n: b", 0, False, [(1, 3, "yaml-forbidden")]),
        ("<<: b", 0, True, [(1, 1, "yaml-forbidden")]),
        ("? |\n  a\n: b", 0, True, [(1, 3, "yaml-forbidden")]),
        ("&x a: b", 0, False, [(1, 1, "yaml-forbidden")]),
    ],
)
def test_a_key_is_a_plain_word(
    text: str, indent: int | None, refused: bool, findings: list[tuple[int, int, str]]
) -> None:
    notes = Notes(text, 1, "f")
    key = scalars(text)[0]
    if refused:
        with pytest.raises(UnreadableError):
            key_of(key, indent, notes)
    else:
        assert key_of(key, indent, notes) == "a"
    assert said(notes) == findings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: b\nc: d", 0),
        ("a: 'b\n  c'\nd: e", 1),
        ("a: |\n  b\n  c\nd: e", 2),
        ("a: |\n  b\n\n\nd: e", 1),
        ("a: |+\n  b\n\n\nd: e", 3),
        ("a: |\nd: e", 0),
        ("a: |  # +\n  b\n\nd: e", 1),
    ],
)
def test_the_last_line_of_a_scalar(text: str, expected: int) -> None:
    assert last_line(scalars(text)[1], Notes(text, 0, "f")) == expected


def test_a_line_that_is_no_yaml_is_one_mistake() -> None:
    notes = Notes("a: b\nc\n", 5, "f")
    notes.say(Spot(0, 1), "yaml-forbidden", "first", "fix")
    notes.say(Spot(1, 1), "yaml-forbidden", "second", "fix")
    notes.mistake(Mistake(Spot(1, 2), "no YAML", "fix"))
    assert said(notes) == [(5, 1, "yaml-forbidden"), (6, 2, "yaml-syntax")]


def test_what_the_parser_puts_behind_the_text_stands_on_its_last_line() -> None:
    notes = Notes("a: b", 5, "f")
    notes.say(Spot(1, 1), "yaml-forbidden", "at the end", "fix")
    assert said(notes) == [(5, 1, "yaml-forbidden")]


@pytest.mark.parametrize("say", [Notes.forbid, Notes.refuse])
def test_of_very_many_findings_the_rest_is_not_told(say: Callable[..., object]) -> None:
    notes = Notes("a: b", 1, "f")
    event = scalars("a: b")[0]
    for _ in range(MOST_TOLD):
        notes.forbid(event, "message", "fix")
    assert len(notes.findings) == MOST_TOLD
    with pytest.raises(UnreadableError):
        say(notes, event, "message", "fix")
    assert (notes.whole, len(notes.findings)) == (False, MOST_TOLD + 1)
    assert "from here on the file was not read" in notes.findings[-1].message
