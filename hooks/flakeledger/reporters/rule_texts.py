"""What each rule means, why it is there and how a finding is repaired: the page of the rules, packaged with the code.

Invariants:
* The page is the only source: a rule is explained in one place, to people and to services.
* Links lead somewhere also outside of the page: in Markdown they are whole addresses, in plain text they are words.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import NamedTuple

from flakeledger import __version__

#: where the project's pages are; the pages name the same address
PROJECT = "https://example.org/flakeledger"
_PAGES = f"{PROJECT}/blob/v{__version__}/docs"
_PAGE = "rules.md"
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_PART = re.compile(r"^\*\*(\w+)\.\*\*\s", re.MULTILINE)
#: up to the first full stop or colon that is no code
_SENTENCE = re.compile(r"(?:`[^`]*`|[^`])+?(?=[.:](?: |$))")
_LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\s]+)\)")
#: the parts of an entry that help; its example is about the page's own shop
_HELPFUL = ("Means", "Why", "Fix")


class RuleText(NamedTuple):
    """One rule: a sentence, what it means, both with the why and the fix in plain text and Markdown, its address."""

    sentence: str
    meaning: str
    help_text: str
    help_markdown: str
    address: str


def rule_texts() -> dict[str, RuleText]:
    """The text of every rule that the page has, by name."""
    page = (files("flakeledger.docs") / _PAGE).read_text(encoding="utf-8")
    _, *parts = _HEADING.split(page)
    return {name: _rule_text(name, entry) for name, entry in zip(parts[::2], parts[1::2], strict=True)}


def _rule_text(name: str, entry: str) -> RuleText:
    _, *split = _PART.split(entry)
    parts = {label: text.strip() for label, text in zip(split[::2], split[1::2], strict=True)}
    meaning = " ".join(_plain(parts["Means"]).split())
    helpful = [(label, parts[label]) for label in _HELPFUL]
    return RuleText(
        sentence=_first_sentence(meaning),
        meaning=meaning,
        help_text="\n\n".join(f"{label}: {_plain(text)}" for label, text in helpful),
        help_markdown="\n\n".join(f"**{label}.** {_LINK.sub(_whole, text)}" for label, text in helpful),
        address=f"{_PAGES}/{_PAGE}#{name}",
    )


def _first_sentence(meaning: str) -> str:
    found = _SENTENCE.match(meaning)
    return f"{found[0]}." if found else meaning


def _plain(markdown: str) -> str:
    return _LINK.sub(r"\1", markdown)


def _whole(link: re.Match[str]) -> str:
    """A link with its address in full."""
    words, target = link.groups()
    if target.startswith("https://"):
        return link[0]
    return f"[{words}]({_PAGES}/{_PAGE if target.startswith('#') else ''}{target})"
