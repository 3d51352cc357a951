"""Text from files in Markdown: two renderers show it as it is, and make nothing of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.reporters.escape import escape_text
from flakeledger.reporters.markdown import code, cut, fenced, indented, prose, table_row
from rendered import HOSTILE, RENDERERS, assert_plain


@pytest.mark.parametrize("renderer", RENDERERS)
@given(text=HOSTILE)
def test_a_span_shows_the_text_and_nothing_else(renderer: str, text: str) -> None:
    page = RENDERERS[renderer](f"a {code(text)} b")
    assert page.code == ([escape_text(text)] if text else [])
    assert page.tags <= {"p", "code"}
    assert page.outside.split() == ["a", "b"]


@pytest.mark.parametrize("renderer", RENDERERS)
@given(texts=st.lists(HOSTILE, min_size=1, max_size=4))
def test_a_row_of_a_table_keeps_its_cells(renderer: str, texts: list[str]) -> None:
    heads = ["h"] * len(texts)
    table = table_row(heads) + table_row(["---"] * len(texts)) + table_row([code(text) for text in texts])
    page = RENDERERS[renderer](table)
    # behind a backslash a pipe is shown as its escape
    shown = [escape_text(text).replace("\\|", "\\\\x7c") for text in texts]
    assert page.rows == [heads, shown]
    assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "code"}


@pytest.mark.parametrize("renderer", RENDERERS)
@given(text=HOSTILE)
def test_a_block_shows_every_line_also_in_an_item_of_a_list(renderer: str, text: str) -> None:
    lines = "".join(f"{escape_text(line)}\n" for line in text.split("\n"))
    for markdown in (fenced(text, "text"), f"- item\n\n{indented(fenced(text, 'text'))}"):
        page = RENDERERS[renderer](markdown)
        assert page.code == [lines]
        assert page.tags <= {"ul", "li", "p", "pre", "code"}


@pytest.mark.parametrize("renderer", RENDERERS)
@given(text=HOSTILE)
def test_a_sentence_makes_nothing_but_words_and_code(renderer: str, text: str) -> None:
    for sentence in (text, f"the freeze of {text} ends", f"the freeze of `{text}` ends"):
        page = RENDERERS[renderer](f"- {prose(f'Note: {sentence}')}")
        assert page.tags <= {"ul", "li", "code"}
        assert_plain(page)
        assert _bare(page.text) == _bare(f"Note: {escape_text(' '.join(sentence.split()))}")


def _bare(text: str) -> str:
    """What is left of a text that may have lost blanks and backquotes, which say where code begins."""
    return re.sub(r"\s|`|\\[nrt]|\\x[01][0-9a-f]|\\x85|\\u202[89]", "", text)


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("", ""),
        ("the window grows from 2026-03-10 to no end", "the window grows from 2026-03-10 to no end"),
        ("18 of 20 passed, failing 10.0 % (at most 28.3 %)", "18 of 20 passed, failing 10.0 % (at most 28.3 %)"),
        ("`frozen_on` of tests/a.py::test_b changed", "`frozen_on` of `tests/a.py::test_b` changed"),
        ("edits tests/a.py: the replays", "edits `tests/a.py`: the replays"),
        ("changed (tests/a.py, tests/b.py)", "changed (`tests/a.py, tests/b.py`)"),
        ("ended at 2026-03-10T00:00:00Z; @finley owns it", "ended at `2026-03-10T00:00:00Z`; `@finley` owns it"),
        ("tests/a.py::test_b: tests/a.py has no test", "`tests/a.py::test_b`: `tests/a.py` has no test"),
        ("recorded from: local-fixture", "recorded from: local-fixture"),
        ("by `a`b` and `", "by `` `a`b` `` and `` ` ``"),
        ("@finley owns it", "`@finley` owns it"),
        ("see GH-1 and deadbeef and 1234567", "see `GH-1` and `deadbeef` and `1234567`"),
        ("a www.x.example b", "a `www.x.example` b"),
        ("(", "`(`"),
        (",", "`,`"),
    ],
)
def test_words_stay_words(sentence: str, shown: str) -> None:
    assert prose(sentence) == shown


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("number", [19, 20, 79, 80, 81, 254, 255, 256, 1000])
def test_runs_of_backquotes_close_nothing(renderer: str, number: int) -> None:
    run = "`" * number
    shown = run if number < 20 else r"\x60" * number
    markdown = "\n\n".join([code(run + "<b>"), fenced(run + "\n<b>"), prose(run + "<b>")])
    page = RENDERERS[renderer](markdown)
    assert page.code == [f"{shown}<b>", f"{shown}\n<b>\n", f"{shown}<b>"]
    assert "b" not in page.tags


@pytest.mark.parametrize(("text", "shown"), [("", ""), ("abc", "abc"), ("abcd", "abc…"), ("éééé", "ééé…")])
def test_a_long_text_is_cut_at_a_character(text: str, shown: str) -> None:
    assert cut(text, 3) == shown


@pytest.mark.parametrize("character", ["`", "` ", "(", ",", "\\|", "a`", "``` "])
def test_long_texts_take_linear_time(character: str) -> None:
    text = character * 50_000
    assert len(prose(text)) <= 5 * len(text)
    assert table_row([code(text)]).count("\n") == 1
