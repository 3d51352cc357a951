"""`flakeledger oracle`: what a patch does to the tests that judge it, and the review that approves exactly that.

Invariants:
* What is shown and approved are blobs of commits; one changed byte is another blob, for which no review holds.
* Nothing is approved that could not be shown: a Python file that cannot be parsed. (Links are no test bodies.)
* Only `--out` is written, and only with `--approve`. Whoever reviews commits it below ledgers/reviews/ of the base.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakeledger.model.canonical import NotCanonical
from flakeledger.model.clock import format_date
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import REVIEWS
from flakeledger.model.review import APPROVED, Review, ReviewedFile, review_file
from flakeledger.model.wording import listed
from flakeledger.precommit.arguments import instant, now_of
from flakeledger.repo.ids import is_python
from flakeledger.repo.oracles import oracle_changes
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.reporters.escape import escape_line, escape_surrogates
from flakeledger.reporters.json import dumped
from flakeledger.rules.oracle_reviews import reviewed_files
from flakeledger.rules.patches import Patch, read_patch
from flakeledger.store.git_output import PathChange
from flakeledger.store.git_patches import line_difference
from flakeledger.store.placing import place, read_regular

EXAMPLES = """\
  flakeledger oracle --base origin/main   # what the patch edits in the tests
  flakeledger oracle --base origin/main --head pull/7/head --format json
  flakeledger oracle --base origin/main --approve --reviewer "@finley" \\
      --out review.json"""

VERSION = 1
#: a difference is there to be read
_LONGEST = 400
_BY_LINES = "no Python: reviewed by its lines"


class Edit(NamedTuple):
    """An edited test file: its blobs (None where it is not there), why it cannot be reviewed, and its difference."""

    path: str
    base_blob: str | None
    head_blob: str | None
    problem: str
    difference: tuple[str, ...]
    #: the base has a review of exactly these blobs
    reviewed: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--base", required=True, metavar="REV", help="the branch that the patch goes to")
    parser.add_argument("--head", default="HEAD", metavar="REV", help="the patch's last commit (default: HEAD)")
    parser.add_argument("--approve", action="store_true", help="write the review of exactly these blobs")
    parser.add_argument("--reviewer", metavar="NAME", help='with --approve: who read the difference: "@name"')
    parser.add_argument("--out", metavar="FILE", help="with --approve: where the review goes; a folder: by its digest")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="reviewed at this time: 2026-10-11T00:00:00Z")
    parser.add_argument("--format", choices=["json", "text"], default="text", help="how to print (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """Show the edited tests: 0; 1 when one of them cannot be reviewed. CannotTell for bad usage and unknown commits."""
    if arguments.approve and not (arguments.reviewer and arguments.out):
        raise CannotTell("a review names its reviewer and goes into a file", 'write --reviewer "@name" --out FILE')
    if not arguments.approve and (arguments.reviewer is not None or arguments.out is not None):
        raise CannotTell("--reviewer and --out go with --approve", "add --approve, or leave them out")
    with open_repository(os.curdir, os.environ) as repository:
        patch = read_patch(repository, arguments.base, arguments.head)
        edits = edits_of(repository, patch)
        lines = [] if arguments.format == "json" else _line_difference(repository, patch, edits)
    if arguments.format == "json":
        sys.stdout.write(_json_text(patch, edits))
    else:
        sys.stdout.writelines(f"{escape_line(line)}\n" for line in (*_lines(edits), *lines))
    sys.stdout.flush()
    if any(edit.problem for edit in edits):
        return 1
    if arguments.approve:
        _approve(edits, arguments.reviewer, format_date(now_of(arguments)), arguments.out)
    return 0


def edits_of(repository: Repository, patch: Patch) -> list[Edit]:
    """The edited test files of a patch, by their paths."""
    changes = sorted(patch.edits("test_body"))
    blobs = [(change.path, change.old_oid or None, change.new_oid or None) for change in changes]
    known = {(one.path, one.base_blob, one.head_blob) for one in reviewed_files(repository, patch.tip, blobs)}
    return [
        Edit(*edit, *_difference(repository, patch, change), edit in known)
        for edit, change in zip(blobs, changes, strict=True)
    ]


def _difference(repository: Repository, patch: Patch, change: PathChange) -> tuple[str, tuple[str, ...]]:
    """Why a file cannot be reviewed (or the empty text), and its difference."""
    if not is_python(change.path):
        return "", (_BY_LINES,)
    found = oracle_changes(*(repository.tree(side).read(change.path) for side in (patch.base, patch.head)))
    if isinstance(found, str):
        return found, ()
    texts = (one.text for one in found)
    return "", tuple(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…" for text in texts)


def _line_difference(repository: Repository, patch: Patch, edits: Sequence[Edit]) -> list[str]:
    return line_difference(repository.git, patch.base, patch.head, [edit.path for edit in edits])


def _lines(edits: Sequence[Edit]) -> Iterator[str]:
    """What is shown of each file above the difference of its lines."""
    if not edits:
        yield "no test file is edited"
    for edit in edits:
        state = "reviewed" if edit.reviewed else "not reviewed"
        yield f"{edit.path}: base {edit.base_blob or 'none'}, head {edit.head_blob or 'none'}: {state}"
        if edit.problem:
            yield f"    cannot be reviewed: {edit.problem}"
        elif not edit.difference:
            yield "    no assertion, strategy, input, setting, marker or raised-exception check differs"
        yield from (f"    {line}" for line in edit.difference)


def _approve(edits: Sequence[Edit], reviewer: str, day: str, out: str) -> None:
    """Write the review. CannotTell when there is nothing to review, or it cannot be written."""
    if not edits:
        raise CannotTell(
            "no test file is edited: there is nothing to approve",
            "flakeledger gate --base REV   # judges the patch as it is",
        )
    files = tuple(ReviewedFile(edit.path, edit.base_blob, edit.head_blob, edit.difference) for edit in edits)
    try:
        file = review_file(Review(files, reviewer, day, APPROVED))
    except NotCanonical as refused:
        raise CannotTell(f"the review cannot be written: {refused.message}", '--reviewer "@name"') from None
    target = os.path.join(out, f"{file.digest}.json") if os.path.isdir(out) else out
    folder, name = os.path.split(os.path.abspath(target))
    place(folder, name, read_regular(folder, name), file.data)
    told = (
        f"approved: {listed(edit.path for edit in edits)}; commit it to the base branch as {REVIEWS}{file.digest}.json"
    )
    sys.stderr.write(f"{escape_line(told)}\n")


def _json_text(patch: Patch, edits: Sequence[Edit]) -> str:
    """`version` (1), `base`, `head` (commits) and `files`, each with what the text says of it."""
    files = [
        edit._asdict()
        | {"path": escape_surrogates(edit.path), "difference": [escape_surrogates(line) for line in edit.difference]}
        for edit in edits
    ]
    return dumped({"version": VERSION, "base": patch.base, "head": patch.head, "files": files})
