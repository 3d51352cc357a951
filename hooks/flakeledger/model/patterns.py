"""gitignore patterns for the path classes of the policy, in time linear in the path.

Invariants:
* A pattern means what git means by it in a .gitignore at the root: `*` and `?` stop at a slash, `**` as a whole
  folder name stands for any number of folders, a slash at the start or inside anchors to the root, a slash at
  the end asks for a folder, and what matches a folder matches every file below it. Letter case counts.
  `?` and `[…]` match one character, where git matches one byte.
* What git would read as matching nothing, or as something that the policy does differently (`!`), is refused
  with a reason: a pattern that never matches would leave its paths in the most permissive class.
* A stranger writes the pattern: every regular expression here runs in O(pattern x path). A `*` followed by a
  fixed text, and a `**` followed by fixed folders, take the leftmost match and never try another: a later one
  cannot help, because all that remains between stars has a fixed length (atomic groups).
* A path is '/'-separated, relative to the root, and names a file; any text but NUL may stand in it.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.model.ledger_paths import DIGEST_FOLDERS, FIXTURES, FREEZES, LEDGERS, POLICY, PROPERTIES, REPLAYS

if TYPE_CHECKING:  # who classes paths alone needs no records
    from collections.abc import Callable, Iterable, Sequence

    from flakeledger.model.policy import ClassName, Policy

MAX_PATTERN = 512

#: The names of files that hold tests, as gitignore patterns of the file's name, by language.
TEST_NAMES = {
    "Python": ("test_*.py", "*_test.py", "tests.py"),
    "JavaScript and TypeScript, unit": ("*.test.[jt]s", "*.test.[cm][jt]s", "*.test.[jt]sx"),
    "JavaScript and TypeScript, specification": ("*.spec.[jt]s", "*.spec.[cm][jt]s", "*.spec.[jt]sx", "*.cy.[jt]s"),
    "Go": ("*_test.go",),
    "Java": ("*Test.java", "*Tests.java", "*IT.java"),
    "Kotlin, Scala, Groovy": ("*Test.kt", "*Tests.kt", "*Test.scala", "*Spec.scala", "*Spec.groovy"),
    "C#, F#, Visual Basic": ("*Test.cs", "*Tests.cs", "*Test.fs", "*Tests.fs", "*Tests.vb"),
    "Ruby": ("*_spec.rb", "*_test.rb", "test_*.rb"),
    "PHP": ("*Test.php", "*Cest.php"),
    "Swift, Dart, Elixir, Rust": ("*Test.swift", "*Tests.swift", "*_test.dart", "*_test.exs", "*_test.rs"),
    "C and C++": ("test_*.c", "*_test.c", "test_*.cc", "*_test.cc", "*_unittest.cc", "test_*.cpp", "*_test.cpp"),
    "shell": ("test-*.sh", "test_*.sh", "*_test.sh", "*.bats"),
}

#: The places that a freeze_config pattern must cover: one file of each kind that the ledgers hold.
LEDGER_PLACES = (
    *(POLICY, FREEZES, FIXTURES, PROPERTIES, REPLAYS),
    *(f"{folder}any.json" for folder in DIGEST_FOLDERS),
    f"{LEDGERS}any/other",
)

#: git's own character classes: ASCII alone, and neither vertical tab nor form feed is a space.
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_STAR = "*"
_ANY_FOLDERS = "**"
_SKIP_FOLDERS = "(?:[^/]+/)*?"


class RefusedPattern(ValueError):
    """The pattern is refused: `reason` says why, `fix` what to write instead."""

    def __init__(self, reason: str, fix: str) -> None:
        """A refusal that reads as one sentence."""
        super().__init__(f"{reason}: {fix}")
        self.reason = reason
        self.fix = fix


class Classified(NamedTuple):
    """The class of a path and the pattern that gave it; nothing matched: production and None."""

    name: ClassName
    pattern: str | None


class _Translated(NamedTuple):
    """A pattern as a regular expression; `floating` ones may start at any folder, the others at the root."""

    body: str
    floating: bool


def compile_pattern(pattern: str, *, files_alone: bool = False) -> re.Pattern[str]:
    """The expression whose `match` says whether a gitignore pattern covers a file.

    With `files_alone` a name at its end is that of a file: what lies below a folder of that name is not meant.
    Raises `RefusedPattern`, a ValueError, for a pattern that git would read as matching nothing.
    """
    return _combined([_translate(pattern, files_alone=files_alone)])


def pattern_problem(pattern: str) -> RefusedPattern | None:
    """Why a pattern is refused, and what to write instead; None when it is fine."""
    try:
        _translate(pattern)
    except RefusedPattern as refused:
        return refused
    return None


_Matcher = tuple["Callable[[str], re.Match[str] | None]", tuple[Classified, ...]]


class PathClasses:
    """The classes of a policy, asked path by path. The first class with a pattern that matches wins."""

    def __init__(self, policy: Policy) -> None:
        """Compile the patterns of a policy that `build_policy` accepted; `RefusedPattern` for others."""
        self._classes = [_class_matcher(entry.name, entry.match) for entry in policy.paths if entry.match]
        self._known: dict[str, Classified] = {}
        self._unmatched = Classified("production", None)

    def class_of(self, path: str) -> Classified:
        """The class of a path of the tree, remembered."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self._classify(path)
        return known

    def _classify(self, path: str) -> Classified:
        for match, answers in self._classes:
            found = match(path)
            if found is not None:
                assert found.lastindex is not None
                return answers[found.lastindex - 1]
        return self._unmatched

    def uncovered_ledger(self) -> tuple[str, Classified] | None:
        """A place under ledgers/ whose class is not freeze_config, with its class; None when all are covered."""
        for place in LEDGER_PLACES:
            found = self.class_of(place)
            if found.name != "freeze_config":
                return place, found
        return None


def looks_like_test(path: str) -> bool:
    """Whether the file's name is one that `TEST_NAMES` lists."""
    return _test_names().match(path.rpartition("/")[2]) is not None


@functools.cache
def _test_names() -> re.Pattern[str]:
    return _combined([_translate(pattern) for patterns in TEST_NAMES.values() for pattern in patterns])


def _class_matcher(name: ClassName, patterns: Sequence[str]) -> _Matcher:
    translated = sorted(((_translate(pattern), pattern) for pattern in patterns), key=lambda one: one[0].floating)
    answers = tuple(Classified(name, pattern) for _, pattern in translated)
    return _combined([expression for expression, _ in translated]).match, answers


def _combined(translated: Iterable[_Translated]) -> re.Pattern[str]:
    """One expression for many patterns; group N closes when the Nth of them, those at the root first, matches.

    The floating ones share one walk over the folders of a path.
    """
    rooted = [f"({one.body})" for one in translated if not one.floating]
    floating = [f"({one.body})" for one in translated if one.floating]
    if floating:
        rooted.append(f"(?>{_SKIP_FOLDERS}(?:{'|'.join(floating)}))")
    return re.compile("|".join(rooted))


def _translate(pattern: str, *, files_alone: bool = False) -> _Translated:
    """A pattern as a regular expression, or `RefusedPattern`."""
    text = _trimmed(pattern)
    _refuse_by_look(text)
    end = "/" if text.endswith("/") else r"\Z" if files_alone else r"(?:/|\Z)"
    text = text.removesuffix("/")
    names = (text if "/" in text else f"{_ANY_FOLDERS}/{text}").removeprefix("/").split("/")
    if any(name.endswith("**") and name.strip("*") for name in names[:-1]):
        # its manual reads a plain star; its code reads `**` where only fixed text stands before
        raise RefusedPattern("git reads `**` behind a name in two ways", "write `*`, or put a slash before `**`")
    parts = [_folder_name(name) for name in names]
    if parts[-1] == _ANY_FOLDERS:
        parts[-1] = "[^/]*"  # whatever is below a folder is below something in it
    floating = parts[0] == _ANY_FOLDERS and parts.count(_ANY_FOLDERS) == 1
    if floating:
        parts = parts[1:]
    return _Translated(_joined(parts, end), floating)


def _trimmed(pattern: str) -> str:
    """The pattern without the spaces at its end; a backslash keeps the first of them."""
    text = pattern.rstrip(" ")
    escaped = (len(text) - len(text.rstrip("\\"))) % 2 == 1 and text != pattern
    return text + " " if escaped else text


def _refuse_by_look(text: str) -> None:
    if not text or text == "/":
        raise RefusedPattern("an empty pattern matches nothing", "leave it out")
    if len(text) > MAX_PATTERN:
        raise RefusedPattern(f"a pattern of more than {MAX_PATTERN} characters", "write several shorter ones")
    if text.startswith("!"):
        raise RefusedPattern("a pattern cannot take back another one", "order the classes, the first that matches wins")
    if text.startswith("#"):
        raise RefusedPattern("in a .gitignore this is a comment", "write \\# for a name that starts with #")
    if any(char in text for char in "\n\r\0"):
        raise RefusedPattern("a pattern holds no line break and no NUL", "match such a name with ?")


def _folder_name(name: str) -> str:
    """The expression for one name between slashes, or `**` when it stands for any number of folders."""
    if name in ("", ".", ".."):
        raise RefusedPattern("a pattern goes down from the root by names", "leave out empty names, `.` and `..`")
    if len(name) > 1 and not name.strip("*"):
        return _ANY_FOLDERS
    fixed = [""]  # what stands between the stars
    for element in _elements(name):
        if element is not _STAR:
            fixed[-1] += element
        elif len(fixed) == 1 or fixed[-1]:  # several stars are one
            fixed.append("")
    if len(fixed) == 1:
        return fixed[0]
    middle = "".join(f"(?>[^/]*?{text})" for text in fixed[1:-1])
    return f"{fixed[0]}{middle}[^/]*{fixed[-1]}"


def _elements(name: str) -> Iterable[str]:
    """The stars of a name, and an expression for each element that stands for one character."""
    at = 0
    while at < len(name):
        char, at = name[at], at + 1
        if char == "*":
            yield _STAR
        elif char == "?":
            yield "[^/]"
        elif char == "[":
            expression, at = _bracket(name, at)
            yield expression
        elif char == "\\":
            if at == len(name):
                raise RefusedPattern("a backslash at the end of a name escapes nothing", "leave it out")
            yield re.escape(name[at])
            at += 1
        else:
            yield re.escape(char)


def _bracket(name: str, at: int) -> tuple[str, int]:
    """The expression for the bracket whose inside starts at `at`, and the index after it."""
    negated = name[at : at + 1] in ("!", "^")
    start = at = at + 1 if negated else at
    items = ""
    while at == start or name[at : at + 1] != "]":
        item = _item().match(name, at)
        if item is None:
            raise RefusedPattern("a [ is not closed by a ] before the next slash", "close it, or write \\[")
        items += _bracket_item(item)
        at = item.end()
    return (f"[^/{items}]" if negated else f"(?!/)[{items}]"), at + 1


@functools.cache
def _item() -> re.Pattern[str]:
    """One item of a bracket: a class, a range, or a character. Most runs need none, so none compiles it before."""
    return re.compile(r"\[:([^\]]*):\]|(\\.|[^\\])-(\\.|[^\\\]])|(\\.|[^\\])", re.DOTALL)


def _bracket_item(item: re.Match[str]) -> str:
    posix, low, high, single = item.groups()
    if posix is not None:
        if posix not in _POSIX:
            raise RefusedPattern(f"[:{posix}:] is no class of characters", f"write one of {', '.join(_POSIX)}")
        return _POSIX[posix]
    if single is not None:
        return re.escape(single[-1])
    if low[-1] > high[-1]:
        raise RefusedPattern(f"the range {low}-{high} runs backwards and holds nothing", f"write {high}-{low}")
    return f"{re.escape(low[-1])}-{re.escape(high[-1])}"


def _joined(parts: list[str], end: str) -> str:
    """The names of a path in order; every `**` jumps to the leftmost place where the names after it match."""
    expression, open_groups = "", 0
    for number, part in enumerate(parts):
        if part == _ANY_FOLDERS:
            if parts[number - 1 : number] == [_ANY_FOLDERS]:
                continue
            expression += ")" * open_groups + f"(?>{_SKIP_FOLDERS}"
            open_groups = 1
        else:
            expression += part + (end if number == len(parts) - 1 else "/")
    return expression + ")" * open_groups
