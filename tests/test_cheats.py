"""Cheats that must be stopped, each on a real repository, with the exact rules that stop them."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, GUARD, POLICY, PROPERTIES, REPLAYS
from steps import (
    SPEC,
    Edit,
    Journey,
    Refusal,
    add_unrelated_file,
    adopt,
    base,
    broken,
    cases,
    delete,
    do,
    edit_conftest,
    edit_fixture,
    emergency,
    expected,
    freeze,
    journey,
    judge,
    label,
    move,
    narrow_strategy,
    never_adopted,
    no_python,
    refused,
    refused_together,
    replay,
    set_freeze,
    set_policy,
    set_property,
    standing,
    standing_replayed,
    standing_with_listed_generators,
    sub,
    thaw,
    together,
    unfreeze,
    write,
)
from world import CLOCK, CONFTEST, PRODUCT, REFUND, TESTS, UNDECIDED, Templates, World, on

KEYED = ("keyed",)
LEDGER = ("ledger",)
ORD = "tests/test_ord.py"
SKIP_CLOCK = sub(TESTS, "def test_clock", "@pytest.mark.skip\ndef test_clock")
#: a row that comes back with a fresh window in the second step
FRESH = Refusal(frozenset({"freeze-renewed@2"}), frozenset({"freeze-renewed"}), frozenset({"freeze-renewed"}))
BOTH = ("freeze-with-edit", "mixed-change")


# starts and edits of one cheat


def helper_standing(world: World) -> None:
    """A standing freeze of a test whose formula lives in a function of its module."""
    world.sub(TESTS, "    assert x >= 0\n", "    check(x)\n")
    world.append(TESTS, "def check(x):\n    assert x >= 0\n")
    standing(world)


def invariant_standing(world: World) -> None:
    """A freeze that says itself that its failure is a bug."""
    world.replay(0)
    world.freeze(REFUND, 0, 30, failure_class="invariant")
    world.record("freeze")


def with_log(world: World) -> None:
    """Three replays in the log, and no freeze that would need them."""
    for day, passed in ((0, 18), (1, 20), (2, 19)):
        world.replay(day, passed, test=CLOCK)
    world.record("replays")


def two_fixtures(world: World) -> None:
    """A property on two fixtures."""
    world.write("tests/fixtures/more.json", "{}\n")
    world.add_fixture("FX-2", "tests/fixtures/more.json")
    world.set_fields(PROPERTIES, "PROP-1", fixtures=["FX-1", "FX-2"])
    world.record("another fixture")


def repin(name: str) -> Edit:
    """Write the digest that the tree has now into the standing row."""

    def edit(world: World) -> None:
        with world.ledger() as ledger:
            pins = world.pins(REFUND, ledger)
        world.set_fields(FREEZES, REFUND, **{name: pins[name]})

    return edit


def log_lines(world: World) -> list[str]:
    return world.read(REPLAYS).splitlines(keepends=True)


def edit_line(world: World) -> None:
    """Let the replay that failed twice have passed."""
    world.sub(REPLAYS, '"passed": 18, "total": 20, "failures": {"TimeoutError": 2}', '"passed": 20, "total": 20')


def drop_line(world: World) -> None:
    world.write(REPLAYS, "".join(log_lines(world)[:-1]))


def swap_lines(world: World) -> None:
    world.write(REPLAYS, "".join(reversed(log_lines(world))))


def link_log(world: World) -> None:
    """The same bytes, but behind a symbolic link."""
    world.move(REPLAYS, "log.jsonl")
    (world.root / REPLAYS).symlink_to("../log.jsonl")


def with_old_skip(world: World) -> None:
    """A test that was skipped before the policy came."""
    SKIP_CLOCK(world)
    world.record("an old skip")


def rename_log(world: World) -> None:
    world.move(REPLAYS, "ledgers/old.jsonl")
    world.write(REPLAYS, "")


def renamed(path: str) -> Edit:
    """The test file moved, in the property too; the frozen row goes."""
    return together(move(TESTS, path), sub(PROPERTIES, TESTS, path), unfreeze())


#: the function under another name, in the property too; the frozen row goes
rename_function = together(
    unfreeze(), sub(TESTS, "def test_refund(", "def test_repaid("), sub(PROPERTIES, REFUND, f"{TESTS}::test_repaid")
)


def ends_early(world: World) -> None:
    """A standing freeze of ten days, its evidence recorded on the day it was frozen."""
    world.replay(0)
    world.freeze(REFUND, 0, 10)
    world.record("freeze")


def renewed_once(world: World) -> None:
    """A freeze that was renewed on day 26, and replayed on day 50."""
    standing_replayed(world)
    set_freeze(frozen_on=on(26), expires=on(55), renewed=1)(world)
    world.record("renew")
    world.replay(50)
    world.record("replay")


def green(world: World) -> None:
    """A standing freeze of a test that passed everything since."""
    standing(world)
    world.replay(5, 20)
    world.record("replay")


def thawed(world: World) -> None:
    """The same, thawed."""
    green(world)
    thaw(5)(world)
    world.record("thaw")


GUARDED = """\
ci:
  autofix_prs: false
repos:
  - repo: https://example.org/flakeledger
    rev: v1
    hooks:
      - id: check-ledgers
      - id: check-change
        stages: [pre-commit, pre-push]
"""


def guarded(world: World) -> None:
    """A configuration that runs both checks."""
    world.write(GUARD, GUARDED)
    world.record("guard")


CHEATS = (
    # a freeze for an edit
    journey(
        "conftest, then freeze",
        base,
        (1, edit_conftest),
        (1, together(replay(1), freeze(1, 20))),
        refusal=refused_together(*BOTH),
    ),
    journey(
        "conftest and freeze at once",
        base,
        (1, together(edit_conftest, replay(1), freeze(1, 20))),
        refusal=refused(*BOTH),
    ),
    journey(
        "the test rewritten and frozen at once",
        base,
        (1, together(sub(TESTS, "x >= 0", "True"), replay(1), freeze(1, 20))),
        refusal=refused("freeze-with-edit"),
    ),
    # a freeze that stands on something else by now
    journey(
        "a strategy narrowed, the row re-pinned",
        standing,
        (5, together(narrow_strategy, repin("generator_hash"))),
        levels=KEYED,
        refusal=refused("freeze-rekeyed", "mixed-change"),
    ),
    journey(
        "the formula rewritten",
        standing,
        (5, sub(TESTS, "x >= 0", "True")),
        levels=KEYED,
        refusal=refused("freeze-test-hash"),
    ),
    journey(
        "the formula rewritten, the row re-pinned",
        standing,
        (5, together(sub(TESTS, "x >= 0", "True"), repin("test_hash"))),
        levels=KEYED,
        refusal=refused("freeze-rekeyed"),
    ),
    journey(
        "the formula rewritten in a function of the module",
        helper_standing,
        (5, sub(TESTS, "assert x >= 0", "pass")),
        levels=KEYED,
        refusal=refused("freeze-test-hash"),
    ),
    journey(
        "a pin dropped, the generator edited",
        standing,
        (5, together(narrow_strategy, set_freeze(generator_hash=None))),
        levels=KEYED,
        refusal=refused("freeze-rekeyed", "missing-field", "mixed-change"),
    ),
    journey(
        "a bug declared to be the environment",
        invariant_standing,
        (5, set_freeze(failure_class="environment")),
        levels=KEYED,
        refusal=refused("freeze-rekeyed"),
    ),
    journey(
        "another environment, where it happens to fail less",
        standing,
        (5, together(set_freeze(replay_env="local-fixture"), replay(5, env="local-fixture"))),
        refusal=refused("freeze-rekeyed"),
    ),
    # windows
    journey(
        "the end moved", standing, (5, set_freeze(expires=on(35))), refusal=refused("freeze-extended", "freeze-window")
    ),
    journey(
        "the end moved, then the wall",
        standing,
        (5, set_freeze(expires=f"{on(31)}T01:00:00+00:00")),
        refusal=refused("freeze-extended", "freeze-window"),
    ),
    journey(
        "the window set back to make room for the end",
        ends_early,
        (5, set_freeze(frozen_on=on(-5), expires=on(20), renewed=1)),
        refusal=refused("freeze-renewed"),
    ),
    journey(
        "a renewal on the evidence of the first grant",
        ends_early,
        (5, set_freeze(frozen_on=on(5), expires=on(35), renewed=1)),
        refusal=refused("freeze-renewed"),
    ),
    journey(
        "a renewal on a replay of another runner",
        ends_early,
        (5, together(replay(5, env="local-fixture"), set_freeze(frozen_on=on(5), expires=on(35), renewed=1))),
        refusal=refused("freeze-renewed"),
    ),
    journey(
        "a renewal before its time",
        standing,
        (5, together(replay(5), set_freeze(frozen_on=on(5), expires=on(35), renewed=1))),
        refusal=refused("freeze-renewed"),
    ),
    journey(
        "a renewal that is not counted",
        standing_replayed,
        (26, set_freeze(frozen_on=on(26), expires=on(55))),
        refusal=refused("freeze-renewed"),
    ),
    journey(
        "one renewal too many",
        renewed_once,
        (51, set_freeze(frozen_on=on(51), expires=on(80), renewed=2)),
        refusal=refused("freeze-renewed", "freeze-renewals"),
    ),
    journey(
        "one renewal too many, counted as one",
        renewed_once,
        (51, set_freeze(frozen_on=on(51), expires=on(80), renewed=1)),
        refusal=refused("freeze-renewed"),
    ),
    # rows that go and come back
    journey(
        "a broken row removed and added afresh",
        broken,
        (7, unfreeze()),
        (7, together(replay(7), freeze(7, 30))),
        levels=LEDGER,
        refusal=FRESH,
    ),
    journey(
        "a fixture touched to be rid of the row, then frozen afresh",
        standing,
        (5, together(edit_fixture, unfreeze())),
        (5, together(replay(5), freeze(5, 30))),
        levels=LEDGER,
        refusal=Refusal(
            frozenset({"freeze-renewed@2"}),
            frozenset({"freeze-renewed", "mixed-change"}),
            frozenset({"freeze-renewed", "mixed-change"}),
        ),
    ),
    journey(
        "a fixture touched to be rid of the row, then frozen afresh",
        standing,
        (5, together(edit_fixture, unfreeze())),
        (5, together(replay(5), freeze(5, 30))),
        levels=KEYED,
        refusal=Refusal(
            frozenset({"freeze-renewed@2"}),
            frozenset({"freeze-renewed", "freeze-rekeyed", "mixed-change"}),
            frozenset({"freeze-renewed", "freeze-rekeyed", "mixed-change"}),
        ),
    ),
    journey(
        "withdrawn, then a fresh window", standing, (1, thaw(1)), (2, together(replay(2), freeze(2, 30))), refusal=FRESH
    ),
    journey(
        "an emergency withdrawn, then another one",
        emergency,
        (2, thaw(2, CLOCK)),
        (3, freeze(3, 3, CLOCK)),
        refusal=Refusal(frozenset({"freeze-renewed@2"}), frozenset({"freeze-renewed"}), frozenset({"freeze-renewed"})),
    ),
    journey(
        "thawed, then added afresh", thawed, (6, together(replay(6), freeze(6, 30))), refusal=refused("freeze-renewed")
    ),
    journey("thawed, then put back as it was", thawed, (6, freeze(0, 30)), refusal=refused("freeze-renewed")),
    journey(
        "the file renamed, the row afresh",
        standing,
        (26, together(renamed(ORD), replay(26, test=f"{ORD}::test_refund"), freeze(26, 30, f"{ORD}::test_refund"))),
        refusal=refused("freeze-renewed"),
    ),
    journey(
        "the file renamed, then the row afresh",
        standing,
        (5, renamed(ORD)),
        (5, together(replay(5, test=f"{ORD}::test_refund"), freeze(5, 30, f"{ORD}::test_refund"))),
        refusal=FRESH,
    ),
    journey(
        "the function renamed, then the row afresh",
        standing,
        (5, rename_function),
        (5, together(replay(5, test=f"{TESTS}::test_repaid"), freeze(5, 30, f"{TESTS}::test_repaid"))),
        refusal=Refusal(
            frozenset({"freeze-renewed@2"}),
            frozenset({"freeze-renewed", "freeze-with-edit"}),
            frozenset({"freeze-renewed", "freeze-with-edit"}),
        ),
    ),
    # rows that go
    journey("a flaky row removed by choice", standing, (5, unfreeze()), refusal=refused("thaw-unearned")),
    journey(
        "a row removed on a replay of three seeds",
        standing,
        (5, together(replay(5, 3, total=3), unfreeze())),
        refusal=refused("thaw-unearned"),
    ),
    journey(
        "a row removed on a green replay of another runner",
        standing,
        (5, together(replay(5, 20, env="local-fixture"), unfreeze())),
        refusal=refused("thaw-unearned"),
    ),
    # evidence
    journey(
        "frozen without a replay", base, (1, freeze(1, 20)), refusal=refused("freeze-unevidenced", "replay-missing")
    ),
    journey(
        "frozen on an old replay",
        with_log,
        (20, freeze(20, 20, CLOCK)),
        refusal=refused("freeze-unevidenced", "replay-stale"),
    ),
    # the log
    *(
        journey(f"the log: {name}", with_log, (5, edit), levels=KEYED, refusal=refused("log-rewritten", *others))
        for name, edit, *others in (
            ("a line edited", edit_line),
            ("a line dropped", drop_line),
            ("its lines swapped", swap_lines),
            ("deleted", delete(REPLAYS)),
            ("emptied", write(REPLAYS, "")),
            ("behind a link", link_log, "yaml-forbidden"),
            ("renamed and begun anew", rename_log),
            ("a line edited, others appended", together(edit_line, replay(5, test=CLOCK))),
        )
    ),
    # the policy
    journey(
        "the policy loosened, then used",
        base,
        (1, set_policy(max_window_days=90)),
        (1, together(replay(1), freeze(1, 80))),
        refusal=refused_together("policy-not-alone"),
    ),
    journey(
        "the policy loosened and used at once",
        base,
        (1, together(set_policy(max_window_days=90), replay(1), freeze(1, 80))),
        refusal=refused("policy-not-alone"),
    ),
    journey(
        "the policy deleted", base, (1, delete(POLICY)), refusal=refused("policy-missing", "policy-removed", UNDECIDED)
    ),
    journey(
        "the policy deleted, then adopted again",
        base,
        (1, delete(POLICY)),
        (
            1,
            together(
                do(World.git, "checkout", "main", "--", POLICY),
                set_policy(max_window_days=90),
                edit_conftest,
                freeze(1, 3),
            ),
        ),
        refusal=Refusal(
            frozenset({"policy-missing@1", "policy-removed@1", f"{UNDECIDED}@1"})
            | {f"{rule}@2" for rule in (*BOTH, "policy-not-alone")},
            frozenset({*BOTH, "policy-not-alone"}),
            frozenset({*BOTH, "policy-not-alone"}),
        ),
    ),
    # properties and fixtures
    journey(
        "a fixture unlocked while its file stays",
        two_fixtures,
        (2, together(do(World.remove_row, FIXTURES, "FX-2"), sub(PROPERTIES, "    - FX-2\n", ""))),
        refusal=refused("property-weakened"),
    ),
    journey(
        "a test delisted while it stays",
        base,
        (2, sub(PROPERTIES, f"    - {CLOCK}\n", "")),
        refusal=refused("property-weakened"),
    ),
    journey(
        "a property dropped while its tests stay",
        base,
        (2, do(World.remove_row, PROPERTIES, "PROP-1")),
        refusal=refused("property-weakened"),
    ),
    journey(
        "a generator delisted while it stays",
        standing_with_listed_generators,
        (2, together(set_property(generators=["tests/seeds"]), repin("generator_hash"))),
        levels=KEYED,
        refusal=refused("property-weakened", "freeze-rekeyed"),
    ),
    journey(
        "the statement bent under a freeze",
        standing,
        (2, set_property(statement="a refund is a number")),
        refusal=refused("property-redefined"),
    ),
    # the guard
    # around the ledger
    *(
        journey(f"instead of a row: {name}", start, (1, edit), levels=KEYED, refusal=refused("skip-unledgered"))
        for name, start, edit in (
            (
                "a skip of a method's class",
                base,
                sub(TESTS, "def test_clock", "@pytest.mark.skip\nclass TestX:\n    x = 1\ndef test_clock"),
            ),
            ("a skip call", base, sub(TESTS, "assert total() > 0", 'pytest.skip("later")')),
            (
                "a skip of the whole module",
                base,
                sub(TESTS, "@given", 'pytestmark = pytest.mark.skip("later")\n@given'),
            ),
            ("an xfail without a freeze", base, sub(TESTS, "def test_clock", "@pytest.mark.xfail\ndef test_clock")),
            ("a retry", base, sub(TESTS, "def test_clock", "@pytest.mark.flaky(reruns=9)\ndef test_clock")),
            ("a deselection", base, write("tox.ini", f"[pytest]\naddopts = --deselect={CLOCK}\n")),
            ("an ignored file", base, do(World.append, CONFTEST, 'collect_ignore = ["test_orders.py"]\n')),
            ("another language", no_python, sub(SPEC, 'test("x"', 'test.skip("x"')),
            (
                "a skip hidden from git's diff",
                base,
                together(write(".gitattributes", "*.py -diff binary\n"), SKIP_CLOCK),
            ),
            ("a skip of a frozen test", standing, sub(TESTS, "@given", "@pytest.mark.skip\n@given")),
        )
    ),
    journey("a skip instead of a row", base, (1, SKIP_CLOCK), refusal=refused("skip-unledgered")),
    journey(
        "skipif(True) instead of a row",
        base,
        (1, sub(TESTS, "def test_clock", '@pytest.mark.skipif(True, reason="x")\ndef test_clock')),
        refusal=refused("skip-unledgered"),
    ),
    journey(
        "an old skip moves to another test",
        with_old_skip,
        (
            2,
            together(
                sub(TESTS, "@pytest.mark.skip\n", ""), sub(TESTS, "def test_total", "@pytest.mark.skip\ndef test_total")
            ),
        ),
        levels=KEYED,
        refusal=refused("skip-unledgered"),
    ),
    journey(
        "a file of tests is locked as a fixture, and skipped",
        base,
        (1, together(SKIP_CLOCK, do(World.add_fixture, "FX-9", TESTS))),
        levels=KEYED,
        refusal=refused("skip-unledgered"),
    ),
    journey(
        "permanent skips widened and used",
        base,
        (1, do(World.append, POLICY, 'permanent_skips: ["*"]\n')),
        (1, sub(TESTS, "def test_clock", '@pytest.mark.skip(reason="because")\ndef test_clock')),
        levels=KEYED,
        refusal=Refusal(
            frozenset({"skip-unledgered@2"}),
            frozenset({"policy-not-alone", "skip-unledgered"}),
            frozenset({"policy-not-alone", "skip-unledgered"}),
        ),
    ),
    *(
        journey(
            f"the guard: {name}",
            guarded,
            (2, together(sub(GUARD, old, new), add_unrelated_file)),
            levels=KEYED,
            refusal=refused("guard-removed"),
        )
        for name, old, new in (
            ("a hook gone", "      - id: check-ledgers\n", ""),
            ("skipped by the service", "ci:\n", "ci:\n  skip: [check-ledgers]\n"),
            ("excluded", "- id: check-ledgers\n", "- id: check-ledgers\n        exclude: ^ledgers/\n"),
            ("everything excluded", "repos:\n", "exclude: .*\nrepos:\n"),
            ("a stage lost", "[pre-commit, pre-push]", "[pre-push]"),
            (
                "another time",
                "- id: check-ledgers\n",
                "- id: check-ledgers\n        args: [--now=2020-01-01T00:00:00Z]\n",
            ),
            ("one rule only", "- id: check-ledgers\n", "- id: check-ledgers\n        args: [--only, bad-value]\n"),
            ("no base", "pre-push]\n", "pre-push]\n        args: [--no-base=warn]\n"),
        )
    ),
    journey(
        "the guard file deleted",
        guarded,
        (2, together(delete(GUARD), add_unrelated_file)),
        refusal=refused("guard-removed"),
    ),
    journey(
        "the guard weakened with a generator",
        guarded,
        (2, together(sub(GUARD, "      - id: check-change\n", "      - id: check-nothing\n"), edit_conftest)),
        refusal=refused("guard-removed", "mixed-change"),
    ),
    journey("the guard weakened alone is a warning", guarded, (2, sub(GUARD, "[pre-commit, pre-push]", "[pre-push]"))),
)


@pytest.mark.parametrize(("cheat", "level", "mode"), cases(CHEATS), ids=label)
def test_a_cheat_is_stopped_by_exactly_these_rules(
    cheat: Journey, level: str, mode: str, templates: Templates, tmp_path: Path
) -> None:
    assert judge(templates, tmp_path / "cheat", cheat, level, mode) == expected(cheat, mode)


@pytest.fixture(params=["ledger", "keyed"])
def level(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_conftest_then_freeze_pushed_as_one_merge(level: str, templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "merged", base, level, "block")
    edit_conftest(world)
    world.record("conftest")
    together(replay(1), freeze(1, 20))(world)
    world.record("freeze")
    world.git("switch", "-q", "main")
    before = world.head()
    world.git("merge", "-q", "--no-ff", "--no-edit", "work")
    assert world.judge_push(1, before) == set(BOTH)


def test_a_mixed_commit_made_without_hooks_does_not_hide_among_others_in_a_push(
    level: str, templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "pushed", base, level, "block")
    world.git("switch", "-q", "main")
    before = world.head()
    add_unrelated_file(world)
    world.record("honest")
    together(edit_conftest, replay(1), freeze(1, 20))(world)
    world.record("mixed")
    write(PRODUCT, "def total():\n    return 2 + 1\n")(world)
    world.record("honest again")
    assert world.judge_push(1, before) == set(BOTH)


def test_the_policy_deleted_by_one_push_still_judges_the_next(level: str, templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "pushed", base, level, "block")
    world.git("switch", "-q", "main")
    policy = world.read(POLICY)
    before = world.head()
    world.delete(POLICY)
    world.record("no policy")
    deleted = world.head()
    assert world.judge_push(1, before) == {"policy-missing", "policy-removed", UNDECIDED}
    world.write(POLICY, policy.replace("max_window_days: 30", "max_window_days: 90"))
    together(edit_conftest, freeze(1, 3))(world)
    world.record("adopt again")
    assert world.judge_push(1, deleted) == {*BOTH, "policy-not-alone"}


def test_a_branch_from_before_the_adoption_is_judged_by_the_policy_of_main(
    level: str, templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "late", never_adopted, level, "block")
    world.git("switch", "-q", "main")
    adopt(world)
    world.record("adopt")
    world.git("switch", "-q", "work")
    add_unrelated_file(world)
    world.record("honest")
    assert world.run("check-change", "--base", "main") == frozenset()
    together(adopt, edit_conftest, freeze(1, 3))(world)
    world.record("ledgers of our own")
    assert world.judge_pull_request(1) == {*BOTH, "policy-not-alone"}


@pytest.mark.parametrize("date", ["2026-03-03T12:00:00Z", "1999-12-31T23:59:59Z", "2038-01-01T00:00:00Z"])
def test_the_date_of_a_commit_changes_nothing(date: str, templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "dated", standing_replayed, "keyed", "block")
    add_unrelated_file(world)
    world.record("dated", GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
    assert world.judge_pull_request(29) == frozenset()
    assert world.judge_pull_request(32) == {"freeze-expired"}
    assert world.judge_push(32, world.squash()) == {"freeze-expired"}
