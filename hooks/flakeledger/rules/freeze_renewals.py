"""The change rule about freezing a test again: a window that begins anew is counted, and rests on newer evidence.

Invariants:
* A standing row with another `frozen_on` is a renewal of the row of the base.
* A row that is added is a renewal of the newest row that its test had before, also under another id, unless that one
  ended long ago. History is read only then.
* A row that fell because it was void or its test was gone may come back with no more time than it had.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from flakeledger.model.clock import DAY, format_instant
from flakeledger.model.findings import Finding
from flakeledger.model.records import Freeze, Replay
from flakeledger.model.window import end_of, start_of
from flakeledger.repo.change import Change, voids
from flakeledger.rules.freeze_changes import granted, standing
from flakeledger.rules.freezes import at

if TYPE_CHECKING:
    from flakeledger.repo.history import EarlierRow, Version

#: so many days after its end a freeze is forgotten
FORGOTTEN_DAYS = 90


def freeze_renewed(change: Change, now: int) -> Iterator[Finding]:
    """A window begins anew, but too early, without newer evidence, or more often than the policy allows."""
    for before, after in standing(change):
        if before.frozen_on != after.frozen_on:
            yield from _renewal(change, before, after, now, stands=True)
    for row in granted(change):
        earlier = _followed(change, row, now)
        if earlier is not None and not _returns(change, earlier, row):
            yield from _renewal(change, earlier.row, row, now, stands=False)


class Predecessor(NamedTuple):
    """The freeze that a new window of a test follows on, and what became of it.

    Its row `stands` in the base; or it `fell`, void or with its test; or it `left` in another way.
    """

    row: Freeze
    fate: Literal["stands", "fell", "left"]


def predecessor(change: Change, row: Freeze, now: int) -> Predecessor | None:
    """What a row that a change brings follows on; None where it begins anew, as the first one of its test.

    CannotTell when history is too shallow to know.
    """
    before = change.base.freeze_by_test.get(row.test or "")
    if before is not None and row.test not in change.own:
        return None if before.frozen_on == row.frozen_on else Predecessor(before, "stands")
    earlier = _followed(change, row, now)
    if earlier is None:
        return None
    return Predecessor(earlier.row, "fell" if _fell(change, earlier) else "left")


def _followed(change: Change, row: Freeze, now: int) -> EarlierRow | None:
    """The earlier row that counts for an added one."""
    earlier = _earlier(change, row)
    if earlier is None or _is_forgotten(earlier.row, now) or _is_restored(change, earlier, row):
        return None
    return earlier


def _earlier(change: Change, row: Freeze) -> EarlierRow | None:
    test = row.test
    assert test is not None
    moved: dict[str | None, bool] = {}  # asked once a test, of the newest version that has its row

    def is_moved(version: Version, old: Freeze) -> bool:
        if old.test not in moved:
            moved[old.test] = _is_moved(change, version, old, row)
        return moved[old.test]

    def match(version: Version) -> Freeze | None:
        same = version.by_test.get(test)
        return same or next(
            (old for old in change.gone(version.by_property.get(row.property_id, ())) if is_moved(version, old)), None
        )

    return change.history_of(test).earlier_row(match)


def _is_moved(change: Change, version: Version, old: Freeze, row: Freeze) -> bool:
    """Whether a row of the same property whose test is gone is about the same test under another id.

    It is if its function has the same name, or the same text but for the name.
    """
    if old.test is None or row.test is None:
        return False
    name = _function(row.test)
    if _function(old.test) == name:
        return True
    before, after = version.ledger().sources, change.new.sources
    if before.mentions(old.test.partition("::")[0], name):  # then its text under the new name may reach what bears it
        digest = after.test_digest(row.test)
        return digest is not None and digest == before.digest_as(old.test, name)
    text = after.nameless_digest(row.test)
    return text is not None and text == before.nameless_digest(old.test)


@lru_cache(maxsize=4096)
def _function(test: str) -> str:
    """The name of a test's function, without its file, its class and its parameters; an odd id is its own name."""
    from flakeledger.repo.ids import split_test_id  # only a row of the same property pays for it

    try:
        return split_test_id(test).parts[-1]
    except ValueError:
        return test


def _is_forgotten(old: Freeze, now: int) -> bool:
    end = end_of(old)
    return end is not None and now - end >= FORGOTTEN_DAYS * DAY


def _is_restored(change: Change, earlier: EarlierRow, row: Freeze) -> bool:
    """Whether a branch puts back what it took away: the row stands unchanged where the branch began.

    A merge that brings a row back which the other side removed is something else.
    """
    return earlier.stands and not change.basis.merged and earlier.row[1:] == row[1:]


def _returns(change: Change, earlier: EarlierRow, row: Freeze) -> bool:
    """Whether the old row fell, and the new one takes no more time than that had, on a replay of its own."""
    old = earlier.row
    old_end, end = end_of(old), end_of(row)
    if old_end is None or end is None or end > old_end or (row.renewed or 0) != (old.renewed or 0):
        return False
    if not _fell(change, earlier):
        return False
    known = {_evidence(replay) for replay in earlier.holder().replays_by_test.get(row.test or "", ())}
    return any(_evidence(replay) not in known for replay in change.new.replays_by_test.get(row.test or "", ()))


def _evidence(replay: Replay) -> tuple[object, ...]:
    """What a replay says, wherever its line stands."""
    hashable = {"line": 0, "failures": frozenset(replay.failures.items()), "touched": tuple(replay.touched)}
    return tuple((replay._asdict() | hashable).values())


def _fell(change: Change, earlier: EarlierRow) -> bool:
    """Whether the row was void, or its test gone, when it left; not where no tree shows why it did."""
    if earlier.follower is None and not earlier.stands:
        return False
    old = earlier.row
    follower = change.new if earlier.follower is None else earlier.follower()
    assert old.test is not None
    return not follower.has_test(old.test) or bool(follower.void_pins(old)) or voids(earlier.holder(), follower, old)


def _renewal(change: Change, old: Freeze, row: Freeze, now: int, *, stands: bool) -> Iterator[Finding]:
    lacks = list(_lacks(change, old, row, now))
    if lacks:
        message = f"{row.test} is frozen anew, after the freeze of {old.frozen_on} to {old.expires}: {'; '.join(lacks)}"
        yield at(row, "frozen_on", "freeze-renewed", message, _fix(old, stands=stands))


def _lacks(change: Change, old: Freeze, row: Freeze, now: int) -> Iterator[str]:
    """What a renewal needs and this one has not."""
    limits = change.policy.limits
    start, end = start_of(old), end_of(old)
    first = None if end is None else end - limits.warn_days * DAY
    if first is None or now < first:
        from_when = "" if first is None else f", from {format_instant(first)} on"
        yield f"a window is renewed in its last {limits.warn_days} days or later{from_when}"
    newest = change.new.newest_replay(row)
    if newest is None or start is None or newest.at < start + DAY:
        yield f"no replay from {row.replay_env} is of a later day than {old.frozen_on}"
    count = (old.renewed or 0) + 1
    if (row.renewed or 0) != count:
        yield f"`renewed` is {row.renewed or 0}, and must be {count}"
    if max(row.renewed or 0, count) > limits.max_renewals:
        yield f"the policy allows no more than {limits.max_renewals}"


def _fix(old: Freeze, *, stands: bool) -> str:
    count = old.renewed or 0
    if stands:
        return (
            f"restore `frozen_on: {old.frozen_on}` and `expires: {old.expires}`; to go on after that, replay the test "
            f"again and renew the row in time, with `renewed: {count + 1}`"
        )
    return (
        f"do without the freeze, or replay the test again and renew it in time, with `renewed: {count + 1}`; if it "
        f"fell with a pin or with its test, freeze it on a new replay with `expires: {old.expires}` at most and "
        f"`renewed: {count}`"
    )
