"""Which tests a replay is about, and on which runner each: those that the user names, or those that a tree has.

Invariants:
* The rows are those of the tree that is replayed. A row that cannot be read there is `CannotTell`.
* What was replayed already and only not committed is evidence too: going on after a crash begins nothing anew.
* A test that the user names exists and is one test. Of the tests that a row names, those that are none are told.
* A test runs on the runner that the user names, else where its freeze says, else on the policy's default.
* The parts of a split are disjoint and together everything; a test is in the same part on every machine.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from flakeledger.cli.interviewing import nearest_names
from flakeledger.model.clock import DAY
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES, POLICY
from flakeledger.model.policy import Limits, Policy, Runner
from flakeledger.model.records import Replay
from flakeledger.model.wording import listed, shown
from flakeledger.repo.ledger import Ledger
from flakeledger.rules.interviews import Interview, interviews
from flakeledger.verdicts.interview import CONCLUSIVE, VerdictName

#: what a replay could not change: the row goes whatever it shows
_BEYOND_REPLAYS: tuple[VerdictName, ...] = ("gone", "void", "delete_first")
_HASH_DIGITS = 16


class Shard(NamedTuple):
    """One part, from 1, of so many."""

    part: int
    parts: int

    def holds(self, test: str) -> bool:
        """Whether a test is in this part."""
        from hashlib import sha256

        digest = sha256(test.encode(errors="surrogateescape")).hexdigest()
        return int(digest[:_HASH_DIGITS], 16) % self.parts == self.part - 1


class Asked(NamedTuple):
    """What the user asked for: tests by name, or one of the other three; and on which runner, if they said."""

    tests: tuple[str, ...]
    everything: bool
    due: bool
    property_id: str | None
    runner: str | None
    shard: Shard | None


class Chosen(NamedTuple):
    """A test that is to be replayed, and where."""

    test: str
    runner: Runner


class Selection(NamedTuple):
    """The tests, each once, in the order of the request or of the ledger; and what is to be said of others."""

    chosen: tuple[Chosen, ...]
    notes: tuple[str, ...]


def shard(text: str) -> Shard:
    """The `--shard` argument; argparse prints what is wrong with it."""
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text, re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is no part such as 1/4, 2/4, 3/4 or 4/4")
    return Shard(int(found[1]), int(found[2]))


def with_replays(ledger: Ledger, new: Iterable[Replay]) -> Ledger:
    """The same ledger with further replays in its log."""
    rows = ledger.rows._replace(replays=(*ledger.replays, *new))
    return Ledger(ledger.tree, rows, ledger.files, ledger.modules, ledger.citing)


def select(ledger: Ledger, policy: Policy, asked: Asked, now: int) -> Selection:
    """The tests that are meant. CannotTell when one that was named is none, or a runner is not known."""
    tests, notes = _tests(ledger, policy, asked, now)
    mine = [test for test in dict.fromkeys(tests) if asked.shard is None or asked.shard.holds(test)]
    return Selection(tuple(Chosen(test, _runner(ledger, policy, asked.runner, test)) for test in mine), tuple(notes))


def _tests(ledger: Ledger, policy: Policy, asked: Asked, now: int) -> tuple[Sequence[str], list[str]]:
    if asked.tests:
        return [_named(ledger, test) for test in asked.tests], []
    if asked.property_id is not None:
        return _tests_that_exist(ledger, _of_property(ledger, asked.property_id))
    if asked.everything:
        return _tests_that_exist(ledger, (row.test for row in ledger.freezes if row.test is not None))
    found = (one for one in interviews(ledger, now) if is_due(one, policy.limits, now))
    return [one.freeze.test for one in found if one.freeze.test is not None], []


def is_due(found: Interview, limits: Limits, now: int) -> bool:
    """Whether a frozen test lacks evidence, or will within `warn_days`, and a replay could give it."""
    if found.verdict.name in _BEYOND_REPLAYS:
        return False
    if found.newest is None or found.facts.newest_replay not in CONCLUSIVE:
        return True
    return now > found.newest.at + (limits.max_replay_age_days - limits.warn_days) * DAY


def _named(ledger: Ledger, test: str) -> str:
    """The test that a user names. CannotTell, with the nearest, when the tree has no such test, or several."""
    found = ledger.sources.test(test)
    if found.state not in ("absent", "several"):  # what cannot be parsed here may be fine for the tests' own Python
        return test
    known = {*ledger.freeze_by_test, *(one for row in ledger.properties for one in row.tests or ())}
    near = nearest_names(test, sorted(known)) if found.state == "absent" else []
    raise CannotTell(
        f"{ledger.tree.label}: {found.reason}", f"did you mean {' or '.join(near)}?" if near else found.fix
    )


def _of_property(ledger: Ledger, name: str) -> Iterator[str]:
    """The tests that a property lists; of a parametrised one the frozen ones among its parameters."""
    found = ledger.property_by_id.get(name)
    if found is None:
        near = ledger.nearest_property(name)
        fix = f"did you mean {near}?" if near else f"--property ID   # one of {listed(ledger.property_by_id) or 'none'}"
        raise CannotTell(f"{ledger.tree.label} has no property {shown(name)}", fix)
    for test in found.tests or ():
        rows = ledger.freezes_by_function.get(test, ())
        frozen = dict.fromkeys(row.test for row in rows if row.test is not None and row.test.endswith("]"))
        yield from frozen or [test]


def _tests_that_exist(ledger: Ledger, tests: Iterable[str]) -> tuple[list[str], list[str]]:
    chosen, notes = [], []
    for test in tests:
        found = ledger.sources.test(test)
        if found.state in ("absent", "several"):
            notes.append(f"not replayed: {test}: {found.reason}")
        else:
            chosen.append(test)
    return chosen, notes


def _runner(ledger: Ledger, policy: Policy, asked: str | None, test: str) -> Runner:
    freeze = ledger.freeze_by_test.get(test)
    name = asked or (freeze.replay_env if freeze is not None else None) or policy.default_runner
    found = next((runner for runner in policy.runners if runner.name == name), None)
    if found is not None:
        return found
    fix = f"--runner NAME   # one of {listed(runner.name for runner in policy.runners)}"
    if asked is None and freeze is not None:
        place = freeze.places.of("replay_env")
        raise CannotTell(f"{POLICY} has no runner {shown(str(name))}", fix, f"{FREEZES}:{place.line}:{place.column}")
    raise CannotTell(f"{POLICY} has no runner {shown(str(name))}", fix)
