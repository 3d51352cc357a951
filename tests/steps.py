"""Where walks and cheats start, and the edits that they are made of.

Invariants:
* A start builds on the base tree of `world.py` and commits on main what it builds, unjudged.
* An edit changes files as a person would, and commits nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from world import (
    CLOCK,
    CONFTEST,
    ORDERS,
    PRODUCT,
    REFUND,
    STRATEGIES,
    TESTS,
    TOTAL,
    Start,
    Templates,
    Value,
    Verdict,
    World,
    on,
    run_main,
)

Edit = Callable[[World], object]

SKIPPED = "tests/test_old.py"
SKIPPED_TESTS = [f"{SKIPPED}::test_s{number}" for number in range(30)]
SPEC = "tests/a.spec.ts"
SPEC_X, SPEC_Y = f"{SPEC}::x", f"{SPEC}::y"
LONE = "tests/test_z.py::test_z"


class Refusal(NamedTuple):
    """What each mode refuses. `commits` holds `rule@step`, the step counting from 1.

    The others judge all steps as one change, on the last day.
    """

    commits: frozenset[str] = frozenset()
    pull_request: frozenset[str] = frozenset()
    squashed: frozenset[str] = frozenset()


def refused(*rules: str) -> Refusal:
    """The first step is refused in every mode."""
    return Refusal(frozenset(f"{rule}@1" for rule in rules), frozenset(rules), frozenset(rules))


def refused_together(*rules: str) -> Refusal:
    """Steps that pass one by one, and are refused as one change."""
    return Refusal(frozenset(), frozenset(rules), frozenset(rules))


def refused_on_main(*rules: str) -> Refusal:
    """Only a push to the default branch is refused."""
    return Refusal(squashed=frozenset(rules))


NOTHING = Refusal()


class Journey(NamedTuple):
    """Steps from a start, each a day and an edit, and what is refused of them."""

    name: str
    start: Start
    steps: tuple[tuple[int, Edit], ...]
    refusal: Refusal
    levels: tuple[str, ...]
    stale_rows: str


def journey(
    name: str,
    start: Start,
    *steps: tuple[int, Edit],
    refusal: Refusal = NOTHING,
    levels: tuple[str, ...] = ("ledger", "keyed"),
    stale_rows: str = "block",
) -> Journey:
    """A line of a table of journeys."""
    return Journey(name, start, steps, refusal, levels, stale_rows)


def judge_commits(world: World, steps: tuple[tuple[int, Edit], ...]) -> Verdict:
    """Each step as a commit that the hooks judge."""
    found = []
    for number, (day, edit) in enumerate(steps, start=1):
        edit(world)
        found += [f"{rule}@{number}" for rule in world.commit(day)]
    return frozenset(found)


def _make(world: World, steps: tuple[tuple[int, Edit], ...]) -> int:
    for _, edit in steps:
        edit(world)
        world.record()
    return steps[-1][0]


def judge_pull_request(world: World, steps: tuple[tuple[int, Edit], ...]) -> Verdict:
    """All steps as one pull request, on the last day."""
    return world.judge_pull_request(_make(world, steps))


def judge_squashed(world: World, steps: tuple[tuple[int, Edit], ...]) -> Verdict:
    """All steps squashed on main and pushed, on the last day."""
    day = _make(world, steps)
    return world.judge_push(day, world.squash())


MODES = {"commits": judge_commits, "pull_request": judge_pull_request, "squashed": judge_squashed}


def cases(journeys: Iterable[Journey]) -> list[tuple[Journey, str, str]]:
    """A test for each journey, level and mode."""
    return [(one, level, mode) for one in journeys for level in one.levels for mode in MODES]


def label(value: Journey | str) -> str:
    """How a test's name says a journey, a level or a mode."""
    return value if isinstance(value, str) else f"{value.name}, {value.stale_rows}".replace(" ", "_")


def judge(templates: Templates, root: Path, one: Journey, level: str, mode: str) -> Verdict:
    """What a mode refuses of a journey at a level."""
    return MODES[mode](templates.start(root, one.start, level, one.stale_rows), one.steps)


def expected(one: Journey, mode: str) -> Verdict:
    """What a mode should refuse of a journey."""
    return frozenset[str](getattr(one.refusal, mode))


# edits


def together(*edits: Edit) -> Edit:
    """One edit that makes all of them, in order."""

    def edit(world: World) -> None:
        for one in edits:
            one(world)

    return edit


def do(method: Callable[..., object], *arguments: object, **fields: object) -> Edit:
    """The edit that calls a method of the world."""
    return lambda world: method(world, *arguments, **fields)


def replay(day: int, passed: int = 18, **fields: object) -> Edit:
    return do(World.replay, day, passed, **fields)


def freeze(day: int, days: int, test: str = REFUND, **fields: Value) -> Edit:
    return do(World.freeze, test, day, days, **fields)


def set_freeze(test: str = REFUND, **fields: Value | None) -> Edit:
    return do(World.set_fields, FREEZES, test, **fields)


def set_property(name: str = "PROP-1", **fields: Value | None) -> Edit:
    return do(World.set_fields, PROPERTIES, name, **fields)


def set_policy(**fields: Value) -> Edit:
    return do(World.set_policy, **fields)


def write(path: str, text: str) -> Edit:
    return do(World.write, path, text)


def sub(path: str, old: str, new: str) -> Edit:
    return do(World.sub, path, old, new)


def move(old: str, new: str) -> Edit:
    return do(World.move, old, new)


def delete(*paths: str) -> Edit:
    return do(World.delete, *paths)


def thaw(day: int, *tests: str) -> Edit:
    """What `flakeledger thaw` does on that day; it must succeed."""

    def edit(world: World) -> None:
        arguments = ["thaw", *(tests or (REFUND,)), "--now", f"{on(day)}T12:00:00Z"]
        code, out = run_main(world.root, arguments, {})
        assert code == 0, out

    return edit


def unfreeze(*tests: str) -> Edit:
    return do(World.unfreeze, *(tests or (REFUND,)))


edit_production = write(PRODUCT, "def total():\n    return 1 + 2\n")
edit_conftest = write(CONFTEST, "LIMIT = 2\n")
narrow_strategy = sub(STRATEGIES, "integers(0, 9)", "integers(1, 1)")
edit_fixture = together(write(ORDERS, '{"a": 2}\n'), World.lock)
add_unrelated_file = write("src/extra.py", "EXTRA = 1\n")


def add_lone_property(*, fixture: str = "FX-1") -> Edit:
    """A property for a test that had none, which may go uncovered for a few days."""
    return do(
        World.add_row,
        PROPERTIES,
        id="PROP-Z",
        statement="zero counts",
        fixtures=[fixture],
        tests=[LONE],
        uncovered_until=on(4),
        owner="@finley",
    )


# starts


def base(world: World) -> None:
    """The base tree: no freeze."""


def standing(world: World) -> None:
    """An honest freeze of 30 days with its evidence, made on day 0."""
    world.replay(0)
    world.freeze(REFUND, 0, 30)
    world.record("freeze")


def standing_replayed(world: World) -> None:
    """The same, replayed on day 20."""
    standing(world)
    world.replay(20)
    world.record("replay")


def two_standing(world: World) -> None:
    """Two such freezes of one property."""
    standing_replayed(world)
    world.replay(0, test=CLOCK)
    world.replay(20, test=CLOCK)
    world.freeze(CLOCK, 0, 30)
    world.record("freeze another")


def all_frozen(world: World) -> None:
    """Every test of the property is frozen; it may go uncovered until day 10."""
    two_standing(world)
    world.replay(0, test=TOTAL)
    world.replay(20, test=TOTAL)
    world.freeze(TOTAL, 0, 30)
    world.set_fields(PROPERTIES, "PROP-1", uncovered_until=on(10), owner="@finley")
    world.record("freeze the last")


def standing_with_cover(world: World) -> None:
    """A standing freeze of a property that may go uncovered until day 30."""
    world.set_fields(PROPERTIES, "PROP-1", uncovered_until=on(30), owner="@finley")
    standing(world)


def standing_with_listed_generators(world: World) -> None:
    """A standing freeze of a property that lists its generators."""
    world.set_fields(PROPERTIES, "PROP-1", generators=[STRATEGIES])
    standing(world)


def emergency(world: World) -> None:
    """A freeze of three days without a replay, made on day 1."""
    world.freeze(CLOCK, 1, 3)
    world.record("emergency")


def fixed_twice(world: World) -> None:
    """A test that was frozen twice, and both times honestly thawed."""
    for day in (0, 200):
        world.replay(day)
        world.freeze(REFUND, day, 30)
        world.record("freeze")
        world.replay(day + 5, 20)
        world.unfreeze(REFUND)
        world.record("thaw")


def lone_test(world: World) -> None:
    """A test that no property lists."""
    world.write("tests/test_z.py", "def test_z():\n    assert 1\n")
    world.record("another test")


def broken(world: World) -> None:
    """A standing freeze whose newest replay, of day 6, passed nothing."""
    standing(world)
    nightly(world)
    world.record("nightly")


def nightly(world: World) -> None:
    """40 replays of day 6, some of which passed nothing."""
    for test in (REFUND, CLOCK):
        world.replay(6, 0, test=test, failure="AssertionError")
    for _ in range(38):
        world.replay(6, 20, test=TOTAL)


def never_adopted(world: World) -> None:
    """30 skipped tests, and no ledger in all of history; those of the base tree wait under a tag."""
    world.git("tag", "adoption")
    skips = (f"@pytest.mark.skip\ndef test_s{number}():\n    assert {number} >= 0\n" for number in range(30))
    world.write(SKIPPED, '"""property_id: PROP-2"""\nimport pytest\n' + "".join(skips))
    world.delete(POLICY, FREEZES, FIXTURES, PROPERTIES, REPLAYS)
    world.git("add", "-A")
    world.git("commit", "-q", "--amend", "-m", "before any ledger")


def adopt(world: World) -> None:
    """Write the ledgers of the base tree."""
    world.git("checkout", "-q", "adoption", "--", "ledgers")


def adopted_with_skips(world: World) -> None:
    """The ledgers, and a property for 30 tests that are skipped still."""
    never_adopted(world)
    adopt(world)
    world.add_row(PROPERTIES, id="PROP-2", statement="numbers count", fixtures=["FX-1"], tests=SKIPPED_TESTS)
    world.record("adopt")


def freeze_skips(day: int) -> Edit:
    """Turn every skip into a row, with evidence."""

    def edit(world: World) -> None:
        world.sub(SKIPPED, "@pytest.mark.skip\n", "")
        rest = {"fixtures": ["FX-1"], "tests": SKIPPED_TESTS, "uncovered_until": on(day + 30), "owner": "@finley"}
        world.add_row(PROPERTIES, id="PROP-2", statement="numbers count", **rest)
        for test in SKIPPED_TESTS:
            world.replay(day, test=test)
        world.freeze_all(SKIPPED_TESTS, day, 30)

    return edit


def no_python(world: World) -> None:
    """A repository whose tests are written in another language."""
    world.delete(CONFTEST, STRATEGIES, TESTS)
    world.write(SPEC, '// property_id: PROP-N\ntest("x");\ntest("y");\n')
    world.write(PROPERTIES, "")
    world.add_row(PROPERTIES, id="PROP-N", statement="it counts", fixtures=["FX-1"], tests=[SPEC_X, SPEC_Y])
    world.record("no Python")


def no_python_standing(world: World) -> None:
    """The same with an honest freeze, made on day 1."""
    no_python(world)
    world.replay(1, test=SPEC_X)
    world.freeze(SPEC_X, 1, 20)
    world.record("freeze")
