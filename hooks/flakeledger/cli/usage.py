"""What is said about a command line that cannot be understood.

Invariants:
* One line of usage, one line about what is wrong, and the fix: what was probably meant, and where all of it is shown.
* What was typed is shown escaped, and compared in bounded time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from shlex import join

from flakeledger.reporters.escape import escape_line

_LONGEST_COMPARED = 40
#: the optional parts of argparse's usage: brackets around an option, whose value may stand in brackets of its own
_OPTIONAL = re.compile(r"(?: \[-(?:[^\[\]]|\[[^\[\]]*\])*\])+")
_OPTION = re.compile(r"--[a-z][a-z-]*")
#: how argparse words what it does not know; some versions of Python quote the choices
_UNKNOWN_OPTION = re.compile(r"unrecognized arguments: (--[\w-]+)")
_UNKNOWN_CHOICE = re.compile(r"argument (\S+): invalid choice: '([^']*)' \(choose from (.*)\)")


def unknown_command(typed: Sequence[str], commands: Iterable[str]) -> str:
    """What to print about a command that there is not, the first word that was typed, with a newline at its end."""
    name, *rest = typed
    near = _nearest(name, commands)
    fix = join(["flakeledger", near, *rest]) if near else "flakeledger help   # shows every command"
    return _lines("usage: flakeledger [options] COMMAND ...", f"flakeledger: error: no command {name!r}", fix)


def bad_usage(program: str, usage: str, message: str) -> str:
    """What to print about arguments that cannot be understood, with a newline at its end.

    `program` is the program with its command; `usage` and `message` are argparse's own texts.
    """
    whole = " ".join(usage.split())
    short = _OPTIONAL.sub("", _OPTIONAL.sub(" [options]", whole, count=1))
    meant = _meant(message, set(_OPTION.findall(whole)))
    where = f"{program} --help   # every argument, with examples"
    fix = f"did you mean {meant}? {where}" if meant else where
    return _lines(short, f"{program}: error: {message}", fix)


def _meant(message: str, options: Iterable[str]) -> str:
    """The argument that was probably meant, as it is typed; empty where nothing is near."""
    if found := _UNKNOWN_OPTION.search(message):
        return _nearest(found[1], options)
    if found := _UNKNOWN_CHOICE.search(message):
        name, typed, known = found.groups()
        near = _nearest(typed, re.findall(r"[\w.-]+", known))
        return f"{name} {near}" if near and name in options else near
    return ""


def _nearest(typed: str, known: Iterable[str]) -> str:
    return next(iter(get_close_matches(typed[:_LONGEST_COMPARED], sorted(known), n=1)), "")


def _lines(*lines: str) -> str:
    *above, fix = lines
    return "".join(f"{escape_line(line)}\n" for line in (*above, f"    fix: {fix}"))
