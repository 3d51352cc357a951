"""What the row of a freeze says: what a person asked for, and for the rest what the policy and the tree say.

Invariants:
* Nothing is guessed: where the policy and the tree leave more than one answer, the person is asked (`CannotTell`).
* Pins are those of the tree at hand. A pin that stands is never replaced.
* Whether the row may be written is not decided here: the rules decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakeledger.cli.ledger_edits import policy_of
from flakeledger.model.clock import DAY, LAST_SECOND, format_date
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES
from flakeledger.model.records import Freeze
from flakeledger.model.rows import Places
from flakeledger.model.window import end_of
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.owners import may_own
from flakeledger.rules.freeze_renewals import Predecessor
from flakeledger.rules.freezes import is_owner
from flakeledger.store.editor import NewValue


class Wanted(NamedTuple):
    """What a person asks for; None where the policy, the tree or the standing row decides."""

    test: str
    reason: str | None = None
    owner: str | None = None
    property_id: str | None = None
    runner: str | None = None
    failure_class: str | None = None
    days: int | None = None
    expires: str | None = None
    issue: str | None = None
    witness: str | None = None
    note: str | None = None


class Way(NamedTuple):
    """A way in which a row may be written: its ends, the longest first, and how often it is renewed.

    `why` is said where the rules let it go, `advice` where they say that the window begins anew too early.
    """

    ends: tuple[str, ...]
    renewed: int | None
    why: str = ""
    advice: str = ""


def ways_to_freeze(ledger: Ledger, wanted: Wanted, follows: Predecessor | None, now: int) -> tuple[Way, ...]:
    """How a test may be frozen that no row freezes: for the first time, or after the freeze that it `follows`.

    One that fell may come back with the time that it had left; after any other, and after one whose time is up, it is
    a renewal. CannotTell when the policy cannot be read, or a window would end beyond the calendar.
    """
    ends = tuple(window_ends(ledger, wanted, now))
    if follows is None:
        return (Way(ends, None),)
    renewal = _renewal(ledger, follows, ends)
    end = end_of(follows.row)
    if follows.fate == "fell" and end is not None and now < end:
        return (_return(wanted, follows.row, ends), renewal)
    return (renewal,)


def _return(wanted: Wanted, old: Freeze, ends: Sequence[str]) -> Way:
    """The window that is left of a freeze that fell; a longer one only where it was asked for."""
    was = f"the freeze of {old.test} from {old.frozen_on} to {old.expires} fell with a pin or with its test"
    if wanted.days is None and wanted.expires is None:
        ends = tuple(dict.fromkeys(_earlier(old, end) for end in ends))
    return Way(
        tuple(ends),
        old.renewed,
        f"{was}, so it may come back: it ends no later than that one did, and counts no renewal",
        f"{was}: replay the test on the tree as it is now and run this again; it may come back until {old.expires}",
    )


def _earlier(old: Freeze, expires: str) -> str:
    end, other = end_of(old), end_of(old._replace(expires=expires))
    return old.expires if old.expires is not None and (end or 0) < (other or 0) else expires


def _renewal(ledger: Ledger, follows: Predecessor, ends: tuple[str, ...]) -> Way:
    old, count = follows.row, (follows.row.renewed or 0) + 1
    most = policy_of(ledger).limits.max_renewals
    back = f"git checkout HEAD -- {FREEZES}"
    return Way(
        ends,
        count,
        f"{old.test} was frozen from {old.frozen_on} to {old.expires}: this counts as renewal {count} of {most}",
        f"its row is gone on disk only: commit that first, or bring it back: {back}"
        if follows.fate == "stands"
        else f"run this again once that holds: it finds the earlier freeze, and writes `renewed: {count}` itself",
    )


def new_row(ledger: Ledger, wanted: Wanted, now: int) -> Freeze:
    """The row of a first freeze with the longest window that may be meant; without an owner where none was named.

    CannotTell when the policy cannot be read, or no property or several list the test.
    """
    policy = policy_of(ledger)
    runner = wanted.runner or policy.default_runner
    keyed = policy.level != "ledger"
    row = Freeze(
        Places(1, 1, {}),
        test=wanted.test,
        owner=wanted.owner,
        frozen_on=format_date(now),
        expires=next(window_ends(ledger, wanted, now)),
        reason=wanted.reason,
        property_id=wanted.property_id or _property(ledger, wanted.test),
        replay_env=runner,
        runner_class=runner if keyed else None,
        failure_class=wanted.failure_class or ("environment" if keyed else None),
        fixture_hashes=None,
        generator_hash=None,
        test_hash=None,
        witness=wanted.witness,
        note=wanted.note,
        renewed=None,
        issue=wanted.issue,
    )
    return pinned_row(ledger, row) if keyed else row


def renewed_row(ledger: Ledger, standing: Freeze, wanted: Wanted, now: int) -> Freeze:
    """The standing row with a fresh window, one renewal more, and what was asked for.

    CannotTell when the policy cannot be read.
    """
    keyed = policy_of(ledger).level != "ledger"
    row = standing._replace(
        owner=wanted.owner or standing.owner,
        frozen_on=format_date(now),
        expires=next(window_ends(ledger, wanted, now)),
        reason=wanted.reason or standing.reason,
        property_id=wanted.property_id or standing.property_id,
        replay_env=wanted.runner or standing.replay_env,
        runner_class=(standing.runner_class and wanted.runner) or standing.runner_class,
        failure_class=wanted.failure_class or standing.failure_class,
        witness=wanted.witness or standing.witness,
        note=wanted.note or standing.note,
        renewed=(standing.renewed or 0) + 1,
        issue=wanted.issue or standing.issue,
    )
    return pinned_row(ledger, row) if keyed else row


def pinned_row(ledger: Ledger, row: Freeze) -> Freeze:
    """The row with the pins and the runner class that it does not hold, as the tree has them.

    What the tree cannot tell stays absent, and what is written stays, even where it was refused.
    """
    full = ledger.pinned(row)
    written = row.places.fields
    return row._replace(
        runner_class=row.runner_class if "runner_class" in written else row.runner_class or row.replay_env,
        fixture_hashes=row.fixture_hashes if "fixture_hashes" in written else full.fixture_hashes or None,
        generator_hash=row.generator_hash if "generator_hash" in written else full.generator_hash,
        test_hash=row.test_hash if "test_hash" in written else full.test_hash,
    )


def values_of(row: Freeze) -> dict[str, NewValue]:
    """The fields that the row has, in table order, as they are written."""
    return {name: value for name, value in row._asdict().items() if name != "places" and value is not None}


def window_ends(ledger: Ledger, wanted: Wanted, now: int) -> Iterator[str]:
    """The ends that may be meant, the longest first: what was asked for; else the policy's window, then the short one
    that needs no replay. CannotTell when one lies beyond the calendar.
    """
    limits = policy_of(ledger).limits
    if wanted.expires is not None:
        yield wanted.expires
        return
    days = [limits.max_window_days, limits.unproven_days] if wanted.days is None else [wanted.days]
    for number in dict.fromkeys(days):
        if now + number * DAY > LAST_SECOND:
            raise CannotTell("the window would end after the year 9999", "give its end: --expires DATE")
        yield format_date(now + number * DAY)


def default_owner(ledger: Ledger, test: str, follows: Predecessor | None) -> str:
    """Who answers for a row for which nobody was named: whoever did for a freeze that fell, else the one code owner.

    Who may not own the path by the policy does not come back with the row. CannotTell when nobody or several own it.
    """
    path = test.partition("::")[0]
    if follows is not None and follows.fate == "fell":
        owner = follows.row.owner
        is_free = policy_of(ledger).owners == "any"
        if owner is not None and is_owner(owner) and (is_free or may_own(owner, ledger.owners.of(path))):
            return owner
    owners = ledger.code_owners(path)
    if len(owners) != 1:
        found = f"CODEOWNERS gives it {', '.join(owners)}" if owners else "CODEOWNERS gives it nobody"
        raise CannotTell(f"who answers for {test} is not known: {found}", 'say who: --owner "@name"')
    return owners[0]


def _property(ledger: Ledger, test: str) -> str | None:
    """The one property that lists the test; None for a test that the tree does not have: a rule says more of it."""
    ids = [row.id for row in ledger.properties_of(test)]
    if len(ids) == 1:
        return ids[0]
    if ids:
        raise CannotTell(
            f"{test} is listed by {', '.join(map(str, ids))}", f"say which of them it protects: --property {ids[0]}"
        )
    if ledger.sources.test(test).state != "found":
        return None
    raise CannotTell(
        f"no property lists {test}, so what it protects is not known",
        f'add "{test}" to the tests of a property in {PROPERTIES}',
    )
