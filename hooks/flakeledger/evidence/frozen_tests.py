"""The freezes that a run of tests begins with: read once, from the files on disk, without git.

Invariants:
* All or nothing: a policy or a list of freezes that is not wholly readable freezes nothing, and `problem` says what is
  wrong, where, and how to repair it.
* YAML is never read in the tests' own process: `yaml` may be a module of the project there, and stays what it is for
  the tests. A process of its own reads it, unless an earlier run, of tests or of the hooks, has.
* What earlier runs learnt is used, and kept below the git directory; nothing else is written.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha1
from typing import Any, NamedTuple

from flakeledger.evidence.standing import Standing, standing
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES, POLICY
from flakeledger.model.policy import Policy
from flakeledger.model.records import Freeze
from flakeledger.model.rows import Places
from flakeledger.model.wording import listed, shown
from flakeledger.repo.reading import Reading, Rows, policy_from_json
from flakeledger.repo.tree import REGULAR_MODES, Listing, Tree
from flakeledger.store.cache import Cache
from flakeledger.store.git_output import TreeEntry
from flakeledger.store.placing import read_regular

#: the environment variable that names the runner class of this machine
RUNNER_VARIABLE = "FLAKELEDGER_RUNNER"


class Frozen(NamedTuple):
    """A row, and whether it is open here and now."""

    freeze: Freeze
    standing: Standing


class FrozenTests(NamedTuple):
    """The frozen tests by id, for a runner class; without a policy there is a problem and nothing is frozen."""

    policy: Policy | None
    runner: str
    by_test: Mapping[str, Frozen]
    #: why nothing is excused; empty when all is well
    problem: str = ""

    @property
    def open(self) -> list[Freeze]:
        """The freezes that are open here and now."""
        return [frozen.freeze for frozen in self.by_test.values() if frozen.standing.state == "open"]

    @property
    def for_one_example(self) -> frozenset[str]:
        """The tests that may be frozen for the example of a witness alone: who runs them has to see theirs."""
        if self.policy is None or self.policy.level != "witnessed" or self.policy.witness_match != "exact":
            return frozenset()
        return frozenset(freeze.test for freeze in self.open if freeze.test and freeze.witness)


def frozen_tests(root: str, environment: Mapping[str, str], now: int) -> FrozenTests:
    """What the ledgers below a root freeze for this machine's runner class. Never raises for what they hold."""
    try:
        policy, freezes = _policy_and_freezes(root, environment)
        runner = runner_named(policy, environment.get(RUNNER_VARIABLE) or policy.default_runner)
    except CannotTell as error:
        place = f"{error.place}: " if error.place else ""
        return FrozenTests(None, "", {}, f"{place}{error.reason}; fix: {error.fix}")
    return FrozenTests(policy, runner, frozen_by_test(freezes, policy, runner, now))


def frozen_by_test(freezes: Sequence[Freeze], policy: Policy, runner: str, now: int) -> dict[str, Frozen]:
    """The rows by the ids of their tests, each with its standing for a runner class at an instant."""
    times = Counter(freeze.test for freeze in freezes)
    twice = Standing("unfit", "two rows freeze it, and one must go")
    return {
        freeze.test: Frozen(freeze, twice if times[freeze.test] > 1 else standing(freeze, policy, runner, now))
        for freeze in freezes
        if freeze.test is not None
    }


def _policy_and_freezes(root: str, environment: Mapping[str, str]) -> tuple[Policy, Sequence[Freeze]]:
    """The policy and the freezes on disk. CannotTell unless both are wholly readable."""
    tree, reading = _disk(root), _reading(root)
    if reading.is_known(tree):
        return _whole(reading.rows(tree))
    from flakeledger.evidence.pins import elsewhere

    found = elsewhere(__name__, root, environment, None)
    nowhere = Places(1, 1, {})
    return policy_from_json(found["policy"]), [Freeze._make((nowhere, *row)) for row in found["freezes"]]


def main() -> None:
    """Answer what `_policy_and_freezes` asks elsewhere."""
    from flakeledger.evidence.pins import answer_with

    answer_with(_facts)


def _facts(root: str, _question: object) -> dict[str, Any]:
    reading = _reading(root)
    policy, freezes = _whole(reading.rows(_disk(root)))
    for known in reading.facts:  # the next run of tests asks nobody, until a ledger is edited
        known.save()
    return {"policy": policy, "freezes": [freeze[1:] for freeze in freezes]}


def _disk(root: str) -> Tree:
    """The policy and the freezes on disk, as a tree."""
    blobs: dict[str, bytes] = {}
    entries: dict[str, TreeEntry] = {}
    for path in (POLICY, FREEZES):
        data = read_regular(root, path)
        if data is not None:
            # git's name of the blob, under which the cache knows what the hooks read
            oid = sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
            blobs[oid], entries[path] = data, TreeEntry(REGULAR_MODES[0], oid)
    return Tree("the working tree", lambda: Listing(entries), blobs.__getitem__)


def _reading(root: str) -> Reading:
    return Reading(Cache(os.path.join(root, ".git")))


def _whole(rows: Rows) -> tuple[Policy, Sequence[Freeze]]:
    """The policy and the freezes. CannotTell, with the first finding, unless both are wholly readable."""
    wrong = next((finding for finding in rows.findings if finding.level == "error"), None)
    if wrong is not None:
        place = f"{wrong.path}:{wrong.line}:{wrong.column}"
        raise CannotTell(f"{wrong.rule}: {wrong.message}", wrong.fix, place)
    if rows.policy is None:
        raise CannotTell(f"{POLICY} is missing", "flakeledger init")
    return rows.policy, rows.freezes


def runner_named(policy: Policy, name: str | None, how: str = f"set {RUNNER_VARIABLE} to one of") -> str:
    """The name, which must be that of a runner of the policy. CannotTell for any other; `how` says how one is named."""
    names = [runner.name for runner in policy.runners]
    if name not in names:
        raise CannotTell(f"{shown(name or '')} is no runner of the policy", f"{how} {listed(names)}")
    return name
