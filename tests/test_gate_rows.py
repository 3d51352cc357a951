"""Every row of decision table 2, walked for real: a repository, captured witnesses, replays, the installed command.

Invariants:
* The command is the installed one, in a process of its own; nothing is told to it that a user would not tell it.
* Every edit of a patch that Python could run leaves a mark when it is run: before the replays there is none, and
  afterwards there is one for each.
* After every answer no worktree, process or temporary file is left.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from commands import TOOL
from conftest import FIXED_ENVIRONMENT
from flakeledger.model.ledger_paths import FREEZES, POLICY, PROPERTIES, REVIEWS
from flakeledger.verdicts.gate import TABLE
from patched import on_a_branch
from replaying import are_gone
from witnessed import Shop, new_shop, product
from world import CONFTEST, PRODUCT, REFUND, STRATEGIES, TESTS, World

FLIP = ("pass", "fail", "pass")


class Case(NamedTuple):
    """A copy of the shop, what was captured in it, and a statement that leaves a mark in a file when it is run."""

    world: World
    shop: Shop
    marks: Path

    @property
    def mark(self) -> str:
        return f"with open({str(self.marks)!r}, 'a') as marks: marks.write('ran ')\n"

    @property
    def temporary(self) -> Path:
        return self.marks.with_name("temporary")


Edit = Callable[[Case], object]
Witness = Callable[[Case], Path | None]


class Row(NamedTuple):
    """A patch, its witness, and the answer that it deserves; `before` is done on main before the patch is made."""

    verdict: str
    patch: Edit
    witness: Witness = lambda case: case.shop.complete
    #: what each replay shows; None where a busy machine may let others end like the one that is meant
    outcomes: Sequence[str] | None = ()
    before: Edit = lambda _case: None
    after: Edit = lambda _case: None
    arguments: Sequence[str] = ()
    #: how many replays ran code of the patch
    marks: int = 0
    #: words of the reason
    because: str = ""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Made once, in an environment that is that of no test."""
    with pytest.MonkeyPatch.context() as patch:
        configured = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "init.defaultBranch", "GIT_CONFIG_VALUE_0": "main"}
        for name, value in (FIXED_ENVIRONMENT | {"GIT_CONFIG_GLOBAL": os.devnull} | configured).items():
            patch.setenv(name, value)
        return new_shop(tmp_path_factory.mktemp("rows"))


@pytest.fixture
def case(shop: Shop, tmp_path: Path) -> Case:
    case = Case(shop.world.copy(tmp_path / "shop"), shop, tmp_path / "marks")
    case.temporary.mkdir()
    return case


def tool(case: Case, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The installed command, run in the repository."""
    variables = {**os.environ, "TMPDIR": str(case.temporary), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [TOOL, *arguments], cwd=case.world.root, env=variables, capture_output=True, text=True, check=False, timeout=120
    )


# what patches do


def selling(*does: str) -> Edit:
    """A product that does this in each replay."""
    return lambda case: case.world.write(PRODUCT, product(case.mark, *does))


def writing(path: str, text: str = "") -> Edit:
    """A file, which leaves a mark when it is run as Python."""
    return lambda case: case.world.write(path, text + case.mark)


def all_of(*edits: Edit) -> Edit:
    return lambda case: [edit(case) for edit in edits]


def edit_tests(case: Case) -> None:
    """Another assertion that means the same, and a mark."""
    case.world.sub(TESTS, "refund(paid) <= paid", "paid >= refund(paid)")


def edit_tests_marked(case: Case) -> None:
    edit_tests(case)
    case.world.append(TESTS, case.mark)


def approve(case: Case) -> None:
    """What the reviewer does with the patch: read it, approve it, and commit the review to main."""
    world = case.world
    (world.root / REVIEWS).mkdir(parents=True, exist_ok=True)
    arguments = ("--base", "main", "--head", "work", "--approve", "--reviewer", "@finley")
    out = case.marks.with_name("reviews")
    out.mkdir()
    done = tool(case, "oracle", *arguments, "--out", str(out))
    assert done.returncode == 0, done.stderr
    world.git("switch", "-q", "main")
    for file in out.iterdir():
        world.write(f"{REVIEWS}{file.name}", file.read_text(encoding="utf-8"))
    world.record("reviewed")
    world.git("switch", "-q", "work")


def edit_again(case: Case) -> None:
    """One byte after the approval."""
    approve(case)
    case.world.append(TESTS, "\n")
    case.world.record("one byte")


def edit_freezes(case: Case) -> None:
    """A freeze of its own."""
    case.world.freeze(REFUND, 0, 3)


def listed_generator(case: Case) -> None:
    """The property draws from a module that no class of the policy names."""
    case.world.write("src/drawing.py", "LIMIT = 9\n")
    case.world.set_fields(PROPERTIES, "PROP-1", generators=[STRATEGIES, CONFTEST, "tests/seeds/gate.json", "src/"])
    case.world.record("drawing")


def accept_flaky(case: Case) -> None:
    case.world.append(POLICY, "flaky_witness: accept\n")
    case.world.record("flaky failures are accepted")


def draw_more(case: Case) -> None:
    """Main draws other amounts than those of the witness."""
    case.world.sub(STRATEGIES, "integers(0, 9)", "integers(0, 8)")
    case.world.record("other amounts")


# what is done to witnesses


def rewritten(change: Callable[[dict[str, Any]], object], named: str = "") -> Witness:
    """The complete witness with a change, as its file or under another name."""

    def write(case: Case) -> Path:
        fields = json.loads(case.shop.complete.read_bytes())
        change(fields)
        path = case.marks.with_name(named or case.shop.complete.name)
        path.write_text(json.dumps(fields, sort_keys=True, separators=(",", ":")) + "\n", encoding="utf-8")
        return path

    return write


def another_amount(fields: dict[str, Any]) -> None:
    fields["example"]["arguments"]["paid"] = 8


def another_generator(fields: dict[str, Any]) -> None:
    fields["generator_hashes"][STRATEGIES] = "0" * 64


#: a patch of the product alone that would be eligible
HONEST = selling(*FLIP)

ROWS: dict[str, Row] = {
    "freeze configuration edited": Row("deny:freeze_config", all_of(edit_freezes, HONEST), because=f"`{FREEZES}`"),
    "generator edited, and production": Row(
        "deny:mixed", all_of(writing(CONFTEST), HONEST), because=f"`{CONFTEST}`; production: `{PRODUCT}`"
    ),
    "generator edited": Row("deny:generator", writing(CONFTEST), because=f"`{CONFTEST}`"),
    "review-only path edited": Row(
        "deny:review_only", all_of(writing("auth/login.py"), HONEST), because="`auth/login.py`"
    ),
    "runner edited": Row(
        "deny:runner", all_of(writing("tox.ini", "[pytest]\n# "), HONEST), because="runner: `tox.ini`"
    ),
    "a test classed production": Row(
        "deny:unclassified", all_of(writing("src/orders.spec.ts"), HONEST), because="`src/orders.spec.ts`"
    ),
    "a test edited without a review": Row(
        "deny:test_body", all_of(edit_tests_marked, HONEST), because=f"`{TESTS}` has no review"
    ),
    "a test edited with a review of other blobs": Row(
        "deny:test_body", all_of(edit_tests_marked, HONEST), after=edit_again, because=f"`{TESTS}` has no review"
    ),
    "a test edited with a review": Row(
        "eligible_short", all_of(edit_tests, HONEST), after=approve, outcomes=FLIP, marks=3
    ),
    "no witness": Row("deny:no_witness", HONEST, lambda _case: None),
    "tampered example": Row(
        "deny:witness", HONEST, rewritten(another_amount, "witness.json"), because="the digest of the example is"
    ),
    "tampered example under the old name": Row(
        "deny:witness", HONEST, rewritten(another_amount), because="its name is not its digest"
    ),
    "over 8 KiB": Row("deny:witness", HONEST, lambda case: case.shop.large, because="the policy allows 8192"),
    "capped shrink": Row("deny:witness", HONEST, lambda case: case.shop.capped),
    "capped shrink, said to be one": Row(
        "deny:witness", HONEST, rewritten(lambda fields: fields.update(shrink="capped"), "witness.json"),
        because="`shrink`: it is one of",
    ),
    "flaky shrink, denied": Row(
        "deny:witness", HONEST, lambda case: case.shop.flaky, because="the policy denies that"
    ),
    "flaky shrink, accepted": Row(
        "eligible_short", HONEST, lambda case: case.shop.flaky, FLIP, before=accept_flaky, marks=3
    ),
    "tampered generator digest": Row(
        "deny:generator_drift", HONEST, rewritten(another_generator, "witness.json"), because=f"`{STRATEGIES}`"
    ),
    "generators of the base moved on": Row(
        "deny:generator_drift", HONEST, before=draw_more, because=f"`{STRATEGIES}`"
    ),
    "a generator that no class names edited": Row(
        "deny:generator_drift", all_of(writing("src/drawing.py"), HONEST), before=listed_generator,
        because="`src/drawing.py`",
    ),
    "one replay killed": Row(
        "deny:incomplete", selling("pass", "fail", "die"), outcomes=("pass", "fail", "error"), marks=3,
        because="by signal SIGKILL",
    ),
    "one replay out of time": Row(
        "deny:incomplete", selling("pass", "fail", "hang"), outcomes=None, marks=3,
        arguments=("--timeout", "6"), because="longer than 6 seconds",
    ),
    "one replay skipped": Row(
        "deny:incomplete", selling("pass", "fail", "skip"), outcomes=("pass", "fail", "skipped"), marks=3
    ),
    "one replay rejected by assume": Row(
        "deny:incomplete", selling("pass", "fail", "assume"), outcomes=("pass", "fail", "rejected"), marks=3,
        because="it assumes",
    ),
    "stable pass": Row(
        "deny:stable_pass", selling(*["pass"] * 3), outcomes=["pass"] * 3, marks=3, because="at most 63.2 %"
    ),
    "stable fail": Row(
        "deny:stable_fail", selling(*["fail"] * 3), outcomes=["fail"] * 3, marks=3, because="3 of 3 replays failed"
    ),
    "flip": Row("eligible_short", HONEST, outcomes=FLIP, marks=3, because="1 of 3 replays failed"),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_every_row_of_the_table(case: Case, row: Row) -> None:
    row.before(case)
    on_a_branch(case.world, lambda _world: row.patch(case))
    row.after(case)
    witness = row.witness(case)
    named = () if witness is None else ("--witness", str(witness))
    done = tool(case, "gate", "--base", "main", "--explain", "--format", "json", *named, *row.arguments)
    answer = json.loads(done.stdout or "{}")
    assert answer.get("verdict") == row.verdict, done.stdout + done.stderr
    assert done.returncode == (0 if row.verdict == "eligible_short" else 1)
    assert row.because in "; ".join(answer["because"])
    applied = next(number for number, line in enumerate(TABLE) if line.verdict == row.verdict)
    answers = ["no"] * applied + ["applies"] + ["not asked"] * (len(TABLE) - applied - 1)
    assert [(line["answer"], line["verdict"]) for line in answer["table"]] == [
        (told, line.verdict) for told, line in zip(answers, TABLE, strict=True)
    ]
    assert (answer["note"]["freeze"], len(answer["note"]["replay_outcomes"])) == (row.verdict, row.marks)
    if row.outcomes is not None:
        assert answer["note"]["replay_outcomes"] == list(row.outcomes)
        assert (case.marks.read_text().split() if case.marks.exists() else []) == ["ran"] * row.marks
    nothing_is_left(case)


def nothing_is_left(case: Case) -> None:
    """No worktree, no temporary file, no process of a replay, and nothing in the work tree."""
    assert case.world.git("worktree", "list").count("\n") == 0
    assert list(case.temporary.iterdir()) == []
    assert are_gone(str(case.temporary))
    assert case.world.git("status", "--porcelain") == ""


def test_every_line_of_the_table_is_walked() -> None:
    assert {row.verdict for row in ROWS.values()} == {line.verdict for line in TABLE}


def test_the_witnesses_of_the_shop_are_what_the_rows_take_them_for(shop: Shop) -> None:
    shrinks = {path.stem: json.loads(path.read_bytes()).get("shrink") for path in (shop.complete, shop.large)}
    assert set(shrinks.values()) == {"complete"}
    assert json.loads(shop.flaky.read_bytes())["shrink"] == "flaky"
    assert shop.capped.name.endswith(".refused.json")
    assert "ended before nothing was left to do" in json.loads(shop.capped.read_bytes())["reason"]
