"""Replays of a witness as a whole: what the test sees of this machine, when it is refused, and what is left behind."""

from __future__ import annotations

import os
import sys
from errno import ENOSPC
from pathlib import Path

import pytest

from flakeledger.evidence import sealing
from flakeledger.evidence.engines import Abandoned
from flakeledger.evidence.sealing import ALLOWED_VARIABLES, OPEN
from flakeledger.evidence.witness_replay import WitnessReplay, replay_witness
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Runner
from flakeledger.model.witness import Witness, example_digest, example_of
from flakeledger.store.git import Git
from replaying import SLEEP, are_gone
from witnessed import PROPERTY, SUITE, property_suite
from world import World

TEXT = f"""
import os, subprocess, time

@given(st.integers())
def test_sees(x):
    secrets = [name for name in os.environ if "TOKEN" in name or "SECRET" in name]
    assert not secrets, secrets

@given(st.integers())
def test_kept(x):
    assert os.environ["SHOP_URL"] == "here"

@given(st.integers())
def test_hangs(x):
    subprocess.Popen(["sleep", "{SLEEP}"], start_new_session=True)
    time.sleep(1000)

@given(st.integers())
def test_dies(x):
    os._exit(3)

@given(st.integers())
def test_litters(x):
    open("litter", "x").close()
    open(__file__, "a").write("broken(")
"""
RUNNER = Runner("here")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One suite for all cases, which leave it as it is."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{name}_NAME", "Finley")
            patch.setenv(f"GIT_{name}_EMAIL", "finley@example.org")
        return property_suite(tmp_path_factory.mktemp("replays") / "world", TEXT, "test_sees")


@pytest.fixture(autouse=True)
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where worktrees are made; empty again in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def witness_of(name: str, **changed: object) -> Witness:
    test = f"{SUITE}::{name}"
    example = example_of({"x": 7}, test)
    found = Witness(PROPERTY, test, None, example, example_digest(example), {}, "complete")
    return found._replace(**changed)  # type: ignore[arg-type]  # one field each


def replayed(
    world: World, name: str, runs: int = 1, timeout: float = 60.0, scrub: bool = True, *allowed: str
) -> WitnessReplay:
    git = Git.open(str(world.root), os.environ)
    kept = ALLOWED_VARIABLES.union(allowed)
    return replay_witness(
        git, git.head() or "", witness_of(name), runs, RUNNER, timeout, sys.executable, scrub, allowed=kept
    )


def test_variables_are_handed_down_by_a_list(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_TOKEN", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "hush")
    monkeypatch.setenv("SHOP_URL", "here")
    assert replayed(world, "test_sees").outcomes == ("pass",)
    assert replayed(world, "test_sees", scrub=False).outcomes == ("fail",)
    assert replayed(world, "test_kept").outcomes == ("fail",)
    assert replayed(world, "test_kept", 1, 60.0, True, "SHOP_URL").outcomes == ("pass",)


def test_what_happened_to_the_network_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert replayed(world, "test_sees", scrub=False).network == "on"
    assert replayed(world, "test_sees").network in (OPEN, "off (bwrap)", "off (unshare)")
    monkeypatch.setattr(sealing, "network_leaving", lambda: None)
    monkeypatch.setattr(sealing, "PROGRAMS", ())
    found = replayed(world, "test_sees")
    assert (found.outcomes, found.network) == (("pass",), OPEN)


def test_a_run_whose_network_cannot_be_taken_away_any_more_does_not_begin(
    world: World, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave() -> None:
        raise OSError(ENOSPC, os.strerror(ENOSPC))  # what the kernel says at its limit of namespaces

    monkeypatch.setattr(sealing, "network_leaving", lambda: leave)
    monkeypatch.setattr(sealing, "is_alone", lambda tried: tried is leave)
    with pytest.raises(CannotTell, match="could not for this run") as told:
        replayed(world, "test_sees")
    assert "max_net_namespaces" in told.value.fix
    assert_clean(world, temporary)


def test_a_run_that_takes_too_long_is_ended_with_all_that_it_started(world: World, temporary: Path) -> None:
    found = replayed(world, "test_hangs", timeout=3.0)
    assert found.outcomes == ("timeout",)
    assert are_gone(SLEEP)
    assert_clean(world, temporary)


def test_a_run_that_dies_is_an_error_and_the_next_one_begins_anew(world: World, temporary: Path) -> None:
    found = replayed(world, "test_dies", runs=2)
    assert found.outcomes == ("error", "error")
    assert "its process ended with exit code 3 before the test was over" in found.details[0]
    assert_clean(world, temporary)


def test_no_run_sees_what_the_one_before_left(world: World, temporary: Path) -> None:
    assert replayed(world, "test_litters", runs=2).outcomes == ("pass", "pass")
    assert_clean(world, temporary)


def test_what_lies_on_disk_is_not_seen(world: World, tmp_path: Path) -> None:
    edited = world.copy(tmp_path / "edited")
    edited.write(SUITE, "broken(")
    edited.write("tests/conftest.py", "broken(")
    assert replayed(edited, "test_sees").outcomes == ("pass",)


def assert_clean(world: World, temporary: Path) -> None:
    """Nothing is left: no folder, no worktree."""
    assert list(temporary.iterdir()) == []
    assert world.git("worktree", "list", "--porcelain").count("worktree ") == 1


def test_whoever_stops_it_leaves_nothing_behind(world: World, temporary: Path) -> None:
    git = Git.open(str(world.root), os.environ)
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        if len(asked) > 10:
            raise Abandoned
        return False

    with pytest.raises(Abandoned):
        replay_witness(
            git, git.head() or "", witness_of("test_hangs"), 2, RUNNER, 60.0, sys.executable, scrub=False, stop=stop
        )
    assert are_gone(SLEEP)
    assert_clean(world, temporary)


REFUSED = [
    (witness_of("test_sees"), RUNNER._replace(command=("make", "{test}")), "has a command, and no command takes"),
    (witness_of("test_sees"), RUNNER._replace(python="2.7"), "says Python 2.7"),
    (witness_of("test_sees", test="../x.py::test_a"), RUNNER, "leads out of the repository"),
    (witness_of("test_sees", test="a.ts::b"), RUNNER, "is no Python file"),
    (
        witness_of("test_sees", example={"arguments": {"x": {"$": "no kind"}}}),
        RUNNER,
        "the example of the witness cannot be given to a test: the argument x: ",
    ),
]


@pytest.mark.parametrize(("witness", "runner", "reason"), REFUSED, ids=[reason for _, _, reason in REFUSED])
def test_what_could_say_nothing_is_refused(world: World, witness: Witness, runner: Runner, reason: str) -> None:
    git = Git.open(str(world.root), os.environ)
    with pytest.raises(CannotTell, match=reason.replace("(", r"\(")):
        replay_witness(git, git.head() or "", witness, 1, runner, 60.0, sys.executable, scrub=False)
