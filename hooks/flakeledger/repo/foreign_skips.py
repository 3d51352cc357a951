"""Unconditional skips in code that is not Python, and deselections in the files that run pytest.

Invariants:
* Any bytes give an answer, in time linear in their number; what only a grammar can tell is not seen.
* Comments and the insides of strings are no code. Deselections are read from strings too: there options are written.
* What stands under a condition, in its function or under `#if`, is no skip; a condition that is a constant is none.
* A file of no known language has no skips. Of one with very many places, the rest is one skip of kind "unread".
"""

from __future__ import annotations

import functools
import heapq
import re
from collections.abc import Callable, Iterator
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from flakeledger.repo.code_blocks import FARTHEST
from flakeledger.repo.code_text import without_comments
from flakeledger.repo.languages import Language, language_of
from flakeledger.repo.script_skips import READERS as SCRIPT_READERS
from flakeledger.repo.script_skips import Found
from flakeledger.repo.skip import MOST_PLACES, Skip, SkipKind, unread
from flakeledger.repo.skip_patterns import CANDIDATE_WORDS, PATTERNS, Pattern
from flakeledger.repo.skip_places import Code

_SCRIPTS = frozenset({"javascript", "component"})
_RUNNERS = frozenset({"ini", "toml", "yaml", "shell", "make", "dockerfile", "cmake", "powershell", "groovy"})
#: of those, the ones that know conditions
_SCRIPTED = frozenset({"shell", "powershell", "groovy"})
_DESELECT = re.compile(
    r"(?<![\w-])(?P<name>--deselect)(?:=|[ \t]++\\?+\s*+|[\"'],\s*+(?=[\"']))"
    r"(?:\"(?P<double>[^\"\n]{1,500})\"|'(?P<single>[^'\n]{1,500})'|(?P<plain>[^\s\"',\\\]]{1,500}))"
)
_POSTFIX = re.compile(r"[^\n;]*?\b(?:if|unless)\b")
_ASSIGNED = re.compile(r"\s*+(?:[-+|&*/]?=(?!=)|\.|,)")
_EXAMPLE = re.compile(
    r"\s*+(?:[\w.]{1,80}\.)?(?:f|x)?(?:it|specify|example|scenario|feature|describe|context|test|its|should|it_behaves_like)\b"
)
_OPTIONS_OF = re.compile(
    r"\b(?:test|group|testWidgets|testGoldens|patrolTest|blocTest|testWithGame|\w+Test)\s*(?:<[^<>]*>)?\Z"
)
_TRAIT_OF = re.compile(r"@(?:Test|Suite)\s*\Z")
_PEST = re.compile(r"(?<![\w>$:])(?:it|test|describe|arch|todo)\s*\Z")
_CATCH = re.compile(r"\b(?:(?:[A-Z]{1,20}_){0,3}TEST_CASE(?:_[A-Z]{1,20}){0,3}|SCENARIO|SCENARIO_METHOD)\s*\(")
_CATCH_TAGS = re.compile(r"\[(!mayfail|!shouldfail|!hide|\.[^\]\n]{0,80})\]")


#: says which skips begin where a pattern matches
_Read = Callable[[Code, re.Match[str]], Iterator[Found]]


class _Place(NamedTuple):
    """Where a skip may begin, and who says whether one does."""

    match: re.Match[str]
    read: _Read


def foreign_skips(path: str, data: bytes) -> list[Skip]:
    """The unconditional skips of a file that is not Python, in source order; [] where its language is not known."""
    language = language_of(path)
    if language is None or not CANDIDATE_WORDS.search(data):
        return []
    # a carriage return alone ends a line too, in most languages a comment with it
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    code = Code(path, text, language)
    places = heapq.merge(*_readers(code, language), key=_beginning)
    found = [each for place in islice(places, MOST_PLACES) for each in place.read(code, place.match)]
    placed = {each.start: each for each in reversed(found)}
    skips = [_placed(code, each) for _, each in sorted(placed.items())]
    further = next(places, None)
    return skips if further is None else [*skips, unread(code.line(further.match.start()), code.line(len(text)))]


def _readers(code: Code, language: Language) -> list[Iterator[_Place]]:
    """The places that may hold a skip, pattern by pattern, each in the order of the text."""
    readers: list[tuple[re.Pattern[str], _Read, str]] = []
    for pattern, written in _compiled(language.name):
        readers.append((written, functools.partial(_by_pattern, pattern), code.bare))
    if language.name == "c":
        readers.append((_CATCH, _catch_tags, code.bare))
    if language.name in _SCRIPTS:
        readers += [(written, read, code.bare) for written, read in SCRIPT_READERS]
    if language.name in _RUNNERS:
        readers.append((_DESELECT, _deselection, without_comments(code.text, language)))
    return [_places(written, read, text) for written, read, text in readers]


def _places(written: re.Pattern[str], read: _Read, text: str) -> Iterator[_Place]:
    return (_Place(match, read) for match in written.finditer(text))


def _beginning(place: _Place) -> int:
    return place.match.start()


def _placed(code: Code, each: Found) -> Skip:
    start = code.skip_spaces(each.start)
    last = code.line(max(start, each.end - 1))
    return Skip(each.kind, each.name, each.test, code.line(start), last, code.column(start), each.reason)


def _by_pattern(pattern: Pattern, code: Code, match: re.Match[str]) -> Iterator[Found]:
    if _counts(code, pattern, match):
        yield _found(code, pattern, match)


@functools.cache
def _compiled(language: str) -> tuple[tuple[Pattern, re.Pattern[str]], ...]:
    return tuple((pattern, re.compile(pattern.written)) for pattern in PATTERNS.get(language, ()))


def _counts(code: Code, pattern: Pattern, match: re.Match[str]) -> bool:
    """Whether the place has the company that the pattern demands, and no condition decides about it."""
    start = _start(match)
    if pattern.demands and not _DEMANDS[pattern.demands](code, match):
        return False
    if pattern.under == "directive":
        return not code.blocks.in_directive(start)
    if code.blocks.is_conditional(start) or code.line_of(start).startswith("#"):
        return False
    return pattern.under == "block" or not code.blocks.may_be_left_before(start)


def _start(match: re.Match[str]) -> int:
    """Where the skip begins: the signs before its name count, what merely stands before it does not."""
    return match.start("name") if "name" in match.re.groupindex and match[0][0] in ",( \t\r\n" else match.start()


def _found(code: Code, pattern: Pattern, match: re.Match[str]) -> Found:
    has_name = "name" in match.re.groupindex
    start = _start(match)
    opened = code.innermost(start) if "{callee}" in pattern.shown else -1
    callee = code.blocks.word_before(opened) if opened >= 0 else ""
    name = pattern.shown.format(name="".join(match["name"].split()) if has_name else "", callee=callee)
    behind = code.skip_spaces(match.end("name") if has_name else match.end())
    sign = code.bare[behind : behind + 1]
    end = max(match.end(), start + 1)
    if sign == "(" and pattern.names == "declared":
        end = max(end, code.after(behind))
    reason = ""
    if pattern.names != "title":
        reason = code.string(behind if sign == '"' else behind + 1) or ""
    return Found(pattern.kind, name, _test(code, pattern, match, behind, end), start, end, reason)


def _test(code: Code, pattern: Pattern, match: re.Match[str], behind: int, end: int) -> str:
    """The test that a skip takes out."""
    if pattern.names == "group":
        return ".".join("".join(match["test"].split()).split(","))
    if pattern.names == "declared":
        return code.declared_after(_behind_list(code, match, end))
    if pattern.names == "before":
        return _title_before(code, match.start())
    if pattern.demands in ("options", "trait"):
        opened = code.innermost(match.start("name"))
        title = code.string(opened + 1)
        return title or (code.declared_after(code.after(opened)) if pattern.demands == "trait" else "")
    if pattern.demands == "example":
        return code.string_in(_statement_start(code, match.start("name")), match.start("name"))
    if pattern.names == "title":
        at = behind + 1 if code.bare[behind : behind + 1] == "(" else behind
        return code.string(at) or code.string_in(match.start(), match.end())
    has_block = code.language == "ruby" and re.search(r"\bdo\s*\Z", code.line_of(match.start("name")).rstrip())
    return (code.string(behind) or "") if has_block else code.test_around(match.start("name"))


def _behind_list(code: Code, match: re.Match[str], end: int) -> int:
    """Where an annotation ends, the brackets of its list included."""
    if code.language in ("csharp", "rust"):
        for opened in code.blocks.around(match.start("name")):
            if code.bare[opened] == "[":
                return code.after(opened)
    return end


def _title_before(code: Code, at: int) -> str:
    """The title that ends before a place, or that of the call, or of the chain of calls, which ends there."""
    for _ in range(8):
        before = code.bare[max(0, at - 200) : at].rstrip()
        end = max(0, at - 200) + len(before)
        if before.endswith('"'):
            return code.string_ending(end)
        opened = code.blocks.partners.get(end - 1, -1) if before.endswith(")") else -1
        if opened < 0:
            return code.test_around(at)
        if title := code.string(opened + 1):
            return title
        chained = re.search(r"(?:->|\.)\s*\w*\s*\Z", code.bare[max(0, opened - 80) : opened])
        at = opened - len(chained[0]) if chained else opened
    return ""


def _is_attribute(code: Code, match: re.Match[str]) -> bool:
    """C#: in a list of attributes that stands before a class or a method, `SkipWhen` and `SkipUnless` left out."""
    around = code.blocks.around(match.start("name"))
    opened = next(around, -1)
    if opened >= 0 and code.bare[opened] == "(":
        if re.search(r"\bSkip(?:When|Unless)\b", code.bare[opened : min(code.after(opened), opened + 1000)]):
            return False
        opened = next(around, -1)
    if opened < 0 or code.bare[opened] != "[":
        return False
    before = code.bare[max(0, opened - 200) : opened].rstrip()
    begins = not before or before[-1] in "{};])" or before.rpartition("\n")[2].lstrip().startswith("#")
    return begins and bool(code.declared_after(code.after(opened)))


def _declares(code: Code, match: re.Match[str]) -> bool:
    behind = code.skip_spaces(match.end("name"))
    return bool(code.declared_after(code.after(behind) if code.bare[behind : behind + 1] == "(" else behind))


def _statement_start(code: Code, at: int) -> int:
    """Where the statement begins that goes on over lines ending in a comma."""
    start = _line_start(code, at)
    for _ in range(8):
        before = code.bare[max(0, start - 200) : start].rstrip()
        if not start or not before.endswith((",", "(")):
            break
        start = _line_start(code, start - 1)
    return start


def _line_start(code: Code, at: int) -> int:
    """Where the line of a place begins, or a place in it that is far enough before."""
    farthest = max(0, at - FARTHEST)
    return max(farthest, code.bare.rfind("\n", farthest, at) + 1)


def _is_example(code: Code, match: re.Match[str]) -> bool:
    """Ruby: among the arguments of what declares an example or a group, with no condition behind the value."""
    start = _statement_start(code, match.start("name"))
    line = code.line_of(match.start("name"))
    return bool(_EXAMPLE.match(code.bare, start)) and not re.search(r"\b(?:if|unless)\b", line)


def _is_statement(code: Code, match: re.Match[str]) -> bool:
    """Ruby and bats: a statement of its own in a file of tests, with no condition behind it."""
    end = match.end("name")
    if code.language == "shell":
        return code.path.endswith(".bats")
    folders = code.path.split("/")
    is_test = re.search(r"(?:_spec|_test)\.rb\Z", code.path) or folders[-1].startswith("test_")
    if not is_test and not {"spec", "test", "tests"} & set(folders[:-1]):
        return False
    opened = code.skip_spaces(end)
    end = code.after(opened) if code.bare[opened : opened + 1] == "(" else end
    rest = code.bare[end : end + 400].split("\n", 1)[0]
    return not (_ASSIGNED.match(rest) or _POSTFIX.match(rest))


def _is_option(code: Code, match: re.Match[str]) -> bool:
    opened = code.innermost(match.start("name"))
    return opened >= 0 and bool(_OPTIONS_OF.search(code.bare[max(0, opened - 120) : opened]))


def _is_trait(code: Code, match: re.Match[str]) -> bool:
    opened = code.innermost(match.start("name"))
    return opened >= 0 and bool(_TRAIT_OF.search(code.bare[max(0, opened - 40) : opened]))


def _is_known_issue(code: Code, match: re.Match[str]) -> bool:
    """Swift: without a `when:`, a known issue is expected always."""
    at = code.skip_spaces(match.end("name"))
    if code.bare[at : at + 1] == "(":
        at = code.skip_spaces(code.after(at))
    return code.bare[at : at + 1] == "{" and not re.match(
        r"\s*when\s*:", code.bare[code.after(at) : code.after(at) + 80]
    )


def _is_pest(code: Code, match: re.Match[str]) -> bool:
    """PHP: chained to a call of Pest's `it`, `test` or `describe`."""
    at = match.start("name")
    for _ in range(8):
        before = code.bare[max(0, at - 200) : at].rstrip()
        opened = code.blocks.partners.get(max(0, at - 200) + len(before) - 1, -1) if before.endswith(")") else -1
        if opened < 0:
            return False
        if _PEST.search(code.bare[max(0, opened - 40) : opened]):
            return True
        chained = re.search(r"->\s*\w+\s*\Z", code.bare[max(0, opened - 80) : opened])
        if not chained:
            return False
        at = opened - len(chained[0])
    return False


_DEMANDS: MappingProxyType[str, Callable[[Code, re.Match[str]], bool]] = MappingProxyType(
    {
        "attribute": _is_attribute,
        "declares": _declares,
        "example": _is_example,
        "statement": _is_statement,
        "options": _is_option,
        "pest": _is_pest,
        "trait": _is_trait,
        "known_issue": _is_known_issue,
        "no_postfix": lambda code, match: not _POSTFIX.match(code.bare, match.end(), match.end() + FARTHEST),
        "catch": lambda code, _: code.holds(_CATCH),
    }
)


def _catch_tags(code: Code, match: re.Match[str]) -> Iterator[Found]:
    """Catch2 hides tests, and forgives them, by tags in the strings of their head."""
    strings = [first for first, _ in code.arguments(match.end() - 1)[:4] if code.bare[first] == '"']
    for at in strings[1:]:
        for tag in _CATCH_TAGS.findall(code.string(at) or ""):
            if not code.blocks.in_directive(at):
                kind: SkipKind = "xfail" if tag in ("!mayfail", "!shouldfail") else "skip"
                yield Found(kind, f"[{tag}]", code.string(strings[0]) or "", at, at + 1, "")


def _deselection(code: Code, match: re.Match[str]) -> Iterator[Found]:
    """`--deselect ID` wherever options for pytest may stand, in strings too."""
    if code.language not in _SCRIPTED or not code.blocks.is_conditional(match.start()):
        test = match["double"] or match["single"] or match["plain"]
        yield Found("deselect", "--deselect", test.strip(), match.start(), match.end(), "")
