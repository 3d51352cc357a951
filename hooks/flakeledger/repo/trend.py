"""How freezes came and went, week by week: the ledger of the branch that HEAD is on, in numbers.

Invariants:
* Every number is counted from the commits of the first-parent line of HEAD that changed freezes.yaml: a merge counts
  as one commit, with what it brought.
* A week is Monday to Sunday, UTC. A commit is in the week of its committer date; where these dates contradict the
  order of history, `trend_history.agreed_times` says which count. A date proves nothing: no rule is decided by one.
* The numbers add up: the rows before the first week, and what was opened, less what was thawed, are the rows at its
  end, week by week, up to HEAD.
* What is only staged, or on disk, is no history and is not in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from flakeledger.model.clock import DAY, format_date, parse_date
from flakeledger.model.errors import CannotTell
from flakeledger.repo.repository import Repository
from flakeledger.repo.trend_history import Line, Tell, line_of, read_versions
from flakeledger.repo.trend_lives import FreezeLife, Version, lives
from flakeledger.store.git_line import committed_at

WEEK = 7 * DAY
#: 1970-01-01 was a Thursday
_FIRST_MONDAY = 4 * DAY
_MOST_OLDEST = 10


class Week(NamedTuple):
    """What happened from a Monday to the Sunday after it, UTC; the last week ends now.

    `start`: the date of the Monday. `open`: the freezes that stood at the week's end. `opened`: the freezes whose row
    came. `thawed`: the freezes whose row left, for whatever reason the exit interview lets it go: by choice, void, or
    with its test. `renewed`: how often a row that stood got another `frozen_on`. `expired`: the windows that ended
    with their row still there.
    """

    start: str
    open: int
    opened: int
    thawed: int
    renewed: int
    expired: int


class Oldest(NamedTuple):
    """A freeze that stands: since the date of the commit that brought its row, and for how many whole days.

    Renewals, and moves of its test, do not make it younger.
    """

    test: str
    owner: str | None
    property_id: str | None
    since: str
    days: int


class Trend(NamedTuple):
    """The weeks, what they add up to, and the ten freezes that stand longest.

    `since`: the Monday on which the first week starts. `until`: the date of now. `open`: the freezes that stand at
    HEAD. `opened`, `thawed`, `renewed`, `expired_unthawed`: the sums of the weeks, the last one of `Week.expired`.
    `share_expired_unthawed`: of the windows that ended in these weeks, the share that ended with their row still
    there, and not by a thaw or a renewal before that; None where none ended. `median_days_to_thaw`: of the freezes
    that were thawed in these weeks, the median of the days from the commit that brought the row to the one that
    removed it; None where none was thawed. `oldest`: those that stand longest first. `passed_over`: how many versions
    of the ledger on the whole line cannot be read, so that the rows before them were taken to stand.
    """

    since: str
    until: str
    weeks: tuple[Week, ...]
    open: int
    opened: int
    thawed: int
    renewed: int
    expired_unthawed: int
    share_expired_unthawed: float | None
    median_days_to_thaw: float | None
    oldest: tuple[Oldest, ...]
    passed_over: int = 0


def trend(repository: Repository, now: int, since: str | None, tell: Tell) -> Trend:
    """The trend of the branch that HEAD is on, in whole weeks.

    It begins in the week of `since`: a date, the date of a revision, or None for the first commit that had a ledger of
    freezes; nothing before that one is told. `tell` hears how many versions of how many were read.

    CannotTell when there is no commit, the clone is too shallow, `since` is neither a date nor a revision or lies after
    `now`, or the newest version of the ledger cannot be read.
    """
    head = repository.git.head()
    if head is None:
        raise CannotTell("there is no commit yet, and so no history", "commit the ledgers first")
    line = line_of(repository, head, now)
    start = _start(repository, line, now, since)
    passed_over = 0

    def readable() -> Iterator[Version]:
        nonlocal passed_over
        for version in read_versions(repository, line, tell):
            if version is None:
                passed_over += 1
            else:
                yield version

    found = lives(readable(), now)
    return summed(found, start, now)._replace(passed_over=passed_over)


def monday(at: int) -> int:
    """The first second of the week that holds a time."""
    return at - (at - _FIRST_MONDAY) % WEEK


def _start(repository: Repository, line: Line, now: int, since: str | None) -> int:
    """The Monday with which the first week starts."""
    first = line.times[line.versions[0].commit] if line.versions else now
    begin = first if since is None else _time_of(repository, line, now, since)
    if begin > now:
        raise CannotTell(f"--since {since} lies after now, {format_date(now)}", "give an earlier date")
    return monday(max(begin, first))


def _time_of(repository: Repository, line: Line, now: int, since: str) -> int:
    """When a date begins, or a revision was committed."""
    try:
        return parse_date(since)
    except ValueError:
        commit = repository.git.commit(since)
    if commit is None:
        reason = f"--since {since!r} is no date and names no commit that is here"
        raise CannotTell(reason, "give a date such as 2026-11-19, or the name of a commit, a tag or a branch")
    return line.times[commit] if commit in line.times else min(committed_at(repository.git, commit), now)


def summed(found: Sequence[FreezeLife], start: int, now: int) -> Trend:
    """The numbers of some lives from a Monday to now."""
    weeks = _weeks(found, start, now)
    left = [one for one in found if one.left is not None and one.left >= start]
    expired = sum(week.expired for week in weeks)
    ended = expired + sum(at >= start for one in found for at in one.early)
    return Trend(
        since=format_date(start),
        until=format_date(now),
        weeks=weeks,
        open=weeks[-1].open,
        opened=sum(week.opened for week in weeks),
        thawed=len(left),
        renewed=sum(week.renewed for week in weeks),
        expired_unthawed=expired,
        share_expired_unthawed=expired / ended if ended else None,
        median_days_to_thaw=_median_days(left),
        oldest=_oldest(found, now),
    )


def _weeks(found: Sequence[FreezeLife], start: int, now: int) -> tuple[Week, ...]:
    """Every week from a Monday to now; what happened before the first one only counts for what stood then."""

    def counted(times: Iterable[int | None]) -> Counter[int]:
        return Counter((at - start) // WEEK for at in times if at is not None)

    opened, thawed = counted(one.came for one in found), counted(one.left for one in found)
    renewed = counted(at for one in found for at in one.renewed)
    expired = counted(at for one in found for at in one.expired)
    stand = sum((one.came < start) - (one.left is not None and one.left < start) for one in found)
    weeks = []
    for number in range((now - start) // WEEK + 1):
        stand += opened[number] - thawed[number]
        first = format_date(start + number * WEEK)
        weeks.append(Week(first, stand, opened[number], thawed[number], renewed[number], expired[number]))
    return tuple(weeks)


def _median_days(left: Sequence[FreezeLife]) -> float | None:
    from statistics import median  # only here does anybody pay for it

    return median((one.left - one.came) / DAY for one in left if one.left is not None) if left else None


def _oldest(found: Iterable[FreezeLife], now: int) -> tuple[Oldest, ...]:
    """Those that stand longest, by test where they are equally old."""
    standing = sorted((one.came, one.row.test, one.row) for one in found if one.left is None)
    return tuple(
        Oldest(test, row.owner, row.property_id, format_date(came), (now - came) // DAY)
        for came, test, row in standing[:_MOST_OLDEST]
    )
