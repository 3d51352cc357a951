"""`flakeledger excerpt`: what may be told of a failure log to whoever classifies it, and nothing else of it.

Invariants:
* Made by picking out, never by striking out: a word is printed only because it stands in the repository or in Python
  itself. What the log says in other words cannot get into the output.
* What is picked are names of exception classes, ids of properties, and field names of the contracts that these
  properties are judged on.
* When anything is unsure, nothing is printed and the exit code is 1: a class that nobody knows where a traceback ends,
  no property, no exception, or a word that looks like a secret.
* The output is for people and drafts. No other command reads it, and no ledger, note or verdict holds it.
"""

from __future__ import annotations

import argparse
import builtins
import os
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from flakeledger.cli.ledger_edits import policy_of, refuse_unreadable
from flakeledger.cli.named_file import read_named
from flakeledger.model.canonical import NotCanonical, strict_object
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, PROPERTIES
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.reporters.json import dumped
from flakeledger.store.git_search import begin_search, search_answer

EXAMPLES = """\
  flakeledger excerpt failure.log
  pytest > failure.log; flakeledger excerpt failure.log --format json"""

VERSION = 1
#: a log of one failure; one of a whole night says too much of too many
LARGEST_LOG = 1024 * 1024
#: classes that are looked for in the tree; more of them at the ends of tracebacks are no log of one failure
_MOST_CLASSES = 50
_BUILTIN = frozenset(
    name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, BaseException)
)
#: what pytest and Hypothesis raise of their own
_OF_RUNNERS = frozenset({"Failed", "DeadlineExceeded", "FailedHealthCheck", "Flaky", "FlakyFailure", "Unsatisfiable"})
_WORD = re.compile(r"(?<!\w)[A-Za-z_]\w{0,63}+(?!\w)", re.ASCII)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,199}+", re.ASCII)
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
#: what stands before a line in a report of pytest, and around groups of exceptions
_MARGIN = re.compile(r"(?:E(?= ))?[ |+-]*+")
#: a class at the start of a line, behind its module: what Python prints of an exception
_CLASS = re.compile(r"(?:[A-Za-z_]\w*+\.){0,20}+([A-Za-z_]\w{0,99}+)(?=:|$)", re.ASCII)
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}+m")
#: where pytest says at which line something was raised, and what
_RAISED_AT = re.compile(r"[^\s:]{1,500}+:[0-9]{1,7}: ([A-Za-z_]\w{0,99}+)$", re.ASCII)
_TRACEBACK = "Traceback (most recent call last):"


class Excerpt(NamedTuple):
    """What is told: each sorted, each once."""

    exceptions: tuple[str, ...]
    properties: tuple[str, ...]
    fields: tuple[str, ...]


class Classes(NamedTuple):
    """Names that stand where exception classes do: where nothing else can stand, and where other words may."""

    certain: frozenset[str]
    possible: frozenset[str]


class _UnsureError(Exception):
    """Why nothing is told, in words of our own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("file", metavar="FILE", help="what a failing test printed, at most 1 MiB")
    parser.add_argument("--format", choices=["json", "text"], default="text", help="how to print (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """Print the excerpt: 0; 1, and nothing printed, when anything is unsure; CannotTell without a readable ledger."""
    log = read_named(arguments.file, LARGEST_LOG).decode("utf-8", "replace")
    try:
        with open_repository(os.curdir, os.environ) as repository:
            excerpt = excerpt_of(log, repository)
        _refuse_secrets(excerpt)
    except _UnsureError as unsure:
        print(f"nothing is told of this log: {unsure}", file=sys.stderr)
        return 1
    sys.stdout.write(_json_text(excerpt) if arguments.format == "json" else "".join(_lines(excerpt)))
    return 0


def excerpt_of(log: str, repository: Repository) -> Excerpt:
    """What a log says in words of the repository's commit at hand, and of Python.

    CannotTell without a commit, and where a ledger or a contract of it cannot be read.
    """
    commit = repository.git.head()
    if commit is None:
        raise CannotTell("this repository has no commit", "git add ledgers && git commit")
    ledger = repository.ledger(repository.tree(commit))
    refuse_unreadable(ledger, (FIXTURES, PROPERTIES))
    properties = _properties(log, ledger)
    if not properties:
        raise _UnsureError(f"it names no property of {PROPERTIES}, nor a test that one lists")
    words = set(_WORD.findall(log))
    fields = {field for field in _fields(ledger, properties) if field in words}
    return Excerpt(_exceptions(log, repository, ledger, commit), properties, tuple(sorted(fields)))


# exceptions


def classes_of(log: str) -> Classes:
    """The names that stand where Python and pytest print the class of an exception, without their modules."""
    certain: set[str] = set()
    possible: set[str] = set()
    depth: int | None = None  # of the traceback that is being read
    for line in _COLOUR.sub("", log).splitlines():
        margin = _MARGIN.match(line)
        indent = margin.end() if margin else 0
        text = line[indent:].rstrip()
        raised = _RAISED_AT.fullmatch(text)
        if text.endswith(_TRACEBACK):
            depth = indent
            continue
        found = _CLASS.match(text)
        if raised is not None:
            certain.add(raised[1])
        elif found is not None and depth is not None and indent <= depth:
            certain.add(found[1])
        elif found is not None and line.startswith("E ") and found[1][0].isupper():
            possible.add(found[1])
        if text and depth is not None and indent <= depth:
            depth = None
    return Classes(frozenset(certain), frozenset(possible - certain))


def _exceptions(log: str, repository: Repository, ledger: Ledger, commit: str) -> tuple[str, ...]:
    """The exception classes of a log that are known. Unsure when there is none, or one that is certain is not known."""
    classes = classes_of(log)
    accepted = {name.rpartition(".")[2] for name in policy_of(ledger).environment_failures}
    names = classes.certain | classes.possible
    known = names & (_BUILTIN | _OF_RUNNERS | accepted)
    unknown = names - known
    if len(unknown) > _MOST_CLASSES:
        raise _UnsureError("it has too many exceptions for a log of one failure")
    known |= {name for name in unknown if _is_defined(repository, commit, name)}
    if not classes.certain <= known:
        fix = "name it in `environment_failures` of the policy if it is one of the environment"
        raise _UnsureError(f"neither Python nor this repository has a class that a traceback of it ends with; {fix}")
    if not known:
        raise _UnsureError("no exception class stands where Python or pytest prints one")
    return tuple(sorted(known))


def _is_defined(repository: Repository, commit: str, name: str) -> bool:
    """Whether some Python file of a commit defines a class of this name."""
    texts = [f"class {name}{end}".encode() for end in "(:"]
    found = search_answer(commit, begin_search(repository.git, commit, texts, ["*.py"]))
    return bool(found.paths)


# properties and fields


def _properties(log: str, ledger: Ledger) -> tuple[str, ...]:
    """The properties that a log names, by their ids or by the tests that they list."""
    names = {name.rstrip(".-") for name in _NAME.findall(log)}
    tests = {word.partition("[")[0].strip("\"'(),.;:") for word in log.split() if "::" in word}
    listing = (row.id for row in ledger.properties if any(_function(test) in tests for test in row.tests or ()))
    named = (row.id for row in ledger.properties if row.id in names)
    return tuple(sorted({one for one in (*listing, *named) if one is not None}))


def _function(test: str) -> str:
    return test.partition("[")[0]


def _fields(ledger: Ledger, properties: Collection[str]) -> Iterator[str]:
    """The field names of the contracts that the properties are judged on. CannotTell where one cannot be read."""
    ids = {name for one in properties for name in ledger.property_by_id[one].fixtures or ()}
    for row in ledger.fixtures:
        if row.id in ids and row.hash == "contract" and row.path is not None:
            yield from filter(_FIELD.fullmatch, _keys(_contract(ledger, row.path)))


def _contract(ledger: Ledger, path: str) -> dict[str, object]:
    data = ledger.tree.read(path)
    if data is None:
        raise CannotTell(f"{path} is not in {ledger.tree.label}", "flakeledger check   # says what is wrong")
    try:
        return strict_object(data)
    except NotCanonical as wrong:
        fix = "flakeledger check   # says what is wrong with it"
        raise CannotTell(f"no contract: {wrong.message}", fix, f"{path}:{wrong.line}:{wrong.column}") from None


def _keys(value: object) -> Iterator[str]:
    """Every key of a value, however deep."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            yield from part
            pending += part.values()
        elif isinstance(part, list):
            pending += part


# printing


def _refuse_secrets(excerpt: Excerpt) -> None:
    from flakeledger.evidence.secrets import secret_among

    if secret_among(word for words in excerpt for word in words):
        raise _UnsureError("a name in it looks like a secret")


def _lines(excerpt: Excerpt) -> Iterator[str]:
    for heading, words in _told(excerpt):
        yield from (f"{heading}: {word}\n" for word in words)


def _told(excerpt: Excerpt) -> Sequence[tuple[str, tuple[str, ...]]]:
    return tuple(zip(("exception", "property", "field"), excerpt, strict=True))


def _json_text(excerpt: Excerpt) -> str:
    """`version` (1), and `exceptions`, `properties` and `fields`, each a list of names."""
    return dumped({"version": VERSION} | {name: list(words) for name, words in excerpt._asdict().items()})
