"""Source text of any language, as the patterns for skips ask about it: places, strings, arguments, names.

Invariants:
* Patterns see bare code; words are read from the text at the same place. Both have the same length.
* Names are what people would say: the title of a test, or the name of the function or class; "" where none is found.
* An answer looks at most `FARTHEST` characters back and `DECLARATION` characters ahead.
"""

from __future__ import annotations

import bisect
import re
from functools import cached_property

from flakeledger.repo.code_blocks import FARTHEST, INDENTED, Blocks
from flakeledger.repo.code_text import scan
from flakeledger.repo.languages import Language

#: how far behind an annotation the declaration is looked for; other annotations are jumped over
DECLARATION = 500
#: arguments of a call that are looked at, and the signs between and in them
MOST_ARGUMENTS = 8
MOST_SIGNS = 16
#: a title that is longer names nothing
LONGEST = 300

_SPACES = re.compile(r"\s*")
_ESCAPED = re.compile(r"\\(['\"`\\/])")
_SEPARATOR = re.compile(r"[,({\[)}\]]")
_OTHER_MARK = re.compile(r"\s*(?:@(?:[\w.]+:)?[\w.]+|#(?=\[)|(?=\[))")
_DECLARED = re.compile(
    r"\b(?:class|interface|object|trait|struct|record|enum|fun|func|fn|def|function|defmodule|describe|test|module|mod)"
    r"\s+(?:<[^<>]{0,80}>\s*)?(\"|[\w$.]+)"
    r"|([\w$]+)\s*(?:<[^<>(){}]{0,80}>\s*)?\("
)
#: What ends the head of a declaration: behind it, a name is no longer that of what is declared.
_BODY = re.compile(r"[({;=}]")
_DEFINED_ABOVE = re.compile(r"\s*(?:def|function)\s+([\w.?!:]+)")
_DEFINES = re.compile(
    r"\b(?:func|fun|fn|def|defp|function|sub)\s+(?:\([^()]{0,80}\)\s*)?(?:[\w$]+\.)?(\"|[\w$?!]+)[^;{}]*\Z"
)
_MACRO = re.compile(r"\b[A-Z][A-Z_0-9]*\s*\(([^()]{1,200})\)\s*\Z")
_MACRO_NAME = re.compile(r"\s*(\w+)\s*,")
_ANONYMOUS = re.compile(r"(?:\b(?:function|func|fn|fun|sub|delegate)\s*\*?\s*\([^()]*\)[^()=;{}]*|[=-]>\s*)\Z")
#: What may stand between the parameters of a method and its body.
_RESULT = re.compile(r"[\w\s.,<>?:\[\]&*|]*")
_TITLE_BEFORE = re.compile(r"\"\s*\"\s*(?:in|should|must|when|-|taggedAs[^\n]*)?\s*\Z")
_NAME = re.compile(r"[\w$.]+")
_NO_NAMES = frozenset(
    {"if", "for", "while", "switch", "catch", "when", "return", "using", "lock", "match", "synchronized"}
)


class Code:
    """One file. `text` is what it holds, `path` says where it lies."""

    def __init__(self, path: str, text: str, language: Language) -> None:
        """Reads comments and strings; brackets only when a pattern asks."""
        self.path = path
        self.text = text
        self.language = language.name
        found = scan(text, language)
        self.bare = found.bare
        self.strings = found.strings
        self._declared: dict[int, str] = {}
        self._held: dict[re.Pattern[str], bool] = {}

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks of the text."""
        return Blocks(self.bare, self.language)

    @cached_property
    def string_starts(self) -> dict[int, int]:
        """Where each string starts, by where its words end: at its last sign, where that is one."""
        return {end: start for start, (_, end) in self.strings.items()}

    @cached_property
    def _newlines(self) -> list[int]:
        return [-1, *(match.start() for match in re.finditer("\n", self.text))]

    def line(self, at: int) -> int:
        """The line of a place, from 1."""
        return bisect.bisect_left(self._newlines, at)

    def column(self, at: int) -> int:
        """The column of a place, from 1."""
        return at - self._newlines[self.line(at) - 1]

    def skip_spaces(self, at: int) -> int:
        """The first place from `at` on that is not blank."""
        match = _SPACES.match(self.bare, at)
        return match.end() if match else at

    def string(self, at: int) -> str | None:
        """The words of the string that begins at a place, blanks aside; None where none begins there."""
        words = self.strings.get(self.skip_spaces(at))
        if words is None:
            return None
        return " ".join(_ESCAPED.sub(r"\1", self.text[words[0] : min(words[1], words[0] + LONGEST)]).split())

    def string_in(self, start: int, end: int) -> str:
        """The words of the first string that begins between two places, or ""."""
        at = self.bare.find('"', start, min(end, start + FARTHEST))
        return (self.string(at) or "") if at >= 0 else ""

    def string_ending(self, end: int) -> str:
        """The words of the string that ends right before a place, or ""."""
        start = self.bare.rfind('"', max(0, end - FARTHEST), end - 1)
        return (self.string(start) or "") if start >= 0 else ""

    def words(self, argument: tuple[int, int]) -> str:
        """An argument that is no string as it is written; "" where it is no short name."""
        said = self.text[argument[0] : min(argument[1], argument[0] + 80)].strip()
        return said if _NAME.fullmatch(said) else ""

    def line_of(self, at: int) -> str:
        """The line of a place, as bare code without the blanks around it; of a long one, what is near."""
        start = max(self.bare.rfind("\n", max(0, at - FARTHEST), at) + 1, at - FARTHEST, 0)
        return self.bare[start : at + FARTHEST].split("\n", 1)[0].strip()

    def innermost(self, at: int) -> int:
        """The innermost bracket that stands open at a place; -1 where none does."""
        return next(iter(self.blocks.around(at)), -1)

    def holds(self, pattern: re.Pattern[str]) -> bool:
        """Whether the code holds a pattern; looked for once."""
        if pattern not in self._held:
            self._held[pattern] = bool(pattern.search(self.bare))
        return self._held[pattern]

    def after(self, opened: int) -> int:
        """The place behind the partner of a bracket; right behind the bracket itself where it has none."""
        return self.blocks.partners.get(opened, opened) + 1

    def arguments(self, opened: int) -> list[tuple[int, int]]:
        """Where the first arguments behind an opening parenthesis start and end, blanks aside."""
        found: list[tuple[int, int]] = []
        close = self.blocks.partners.get(opened, min(len(self.bare), opened + FARTHEST))
        start = at = opened + 1
        for _ in range(MOST_SIGNS):
            match = _SEPARATOR.search(self.bare, at, close)
            if match is None or len(found) == MOST_ARGUMENTS:
                break
            if match[0] == ",":
                found.append((start, match.start()))
                start = at = match.end()
            else:
                at = self.after(match.start()) if match[0] in "([{" else match.end()
        found.append((start, close))
        trimmed = [(self.skip_spaces(first), last) for first, last in found]
        return [(first, last) for first, last in trimmed if first < last]

    def name_at(self, at: int, name: str) -> str:
        """A name that a pattern found at a place: a word of the code, or the words of the string that begins there."""
        return (self.string(at) or "") if name == '"' else name

    def declared_after(self, at: int) -> str:
        """The function or class that is declared behind an annotation, behind others that follow it."""
        passed: list[int] = []
        while at not in self._declared:  # of many annotations in a row, each is passed once
            passed.append(at)
            match = _OTHER_MARK.match(self.bare, at)
            if match is None:
                self._declared[at] = self._declared_at(at)
                break
            opened = self.skip_spaces(match.end())
            at = self.after(opened) if self.bare[opened : opened + 1] in ("(", "[") else match.end()
        self._declared.update(dict.fromkeys(passed, self._declared[at]))
        return self._declared[at]

    def _declared_at(self, at: int) -> str:
        end = min(len(self.bare), at + DECLARATION)
        stop = _BODY.search(self.bare, at, end)
        found = _DECLARED.search(self.bare, at, stop.end() if stop else end)
        if found is None:
            return ""
        return self.name_at(found.start(1), found[1]) if found[1] else found[2]

    def test_around(self, at: int) -> str:
        """The test whose body holds a place: by the blocks around it, from the innermost out."""
        if self.language in INDENTED:
            return self._test_above(at)
        for opened in self.blocks.around(at):
            if name := self._name_of_block(opened):
                return name
        return ""

    def _name_of_block(self, opened: int) -> str:
        bare = self.bare
        if bare[opened] == "(":
            title = self.string(opened + 1)
            macro = _MACRO_NAME.match(bare, opened + 1) if self.language == "c" and title is None else None
            return macro[1] if macro and self.blocks.word_before(opened).isupper() else title or ""
        if bare[opened] != "{":
            return ""
        start = max(0, opened - FARTHEST)
        start = max(start, *(bare.rfind(sign, start, opened) + 1 for sign in ";{}"))
        before = bare[start:opened]
        if found := _DEFINES.search(before):
            return self.name_at(start + found.start(1), found[1])
        if found := _TITLE_BEFORE.search(before):
            return self.string(start + found.start()) or ""
        if _ANONYMOUS.search(before):
            return ""  # its name is the title of the call that it is handed to
        close = bare.rfind(")", start, opened)
        called = self.blocks.partners.get(close, -1)
        if called < 0 or not _RESULT.fullmatch(bare, close + 1, opened):
            return ""
        if title := self.string(called + 1):
            return title
        if found := _MACRO.search(before):
            return ".".join("".join(found[1].split()).split(","))
        name = self.blocks.word_before(called)
        return "" if name in _NO_NAMES else name

    def _test_above(self, at: int) -> str:
        lines = [(self.bare.rfind("\n", max(0, at - FARTHEST), at) + 1, at)]
        lines += [(start, self._line_end(start)) for start in self.blocks.lines_above(at)]
        for start, end in lines:
            line = self.bare[start:end]
            if found := _DEFINED_ABOVE.match(line):
                return found[1]
            quote = line.find('"')
            if quote >= 0 and (title := self.string(start + quote)):
                return title
        return ""

    def _line_end(self, start: int) -> int:
        end = self.bare.find("\n", start, start + FARTHEST)
        return end if end >= 0 else min(len(self.bare), start + FARTHEST)
