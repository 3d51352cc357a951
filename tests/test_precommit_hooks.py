"""The two hooks as pre-commit and prek run them: real commits, merges and pushes, in every place a user stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, GUARD, LEDGERS, POLICY, REPLAYS
from hooked import (
    HOOKS,
    INSTALLED_TYPES,
    YESTERDAY,
    Done,
    Hooked,
    HookRunner,
    Tool,
    configuration,
    install_environment,
    publish_tool,
    shared_folder,
)
from steps import edit_conftest, edit_fixture, edit_production
from world import BASE_FILES, CLOCK, CONFTEST, ORDERS, PRODUCT, REFUND, TESTS, World, on

#: what a freeze beside an edit of its conftest is refused by
MIXED = {"mixed-change", "freeze-with-edit"}
DRIFT = '{"a": 2}\n'
CITATION = "# flakeledger: cite PROP-1 runner_class=pinned-py311\n"
#: both runners know it
NO_CHECKS = {"SKIP": ",".join(HOOKS)}


@pytest.fixture(scope="session")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Tool:
    base = tmp_path_factory.getbasetemp()
    return publish_tool(shared_folder(base), base / "tool-in-the-making")


@pytest.fixture(scope="session", params=["pre-commit", "prek"])
def runner(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, tool: Tool) -> HookRunner:
    base = tmp_path_factory.getbasetemp()
    made = HookRunner(request.param, shared_folder(base) / request.param)
    install_environment(made, tool, base / f"{made.name}-scratch")
    return made


@pytest.fixture(scope="session")
def template(runner: HookRunner, tool: Tool, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Hooked]:
    """Copies of one repository, which the first test makes: in its environment, as every test's."""
    made: list[Hooked] = []

    def copy(root: Path) -> Hooked:
        if not made:
            made.append(Hooked.new(tmp_path_factory.mktemp(runner.name) / "template", runner, tool))
        return made[0].copy(root)

    return copy


@pytest.fixture
def hooked(template: Callable[[Path], Hooked], tmp_path: Path) -> Hooked:
    return template(tmp_path / "world")


def passed(done: Done) -> bool:
    """Whether git went on after both hooks had run."""
    return done.code == 0 and done.output.count("Passed") == len(HOOKS)


def refusal(done: Done) -> frozenset[str]:
    """The rules by which the hooks stopped git."""
    assert done.code != 0, done.output
    assert "Traceback" not in done.output
    return done.rules


def grant(world: World, test: str = REFUND, days: int = 20) -> None:
    """An honest freeze with its evidence, made yesterday."""
    world.replay(YESTERDAY, test=test)
    world.freeze(test, YESTERDAY, days)


def drift(world: World) -> None:
    """Edit a fixture and forget its lock."""
    world.write(ORDERS, DRIFT)


def diverge(hooked: Hooked, main: Callable[[World], None], work: Callable[[World], None]) -> None:
    """One unjudged commit on each side; HEAD is on work."""
    for branch, edit in (("main", main), ("work", work)):
        hooked.world.git("switch", "-q", branch)
        edit(hooked.world)
        hooked.record(branch)


def conftest_edited(world: World) -> None:
    edit_conftest(world)


def fixture_edited(world: World) -> None:
    edit_fixture(world)


def production_edited(world: World) -> None:
    edit_production(world)


# commits


def test_an_ordinary_commit_passes(hooked: Hooked) -> None:
    production_edited(hooked.world)
    hooked.world.git("add", "-A")
    before = hooked.world.head()
    assert passed(hooked.git("commit", "-m", "fix"))
    assert hooked.world.git("rev-parse", "HEAD^") == before


def test_a_drifted_fixture_is_refused_with_its_fix_and_nothing_is_committed(hooked: Hooked) -> None:
    drift(hooked.world)
    hooked.world.git("add", "-A")
    before = hooked.world.head()
    done = hooked.git("commit", "-m", "drift")
    assert refusal(done) == {"fixture-drifted"}
    assert f"{FIXTURES}:3:11: fixture-drifted: " in done.output
    assert "fix: " in done.output
    assert hooked.world.head() == before


def test_a_freeze_beside_a_generator_is_refused_with_the_commands_that_split_it(hooked: Hooked) -> None:
    conftest_edited(hooked.world)
    grant(hooked.world)
    hooked.world.git("add", "-A")
    done = hooked.git("commit", "-m", "both")
    assert refusal(done) == MIXED
    commands = [line.split("fix: ")[-1].strip() for line in done.output.splitlines() if line.strip().startswith("git ")]
    assert commands == [
        f"git restore --staged -- {FREEZES}",
        "git commit",
        f"git add -- {FREEZES}",
        "git commit   # in a pull request of its own",
    ]
    hooked.world.git("restore", "--staged", "--", FREEZES)
    assert passed(hooked.git("commit", "-m", "the generator"))
    hooked.world.git("switch", "-q", "-c", "freeze", "main")
    hooked.world.git("merge", "-q", "--ff-only", "work")
    hooked.world.git("add", "--", FREEZES)
    assert passed(hooked.git("commit", "-m", "the freeze"))


def test_commit_all_judges_what_was_not_staged(hooked: Hooked) -> None:
    drift(hooked.world)
    assert refusal(hooked.git("commit", "-a", "-m", "drift")) == {"fixture-drifted"}
    hooked.world.lock()
    assert passed(hooked.git("commit", "-a", "-m", "locked"))
    assert hooked.world.git("status", "--porcelain") == ""


def test_commit_of_a_path_judges_that_path_alone(hooked: Hooked) -> None:
    drift(hooked.world)
    hooked.world.git("add", "-A")
    production_edited(hooked.world)
    assert passed(hooked.git("commit", "-m", "only production", PRODUCT))
    assert hooked.world.git("diff", "--cached", "--name-only") == ORDERS
    assert hooked.world.git("show", "--format=", "--name-only") == PRODUCT


def test_commit_of_a_path_does_not_judge_what_stays_behind(hooked: Hooked) -> None:
    fixture_edited(hooked.world)
    hooked.world.git("add", "-A")
    before = hooked.world.head()
    assert refusal(hooked.git("commit", "-m", "without its lock", ORDERS)) == {"fixture-drifted"}
    assert hooked.world.head() == before
    assert passed(hooked.git("commit", "-m", "both", ORDERS, FIXTURES))


def test_a_row_is_corrected_by_an_amend_on_its_own_branch(hooked: Hooked) -> None:
    grant(hooked.world)
    hooked.world.git("add", "-A")
    assert passed(hooked.git("commit", "-m", "freeze"))
    hooked.world.set_fields(FREEZES, REFUND, expires=on(YESTERDAY + 25))
    assert passed(hooked.git("commit", "-a", "--amend", "--no-edit"))
    assert hooked.world.git("rev-list", "--count", "main..work") == "1"


@pytest.mark.parametrize("whole", [True, False], ids=["in the first commit", "in a later commit"])
def test_adoption(whole: bool, runner: HookRunner, tool: Tool, tmp_path: Path) -> None:
    made = World.new(tmp_path / "made")
    world = World(tmp_path / "adopting")
    world.root.mkdir()
    world.git("init", "-q", "--template=")
    for path, text in BASE_FILES.items():
        world.write(path, text)
    hooked = Hooked(world, runner)
    if not whole:
        hooked.record("before any ledger")
    world.write(GUARD, configuration(tool))
    hooked.install()
    for file in (made.root / LEDGERS).iterdir():
        world.write(f"{LEDGERS}{file.name}", file.read_text(encoding="utf-8"))
    drift(world)
    world.git("add", "-A")
    assert refusal(hooked.git("commit", "-m", "adopt")) == {"fixture-drifted"}
    world.write(ORDERS, BASE_FILES[ORDERS])
    world.git("add", "-A")
    assert passed(hooked.git("commit", "-m", "adopt"))


# merges


def test_a_clean_merge_passes(hooked: Hooked) -> None:
    diverge(hooked, production_edited, grant)
    assert passed(hooked.git("merge", "--no-ff", "--no-edit", "main"))
    assert len(hooked.world.git("rev-parse", "HEAD^@").split()) == 2


def test_a_clean_merge_that_voids_a_freeze_is_refused_and_repaired_by_dropping_the_row(hooked: Hooked) -> None:
    diverge(hooked, conftest_edited, grant)
    before = hooked.world.head()
    assert refusal(hooked.git("merge", "--no-ff", "--no-edit", "main")) == {"freeze-generator-hash"}
    assert hooked.world.head() == before
    hooked.world.unfreeze()
    hooked.world.git("add", "-A")
    assert passed(hooked.git("commit", "--no-edit"))
    assert len(hooked.world.git("rev-parse", "HEAD^@").split()) == 2


def test_a_conflict_is_judged_when_it_is_resolved(hooked: Hooked) -> None:
    diverge(hooked, lambda world: grant(world, CLOCK), grant)
    merged = hooked.git("merge", "--no-edit", "main")
    assert merged.code == 1
    assert "CONFLICT" in merged.output
    hooked.world.git("add", "-A")
    assert "conflict-marker" in refusal(hooked.git("commit", "--no-edit"))
    for path in (FREEZES, REPLAYS):
        sides = [hooked.world.git("show", f"{side}:{path}") + "\n" for side in ("HEAD", "MERGE_HEAD")]
        hooked.world.write(path, "".join(sides))
    hooked.world.git("add", "-A")
    assert passed(hooked.git("commit", "--no-edit"))
    assert len(hooked.world.rows(FREEZES)) == 2


def test_a_revert_that_is_committed_by_hand_passes(hooked: Hooked) -> None:
    fixture_edited(hooked.world)
    hooked.record()
    hooked.world.git("revert", "--no-commit", "HEAD")
    assert passed(hooked.git("commit", "-m", "revert"))
    assert hooked.world.git("diff", "--name-only", "main") == ""


def test_a_revert_of_half_a_commit_is_refused(hooked: Hooked) -> None:
    fixture_edited(hooked.world)
    hooked.record()
    hooked.world.git("revert", "--no-commit", "HEAD")
    hooked.world.git("checkout", "-q", "HEAD", "--", FIXTURES)
    assert refusal(hooked.git("commit", "-m", "half a revert")) == {"fixture-drifted"}


# places


def test_a_linked_worktree_is_judged_by_its_own_index(hooked: Hooked, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    hooked.world.git("worktree", "add", "-q", "-b", "other", str(linked), "main")
    other = World(linked)
    drift(hooked.world)
    hooked.world.git("add", "-A")
    production_edited(other)
    other.git("add", "-A")
    assert passed(hooked.git("commit", "-m", "fix", where=linked))
    drift(other)
    other.git("add", "-A")
    hooked.world.git("reset", "-q", "--hard")
    assert refusal(hooked.git("commit", "-m", "drift", where=linked)) == {"fixture-drifted"}


def test_a_subfolder_is_a_place_to_commit_from(hooked: Hooked) -> None:
    inside = hooked.world.root / "tests"
    drift(hooked.world)
    assert refusal(hooked.git("commit", "-a", "-m", "drift", where=inside)) == {"fixture-drifted"}
    hooked.world.lock()
    assert passed(hooked.git("commit", "-m", "locked", "fixtures", "../ledgers", where=inside))


def test_all_files_judges_the_index_and_says_what_it_did_not(hooked: Hooked) -> None:
    grant(hooked.world)
    hooked.record()
    clean = hooked.runner.run(hooked.world.root, "run", "--all-files", "--verbose")
    assert passed(clean)
    assert "not staged" not in clean.output
    hooked.world.append(FREEZES, "- this: is no row\n")
    unstaged = hooked.runner.run(hooked.world.root, "run", "--all-files", "--verbose")
    assert passed(unstaged)
    assert f"note: {FREEZES} has edits that are not staged; they were not checked" in unstaged.output
    hooked.world.git("add", "-A")
    assert "unknown-field" in refusal(hooked.runner.run(hooked.world.root, "run", "--all-files"))


def test_the_manual_stage_runs_both_hooks(hooked: Hooked) -> None:
    production_edited(hooked.world)
    hooked.record()
    assert passed(hooked.runner.run(hooked.world.root, "run", "--all-files", "--hook-stage", "manual"))


def test_try_repo(hooked: Hooked, tool: Tool) -> None:
    drift(hooked.world)
    hooked.world.git("add", "-A")
    done = hooked.runner.run(hooked.world.root, "try-repo", str(tool.repository), "--all-files")
    assert refusal(done) == {"fixture-drifted"}
    assert re.search(r"^check ledgers\.+Failed$", done.output, re.MULTILINE)
    assert re.search(r"^check change\.+Passed$", done.output, re.MULTILINE)


# pushes


def generator_then_freeze(hooked: Hooked) -> None:
    """Two commits, each fine in itself, which no pull request may hold together."""
    conftest_edited(hooked.world)
    hooked.record("generator")
    grant(hooked.world)
    hooked.record("freeze")


def test_a_push_to_the_default_branch_is_judged_step_by_step(hooked: Hooked, tmp_path: Path) -> None:
    hooked.publish(tmp_path / "remote.git")
    hooked.world.git("switch", "-q", "main")
    generator_then_freeze(hooked)
    assert passed(hooked.git("push", "origin", "main"))


def test_a_mixed_step_does_not_hide_in_a_push_to_the_default_branch(hooked: Hooked, tmp_path: Path) -> None:
    hooked.publish(tmp_path / "remote.git")
    hooked.world.git("switch", "-q", "main")
    conftest_edited(hooked.world)
    grant(hooked.world)
    hooked.record("both")
    production_edited(hooked.world)
    hooked.record("fix")
    assert refusal(hooked.git("push", "origin", "main")) == MIXED
    assert hooked.world.git("rev-parse", "origin/main") == hooked.world.git("rev-parse", "main~2")


def test_the_first_push_of_a_branch_is_judged_as_a_whole(hooked: Hooked, tmp_path: Path) -> None:
    hooked.publish(tmp_path / "remote.git")
    generator_then_freeze(hooked)
    assert refusal(hooked.git("push", "-u", "origin", "work")) == MIXED
    hooked.world.git("reset", "-q", "--hard", "HEAD~1")
    assert passed(hooked.git("push", "-u", "origin", "work"))


def test_the_next_push_of_a_branch_does_not_forget_the_first(hooked: Hooked, tmp_path: Path) -> None:
    hooked.publish(tmp_path / "remote.git")
    conftest_edited(hooked.world)
    hooked.record("generator")
    assert passed(hooked.git("push", "-u", "origin", "work"))
    production_edited(hooked.world)
    hooked.record("fix")
    assert passed(hooked.git("push"))


def test_the_first_push_of_a_whole_history(hooked: Hooked, tmp_path: Path) -> None:
    hooked.world.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    hooked.world.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    drift(hooked.world)
    hooked.record("drift")
    assert refusal(hooked.git("push", "origin", "work:main")) == {"fixture-drifted"}
    hooked.world.git("reset", "-q", "--hard", "HEAD~1")
    assert passed(hooked.git("push", "origin", "work:main"))


def test_a_force_push_is_judged_from_where_the_histories_meet(hooked: Hooked, tmp_path: Path) -> None:
    hooked.publish(tmp_path / "remote.git")
    grant(hooked.world)
    hooked.record("freeze")
    assert passed(hooked.git("push", "origin", "work"))
    conftest_edited(hooked.world)
    hooked.world.unfreeze()
    grant(hooked.world)
    hooked.world.git("commit", "-q", "-a", "--amend", "--no-verify", "-m", "freeze, with the generator")
    assert refusal(hooked.git("push", "--force", "origin", "work")) == MIXED
    hooked.world.git("reset", "-q", "--hard", "main")
    grant(hooked.world, CLOCK)
    hooked.record("another freeze")
    assert passed(hooked.git("push", "--force", "origin", "work"))


def test_a_branch_can_be_deleted_by_a_push(hooked: Hooked, tmp_path: Path) -> None:
    hooked.publish(tmp_path / "remote.git")
    production_edited(hooked.world)
    hooked.record("fix")
    assert passed(hooked.git("push", "origin", "work"))
    deleted = hooked.git("push", "origin", "--delete", "work")
    assert deleted.code == 0, deleted.output
    assert "[deleted]" in deleted.output


def test_no_hook_sees_a_rebase_but_the_push_is_judged(hooked: Hooked, tmp_path: Path) -> None:
    diverge(hooked, conftest_edited, grant)
    hooked.publish(tmp_path / "remote.git")
    rebased = hooked.git("rebase", "main")
    assert rebased.code == 0, rebased.output
    assert "check ledgers" not in rebased.output
    assert refusal(hooked.git("push", "origin", "work")) == {"freeze-generator-hash"}
    hooked.world.unfreeze()
    grant(hooked.world)
    assert passed(hooked.git("commit", "-a", "-m", "freeze again"))
    assert passed(hooked.git("push", "origin", "work"))
    assert hooked.world.read(CONFTEST) != BASE_FILES[CONFTEST]


# recording


@pytest.fixture
def recording(hooked: Hooked, tool: Tool) -> Hooked:
    """A freeze that its module cites, and the hook that records decisions beside the others."""
    names, types = (*HOOKS, "record-decisions"), (*INSTALLED_TYPES, "prepare-commit-msg")
    hooked.world.write(GUARD, configuration(tool, names, types))
    hooked.world.append(TESTS, CITATION)
    grant(hooked.world)
    hooked.record("cited")
    hooked.install()
    return hooked


def message(hooked: Hooked) -> str:
    """The message of HEAD, without the moment at which its decisions were made."""
    return re.sub(r" now=\S+Z$", "", hooked.world.git("log", "-1", "--format=%B"), flags=re.MULTILINE).strip()


def recorded(hooked: Hooked, *arguments: str, checked: bool = True) -> str:
    """Commit all that lies here; gives the message."""
    done = hooked.git("commit", "-a", *arguments, environment={} if checked else NO_CHECKS)
    assert done.code == 0, done.output
    assert re.search(r"^record decisions\.+Passed$", done.output, re.MULTILINE)
    return message(hooked)


def test_a_commit_records_what_it_touches_and_an_amend_records_it_anew(recording: Hooked) -> None:
    recording.world.append(TESTS, "# edited\n")
    assert recorded(recording, "-m", "#12 is fixed") == "#12 is fixed\n\nFreeze-Decision: PROP-1 allow_cite"
    recording.world.append(PRODUCT, "# edited\n")
    assert recorded(recording, "--amend", "--no-edit") == "#12 is fixed\n\nFreeze-Decision: PROP-1 allow_cite"
    recording.world.append(PRODUCT, "# edited again\n")
    assert recorded(recording, "-m", "product") == "product"


def test_an_expired_citation_is_recorded_where_the_checks_are_switched_off(recording: Hooked) -> None:
    recording.world.set_fields(FREEZES, REFUND, frozen_on=on(YESTERDAY - 9), expires=on(YESTERDAY - 1))
    refused = recording.git("commit", "-a", "-m", "late")
    assert "freeze-expired" in refusal(refused)
    assert recorded(recording, "-m", "late", checked=False) == "late\n\nFreeze-Decision: PROP-1 reject:window"


def test_a_broken_policy_is_not_refused_by_the_hook_that_records(recording: Hooked) -> None:
    recording.world.append(POLICY, "nonsense: 1\n")
    recording.world.append(TESTS, "# edited\n")
    assert recorded(recording, "-m", "broken", checked=False) == "broken"


def test_a_merge_and_a_linked_worktree_record_too(recording: Hooked, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    recording.world.git("worktree", "add", "-q", "-b", "other", str(linked))
    other = World(linked)
    other.append(TESTS, "# edited\n")
    done = recording.git("commit", "-a", "-m", "other", where=linked)
    assert done.code == 0, done.output
    assert "\n\nFreeze-Decision: PROP-1 allow_cite now=" in other.git("log", "-1", "--format=%B")
    production_edited(recording.world)
    recording.record("work")
    recording.world.git("merge", "-q", "--no-commit", "other")
    recording.world.append(TESTS, "# by the merge\n")
    assert recorded(recording, "--no-edit").endswith("\n\nFreeze-Decision: PROP-1 allow_cite")
