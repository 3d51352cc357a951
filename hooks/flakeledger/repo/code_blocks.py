"""Blocks in source text without a parser: what stands under a condition, told by brackets, indentation and `#if`.

Invariants:
* Everything is told from bare code (`repo/code_text.py`), so neither a string nor a comment opens a block.
* Text is read once for its brackets and once for its lines; a question climbs at most `HIGHEST` blocks and looks back
  at most `FARTHEST` characters, so all questions together cost time linear in their number.
* A function ends the climb: what decides whether a function is defined or called is no condition inside it.
* A condition that is a constant decides nothing.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from flakeledger.repo.constants import constant
from flakeledger.repo.directives import dependent_parts

HIGHEST = 48
FARTHEST = 400
#: a condition that is longer is no constant
LONGEST = 60

Guard = Literal["function", "neutral", "maybe", "never"]

_PARTNERS = {")": "(", "]": "[", "}": "{"}
_CONDITIONS = re.compile(
    r"(?:if|elif|elseif|elsif|unless|switch|when|match|select|while|until|guard|catch|rescue|case)\Z"
)
_NEUTRAL = re.compile(
    r"(?:for|foreach|using|lock|synchronized|with|fixed|try|finally|do|loop|unsafe|defer|ensure|begin)\Z"
)
_NO_PARENTHESES = frozenset({"go", "rust", "swift"})
#: In these languages `=> {` begins a function; elsewhere it may be a branch of a match.
_ARROW_FUNCTIONS = frozenset({"javascript", "component", "dart", "csharp", "php"})
_ARROW_LAMBDAS = frozenset({"java", "kotlin", "groovy"})
#: languages whose blocks are told by indentation
INDENTED = frozenset({"ruby", "elixir", "lua", "julia", "haskell", "shell"})
_PREPROCESSED = frozenset({"c", "csharp", "swift"})

_LAST_WORD = re.compile(r"([A-Za-z_]\w*)\s*\Z")
#: The last statement in a text that has a condition without parentheses (`if x {`), with its condition.
_HEADER = re.compile(r"(?:^|[\n;{}=])[ \t]*(?:else[ \t]+)?(if|guard|switch|select|match|while|for|catch)\b([^{}]*)\Z")
_LEAD_INS = re.compile(r"(?:\b(?:return|await|void|yield|throw|try|new|raise)|\()\s*\Z")
_AND = re.compile(r"(?:^|[\n;(=,])([^\n;(=,]*)&&\Z")
_LEAVING = re.compile(r"\b(?:return|throw|continue|break|goto|exit)\b")
_LEFT_BY_LINE = re.compile(r"[ \t]*(?:return|next|break|exit)\b[^\n;]*\b(?:if|unless)\b")
_LINE = re.compile(r"[^\n]*\n?")
_INDENTED_CONDITION = re.compile(r"(?:if|unless|elsif|elif|else|case|when|rescue|while|until|cond|with)\b(?!:)(.*)")
_INDENTED_FUNCTION = re.compile(
    r"(?:def|defp|function|local\s+function|@test|module|class)\b|.*(?:\bdo\b|\{|\bfunction\b)"
)


class _Line(NamedTuple):
    """A line that is not blank: where it begins, and the index of the line that it is indented below, or -1."""

    start: int
    parent: int


class Blocks:
    """The blocks of one text. `bare` is its bare code, `language` the name of its language."""

    def __init__(self, bare: str, language: str) -> None:
        """Pairs the brackets; one that has no partner opens nothing."""
        self.bare = bare
        self.language = language
        self.partners: dict[int, int] = {}
        self._parents: dict[int, int] = {}
        self._guards: dict[int, Guard] = {}
        self._left: dict[int, tuple[int, bool]] = {}
        stack: list[int] = []
        for match in re.finditer(r"[(){}\[\]]", bare):
            at = match.start()
            if match[0] in _PARTNERS:
                self._pair(stack, at, _PARTNERS[match[0]])
                continue
            self._parents[at] = stack[-1] if stack else -1
            stack.append(at)
        for at, parent in self._parents.items():  # in the order of the text, so a parent is right before its children
            if parent not in self.partners:
                self._parents[at] = self._parents.get(parent, -1)
        self.opens = [at for at in self._parents if at in self.partners]

    def _pair(self, stack: list[int], at: int, partner: str) -> None:
        """Close the nearest bracket of that kind; those that stand open inside of it stay alone."""
        for back in range(1, min(len(stack), 8) + 1):
            if self.bare[stack[-back]] == partner:
                self.partners[stack[-back]] = at
                self.partners[at] = stack[-back]
                del stack[-back:]
                return

    def around(self, at: int) -> Iterator[int]:
        """The brackets that stand open at a place, from the innermost out."""
        index = bisect.bisect_left(self.opens, at) - 1
        opened = self.opens[index] if index >= 0 else -1
        for _ in range(HIGHEST):
            if opened < 0:
                return
            if self.partners[opened] >= at:
                yield opened
            opened = self._parents[opened]

    def word_before(self, at: int) -> str:
        """The word that ends right before a place, blanks aside, or ""."""
        match = _LAST_WORD.search(self.bare, max(0, at - 80), at)
        return match[1] if match else ""

    def is_conditional(self, at: int) -> bool:
        """Whether a condition decides about what begins at a place, inside of its function."""
        if self.in_directive(at):
            return True
        if self.language in INDENTED:
            return self._after_condition(at) or self._below_condition(at)
        if self._after_condition(at):
            return True
        for opened in self.around(at):
            if self.bare[opened] == "{" and (guard := self.guard(opened)) != "neutral":
                return guard != "function"
        return False

    def may_be_left_before(self, at: int) -> bool:
        """Whether the function may have been left, under a condition, before a place in it is reached."""
        if self.language in INDENTED:
            return self._left_on_a_line_above(at)
        function = self._function(at)
        last = bisect.bisect_left(self._leavings, at)
        for leaving in reversed(self._leavings[max(0, last - 16) : last]):
            if leaving <= function:
                return False
            if leaving not in self._left:
                self._left[leaving] = (self._function(leaving), self.is_conditional(leaving))
            if self._left[leaving] == (function, True):
                return True
        return False

    def _left_on_a_line_above(self, at: int) -> bool:
        """The same by indentation: a line of the same block says `return if …`."""
        index = bisect.bisect_right(self._starts, at) - 1
        block = self._lines[index].parent if index >= 0 else -1
        for above in range(index - 1, max(block, index - HIGHEST, -1), -1):
            if self._lines[above].parent == block:
                start = self._lines[above].start
                if _LEFT_BY_LINE.match(self.bare, start, start + FARTHEST):
                    return True
        return False

    @cached_property
    def _leavings(self) -> list[int]:
        return [match.start() for match in _LEAVING.finditer(self.bare)]

    def _function(self, at: int) -> int:
        for opened in self.around(at):
            if self.bare[opened] == "{" and self.guard(opened) == "function":
                return opened
        return -1

    def guard(self, brace: int) -> Guard:
        """What decides whether the block of a brace runs."""
        if brace not in self._guards:
            self._guards[brace] = self._guard(brace)
        return self._guards[brace]

    def _guard(self, brace: int) -> Guard:
        before = self.bare[max(0, brace - FARTHEST) : brace].rstrip()
        end = brace - 1
        while end >= 0 and self.bare[end].isspace() and brace - end < FARTHEST:
            end -= 1
        if before.endswith(("=>", "->")):
            return "function" if self.language in _ARROW_FUNCTIONS else "neutral"
        if before.endswith(":"):
            return "neutral"  # the block of a `case`
        if before.endswith(")") and end in self.partners:
            opened = self.partners[end]
            word = self.word_before(opened)
            if _CONDITIONS.match(word):
                return _judged(word, self._between(opened, end))
            if _NEUTRAL.match(word):
                return "neutral"
        word = self.word_before(brace)
        if word == "else":
            return self._else(brace)
        if _NEUTRAL.match(word):
            return "neutral"
        if word in ("match", "switch", "select"):
            return "maybe"
        header = _HEADER.search(before) if self.language in _NO_PARENTHESES else None
        if header is None or re.search(r"\b(?:func|fn)\b", header[2]):
            return "function"
        return "neutral" if header[1] == "for" else _judged(header[1], header[2])

    def _between(self, opened: int, end: int) -> str:
        """The condition in parentheses; "", which is no constant, where it is too long for one."""
        return self.bare[opened + 1 : end] if end - opened <= LONGEST else ""

    def _else(self, brace: int) -> Guard:
        """An `else` runs where its `if` does not."""
        end = self.bare.rfind("}", max(0, brace - 80), brace)
        opened = self.partners.get(end, -1)
        if opened < 0:
            return "maybe"
        before = self.bare[max(0, opened - FARTHEST) : opened]
        return "neutral" if re.search(r"\bif\s*\(?\s*(?:false|0|!true)\s*\)?\s*\Z", before) else "maybe"

    def _after_condition(self, at: int) -> bool:
        """Whether a condition without a block stands right before: `if (x) skip()`, `x && skip()`, `x ? skip : it`."""
        signs = ";{}\n" if self.language in INDENTED else ";{}"
        start = max(0, at - FARTHEST)
        start = max(start, *(self.bare.rfind(sign, start, at) + 1 for sign in signs))
        before = self.bare[start:at].rstrip(" \t\r\n\\")  # a backslash continues a macro, or a command
        for _ in range(4):
            lead_in = _LEAD_INS.search(before, len(before) - 12)
            if lead_in is None:
                break
            before = before[: lead_in.start()].rstrip()
        if before.endswith("&&"):
            left = _AND.search(before)
            return not (left and constant(left[1]))
        if before.endswith(("||", "??", "?", " and", " or", " else", "\nelse")) or before == "else":
            return True
        if before.endswith(":"):
            return "?" in before
        if before.endswith("->") and self.language in _ARROW_LAMBDAS:
            return True  # a lambda that is handed on (`assertThrows(() -> skip())`), or a branch of a `when`
        end = start + len(before) - 1
        if before.endswith(")") and end in self.partners:
            opened = self.partners[end]
            word = self.word_before(opened)
            return bool(_CONDITIONS.match(word)) and _judged(word, self._between(opened, end)) != "neutral"
        return False

    def in_directive(self, at: int) -> bool:
        """Whether a place stands under an `#if` that depends on something."""
        index = bisect.bisect_right(self._directives, (at, True)) - 1
        return index >= 0 and self._directives[index][1]

    @cached_property
    def _directives(self) -> list[tuple[int, bool]]:
        return dependent_parts(self.bare) if self.language in _PREPROCESSED else []

    def _below_condition(self, at: int) -> bool:
        """The same by indentation: the lines above that are indented less, up to the one that begins the function."""
        for start in self.lines_above(at):
            line = self.bare[start : start + FARTHEST].split("\n", 1)[0].strip()
            if match := _INDENTED_CONDITION.match(line):
                return constant(match[1].removesuffix("then").strip("; ")) is not True
            if _INDENTED_FUNCTION.match(line):
                return False
        return False

    def lines_above(self, at: int) -> Iterator[int]:
        """Where the lines begin that the line of a place is indented below, from the nearest up."""
        index = bisect.bisect_right(self._starts, at) - 1
        for _ in range(HIGHEST):
            index = self._lines[index].parent if index >= 0 else -1
            if index < 0:
                return
            yield self._lines[index].start

    @cached_property
    def _lines(self) -> list[_Line]:
        lines: list[_Line] = []
        stack: list[tuple[int, int]] = []
        for match in _LINE.finditer(self.bare):
            line = match[0]
            if not line.strip():
                continue
            indent = len(line) - len(line.lstrip())
            while stack and stack[-1][0] >= indent:
                stack.pop()
            lines.append(_Line(match.start(), stack[-1][1] if stack else -1))
            stack.append((indent, len(lines) - 1))
        return lines

    @cached_property
    def _starts(self) -> list[int]:
        return [line.start for line in self._lines]


def _judged(word: str, condition: str) -> Guard:
    if word in ("if", "elif", "elseif", "elsif", "while", "guard", "when", "unless", "until"):
        value = constant(condition)
        if value is not None:
            return "neutral" if value is (word not in ("unless", "until", "guard")) else "never"
    return "maybe"
