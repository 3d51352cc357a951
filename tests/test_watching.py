"""`witness_match` in real runs: freezes of property tests on witnesses that the plugin itself captured.

Invariants:
* The tests fail otherwise when the variable MOVED is set, while no byte of the tree changes.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from commands import noon, typed
from flakeledger.model.ledger_paths import NOTES, POLICY, WITNESSES
from flakeledger.model.note import Note, note_file
from flakeledger.model.witness import Witness, witness_file
from patched import FLIPPED
from plugin_runs import FROZEN, LOG, Run, run
from witnessed import IGNORED, PROPERTY, SUITE, capture, property_suite
from world import World

CODE = """
import os, unittest

MOVED = "MOVED" in os.environ

@given(st.integers())
def test_same(x):
    if x >= 7:
        raise TimeoutError

@given(st.integers())
def test_same_of_no_environment(x):
    assert x < 7

@given(st.integers())
def test_moved(x):
    if x >= 7 + MOVED:
        raise TimeoutError

@given(st.integers())
def test_denied(x):
    if x >= 7:
        raise TimeoutError

@given(st.integers())
def test_denied_of_no_environment(x):
    assert x < 7

@given(st.integers())
def test_tampered(x):
    if x >= 7:
        raise TimeoutError

@given(st.integers())
def test_gone(x):
    if x >= 7:
        raise TimeoutError

@given(st.sampled_from(["fine", "low", "high"]))
def test_two_ways(x):
    if MOVED and x == "low":
        raise ConnectionError
    if x == "high":
        raise TimeoutError

@given(st.just(7).map(lambda x: {x} if not MOVED else object()))
def test_faithful(x):
    raise TimeoutError

def late(x):
    if MOVED:
        raise TimeoutError
    return x

@given(st.integers().map(late))
def test_inside(x):
    raise TimeoutError

@pytest.mark.parametrize("length", [1, 2])
@given(xs=st.lists(st.integers()))
def test_length(length, xs):
    if len(xs) >= length:
        xs.clear()
        raise TimeoutError

@pytest.mark.xdist_group("cases")
class TestCases(unittest.TestCase):
    @given(st.integers())
    def test_case(self, x):
        if x >= 7:
            raise TimeoutError

@given(st.integers())
def test_young(x):
    if x >= 7 + MOVED:
        raise TimeoutError

def test_plain():
    raise TimeoutError

@given(st.integers())
def test_not_frozen(x):
    assert x < 7
"""
ASKED = "`witness_match: exact` of the policy asks for that of its witness"
UNKNOWN = "under which example it failed is not known"
#: a frozen test -> why its failure is not excused under `exact`, and under `property`; the empty text: it is
FROZEN_TESTS = {
    "test_same": ("", ""),
    "test_same_of_no_environment": ("", ""),
    "test_moved": ("it failed under another example (", ""),
    "test_denied": ("", "its review note does not count: it says `deny:stable_fail`"),
    "test_denied_of_no_environment": ("no replay shows that the same input both", "its review note does not count: "),
    "test_tampered": ("its witness does not count: its name is not its digest", "its witness does not count: "),
    "test_gone": ("its witness does not count: ledgers/witnesses/", "is not there as a regular file"),
    "test_two_ways": ("it failed under another example (", ""),
    "test_faithful": (f"{UNKNOWN} (the argument x: a value of builtins.object has no faithful form", ""),
    "test_inside": (f"{UNKNOWN} (it failed outside of the body of the test", ""),
    "test_length[1]": ("", ""),
    "test_length[2]": ("its witness does not count: it is one of ", "its witness does not count: it is one of "),
    "TestCases::test_case": ("", ""),
    "test_young": ("", ""),
    "test_plain": ("", ""),
}
REPORT = "report.xml"
HYPOTHESIS = ("-p", "_hypothesis_pytestplugin")


def place(world: World, witness: Witness, says: str = "eligible_short") -> dict[str, str]:
    """Lay a witness and a note about it into the ledgers; the fields of a row that name them."""
    file = witness_file(witness)
    outcomes = FLIPPED if says == "eligible_short" else ("fail",)
    note = Note("production", PROPERTY, witness.example_sha256, True, outcomes, None, says, "1" * 40, "1" * 40)
    noted = note_file(note)
    world.write(f"{WITNESSES}{file.digest}.json", file.data.decode())
    world.write(f"{NOTES}{noted.digest}.json", noted.data.decode())
    return {"witness": file.digest, "note": noted.digest}


def frozen_suite(root: Path) -> tuple[World, dict[str, Witness]]:
    """The suite with its tests frozen on what a run captured, by test; the report of that run lies in it."""
    world = property_suite(root, CODE, *FROZEN_TESTS)
    world.write(".gitignore", f"{IGNORED}{LOG}\n{REPORT}\nagain/\n")
    captured = capture(world, f"--junitxml={REPORT}", SUITE)
    shutil.rmtree(world.root / ".hypothesis")  # a failure that comes from there is not searched for
    witnesses = {witness.test.partition("::")[2]: witness for witness in captured.witnesses}
    witnesses["test_length[2]"] = witnesses["test_length[1]"]
    for name in FROZEN_TESTS:
        fields = {"witness": "0" * 64, "note": "0" * 64} if name == "test_plain" else {}
        if name in witnesses and name != "test_young":
            fields = place(world, witnesses[name], "deny:stable_fail" if "denied" in name else "eligible_short")
        world.freeze(f"{SUITE}::{name}", FROZEN, 3 if name == "test_young" else 14, **fields)
    tampered = f"{WITNESSES}{witness_file(witnesses['test_tampered']).digest}.json"
    world.sub(tampered, '"seed_budget":null', '"seed_budget":1')
    world.delete(f"{WITNESSES}{witness_file(witnesses['test_gone']).digest}.json")
    world.record("frozen")
    return world, witnesses


def matching(world: World, match: str) -> World:
    """The world under this `witness_match`."""
    world.sub(POLICY, "level: witnessed\n", f"level: witnessed\nwitness_match: {match}\n")
    return world


class Suites:
    """One world, and the runs that several tests look at, each made once."""

    def __init__(self, folder: Path) -> None:
        self.world, witnesses = frozen_suite(folder / "world")
        self.moved = witnesses["test_moved"]
        self._folder = folder
        self._runs: dict[tuple[str, ...], Run] = {}
        self._copies = 0

    def copy(self, match: str) -> World:
        """The world under a policy of its own."""
        self._copies += 1
        return matching(self.world.copy(self._folder / f"copy-{self._copies}"), match)

    def run(self, match: str, *arguments: str) -> Run:
        if (match, *arguments) not in self._runs:
            world = self.copy(match)
            self._runs[match, *arguments] = run(world, *HYPOTHESIS, *arguments, SUITE, MOVED="1")
        return self._runs[match, *arguments]


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Suites:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{name}_NAME", "Finley")
            patch.setenv(f"GIT_{name}_EMAIL", "finley@example.org")
        return Suites(tmp_path_factory.mktemp("suites"))


def agree(found: Run, name: str, reason: str) -> None:
    """What the run said of a test is this reason, or, where that is empty, an excuse."""
    line = found.line(name)
    assert (line["outcome"], bool(line["reason"])) == (("failed", True) if reason else ("xfailed", False))
    assert reason in line["reason"]
    assert any(reason in told for told in found.summary if f"{SUITE}::{name}" in told)


@pytest.mark.parametrize("name", FROZEN_TESTS)
def test_exact_excuses_the_example_of_the_witness_alone(suites: Suites, name: str) -> None:
    agree(suites.run("exact"), name, FROZEN_TESTS[name][0])


@pytest.mark.parametrize("name", FROZEN_TESTS)
def test_property_excuses_any_failure_of_a_property_that_was_seen_to_flip(suites: Suites, name: str) -> None:
    agree(suites.run("property"), name, FROZEN_TESTS[name][1])


def test_the_two_examples_are_named(suites: Suites) -> None:
    reason = suites.run("exact").line("test_moved")["reason"]
    assert f"), and {ASKED} (" in reason
    assert reason.endswith(f"({suites.moved.example_sha256[:12]})")


def test_nobody_is_shown_our_notes_and_frames(suites: Suites) -> None:
    out = suites.run("exact").out
    assert "flakeledger: {" not in out
    assert "observing.py" not in out
    assert suites.run("exact").outcomes("test_not_frozen") == ["failed"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("-p", "xdist", "-n2", "--dist=loadgroup"),
        ("--flakeledger-witness=again", "--flakeledger-seeds=tests/seeds/gate.json", "--flakeledger-seed-budget=1"),
    ],
)
def test_workers_and_captures_see_the_same(suites: Suites, arguments: tuple[str, ...]) -> None:
    plain, other = suites.run("exact"), suites.run("exact", *arguments)
    assert sorted(other.summary) == sorted(plain.summary)
    assert ("witness of " in other.out) is any("witness" in argument for argument in arguments)
    assert "flakeledger: {" not in other.out


@pytest.mark.parametrize("match", ["exact", "property"])
def test_a_report_does_not_say_under_which_example(suites: Suites, match: str) -> None:
    world = suites.copy(match)
    answer = typed(world, "verdict", str(suites.world.root / REPORT), "--runner", "pinned-py311", "--now", noon(FROZEN))
    assert answer.code == 1
    (line,) = [line for line in answer.out.splitlines() if "::test_same:" in line or "::test_same," in line]
    assert (f"{UNKNOWN}, and {ASKED}" in line) is (match == "exact")
    assert line.startswith("excused") is (match == "property")
    (young,) = [line for line in answer.out.splitlines() if "::test_young" in line]
    assert young.startswith("excused")


WATCHED = """
def test_wrapped():
    inner = test_it.hypothesis.inner_test
    with open("seen", "a") as file:
        file.write(f"{inner.__code__.co_name}\\n")

@given(st.integers())
def test_it(x):
    test_wrapped()
    assert x == 0

def test_after():
    test_wrapped()
"""


@pytest.mark.parametrize(
    ("match", "runner", "is_watched"),
    [("exact", "pinned-py311", True), ("exact", "local-fixture", False), ("property", "pinned-py311", False)],
)
def test_only_a_test_that_a_freeze_here_asks_about_is_wrapped(
    tmp_path: Path, match: str, runner: str, is_watched: bool
) -> None:
    world = matching(property_suite(tmp_path / "world", WATCHED, "test_it"), match)
    world.write(".gitignore", f"{IGNORED}{LOG}\nseen\n")
    (witness,) = capture(world).witnesses
    world.freeze(f"{SUITE}::test_it", FROZEN, 14, **place(world, witness))
    world.record("frozen")
    (world.root / "seen").unlink()
    run(world, *HYPOTHESIS, SUITE, FLAKELEDGER_RUNNER=runner)
    seen = world.read("seen").splitlines()
    assert ("noted" in seen) is is_watched
    assert (seen[0], seen[-1]) == ("test_it", "test_it")  # while other tests run, its function is its own
