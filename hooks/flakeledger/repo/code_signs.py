"""The tables of `repo/languages.py` as regular expressions, for `repo/code_text.py`.

Invariants:
* One expression finds the next sign of a language; the name of the group that matched says which sign it is.
* Every expression is linear: repeated choices are possessive, and their branches begin with different characters.
* A table is compiled once. What a stranger chose (the mark of a raw string) is never compiled, except one bracket or
  quote out of a handful.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from flakeledger.repo.languages import HEREDOC, Language, Quote


class Signs(NamedTuple):
    """A language as two expressions, for code outside of strings and inside of one; what a group of them means.

    A string without marks and holes is matched as a whole, and its words are a group of their own.
    """

    outside: re.Pattern[str]
    inside: re.Pattern[str]
    quotes: dict[str, Quote]
    blocks: dict[str, tuple[str, str, bool]]
    whole: frozenset[str]
    marked: frozenset[str]


@functools.cache
def signs_of(language: Language) -> Signs:
    """The signs of a language, compiled once a run and only when a text of that language is read."""
    branches: list[str] = []
    quotes: dict[str, Quote] = {}
    blocks: dict[str, tuple[str, str, bool]] = {}
    whole = set()
    for block in language.block_comments:
        group = f"sign{len(branches)}"
        blocks[group] = block
        branches.append(f"(?P<{group}>{_marked(block[0], group)})")
    for quote in language.strings:
        group = f"sign{len(branches)}"
        quotes[group] = quote
        branches.append(f"(?P<{group}>{_marked(quote.opens, group)})")
        if not quote.closes:
            whole.add(group)
            branches[-1] = f"(?P<{group}>{quote.opens}(?P<{group}words>))"
        elif quote.closes != HEREDOC and not quote.hole and "MARK" not in quote.closes:
            whole.add(group)
            words = _words(quote.closes, quote.escape, quote.lines, "")
            branches[-1] = f"(?P<{group}>(?:{quote.opens})(?P<{group}words>{words})(?:{re.escape(quote.closes)})?)"
    if language.line_comments:
        branches.append(f"(?P<line>{'|'.join(language.line_comments)})")
    if language.regexes:  # a slash right behind a value divides, and `</` closes an element
        branches.append(r"""(?P<regex>(?<![\w)\]}<"'`])/)""")
    outside = re.compile("|".join(branches))
    inside = re.compile("|".join([*branches, "(?P<bracket>[(){}])", r"(?P<break>\n)"]))
    marked = frozenset(group.removesuffix("mark") for group in outside.groupindex if group.endswith("mark"))
    return Signs(outside, inside, quotes, blocks, frozenset(whole), marked)


def _marked(opens: str, group: str) -> str:
    return opens.replace("?P<mark>", f"?P<{group}mark>")


@functools.cache
def _words(closes: str, escape: str, lines: bool, hole: str) -> str:
    """Words of a string up to what closes it, a hole or the line's end; possessive, so linear."""
    stops = [closes, *([hole] if hole else []), *([] if lines else ["\n"])]
    firsts = "".join(sorted({stop[0] for stop in stops} | set("\\\"'`{#([<")))
    plain = [f"[^{re.escape(firsts)}]++", *([escape] if escape else [])]
    ends = "|".join(re.escape(stop) for stop in stops)
    return rf"(?:{'|'.join(plain)}|(?!{ends})[\s\S])*+"


@functools.cache
def words_of(closes: str, escape: str, lines: bool, hole: str) -> re.Pattern[str]:
    """What matches the words of a string whose sign was met: they end before `closes`, a hole or the line's end."""
    return re.compile(_words(closes, escape, lines, hole))


@functools.cache
def nesting(opens: str, closes: str) -> re.Pattern[str]:
    """What matches the signs of a comment that nests."""
    return re.compile(f"{opens}|{re.escape(closes)}")
