"""Whether an edit can bring a skip at all, told from the lines alone: most edits of test code are done here.

A line is a candidate where it holds a word without which there is no skip, or a name that such a line gives to
something: a mark with a name of its own, a helper that skips. It is brought where the base does not hold it as often
in the same surroundings: the lines above it that stand further out, and the first line below it that stands as far
out and is no decoration (the function below a mark). So a mark that moves from one test to another is brought although
its line is not new, and a line that only moved within its function, or was indented anew, is not. Where what changed
stands below a candidate line, or in the brackets of a statement that holds one or heads one, that may be its condition.

Invariants:
* What is not brought is never a new skip; what is brought may be one, and parsing tells.
* Nothing is parsed, and the work is linear: only what changed is looked at, what it stands in, and what it heads.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from flakeledger.repo.ids import is_python
from flakeledger.repo.source_encoding import as_utf8

#: a decoration below a line belongs to what stands below that
_DECORATIONS = b"@[#/*)]}"
#: the end of a line that the next one continues, and the beginning of one that continues the line above
_CONTINUED = b",\\+-*/%|&=<>?.("
_CONTINUING_ALONE = b",.?:&|+-*/%=<>("
_CONTINUING = _CONTINUING_ALONE + b")]}"
#: the end of a line that heads a block, whatever brackets it leaves open: `it("a", () => {`
_BLOCK = (b"{", b":")
#: a constant given to a name at the margin: it may be the condition of a skip that stands somewhere else
_CONSTANT = re.compile(rb"\w+[ \t]*(?::[^=]*)?=[ \t]*(?:True\b|False\b|None\b|not\b|[01]\b)")
#: a line that gives something a name: a function, or a value
_NAMING = re.compile(rb"(?:async[ \t]+)?def[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]*)?=(?!=)")
_WORD = re.compile(rb"\w+")
_STRING = re.compile(rb"'[^']*'|\"[^\"]*\"")

_Holds = Callable[[bytes], bool]


class Words(NamedTuple):
    """What a line must hold to bring a skip.

    `stems` are parts of them in lower case, one of which is in every word: they are found to be absent much faster.
    """

    exact: re.Pattern[bytes]
    stems: tuple[bytes, ...]

    def are_in(self, text: bytes) -> bool:
        """Whether the text holds a word."""
        lowered = text.lower()
        return any(stem in lowered for stem in self.stems) and self.exact.search(text) is not None


PYTHON = Words(
    re.compile(rb"[Ss]kip|xfail|XFailed|expectedFailure|flaky|retry|rerun|quarantine|deselect|collect_ignore|nottest"),
    (
        *(b"skip", b"xfail", b"expectedfailure", b"flaky", b"retry", b"rerun", b"quarantine", b"deselect"),
        *(b"collect_ignore", b"nottest"),
    ),
)
_OTHER_STEMS = (
    *(b"skip", b"fail", b"flak", b"retr", b"rerun", b"repeatedif", b"quarantin", b"deselect", b"collect_ignore"),
    *(b"nottest", b"fixme", b"runif", b"disabled", b"enabled", b"ignore", b"pending", b"explicit", b"inconclusive"),
    *(b"markTestIncomplete".lower(), b"knownissue", b"[.", b"!hide", b"abort", b"assume", b"test_broken"),
    *(b"xit", b"xtest", b"xdescribe", b"xcontext", b"xspecify", b"xsuite", b"xshould", b"xscenario", b"xfeature"),
    *(b"xgiven", b"xexpect", b"xexample", b"xprop", b"xwhen", b"xentry"),
    *(b"pit", b"pdescribe", b"pcontext", b"pwhen", b"pspecify", b"pentry"),
)


@cache
def _other_words() -> Words:
    from flakeledger.repo.skip_patterns import CANDIDATE_WORDS  # only code that is no Python pays for its tables

    return Words(CANDIDATE_WORDS, _OTHER_STEMS)


def words_of(path: str) -> Words:
    """The words of the language of a file."""
    return PYTHON if is_python(path) else _other_words()


def may_bring_skips(path: str, base: bytes, new: bytes) -> bool:
    """Whether going from base to new brings a candidate line. No base: b""."""
    words = words_of(path)
    if is_python(path):
        known, read = _as_python_reads(base), _as_python_reads(new)
        if read is None:
            return True
        base, new = known or b"", read
    if not base:
        return words.are_in(new)
    old_lines, new_lines = base.split(b"\n"), new.split(b"\n")
    start, end = _changed(old_lines, new_lines)
    if any(_CONSTANT.match(line) for line in new_lines[start : len(new_lines) - end]):
        return words.are_in(new)
    margin = _margin([*old_lines[start : len(old_lines) - end], *new_lines[start : len(new_lines) - end]])
    around = _statement_around(new_lines, start, end, margin)
    start, end = _reach(new_lines, start, end, margin)
    region = new_lines[start : len(new_lines) - end]
    names = _names(new_lines, words) if is_python(path) and words.are_in(new) else frozenset()

    def says(text: bytes) -> bool:
        return words.are_in(text) or not names.isdisjoint(_WORD.findall(text) if names else ())

    if says(around):
        return True
    if not says(b"\n".join(region)):
        return False

    def holds(line: bytes) -> bool:
        return words.exact.search(line) is not None or not names.isdisjoint(_WORD.findall(line) if names else ())

    standing = Counter(_surrounded(old_lines[start : len(old_lines) - end], holds))
    return any(count > standing[line] for line, count in Counter(_surrounded(region, holds)).items())


def _as_python_reads(data: bytes) -> bytes | None:
    """The text as Python reads its names: a bold `s` is an `s` (PEP 3131). None where its encoding may hide words."""
    text = as_utf8(data)
    if text is None or text.isascii():
        return text
    from unicodedata import is_normalized, normalize

    spelt = text.decode(errors="surrogateescape")
    return text if is_normalized("NFKC", spelt) else normalize("NFKC", spelt).encode(errors="surrogateescape")


def _names(lines: Sequence[bytes], words: Words) -> frozenset[bytes]:
    """The names that stand for what a candidate line writes: those that it gives, and the helper that it stands in."""
    found: set[bytes] = set()
    helper, margin = b"", 0
    for line in lines:
        naming = _NAMING.match(line.lstrip())
        if naming is not None and naming[1]:
            helper, margin = naming[1], _indentation(line)
        is_alias = naming is not None and bool(naming[2]) and not found.isdisjoint(_WORD.findall(line))
        if is_alias or words.exact.search(line):
            if naming is not None and naming[2]:
                found.add(naming[2])
            elif helper and _indentation(line) > margin:
                found.add(helper)
    return frozenset(name for name in found if not name.startswith(b"test"))


def _changed(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[int, int]:
    """How many lines are the same at the start, and how many at the end."""
    most = min(len(old), len(new))
    start = next((number for number in range(most) if old[number] != new[number]), most)
    end = next((number for number in range(most - start) if old[-1 - number] != new[-1 - number]), most - start)
    return start, end


def _reach(new: Sequence[bytes], start: int, end: int, margin: int) -> tuple[int, int]:
    """The same numbers, so that what decorates the changed lines, and what stands further in below them, is between."""
    while start and _belongs(new[start - 1], margin, _DECORATIONS):
        start -= 1
    while end and _belongs(new[len(new) - end], margin, b""):
        end -= 1
    return start, end


def _margin(lines: Sequence[bytes]) -> int:
    """How far out the lines stand."""
    return min((_indentation(line) for line in lines if line.strip()), default=0)


def _statement_around(new: Sequence[bytes], start: int, end: int, margin: int) -> bytes:
    """What unchanged lines say of the changed ones: those further out above them, and the rest of their statement.

    Of a statement that heads a block, the block is a part.
    """
    below = next((line.strip() for line in new[start:] if line.strip()), b"")
    found, first, is_inside, is_next = [], start, True, True
    for number in range(start - 1, -1, -1):
        text, indentation = new[number].strip(), _indentation(new[number])
        if not text or indentation > margin:
            continue
        is_further_out = indentation < margin
        if is_further_out:
            found.append(text)
            margin, is_next = indentation, True
        is_next = is_next and (_is_open(text) or (not is_further_out and below[:1] in _CONTINUING))
        is_inside = is_inside and (is_next or not is_further_out)
        if is_inside and is_next:
            first = number
        below = text
    return b"\n".join([*found, *new[first:start], *_rest(new, first, start, len(new) - end)])


def _rest(new: Sequence[bytes], first: int, start: int, after: int) -> Sequence[bytes]:
    """The lines from `after` on that belong to the statement of the changed lines, which begins at `first`."""
    last = next((line.strip() for line in reversed(new[first:after]) if line.strip()), b"")
    below = next((line.strip() for line in new[after:] if line.strip()), b"")
    if not (first < start or _is_open(last) or below[:1] in _CONTINUING):
        return ()
    margin = _margin(new[first:after])
    stop = next(
        (number for number in range(after, len(new)) if not _belongs(new[number], margin, _CONTINUING)), len(new)
    )
    return new[after:stop]


def _is_open(text: bytes) -> bool:
    """Whether the line below continues a line, as far as its end and its brackets tell."""
    if text.endswith(_BLOCK):
        return False
    return _opened(text) > 0 or text[-1:] in _CONTINUED


def _opened(text: bytes) -> int:
    """How many brackets a line opens that it does not close, those in its strings left out."""
    if b'"' in text or b"'" in text:
        text = _STRING.sub(b"", text)
    return text.count(b"(") + text.count(b"[") - text.count(b")") - text.count(b"]")


def _belongs(line: bytes, margin: int, decorations: bytes) -> bool:
    text = line.strip()
    return not text or _indentation(line) > margin or text[:1] in decorations


def _surrounded(lines: Sequence[bytes], holds: _Holds) -> Iterator[tuple[int, bytes, bytes]]:
    """Each candidate statement: a hash of what stands around it, itself, and what stands below it."""
    statements = list(_joined(lines))
    below = _below(statements)
    outer: list[tuple[int, int]] = []  # the indentation of the statements around, and a hash of all down to it
    for number, (indentation, text) in enumerate(statements):
        while outer and outer[-1][0] >= indentation:
            outer.pop()
        around = outer[-1][1] if outer else 0
        if holds(text):
            yield around, text, below[number]
        if text[:1] not in _DECORATIONS:
            outer.append((indentation, hash((around, text))))


def _joined(lines: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """The statements, each with the indentation of its first line: lines, and the lines that continue them."""
    parts: list[bytes] = []
    margin = depth = 0
    for line in lines:
        text = line.strip()
        if not text:
            continue
        if parts and depth <= 0 and parts[-1][-1:] not in _CONTINUED and text[:1] not in _CONTINUING_ALONE:
            yield margin, b" ".join(parts)
            parts = []
        if not parts:
            margin, depth = _indentation(line), 0
        parts.append(text)
        depth = 0 if text.endswith(_BLOCK) else depth + _opened(text)
    if parts:
        yield margin, b" ".join(parts)


def _below(statements: Sequence[tuple[int, bytes]]) -> list[bytes]:
    """For each statement the first one below it that stands as far out and decorates nothing; else b""."""
    found = [b""] * len(statements)
    # the statements below that are the first as far out as they are: the further out, the further down
    indentations: list[int] = []
    texts: list[bytes] = []
    for number in range(len(statements) - 1, -1, -1):
        indentation, text = statements[number]
        nearest = bisect_right(indentations, indentation)
        found[number] = texts[nearest - 1] if nearest else b""
        if text[:1] not in _DECORATIONS:
            kept = bisect_left(indentations, indentation)
            indentations[kept:], texts[kept:] = [indentation], [text]
    return found


def _indentation(line: bytes) -> int:
    return len(line) - len(line.lstrip())
