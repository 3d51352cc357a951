"""Walks that must work without switching anything off, each on a real repository.

A walk is judged commit by commit as the hooks do, as one pull request, and squashed on main. Where the rules
refuse one of these on purpose, the table says which, and another line or mode shows the way that works.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES
from steps import (
    LONE,
    SKIPPED,
    SKIPPED_TESTS,
    SPEC,
    SPEC_X,
    Edit,
    Journey,
    Refusal,
    add_lone_property,
    add_unrelated_file,
    adopt,
    adopted_with_skips,
    all_frozen,
    base,
    broken,
    cases,
    delete,
    do,
    edit_conftest,
    edit_fixture,
    edit_production,
    emergency,
    expected,
    fixed_twice,
    freeze,
    freeze_skips,
    journey,
    judge,
    label,
    lone_test,
    move,
    never_adopted,
    nightly,
    no_python,
    no_python_standing,
    refused,
    refused_on_main,
    refused_together,
    replay,
    set_freeze,
    set_policy,
    set_property,
    standing,
    standing_replayed,
    standing_with_cover,
    standing_with_listed_generators,
    sub,
    thaw,
    together,
    two_standing,
    unfreeze,
    write,
)
from world import CLOCK, ORDERS, REFUND, TESTS, TOTAL, Templates, World, on

KEYED = ("keyed",)
LEDGER = ("ledger",)
ANY_LEVEL = ("ledger", "keyed", "witnessed")

# edits of one walk


def new_feature(world: World) -> None:
    """Production code with its test, fixture and property."""
    world.write("src/feature.py", "FEATURE = 1\n")
    world.write("tests/test_feature.py", '"""property_id: PROP-9"""\ndef test_feature():\n    assert 1\n')
    world.write("tests/fixtures/feature.json", "{}\n")
    world.add_fixture("FX-9", "tests/fixtures/feature.json")
    test = ["tests/test_feature.py::test_feature"]
    world.add_row(PROPERTIES, id="PROP-9", statement="features are there", fixtures=["FX-9"], tests=test)


def with_feature(world: World) -> None:
    new_feature(world)
    world.record("feature")


def revert(world: World) -> None:
    """What `git revert` leaves to be committed."""
    world.git("revert", "--no-commit", "HEAD")


def keep_log(world: World) -> None:
    """Leave the replay log as it was: it is append-only."""
    world.git("checkout", "-q", "HEAD", "--", "ledgers/replays.jsonl")


def fallen(world: World) -> None:
    """A standing freeze that fell when its fixture was edited on day 5."""
    standing(world)
    together(edit_fixture, unfreeze())(world)
    world.record("fixture")


def renewed(day: int, days: int) -> Edit:
    """The whole row written anew, with the pins that the tree has now."""
    return together(unfreeze(), freeze(day, days, renewed=1))


def rename_tests(world: World) -> None:
    """Rename the test file, and in the property too; its frozen row goes."""
    world.move(TESTS, "tests/test_ord.py")
    world.sub(PROPERTIES, TESTS, "tests/test_ord.py")
    world.unfreeze()


RENAMED = "tests/test_ord.py::test_refund"
O2 = "tests/fixtures/o2.json"
delete_function = sub(TESTS, "@given(amounts)\ndef test_refund(x):\n    assert x >= 0\n", "")
delist = sub(PROPERTIES, f"    - {REFUND}\n", "")
new_id = together(
    sub(TESTS, "property_id: PROP-1", "property_id: PROP-1, property_id: PROP-1b"),
    do(
        World.add_row,
        PROPERTIES,
        id="PROP-1b",
        statement="a refund is zero or more",
        fixtures=["FX-1"],
        tests=[REFUND, TOTAL, CLOCK],
    ),
)
reword = set_property(statement="a refund is zero or more")
raise_level = set_policy(level="keyed")


def add_pins(world: World) -> None:
    """Write what level keyed will need into the row of a policy at level ledger."""
    with world.ledger() as ledger:
        row = next(row for row in ledger.freezes)
        pinned = ledger.pinned(row)
    world.set_fields(
        FREEZES,
        REFUND,
        runner_class="pinned-py311",
        failure_class="environment",
        fixture_hashes=pinned.fixture_hashes or {},
        generator_hash=pinned.generator_hash or "",
        test_hash=pinned.test_hash or "",
    )


def policy_of_layout(world: World) -> None:
    """Teach the policy the layout to come."""
    world.set_policy(seeds="test/unit/seeds/gate.json")
    world.sub(POLICY, "/tests/seeds/]", "/tests/seeds/, /test/unit/seeds/]")
    world.sub(POLICY, '"/tests/", ', '"/tests/", "/test/", ')


def change_layout(world: World) -> None:
    """Move everything below tests/ to test/unit/, the ledgers with it."""
    world.move("tests", "test/unit")
    world.sub("test/unit/test_orders.py", "from tests.", "from test.unit.")
    for ledger in (FIXTURES, PROPERTIES):
        world.sub(ledger, " tests/", " test/unit/")


def layout_known(world: World) -> None:
    """A standing freeze of a property that lists its generators, and a policy that knows the layout to come."""
    standing_with_listed_generators(world)
    policy_of_layout(world)
    world.record("policy")


MOVED = "test/unit/test_orders.py::test_refund"
CITE_CLOCK = '@pytest.mark.frozen("PROP-1", runner_class="pinned-py311")\n'
OTHER_HALF = "tests/test_other_half.py"


def split_skips(world: World) -> None:
    """Move half of the skipped tests to a file of their own; the property follows."""
    head, rest = world.read(SKIPPED).split("@pytest.mark.skip\ndef test_s15(")
    world.write(OTHER_HALF, '"""property_id: PROP-2"""\nimport pytest\n@pytest.mark.skip\ndef test_s15(' + rest)
    world.write(SKIPPED, head)
    for number in range(15, 30):
        world.sub(PROPERTIES, f"{SKIPPED_TESTS[number]}\n", f"{OTHER_HALF}::test_s{number}\n")


WALKS = (
    # adopting
    journey("adopt, skips left alone", never_adopted, (0, adopt)),
    journey("adopt, skips turned into rows", never_adopted, (0, together(adopt, freeze_skips(0)))),
    journey("adopt, then turn skips into rows", never_adopted, (0, adopt), (0, freeze_skips(0))),
    journey(
        "turn one skip into a row",
        adopted_with_skips,
        (
            9,
            together(
                sub(SKIPPED, "@pytest.mark.skip\ndef test_s3(", "def test_s3("),
                replay(9, test=SKIPPED_TESTS[3]),
                freeze(9, 30, SKIPPED_TESTS[3]),
            ),
        ),
    ),
    journey(
        "rename a file full of skips",
        adopted_with_skips,
        (9, together(move(SKIPPED, "tests/test_older.py"), sub(PROPERTIES, SKIPPED, "tests/test_older.py"))),
    ),
    journey(
        "rename a file full of skips, and edit a test in it",
        adopted_with_skips,
        (
            9,
            together(
                move(SKIPPED, "tests/test_older.py"),
                sub("tests/test_older.py", "assert 3 >= 0", "assert 3 > 0"),
                sub(PROPERTIES, SKIPPED, "tests/test_older.py"),
            ),
        ),
        levels=KEYED,
    ),
    journey("split a file full of skips", adopted_with_skips, (9, split_skips), levels=KEYED),
    journey(
        "give a skipped test another name and an old skip a reason",
        adopted_with_skips,
        (
            9,
            together(
                sub(SKIPPED, "test_s7(", "test_seven("),
                sub(PROPERTIES, f"{SKIPPED_TESTS[7]}\n", f"{SKIPPED}::test_seven\n"),
                sub(SKIPPED, "@pytest.mark.skip\ndef test_s8(", '@pytest.mark.skip(reason="slow")\ndef test_s8('),
            ),
        ),
        levels=KEYED,
    ),
    journey(
        "let an old skip run, and expect its failure",
        adopted_with_skips,
        (9, sub(SKIPPED, "@pytest.mark.skip\ndef test_s3(", "@pytest.mark.xfail\ndef test_s3(")),
        levels=KEYED,
    ),
    journey(
        "skip a test where it cannot run",
        base,
        (
            1,
            sub(TESTS, "def test_clock", '@pytest.mark.skipif("os.name == \'nt\'", reason="no clock")\ndef test_clock'),
        ),
        levels=KEYED,
    ),
    journey(
        "freeze a test, and cite the freeze where its failure is expected",
        base,
        (
            1,
            together(
                replay(1, test=CLOCK),
                sub(TESTS, "def test_clock", f"{CITE_CLOCK}@pytest.mark.xfail\ndef test_clock"),
                freeze(1, 20, CLOCK),
            ),
        ),
        levels=KEYED,
    ),
    # everyday work
    journey("a feature with its test, fixture and property", base, (1, new_feature)),
    journey("the feature reverted", with_feature, (2, revert)),
    journey("edit a fixture, no freeze", base, (1, edit_fixture)),
    journey(
        "stop importing the strategies, no freeze",
        base,
        (1, sub(TESTS, "from tests.strategies import amounts", "amounts = None")),
    ),
    # what a freeze pins
    journey("edit a pinned fixture, row gone", standing, (5, together(edit_fixture, unfreeze()))),
    journey("edit a pinned fixture, row stays", standing, (5, edit_fixture), levels=LEDGER),
    journey(
        "edit a pinned fixture, row stays",
        standing,
        (5, edit_fixture),
        levels=KEYED,
        refusal=refused("freeze-fixture-hash"),
    ),
    journey("after that edit, replay and freeze again", fallen, (6, together(replay(6), freeze(6, 24)))),
    journey(
        "edit a pinned fixture, row and cover gone",
        standing_with_cover,
        (5, together(edit_fixture, unfreeze(), set_property(uncovered_until=None))),
    ),
    journey("edit a pinning conftest, row gone", standing, (5, together(edit_conftest, unfreeze()))),
    journey("edit a conftest, row stays", standing, (5, edit_conftest), levels=LEDGER),
    journey(
        "edit a conftest, row stays",
        standing,
        (5, edit_conftest),
        levels=KEYED,
        refusal=refused("freeze-generator-hash"),
    ),
    journey(
        "edit a conftest with the row, then replay and freeze again",
        standing,
        (5, together(edit_conftest, unfreeze())),
        (5, together(replay(5), freeze(5, 20))),
        levels=LEDGER,
        refusal=refused_together("mixed-change", "freeze-renewed"),
    ),
    journey(
        "edit a conftest with the row, then replay and freeze again",
        standing,
        (5, together(edit_conftest, unfreeze())),
        (5, together(replay(5), freeze(5, 20))),
        levels=KEYED,
        refusal=refused_together("mixed-change", "freeze-rekeyed", "freeze-renewed"),
    ),
    journey(
        "after that edit, a renewal before its time",
        fallen,
        (6, together(replay(6), freeze(6, 24, renewed=1))),
        refusal=refused("freeze-renewed"),
    ),
    journey(
        "after that edit, freeze again without a replay",
        fallen,
        (6, freeze(6, 24)),
        refusal=refused("freeze-renewed"),
    ),
    # fixing
    journey("fix production, replay, thaw", standing, (5, edit_production), (5, replay(5, 20)), (5, unfreeze())),
    journey(
        "fix production, replay, thaw by command", standing, (5, edit_production), (5, replay(5, 20)), (5, thaw(5))
    ),
    journey(
        "fix a pinning conftest, replay and thaw",
        standing,
        (5, edit_conftest),
        (5, together(replay(5, 20), thaw(5))),
        levels=LEDGER,
    ),
    journey(
        "fix a pinning conftest, replay and thaw",
        standing,
        (5, edit_conftest),
        (5, together(replay(5, 20), thaw(5))),
        levels=KEYED,
        refusal=Refusal(commits=frozenset({"freeze-generator-hash@1"})),
    ),
    journey("fix, replay and thaw at once", standing, (5, together(edit_production, replay(5, 20), unfreeze()))),
    journey("fix the test itself, row gone", standing, (5, together(sub(TESTS, "x >= 0", "abs(x) >= 0"), unfreeze()))),
    # time
    journey(
        "an expired row, unrelated change",
        standing_replayed,
        (32, add_unrelated_file),
        refusal=refused("freeze-expired"),
    ),
    journey(
        "an expired row, unrelated change",
        standing_replayed,
        (32, add_unrelated_file),
        refusal=refused_on_main("freeze-expired"),
        stale_rows="block_touched",
    ),
    journey("an expired row removed", standing_replayed, (32, unfreeze())),
    journey("an expired row thawed by command", standing_replayed, (32, thaw(32))),
    journey(
        "an expired row renewed",
        standing_replayed,
        (32, set_freeze(frozen_on=on(32), expires=on(60), renewed=1)),
    ),
    journey(
        "one of two expired rows removed", two_standing, (32, unfreeze()), refusal=refused_on_main("freeze-expired")
    ),
    journey(
        "an expired row, nightly",
        standing_replayed,
        (32, replay(32, 0)),
        refusal=refused_on_main("freeze-expired", "replay-broken"),
    ),
    journey(
        "cover lapsed, unrelated change", all_frozen, (25, add_unrelated_file), refusal=refused("property-unprotected")
    ),
    journey(
        "cover lapsed, unrelated change",
        all_frozen,
        (25, add_unrelated_file),
        refusal=refused_on_main("property-unprotected"),
        stale_rows="block_touched",
    ),
    journey("renew a row", standing_replayed, (26, set_freeze(frozen_on=on(26), expires=on(55), renewed=1))),
    journey("renew a row, written anew", standing_replayed, (26, renewed(26, 29))),
    journey(
        "remove an expired row, then renew it after all",
        standing_replayed,
        (32, unfreeze()),
        (33, together(replay(33), freeze(33, 20, renewed=1))),
    ),
    # renaming
    journey("rename a frozen test's file, row gone", standing, (5, rename_tests)),
    journey(
        "rename a frozen test's file, row carried over",
        standing,
        (5, together(rename_tests, replay(5, test=RENAMED), freeze(5, 25, RENAMED))),
    ),
    journey(
        "rename a frozen test's file, row carried over without a replay",
        standing,
        (5, together(rename_tests, freeze(5, 25, RENAMED))),
        refusal=refused("freeze-renewed", "freeze-unevidenced", "replay-missing"),
    ),
    journey(
        "rename a fixture", standing, (5, together(move(ORDERS, O2), do(World.set_fields, FIXTURES, "FX-1", path=O2)))
    ),
    journey(
        "rename a fixture and its id, row gone",
        standing,
        (
            5,
            together(
                move(ORDERS, O2),
                sub(FIXTURES, ORDERS, O2),
                sub(FIXTURES, "FX-1", "FX-2"),
                sub(PROPERTIES, "FX-1", "FX-2"),
                unfreeze(),
            ),
        ),
    ),
    journey(
        "rename a fixture's id only, no freeze",
        base,
        (5, together(sub(FIXTURES, "FX-1", "FX-2"), sub(PROPERTIES, "FX-1", "FX-2"))),
    ),
    # properties
    journey("correct a wording, no freeze", base, (5, reword)),
    journey("correct a wording under a freeze", standing, (5, reword), refusal=refused("property-redefined")),
    journey(
        "thaw, then correct the wording",
        standing,
        (5, together(replay(5, 20), unfreeze())),
        (5, reword),
        refusal=refused_together("property-redefined"),
    ),
    journey("a new id beside the old one", standing, (5, new_id)),
    journey(
        "move the tests over to a new id under a freeze",
        standing,
        (5, together(new_id, sub(PROPERTIES, f"    - {TOTAL}\n    - {CLOCK}\n- id: PROP-1b", "- id: PROP-1b"))),
        refusal=refused("property-unprotected", "property-weakened"),
    ),
    journey(
        "a new id, thaw, then retire the old one",
        standing,
        (5, new_id),
        (6, together(replay(6, 20), unfreeze())),
        (6, do(World.remove_row, PROPERTIES, "PROP-1")),
        refusal=refused_together("property-weakened"),
    ),
    # deleting
    journey("delete a frozen test", standing, (5, together(delete_function, delist, unfreeze()))),
    journey(
        "delete a frozen test and its import",
        standing,
        (5, together(delete_function, sub(TESTS, "from tests.strategies import amounts\n", ""), delist, unfreeze())),
    ),
    journey(
        "delete a frozen test, its file, property and fixture",
        standing,
        (5, together(delete(TESTS, ORDERS), write(PROPERTIES, ""), write(FIXTURES, ""), unfreeze())),
    ),
    journey(
        "delete the only tests, keep the property",
        standing,
        (5, together(delete(TESTS), set_property(tests=[], uncovered_until=on(30), owner="@finley"), unfreeze())),
    ),
    # nightly
    journey("nightly, 40 lines", standing, (6, nightly), levels=LEDGER, refusal=refused_on_main("replay-broken")),
    journey(
        "nightly, 40 lines",
        standing,
        (6, nightly),
        levels=KEYED,
        refusal=refused_on_main("replay-broken", "freeze-not-environment"),
    ),
    journey(
        "a broken row, unrelated change",
        broken,
        (7, add_unrelated_file),
        levels=LEDGER,
        refusal=refused("replay-broken"),
    ),
    journey(
        "a broken row, unrelated change",
        broken,
        (7, add_unrelated_file),
        levels=KEYED,
        refusal=refused("replay-broken", "freeze-not-environment"),
    ),
    journey(
        "a broken row, unrelated change",
        broken,
        (7, add_unrelated_file),
        levels=LEDGER,
        refusal=refused_on_main("replay-broken"),
        stale_rows="block_touched",
    ),
    journey("a broken row removed", broken, (7, unfreeze())),
    journey("a broken row thawed by command", broken, (7, thaw(7))),
    journey("freeze another test meanwhile", standing, (6, together(replay(6, test=CLOCK), freeze(6, 20, CLOCK)))),
    # correcting
    journey("revert a freeze, the log kept", standing, (1, together(revert, keep_log))),
    journey("revert a freeze, the log too", standing, (1, revert), refusal=refused("log-rewritten")),
    journey("revert an emergency freeze", emergency, (1, revert)),
    journey("take an emergency freeze back by command", emergency, (2, thaw(2, CLOCK))),
    journey(
        "freeze, and take it back on the same branch a week later",
        base,
        (1, together(replay(1), freeze(1, 20))),
        (8, unfreeze()),
    ),
    journey(
        "freeze, take it back and freeze anew, all on one branch",
        base,
        (1, together(replay(1), freeze(1, 20))),
        (2, unfreeze()),
        (8, together(replay(8), freeze(8, 20))),
    ),
    journey(
        "remove a row and put it back on one branch",
        standing,
        (5, unfreeze()),
        (5, revert),
        refusal=Refusal(commits=frozenset({"thaw-unearned@1"})),
    ),
    journey(
        "correct a row on its own branch",
        base,
        (1, together(replay(1), freeze(1, 20))),
        (1, set_freeze(expires=on(31), runner_class="local-fixture")),
    ),
    # the policy
    journey("tighten the policy", base, (1, set_policy(max_window_days=14))),
    journey(
        "tighten it below a standing row",
        standing,
        (1, set_policy(max_window_days=14)),
        refusal=refused("freeze-window"),
    ),
    journey(
        "shorten the row, then tighten",
        standing,
        (1, set_freeze(expires=on(14))),
        (1, set_policy(max_window_days=14)),
        refusal=refused_together("policy-not-alone"),
    ),
    journey("another generator pattern", standing, (1, sub(POLICY, "factories.py", "factories/"))),
    journey("another seed list, row gone", standing, (1, together(set_policy(seeds="tests/seeds/b.json"), unfreeze()))),
    journey("another seed list, row stays", standing, (1, set_policy(seeds="tests/seeds/b.json")), levels=LEDGER),
    journey(
        "another seed list, row stays",
        standing,
        (1, set_policy(seeds="tests/seeds/b.json")),
        levels=KEYED,
        refusal=refused("freeze-generator-hash"),
    ),
    journey("loosen the policy", standing, (1, set_policy(max_freezes=90))),
    journey(
        "raise the level above a standing row",
        standing,
        (1, raise_level),
        levels=LEDGER,
        refusal=refused("missing-field"),
    ),
    journey(
        "add the pins, then raise the level",
        standing,
        (1, add_pins),
        (1, raise_level),
        levels=LEDGER,
        refusal=refused_together("policy-not-alone"),
    ),
    # the layout
    journey(
        "move the layout with the policy",
        standing,
        (2, together(policy_of_layout, change_layout, unfreeze())),
        refusal=refused("mixed-change", "policy-not-alone"),
    ),
    journey(
        "teach the policy the layout, row gone, then move",
        standing,
        (2, together(policy_of_layout, unfreeze())),
        (2, change_layout),
        refusal=refused_together("mixed-change", "policy-not-alone"),
    ),
    journey(
        "the same, the property lists its generators",
        standing_with_listed_generators,
        (2, policy_of_layout),
        (2, together(change_layout, unfreeze())),
        refusal=refused_together("mixed-change", "policy-not-alone"),
    ),
    journey(
        "move, then freeze again under the new id",
        layout_known,
        (2, together(change_layout, unfreeze())),
        (2, together(replay(2, test=MOVED), freeze(2, 20, MOVED))),
        refusal=refused_together("freeze-with-edit", "mixed-change"),
    ),
    journey(
        "move and freeze again at once",
        layout_known,
        (2, together(change_layout, unfreeze(), replay(2, test=MOVED), freeze(2, 20, MOVED))),
        refusal=refused("freeze-with-edit", "mixed-change"),
    ),
    # emergencies
    journey("an emergency", base, (1, freeze(1, 3, CLOCK)), levels=ANY_LEVEL),
    journey("an emergency of a @given test", base, (1, freeze(1, 3)), levels=ANY_LEVEL),
    journey(
        "an emergency of a test without a property",
        lone_test,
        (
            1,
            together(
                sub("tests/test_z.py", "def ", "# property_id: PROP-Z\ndef "), add_lone_property(), freeze(1, 3, LONE)
            ),
        ),
        levels=ANY_LEVEL,
    ),
    journey(
        "the same, named by a mark",
        lone_test,
        (
            1,
            together(
                sub("tests/test_z.py", "def ", '@pytest.mark.property_id("PROP-Z")\ndef '),
                add_lone_property(),
                freeze(1, 3, LONE),
            ),
        ),
    ),
    journey(
        "an emergency proved and renewed",
        emergency,
        (2, together(replay(2, test=CLOCK), set_freeze(CLOCK, frozen_on=on(2), expires=on(30), renewed=1))),
    ),
    # other languages, other years
    journey("no Python, freeze", no_python, (1, together(replay(1, test=SPEC_X), freeze(1, 20, SPEC_X)))),
    journey("no Python, edit another test", no_python_standing, (2, sub(SPEC, '"y"', '"y", 2')), levels=LEDGER),
    journey(
        "no Python, edit another test",
        no_python_standing,
        (2, sub(SPEC, '"y"', '"y", 2')),
        levels=KEYED,
        refusal=refused("freeze-test-hash"),
    ),
    journey("freeze again a year later", fixed_twice, (400, together(replay(400), freeze(400, 30)))),
    journey(
        "freeze again a year later, and count the years before",
        fixed_twice,
        (400, together(replay(400), freeze(400, 30, renewed=2))),
        refusal=refused("freeze-renewals"),
    ),
)


@pytest.mark.parametrize(("walk", "level", "mode"), cases(WALKS), ids=label)
def test_a_walk_is_refused_nowhere_but_where_the_table_says(
    walk: Journey, level: str, mode: str, templates: Templates, tmp_path: Path
) -> None:
    assert judge(templates, tmp_path / "walk", walk, level, mode) == expected(walk, mode)
