"""What the page shows of real ledgers: states, owners, ages, properties, and unknowns that stay unknown."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from commands import noon, typed
from flakeledger.model.clock import parse_instant
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.reporters.page_view import OwnerRow, Untold, View, ages_of, owners_of, view_of
from flakeledger.rules.inspection import Request, inspect_both
from flakeledger.rules.overview import overview
from made_views import shown
from world import CLOCK, REFUND, TOTAL, Templates, World, on


def three_freezes(world: World) -> None:
    """A flaky freeze of 30 days, a green one of 10, an unproven one of 3 of another owner; all of day 0."""
    world.replay(0)
    world.replay(0, 20, test=CLOCK)
    world.freeze(REFUND, 0, 30)
    world.freeze(CLOCK, 0, 10)
    world.freeze(TOTAL, 0, 3, owner="@casey")
    world.record("freezes")


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", three_freezes, "ledger", "block")


def seen(world: World, day: int) -> View:
    """What the page shows at noon of a day."""
    now = parse_instant(f"{on(day)}T12:00:00Z")
    with open_repository(str(world.root), os.environ, from_disk=True) as repository:
        ledger = repository.ledger(repository.tree(INDEX))
        rows = overview(ledger, now)
        report = inspect_both(repository, Request("check", os.environ, now)).report
        return view_of("world", ledger, rows, report, Untold("not asked", ""), now)


def test_states_follow_the_window_and_the_policy(world: World) -> None:
    found = {row.freeze.test: (row.state, row.left) for row in seen(world, 6).freezes}
    assert found == {
        TOTAL: ("expired", "expired"),
        CLOCK: ("expiring", "5 days left"),
        REFUND: ("open", "25 days left"),
    }


@pytest.mark.parametrize(("day", "state"), [(3, "open"), (4, "expiring"), (10, "expiring"), (11, "expired")])
def test_a_freeze_is_expiring_while_its_warning_stands(day: int, state: str, world: World) -> None:
    view = seen(world, day)
    found = next(row.state for row in view.freezes if row.freeze.test == CLOCK)
    warned = {one.subject for one in view.report.findings if one.rule == "freeze-expiring"}
    assert found == state
    assert (CLOCK in warned) is (state == "expiring")


def test_a_row_without_an_end_is_no_open_one(world: World) -> None:
    world.set_fields(FREEZES, REFUND, expires=None)
    first = seen(world, 6).freezes[0]
    assert (first.state, first.left, first.end, first.days_left) == ("no end", "no end", None, None)


def test_owners_are_counted_who_has_most_first(world: World) -> None:
    assert seen(world, 6).owners == (OwnerRow("@finley", 2, 0, 1, 6), OwnerRow("@casey", 1, 1, 0, 6))


def test_the_owners_are_those_of_remind_and_the_words_those_of_review(world: World) -> None:
    world.set_fields(FREEZES, CLOCK, owner="@Finley")
    world.set_fields(FREEZES, TOTAL, owner="tbd")
    spellings = [one.owner for one in seen(world, 6).owners]
    reminded = json.loads(typed(world, "remind", "--days", "30", "--now", noon(6), "--format", "json").out)["owners"]
    assert sorted(spellings) == sorted(one["owner"] or "nobody" for one in reminded) == ["@Finley", "nobody"]
    told = typed(world, "review", "--now", noon(10)).out.splitlines()
    left = {test: words for _, test, _, words, *_ in (line.split("\t") for line in told)}
    assert left[CLOCK] == "less than a day"
    assert {row.freeze.test: row.left for row in seen(world, 10).freezes}[CLOCK] == f"{left[CLOCK]} left"


def test_nobody_is_an_owner_too() -> None:
    row = shown(4)
    assert owners_of([row._replace(freeze=row.freeze._replace(owner=None), age_days=None)]) == (
        OwnerRow("nobody", 1, 0, 0, None),
    )


@pytest.mark.parametrize(
    ("age", "band"),
    [
        (0, "under 1 week"),
        (6, "under 1 week"),
        (7, "1 week"),
        (13, "1 week"),
        (14, "2 to 3 weeks"),
        (27, "2 to 3 weeks"),
        (28, "4 to 7 weeks"),
        (55, "4 to 7 weeks"),
        (56, "8 weeks or more"),
        (10_000, "8 weeks or more"),
        (None, "first day unknown"),
    ],
)
def test_ages_fall_into_bands(age: int | None, band: str) -> None:
    assert [name for name, count in ages_of([shown(4)._replace(age_days=age)]) if count] == [band]


def test_an_unknown_age_has_a_band_only_where_there_is_one() -> None:
    assert "first day unknown" not in dict(ages_of([shown(4)]))


def test_a_property_that_only_frozen_tests_protect_is_there_also_while_somebody_answers_for_it(world: World) -> None:
    assert [(one.found.id, one.tests) for one in seen(world, 6).properties] == [("PROP-1", [REFUND, TOTAL, CLOCK])]
    world.set_fields(PROPERTIES, "PROP-1", uncovered_until=on(20), owner="@casey")
    view = seen(world, 6)
    assert "property-unprotected" not in {one.rule for one in view.report.findings}
    assert [one.found.uncovered_until for one in view.properties] == [on(20)]
    world.remove_row(FREEZES, TOTAL)
    assert seen(world, 6).properties == ()


def test_every_verdict_is_counted(world: World) -> None:
    view = seen(world, 6)
    assert {one.name: count for one, count in view.verdicts if count} == {
        "delete_first": 1,
        "delete_test": 1,
        "thaw": 1,
    }
    assert sum(count for _, count in view.verdicts) == len(view.freezes)


def test_a_replay_keeps_its_rate_and_its_bound(world: World) -> None:
    found = {row.freeze.test: row.replayed for row in seen(world, 6).freezes}
    flaky = found[REFUND]
    assert found[TOTAL] is None
    assert flaky is not None
    assert flaky.pass_rate == 0.9
    assert flaky.at_least == pytest.approx(1 - 0.282619, abs=1e-5)
