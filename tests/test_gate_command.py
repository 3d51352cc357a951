"""`flakeledger gate` on many patches, with replays that are told, and what a patch cannot do to its own verdict.

The rows of the table with real witnesses and real replays: `test_gate_rows.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import flakeledger
from conftest import FIXED_ENVIRONMENT
from flakeledger.model.ledger_paths import FREEZES, GUARD, POLICY, REPLAYS, REVIEWS
from flakeledger.model.note import note_file, read_note
from flakeledger.model.review import APPROVED, Review, ReviewedFile, review_file
from flakeledger.model.witness import Witness, example_of
from flakeledger.verdicts.gate import TABLE
from patched import FLIPPED, Answered, a_witness, edit_product, on_a_branch, run_gate, saved
from world import CLOCK, CONFTEST, PRODUCT, REFUND, STRATEGIES, TESTS, TOTAL, World

Edit = Callable[[World], object]
#: the shop is made before a test has an environment of its own
SESSION = {
    **FIXED_ENVIRONMENT,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "init.defaultBranch",
    "GIT_CONFIG_VALUE_0": "main",
}
FIVE = 5
HOOKS = "- repo: x\n  rev: v1\n  hooks:\n    - id: check-ledgers\n    - id: check-change\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The shop on main, made once; the environment is that of the session, so nothing here depends on it."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SESSION.items():
            patch.setenv(name, value)
        world = World.new(tmp_path_factory.mktemp("gate") / "shop", level="witnessed")
        world.write(GUARD, f"repos:\n{HOOKS}")
        world.record("guard")
    return world


@pytest.fixture
def world(made: World, tmp_path: Path) -> World:
    return made.copy(tmp_path / "shop")


def write(path: str, text: str = "x = 1\n") -> Edit:
    return lambda world: world.write(path, text)


def both(*edits: Edit) -> Edit:
    return lambda world: [edit(world) for edit in edits]


def delete(path: str) -> Edit:
    return lambda world: world.delete(path)


def link(path: str, target: str) -> Edit:
    return lambda world: (world.root / path).symlink_to(target)


def edit_tests(world: World) -> None:
    world.sub(TESTS, "assert x >= 0", "assert x >= -1")


def review(world: World, **changed: object) -> None:
    """Commit a review of the edit of TESTS on main; `changed` are fields of the reviewed file."""
    blobs = [world.git("rev-parse", f"{side}:{TESTS}") for side in ("main", "work")]
    reviewed = ReviewedFile(TESTS, blobs[0], blobs[1], ())._replace(**changed)  # type: ignore[arg-type]  # test's own
    file = review_file(Review((reviewed,), "@finley", "2026-03-02", APPROVED))
    world.git("switch", "-q", "main")
    world.write(f"{REVIEWS}{file.digest}.json", file.data.decode())
    world.record("reviewed")
    world.git("switch", "-q", "work")


# what the paths alone decide

PATHS: dict[str, tuple[Edit, str, str]] = {
    "a row of a freeze": (lambda world: world.freeze(REFUND, 0, 3), "deny:freeze_config", f"`{FREEZES}`"),
    "a replay line": (lambda world: world.replay(0), "deny:freeze_config", f"`{REPLAYS}`"),
    "another quarantine store": (write("freeze/list.txt"), "deny:freeze_config", "`freeze/list.txt`"),
    "a note of its own": (write("ledgers/notes/x.json"), "deny:freeze_config", "`ledgers/notes/x.json`"),
    "the hooks taken out": (write(GUARD, "repos: []\n"), "deny:freeze_config", f"`{GUARD}`"),
    "freezes and generators": (
        both(lambda world: world.freeze(REFUND, 0, 3), write(CONFTEST)), "deny:freeze_config", f"`{FREEZES}`",
    ),
    "freezes written as they were, and generators": (
        both(write(FREEZES, ""), write(CONFTEST)), "deny:generator", f"`{CONFTEST}`",
    ),
    "freezes, generators, production": (
        both(lambda world: world.replay(0), write(CONFTEST), edit_product), "deny:freeze_config", f"`{REPLAYS}`",
    ),
    "a strategy and the product": (both(write(STRATEGIES), edit_product), "deny:mixed", f"`{STRATEGIES}`"),
    "a strategy moved into the product": (
        lambda world: world.move(STRATEGIES, "src/strategies_of_ours.py"), "deny:mixed", f"`{STRATEGIES}`",
    ),
    "a strategy alone": (write(STRATEGIES), "deny:generator", f"`{STRATEGIES}`"),
    "a strategy deleted": (lambda world: world.delete(STRATEGIES), "deny:generator", f"`{STRATEGIES}`"),
    "a conftest and a runner": (both(write(CONFTEST), write("tox.ini", "")), "deny:generator", f"`{CONFTEST}`"),
    "the seeds": (write("tests/seeds/gate.json", "[1]\n"), "deny:generator", "`tests/seeds/gate.json`"),
    "a link named conftest": (
        link("src/conftest.py", "orders.py"), "deny:generator", "`src/conftest.py`",
    ),
    "authentication": (both(write("auth/login.py"), edit_product), "deny:review_only", "`auth/login.py`"),
    "authentication and a runner": (
        both(write("auth/login.py"), write("tox.ini", "")), "deny:review_only", "`auth/login.py`",
    ),
    "tox.ini": (both(write("tox.ini", ""), edit_product), "deny:runner", "`tox.ini`"),
    "attributes": (write("src/.gitattributes", "*.py -diff\n"), "deny:runner", "`src/.gitattributes`"),
    "a test classed production": (both(write("src/a.spec.ts"), edit_product), "deny:unclassified", "`src/a.spec.ts`"),
    "a link": (link("src/l.py", "/etc/passwd"), "deny:unclassified", "`src/l.py`"),
    "a test that is made a link": (
        both(delete(TESTS), link(TESTS, "../src/orders.py")),
        "deny:unclassified", f"`{TESTS}`",
    ),
    "a test": (both(edit_tests, edit_product), "deny:test_body", f"`{TESTS}` has no review"),
    "a test deleted": (lambda world: world.delete(TESTS), "deny:test_body", f"`{TESTS}` has no review"),
    "a test that cannot be parsed": (write(TESTS, "def test_x(:\n"), "deny:test_body", f"`{TESTS}` cannot be parsed"),
    "the product": (edit_product, "deny:no_witness", "no witness was given"),
    "a hook more": (
        both(write(GUARD, f"repos:\n- repo: y\n  rev: v2\n  hooks:\n    - id: lint\n{HOOKS}"), edit_product),
        "deny:no_witness", "no witness was given",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "verdict", "because"), PATHS.values(), ids=PATHS.keys())
def test_what_the_paths_of_a_patch_decide(world: World, edit: Edit, verdict: str, because: str) -> None:
    on_a_branch(world, edit)
    answer = run_gate(world)
    assert answer.verdict == verdict
    assert because in answer.err
    assert answer.replays == []


def test_a_denied_patch_has_its_witness_not_even_read(world: World, tmp_path: Path) -> None:
    bad = tmp_path / f"{'0' * 64}.json"
    bad.write_text("no witness")
    on_a_branch(world, write(CONFTEST))
    assert run_gate(world, witness=bad).verdict == "deny:generator"


# what a witness and its replays decide


def tampered(world: World) -> Witness:
    return a_witness(world)._replace(example=example_of({"x": 8}, REFUND))


def drawn_from_others(world: World) -> Witness:
    good = a_witness(world)
    return good._replace(generator_hashes={**good.generator_hashes, STRATEGIES: "0" * 64})


WITNESSES: dict[str, tuple[Callable[[World], Witness], str, str]] = {
    "tampered example": (tampered, "deny:witness", "the digest of the example is"),
    "too large": (
        lambda world: a_witness(world, example=example_of({"x": "y" * 8192}, REFUND)), "deny:witness", "allows 8192",
    ),
    "as large as may be": (
        lambda world: a_witness(world, example=example_of({"x": "y" * (8192 - 22)}, REFUND)),
        "eligible_short", "3 of 5 replays failed",
    ),
    "capped shrink": (lambda world: a_witness(world, shrink="capped"), "deny:witness", "`shrink`: it is one of"),
    "flaky": (lambda world: a_witness(world, shrink="flaky"), "deny:witness", "the policy denies that"),
    "another property": (lambda world: a_witness(world, property_id="PROP-2"), "deny:witness", "no property `PROP-2`"),
    "a test it does not list": (
        lambda world: a_witness(world, test=f"{TESTS}::test_gone"), "deny:witness", "does not list",
    ),
    "tampered generators": (drawn_from_others, "deny:generator_drift", f"`{STRATEGIES}`"),
    "a generator left out": (
        lambda world: a_witness(world, generator_hashes={}), "deny:generator_drift", f"`{CONFTEST}`",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "verdict", "because"), WITNESSES.values(), ids=WITNESSES.keys())
def test_what_a_witness_decides(world: World, make: Callable[[World], Witness], verdict: str, because: str) -> None:
    path = saved(world, make(world))
    on_a_branch(world, edit_product)
    answer = run_gate(world, witness=path)
    assert answer.verdict == verdict
    assert because in answer.err
    assert bool(answer.replays) == (verdict == "eligible_short")


@pytest.mark.parametrize(("accepts", "verdict"), [("deny", "deny:witness"), ("accept", "eligible_short")])
def test_a_flaky_witness_under_both_policies(world: World, accepts: str, verdict: str) -> None:
    world.append(POLICY, f"flaky_witness: {accepts}\n")
    world.record("policy")
    path = saved(world, a_witness(world, shrink="flaky"))
    assert run_gate(on_a_branch(world, edit_product), witness=path).verdict == verdict


@pytest.mark.parametrize("text", ["", "{}", "[1]", "{", '{"property_id": "PROP-1"}'])
def test_what_is_no_witness_is_refused_with_its_place(world: World, tmp_path: Path, text: str) -> None:
    path = tmp_path / "w.json"
    path.write_text(text)
    answer = run_gate(on_a_branch(world, edit_product), witness=path)
    assert answer.verdict == "deny:witness"
    assert "line 1, column" in answer.err


def test_a_witness_under_the_name_of_another_is_refused(world: World) -> None:
    path = saved(world, a_witness(world), f"{'a' * 64}.json")
    answer = run_gate(on_a_branch(world, edit_product), witness=path)
    assert (answer.verdict, "its name is not its digest" in answer.err) == ("deny:witness", True)


def test_a_witness_may_have_a_name_that_claims_nothing(world: World) -> None:
    path = saved(world, a_witness(world), "witness.json")
    assert run_gate(on_a_branch(world, edit_product), witness=path).verdict == "eligible_short"


def test_a_generator_of_the_property_that_no_class_names_is_compared_with_the_base(world: World) -> None:
    world.write("src/drawing.py", "LIMIT = 1\n")
    world.set_fields("ledgers/properties.yaml", "PROP-1", generators=["src/drawing.py"])
    world.record("generators")
    path = saved(world, a_witness(world))
    answer = run_gate(on_a_branch(world, write("src/drawing.py", "LIMIT = 2\n")), witness=path)
    assert (answer.verdict, "`src/drawing.py`" in answer.err) == ("deny:generator_drift", True)


REPLAYED: dict[str, tuple[Sequence[str], str, str]] = {
    "none": ((), "deny:incomplete", "what they showed: nothing"),
    "one missing": (FLIPPED[:4], "deny:incomplete", "5 replays are needed"),
    "one skipped": ((*FLIPPED[:4], "skipped"), "deny:incomplete", "skipped"),
    "one rejected": ((*FLIPPED[:4], "rejected"), "deny:incomplete", "rejected"),
    "one more that did not run": ((*FLIPPED, "not run"), "deny:incomplete", "not run"),
    "stable pass": (("pass",) * 5, "deny:stable_pass", "at most 45.1 %"),
    "stable fail": (("fail",) * 5, "deny:stable_fail", "5 of 5 replays failed"),
    "flip": (FLIPPED, "eligible_short", "3 of 5 replays failed"),
}


@pytest.mark.parametrize(("outcomes", "verdict", "because"), REPLAYED.values(), ids=REPLAYED.keys())
def test_what_the_replays_decide(world: World, outcomes: Sequence[str], verdict: str, because: str) -> None:
    witness = a_witness(world)
    path = saved(world, witness)
    answer = run_gate(on_a_branch(world, edit_product), witness=path, outcomes=outcomes)
    assert answer.verdict == verdict
    assert because in answer.err
    assert answer.replays == [(witness, FIVE)]
    assert answer.note["replay_outcomes"] == list(outcomes)


def test_every_line_of_the_table_is_a_patch_here() -> None:
    verdicts = {row[1] for rows in (PATHS, WITNESSES, REPLAYED) for row in rows.values()}
    assert verdicts == {line.verdict for line in TABLE}


def test_the_base_says_how_many_replays_there_are(world: World) -> None:
    world.sub(POLICY, "limits:\n", "limits:\n  witness_replays: 7\n")
    world.record("policy")
    path = saved(world, a_witness(world))
    answer = run_gate(on_a_branch(world, edit_product), witness=path)
    assert answer.verdict == "deny:incomplete"
    assert [runs for _, runs in answer.replays] == [7]


# reviews


def test_a_reviewed_edit_of_a_test_is_fine(world: World) -> None:
    path = saved(world, a_witness(world))
    on_a_branch(world, both(edit_tests, edit_product))
    review(world)
    answer = run_gate(world, witness=path)
    assert answer.verdict == "eligible_short"
    assert answer.note["diff_class"] == "test_body+production"


@pytest.mark.parametrize(
    "changed",
    [{"head_blob": "1" * 40}, {"base_blob": "1" * 40}, {"base_blob": None}, {"path": "tests/test_other.py"}],
    ids=str,
)
def test_a_review_of_other_blobs_is_none(world: World, changed: dict[str, object]) -> None:
    on_a_branch(world, edit_tests)
    review(world, **changed)
    assert run_gate(world).verdict == "deny:test_body"


def test_one_changed_byte_makes_a_review_void(world: World) -> None:
    on_a_branch(world, edit_tests)
    review(world)
    assert run_gate(world).verdict == "deny:no_witness"
    world.append(TESTS, "\n")
    world.record("one byte")
    assert run_gate(world).verdict == "deny:test_body"


def test_every_edited_test_needs_its_review(world: World) -> None:
    on_a_branch(world, both(edit_tests, write("tests/test_new.py")))
    review(world)
    answer = run_gate(world)
    assert (answer.verdict, "`tests/test_new.py` has no review" in answer.err) == ("deny:test_body", True)


def test_a_patch_cannot_carry_its_review(world: World) -> None:
    on_a_branch(world, edit_tests)
    review(world)
    world.git("merge", "-q", "main")
    world.git("branch", "-f", "main", "main~1")
    assert run_gate(world).verdict == "deny:freeze_config"


@pytest.mark.parametrize("spoilt", [lambda text: text.replace("approved", "rejected"), lambda text: text + "\n"])
def test_a_review_that_was_edited_is_none(world: World, spoilt: Callable[[str], str]) -> None:
    on_a_branch(world, edit_tests)
    review(world)
    world.git("switch", "-q", "main")
    path = next((world.root / REVIEWS).iterdir())
    path.write_text(spoilt(path.read_text()))
    world.record("spoilt")
    world.git("switch", "-q", "work")
    assert run_gate(world).verdict == "deny:test_body"


def test_a_link_among_the_reviews_is_none(world: World, tmp_path: Path) -> None:
    on_a_branch(world, edit_tests)
    review(world)
    world.git("switch", "-q", "main")
    path = next((world.root / REVIEWS).iterdir())
    elsewhere = tmp_path / "review.json"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    world.record("link")
    world.git("switch", "-q", "work")
    assert run_gate(world).verdict == "deny:test_body"


# what a patch cannot do to its verdict


def set_config(*pairs: tuple[str, str]) -> Edit:
    return lambda world: [world.git("config", name, value) for name, value in pairs]


def marking_hooks(world: World) -> None:
    """Hooks and programs that leave a mark when something runs them."""
    mark = world.root.with_name("ran")
    for name in ("post-checkout", "pre-commit", "reference-transaction", "post-index-change", "external"):
        file = world.root.with_name("hooks") / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\necho $0 $* >> '{mark}'\n")
        file.chmod(0o755)


BESIDE: dict[str, Edit] = {
    "the working tree's policy": lambda world: world.sub(POLICY, "class: generator", "class: runner"),
    "the index's policy": both(
        lambda world: world.sub(POLICY, "[conftest.py,", "[x,"), lambda world: world.git("add", POLICY)
    ),
    "the working tree's conftest": write(CONFTEST, "raise SystemExit(0)\n"),
    "a conftest at the root": write("conftest.py", "raise SystemExit(0)\n"),
    "the working tree's attributes": write(".gitattributes", "* -diff -text\n*.py filter=evil diff=evil\n"),
    "the repository's attributes": write(".git/info/attributes", "* -diff binary\n"),
    "renames": set_config(("diff.renames", "copies"), ("diff.renameLimit", "100000"), ("merge.renames", "true")),
    "an order of paths": set_config(("diff.orderFile", "/dev/null"), ("core.quotePath", "false")),
    "ignored submodules": set_config(("diff.ignoreSubmodules", "all"), ("core.attributesFile", "/dev/null")),
    "a filter": set_config(("filter.evil.smudge", "false"), ("filter.evil.clean", "false")),
    "sitecustomize": write("sitecustomize.py", "raise SystemExit(0)\n"),
}


@pytest.mark.parametrize("attempt", BESIDE.values(), ids=BESIDE.keys())
def test_what_lies_beside_the_commits_has_no_say(world: World, attempt: Edit) -> None:
    on_a_branch(world, both(write(STRATEGIES), edit_product))
    before = run_gate(world)
    attempt(world)
    assert before.verdict == "deny:mixed"
    assert run_gate(world)[:3] == before[:3]


def test_no_hook_and_no_program_of_the_configuration_runs(world: World) -> None:
    path = saved(world, a_witness(world))
    on_a_branch(world, edit_product)
    world.write(".git/info/attributes", "* diff=evil\n")
    marking_hooks(world)
    hooks = world.root.with_name("hooks")
    set_config(
        ("core.hooksPath", str(hooks)),
        ("diff.external", str(hooks / "external")),
        ("diff.evil.command", str(hooks / "external")),
        ("diff.evil.textconv", str(hooks / "external")),
        ("core.fsmonitor", str(hooks / "external")),
        ("core.pager", str(hooks / "external")),
    )(world)
    assert run_gate(world, witness=path).verdict == "eligible_short"
    assert not world.root.with_name("ran").exists()


def test_no_variable_of_the_environment_changes_the_answer(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_branch(world, both(write(STRATEGIES), edit_product))
    before = run_gate(world)
    variables = {
        "GIT_EXTERNAL_DIFF": "/bin/false",
        "GIT_DIFF_OPTS": "-u0",
        "GIT_LITERAL_PATHSPECS": "0",
        "GIT_GLOB_PATHSPECS": "1",
        "GIT_TRACE": "1",
        "GIT_NAMESPACE": "other",
        "GIT_REPLACE_REF_BASE": "refs/other/",
        "GIT_ATTR_SOURCE": "work",
        "GIT_INDEX_FILE": "/nowhere/index",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "diff.renames",
        "GIT_CONFIG_VALUE_0": "copies",
        "PYTEST_ADDOPTS": "--collect-only",
        "FLAKELEDGER_BASE": "work",
        "PRE_COMMIT_FROM_REF": "work",
        "PRE_COMMIT_TO_REF": "work",
        "CI": "true",
        "GITHUB_BASE_REF": "work",
        "LC_ALL": "C",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert before.verdict == "deny:mixed"
    assert run_gate(world)[:3] == before[:3]


def test_replaced_objects_are_not_looked_at(world: World) -> None:
    on_a_branch(world, both(write(STRATEGIES), edit_product))
    world.git("replace", f"HEAD:{STRATEGIES}", f"main:{STRATEGIES}")
    world.git("replace", "HEAD", "main")
    assert run_gate(world).verdict == "deny:mixed"


def test_a_policy_that_the_patch_loosens_does_not_judge_it(world: World) -> None:
    def loosen(patched: World) -> None:
        patched.write(STRATEGIES, "x = 1\n")
        patched.sub(POLICY, "strategies.py, ", "")

    assert run_gate(on_a_branch(world, loosen)).verdict == "deny:freeze_config"


def test_the_policy_of_the_base_branch_as_it_stands_now_judges(world: World) -> None:
    on_a_branch(world, edit_product)
    world.git("switch", "-q", "main")
    world.sub(POLICY, '["auth/"]', '["auth/", /src/]')
    world.record("tightened")
    world.git("switch", "-q", "work")
    assert run_gate(world).verdict == "deny:review_only"


def test_what_the_base_branch_did_meanwhile_is_no_part_of_the_patch(world: World) -> None:
    path = saved(world, a_witness(world))
    on_a_branch(world, edit_product)
    world.git("switch", "-q", "main")
    world.append(CONFTEST, "OTHER = 1\n")
    world.record("meanwhile")
    world.git("switch", "-q", "work")
    answer = run_gate(world, witness=path)
    assert answer.verdict == "eligible_short"
    assert answer.note["base"] == world.git("rev-parse", "main~1")
    assert answer.note["head"] == world.head()


SCRIPT = """\
import argparse, sys
from flakeledger.cli import gate
from flakeledger.model.errors import CannotTell
parser = argparse.ArgumentParser()
gate.add_arguments(parser)
sys.exit(gate.run(parser.parse_args(["--base", "main"])))
"""


def run_installed(world: World, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The gate in a process of its own, started as a console script is: its folder is the first to import from."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script)]
    return subprocess.run(
        command, cwd=world.root, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_no_module_of_the_working_tree_is_imported(world: World, tmp_path: Path) -> None:
    for name in ("yaml.py", "argparse.py", "sitecustomize.py", "conftest.py", "flakeledger/__init__.py"):
        world.write(name, f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    on_a_branch(world, edit_product)
    done = run_installed(world, tmp_path)
    assert (done.returncode, json.loads(done.stdout)["freeze"]) == (1, "deny:mixed"), done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_tool_that_is_part_of_the_judged_tree_judges_nothing(world: World, tmp_path: Path) -> None:
    shutil.copytree(
        Path(flakeledger.__file__).parent,
        world.root / "hooks/flakeledger",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    on_a_branch(world, edit_product)
    done = run_installed(world, tmp_path, PYTHONPATH=str(world.root / "hooks"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "runs from hooks/flakeledger/cli/" in done.stderr


# what is printed


def test_the_note_is_what_its_file_holds(world: World, tmp_path: Path) -> None:
    witness = a_witness(world)
    path = saved(world, witness)
    on_a_branch(world, edit_product)
    out = tmp_path / "deep" / "note.json"
    answer = run_gate(world, "--out", str(out), witness=path)
    assert out.read_text() == answer.out
    assert answer.note == {
        "base": world.git("rev-parse", "main"),
        "diff_class": "production",
        "example_sha256": witness.example_sha256,
        "freeze": "eligible_short",
        "generator_hashes_match_base": True,
        "head": world.head(),
        "network": "none: told",
        "property_id": "PROP-1",
        "replay_outcomes": list(FLIPPED),
    }
    note = read_note(answer.out.encode())
    assert note_file(note).data == answer.out.encode()
    assert os.listdir(out.parent) == ["note.json"]
    assert run_gate(world, "--out", str(out)).verdict == "deny:no_witness"
    assert read_note(out.read_bytes()).freeze == "deny:no_witness", "a newer note takes the place of the older"


def test_where_no_note_can_stand_nothing_is_replayed(world: World, tmp_path: Path) -> None:
    path = saved(world, a_witness(world))
    on_a_branch(world, edit_product)
    answer = run_gate(world, "--out", str(tmp_path), witness=path)
    assert (answer.code, answer.replays) == (2, [])
    assert f"{tmp_path.name} is no regular file, but a folder" in answer.err


def test_a_note_says_nothing_of_what_was_not_asked(world: World) -> None:
    path = saved(world, a_witness(world))
    answer = run_gate(on_a_branch(world, write(CONFTEST)), witness=path)
    unknown = ("property_id", "example_sha256", "generator_hashes_match_base", "network")
    assert [answer.note[name] for name in unknown] == [None] * 4
    assert answer.note["replay_outcomes"] == []


def test_people_read_the_verdict_its_reason_and_what_to_do_next(world: World) -> None:
    answer = run_gate(on_a_branch(world, both(write(STRATEGIES), edit_product)))
    assert answer.err.splitlines() == [
        f"deny:mixed (split the patch): generator: `{STRATEGIES}`; production: `{PRODUCT}`",
        "    next: split the patch: the generators in one, the product in another, and run the gate on that one",
    ]


def test_explain_shows_each_line_and_the_one_that_applies(world: World) -> None:
    answer = run_gate(on_a_branch(world, write("tox.ini", "")), "--explain")
    rows = [line.split("\t") for line in answer.err.splitlines()[: len(TABLE)]]
    assert [row[1] for row in rows] == [line.verdict for line in TABLE]
    assert [row[0] for row in rows] == ["no"] * 4 + ["applies"] + ["not asked"] * 9
    assert answer.verdict == "deny:runner"


def test_programs_get_one_object(world: World) -> None:
    on_a_branch(world, write("tox.ini", ""))
    plain = run_gate(world)
    answer = run_gate(world, "--format", "json", "--explain")
    told = json.loads(answer.out)
    assert (answer.code, answer.err) == (1, "")
    assert told["verdict"] == "deny:runner"
    assert told["because"] == ["runner: `tox.ini`"]
    assert told["note"] == plain.note
    assert [row["answer"] for row in told["table"]].count("applies") == 1


def test_names_from_the_patch_cannot_drive_a_terminal_or_a_workflow(world: World) -> None:
    evil = "auth/\x1b[31m\n::error::x"
    answer = run_gate(on_a_branch(world, write(evil)))
    assert answer.verdict == "deny:review_only"
    assert "\x1b" not in answer.err
    assert "\n::" not in answer.err


def test_many_paths_are_counted(world: World) -> None:
    answer = run_gate(on_a_branch(world, both(*(write(f"auth/{number:02}.py") for number in range(30)))))
    assert "`auth/09.py` and 20 more" in answer.err


# what cannot be told


def cannot(world: World, *arguments: str, base: str = "main", witness: Path | None = None) -> str:
    answer: Answered = run_gate(world, *arguments, base=base, witness=witness)
    assert answer.verdict == "exit 2"
    assert answer.replays == []
    assert "    fix: " in answer.err
    return answer.err


def test_a_patch_needs_commits(world: World) -> None:
    assert "nothing differs" in cannot(world)
    edit_product(world)
    world.git("add", "-A")
    assert "nothing differs" in cannot(world), "what is staged is no patch"
    assert "'nowhere' names no commit" in cannot(world, base="nowhere")
    assert "'nowhere' names no commit" in cannot(world, "--head", "nowhere")


def test_a_base_without_a_policy_judges_nothing(world: World) -> None:
    world.delete(POLICY)
    world.record("gone")
    assert "has no ledgers/policy.yaml" in cannot(on_a_branch(world, edit_product))


def test_a_base_whose_policy_is_a_link_judges_nothing(world: World) -> None:
    world.move(POLICY, "ledgers/other.yaml")
    (world.root / POLICY).symlink_to("other.yaml")
    world.record("link")
    assert "has no ledgers/policy.yaml" in cannot(on_a_branch(world, edit_product))


def test_histories_that_share_nothing_have_no_patch(world: World) -> None:
    world.git("switch", "-q", "--orphan", "work")
    world.write(PRODUCT, "x = 1\n")
    world.record("other")
    assert "share no history" in cannot(world)


def test_a_witness_that_is_not_there_is_a_mistake_of_whoever_named_it(world: World, tmp_path: Path) -> None:
    assert "cannot be read" in cannot(on_a_branch(world, edit_product), witness=tmp_path / "none.json")


def test_programs_are_told_what_cannot_be_told(world: World) -> None:
    answer = run_gate(world, "--format", "json")
    assert answer.code == 2
    assert "nothing differs" in json.loads(answer.out)["cannot_tell"]["reason"]


def test_a_property_that_is_not_readable_in_the_base_makes_nobody_eligible(world: World) -> None:
    path = saved(world, a_witness(world))
    world.write("ledgers/properties.yaml", "- id: [\n")
    world.record("broken")
    answer = run_gate(on_a_branch(world, edit_product), witness=path)
    assert answer.verdict == "deny:witness"


def test_tests_that_are_named_here_are_those_of_the_shop(world: World) -> None:
    with world.ledger() as ledger:
        assert [ledger.sources.is_given(test) for test in (REFUND, TOTAL, CLOCK)] == [True, False, False]
