"""`flakeledger witness`: shows the example of a witness, verifies it against a revision, or replays it there.

Invariants:
* `show` and `verify` run nothing and import nothing that the witness names. `replay` runs one test of the revision, in
  a clean worktree of it.
* What is verified is the file that was named, with the policy of the revision; every reason is printed, not the first.
* A run that neither passed nor failed is never counted as one that did.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence

from flakeledger.cli.interrupts import interrupts
from flakeledger.cli.named_file import read_named
from flakeledger.evidence.engines import Abandoned
from flakeledger.evidence.environment import default_python
from flakeledger.evidence.faithful_kinds import Refused
from flakeledger.evidence.readable import readable_arguments
from flakeledger.evidence.sealing import ALLOWED_VARIABLES
from flakeledger.evidence.witness_replay import WitnessReplay, replay_witness
from flakeledger.model.canonical import NotCanonical
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Policy, Runner
from flakeledger.model.witness import Witness, read_witness, witness_file
from flakeledger.model.wording import listed, shown
from flakeledger.precommit.arguments import number_up_to, seconds
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.reporters.escape import escape_line
from flakeledger.rules import witnesses
from flakeledger.rules.interviews import readable_policy
from flakeledger.rules.witnesses import WitnessFile, differing, good_witness, unbound
from flakeledger.verdicts.rates import percent, upper_bound

EXAMPLES = """\
  flakeledger witness show ledgers/witnesses/3f1c….json
  flakeledger witness verify witness.json --rev origin/main
  flakeledger witness replay witness.json --runs 20"""

#: the largest example and as much again, and the digests of a thousand generators
_LARGEST = 1 << 18
_TIMEOUT = 300.0
_ONLY_REPLAY = ("runs", "runner", "python", "timeout", "allow")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("action", choices=list(_ACTIONS), help="print it, judge it, or run its test under its example")
    parser.add_argument("file", metavar="FILE", help="a witness, in the ledger or as it was captured")
    parser.add_argument("--rev", metavar="REV", help="verify, replay: the commit that is meant (default: HEAD)")
    parser.add_argument(
        "--runs", type=number_up_to(9999), metavar="N", help="replay: so often (default: witness_replays)"
    )
    parser.add_argument("--runner", metavar="NAME", help="replay: on this runner (default: default_runner)")
    parser.add_argument("--python", metavar="PATH", help="replay: the tests' interpreter (default: the active one)")
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help="replay: for each run (default: 300)")
    parser.add_argument(
        "--allow",
        action="append",
        metavar="NAME",
        help="replay: hand this environment variable to the test as well (repeatable)",
    )


def run(arguments: argparse.Namespace) -> int:
    """0; 1 when `verify` finds it wrong, or some run of `replay` neither passed nor failed; CannotTell otherwise."""
    extra = [name for name in _ONLY_REPLAY if getattr(arguments, name) is not None and arguments.action != "replay"]
    extra += ["rev"] if arguments.action == "show" and arguments.rev is not None else []
    if extra:
        raise CannotTell(f"--{extra[0]} says nothing to `witness {arguments.action}`", f"leave --{extra[0]} out")
    data = read_named(arguments.file, _LARGEST)
    return _ACTIONS[arguments.action](arguments, data)


# show


def _show(arguments: argparse.Namespace, data: bytes) -> int:
    witness = _read(arguments.file, data)
    try:
        values = readable_arguments(witness.arguments)
    except Refused as refused:
        raise CannotTell(f"{arguments.file}: {refused}", "capture it again: pytest --flakeledger-witness DIR") from None
    _print(_told(witness, values))
    return 0


def _told(witness: Witness, values: dict[str, str]) -> Iterator[str]:
    budget = "its own draws, without a seed list" if witness.seed_budget is None else f"{witness.seed_budget} seeds"
    yield f"witness:   {witness_file(witness).digest}"
    yield f"property:  {witness.property_id}"
    yield f"test:      {witness.test}"
    yield f"shrink:    {witness.shrink}"
    yield f"drawn:     {budget}"
    yield f"example:   {witness.example_sha256}"
    for name, value in values.items():
        yield f"  {name} = {value}"
    yield f"generators: {len(witness.generator_hashes)}"
    for path, digest in witness.generator_hashes.items():
        yield f"  {digest}  {path}"


def _read(path: str, data: bytes) -> Witness:
    try:
        return read_witness(data)
    except NotCanonical as wrong:
        fix = "capture it again: pytest --flakeledger-witness DIR; a witness is never edited"
        raise CannotTell(f"this is no witness: {wrong.message}", fix, f"{path}:{wrong.line}:{wrong.column}") from None


# verify


def _verify(arguments: argparse.Namespace, data: bytes) -> int:
    with open_repository(os.curdir, os.environ) as repository:
        ledger, policy, _ = _judging(repository, arguments.rev)
        reasons = list(_reasons(WitnessFile(os.path.basename(arguments.file), data), ledger, policy))
    label = ledger.tree.label
    for reason in reasons:
        _print([f"{arguments.file}: wrong: {reason}"])
    if not reasons:
        _print([f"{arguments.file}: a good witness for {label}"])
    return int(bool(reasons))


def _reasons(file: WitnessFile, ledger: Ledger, policy: Policy) -> Iterator[str]:
    """What is wrong with a witness, clause by clause; of one that cannot be read, only why not."""
    good = good_witness(file, policy)
    if isinstance(good, witnesses.Refused):
        yield good.reason
        try:
            good = read_witness(file.data)
        except NotCanonical:
            return
    try:
        readable_arguments(good.arguments)
    except Refused as refused:
        yield f"{refused}"
    loose = unbound(ledger, good)
    if loose:
        yield loose
        return
    path = good.test.partition("::")[0]
    if good.property_id not in ledger.sources.property_ids(path):
        yield f"{shown(path)} does not name the property {shown(good.property_id)}"
    if not ledger.sources.is_given(good.test):
        yield f"{shown(good.test)} draws nothing from Hypothesis"
    paths = differing(good.generator_hashes, ledger.generator_hashes(good.property_id))
    if paths:
        yield f"what draws its inputs is not what it was: {paths}"


def _judging(repository: Repository, revision: str | None) -> tuple[Ledger, Policy, str]:
    """The ledger and the policy of a revision, and its commit. CannotTell when there is none."""
    commit = repository.git.commit(revision or "HEAD")
    if commit is None:
        raise CannotTell(f"{revision or 'HEAD'} names no commit whose tree is here", "give a commit: --rev REV")
    ledger = repository.ledger(repository.tree(commit))
    return ledger, readable_policy(ledger), commit


# replay


def _replay(arguments: argparse.Namespace, data: bytes) -> int:
    witness = _read(arguments.file, data)
    with open_repository(os.curdir, os.environ) as repository:
        ledger, policy, commit = _judging(repository, arguments.rev)
        loose = unbound(ledger, witness)
        if loose:
            raise CannotTell(loose, "name the revision that has its test: --rev REV")
        git = repository.git
    runs = arguments.runs or policy.limits.witness_replays
    runner, allowed = _runner(policy, arguments.runner), ALLOWED_VARIABLES.union(arguments.allow or ())
    python = arguments.python or default_python(os.environ)
    timeout = arguments.timeout or _TIMEOUT
    with interrupts() as interrupted:
        try:
            found = replay_witness(
                git, commit, witness, runs, runner, timeout, python, allowed=allowed, stop=interrupted.stop
            )
        except (Abandoned, CannotTell):
            if interrupted.code is None:
                raise
            return interrupted.code
    _print(_outcomes(found, runs))
    if interrupted.code is not None:
        return interrupted.code
    return int(len(_telling(found)) < runs)


def _runner(policy: Policy, name: str | None) -> Runner:
    wanted = name or policy.default_runner
    names = {runner.name: runner for runner in policy.runners}
    if wanted not in names:
        raise CannotTell(
            f"{shown(wanted or '')} is no runner of the policy", f"--runner NAME   # one of {listed(names)}"
        )
    return names[wanted]


def _telling(found: WitnessReplay) -> list[str]:
    return [outcome for outcome in found.outcomes if outcome in ("pass", "fail")]


def _outcomes(found: WitnessReplay, wanted: int) -> Iterator[str]:
    for number, (outcome, detail) in enumerate(zip(found.outcomes, found.details, strict=True), start=1):
        yield f"run {number}: {outcome.replace('_', ' ')}{f': {detail}' if detail else ''}"
    yield f"network: {found.network}"
    telling = _telling(found)
    failed, count = telling.count("fail"), len(telling)
    if count < wanted:
        yield f"{count} of {wanted} runs passed or failed: the others say nothing, and this replay is incomplete"
    elif failed == count:
        yield f"it failed in {_every(count)}: a counterexample, not a flake"
    elif failed:
        yield f"it failed in {failed} of {count} runs: {_bound(failed, count)}"
    else:
        yield f"it passed in {_every(count)}: {_bound(failed, count)}"


def _every(count: int) -> str:
    return "its only run" if count == 1 else f"each of {count} runs"


def _bound(failed: int, count: int) -> str:
    return f"the rate of failure is at most {percent(upper_bound(failed, count))} (95 %, one-sided)"


def _print(lines: Iterator[str] | Sequence[str]) -> None:
    sys.stdout.writelines(f"{escape_line(line)}\n" for line in lines)


_ACTIONS = {"show": _show, "verify": _verify, "replay": _replay}
