"""Skips in Python text that this Python cannot parse: another version's syntax, or a file that is broken on purpose.

Invariants:
* Only what is spelled out in full counts: `@pytest.mark.skip`, `self.skipTest(`. Aliases and helpers are not followed.
* Strings and comments are blanked first; blocks are told by indentation, and what stands under a condition is exempt.
* Any bytes give an answer, line by line, in time linear in their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from flakeledger.repo.code_text import Scan, scan
from flakeledger.repo.languages import language_of
from flakeledger.repo.skip import Skip, SkipKind

#: a mark without a condition, or with a constant one; what follows `(` must not be a condition
_NO_CONDITION = r"(?![\w.\[])(?!\((?!\s*(?:\)|True\s*[,)]|\"|(?:reason|strict|raises|run|reruns|max_runs)\b|$)))"
_MARK = rf"""(?x)
    (?:pytest|py\.test)\.mark\.(?:
        (?P<skip>skip(?![\w.\[])|skipif(?=\(\s*True\s*[,)]))
      | (?P<xfail>xfail{_NO_CONDITION})
      | (?P<flaky>flaky(?![\w.\[]))
      | (?P<retry>(?:reruns?|retry)(?![\w.\[]))
      | (?P<quarantine>quarantined?(?![\w.\[]))
    )
  | unittest2?\.(?:
        (?P<unittest_skip>skip(?![\w.\[])|skipIf(?=\(\s*True\s*,)|skipUnless(?=\(\s*False\s*,))
      | (?P<unittest_xfail>expectedFailure(?![\w.\[]))
    )
"""
#: what the groups of `_MARK` mean
_KINDS: dict[str, SkipKind] = {
    "skip": "skip",
    "xfail": "xfail",
    "flaky": "flaky",
    "retry": "retry",
    "quarantine": "quarantine",
    "unittest_skip": "skip",
    "unittest_xfail": "xfail",
}
_CALL = r"(?:return\s+|raise\s+)?(pytest\.(?:skip|xfail)|self\.skipTest|cls\.skipTest)\s*\("
_RAISE = r"raise\s+((?:\w+\.)*SkipTest)\b"
_BLOCK = r"(?:async\s+)?(def|class|if|elif|else|for|while|try|except|finally|with|match|case)\b\s*(\w*)"
_CONDITIONAL = frozenset({"if", "elif", "else", "while", "except", "match", "case"})
_CONSTANT = r"(?:if|while)\s+(?:True|1)\s*:"
_LEAVING = r"(?:return|raise|continue|break)\b"
#: a line that begins like this begins a statement, whatever bracket seems to be open
_BEGINNING = r"(?:@|(?:async\s+)?(?:def|class)\s)"


#: and what ends like this is a whole header
_HEADER = r"(?:async\s+)?(?:def|class)\s.*:"


class _Block(NamedTuple):
    """An open block: where its line begins, its keyword, the name it defines, and whether a condition decides on it."""

    indent: int
    keyword: str
    name: str
    is_conditional: bool
    counts: bool


class _Reader:
    """One walk over the lines of a text."""

    def __init__(self, text: str, found: Scan) -> None:
        self.text = text
        self.scan = found
        self.blocks: list[_Block] = []
        self.pending: list[Skip] = []
        self.is_fixture = False
        self.left = -1  # how many blocks were open where a condition may have left the function; -1: nowhere
        self.depth = 0

    def skips(self) -> Iterator[Skip]:
        start = 0
        for number, line in enumerate(self.scan.bare.split("\n"), 1):
            stripped = line.strip()
            if stripped:
                if re.match(_BEGINNING, stripped):
                    self.depth = 0
                if self.depth <= 0:
                    self._close(len(line) - len(line.lstrip()))
                    yield from self._statement(stripped, number, start + line.index(stripped), start)
                self.depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
                if self.depth and re.fullmatch(_HEADER, stripped):
                    self.depth = 0
            start += len(line) + 1

    def _close(self, indent: int) -> None:
        while self.blocks and self.blocks[-1].indent >= indent:
            self.blocks.pop()
        if len(self.blocks) < self.left:
            self.left = -1
        self.indent = indent

    def _statement(self, line: str, number: int, at: int, line_start: int) -> Iterator[Skip]:
        column = at - line_start + 1
        if line.startswith("@"):
            self.is_fixture |= bool(re.match(r"@\s*(?:[\w.]+\.)?fixture\b", line))
            mark = re.match(rf"@\s*(?:{_MARK.removeprefix('(?x)')})", line, re.VERBOSE)
            if mark:
                self.pending.append(self._skip(mark, f"@{mark[0].lstrip('@ ')}", number, at, column + 1))
            return
        block = re.match(_BLOCK, line)
        if block:
            yield from self._open(block[1], block[2], is_constant=bool(re.match(_CONSTANT, line)))
        elif not self._is_conditional():
            yield from self._plain(line, number, at, column)
        elif re.match(_LEAVING, line):
            self.left = len(self._function())
        if not block:
            self.pending, self.is_fixture = [], False

    def _open(self, keyword: str, name: str, *, is_constant: bool) -> Iterator[Skip]:
        is_definition = keyword in ("def", "class")
        counts = not any(block.keyword == "def" for block in self.blocks)
        if is_definition and counts:
            test = "::".join([*self._names(), name])
            yield from (skip._replace(test=test) for skip in self.pending)
        if keyword == "def":
            counts = counts and (self.is_fixture or _runs(name))
        condition = keyword in _CONDITIONAL and not is_constant
        self.blocks.append(_Block(self.indent, keyword, name if is_definition else "", condition, counts))
        self.pending, self.is_fixture = [], False

    def _plain(self, line: str, number: int, at: int, column: int) -> Iterator[Skip]:
        """The skips of a statement that is certain to run."""
        if any(block.keyword == "def" and not block.counts for block in self.blocks):
            return
        call = re.match(_CALL, line) or re.match(_RAISE, line)
        if call:
            is_raise = "SkipTest" in call[1]
            kind: SkipKind = "xfail" if call[1].endswith("xfail") else "skip"
            name = f"raise {call[1]}" if is_raise else f"{call[1]}()".replace("cls.", "self.")
            start = column if is_raise else column + call.start(1)
            yield Skip(kind, name, self._subject(), number, number, start, self._reason(at + call.end()))
        elif re.match(r"pytestmark\s*=", line):
            for mark in re.finditer(_MARK, line):
                found = self._skip(mark, f"pytestmark = {mark[0]}", number, at + mark.start(), column + mark.start())
                yield found._replace(test="::".join(self._names()))

    def _skip(self, mark: re.Match[str], name: str, number: int, at: int, column: int) -> Skip:
        kind = _KINDS[mark.lastgroup or ""]
        return Skip(kind, name, "", number, number, column, self._reason(at + len(mark[0])))

    def _reason(self, at: int) -> str:
        """The first text of the line after a place."""
        end = self.scan.bare.find("\n", at)
        start = self.scan.bare.find('"', at, end if end >= 0 else len(self.text))
        words = self.scan.strings.get(start)
        return " ".join(self.text[words[0] : words[1]].split()) if words else ""

    def _names(self) -> list[str]:
        return [block.name for block in self.blocks if block.name]

    def _subject(self) -> str:
        functions = [block.name for block in self.blocks if block.keyword == "def"]
        if not functions:
            return ""
        is_setup = functions[0].startswith(("pytest_", *_AUTOMATIC_PREFIXES))
        return "::".join([name for name in self._names() if name not in functions] if is_setup else self._names())

    def _function(self) -> list[_Block]:
        """The blocks up to the innermost definition."""
        last = max((index for index, block in enumerate(self.blocks) if block.name), default=-1)
        return self.blocks[: last + 1]

    def _is_conditional(self) -> bool:
        inner = self.blocks[len(self._function()) :]
        return any(block.is_conditional for block in inner) or 0 <= self.left <= len(self._function())


#: `setUp`, `setup_method`, `tearDown` and the like; `asyncSetUp`
_AUTOMATIC_PREFIXES = ("setUp", "setup", "tearDown", "teardown", "asyncSetUp", "asyncTearDown")


def _runs(name: str) -> bool:
    """Whether a function is run without anybody in the module calling it."""
    return name.startswith(("test", "pytest_", *_AUTOMATIC_PREFIXES)) or name == "runTest"


def pattern_skips(data: bytes) -> list[Skip]:
    """The skips of a Python text that cannot be parsed, in source order."""
    text = data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    language = language_of("module.py")
    assert language is not None
    return sorted(_Reader(text, scan(text, language)).skips(), key=lambda skip: (skip.first, skip.column))
