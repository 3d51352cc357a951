"""A ledger is cut into rows and what stands between; an edit that did something else is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.store.ledger_text import LedgerText, Piece, Values, cut, proven, ruamel_agrees

STYLED = sorted((Path(__file__).parent / "styled").glob("*.yaml"))
TEXT = "# head\n- test: a\n  # in a\n  owner: x\n\n# between\n- test: b\n  owner: y\n# foot\n"


def test_the_pieces_joined_are_the_text() -> None:
    for file in STYLED:
        path = {"freezes": FREEZES, "fixtures": FIXTURES}.get(file.name.partition("-")[0], PROPERTIES)
        assert cut(file.read_bytes(), path).data() == file.read_bytes()


def test_what_is_whose() -> None:
    text = cut(TEXT.encode(), FREEZES)
    assert text.head == "# head\n"
    assert [piece.own for piece in text.pieces] == [
        "- test: a\n  # in a\n  owner: x\n",
        "- test: b\n  owner: y\n",
    ]
    assert [piece.tail for piece in text.pieces] == ["\n# between\n", "# foot\n"]
    assert text.keys == ["a", "b"]
    assert [text.line_of(number) for number in (0, 1)] == [2, 7]


def test_rows_that_are_known_are_not_parsed_again() -> None:
    known: dict[str, object] = {}
    cut(TEXT.encode(), FREEZES, known)  # type: ignore[arg-type]  # only the keys are looked at
    before = dict(known)
    cut(b"# moved\n" + TEXT.encode(), FREEZES, known)  # type: ignore[arg-type]  # as above
    assert known == before


CUT = cut(TEXT.encode(), FREEZES)


def with_first(own: str) -> LedgerText:
    """The text with another first row, which is said to hold what the old one held."""
    return CUT._replace(pieces=(CUT.pieces[0]._replace(own=own), CUT.pieces[1]))


@pytest.mark.parametrize(
    ("after", "edited", "problem"),
    [
        (with_first("- test: a\n  # in a\n  owner: z\n"), {0: {"test": "a", "owner": "x"}}, "other rows than intended"),
        (with_first("- test: a\n  # in a\n  owner: @z\n"), {0: {"test": "a", "owner": "@z"}}, "could not be read"),
        (with_first("- test: a\n  # in a\n  owner: |+\n    x\n"), {0: {"test": "a", "owner": "x\n"}}, "other rows"),
        (with_first("- test: a\n  owner: x\n"), {0: {"test": "a", "owner": "x"}}, "a comment would be lost"),
        (with_first("- test: a\n  # in a\n  owner: x # new\n"), {0: {"test": "a", "owner": "x"}}, "a comment would"),
        (with_first("- test: a\n  # in a\n  owner: x\n  # more\n"), {0: {"test": "a", "owner": "x"}}, "the lines of"),
        (CUT._replace(head=""), {}, "a comment would be lost"),
        (CUT._replace(pieces=CUT.pieces[::-1]), {0: {"test": "a", "owner": "x"}}, "other rows than intended"),
    ],
)
def test_another_edit_than_intended_is_refused(
    after: LedgerText, edited: dict[int, dict[str, object]], problem: str
) -> None:
    with pytest.raises(CannotTell, match=problem) as refused:
        proven(CUT, after, edited, (), {}, "by hand")  # type: ignore[arg-type]  # texts are values
    assert refused.value.fix == "by hand"


def test_a_comment_goes_only_if_it_may() -> None:
    after = with_first("- test: a\n  owner: x\n")
    assert proven(CUT, after, {0: {"test": "a", "owner": "x"}}, ["# in a"], {}, "") == after.data()


def test_ruamel_has_a_say() -> None:
    values: Values = {"a": "0123", "b": None, "c": ["~", "x"], "d": {"e": None}}
    assert ruamel_agrees(Piece("- a: 0123\n  b:\n  c: [~, x]\n  d: {e: }\n", "", values))
    assert not ruamel_agrees(Piece("- a: 1\n", "", {"a": "2"}))
    assert not ruamel_agrees(Piece("- a: @b\n", "", {"a": "@b"}))
