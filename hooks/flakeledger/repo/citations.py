"""Citations: the places of a tree that rely on a freeze, and how a comment writes one.

In Python a mark cites: `@pytest.mark.frozen("PROP-014", runner_class="local-fixture")` (`python_citations.py`
finds it). In every language a comment cites: `flakeledger: cite PROP-014 runner_class=local-fixture`, at the start
of a comment or behind a sign that begins another comment in it (`# pragma  # flakeledger: cite PROP-014`).

Invariants:
* What begins as a citation is never silently none: where it is malformed, `problem` says why.
* Text in strings and docstrings is no citation; nothing of the tree is run.
* Citations are facts of a blob and its language, JSON, and made to be cached; the work is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from flakeledger.model.records import NAME
from flakeledger.model.rows import Place
from flakeledger.model.wording import shown

if TYPE_CHECKING:
    from flakeledger.repo.languages import Language

#: a text without one of these holds no citation: what git looks for in a tree, and what is looked for in a blob
WORDS = (b"mark.frozen", b"flakeledger:")
HOW_TO_CITE = (
    '@pytest.mark.frozen("PROP-014", runner_class="local-fixture") on the test, '
    "or the comment `flakeledger: cite PROP-014 runner_class=local-fixture`"
)
NO_ID = "it names no property"
#: blanks and the signs that may be left of a comment's beginning: `#:`, `///`, `/**`, `;;`
_SIGNS = " \t#/*;:!-"
#: the first word says what the comment wants: a misspelt `cite` is malformed, any other word is prose
#: (patterns are compiled where a comment is looked at: most runs look at none)
_COMMENT = r"(?a)(?:^|[ \t](?:#|//|--|;))[ \t]*(?P<cites>flakeledger:[ \t]*(?P<word>(?i:cit)\w*))"
#: what follows belongs to another comment: `# flakeledger: cite PROP-014  # pragma`
_NEXT_COMMENT = r"(?<!\S)(?:#|//|--|;)"
#: the mark in a module whose code cannot be parsed
_MARK = r"(?a)(?<![\w.])(?:pytest\.)?mark\.frozen\b"
_RUNNER = "runner_class="


class Cited(NamedTuple):
    """A citation as its file has it.

    `test` is the test, class or function inside the file ("Class::test_x"), "" where it stands for the whole file.
    `runner_class` is None where none is named. `problem` says why it is malformed; `property_id` is "" then.
    """

    place: Place
    property_id: str
    runner_class: str | None
    test: str
    problem: str = ""


class Citation(NamedTuple):
    """A citation of a tree: the file, and then what `Cited` says of it."""

    path: str
    place: Place
    property_id: str
    runner_class: str | None
    test: str
    problem: str = ""


def holds_words(data: bytes) -> bool:
    """Whether the content of a file may hold a citation at all."""
    return any(word in data for word in WORDS)


def in_order(found: Iterable[Cited]) -> list[Cited]:
    """Citations of a file in the order of their places."""
    return sorted(found, key=lambda cited: cited.place)


def is_id(text: str) -> bool:
    """Whether the text can be the id of a property (LEDGERS.md, properties.yaml)."""
    return re.fullmatch(NAME, text) is not None


def malformed(place: Place, test: str, problem: str) -> Cited:
    """A citation that cannot be read."""
    return Cited(place, "", None, test, problem)


def cited_in_comment(text: str, place: Place, test: str) -> Cited | None:
    """The citation that a comment holds; None when it holds none. `place` is where `text` begins.

    Its own place is where the citation's first word stands.
    """
    found = re.search(_COMMENT, text.lstrip(_SIGNS))
    if found is None:
        return None
    place = Place(place.line, place.column + len(text) - len(found.string) + found.start("cites"))
    if found["word"] != "cite":
        return malformed(place, test, f"{shown(found['word'])} is misspelt; the word is `cite`")
    rest = found.string[found.end() :]
    following = re.search(_NEXT_COMMENT, rest)
    name, *options = rest[: following.start() if following else None].split() or [""]
    name = name.rstrip(".")  # the full stop of a sentence is no part of an id
    problem = _problem_of_words(name, options)
    if problem:
        return malformed(place, test, problem)
    runner_class = options[0].removeprefix(_RUNNER) if options else None
    return Cited(place, name, runner_class, test)


def _problem_of_words(name: str, options: list[str]) -> str:
    """Why the words of a comment are no citation; "" when they are one."""
    if not name:
        return NO_ID
    if not is_id(name):
        return f"{shown(name)} is no id of a property"
    unknown = [word for word in options if not word.startswith(_RUNNER)]
    if unknown:
        return f"{shown(unknown[0])} is no word of a citation"
    if len(options) > 1:
        return "it names more than one runner class"
    runners = [word.removeprefix(_RUNNER) for word in options]
    return problem_of_runner(runners[0]) if runners else ""


def problem_of_runner(name: str) -> str:
    """Why a text names no runner class; "" when it may name one."""
    if not name.strip():
        return "its `runner_class` is empty"
    return f"{shown(name)} is written with quotes" if name[0] in "\"'`" else ""


def text_citations(text: str, language: Language, unparsed: str | None = None) -> list[Cited]:
    """The citations of a file that is not parsed: its comments, each of which stands for the whole file.

    `unparsed` says why a Python module cannot be parsed: then a mark in its code is a citation that cannot be read.
    """
    from flakeledger.repo.code_text import comments_of

    comments = (
        cited_in_comment(comment.text, Place(comment.line, comment.column), "")
        for comment in comments_of(text, language)
    )
    found = [cited for cited in comments if cited is not None]
    if unparsed is not None:
        found += [malformed(place, "", f"its module cannot be parsed: {unparsed}") for place in _marks(text, language)]
    return in_order(found)


def _marks(text: str, language: Language) -> Iterator[Place]:
    """The places of marks in code that cannot be parsed, strings and comments left out."""
    from flakeledger.repo.code_text import bare_code

    for number, line in enumerate(bare_code(text, language).split("\n"), 1):
        yield from (Place(number, found.start() + 1) for found in re.finditer(_MARK, line))


def to_json(found: Iterable[Cited]) -> list[object]:
    """Citations as plain JSON."""
    return [[*cited.place, *cited[1:]] for cited in found]


def from_json(value: Iterable[Any]) -> tuple[Cited, ...]:
    """The citations that `to_json` wrote."""
    return tuple(Cited(Place(line, column), *said) for line, column, *said in value)
