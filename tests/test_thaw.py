"""`flakeledger thaw` on real repositories: what goes, what stays, what is refused."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest

from flakeledger.cli.main import main
from flakeledger.model.ledger_paths import FREEZES
from steps import base, emergency, freeze, replay, standing, together
from world import CLOCK, REFUND, TOTAL, Templates, World, on, run_main


def green_and_flaky(world: World) -> None:
    """A flaky freeze and a green one, of day 0."""
    world.replay(0)
    world.replay(0, 20, test=CLOCK)
    world.freeze(REFUND, 0, 30)
    world.freeze(CLOCK, 0, 30)
    world.record("freezes")


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", green_and_flaky, "keyed", "block")


def thaw(world: World, day: int, *tests: str) -> tuple[int, str]:
    return run_main(world.root, ["thaw", "--now", f"{on(day)}T12:00:00Z", *tests], {})


def refusal(world: World, day: int, *tests: str) -> str:
    """What the command says that cannot tell; it writes nothing."""
    before = world.read(FREEZES)
    errors = io.StringIO()
    with contextlib.chdir(world.root), contextlib.redirect_stderr(errors):
        assert main(["thaw", "--now", f"{on(day)}T12:00:00Z", *tests]) == 2
    assert world.read(FREEZES) == before
    return errors.getvalue()


def test_a_green_row_goes_and_the_count_is_printed_with_its_bound(world: World) -> None:
    flaky = world.row(FREEZES, REFUND)
    assert thaw(world, 6, CLOCK) == (
        0,
        (
            f"thawed {CLOCK}, which @finley owned: `thaw`: its newest replay from pinned-py311 has 20/20 passed, "
            "failing at most 13.9 %\n"
            "    runs without a failure: at most 10 % takes 29, at most 5 % takes 59, at most 2 % takes 149, "
            f"at most 1 % takes 299\nnext: git add {FREEZES}, and commit\n"
        ),
    )
    assert world.read(FREEZES) == flaky
    assert world.commit(6) == frozenset()


def test_a_flaky_row_stays(world: World) -> None:
    before = world.read(FREEZES)
    code, out = thaw(world, 6, REFUND)
    assert code == 1
    assert out.splitlines()[:3] == [
        (
            f"{FREEZES}:1:3: thaw-unearned: the freeze of {REFUND} may not go: its newest replay from pinned-py311 has "
            "18/20 passed, failing 10.0 % (at most 28.3 %): `delete_test`"
        ),
        (
            "    fix: delete the test together with its row, and give PROP-1 another one; once it has expired, "
            f"it may go   # why: flakeledger review --explain {REFUND}"
        ),
        "note: nothing was written",
    ]
    assert world.read(FREEZES) == before


def test_the_hook_refuses_what_the_command_refuses(world: World) -> None:
    world.unfreeze(REFUND)
    assert world.commit(6) == {"thaw-unearned"}


def test_one_that_may_not_go_keeps_all(world: World) -> None:
    before = world.read(FREEZES)
    code, out = thaw(world, 6, CLOCK, REFUND)
    assert (code, out.count("thaw-unearned")) == (1, 1)
    assert world.read(FREEZES) == before


def test_several_go_at_once_and_one_named_twice_goes_once(world: World) -> None:
    code, out = thaw(world, 31, CLOCK, REFUND, CLOCK)
    assert code == 0
    assert out.count("thawed") == 2
    assert f"expired {on(30)}; `replay`: its newest replay from pinned-py311 is too old" in out
    assert world.read(FREEZES) == ""
    assert world.commit(31) == frozenset()


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_comments_that_are_not_the_row_s_own_stay(line_end: str, world: World) -> None:
    flaky, green = world.row(FREEZES, REFUND), world.row(FREEZES, CLOCK)
    head, foot = "# reviewed every Monday\n\n# the wall clock\n", "\n# the end\n"
    own = green.replace("  owner", "  # asked in March\n  owner", 1)
    text = (head + flaky + "\n# the other clock\n" + own + foot).replace("\n", line_end)
    (world.root / FREEZES).write_bytes(text.encode())
    assert thaw(world, 6, CLOCK)[0] == 0
    left = (world.root / FREEZES).read_bytes().decode()
    assert left.replace(line_end, "\n").replace("\n\n", "\n") == (head + flaky + "# the other clock\n" + foot).replace(
        "\n\n", "\n"
    )
    assert (line_end == "\n") or left.count("\r\n") == left.count("\n")


def test_a_row_that_was_frozen_and_taken_back_leaves_the_file_as_it_was(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    world.write(FREEZES, "# ours\n" + world.read(FREEZES) + "# the end\n")
    world.record("comments")
    before = (world.root / FREEZES).read_bytes()
    arguments = ["freeze", CLOCK, "--reason", "waits for the wall clock", "--owner", "@finley", "--days", "3"]
    code, out = run_main(world.root, [*arguments, "--now", f"{on(5)}T12:00:00Z"], {})
    assert code == 0, out
    assert (world.root / FREEZES).read_bytes() != before
    assert thaw(world, 5, CLOCK)[0] == 0
    assert (world.root / FREEZES).read_bytes() == before


def test_an_emergency_is_taken_back_from_a_folder_below(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", emergency, "keyed", "block")
    code, out = run_main(world.root / "tests", ["thaw", CLOCK, "--now", f"{on(2)}T12:00:00Z"], {})
    assert (code, out.partition(": ")[2].splitlines()[0]) == (0, "`withdraw`: it is younger than `unproven_days`")
    assert world.commit(2) == frozenset()


def test_a_row_that_is_not_committed_yet_is_judged_like_any_other(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    together(replay(1), freeze(1, 20))(world)
    assert thaw(world, 2, REFUND)[0] == 0
    assert world.read(FREEZES) == ""


@pytest.mark.parametrize(
    ("named", "fix"),
    [
        ("test_clock", f"did you mean {CLOCK}?"),
        (TOTAL, f"did you mean {CLOCK}"),
        ("nothing::like", "flakeledger review"),
    ],
)
def test_a_test_that_is_not_frozen_is_answered_with_the_nearest(named: str, fix: str, world: World) -> None:
    said = refusal(world, 6, named, CLOCK)
    assert f"{named} is not frozen" in said
    assert f"fix: {fix}" in said


def test_nothing_overrides_the_table(world: World) -> None:
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()), contextlib.chdir(world.root):
        main(["thaw", "--force", REFUND])
    assert ended.value.code == 2


def test_a_linked_ledger_is_not_written_through(world: World) -> None:
    world.move(FREEZES, "elsewhere.yaml")
    (world.root / FREEZES).symlink_to("../elsewhere.yaml")
    before = world.read("elsewhere.yaml")
    errors = io.StringIO()
    with contextlib.chdir(world.root), contextlib.redirect_stderr(errors):
        assert main(["thaw", "--now", f"{on(6)}T12:00:00Z", CLOCK]) == 2
    assert "symbolic link" in errors.getvalue()
    assert world.read("elsewhere.yaml") == before


def test_what_it_writes_reads_back_as_the_other_rows(world: World) -> None:
    assert thaw(world, 6, CLOCK)[0] == 0
    out = run_main(world.root, ["review", "--now", f"{on(6)}T12:00:00Z", "--format", "json"], {})[1]
    assert [row["test"] for row in json.loads(out)["freezes"]] == [REFUND]
