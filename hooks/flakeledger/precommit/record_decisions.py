"""The hook `record-decisions`: what table 1 decides about the citations that a commit touches, as its trailers.

Invariants:
* It never stops a commit: what it cannot tell is a note on standard error, the message stays as it is, and the exit
  code is 0.
* Where there is nothing to record, the message file is not written. Where there is, it is replaced whole.
* Decisions that stand in the message already are about another commit, or an earlier form of this one: they go.
* No trailer goes into an empty message that no editor will show: git would take it for a message, and commit. Where
  an editor shows it, a comment says so.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from flakeledger.model.decision_trailers import comment_start, is_blank, trailer, with_comment, without_decisions
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES, LEDGERS, POLICY
from flakeledger.precommit.arguments import instant, now_of
from flakeledger.repo.commit_at_hand import parents_at_hand, touched, touched_paths, touches_row
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.store.commit_messages import NO_COMMENTS, comment_starts, with_trailers
from flakeledger.store.git import Git
from flakeledger.store.placing import place, read_regular
from flakeledger.verdicts.citing import claim_of, meant
from flakeledger.verdicts.decision import decide

EXAMPLES = """\
  flakeledger record-decisions .git/COMMIT_EDITMSG message   # as git calls it"""

#: what git sets for its hooks when no editor will open
_NO_EDITOR = ":"
#: a message that its user may want to leave empty, or as its template, to make no commit
_HINT = "flakeledger: to make no commit, delete the lines above as well"


class Call(NamedTuple):
    """What git says to the hook: the message file, where the message comes from, and of which commit it is."""

    file: str
    source: str
    name: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the hook: those that git gives to prepare-commit-msg."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="the file with the message")
    parser.add_argument("source", nargs="?", metavar="SOURCE", help="message, template, merge, squash or commit")
    parser.add_argument("name", nargs="?", metavar="COMMIT", help="the commit whose message it is")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="decide for this time: 2026-10-11T00:00:00Z")


def run(arguments: argparse.Namespace) -> int:
    """Record, or say on standard error why nothing is recorded: 0."""
    now = now_of(arguments)
    try:
        record(_call(arguments, os.environ), now, os.environ)
    except CannotTell as error:
        from flakeledger.reporters.text import undecided

        sys.stderr.write(undecided("record-decisions", error))
        sys.stderr.write("note: no decision was recorded; the commit goes on\n")
    return 0


def _call(arguments: argparse.Namespace, environment: Mapping[str, str]) -> Call:
    """What git said: pre-commit passes the file on, and the rest in variables."""
    if arguments.file is None:
        raise CannotTell("no message file was given", "let `pass_filenames` of the hook record-decisions be true")
    return Call(
        arguments.file,
        arguments.source or environment.get("PRE_COMMIT_COMMIT_MSG_SOURCE", ""),
        arguments.name or environment.get("PRE_COMMIT_COMMIT_OBJECT_NAME", ""),
    )


def record(call: Call, now: int, environment: Mapping[str, str]) -> None:
    """Write the decisions for this second into the message. CannotTell, with nothing written, when they are unknown."""
    folder, name = os.path.split(os.path.abspath(call.file))
    before = read_regular(folder, name)
    if before is None:
        raise CannotTell(f"there is no message file {call.file!r}", "give the file that git gave to its hook")
    with open_repository(os.curdir, environment) as repository:
        trailers = decisions(repository, parents_at_hand(repository.git, call.source, call.name), now)
        after = _with_trailers(repository.git, call, before, trailers, environment)
    if after != before:
        place(folder, name, before, after)


def decisions(repository: Repository, parents: Sequence[str], now: int) -> list[str]:
    """The trailers of a commit with these parents that holds what is staged, sorted, each once.

    CannotTell when a ledger cannot be read as a whole, or the policy, which says what the generators are.
    """
    paths = touched_paths(repository, parents)
    if not paths or repository.tree(INDEX).entry(FREEZES) is None:
        return []
    ledger = repository.ledger(repository.tree(INDEX))
    if not any(path.startswith(LEDGERS) for path in paths) and paths.isdisjoint(ledger.citing_files):
        return []
    citations = [citation for citation in ledger.citations if not citation.problem]
    if citations:
        _refuse(sorted(ledger.unreadable - {POLICY}))
    of_rows = touched(repository, parents, paths)
    concerned = [
        (citation, row)
        for citation, row in meant(ledger, citations)
        if row is not None and (citation.path in paths or touches_row(of_rows, ledger, row))
    ]
    if concerned and ledger.policy is None:
        _refuse([POLICY])
    found = {(citation.property_id, decide(claim_of(ledger, citation, row), now)) for citation, row in concerned}
    return [trailer(property_id, decision, now) for property_id, decision in sorted(found)]


def _refuse(unread: Sequence[str]) -> None:
    """CannotTell when there is a ledger that cannot be read."""
    if unread:
        raise CannotTell(f"{unread[0]} cannot be read as a whole", "flakeledger check-ledgers   # says what is wrong")


def _with_trailers(
    git: Git, call: Call, message: bytes, trailers: Sequence[str], environment: Mapping[str, str]
) -> bytes:
    """The message with these decisions in the place of those that stand in it."""
    bare = without_decisions(message)
    if not trailers:
        return bare
    # where no editor opens there are no comments: a line that begins as one is text, and trailers stand below it
    opens = environment.get("GIT_EDITOR") != _NO_EDITOR
    comment = comment_start(bare, comment_starts(git)) if opens else None
    blank = is_blank(bare, comment)
    if comment is None:
        return message if blank else with_trailers(git, _ended(bare), trailers, NO_COMMENTS)
    after = with_trailers(git, _ended(bare), trailers, comment)
    if blank:
        after = b"\n" + after  # one line for the subject, and one between it and the trailers
    return with_comment(after, trailers[-1], comment, _HINT) if blank or call.source == "template" else after


def _ended(message: bytes) -> bytes:
    """The message with an end of its last line, without which git takes that line for a trailer's neighbour."""
    return message if message.endswith(b"\n") else message + b"\n"
