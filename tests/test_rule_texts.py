"""The texts of the rules, as reports give them to services."""

from __future__ import annotations

import re

import pytest

from flakeledger import __version__
from flakeledger.reporters.rule_texts import PROJECT, RuleText, rule_texts
from flakeledger.rules.table import RULE_NAMES
from pages import ROOT, sections

TEXTS = rule_texts()


def test_every_rule_has_a_text() -> None:
    assert tuple(TEXTS) == RULE_NAMES


@pytest.mark.parametrize(("name", "text"), TEXTS.items(), ids=list(TEXTS))
def test_a_text_is_whole_sentences_without_the_example(name: str, text: RuleText) -> None:
    assert re.fullmatch(r"[A-Z`f][^\n]*[^.]\.", text.sentence)
    assert text.sentence.count("`") % 2 == 0
    assert text.meaning.startswith(text.sentence[:-1])
    for part in (text.help_text, text.help_markdown):
        assert [part.count(f"{label}") >= 1 for label in ("Means", "Why", "Fix")] == [True] * 3
        assert "Example" not in part
        assert "```diff" not in part
    assert "](" not in text.help_text
    assert text.address.endswith(f"/docs/rules.md#{name}")


def test_links_are_whole_and_lead_to_pages_that_there_are() -> None:
    targets = {target for text in TEXTS.values() for target in re.findall(r"\]\(([^)]+)\)", text.help_markdown)} | {
        text.address for text in TEXTS.values()
    }
    start = f"{PROJECT}/blob/v{__version__}/docs/"
    assert len(targets) > len(TEXTS)
    for target in targets:
        assert target.startswith(start)
        assert (ROOT / "docs" / target.removeprefix(start).partition("#")[0]).is_file()


def test_the_text_is_that_of_the_page() -> None:
    entry = " ".join(sections(ROOT / "docs" / "rules.md")["freeze-expired"].split())
    text = TEXTS["freeze-expired"]
    assert (text.sentence, text.meaning) == (
        "The window is over.",
        "The window is over. The message names the owner.",
    )
    assert all(" ".join(part.split()) in entry for part in text.help_markdown.split("\n\n"))


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("fixture-contract", "but the file has no canonical form, lacks `schema`, or names a run."),
        ("freeze-unowned", "The freeze names nobody."),
        ("replay-malformed", "A line of the replay log is no JSON object of the form that Formats describes."),
    ],
)
def test_the_sentence_ends_at_a_stop_that_is_no_code(rule: str, sentence: str) -> None:
    assert TEXTS[rule].sentence.endswith(sentence)
