"""The numbers of the trend: exact ones of small real histories, and those of random ones against a naive count."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import git
from flakeledger.model.clock import DAY
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.repo.repository import open_repository
from flakeledger.repo.trend import Oldest, Trend, Week, monday, summed, trend
from flakeledger.repo.trend_lives import Row, Version, lives
from timelines import Step, day, on, row, write_history


def trend_of(root: Path, now: int, since: str | None = None) -> Trend:
    with open_repository(str(root), os.environ) as repository:
        return trend(repository, now, since, lambda *_: None)


def made(root: Path, steps: Sequence[Step], now: int, since: str | None = None) -> Trend:
    write_history(root, steps)
    return trend_of(root, now, since)


#: day 0 is a Monday: A opens, B opens, A is renewed a week later, B leaves in time, C comes, A expires
STORY = [
    Step(day(0.5), row("test_a", 0, 9)),
    Step(day(2.5), row("test_a", 0, 9) + row("test_b", 2, 12)),
    Step(day(8.5), row("test_a", 8, 16) + row("test_b", 2, 12)),
    Step(day(9.5), row("test_a", 8, 16)),
    Step(day(15.5), row("test_a", 8, 16) + row("test_c", 15, 40, "PROP-2")),
    Step(day(23.5), row("test_c", 15, 40, "PROP-2")),
]


def test_the_numbers_of_a_story(repository: Path) -> None:
    assert made(repository, STORY, day(28.25)) == Trend(
        since=on(0),
        until=on(28),
        weeks=(
            Week(on(0), 2, 2, 0, 0, 0),
            Week(on(7), 1, 0, 1, 1, 0),
            Week(on(14), 2, 1, 0, 0, 1),
            Week(on(21), 1, 0, 1, 0, 0),
            Week(on(28), 1, 0, 0, 0, 0),
        ),
        open=1,
        opened=3,
        thawed=2,
        renewed=1,
        expired_unthawed=1,
        share_expired_unthawed=1 / 3,
        median_days_to_thaw=(7 + 23) / 2,
        oldest=(Oldest("tests/test_a.py::test_c", "@finley", "PROP-2", on(15), 12),),
        passed_over=0,
    )


def test_a_trend_that_begins_later_starts_with_what_stood(repository: Path) -> None:
    found = made(repository, STORY, day(28.25), on(17))
    assert found.since == on(14)
    assert found.weeks == trend_of(repository, day(28.25)).weeks[2:]
    assert (found.opened, found.thawed, found.renewed, found.expired_unthawed) == (1, 1, 0, 1)
    assert (found.share_expired_unthawed, found.median_days_to_thaw) == (1.0, 23.0)
    assert found.oldest == trend_of(repository, day(28.25)).oldest


@pytest.mark.parametrize(
    ("since", "starts"),
    [
        (on(0), 0),
        (on(6), 0),
        (on(7), 7),
        (on(28), 28),
        ("1970-01-01", 0),
        ("0001-01-01", 0),
        ("HEAD", 21),
        ("HEAD~1", 14),
        ("main~5", 0),
        ("tagged", 7),
        ("aside", 14),
        ("later", 28),
    ],
)
def test_where_it_begins(since: str, starts: int, repository: Path) -> None:
    write_history(repository, STORY)
    git(repository, "tag", "-a", "-m", "a tag", "tagged", "HEAD~3")
    for name, at in (("aside", day(17)), ("later", day(100))):
        git(repository, "switch", "-q", "-c", name, "HEAD~5")
        git(repository, "commit", "-q", "--allow-empty", "-m", "x", environment={"GIT_COMMITTER_DATE": f"@{at} +0000"})
        git(repository, "switch", "-q", "main")
    assert trend_of(repository, day(28.25), since).since == on(starts)


@pytest.mark.parametrize(
    ("since", "reason"),
    [
        ("nowhere", "--since 'nowhere' is no date and names no commit that is here"),
        ("2026-02-30", "is no date and names no commit"),
        ("", "is no date and names no commit"),
        ("--all", "is no date and names no commit"),
        ("HEAD:ledgers", "is no date and names no commit"),
        (on(29), f"--since {on(29)} lies after now, {on(28)}"),
    ],
)
def test_what_is_no_beginning_cannot_be_told(since: str, reason: str, repository: Path) -> None:
    with pytest.raises(CannotTell, match=reason):
        made(repository, STORY, day(28.25), since)


def test_before_the_first_commit_there_is_no_history(repository: Path) -> None:
    with pytest.raises(CannotTell, match="there is no commit yet"):
        trend_of(repository, day(0))


def test_a_shallow_clone_cannot_tell(repository: Path, tmp_path: Path) -> None:
    write_history(repository, STORY)
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{repository}", "shallow")
    with pytest.raises(CannotTell, match="too shallow to know how the freezes came and went"):
        trend_of(tmp_path / "shallow", day(28), on(23))


def test_without_a_ledger_this_week_is_empty(repository: Path) -> None:
    found = made(repository, [Step(day(0), None)], day(3))
    assert found == Trend(on(0), on(3), (Week(on(0), 0, 0, 0, 0, 0),), 0, 0, 0, 0, 0, None, None, ())


def test_what_is_not_committed_is_no_history(repository: Path) -> None:
    before = made(repository, STORY, day(28))
    (repository / FREEZES).parent.mkdir()
    (repository / FREEZES).write_text("")
    git(repository, "add", "-A")
    assert trend_of(repository, day(28)) == before


def test_a_sha256_repository_says_the_same(repository: Path, tmp_path: Path) -> None:
    root = tmp_path / "sha256"
    root.mkdir()
    git(root, "init", "-q", "--object-format=sha256")
    assert made(root, STORY, day(28)) == made(repository, STORY, day(28))


def test_a_merge_brings_what_its_branch_did_in_one_commit(repository: Path) -> None:
    a, b, c = (row(f"test_{name}", 0, 30) for name in "abc")
    steps = [
        Step(day(0.5), a, mark=1),
        Step(day(1.5), a + b, mark=2, first=1),
        Step(day(2.5), b, mark=3, first=2),
        Step(day(3.5), a + c, mark=4, first=1),
        Step(day(9.5), b + c, mark=5, first=4, second=3),
    ]
    found = made(repository, steps, day(10))
    # on the side branch B came and A left on days 1 and 2; the line of main sees both when it is merged
    assert found.weeks == (Week(on(0), 2, 2, 0, 0, 0), Week(on(7), 2, 1, 1, 0, 0))
    assert found.median_days_to_thaw == 9
    assert [(one.test[-1], one.since) for one in found.oldest] == [("c", on(3)), ("b", on(9))]


def test_a_ledger_that_nobody_could_read_for_one_commit_changes_nothing(repository: Path) -> None:
    ledger = row("test_a", 0, 9) + row("test_b", 0, 9)
    steps = [Step(day(0), ledger), Step(day(1), ledger + "- test: [\n"), Step(day(2), ledger)]
    found = made(repository, steps, day(3))
    assert found.passed_over == 1
    assert found.weeks == (Week(on(0), 2, 2, 0, 0, 0),)
    assert {one.since for one in found.oldest} == {on(0)}


def test_what_left_meanwhile_left_when_the_ledger_could_be_read_again(repository: Path) -> None:
    steps = [Step(day(0), row("test_a", 0, 9)), Step(day(1), "- test: [\n"), Step(day(8), "")]
    assert made(repository, steps, day(9)).weeks == (Week(on(0), 1, 1, 0, 0, 0), Week(on(7), 0, 0, 1, 0, 0))


def test_a_ledger_that_was_deleted_and_put_back_let_its_rows_go(repository: Path) -> None:
    ledger = row("test_a", 0, 9)
    found = made(repository, [Step(day(0), ledger), Step(day(1), None), Step(day(2), ledger)], day(3))
    assert (found.open, found.opened, found.thawed, found.median_days_to_thaw) == (1, 2, 1, 1.0)
    assert [one.since for one in found.oldest] == [on(2)]


def test_a_moved_test_is_neither_thawed_nor_opened(repository: Path) -> None:
    moved = row("tests/test_new.py::test_a", 0, 9)
    found = made(repository, [Step(day(0), row("test_a", 0, 9)), Step(day(8), moved)], day(9))
    assert found.weeks == (Week(on(0), 1, 1, 0, 0, 0), Week(on(7), 1, 0, 0, 0, 0))
    assert found.oldest == (Oldest("tests/test_new.py::test_a", "@finley", "PROP-1", on(0), 9),)


def test_a_date_that_goes_back_moves_its_own_commit_alone(repository: Path) -> None:
    one, two, three = (row(f"test_{name}", 0, 90) for name in "abc")
    steps = [
        Step(day(0), one),
        Step(day(7), one + two),
        Step(0, one + two + three),
        Step(day(400), one + two),
        Step(day(14), one),
    ]
    found = made(repository, steps, day(15))
    assert [week[1:4] for week in found.weeks] == [(1, 1, 0), (2, 2, 1), (1, 0, 1)]


def test_commits_of_the_future_count_as_now(repository: Path) -> None:
    found = made(repository, STORY, day(1))
    assert (len(found.weeks), found.open, found.opened, found.thawed) == (1, 1, 3, 2)


def test_ten_stand_longest_and_equals_stand_by_name(repository: Path) -> None:
    rows = [row(f"test_{number:02}", 0, 90) for number in range(13)]
    steps = [Step(day(0), "".join(rows[5:])), Step(day(2), "".join(rows))]
    found = made(repository, steps, day(4))
    names = [*range(5, 13), 0, 1]
    assert [(one.test[-2:], one.days) for one in found.oldest] == [
        (f"{name:02}", 4 if name > 4 else 2) for name in names
    ]


def test_a_row_without_owner_and_property_is_told_as_it_is(repository: Path) -> None:
    found = made(repository, [Step(day(0), "- test: tests/a.py::test_a\n")], day(1))
    assert found.oldest == (Oldest("tests/a.py::test_a", None, None, on(0), 1),)


@pytest.mark.parametrize(
    ("at", "expected"),
    [(day(0), day(0)), (day(7) - 1, day(0)), (day(7), day(7)), (0, -3 * DAY), (3 * DAY, -3 * DAY), (4 * DAY, 4 * DAY)],
)
def test_a_week_starts_on_monday(at: int, expected: int) -> None:
    assert monday(at) == expected


# a second, naive count


class Frozen(NamedTuple):
    """A row of a random ledger: when it was frozen, and its last day."""

    frozen: int
    expires: int


Ledger = dict[str, Frozen]
Timeline = list[tuple[int, Ledger]]


@st.composite
def timelines(draw: st.DrawFn) -> tuple[Timeline, int]:
    """Ledgers and the days at whose noon they were committed; and the day at whose noon it is now."""
    today, ledger, found = 0, Ledger(), Timeline()
    for _ in range(draw(st.integers(1, 14))):
        today += draw(st.sampled_from((0, 1, 1, 3, 9)))
        test = draw(st.sampled_from("abc"))
        step = draw(st.sampled_from(("open", "renew", "thaw", "shorten", "wait")))
        ledger = dict(ledger)
        if step == "thaw":
            ledger.pop(test, None)
        elif step == "shorten" and test in ledger:
            ledger[test] = ledger[test]._replace(expires=ledger[test].expires - draw(st.integers(0, 6)))
        elif (step == "open" and test not in ledger) or (step == "renew" and test in ledger):
            ledger[test] = Frozen(today, today + draw(st.integers(0, 12)))
        found.append((today, ledger))
    return found, today + draw(st.integers(0, 15))


class Counts(NamedTuple):
    """What happened, each with its time in half days."""

    opened: list[int]
    thawed: list[int]
    renewed: list[int]
    expired: list[int]
    early: list[int]
    to_thaw: list[int]
    standing: dict[str, int]


def naive(timeline: Timeline, today: int) -> Counts:
    """Go through time by half days: at noon the ledgers of that day are committed, then every row is looked at."""
    found = Counts([], [], [], [], [], [], {})
    ledger, over = Ledger(), set[str]()
    for tick in range(2 * today + 2):
        for new in [new for number, new in timeline if 2 * number + 1 == tick]:
            _commit(found, ledger, new, over, tick)
            ledger = new
        for test, frozen in ledger.items():
            if test not in over and 2 * (frozen.expires + 1) <= tick:
                over.add(test)
                found.expired.append(tick)
    return found


def _commit(found: Counts, old: Ledger, new: Ledger, over: set[str], tick: int) -> None:
    for test in sorted({*old, *new}):
        if test not in old:
            found.opened.append(tick)
            found.standing[test] = tick
        elif test not in new:
            found.thawed.append(tick)
            found.to_thaw.append(tick - found.standing.pop(test))
        elif old[test].frozen != new[test].frozen:
            found.renewed.append(tick)
        else:
            continue
        if test in old and test not in over:
            found.early.append(tick)
        over.discard(test)


def naive_trend(counts: Counts, since: int, today: int) -> Trend:
    """The numbers of the days from a Monday on, by the calendar of the standard library."""

    def week_of(tick: int) -> str:
        moment = datetime.fromtimestamp(day(tick / 2), UTC).date()
        return (moment - timedelta(days=moment.weekday())).isoformat()

    def number(ticks: list[int], week: str) -> int:
        return sum(week_of(tick) == week for tick in ticks)

    starts = [on(first) for first in range(since, today + 1, 7)]
    weeks = tuple(
        Week(
            week,
            sum(week_of(tick) <= week for tick in counts.opened) - sum(week_of(tick) <= week for tick in counts.thawed),
            *(number(ticks, week) for ticks in (counts.opened, counts.thawed, counts.renewed, counts.expired)),
        )
        for week in starts
    )

    def from_start(ticks: list[int]) -> int:
        return sum(tick >= 2 * since for tick in ticks)

    ended = from_start(counts.expired) + from_start(counts.early)
    waits = [Fraction(wait, 2) for at, wait in zip(counts.thawed, counts.to_thaw, strict=True) if at >= 2 * since]
    oldest = sorted((tick, test) for test, tick in counts.standing.items())
    return Trend(
        since=on(since),
        until=on(today),
        weeks=weeks,
        open=len(counts.standing),
        opened=from_start(counts.opened),
        thawed=from_start(counts.thawed),
        renewed=from_start(counts.renewed),
        expired_unthawed=from_start(counts.expired),
        share_expired_unthawed=from_start(counts.expired) / ended if ended else None,
        median_days_to_thaw=float(median(waits)) if waits else None,
        oldest=tuple(
            Oldest(f"tests/test_a.py::test_{test}", "@finley", "PROP-1", on(tick // 2), (2 * today + 1 - tick) // 2)
            for tick, test in oldest
        ),
    )


def version(number: int, ledger: Ledger) -> Version:
    names = {test: f"tests/test_a.py::test_{test}" for test in ledger}
    rows = {
        names[test]: Row(names[test], "@finley", "PROP-1", on(one.frozen), day(one.expires + 1))
        for test, one in ledger.items()
    }
    return Version(day(number + 0.5), rows)


@given(timelines(), st.integers(0, 4))
@settings(max_examples=300)
def test_random_timelines_have_the_numbers_of_the_naive_count(drawn: tuple[Timeline, int], weeks: int) -> None:
    timeline, today = drawn
    since = min(7 * weeks, today - today % 7)
    found = lives((version(*one) for one in timeline), day(today + 0.5))
    assert summed(found, day(since), day(today + 0.5)) == naive_trend(naive(timeline, today), since, today)


@given(timelines())
@settings(max_examples=100)
def test_the_numbers_add_up(drawn: tuple[Timeline, int]) -> None:
    timeline, today = drawn
    found = summed(lives((version(*one) for one in timeline), day(today + 0.5)), day(0), day(today + 0.5))
    stands = 0
    for week in found.weeks:
        stands += week.opened - week.thawed
        assert week.open == stands
    assert found.opened - found.thawed == found.open == len(timeline[-1][1])
    assert found.expired_unthawed == sum(week.expired for week in found.weeks)
    assert found.expired_unthawed <= found.opened + found.renewed


@given(drawn=timelines())
@settings(max_examples=12)
def test_random_real_histories_have_the_numbers_of_the_naive_count(
    drawn: tuple[Timeline, int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    timeline, today = drawn
    root = tmp_path_factory.mktemp("made")
    git(root, "init", "-q", "--template=")
    texts = [
        (at, "".join(row(f"test_{test}", *one, reason=f"reason {test}") for test, one in ledger.items()))
        for at, ledger in timeline
    ]
    found = made(root, [Step(day(at + 0.5), text) for at, text in texts], day(today + 0.5))
    # a history begins in its first week
    since = timeline[0][0] - timeline[0][0] % 7
    assert found == naive_trend(naive(timeline, today), since, today)
