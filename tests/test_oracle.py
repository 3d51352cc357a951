"""`flakeledger oracle`: what is shown of edited tests, and the review that the gate then takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import POLICY, REVIEWS
from flakeledger.model.review import read_review
from patched import edit_product, on_a_branch, run_gate, run_oracle
from world import TESTS, World

APPROVE = ("--approve", "--reviewer", "@finley", "--now", "2026-03-04T12:00:00Z")
SPEC = "tests/a.spec.ts"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.new(tmp_path / "shop")


def weaken(world: World) -> None:
    world.sub(TESTS, "assert x >= 0", "assert x >= -1")
    world.sub(TESTS, "@given(amounts)", "@given(amounts.filter(bool))")


def test_the_edits_are_shown_with_their_blobs_above_the_difference_of_lines(world: World) -> None:
    on_a_branch(world, weaken)
    base, head = (world.git("rev-parse", f"{side}:{TESTS}") for side in ("main", "work"))
    lines = run_oracle(world).out.splitlines()
    assert lines[:4] == [
        f"{TESTS}: base {base}, head {head}: not reviewed",
        "    changed strategy in test_refund: @given(amounts) -> @given(amounts.filter(bool))",
        "    changed assertion in test_refund: assert x >= 0 -> assert x >= -1",
        f"diff --git a/{TESTS} b/{TESTS}",
    ]
    assert "-    assert x >= 0" in lines
    assert "+    assert x >= -1" in lines


def test_other_paths_are_not_shown(world: World) -> None:
    answer = run_oracle(on_a_branch(world, edit_product))
    assert (answer.code, answer.out) == (0, "no test file is edited\n")


def test_an_edit_that_touches_no_part_is_still_shown_by_its_lines(world: World) -> None:
    answer = run_oracle(on_a_branch(world, lambda world: world.sub(TESTS, "src.orders", "src.other")))
    assert "    no assertion, strategy, input, setting, marker or raised-exception check differs\n" in answer.out
    assert "+from src.other import total" in answer.out


@pytest.mark.parametrize("attributes", ["* -diff\n", "* binary\n", "* diff=evil\n"])
def test_attributes_cannot_hide_a_line(world: World, attributes: str) -> None:
    world.write(".git/info/attributes", attributes)
    world.write(".gitattributes", attributes)
    world.git("config", "diff.evil.textconv", "true")
    world.git("config", "diff.evil.command", "true")
    world.git("config", "diff.noprefix", "true")
    assert "\n-    assert x >= 0\n+    assert x >= -1\n" in run_oracle(on_a_branch(world, weaken)).out


def test_names_and_text_of_a_patch_cannot_drive_a_terminal(world: World) -> None:
    answer = run_oracle(on_a_branch(world, lambda world: world.append(TESTS, "# \x1b[31m\n::error::x\n")))
    assert "\x1b" not in answer.out
    assert "\n::" not in answer.out


def test_programs_get_one_object(world: World) -> None:
    on_a_branch(world, weaken)
    told = json.loads(run_oracle(world, "--format", "json").out)
    assert (told["base"], told["head"]) == (world.git("rev-parse", "main"), world.head())
    (file,) = told["files"]
    assert (file["path"], file["reviewed"], file["problem"]) == (TESTS, False, "")
    assert file["difference"][1] == "changed assertion in test_refund: assert x >= 0 -> assert x >= -1"


# approving


def approved(world: World, out: Path) -> None:
    """Approve what the branch does, and commit the review to main."""
    assert run_oracle(world, *APPROVE, "--out", str(out)).code == 0
    (file,) = out.iterdir()
    world.git("switch", "-q", "main")
    world.write(f"{REVIEWS}{file.name}", file.read_text())
    world.record("reviewed")
    world.git("switch", "-q", "work")


def test_a_review_of_exactly_these_blobs_is_written_and_the_gate_takes_it(world: World, tmp_path: Path) -> None:
    on_a_branch(world, weaken)
    out = tmp_path / "reviews"
    out.mkdir()
    assert run_gate(world).verdict == "deny:test_body"
    approved(world, out)
    assert run_gate(world).verdict == "deny:no_witness"
    assert ": reviewed\n" in run_oracle(world).out
    (file,) = out.iterdir()
    review = read_review(file.read_bytes())
    assert (review.reviewer, review.reviewed_on, review.verdict) == ("@finley", "2026-03-04", "approved")
    assert review.files[0][1:3] == tuple(world.git("rev-parse", f"{side}:{TESTS}") for side in ("main~1", "work"))
    world.append(TESTS, " ")
    world.record("a blank more")
    assert run_gate(world).verdict == "deny:test_body"
    assert ": not reviewed\n" in run_oracle(world).out


def test_where_the_review_goes_is_said(world: World, tmp_path: Path) -> None:
    on_a_branch(world, weaken)
    out = tmp_path / "review.json"
    answer = run_oracle(world, *APPROVE, "--out", str(out))
    assert f"approved: `{TESTS}`; commit it to the base branch as {REVIEWS}" in answer.err
    assert read_review(out.read_bytes()).files[0].path == TESTS


@pytest.mark.parametrize(
    "edit",
    [
        lambda world: world.write("tests/test_new.py", "def test_new():\n    assert 1\n"),
        lambda world: world.delete(TESTS),
        lambda world: world.move(TESTS, "tests/test_moved.py"),
        lambda world: world.write(SPEC, "it('adds', () => {})\n"),
        lambda world: (world.root / TESTS).chmod(0o755),
    ],
    ids=["added", "deleted", "moved", "no Python", "mode"],
)
def test_every_edit_of_tests_can_be_approved(world: World, tmp_path: Path, edit: Callable[[World], object]) -> None:
    on_a_branch(world, edit)
    out = tmp_path / "reviews"
    out.mkdir()
    assert run_gate(world).verdict == "deny:test_body"
    approved(world, out)
    assert run_gate(world).verdict == "deny:no_witness"


def make_link(world: World) -> None:
    world.delete(TESTS)
    (world.root / TESTS).symlink_to("../src/orders.py")


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda world: world.append(TESTS, "def f(:\n"), "cannot be reviewed: the patch cannot be parsed"),
        (make_link, "no test file is edited"),
    ],
    ids=["broken", "link"],
)
def test_what_cannot_be_shown_cannot_be_approved(
    world: World, tmp_path: Path, edit: Callable[[World], None], said: str
) -> None:
    out = tmp_path / "review.json"
    answer = run_oracle(on_a_branch(world, edit), *APPROVE, "--out", str(out))
    assert answer.code != 0
    assert said in answer.out
    assert not out.exists()


def test_a_file_that_the_base_cannot_parse_is_not_reviewed_either(world: World) -> None:
    whole = world.read(TESTS)
    world.append(TESTS, "def f(:\n")
    world.record("broken")
    on_a_branch(world, lambda world: world.write(TESTS, whole))
    assert "the base cannot be parsed" in run_oracle(world).out
    assert run_gate(world).verdict == "deny:test_body"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--approve",),
        ("--approve", "--reviewer", "@finley"),
        ("--approve", "--out", "x.json"),
        ("--reviewer", "@finley"),
        ("--out", "x.json"),
        ("--approve", "--reviewer", "", "--out", "x.json"),
    ],
    ids=" ".join,
)
def test_a_review_needs_its_reviewer_and_a_file_and_nothing_else_does(world: World, arguments: tuple[str, ...]) -> None:
    on_a_branch(world, weaken)
    answer = run_oracle(world, *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert not (world.root / "x.json").exists()


def test_nothing_edited_is_nothing_to_approve(world: World, tmp_path: Path) -> None:
    on_a_branch(world, edit_product)
    assert run_oracle(world, *APPROVE, "--out", str(tmp_path / "x.json")).code == 2


def test_what_is_no_test_by_the_policy_of_the_base_is_not_shown(world: World) -> None:
    world.sub(POLICY, '["/tests/", "test_*.py", "*_test.py"]', "[/specs/]")
    world.record("policy")
    assert run_oracle(on_a_branch(world, weaken)).out == "no test file is edited\n"
