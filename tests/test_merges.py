"""Real merges, reverts and amends: what the merge itself does is judged, not what either side did before it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FREEZES, REPLAYS
from steps import (
    Edit,
    add_unrelated_file,
    base,
    do,
    edit_conftest,
    edit_fixture,
    edit_production,
    freeze,
    replay,
    set_freeze,
    standing,
    standing_replayed,
    thaw,
    together,
    two_standing,
    unfreeze,
)
from world import CLOCK, REFUND, TOTAL, UNDECIDED, Templates, World, on


@pytest.fixture(params=["ledger", "keyed"])
def level(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def diverged(world: World, *, main: Edit, work: Edit) -> World:
    """One commit on each side; HEAD is on the branch."""
    world.git("switch", "-q", "main")
    main(world)
    world.record("main")
    world.git("switch", "-q", "work")
    work(world)
    world.record("work")
    return world


def begin_merge(world: World, head: str = "main") -> list[str]:
    """Merge a head up to the commit; gives the paths in conflict."""
    command = ["git", "merge", "-q", "--no-commit", "--no-ff", head]
    subprocess.run(command, cwd=world.root, capture_output=True, check=False)
    assert world.git("rev-parse", "MERGE_HEAD") == world.git("rev-parse", head)
    return world.git("diff", "--name-only", "--diff-filter=U").split()


def version(world: World, revision: str, path: str) -> str:
    """What a revision holds at the path."""
    text = world.git("show", f"{revision}:{path}")
    return text + "\n" if text else ""


def keep_both(world: World, path: str) -> None:
    """Our version, then what they appended."""
    common = version(world, world.git("merge-base", "HEAD", "MERGE_HEAD"), path)
    world.write(path, version(world, "HEAD", path) + version(world, "MERGE_HEAD", path).removeprefix(common))


def repin(world: World) -> None:
    """Write the row of the merged tree anew, with the digests that it has now."""
    world.unfreeze()
    world.freeze(REFUND, 1, 20)


thaw_late = together(replay(26, 20), thaw(26))
renew = set_freeze(frozen_on=on(26), expires=on(55), renewed=1)
grant = together(replay(1), freeze(1, 20))
grant_another = together(replay(1, test=CLOCK), freeze(1, 20, CLOCK))


def test_two_branches_that_both_freeze(level: str, templates: Templates, tmp_path: Path) -> None:
    world = diverged(templates.start(tmp_path / "world", base, level, "block"), main=grant_another, work=grant)
    assert begin_merge(world) == [FREEZES, REPLAYS]
    for path in (FREEZES, REPLAYS):
        keep_both(world, path)
    assert world.commit(2) == frozenset()
    assert world.judge_pull_request(2) == frozenset()
    assert world.judge_push(2, world.squash()) == frozenset()


def test_a_conflict_left_unresolved_is_found(templates: Templates, tmp_path: Path) -> None:
    world = diverged(templates.start(tmp_path / "world", base, "keyed", "block"), main=grant_another, work=grant)
    begin_merge(world)
    world.git("add", "-A")
    assert world.judge(2) >= {"conflict-marker", UNDECIDED}


@pytest.mark.parametrize("kept", ["HEAD", "MERGE_HEAD"])
def test_one_side_renews_and_the_other_thaws(kept: str, level: str, templates: Templates, tmp_path: Path) -> None:
    start = templates.start(tmp_path / "world", standing_replayed, level, "block")
    world = diverged(start, main=thaw_late, work=renew)
    assert begin_merge(world) == [FREEZES]
    world.write(FREEZES, version(world, kept, FREEZES))
    assert world.commit(27) == frozenset()
    assert world.judge_pull_request(27) == frozenset()


def test_a_merge_may_not_make_a_third_row_of_two(level: str, templates: Templates, tmp_path: Path) -> None:
    start = templates.start(tmp_path / "world", standing, level, "block")
    shorten = set_freeze(expires=on(20))
    world = diverged(start, main=shorten, work=set_freeze(expires=on(25)))
    assert begin_merge(world) == [FREEZES]
    world.write(FREEZES, version(world, "HEAD", FREEZES).replace(on(25), on(29)))
    world.git("add", "-A")
    assert world.judge(5) == {"freeze-extended"}


def test_a_thaw_on_main_reaches_another_branch(level: str, templates: Templates, tmp_path: Path) -> None:
    start = templates.start(tmp_path / "world", standing, level, "block")
    world = diverged(start, main=together(replay(5, 20), unfreeze()), work=add_unrelated_file)
    assert begin_merge(world) == []
    assert world.commit(6) == frozenset()
    assert world.judge_pull_request(6) == frozenset()


def thawed_on_main(templates: Templates, root: Path, level: str) -> World:
    """A branch that has the row still, merging a main that thawed it."""
    start = templates.start(root, standing, level, "block")
    world = diverged(start, main=together(replay(5, 20), thaw(5)), work=add_unrelated_file)
    assert begin_merge(world) == []
    return world


def test_a_merge_may_not_resurrect_a_row(level: str, templates: Templates, tmp_path: Path) -> None:
    world = thawed_on_main(templates, tmp_path / "world", level)
    world.write(FREEZES, version(world, "HEAD", FREEZES))
    assert world.commit(6) == {"freeze-renewed"}
    assert world.judge_pull_request(6) == {"freeze-renewed"}
    assert world.judge_push(6, world.squash()) == {"freeze-renewed"}


def test_the_commit_after_a_merge_may_not_resurrect_a_row(level: str, templates: Templates, tmp_path: Path) -> None:
    world = thawed_on_main(templates, tmp_path / "world", level)
    world.record("merged")
    world.write(FREEZES, version(world, "HEAD^1", FREEZES))
    assert world.commit(6) == {"freeze-renewed"}
    assert world.judge_pull_request(6) == {"freeze-renewed"}


def test_a_row_that_main_voided_later_is_not_resurrected_either(
    level: str, templates: Templates, tmp_path: Path
) -> None:
    start = templates.start(tmp_path / "world", standing, level, "block")

    def thaw_then_edit(world: World) -> None:
        together(replay(5, 20), unfreeze())(world)
        world.record("thaw")
        edit_conftest(world)

    world = diverged(start, main=thaw_then_edit, work=add_unrelated_file)
    assert begin_merge(world) == []
    world.record("merged")
    freeze(0, 30)(world)
    assert world.commit(6) == {"freeze-renewed"}
    assert world.judge_pull_request(6) == {"freeze-renewed"}


def test_a_merge_may_not_drop_a_row_of_main(level: str, templates: Templates, tmp_path: Path) -> None:
    start = templates.start(tmp_path / "world", standing, level, "block")
    world = diverged(start, main=edit_production, work=add_unrelated_file)
    assert begin_merge(world) == []
    world.unfreeze()
    assert world.commit(5) == {"thaw-unearned"}
    assert world.judge_pull_request(5) == {"thaw-unearned"}


def test_a_row_that_both_sides_removed_is_gone(level: str, templates: Templates, tmp_path: Path) -> None:
    start = templates.start(tmp_path / "world", standing, level, "block")
    world = diverged(start, main=together(replay(5, 20), thaw(5)), work=together(edit_fixture, unfreeze()))
    assert begin_merge(world) == []
    assert world.commit(6) == frozenset()
    assert world.judge_pull_request(6) == frozenset()


def test_a_stale_branch_does_not_hide_how_a_row_left_main(level: str, templates: Templates, tmp_path: Path) -> None:
    """A side line that holds the row still was merged after the row fell: the row may come back as if it had not."""
    start = templates.start(tmp_path / "world", standing, level, "block")
    union(start)
    comment = do(World.append, FREEZES, "# reviewed every Monday\n")
    world = diverged(start, main=together(edit_fixture, unfreeze()), work=comment)
    world.git("switch", "-q", "main")
    assert begin_merge(world, "work") == [FREEZES]
    world.write(FREEZES, "# reviewed every Monday\n")
    world.record("merged")
    world.git("switch", "-q", "-c", "again")
    together(replay(6), freeze(6, 24))(world)
    assert world.commit(6) == frozenset()
    set_freeze(expires=on(31))(world)
    assert world.commit(6) == {"freeze-renewed"}


def crossing(templates: Templates, root: Path, level: str) -> World:
    """A branch that freezes, merging a main that edited the conftest meanwhile."""
    world = diverged(templates.start(root, base, level, "block"), main=edit_conftest, work=grant)
    assert begin_merge(world) == []
    return world


#: what a crossing conftest does to a freeze, by level
CROSSED = {"ledger": frozenset[str](), "keyed": frozenset({"freeze-generator-hash"})}


def test_a_conftest_on_main_voids_the_freeze_of_a_branch(level: str, templates: Templates, tmp_path: Path) -> None:
    world = crossing(templates, tmp_path / "world", level)
    assert world.commit(2) == CROSSED[level]
    assert world.judge_pull_request(2) == CROSSED[level]


def test_the_merge_that_crosses_drops_the_row(level: str, templates: Templates, tmp_path: Path) -> None:
    world = crossing(templates, tmp_path / "world", level)
    world.unfreeze()
    assert world.commit(2) == frozenset()
    assert world.judge_pull_request(2) == frozenset()


def test_the_merge_that_crosses_re_pins_a_row_of_its_own_branch(
    level: str, templates: Templates, tmp_path: Path
) -> None:
    world = crossing(templates, tmp_path / "world", level)
    repin(world)
    assert world.commit(2) == frozenset()
    assert world.judge_pull_request(2) == frozenset()


def test_a_merge_may_not_re_key_a_row_of_main(level: str, templates: Templates, tmp_path: Path) -> None:
    start = templates.start(tmp_path / "world", standing, level, "block")
    world = diverged(start, main=edit_production, work=add_unrelated_file)
    assert begin_merge(world) == []
    together(set_freeze(replay_env="local-fixture"), replay(5, env="local-fixture"))(world)
    world.git("add", "-A")
    assert world.judge(5) == {"freeze-rekeyed"}


def test_the_commit_after_the_crossing_re_pins_on_its_own_branch(
    level: str, templates: Templates, tmp_path: Path
) -> None:
    world = crossing(templates, tmp_path / "world", level)
    world.record("crossed")
    repin(world)
    assert world.commit(2) == frozenset()
    assert world.judge_pull_request(2) == frozenset()
    assert world.judge_push(2, world.squash()) == frozenset()


def test_conftest_and_freeze_that_came_to_main_apart_come_to_a_branch_together(
    level: str, templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "world", base, level, "block")

    def apart(world: World) -> None:
        edit_conftest(world)
        world.record("conftest")
        grant(world)

    diverged(world, main=apart, work=add_unrelated_file)
    assert begin_merge(world) == []
    assert world.commit(2) == frozenset()
    assert world.judge_pull_request(2) == frozenset()


def union(world: World) -> None:
    """Branches append to the log side by side."""
    world.write(".gitattributes", "ledgers/replays.jsonl text eol=lf merge=union\n")
    world.record("union")


def test_a_nightly_of_40_lines_beside_a_freeze(level: str, templates: Templates, tmp_path: Path) -> None:
    def nightly_of_others(world: World) -> None:
        for number in range(40):
            world.replay(1, 0 if number % 4 == 0 else 20, test=CLOCK if number % 2 else TOTAL)

    start = templates.start(tmp_path / "world", union, level, "block")
    world = diverged(start, main=nightly_of_others, work=grant)
    assert begin_merge(world) == []
    assert world.commit(1) == frozenset()
    assert world.judge_pull_request(1) == frozenset()
    assert world.judge_push(1, world.squash()) == frozenset()


def test_a_duplicated_tail_of_the_log_may_go(level: str, templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", standing, level, "block")
    log = world.read(REPLAYS)
    world.write(REPLAYS, log + log)
    assert world.commit(2) == frozenset()
    world.write(REPLAYS, log)
    assert world.commit(2) == frozenset()


def test_a_row_is_corrected_by_an_amend_on_its_own_branch(level: str, templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, level, "block")
    grant(world)
    assert world.commit(1) == frozenset()
    set_freeze(expires=on(25), runner_class="local-fixture")(world)
    world.git("add", "-A")
    assert world.judge(1) == frozenset()
    world.git("commit", "-q", "--amend", "--no-edit")
    assert world.judge_pull_request(1) == frozenset()


def test_a_row_that_reached_main_is_corrected_no_more(level: str, templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, level, "block")
    grant(world)
    world.record("freeze")
    world.squash()
    set_freeze(expires=on(25))(world)
    world.git("add", "-A")
    assert world.judge(1) == {"freeze-extended"}


# a ledger that both sides changed, taken from one side as a whole


@pytest.mark.parametrize("kept", ["HEAD", "MERGE_HEAD"])
def test_a_log_of_one_side_has_lost_the_lines_of_the_other(kept: str, templates: Templates, tmp_path: Path) -> None:
    start = templates.start(tmp_path / "world", standing, "keyed", "block")
    world = diverged(start, main=replay(5, 20), work=replay(5, 19))
    assert begin_merge(world) == [REPLAYS]
    world.write(REPLAYS, version(world, kept, REPLAYS))
    world.git("add", "-A")
    assert world.judge(6) == {"log-rewritten"}
    keep_both(world, REPLAYS)
    assert world.commit(6) == frozenset()


@pytest.mark.parametrize("kept", ["HEAD", "MERGE_HEAD"])
def test_a_ledger_of_one_side_may_not_resurrect_what_the_other_thawed(
    kept: str, templates: Templates, tmp_path: Path
) -> None:
    start = templates.start(tmp_path / "world", two_standing, "keyed", "block")
    shorten, remove = set_freeze(CLOCK, expires=on(25)), together(replay(21, 20), unfreeze())
    edits = {"HEAD": (remove, shorten), "MERGE_HEAD": (shorten, remove)}[kept]
    world = diverged(start, main=edits[0], work=edits[1])
    assert begin_merge(world) == []
    assert world.judge(22) == frozenset()
    world.write(FREEZES, version(world, kept, FREEZES))
    world.git("add", "-A")
    assert world.judge(22) == {"freeze-renewed"}


# branches that merged each other crosswise


def crossed(world: World, *, main: Edit, work: Edit, newer: str) -> World:
    """One commit on each side, which the other side merges; HEAD is on the branch.

    `newer` is the branch with the younger one of the two merge bases, which git names first.
    """
    for branch, edit in (("main", main), ("work", work)):
        world.git("switch", "-q", branch)
        edit(world)
        world.record(branch, GIT_COMMITTER_DATE=f"2026-03-0{5 if branch == newer else 4}T12:00:00Z")
    tips = {branch: world.git("rev-parse", branch) for branch in ("main", "work")}
    for branch, other in (("main", "work"), ("work", "main")):
        world.git("switch", "-q", branch)
        world.git("merge", "-q", "-m", "crossed", tips[other])
    assert world.git("merge-base", "main", "work") == tips[newer]
    return world


@pytest.mark.parametrize("newer", ["main", "work"])
@pytest.mark.parametrize("thawed", [REFUND, CLOCK])
def test_a_merge_of_crossed_branches_may_not_resurrect_a_row(
    thawed: str, newer: str, templates: Templates, tmp_path: Path
) -> None:
    start = templates.start(tmp_path / "world", two_standing, "keyed", "block")
    shorten = {test: set_freeze(test, expires=on(25)) for test in (REFUND, CLOCK)}
    world = crossed(start, main=shorten[REFUND], work=shorten[CLOCK], newer=newer)
    row = world.row(FREEZES, thawed)
    diverged(world, main=edit_production, work=together(replay(21, 20, test=thawed), unfreeze(thawed)))
    assert begin_merge(world) == []
    assert world.commit(22) == frozenset()  # the merge that thaws it, too, is honest
    world.git("reset", "-q", "--hard", "HEAD^")
    begin_merge(world)
    world.append(FREEZES, row)
    world.git("add", "-A")
    assert world.judge(22) == {"freeze-renewed"}
