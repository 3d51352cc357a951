"""A test under the one example of a witness, judged by what became of its body. Every case is a real run."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from flakeledger.evidence.witness_replay import WitnessReplay, replay_witness
from flakeledger.model.policy import Runner
from flakeledger.model.witness import Witness, example_digest, example_of
from flakeledger.store.git import Git
from witnessed import PROPERTY, SUITE, property_suite
from world import World

TEXT = """
import enum, random, time, unittest
from dataclasses import dataclass
pytest_plugins = ["pytest_asyncio.plugin"]

class Colour(enum.Enum):
    RED = 1

@dataclass
class Order:
    amount: int
    colour: Colour

@given(st.integers())
def test_fails(x):
    assert x < 7

@given(st.integers())
def test_passes(x):
    assert x == 7

@given(st.integers())
def test_assumes(x):
    assume(x != 7)

@given(st.integers())
def test_skips(x):
    pytest.skip("not here")

@pytest.mark.skip(reason="never here")
@given(st.integers())
def test_marked(x):
    pass

@pytest.fixture
def broken():
    raise ValueError("no database")

@settings(suppress_health_check=list(__import__("hypothesis").HealthCheck))
@given(x=st.integers())
def test_broken_setup(broken, x):
    pass

@pytest.fixture(scope="module")
def broken_later():
    yield
    raise ValueError("no database")

@settings(deadline=1)
@given(st.integers())
def test_late(x):
    time.sleep(0.01)

@given(st.integers())
@example(x=1)
@settings(max_examples=1, phases=[Phase.explicit, Phase.generate])
def test_own_examples(x):
    assert x == 7

@given(st.builds(Order, st.integers(), st.sampled_from(Colour)))
def test_order(order):
    assert type(order) is Order and order.colour is Colour.RED and order.amount == 7
    assert False, "as it was"

@pytest.mark.parametrize("length", [1, 2])
@given(xs=st.lists(st.integers()))
def test_length(length, xs):
    assert len(xs) < length

class TestCases(unittest.TestCase):
    @given(st.integers())
    def test_case(self, x):
        self.assertLess(x, 7)

class Twice(unittest.TestCase):
    def execute_example(self, run):
        run()
        return run()

    @given(st.integers())
    def test_twice(self, x):
        pass

@pytest.mark.asyncio
@given(st.integers())
async def test_coroutine(x):
    assert x < 7

def test_plain():
    pass

@pytest.fixture(scope="module")
def luck():
    return random.random()

@given(x=st.integers())
def test_flips(luck, x):
    assert luck > 0.5
"""
NAMES = ("test_fails", "test_passes", "test_length", "TestCases::test_case", "test_flips")
RUNNER = Runner("here")
SEVEN: Mapping[str, object] = {"x": 7}
ORDER = {
    "$": "dataclass",
    "class": "test_suite:Order",
    "fields": [["amount", 7], ["colour", {"$": "enum", "class": "test_suite:Colour", "name": "RED"}]],
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One suite for all cases, which leave it as it is."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{name}_NAME", "Finley")
            patch.setenv(f"GIT_{name}_EMAIL", "finley@example.org")
        return property_suite(tmp_path_factory.mktemp("trials") / "world", TEXT, *NAMES)


def witness_of(name: str, arguments: Mapping[str, object] = SEVEN, property_id: str = PROPERTY) -> Witness:
    test = f"{SUITE}::{name}"
    example = example_of(arguments, test)
    return Witness(property_id, test, None, example, example_digest(example), {}, "complete")


def replayed(world: World, witness: Witness, runs: int = 1) -> WitnessReplay:
    git = Git.open(str(world.root), os.environ)
    return replay_witness(git, git.head() or "", witness, runs, RUNNER, 60.0, sys.executable, scrub=False)


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


#: the test, its arguments, the outcome, words of the detail
OUTCOMES = [
    ("test_fails", SEVEN, "fail", "assert 7 < 7"),
    ("test_fails", {"x": 6}, "pass", ""),
    ("test_passes", SEVEN, "pass", ""),
    ("test_assumes", SEVEN, "rejected", "it assumes that it is never given this example"),
    ("test_skips", SEVEN, "skipped", "not here"),
    ("test_marked", SEVEN, "skipped", "never here"),
    ("test_broken_setup", SEVEN, "error", "setup: ValueError: no database"),
    ("test_late", SEVEN, "fail", "DeadlineExceeded"),
    ("test_own_examples", SEVEN, "pass", ""),
    ("test_order", {"order": ORDER}, "fail", "as it was"),
    ("test_length[1]", {"xs": [0]}, "fail", "assert 1 < 1"),
    ("test_length[2]", {"xs": [0]}, "pass", ""),
    ("test_length[3]", {"xs": [0]}, "not_run", "there is no such test"),
    ("TestCases::test_case", SEVEN, "fail", "7 not less than 7"),
    ("Twice::test_twice", SEVEN, "error", "its body ran 2 times under one example"),
    ("test_coroutine", SEVEN, "fail", "assert 7 < 7"),
    ("test_plain", SEVEN, "not_run", "it is no test of Hypothesis"),
    ("test_gone", SEVEN, "not_run", "there is no such test"),
    ("test_fails", {"y": 7}, "not_run", "the test draws x, and the witness has other arguments"),
    ("test_fails", {"x": 7, "y": 7}, "not_run", "the test draws x, and the witness has other arguments"),
    (
        "test_order",
        {"order": {"$": "enum", "class": "antigravity:Colour", "name": "RED"}},
        "not_run",
        "the test has loaded no class antigravity.Colour",
    ),
]


@pytest.mark.parametrize(("name", "arguments", "outcome", "detail"), OUTCOMES)
def test_what_became_of_the_body_is_the_outcome(
    world: World, name: str, arguments: Mapping[str, object], outcome: str, detail: str
) -> None:
    found = replayed(world, witness_of(name, arguments))
    assert found.outcomes == (outcome,)
    assert detail in found.details[0]


@pytest.mark.parametrize("property_id", ["PROP-9", "PROP-22", "PROP"])
def test_a_module_that_does_not_name_the_property_is_not_run(world: World, property_id: str) -> None:
    found = replayed(world, witness_of("test_fails", property_id=property_id))
    assert found.outcomes == ("not_run",)
    assert found.details == (f"its module does not name the property {property_id}",)


def test_runs_are_told_apart_by_what_is_drawn_without_hypothesis(world: World) -> None:
    found = replayed(world, witness_of("test_flips"), runs=3)
    assert found.outcomes == ("fail", "pass", "fail")  # random.Random(n).random(): 0.13, 0.96, 0.24


def test_nothing_is_left_of_the_example(tmp_path: Path) -> None:
    """The parameters share a function: the others run as ever once one was placed."""
    path = tmp_path / "test_two.py"
    path.write_text(
        f"'''property_id: {PROPERTY}'''\n"
        "import pytest\nfrom hypothesis import given, settings, strategies as st\n"
        "from flakeledger.evidence.seeding_witness import Trial\n"
        "@settings(max_examples=5, database=None)\n@given(st.integers())\ndef test_a(x):\n    pass\n"
        "def test_b(request):\n"
        "    item = next(one for one in request.session.items if one.name == 'test_a')\n"
        "    function = item.obj\n"
        "    before = dict(vars(function)), function.hypothesis.inner_test\n"
        f"    with Trial().placed(item, {{'property_id': '{PROPERTY}', 'arguments': {{'x': 1}}}}):\n"
        "        assert function.hypothesis.inner_test is not before[1]\n"
        "    assert (dict(vars(function)), function.hypothesis.inner_test) == before\n"
    )
    assert (
        pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:flakeledger", f"--rootdir={tmp_path}", str(path)]) == 0
    )
