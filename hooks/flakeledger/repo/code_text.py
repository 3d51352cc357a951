"""Source text without a parser: where comments and strings stand, told by the tables of `repo/languages.py`.

Invariants:
* Any text is read, in time linear in its length: whatever is searched and not found ends the text or the line, or is
  not searched again. Nothing is raised, and nothing recurses.
* What is not closed ends where its language would stop looking: a string of one line with its line, everything else
  with the text. Code inside a string (`${…}`) is code again; below `DEEPEST` such levels it counts as text.
* It is no parser: where only a grammar can tell a division from a regular expression, the division is taken.
"""

from __future__ import annotations

import bisect
import functools
import re
from typing import NamedTuple

from flakeledger.repo.code_signs import nesting, signs_of, words_of
from flakeledger.repo.languages import HEREDOC, Language, Quote

#: How deep code may stand in strings in code. Real code has two or three; each level costs memory.
DEEPEST = 32

_PARTNERS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_NOT_LINE_END = re.compile(r"[^\r\n]+")
_LONE_WORD = re.compile(r"^[ \t]*(\w+)(?=[ \t\r]*$|[ \t]*[;,)])", re.MULTILINE)
#: A regular expression between slashes, flags included. Possessive: a slash that begins none costs its line once.
_REGEX = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*+\])++/[a-z]*")
#: After these words a slash cannot divide: no value stands before it.
_NO_VALUE = re.compile(
    r"(?:and|await|case|delete|do|elsif|else|grep|if|in|instanceof|new|not|of|or|return|split|then|throw|typeof|unless"
    r"|until|void|when|while|yield)\Z"
)
_LAST_WORD = re.compile(r"[A-Za-z_$][\w$]*\Z")
_LINE = re.compile(r"[^\S\n]*+([^\n]*)")
#: One line of a block comment, from its first word.
_BLOCK_LINE = re.compile(r"[^\S\n]*+\**+!?[^\S\n]*+([^\n]*)")


class Comment(NamedTuple):
    """One line of a comment without its signs: `line` and `column`, from 1, are those of the first letter of `text`."""

    line: int
    column: int
    text: str


class Scan(NamedTuple):
    """What a text holds. `comments` are (start, end, where its words start and end, is it a block), in order.

    `bare` is the text with comments and strings blanked, except that a string keeps a `"` as its first and as its last
    character, however it is quoted. `strings` maps where a string starts to where its words start and end.
    """

    bare: str
    comments: list[tuple[int, int, int, int, bool]]
    strings: dict[int, tuple[int, int]]


def comments_of(text: str, language: Language) -> list[Comment]:
    """Every line of every comment that says something, in order; a leading `*` of a block's line is no word of it."""
    found = []
    newlines = [-1, *(match.start() for match in re.finditer("\n", text))]
    for _, _, words, words_end, block in scan(text, language).comments:
        for match in (_BLOCK_LINE if block else _LINE).finditer(text, words, words_end):
            if said := match[1].rstrip():
                line = bisect.bisect_left(newlines, match.start(1))
                found.append(Comment(line, match.start(1) - newlines[line - 1], said))
    return found


def bare_code(text: str, language: Language) -> str:
    """The text at the same length with the same line ends; of a comment nothing is left, of a string two `"`."""
    return scan(text, language).bare


def without_comments(text: str, language: Language) -> str:
    """The text at the same length with the same line ends, its comments blanked; strings stay."""
    pieces, done = [], 0
    for start, end, *_ in scan(text, language).comments:
        pieces += [text[done:start], _blank(text[start:end])]
        done = end
    return "".join([*pieces, text[done:]])


@functools.lru_cache(maxsize=2)
def scan(text: str, language: Language) -> Scan:
    """Read a text; the last two are kept, for one file is asked for several things in a row."""
    return _Scanner(text, language).run()


class _Frame(NamedTuple):
    """A string that was left for code inside it: what closes it, and where it and its words start."""

    quote: Quote
    closes: str
    start: int
    words: int


class _Scanner:
    """One walk over one text, from sign to sign."""

    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self.regexes = language.regexes
        self.signs = signs_of(language)
        self.pieces: list[str] = []
        self.comments: list[tuple[int, int, int, int, bool]] = []
        self.strings: dict[int, tuple[int, int]] = {}
        self.frames: list[_Frame] = []
        self.depths: list[int] = []  # of each frame: how many of its brackets are open in its code
        self.heredoc: tuple[int, int] | None = None
        self.line_end = -1
        self.before = ""
        self.gap = False
        self.no_regex_before = 0

    def run(self) -> Scan:
        at = 0
        signs = self.signs
        while match := (signs.inside if self.frames or self.heredoc else signs.outside).search(self.text, at):
            start = match.start()
            if at < start:
                self._code(at, start)
            at = self._sign(match, start)
        self._code(at, len(self.text))
        for frame in self.frames:
            self.strings[frame.start] = (frame.words, len(self.text))
        return Scan("".join(self.pieces), self.comments, self.strings)

    def _sign(self, match: re.Match[str], start: int) -> int:
        """Take what begins at a sign; where to go on."""
        group = match.lastgroup or ""
        if group in self.signs.whole:
            words, words_end = match.span(f"{group}words")
            return self._close(start, words, words_end, start, match.end())
        if group == "line":
            return self._line_comment(match)
        if group == "regex":
            return self._regex(start)
        if group == "bracket":
            return self._bracket(start)
        if group == "break":
            return self._break(start)
        mark = match[f"{group}mark"] if group in self.signs.marked else ""
        if group in self.signs.blocks:
            return self._block_comment(match, self.signs.blocks[group], mark)
        quote = self.signs.quotes[group]
        if quote.closes == HEREDOC:
            return self._heredoc(match, mark)
        closes = quote.closes.replace("MARK", _PARTNERS.get(mark, mark))
        return self._body(_Frame(quote, closes, start, match.end()), start, match.end())

    def _code(self, start: int, end: int) -> None:
        code = self.text[start:end]
        self.pieces.append(code)
        if self.regexes:
            seen = code.rstrip()
            self.gap = len(seen) != len(code)
            self.before = seen[-12:] or self.before

    def _line_comment(self, match: re.Match[str]) -> int:
        """ "///", "##", "//!" and "--|" are signs as a whole."""
        words, end = match.end(), self._line_end(match.end())
        said = self.text[words:end]
        return self._comment(match.start(), end, words + len(said) - len(said.lstrip(match[0][-1] + "!")), end, False)

    def _block_comment(self, match: re.Match[str], block: tuple[str, str, bool], mark: str) -> int:
        opens, closes, nests = block
        closes = closes.replace("MARK", mark)
        words_end = end = len(self.text)
        if nests:
            words_end, end = self._nested_end(match.end(), opens, closes)
        elif closes and (found := self.text.find(closes, match.end())) >= 0:
            words_end, end = found, found + len(closes)
        return self._comment(match.start(), end, match.end(), words_end, True)

    def _nested_end(self, at: int, opens: str, closes: str) -> tuple[int, int]:
        depth = 1
        for match in nesting(opens, closes).finditer(self.text, at):
            depth += -1 if match[0] == closes else 1
            if depth == 0:
                return match.span()
        return len(self.text), len(self.text)

    def _comment(self, start: int, end: int, words: int, words_end: int, block: bool) -> int:
        self.comments.append((start, end, words, words_end, block))
        self.pieces.append(_blank(self.text[start:end]))
        self.gap = True
        return end

    def _body(self, frame: _Frame, piece: int, at: int) -> int:
        """The words of a string from `at` on, up to its end or to code inside it; `piece` is where they go on."""
        quote, closes, text = frame.quote, frame.closes, self.text
        hole = quote.hole if len(self.frames) < DEEPEST else ""
        if quote.lines and not quote.escape and not hole:  # a mark of a stranger is no part of a pattern
            stop = text.find(closes, at)
            stop = stop if stop >= 0 else len(text)
        else:
            match = words_of(closes, quote.escape, quote.lines, hole).match(text, at)
            stop = match.end() if match else at
        if text.startswith(closes, stop):
            return self._close(frame.start, frame.words, stop, piece, stop + len(closes))
        if hole and text.startswith(hole, stop):
            stop += len(hole)
            self.pieces.append(_quoted(text[piece:stop], opens=piece == frame.start, closes=False))
            self.frames.append(frame)
            self.depths.append(0)
            self.before, self.gap = "(", False
            return stop
        return self._close(frame.start, frame.words, stop, piece, stop)

    def _close(self, start: int, words: int, words_end: int, piece: int, end: int) -> int:
        self.strings[start] = (words, words_end)
        self.pieces.append(_quoted(self.text[piece:end], opens=piece == start, closes=True))
        self.before, self.gap = '"', False
        return end

    def _heredoc(self, match: re.Match[str], mark: str) -> int:
        """The words of a heredoc start at the next line, or behind those of the one that the same line began before."""
        begin = self.heredoc[1] if self.heredoc else self._line_end(match.end()) + 1
        lines = self._lone_words.get(mark, [])
        index = bisect.bisect_left(lines, begin)
        if index == len(lines):  # no such line: it is a shift, or an element added to a list
            self._code(*match.span())
            return match.end()
        self.heredoc = (self.heredoc[0] if self.heredoc else begin, lines[index])
        return self._close(match.start(), begin, lines[index], match.start(), match.end())

    @functools.cached_property
    def _lone_words(self) -> dict[str, list[int]]:
        """Where the lines start that hold one word, which may end a heredoc."""
        found: dict[str, list[int]] = {}
        for match in _LONE_WORD.finditer(self.text):
            found.setdefault(match[1], []).append(match.start())
        return found

    def _line_end(self, at: int) -> int:
        """Where the line of `at` ends; looked for once a line, since `at` never goes back."""
        if at > self.line_end:
            found = self.text.find("\n", at)
            self.line_end = found if found >= 0 else len(self.text)
        return self.line_end

    def _break(self, at: int) -> int:
        """The end of a line: heredocs begin behind it, and no string of one line reaches beyond it."""
        self._code(at, at + 1)
        if self.frames and not self.frames[-1].quote.lines:
            frame = self._leave()
            self.strings[frame.start] = (frame.words, at)
        if self.heredoc and at + 1 >= self.heredoc[0]:
            end = max(at + 1, self.heredoc[1])
            self.pieces.append(_blank(self.text[at + 1 : end]))
            self.heredoc = None
            return end
        return at + 1

    def _leave(self) -> _Frame:
        self.depths.pop()
        return self.frames.pop()

    def _bracket(self, at: int) -> int:
        """A bracket inside of a string's code: the one that nothing there opened leads back into the string."""
        if self.frames:
            bracket = self.frames[-1].quote.hole.strip("$#\\")
            if self.text[at] == bracket:
                self.depths[-1] += 1
            elif self.text[at] == _PARTNERS[bracket]:
                if self.depths[-1] == 0:
                    return self._body(self._leave(), at, at + 1)
                self.depths[-1] -= 1
        self._code(at, at + 1)
        return at + 1

    def _regex(self, at: int) -> int:
        if at >= self.no_regex_before and self._may_be_regex(at):
            if match := _REGEX.match(self.text, at):
                return self._close(at, at + 1, match.end() - 1, at, match.end())
            self.no_regex_before = self._line_end(at)
        self._code(at, at + 1)
        return at + 1

    def _may_be_regex(self, at: int) -> bool:
        """Whether no value stands before a slash, so that it cannot divide."""
        last = self.before[-1:]
        if last.isalnum() or last in ("_", "$"):
            loose = self.regexes == "word" and self.gap and self.text[at + 1 : at + 2] not in (" ", "=", "")
            word = _LAST_WORD.search(self.before)
            return bool(word and (_NO_VALUE.match(word[0]) or loose))
        return not (last in (")", "]", "}", '"') or self.before.endswith(("++", "--")))


def _blank(text: str) -> str:
    if "\n" in text or "\r" in text:
        return _NOT_LINE_END.sub(lambda match: " " * len(match[0]), text)
    return " " * len(text)


def _quoted(text: str, *, opens: bool, closes: bool) -> str:
    """A piece of a string, blanked but for a quote where the string opens and where it closes."""
    blank = _blank(text)
    if opens:
        blank = '"' + blank[1:]
    if closes and len(blank) > opens and text[-1] not in "\r\n":
        blank = blank[:-1] + '"'
    return blank
