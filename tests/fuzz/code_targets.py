"""Targets that are test code: modules of Python, citations and skips in any language, two versions compared.

Invariants:
* As in `targets.py`: a target ends in silence, or something was found.
"""

from __future__ import annotations

import json

from flakeledger.repo.citations import text_citations
from flakeledger.repo.foreign_skips import foreign_skips
from flakeledger.repo.languages import language_of
from flakeledger.repo.modules import facts_from_json, module_facts
from flakeledger.repo.oracles import oracle_changes
from flakeledger.repo.python_skip_patterns import pattern_skips
from flakeledger.repo.python_skips import python_skips
from flakeledger.repo.skip import Skip
from flakeledger.repo.skip_candidates import may_bring_skips
from flakeledger.repo.skip_matching import not_standing
from flakeledger.repo.skip_texts import SkipTexts
from fuzz.inputs import PATHS, has_plain_lines, texts_of


def _same_skips(found: list[Skip], again: list[Skip], what: str) -> None:
    assert [skip[:4] for skip in found] == [skip[:4] for skip in again], what


def python_module(data: bytes) -> None:
    """A module: its facts survive being kept, and line ends and a blank line below move none of them."""
    facts = module_facts(data)
    assert facts_from_json(json.loads(json.dumps(facts.to_json()))) == facts, "facts are kept as others"
    assert module_facts(data) == facts
    if has_plain_lines(data) and facts.problem is None:
        again = module_facts(data.replace(b"\n", b"\r\n"))
        assert (again.tests, again.citations) == (facts.tests, facts.citations), "line ends move facts"
    skips = python_skips(data)
    if has_plain_lines(data) and facts.problem is None:
        _same_skips(skips, python_skips(data.replace(b"\n", b"\r\n")), "line ends move skips")
    pattern_skips(data)
    oracle_changes(data, data)


def citations(data: bytes) -> None:
    """Comments of any language: every citation stands in the text; line ends move none."""
    path = PATHS[data[0] % len(PATHS)] if data else PATHS[0]
    language = language_of(path)
    if language is None:
        return
    text = data[1:].decode("utf-8", "replace")
    found = text_citations(text, language, unparsed="it is broken")
    lines = text.count("\n") + 1
    assert all(1 <= cited.place.line <= lines and cited.place.column >= 1 for cited in found), found
    assert all(bool(cited.problem) != bool(cited.property_id) for cited in found), found


def skips(data: bytes) -> None:
    """Skips of any other language: line ends move none, and each holds one of the words that are looked for first."""
    path, text = PATHS[data[0] % len(PATHS)] if data else PATHS[0], data[1:]
    found = foreign_skips(path, text)
    lines = text.count(b"\n") + text.count(b"\r") + 1
    assert all(1 <= skip.first <= skip.last <= lines + 1 for skip in found), found
    if has_plain_lines(text):
        _same_skips(found, foreign_skips(path, text.replace(b"\n", b"\r\n")), "line ends move skips")


def compared_skips(data: bytes) -> None:
    """Two versions of a test file: equal ones differ in nothing, and nothing is brought where nothing could be."""
    head, base = texts_of(data, 2)
    path = ("test_a.py", *PATHS)[head[0] % (1 + len(PATHS))] if head else "test_a.py"
    new = head[1:]
    texts, before = SkipTexts(path, new), SkipTexts(path, base)
    assert not not_standing(texts, SkipTexts(path, new)), "a file brings skips to itself"
    brought = not_standing(texts, before)
    for skip in brought:
        texts.own_text(skip)
        texts.nameless_text(skip)
    if brought and not any(skip.kind == "unread" for skip in brought):
        assert may_bring_skips(path, base, new), f"the first look misses {brought}"
