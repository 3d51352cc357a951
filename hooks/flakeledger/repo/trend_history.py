"""The versions of freezes.yaml along the first-parent line of a commit, each at a time, for the trend.

Invariants:
* A blob is read once, and what it holds is let go when no later version needs it.
* A version that cannot be read as a whole is passed over: the checks refuse it, so what stood before stood on. The
  newest one must be readable, for it says what stands.
* Times never fall and are never later than `now`, whatever the dates of the commits say.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.model.records import Freeze
from flakeledger.repo.ledger import UNREADABLE
from flakeledger.repo.repository import Repository
from flakeledger.repo.tree import REGULAR_MODES
from flakeledger.repo.trend_lives import Row, Version, row_of
from flakeledger.store.git_line import LineVersion, first_parent_line, versions_along

#: hears how many versions of how many were read
Tell = Callable[[int, int], None]


class Line(NamedTuple):
    """The first-parent line of a commit: the time of each of its commits, and the versions of freezes.yaml."""

    head: str
    times: Mapping[str, int]
    versions: tuple[LineVersion, ...]


def line_of(repository: Repository, head: str, now: int) -> Line:
    """The line that ends in `head`. CannotTell when the clone is too shallow to know it."""
    commits = first_parent_line(repository.git, head)
    times = agreed_times([one.committed for one in commits], now)
    found = versions_along(repository.git, commits, FREEZES)
    return Line(head, {one.commit: at for one, at in zip(commits, times, strict=True)}, tuple(found))


def agreed_times(dates: Sequence[int], now: int) -> list[int]:
    """The times of commits whose committers gave these dates, in the order of history.

    The most dates that are no later than `now` and agree with that order count; of two that contradict each other,
    where either leaves as many, the older commit's. A commit with any other date gets the time of the one before it
    that counts, or where there is none of the first one that does. One wrong clock then moves one commit, and not
    all that follow.
    """
    kept = _longest_rise([(date, number) for number, date in enumerate(dates) if date <= now])
    at = dates[kept[0]] if kept else now
    counting = set(kept)
    times = []
    for number, date in enumerate(dates):
        at = date if number in counting else at
        times.append(at)
    return times


def _longest_rise(dates: Sequence[tuple[int, int]]) -> list[int]:
    """The numbers of the longest part of the dates that never falls: each date comes with its number.

    By patience sorting from the end, so that the oldest date of as many is found first.
    """
    ends: list[int] = []  # the highest date, negated, with which a rise of each length can begin
    lengths: list[int] = []
    for date, _ in reversed(dates):
        length = bisect_right(ends, -date)
        ends[length : length + 1] = [-date]
        lengths.append(length + 1)
    found: list[int] = []
    lowest, wanted = 0, len(ends)
    for (date, number), length in zip(dates, reversed(lengths), strict=True):
        if length == wanted and (not found or date >= lowest):
            found.append(number)
            lowest, wanted = date, wanted - 1
    return found


class _Read(NamedTuple):
    """What a version holds, and what keeps it from being read as a whole, or None."""

    rows: Mapping[str, Row]
    wrong: Finding | None = None


class _Blobs:
    """What blobs hold: each is read when it is first asked for, and forgotten when it was asked for the last time."""

    def __init__(self, repository: Repository, oids: Sequence[str]) -> None:
        """`oids` are those that will be asked for, in that order."""
        self._stream = repository.freezes_of_blobs(dict.fromkeys(oids))
        self._uses = Counter(oids)
        self._known: dict[str, _Read] = {}

    def read(self, oid: str) -> _Read:
        """What a blob holds."""
        if oid not in self._known:
            self._known[oid] = _read(*next(self._stream))
        self._uses[oid] -= 1
        return self._known[oid] if self._uses[oid] else self._known.pop(oid)


def _read(freezes: Sequence[Freeze], findings: Sequence[Finding]) -> _Read:
    """The first row of each test counts, as it does for the checks."""
    rows = [row for freeze in reversed(freezes) if (row := row_of(freeze)) is not None]
    wrong = next((finding for finding in findings if finding.rule in UNREADABLE), None)
    return _Read({row.test: row for row in rows}, wrong)


def read_versions(repository: Repository, line: Line, tell: Tell) -> Iterator[Version | None]:
    """Each version with its time, oldest first; None for one that is passed over.

    CannotTell when the newest one cannot be read as a whole.
    """
    blobs = _Blobs(repository, [one.oid for one in line.versions if one.mode in REGULAR_MODES])
    count = len(line.versions)
    for number, version in enumerate(line.versions, 1):
        found = _ODD if version.mode else _ABSENT
        if version.mode in REGULAR_MODES:
            found = blobs.read(version.oid)
        tell(number, count)
        if found.wrong is None:
            yield Version(line.times[version.commit], found.rows)
        elif number < count:
            yield None
        else:
            raise _unreadable(version, found.wrong)


def _unreadable(version: LineVersion, wrong: Finding) -> CannotTell:
    return CannotTell(
        f"{FREEZES} of commit {version.commit[:12]} cannot be read: {wrong.message}",
        f"mend the file and commit it: {wrong.fix}",
        f"{FREEZES}:{wrong.line}:{wrong.column}",
    )


_ABSENT = _Read({})
_NO_FILE = "it is no regular file"
_ODD = _Read({}, Finding(FREEZES, 1, 1, "yaml-forbidden", _NO_FILE, "replace it by a regular file"))
