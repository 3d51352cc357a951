"""What a real tree and its ledger show of a frozen test: the facts, the verdict, and how both are said."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.model.clock import parse_instant
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES, REPLAYS
from flakeledger.model.records import Replay
from flakeledger.rules.interviews import Interview, counted, interview, lower_rates, next_step, reason
from steps import (
    Edit,
    delete,
    edit_conftest,
    edit_fixture,
    replay,
    set_freeze,
    set_property,
    standing,
    sub,
    together,
)
from world import REFUND, TESTS, Templates, World, on

THAW = f"flakeledger thaw {REFUND}"
REPLAY = f"flakeledger replay {REFUND} --runner pinned-py311"


def nothing(_world: World) -> None:
    """The standing freeze as it is: days 0 to 30, 18 of 20 passed on day 0."""


def without_log(world: World) -> None:
    world.write(REPLAYS, "")


def ended(outcomes: list[str]) -> Edit:
    """The log with one line that says how each of its runs ended."""

    def edit(world: World) -> None:
        world.replay(5, 18)
        world.sub(REPLAYS, '"failures": {"TimeoutError": 2}}\n', f'"outcomes": {outcomes!r}}}\n'.replace("'", '"'))

    return edit


def unsettled(world: World) -> None:
    """A replay of day 5 of whose two other runs one failed."""
    world.replay(5, 18)
    text = world.read(REPLAYS)
    head, _, tail = text.rpartition('{"TimeoutError": 2}')
    world.write(REPLAYS, head + '{"TimeoutError": 1}' + tail)


def held(edit: Edit, world: World, day: int) -> Interview:
    edit(world)
    with world.ledger() as ledger:
        assert ledger.policy is not None
        assert ledger.findings == ()
        row = next(row for row in ledger.freezes if row.test == REFUND)
        return interview(ledger, row, ledger.policy.limits, parse_instant(f"{on(day)}T12:00:00Z"))


#: edit, day -> verdict, may go
SITUATIONS: dict[str, tuple[Edit, int, str, bool]] = {
    "young": (nothing, 3, "withdraw", True),
    "young, never replayed": (without_log, 3, "withdraw", True),
    "young, under too few seeds": (replay(3, 19, total=19), 3, "withdraw", True),
    "young no more": (nothing, 4, "delete_test", False),
    "flaky, in time": (nothing, 13, "delete_test", False),
    "flaky, expired": (replay(20), 31, "delete_test", True),
    "the last second of its window": (replay(20), 30, "delete_test", False),
    "too old": (nothing, 14, "replay", False),
    "too old, expired": (nothing, 31, "replay", True),
    "gone": (delete(TESTS), 5, "gone", True),
    "gone, its file stays": (sub(TESTS, "def test_refund(x)", "def nothing(x)"), 5, "gone", True),
    "not gone, but no Python": (sub(TESTS, "def test_refund(x)", "def test_refund(x"), 5, "void", True),
    "another fixture": (edit_fixture, 5, "void", True),
    "another generator": (edit_conftest, 5, "void", True),
    "another text": (sub(TESTS, "x >= 0", "x > 0"), 5, "void", True),
    "void and young": (edit_conftest, 1, "void", True),
    "a placeholder owns it": (set_freeze(owner="tbd"), 5, "delete_first", True),
    "nobody owns it": (set_freeze(owner=None), 5, "delete_first", True),
    "never replayed": (without_log, 5, "replay", False),
    "never replayed, expired": (without_log, 31, "delete_first", True),
    "replayed elsewhere, expired": (
        together(without_log, replay(3, env="local-fixture")), 31, "replay", True,
    ),
    "replayed before it was frozen only, expired": (together(without_log, replay(-1)), 31, "delete_first", True),
    "replayed before it was frozen only": (together(without_log, replay(-1)), 5, "replay", False),
    "replayed elsewhere": (together(without_log, replay(5, env="local-fixture")), 5, "replay", False),
    "too few seeds": (replay(5, 19, total=19), 5, "replay", False),
    "the newest counts, wherever it stands": (replay(-3, 20), 5, "delete_test", False),
    "incomplete by its failures": (unsettled, 5, "replay", False),
    "incomplete by its outcomes": (ended(["pass"] * 18 + ["fail", "skipped"]), 5, "replay", False),
    "complete by its outcomes": (ended(["pass"] * 18 + ["fail", "fail"]), 5, "delete_test", False),
    "passed nothing": (replay(5, 0), 5, "fix", True),
    "green": (replay(5, 20), 5, "thaw", True),
    "green, no fixture": (together(replay(5, 20), set_property(fixtures=[]), set_freeze(fixture_hashes=None)), 5,
                          "bind_property", False),
    "green, no property": (together(replay(5, 20), sub(PROPERTIES, "PROP-1", "PROP-2"), set_freeze(
        generator_hash=None)), 5, "bind_property", False),
}  # fmt: skip


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_situation_has_its_verdict(name: str, templates: Templates, tmp_path: Path) -> None:
    edit, day, verdict, may_go = SITUATIONS[name]
    found = held(edit, templates.start(tmp_path / "world", standing, "keyed", "block"), day)
    assert (found.verdict.name, found.may_go) == (verdict, may_go)


#: situation -> why, what to do next
SAID = {
    "young": (
        "it is younger than `unproven_days`", f"its replay is recorded: keep the freeze, or take it back: {THAW}"
    ),
    "young, never replayed": (
        "it is younger than `unproven_days`", f"{REPLAY}, or take the freeze back: {THAW}"
    ),
    "young, under too few seeds": (
        "it is younger than `unproven_days`", f"{REPLAY}, or take the freeze back: {THAW}"
    ),
    "flaky, in time": (
        "its newest replay from pinned-py311 has 18/20 passed, failing 10.0 % (at most 28.3 %)",
        "delete the test together with its row, and give PROP-1 another one",
    ),
    "flaky, expired": (
        "its newest replay from pinned-py311 has 18/20 passed, failing 10.0 % (at most 28.3 %)",
        f"delete the test together with its row, and give PROP-1 another one, or {THAW}",
    ),
    "too old": ("its newest replay from pinned-py311 is too old", REPLAY),
    "never replayed": ("no replay from pinned-py311 is recorded", REPLAY),
    "replayed before it was frozen only": ("its newest replay from pinned-py311 is older than the freeze", REPLAY),
    "too few seeds": ("its newest replay from pinned-py311 ran under too few seeds", REPLAY),
    "incomplete by its failures": (
        "some runs of its newest replay from pinned-py311 neither passed nor failed", REPLAY
    ),
    "gone": ("its test is gone", THAW),
    "another generator": (
        "a pin differs from the tree", f"{THAW}; then lock what changed, replay the test, and decide again"
    ),
    "nobody owns it": ("nobody owns it", THAW),
    "never replayed, expired": ("it is expired and was never replayed since it was frozen", THAW),
    "passed nothing": (
        "its newest replay from pinned-py311 has 0/20 passed, failing 100.0 % (at most 100.0 %)",
        f"mend the product or the test, and {THAW}",
    ),
    "green, no fixture": (
        "its property PROP-1 has no statement or no fixture", "give PROP-1 a statement and a fixture"
    ),
    "green": ("its newest replay from pinned-py311 has 20/20 passed, failing at most 13.9 %", THAW),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_a_verdict_says_why_and_what_to_do(name: str, templates: Templates, tmp_path: Path) -> None:
    edit, day, *_ = SITUATIONS[name]
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    found = held(edit, world, day)
    with world.ledger() as ledger:
        assert ledger.policy is not None
        assert (reason(found), next_step(found)) == SAID[name]


def test_a_row_of_another_ledger_is_judged_on_this_tree_and_log(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    with world.ledger() as ledger:
        row = ledger.freezes[0]
    together(replay(5, 20), set_freeze(replay_env="local-fixture"))(world)
    assert world.read(FREEZES).count("replay_env: local-fixture") == 1
    with world.ledger() as ledger:
        assert ledger.policy is not None
        now = parse_instant(f"{on(5)}T12:00:00Z")
        assert interview(ledger, row, ledger.policy.limits, now).verdict.name == "thaw"


def test_an_id_that_a_shell_would_cut_is_quoted(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", standing, "ledger", "block")
    with world.ledger() as ledger:
        assert ledger.policy is not None
        row = ledger.freezes[0]._replace(test="tests/test_orders.py::test_refund[a b]")
        found = interview(ledger, row, ledger.policy.limits, parse_instant(f"{on(1)}T12:00:00Z"))
        assert "thaw 'tests/test_orders.py::test_refund[a b]'" in next_step(found)


def test_a_replay_without_a_run_bounds_nothing() -> None:
    empty = Replay(1, "a.py::b", "2026-01-01T00:00:00Z", 0, "e", 0, 0, None, None, {}, 0, ())
    assert counted(empty) == "0/0 passed, failing at most 100.0 %"


@pytest.mark.parametrize(
    ("passed", "total", "told"),
    [
        (28, 28, "runs without a failure: at most 10 % takes 29, "),
        (29, 29, "runs without a failure: at most 5 % takes 59, "),
        (298, 298, "runs without a failure: at most 1 % takes 299"),
        (299, 299, ""),
        (19, 20, ""),
        (0, 0, ""),
    ],
)
def test_lower_rates_are_told_after_a_green_replay(passed: int, total: int, told: str) -> None:
    replay = Replay(1, "a.py::b", "2026-01-01T00:00:00Z", 0, "e", passed, total, None, None, {}, 0, ())
    assert lower_rates(replay).startswith(told)
    assert bool(lower_rates(replay)) is bool(told)


def test_without_a_replay_no_rate_is_told() -> None:
    assert lower_rates(None) == ""
