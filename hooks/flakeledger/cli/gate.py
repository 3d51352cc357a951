"""`flakeledger gate`: may this patch receive a freeze? Decision table 2, and the review note that answers.

Invariants:
* What is judged are commits. The working tree, the index, and whatever they configure have no say.
* Standard output holds the note as its file would, and nothing else (with `--format json` one object around it); what
  people read goes to standard error.
* 0 only for `eligible_short`, 1 for a denial, 2 where the gate cannot tell. `--out` has the note of a decision only.
* A tool that is part of the tree that it judges judges nothing: the patch could have edited it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from flakeledger.cli.named_file import read_named
from flakeledger.model.errors import CannotTell
from flakeledger.model.note import ELIGIBLE, note_file
from flakeledger.model.witness import Witness
from flakeledger.precommit.arguments import seconds
from flakeledger.precommit.output import show_undecided
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.reporters.columns import columns, terminal_width
from flakeledger.reporters.escape import escape_line, escape_surrogates
from flakeledger.reporters.json import dumped
from flakeledger.rules.gating import Judgement, Replay, Replayed, judge
from flakeledger.rules.patches import Patch, read_patch
from flakeledger.rules.witnesses import WitnessFile
from flakeledger.store.placing import place, read_regular
from flakeledger.verdicts.gate import TABLE

EXAMPLES = """\
  flakeledger gate --base origin/main --witness witnesses/1f0c….json
  flakeledger gate --base origin/main --witness FILE --out note.json
  flakeledger gate --base origin/main --explain   # each line of the table
  flakeledger gate --base origin/main --head pull/7/head --format json"""

VERSION = 1
_TIMEOUT = 300.0
#: the policy's own ceiling for an example is 64 KiB; the paths of its generators stand beside it
_LARGEST_WITNESS = 1024 * 1024
_HEADINGS = ("", "verdict", "paths of the patch", "witness", "clean replay")

#: how witnesses of a patch are replayed, each run with this time limit in seconds
MakeReplay = Callable[[Repository, Patch, float], Replay]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--base", required=True, metavar="REV", help="the branch that the patch goes to")
    parser.add_argument("--head", default="HEAD", metavar="REV", help="the patch's last commit (default: HEAD)")
    parser.add_argument("--witness", metavar="FILE", help="the witness of the failure that a freeze would excuse")
    parser.add_argument("--out", metavar="FILE", help="write the note to FILE, too")
    parser.add_argument("--explain", action="store_true", help="show each line of the decision table")
    parser.add_argument(
        "--timeout", type=seconds, default=_TIMEOUT, metavar="SECONDS", help="for each replay (default: 300)"
    )
    parser.add_argument("--format", choices=["json", "text"], default="text", help="how to print (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """Print the note: 0 when the patch may receive a freeze, 1 when not, 2 when the gate cannot tell."""
    return run_with(arguments, replay_in_worktrees)


def run_with(arguments: argparse.Namespace, make_replay: MakeReplay) -> int:
    """As `run`, with witnesses replayed as `make_replay` says."""
    try:
        found = _judged(arguments, make_replay)
    except CannotTell as error:
        show_undecided("gate", error, arguments.format)
        return 2
    except _InterruptedError as interrupted:
        print("flakeledger: interrupted; nothing was decided", file=sys.stderr)
        return interrupted.code
    _show(found, arguments.format, explain=arguments.explain)
    return 0 if found.line.verdict == ELIGIBLE else 1


class _Target(NamedTuple):
    """A file that is to be written, and what it holds before; None where nothing stands."""

    folder: str
    name: str
    before: bytes | None

    @classmethod
    def of(cls, path: str) -> _Target:
        """CannotTell when what stands there is no file."""
        folder, name = os.path.split(os.path.abspath(path))
        return cls(folder, name, read_regular(folder, name))


class _InterruptedError(Exception):
    """A signal ended the replays: what they showed is no answer. `code` is the exit code that says so."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def _judged(arguments: argparse.Namespace, make_replay: MakeReplay) -> Judgement:
    target = None if arguments.out is None else _Target.of(arguments.out)  # before replays that nobody could keep
    with open_repository(os.curdir, os.environ) as repository:
        patch = read_patch(repository, arguments.base, arguments.head)
        _refuse_own_code(repository, patch)
        found = judge(
            repository, patch, _witness_file(arguments.witness), make_replay(repository, patch, arguments.timeout)
        )
    if target is not None:
        place(target.folder, target.name, target.before, note_file(found.note).data)
    return found


def replay_in_worktrees(repository: Repository, patch: Patch, timeout: float) -> Replay:
    """Replays in clean worktrees of the patch, on the default runner of the policy of the base."""

    def replay(witness: Witness, runs: int) -> Replayed:
        from flakeledger.cli.interrupts import interrupts  # a patch that is denied replays nothing
        from flakeledger.evidence.engines import Abandoned
        from flakeledger.evidence.environment import default_python
        from flakeledger.evidence.witness_replay import replay_witness

        runner = next(one for one in patch.policy.runners if one.name == patch.policy.default_runner)
        python = default_python(os.environ)
        git, head = repository.git, patch.head
        with interrupts() as interrupted:
            try:
                found = replay_witness(git, head, witness, runs, runner, timeout, python, stop=interrupted.stop)
            except (Abandoned, CannotTell):
                if interrupted.code is None:  # else it is what the user interrupted
                    raise
            if interrupted.code is not None:
                raise _InterruptedError(interrupted.code)
        return Replayed(found.outcomes, found.network, found.details)

    return replay


def _refuse_own_code(repository: Repository, patch: Patch) -> None:
    """CannotTell when this module is a file of the tree that is judged, as an editable install makes it."""
    try:
        here = os.path.relpath(os.path.realpath(__file__), os.path.realpath(repository.git.root)).replace(os.sep, "/")
    except ValueError:  # Windows: it is on another drive
        return
    if repository.tree(patch.head).entry(here) is not None:
        reason = f"this flakeledger runs from {here}, which is part of the tree that it would judge"
        raise CannotTell(reason, "pipx run flakeledger gate --base REV   # runs one that is installed apart")


def _witness_file(path: str | None) -> WitnessFile | None:
    return None if path is None else WitnessFile(os.path.basename(path), read_named(path, _LARGEST_WITNESS))


def _show(found: Judgement, form: str, *, explain: bool) -> None:
    if form == "json":
        sys.stdout.write(_json_text(found, explain=explain))
        return
    sys.stdout.write(note_file(found.note).data.decode())
    sys.stdout.flush()
    if explain:
        sys.stderr.write(columns(_HEADINGS, list(_steps(found)), terminal_width(sys.stderr)))
    sys.stderr.writelines(f"{escape_line(line)}\n" for line in _lines(found))


def _lines(found: Judgement) -> Iterator[str]:
    """The answer for people: the verdict with its reason, then what to do next."""
    advice = f" ({found.line.advice})" if found.line.advice else ""
    yield f"{found.line.verdict}{advice}: {'; '.join(found.because)}"
    yield f"    next: {found.next_step}"


def _steps(found: Judgement) -> Iterator[tuple[str, str, str, str, str]]:
    """The lines of the table: down to the one that applies they were asked, below it they were not."""
    decisive = TABLE.index(found.line)
    for number, line in enumerate(TABLE):
        answer = "no" if number < decisive else "applies" if number == decisive else "not asked"
        yield answer, line.verdict, line.paths, line.witness, line.replay


def _json_text(found: Judgement, *, explain: bool) -> str:
    """`version` (1), `verdict`, `because` (clauses), `next`, `note` as its file holds it, with --explain `table`."""
    names = ("answer", "verdict", "paths", "witness", "replay")
    table = {"table": [dict(zip(names, step, strict=True)) for step in _steps(found)]} if explain else {}
    value = {
        "version": VERSION,
        "verdict": found.line.verdict,
        "because": [escape_surrogates(clause) for clause in found.because],
        "next": found.next_step,
        "note": json.loads(note_file(found.note).data),
    }
    return dumped(value | table)
