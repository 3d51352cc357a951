"""What commits say: their order, dates and subjects, the values of a trailer, and a message that gains trailers.

Invariants:
* Every question is a constant number of processes, however many commits it is about.
* No configuration of the user changes an answer: what counts as a trailer is what git says by its own defaults, and
  no command that somebody configured for trailers is run.
* Bytes that are no UTF-8 are kept as surrogates; whoever prints them escapes them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git

#: a line that no message begins with, so that no line of it is taken for a comment
NO_COMMENTS = "\x01"
_AS_GIT_SHIPS = ("-c", "trailer.separators=:")
#: four lines a commit, for git writes `commit ID` above what it is asked for; a subject is one line by definition
_FORMAT = "--format=tformat:%aI%n%s%n%(trailers:key={},valueonly,unfold,separator=%x00)"
#: each trailer is put at the end as it is given, whatever stands there
_PUT_AT_END = ("--where", "end", "--if-exists", "add", "--if-missing", "add")
#: a repository and the files of a user from which git would take configuration: here there are none
_NOWHERE = dict.fromkeys(("GIT_DIR", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "HOME", "XDG_CONFIG_HOME"), os.devnull)


class Message(NamedTuple):
    """What one commit says. `author_date` is ISO 8601 with the author's zone, "" where the commit has none."""

    commit: str
    author_date: str
    subject: str
    #: the values of the trailer that was asked for, in their order
    values: tuple[str, ...]


def newest_first(git: Git, start: str) -> list[str]:
    """Every commit behind `start` that is here, itself included, children before their parents."""
    return os.fsdecode(git.run("rev-list", "--topo-order", start)).splitlines()


def commits_that_say(git: Git, start: str, words: str) -> list[str]:
    """The commits behind `start` whose message holds these words."""
    return os.fsdecode(git.run("rev-list", "-F", f"--grep={words}", "--encoding=UTF-8", start)).splitlines()


def messages(git: Git, commits: Sequence[str], trailer: str) -> list[Message]:
    """What each of these commits says, in their order, with the values of one trailer."""
    if not commits:
        return []
    question = ("rev-list", "--no-walk=unsorted", "--encoding=UTF-8", _FORMAT.format(trailer), "--stdin")
    out = git.run(*_AS_GIT_SHIPS, *question, given="".join(f"{commit}\n" for commit in commits).encode())
    lines = iter(os.fsdecode(out).split("\n"))
    return [
        Message(commit.removeprefix("commit "), _date(date), subject, tuple(filter(None, values.split("\0"))))
        for commit, date, subject, values in zip(lines, lines, lines, lines, strict=False)
    ]


def _date(expanded: str) -> str:
    """A date as git expanded it; "" where the commit has none: git leaves the placeholder as it is then."""
    return "" if expanded.startswith("%") else expanded


def comment_starts(git: Git) -> list[str]:
    """What the user's git may begin a comment in a message with, as far as that is configured."""
    names = ("core.commentString", "core.commentChar")
    return [found for name in names if (found := git.config(name)) and found != "auto"]


def with_trailers(git: Git, message: bytes, trailers: Sequence[str], comment: str) -> bytes:
    """The message with these trailers (`Name: value`) behind the last one that it has; above its comments.

    `comment` is what a comment in it begins with. CannotTell when git refuses.
    """
    kept = {name: value for name, value in git.environment.items() if not name.startswith("GIT_")}
    apart = git._replace(environment=kept | _NOWHERE | {"GIT_CONFIG_NOSYSTEM": "1"})
    given = [word for trailer in trailers for word in ("--trailer", trailer)]
    configured = (*_AS_GIT_SHIPS, "-c", f"core.commentChar={comment}")
    done = apart.run(*configured, "interpret-trailers", "--no-divider", *_PUT_AT_END, *given, given=message)
    if any(f"{trailer}\n".encode() not in done for trailer in trailers):
        raise CannotTell("git did not put the trailers into the message", "look at it, and write them by hand")
    return done
