"""What replays say of a freeze: how many it needs, how fresh, from where, and which failures are the environment's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flakeledger.model.clock import parse_instant
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES, REPLAYS
from flakeledger.rules import freeze_evidence
from flakeledger.rules.freeze_evidence import is_environment
from steps import Edit, base, together
from world import REFUND, TOTAL, Templates, World, on

ACCEPTED = ("TimeoutError", "ConnectionError", "socket.gaierror", "mydriver.errors.Unavailable")
RULES = (
    freeze_evidence.replay_missing,
    freeze_evidence.replay_wrong_env,
    freeze_evidence.replay_stale,
    freeze_evidence.replay_few_seeds,
    freeze_evidence.replay_broken,
    freeze_evidence.freeze_not_environment,
)
#: the day on which the rows begin
BEGIN = 20
BUG = "AssertionError"


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("TimeoutError", True),
        ("builtins.TimeoutError", True),
        ("ConnectionResetError", True),  # a built-in subclass of ConnectionError
        ("BrokenPipeError", True),
        ("socket.gaierror", True),
        ("mydriver.errors.Unavailable", True),
        ("asyncio.TimeoutError", True),
        ("AssertionError", False),
        ("OSError", False),
        ("Exception", False),
        ("Unavailable", False),
        ("print", False),
        ("", False),
    ],
)
def test_which_failures_are_the_environments(name: str, answer: bool) -> None:
    assert is_environment(name, ACCEPTED) is answer


# the rules


def row(test: str = REFUND, days: int = 30, **fields: str | int) -> Edit:
    """A row that begins on its day."""
    return lambda world: world.freeze(test, BEGIN, days, **fields)


def without(name: str, test: str = REFUND) -> Edit:
    """The row without a field."""
    return lambda world: world.set_fields(FREEZES, test, **{name: None})


def replay(
    day: int, test: str = REFUND, passed: int = 18, total: int = 20, failure: str = "TimeoutError", **fields: object
) -> Edit:
    """A replay on the morning of a day; `fields` stand in its line instead of what would."""

    def edit(world: World) -> None:
        world.replay(day, passed, total, test, failure=failure)
        *others, last = world.read(REPLAYS).splitlines()
        line = json.dumps({**json.loads(last), **fields})
        world.write(REPLAYS, "".join(f"{text}\n" for text in (*others, line)))

    return edit


#: 14 days before the row begins, to the second, and one second earlier: `max_replay_age_days` is 14
IN_TIME, TOO_EARLY = f"{on(BEGIN - 14)}T00:00:00Z", f"{on(BEGIN - 15)}T23:59:59Z"
SKIPS = [*["pass"] * 15, *["skipped"] * 5]

#: what is done at level `keyed`, the days since the row began, and what is found
CASES: dict[str, tuple[Edit, int, list[str]]] = {
    "nothing, and a short window": (row(days=3), 0, []),
    "nothing, and a longer one": (row(days=4), 0, ["replay-missing"]),
    "nothing, and no window": (together(row(), without("expires")), 0, []),
    "a replay of another test": (together(replay(BEGIN, TOTAL), row()), 0, ["replay-missing"]),
    "from elsewhere": (together(replay(BEGIN, env="local-fixture"), row()), 0, ["replay-wrong-env"]),
    "from elsewhere, a short window": (together(replay(BEGIN, env="local-fixture"), row(days=3)), 0, []),
    "from elsewhere, and from here": (
        together(replay(BEGIN), replay(BEGIN, env="local-fixture"), row()), 0, [],
    ),
    "14 days old": (together(replay(BEGIN, run_at=f"{on(BEGIN)}T12:00:00Z"), row()), 14, []),
    "more than 14 days old": (together(replay(BEGIN, run_at=f"{on(BEGIN)}T11:59:59Z"), row()), 14, ["replay-stale"]),
    "an old one, and a short window": (together(replay(BEGIN - 14), row(days=3)), 1, []),
    "20 seeds": (together(replay(BEGIN, total=20), row()), 0, []),
    "19 seeds": (together(replay(BEGIN, total=19), row()), 0, ["replay-few-seeds"]),
    "19 seeds, and a short window": (together(replay(BEGIN, total=19), row(days=3)), 0, []),
    "one pass": (together(replay(BEGIN, passed=1), row()), 0, []),
    "no pass": (together(replay(BEGIN, passed=0), row()), 0, ["replay-broken"]),
    "no pass, and a short window": (together(replay(BEGIN, passed=0), row(days=3)), 0, ["replay-broken"]),
    "no pass before, a pass now": (
        together(replay(BEGIN - 1, passed=0), replay(BEGIN), row()), 0, [],
    ),
    "an invariant failed": (
        together(replay(BEGIN), row(failure_class="invariant")), 0, ["freeze-not-environment"],
    ),
    "nobody said what failed": (
        together(replay(BEGIN, failure=BUG), row(), without("failure_class")), 0, [],
    ),
    "another failure, and arguments that are drawn": (
        together(replay(BEGIN, failure=BUG), row()), 0, ["freeze-not-environment"],
    ),
    "another failure, told once": (
        together(replay(BEGIN, failure=BUG), row(), row()), 0, ["freeze-not-environment"],
    ),
    "another failure of one input": (
        together(replay(BEGIN, TOTAL, failure=BUG), row(TOTAL)), 0, [],
    ),
    "another failure of one input, every time": (
        together(replay(BEGIN, TOTAL, passed=0, failure=BUG), row(TOTAL)), 0,
        ["freeze-not-environment", "replay-broken"],
    ),
    "another failure of one input every time, then passes and skips": (
        together(
            replay(BEGIN, TOTAL, passed=0, failure=BUG),
            replay(BEGIN, TOTAL, passed=15, failures={}, outcomes=SKIPS),
            row(TOTAL),
        ), 0, ["freeze-not-environment"],
    ),
    "another failure, 14 days before": (
        together(replay(BEGIN, failure=BUG, run_at=IN_TIME), replay(BEGIN), row()), 0, ["freeze-not-environment"],
    ),
    "another failure, earlier": (
        together(replay(BEGIN, failure=BUG, run_at=TOO_EARLY), replay(BEGIN), row()), 0, [],
    ),
    "a failure of the environment, then none": (
        together(replay(BEGIN - 1), replay(BEGIN, passed=20), row()), 0, [],
    ),
    "no failure": (together(replay(BEGIN, passed=20), row()), 0, ["freeze-not-environment (warning)"]),
    "no failure, and a short window": (together(replay(BEGIN, passed=20), row(days=3)), 0, []),
    "no failure, before what counts": (
        together(replay(BEGIN, passed=20, run_at=TOO_EARLY), row()), 0, ["replay-stale"],
    ),
}  # fmt: skip


def judged(world: World, days: int) -> list[Finding]:
    """What the rules find at noon, so many days after the rows began."""
    now = parse_instant(f"{on(BEGIN + days)}T12:00:00Z")
    with world.ledger() as ledger:
        return [finding for rule in RULES for finding in rule(ledger, now)]


def names(findings: list[Finding]) -> list[str]:
    """The rules, with the level where it is no error."""
    return sorted(found.rule + ("" if found.level == "error" else f" ({found.level})") for found in findings)


@pytest.mark.parametrize("name", CASES)
def test_what_a_freeze_needs_of_its_replays(name: str, templates: Templates, tmp_path: Path) -> None:
    edit, days, expected = CASES[name]
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    edit(world)
    findings = judged(world, days)
    assert names(findings) == expected
    assert all(found.by_time for found in findings)  # fresh evidence or time caused it, and not who commits it


@pytest.mark.parametrize("edit", [replay(BEGIN, failure=BUG), replay(BEGIN, passed=20)])
def test_below_keyed_nobody_asks_what_failed(edit: Edit, templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "ledger", "block")
    together(edit, row(failure_class="environment"))(world)
    assert names(judged(world, 0)) == []


def test_a_row_without_a_test_is_no_concern_of_theirs(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    together(replay(BEGIN, failure=BUG), row())(world)
    world.sub(FREEZES, f"- test: {REFUND}\n  owner", "- owner")
    assert names(judged(world, 0)) == []
