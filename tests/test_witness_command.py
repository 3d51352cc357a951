"""`flakeledger witness`: an example that people can read, every reason why one is wrong, and a replay that is told."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commands import Answer
from flakeledger.cli import witness as command
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import POLICY, PROPERTIES
from flakeledger.model.witness import Witness, example_digest, example_of, witness_file
from flakeledger.reporters.text import undecided
from replayable import wait_until
from replaying import SLEEP, are_gone, processes_with
from witnessed import PROPERTY, SUITE, property_suite
from world import CONFTEST, World

TEXT = f"""
@given(st.integers())
def test_fails(x):
    assert x < 7

@pytest.fixture(scope="module")
def luck():
    import random
    return random.random()

@given(x=st.integers())
def test_flips(luck, x):
    assert luck > 0.5

@given(st.integers())
def test_assumes(x):
    assume(x < 7)

def test_plain():
    pass

@given(st.integers())
def test_hangs(x):
    import subprocess, time
    subprocess.Popen(["sleep", "{SLEEP}"], start_new_session=True)
    time.sleep(1000)
"""
NAMES = ("test_fails", "test_flips", "test_assumes", "test_plain", "test_hangs")
FILE = "witness.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{name}_NAME", "Finley")
            patch.setenv(f"GIT_{name}_EMAIL", "finley@example.org")
        return property_suite(tmp_path_factory.mktemp("command") / "world", TEXT, *NAMES)


@pytest.fixture
def world(made: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return made.copy(tmp_path / "world")


def typed(world: World, *arguments: str) -> Answer:
    """Run the command by its own parser, in this process."""
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(world.root), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = command.run(parser.parse_args(arguments))
        except CannotTell as error:
            err.write(undecided("witness", error))
            code = 2
    return Answer(code, out.getvalue(), err.getvalue())


def good(world: World, name: str = "test_fails", arguments: dict[str, object] | None = None) -> Witness:
    """A witness that is right for the tree."""
    test = f"{SUITE}::{name}"
    example = example_of(arguments or {"x": 7}, test)
    with world.ledger() as ledger:
        generators = ledger.generator_hashes(PROPERTY)
    return Witness(PROPERTY, test, 2, example, example_digest(example), generators, "complete")


def saved(world: World, witness: Witness, name: str = FILE) -> str:
    world.write(name, witness_file(witness).data.decode())
    return name


def test_show_prints_the_example_as_python(world: World) -> None:
    drawn = {"$": "enum", "class": "shop:Colour", "name": "RED"}
    witness = good(world, arguments={"x": {"$": "tuple", "items": [1, drawn]}, "text": "a\u202eb"})
    answer = typed(world, "show", saved(world, witness))
    assert answer == Answer(
        0,
        f"witness:   {witness_file(witness).digest}\n"
        f"property:  {PROPERTY}\n"
        f"test:      {SUITE}::test_fails\n"
        "shrink:    complete\n"
        "drawn:     2 seeds\n"
        f"example:   {witness.example_sha256}\n"
        "  text = 'a\\u202eb'\n"
        "  x = (1, shop.Colour.RED)\n"
        "generators: 2\n"
        f"  {witness.generator_hashes[CONFTEST]}  {CONFTEST}\n"
        f"  {witness.generator_hashes['tests/seeds/gate.json']}  tests/seeds/gate.json\n",
        "",
    )
    assert "without a seed list" in typed(world, "show", saved(world, witness._replace(seed_budget=None))).out


@pytest.mark.parametrize("action", ["show", "replay"])
def test_what_is_no_witness_has_no_answer(world: World, action: str) -> None:
    world.write(FILE, '{\n "test": 1}\n')
    answer = typed(world, action, FILE)
    assert answer.code == 2
    assert f"{FILE}:1:1" in answer.err
    assert "this is no witness: no `property_id`" in answer.err


def test_an_example_that_is_no_arguments_is_neither_shown_nor_replayed(world: World) -> None:
    saved(world, good(world, arguments={"x": {"$": "no kind"}}))
    for action in ("show", "replay"):
        answer = typed(world, action, FILE)
        assert (answer.code, answer.out) == (2, "")
        assert "the argument x: " in answer.err
    assert "wrong: the argument x: " in typed(world, "verify", FILE).out


def test_a_good_witness_is_good_for_its_revision(world: World) -> None:
    saved(world, good(world))
    answer = typed(world, "verify", FILE)
    assert (answer.code, answer.out) == (0, f"{FILE}: a good witness for commit {world.head()[:12]}\n")
    world.write(CONFTEST, "LIMIT = 2\n")
    assert typed(world, "verify", FILE).code == 0  # the commit is meant, not the disk
    world.record("generator")
    answer = typed(world, "verify", FILE)
    assert (answer.code, answer.out) == (
        1,
        f"{FILE}: wrong: what draws its inputs is not what it was: `{CONFTEST}`\n",
    )
    assert typed(world, "verify", FILE, "--rev", "HEAD^").code == 0


def test_every_reason_is_told(world: World) -> None:
    witness = good(world, arguments={"x": {"$": "no kind"}})._replace(shrink="flaky", generator_hashes={})
    out = typed(world, "verify", saved(world, witness)).out
    assert out.count(f"{FILE}: wrong: ") == 3
    assert "the failure was flaky" in out or "its failure was flaky" in out
    assert f"`{CONFTEST}`, `tests/seeds/gate.json`" in out


WRONG: list[tuple[dict[str, object], str]] = [
    ({"property_id": "PROP-9"}, "has no property `PROP-9`"),
    ({"test": f"{SUITE}::test_other"}, "does not list"),
    ({"test": f"{SUITE}::test_plain"}, "draws nothing from Hypothesis"),
]


@pytest.mark.parametrize(("changed", "reason"), WRONG, ids=[reason for _, reason in WRONG])
def test_a_witness_of_something_else_is_wrong(world: World, changed: dict[str, object], reason: str) -> None:
    witness = good(world)._replace(**changed)  # type: ignore[arg-type]  # one field each
    answer = typed(world, "verify", saved(world, witness))
    assert answer.code == 1
    assert reason in answer.out


def test_a_module_that_does_not_name_the_property_is_wrong(world: World) -> None:
    saved(world, good(world))
    world.sub(SUITE, f"property_id: {PROPERTY}", "nothing")
    world.record("unnamed")
    assert f"does not name the property `{PROPERTY}`" in typed(world, "verify", FILE).out


def test_a_name_that_is_a_digest_is_the_right_one(world: World) -> None:
    witness = good(world)
    right = saved(world, witness, f"{witness_file(witness).digest}.json")
    wrong = saved(world, witness, f"{'0' * 64}.json")
    assert typed(world, "verify", right).code == 0
    assert "its name is not its digest" in typed(world, "verify", wrong).out


def test_a_replay_tells_each_run_and_the_bound(world: World) -> None:
    answer = typed(world, "replay", saved(world, good(world, "test_flips")), "--runs", "3")
    lines = answer.out.splitlines()
    assert answer.code == 0
    assert [line.partition(":")[2].partition(":")[0].strip() for line in lines[:3]] == ["fail", "pass", "fail"]
    assert lines[3].startswith("network: o")
    assert lines[4] == "it failed in 2 of 3 runs: the rate of failure is at most 98.3 % (95 %, one-sided)"


@pytest.mark.parametrize(
    ("name", "value", "code", "said"),
    [
        ("test_fails", 7, 0, "it failed in each of 2 runs: a counterexample, not a flake"),
        ("test_fails", 6, 0, "it passed in each of 2 runs: the rate of failure is at most 77.6 % (95 %, one-sided)"),
        ("test_assumes", 7, 1, "0 of 2 runs passed or failed: the others say nothing, and this replay is incomplete"),
    ],
)
def test_what_the_runs_say_together(world: World, name: str, value: int, code: int, said: str) -> None:
    answer = typed(world, "replay", saved(world, good(world, name, {"x": value})), "--runs=2")
    assert answer.code == code
    assert answer.out.splitlines()[-1] == said


def test_how_often_is_what_the_policy_says(world: World) -> None:
    world.sub(POLICY, "  warn_days", "  witness_replays: 3\n  warn_days")
    world.record("policy")
    witness = saved(world, good(world))
    assert "in each of 3 runs" in typed(world, "replay", witness).out
    assert "in its only run" in typed(world, "replay", witness, "--runs=1").out


def test_a_variable_is_handed_down_when_it_is_named(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.append(SUITE, "\n@given(st.integers())\ndef test_told(x):\n    __import__('os').environ['SHOP_URL']\n")
    world.sub(PROPERTIES, f"    - {SUITE}::test_fails\n", f"    - {SUITE}::test_fails\n    - {SUITE}::test_told\n")
    world.record("told")
    monkeypatch.setenv("SHOP_URL", "here")
    saved(world, good(world, "test_told"))
    assert "it failed" in typed(world, "replay", FILE, "--runs", "1").out
    assert "it passed" in typed(world, "replay", FILE, "--runs", "1", "--allow", "SHOP_URL").out


BAD = [
    (["show", FILE, "--rev", "HEAD"], "--rev says nothing to `witness show`"),
    (["verify", FILE, "--runs", "2"], "--runs says nothing to `witness verify`"),
    (["verify", FILE, "--rev", "nowhere"], "nowhere names no commit"),
    (["replay", FILE, "--runner", "nobody"], "`nobody` is no runner of the policy"),
    (["replay", FILE, "--python", "/nowhere/python"], "is no program that can be started"),
    (["show", "nowhere.json"], "cannot be read"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD, ids=[said for _, said in BAD])
def test_what_cannot_be_answered(world: World, arguments: list[str], said: str) -> None:
    saved(world, good(world))
    answer = typed(world, *arguments)
    assert answer.code == 2
    assert said in answer.err


def test_a_test_that_is_gone_is_not_replayed(world: World) -> None:
    saved(world, good(world))
    world.sub(SUITE, "def test_fails", "def test_renamed")
    world.record("renamed")
    answer = typed(world, "replay", FILE)
    assert answer.code == 2
    assert "has no test" in answer.err


@pytest.mark.parametrize("option", ["--runs=0", "--runs=x", "--timeout=0", "--timeout=nan"])
def test_numbers_that_are_none_are_bad_usage(world: World, option: str) -> None:
    with pytest.raises(SystemExit):
        typed(world, "replay", FILE, option)


CODE = """
import argparse, sys
from flakeledger.cli import witness
parser = argparse.ArgumentParser()
witness.add_arguments(parser)
sys.exit(witness.run(parser.parse_args(sys.argv[1:])))
"""


@pytest.mark.parametrize(("signals", "code"), [([signal.SIGTERM], 143), ([signal.SIGINT, signal.SIGINT], 130)])
def test_whoever_is_interrupted_leaves_nothing_behind(
    world: World, tmp_path: Path, signals: list[signal.Signals], code: int
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    command_line = [sys.executable, "-c", CODE, "replay", saved(world, good(world, "test_hangs"))]
    process = subprocess.Popen(
        command_line, cwd=world.root, env=os.environ | {"TMPDIR": str(folder)}, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    wait_until(lambda: processes_with(SLEEP))
    for number, one in enumerate(signals):
        process.send_signal(one)
        if number + 1 < len(signals):
            process.stderr.readline()  # an empty line, then what came of the first
            assert "interrupted" in process.stderr.readline()
    process.communicate(timeout=60)
    assert process.returncode == code
    assert are_gone(SLEEP)
    assert list(folder.iterdir()) == []
    assert world.git("worktree", "list", "--porcelain").count("worktree ") == 1
