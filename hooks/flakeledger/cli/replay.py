"""`flakeledger replay`: runs tests of a commit under its seeds, in a clean worktree, and records what they showed.

Invariants:
* What is replayed is a commit, its policy, its rows and its seeds included; nobody's edits on disk are seen.
* Tests run beside each other only when the user says so, and the seeds of one test only on a cluster: two runs of one
  test may disturb each other through whatever is outside of their worktrees.
* What neither passed nor failed under every seed, or ran in another environment than its runner, leaves no line.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from time import monotonic

from flakeledger.cli.interrupts import interrupts
from flakeledger.cli.replay_jobs import THE_MODULE, task_of, way_of
from flakeledger.cli.replay_report import show, state
from flakeledger.cli.replay_tests import Asked, select, shard, with_replays
from flakeledger.cli.replaying import Clock, Plan, Task, open_output, replay
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.model.policy import Policy
from flakeledger.model.wording import listed
from flakeledger.precommit.arguments import now_of, number_up_to, seconds
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.reporters.escape import escape_line
from flakeledger.rules.interviews import readable_policy
from flakeledger.store.edits import on_disk
from flakeledger.store.replay_log import read_replays

EXAMPLES = """\
  flakeledger replay tests/test_orders.py::test_partial_refund
  flakeledger replay --due --fast --jobs 4
  flakeledger replay --property PROP-014 --seeds 59   # to bound the rate by 5 %
  flakeledger replay --all --dry-run                  # append nothing
  flakeledger replay --all --shard 2/4 --out shard-2.jsonl
  flakeledger replay --all --scheduler tcp://10.0.0.5:8786   # on Dask workers
  flakeledger replay TEST --suite                     # its module each time"""

_TIMEOUT = 300.0
_WHICH = "flakeledger replay TEST…, --due, --all, or --property ID"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("tests", nargs="*", metavar="TEST", help="tests by their ids, frozen or not")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="every frozen test")
    which.add_argument("--due", action="store_true", help="every frozen test whose evidence is missing or soon too old")
    which.add_argument("--property", metavar="ID", help="every test that a property lists")
    parser.add_argument("--rev", metavar="REV", default="HEAD", help="the commit to replay (default: HEAD)")
    parser.add_argument("--seeds", type=int, metavar="N", help="so many seeds (default: min_seeds of the policy)")
    parser.add_argument("--runner", metavar="NAME", help="on this runner (default: replay_env of the freeze)")
    parser.add_argument("--python", metavar="PATH", help="the tests' interpreter (default: the active environment's)")
    parser.add_argument("--fast", action="store_true", help="fork pytest after collection, once for each seed")
    parser.add_argument(
        "--suite", nargs="?", const=THE_MODULE, metavar="PATH", help="run the test's whole module, or PATH, each time"
    )
    parser.add_argument(
        "--jobs", type=number_up_to(999), default=1, metavar="N", help="so many tests beside each other (default: 1)"
    )
    parser.add_argument(
        "--timeout", type=seconds, default=_TIMEOUT, metavar="SECONDS", help="for each seed (default: 300)"
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="on the workers of this Dask scheduler: tcp://HOST:8786")
    parser.add_argument("--shard", type=shard, metavar="I/N", help="only the tests of part I of N")
    parser.add_argument("--out", metavar="FILE", help="append to FILE, for flakeledger replays merge")
    parser.add_argument("--dry-run", action="store_true", help="run, print the lines, append nothing")
    parser.add_argument("--resume", action="store_true", help="go on with what was interrupted")
    parser.add_argument("--format", choices=["json", "text"], default="text", help="how to print (default: text)")
    parser.set_defaults(now=None)


def run(arguments: argparse.Namespace) -> int:
    """Replay: 0; 1 when some test left no line; 128 and the signal when interrupted; CannotTell for what is unclear."""
    clock = Clock(now_of(arguments), monotonic())
    asked = _asked(arguments)
    with open_repository(os.curdir, os.environ) as repository:
        plan, notes = _plan(repository, asked, arguments, clock)
    sys.stderr.writelines(f"note: {escape_line(note)}\n" for note in notes)
    if not plan.tasks:
        return _nothing(plan, asked, arguments.format, notes)
    with interrupts() as interrupted:
        try:
            found = replay(plan, interrupted)
        except CannotTell:
            if interrupted.code is None:  # else it is git that the user interrupted
                raise
            return interrupted.code
        show(plan, found, arguments.format, notes)
    if interrupted.code is not None:
        return interrupted.code
    return int(any(state(one) != "recorded" for one in found))


def _asked(arguments: argparse.Namespace) -> Asked:
    """What is asked for. CannotTell unless it is exactly one thing."""
    if bool(arguments.tests) + arguments.all + arguments.due + (arguments.property is not None) != 1:
        swallowed = "; write --suite=PATH, or --suite behind the tests" if "::" in (arguments.suite or "") else ""
        raise CannotTell("which tests are meant?", _WHICH + swallowed)
    if arguments.dry_run and arguments.out is not None:
        raise CannotTell("--dry-run appends nothing, and --out says where to", "leave --dry-run out, or --out")
    if arguments.scheduler is not None and arguments.jobs != 1:
        raise CannotTell("how much runs at once is up to the workers of --scheduler", "leave --jobs out")
    return Asked(
        tuple(arguments.tests), arguments.all, arguments.due, arguments.property, arguments.runner, arguments.shard
    )


def _plan(
    repository: Repository, asked: Asked, arguments: argparse.Namespace, clock: Clock
) -> tuple[Plan, tuple[str, ...]]:
    git = repository.git
    commit = git.commit(arguments.rev)
    if commit is None:
        reason = f"--rev {arguments.rev!r} names no commit whose tree is here"
        raise CannotTell(reason, "commit first; or give a commit, a tag or a branch; if it is elsewhere: git fetch")
    ledger = repository.ledger(repository.tree(commit))
    policy = _policy(ledger, git.root)
    log = read_replays(on_disk(git, REPLAYS) or b"", REPLAYS)[0]
    selection = select(with_replays(ledger, (line.replay for line in log)), policy, asked, clock.began)
    tasks: tuple[Task, ...] = ()
    if selection.chosen:
        way = way_of(git.root, ledger, policy, arguments)
        tasks = tuple(task_of(ledger, policy, one, way) for one in selection.chosen)
    plan = Plan(
        git,
        commit,
        tasks,
        arguments.jobs,
        arguments.resume,
        arguments.dry_run,
        arguments.out,
        clock,
        arguments.scheduler,
    )
    return plan, (*selection.notes, *_warnings(repository, plan, policy))


def _policy(ledger: Ledger, root: str) -> Policy:
    if ledger.tree.entry(POLICY) is None and os.path.lexists(f"{root}/{POLICY}"):
        raise CannotTell(
            f"{ledger.tree.label} has no {POLICY}; what is not committed is not replayed",
            f"git add {POLICY}; git commit",
        )
    return readable_policy(ledger)


def _warnings(repository: Repository, plan: Plan, policy: Policy) -> Iterator[str]:
    tests = [task.job.test.partition("::")[0] for task in plan.tasks]
    paths = list(dict.fromkeys((*tests, FREEZES, PROPERTIES, FIXTURES, POLICY, *filter(None, [policy.seeds]))))
    git = repository.git
    differing = {*git.unstaged(paths), *(change.path for change in git.index_changes(plan.commit))}
    changed = [path for path in paths if path in differing]
    if changed:
        yield (f"{listed(changed)}: not on disk as in {repository.label(plan.commit)}; what is replayed is the commit")
    if plan.tasks and len(plan.tasks[0].job.seeds) < policy.limits.min_seeds:
        yield (
            f"{len(plan.tasks[0].job.seeds)} seeds are too few: the policy asks for {policy.limits.min_seeds}, and the "
            "newest replay of a frozen test is the one that counts"
        )


def _nothing(plan: Plan, asked: Asked, form: str, notes: Sequence[str]) -> int:
    """Say that there is nothing to replay."""
    what = "no evidence of a freeze is missing or soon too old" if asked.due else "no test is meant"
    part = f" in part {asked.shard.part} of {asked.shard.parts}" if asked.shard is not None else ""
    open_output(plan)  # whoever joins the parts of a split finds a file for each
    if form == "json":
        show(plan, [], form, notes)
    sys.stderr.write(f"nothing to replay{part}: {what}\n")
    return 0
