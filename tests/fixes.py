"""What a fix must be: something to run or something to write, and what it says to run must be there.

Invariants:
* A command ends where its line, its clause or its comment does; words in capitals stand for what the reader knows.
* Commands are held against the real parser: a command or an option that is renamed takes its mentions along.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from functools import cache

from flakeledger.cli.main import whole_parser

#: where a command ends: a comment, another command, the next clause, or the end of a quotation
_END = re.compile(r"\s+#|\s+\d?>|\s+-->|\s+&&|\s*\||[;,:](?=\s|$)|\s+or\s|`|\)|\n|\.(?=\s|$)|\?")
#: what this product does in a sentence about it
_VERBS = ("is", "was", "runs", "reads", "follows", "witnesses", "refuses", "cannot")
_COMMAND = re.compile(rf"(?<![\w/.'-])flakeledger (?=[a-z])(?!(?:{'|'.join(_VERBS)})\b)")
#: what may stand for a value that the parser checks
_VALUES = {"N": "3", "DATE": "2026-11-19", "INSTANT": "2026-10-11T00:00:00Z", "RATE": "5%", "I/N": "1/2"}
_TOLD = re.compile(
    r"""
    \b(?:flakeledger|git|pytest|pip|pipx|dask|chmod|rm|kill|ls)\ [\w-]   # a command
    | (?<!\S)--[a-z]                     # an option
    | `[^`]+` | "[^"]+"                  # a text to write, a value to look for
    | (?:^|\s)@?[a-z_]+:\ \S             # a field with its value
    | (?:^|\s|\()[\w.-]+/[\w./-]+        # a file
    | \bdid\ you\ mean\ \S+\? | \brename\ it\ to\ \S
    """,
    re.VERBOSE,
)


def is_told(fix: str) -> bool:
    """Whether a fix names something to run, or the place or the text of an edit."""
    return _TOLD.search(fix) is not None


def commands(text: str) -> Iterator[str]:
    """The commands of this tool that a text names, without the program's name."""
    for found in _COMMAND.finditer(text):
        rest = text[found.end() :]
        if text[: found.start()].endswith('"'):
            rest = rest.partition('"')[0]
        end = _END.search(rest)
        yield rest[: end.start()] if end else rest


@cache
def _parser() -> argparse.ArgumentParser:
    return whole_parser()


def complaint(command: str) -> str:
    """What the real parser says against a command; empty where it is right."""
    said = io.StringIO()
    try:
        words = [_VALUES.get(word, word) for word in shlex.split(command)]
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            _parser().parse_args(words)
    except ValueError as error:
        return str(error)
    except SystemExit as left:
        return said.getvalue() if left.code else ""
    return ""
