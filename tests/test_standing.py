"""Whether a freeze is open, here and now, as a pure function. The rows of real repositories are in test_honouring."""

from __future__ import annotations

import pytest

from flakeledger.evidence.standing import runner_class_of, standing
from flakeledger.model.clock import DAY, parse_date, parse_instant
from flakeledger.model.policy import LevelName, Limits, Policy, Runner
from flakeledger.model.records import Freeze
from flakeledger.model.rows import Places

PIN = "0" * 64
#: no field but those that level `ledger` needs
UNPINNED = Freeze._make((Places(1, 1, {}), *([None] * (len(Freeze._fields) - 1))))._replace(
    test="t.py::test_x",
    owner="@finley",
    frozen_on="2026-03-02",
    expires="2026-03-12",
    reason="late at times",
    property_id="PROP-1",
    replay_env="box",
)
FREEZE = UNPINNED._replace(
    runner_class="box", failure_class="environment", fixture_hashes={}, generator_hash=PIN, test_hash=PIN
)
NOW = parse_date("2026-03-05")
END = parse_date("2026-03-13")
BEGIN = parse_date("2026-03-02")


def policy(level: LevelName, **limits: int) -> Policy:
    return Policy(paths=(), runners=(Runner("box"),), level=level, limits=Limits(**limits))


@pytest.mark.parametrize(
    ("freeze", "level", "runner", "now", "state"),
    [
        (FREEZE, "keyed", "box", NOW, "open"),
        (FREEZE, "witnessed", "box", NOW, "open"),
        (FREEZE, "keyed", "other", NOW, "other_runner"),
        (FREEZE, "keyed", "box", END - 1, "open"),
        (FREEZE, "keyed", "box", END, "expired"),
        (FREEZE, "keyed", "other", END, "expired"),
        (FREEZE._replace(expires="2026-03-12T06:00:00Z"), "keyed", "box", END - DAY, "open"),
        (FREEZE._replace(expires="2026-03-12T06:00:00Z"), "keyed", "box", END - DAY // 2, "expired"),
        (FREEZE, "keyed", "box", BEGIN - DAY, "open"),
        (FREEZE, "keyed", "box", BEGIN - DAY - 1, "unfit"),
        (FREEZE._replace(expires=None), "ledger", "box", NOW, "unfit"),
        (FREEZE._replace(frozen_on=None), "ledger", "box", NOW, "unfit"),
        (FREEZE._replace(frozen_on="2026-02-10"), "ledger", "box", NOW, "open"),
        (FREEZE._replace(frozen_on="2026-02-09"), "ledger", "box", NOW, "unfit"),
        (FREEZE._replace(failure_class="invariant"), "keyed", "box", NOW, "unfit"),
        (FREEZE._replace(failure_class="invariant"), "witnessed", "box", NOW, "unfit"),
        (FREEZE._replace(failure_class="invariant"), "ledger", "box", NOW, "open"),
        (UNPINNED, "keyed", "box", NOW, "unfit"),
        (UNPINNED, "ledger", "box", NOW, "open"),
        (UNPINNED, "ledger", "other", NOW, "other_runner"),
        (UNPINNED._replace(replay_env=None), "ledger", "box", NOW, "unfit"),
    ],
)
def test_when_a_freeze_is_open(freeze: Freeze, level: LevelName, runner: str, now: int, state: str) -> None:
    found = standing(freeze, policy(level), runner, now)
    assert found.state == state
    assert bool(found.reason) == (state != "open")


@pytest.mark.parametrize("level", ["keyed", "witnessed"])
@pytest.mark.parametrize(
    ("freeze", "pin"),
    [
        (FREEZE._replace(fixture_hashes=None), "fixture_hashes"),
        (FREEZE._replace(generator_hash=None), "generator_hash"),
        (FREEZE._replace(test_hash=None), "test_hash"),
    ],
)
def test_from_level_keyed_on_each_pin_must_be_present(freeze: Freeze, pin: str, level: LevelName) -> None:
    found = standing(freeze, policy(level), "box", NOW)
    assert found == ("unfit", f"its freeze lacks `{pin}`, which level `{level}` needs")
    assert standing(freeze, policy("ledger"), "box", NOW) == ("open", "")


def test_no_fixtures_are_pinned_fixtures() -> None:
    """A property whose fixtures are none pins an empty table, which is not an absent one."""
    assert FREEZE.fixture_hashes == {}
    assert standing(FREEZE, policy("keyed"), "box", NOW).state == "open"


@pytest.mark.parametrize(
    ("freeze", "now", "reason"),
    [
        (FREEZE, END, "its freeze ended at 2026-03-13T00:00:00Z; @finley owned it"),
        (FREEZE._replace(owner=None), END, "its freeze ended at 2026-03-13T00:00:00Z; nobody owned it"),
        (FREEZE, parse_instant("2026-02-28T23:00:00Z"), "its freeze begins on 2026-03-02, more than a day ahead"),
        (FREEZE._replace(frozen_on=None), NOW, "its freeze has no window"),
        (FREEZE._replace(expires="2026-03-17"), NOW, "the window of its freeze is 15 days long; the policy allows 14"),
        (FREEZE._replace(runner_class="gpu"), NOW, "its freeze holds on gpu, and this is box"),
        (FREEZE._replace(failure_class="invariant"), NOW, "its freeze is of failure class invariant: a bug to mend"),
    ],
)
def test_the_reason_says_what_is_wrong(freeze: Freeze, now: int, reason: str) -> None:
    assert reason in standing(freeze, policy("keyed", max_window_days=14), "box", now).reason


@pytest.mark.parametrize(
    ("freeze", "level", "runner_class"),
    [
        (FREEZE._replace(replay_env="other"), "ledger", "box"),
        (FREEZE._replace(replay_env="other"), "keyed", "box"),
        (UNPINNED, "ledger", "box"),
        (UNPINNED, "keyed", None),
        (UNPINNED, "witnessed", None),
        (UNPINNED._replace(replay_env=None), "ledger", None),
    ],
)
def test_an_absent_runner_class_is_the_environment_of_the_replay_at_level_ledger_alone(
    freeze: Freeze, level: LevelName, runner_class: str | None
) -> None:
    assert runner_class_of(freeze, policy(level)) == runner_class
