"""Witnesses captured in real runs of pytest: one for each failure, the same ones everywhere, or the reason for none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import PROPERTIES
from flakeledger.model.witness import witness_file
from witnessed import FOLDER, PROPERTY, SUITE, capture, property_suite
from world import CONFTEST, World

#: kinds of tests: the text, the tests that the property lists
KINDS = """
import enum, unittest
from dataclasses import dataclass
from decimal import Decimal

class Colour(enum.Enum):
    RED = 1

@dataclass
class Order:
    amount: int
    colour: Colour

@given(st.builds(Order, st.integers(), st.sampled_from(Colour)), st.sampled_from([Decimal("1.50")]))
def test_order(order, price):
    assert order.amount < 100

@given(st.sampled_from(["fine", "low", "high"]))
def test_two_ways(x):
    if x == "high":
        raise ValueError
    assert x == "fine"

@pytest.mark.parametrize("length", [1, 2])
@given(xs=st.lists(st.integers()))
def test_length(length, xs):
    found = len(xs)
    xs.clear()
    assert found < length

@pytest.fixture(scope="module")
def limit():
    return 8

class TestMethods:
    @given(x=st.integers())
    def test_method(self, limit, x):
        assert x < limit

class TestCases(unittest.TestCase):
    @given(st.integers())
    def test_case(self, x):
        self.assertLess(x, 7)

@pytest.mark.asyncio
@given(st.integers())
async def test_coroutine(x):
    assert x < 9

def test_plain():
    assert False

@given(st.integers())
def test_fine(x):
    assert x == x
"""
KIND_NAMES = (
    *("test_order", "test_two_ways", "test_length", "TestMethods::test_method", "TestCases::test_case"),
    *("test_coroutine", "test_plain", "test_fine"),
)
#: the digests of the examples, the same on every Python, Hypothesis and pytest: freezes are keyed on them
DIGESTS = {
    "TestCases::test_case": ["e342cde2c90d0c11aa7c8a8854f1897f4fd9b57ee0c9222ddec563ce93c9291f"],
    "TestMethods::test_method": ["4147bbec5f44215d597a737ee6b5a6f29f7a28a8718148e344acf5191e8b984b"],
    "test_coroutine": ["cc9b61eb858e5ea93893c6745543cc3fee6272c9b658d8da9af1eb9bcfbe403b"],
    "test_length[1]": ["a7348f578cfbf2c26d8237e4d5dc953e86e3c87855dc5abd6e682f20ce2148de"],
    "test_length[2]": ["2356ccf870b7a847c6a104ef40a65b026450848e4cff649863430fa7ce5d1852"],
    "test_order": ["990a3f16a51320f212999dad43989103cb5977398186d9a0bd0b207cfc352803"],
    "test_two_ways": [
        "951f94b4f2f9138002ffbaf1b036b2186f20313dc00e07f5fcf8bfa19051d389",
        "3009c8a103e08a6276f4e95a6cc07076e17cc275fd8c89e12fd6471bff4b3a62",
    ],
}
SEEDS = "tests/seeds/gate.json"
ASYNCIO = ("-p", "pytest_asyncio.plugin")


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The world of KINDS, for cases that read and capture elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{name}_NAME", "Finley")
            patch.setenv(f"GIT_{name}_EMAIL", "finley@example.org")
        return property_suite(tmp_path_factory.mktemp("kinds") / "world", KINDS, *KIND_NAMES)


def test_every_kind_of_test_gives_the_same_digests_everywhere(kinds: World, tmp_path: Path) -> None:
    world = kinds.copy(tmp_path / "world")
    # Hypothesis 6.80 tells pytest of several failures only in this style
    found = capture(world, *ASYNCIO, "--tb=native", SUITE)
    assert found.code == 1
    by_test: dict[str, list[str]] = {}
    for witness in found.witnesses:
        by_test.setdefault(witness.test.partition("::")[2], []).append(witness.example_sha256)
    assert by_test == DIGESTS
    assert found.refused == []
    assert all(witness_file(one).digest in found.files for one in found.witnesses)
    assert {(one.property_id, one.seed_budget, one.shrink) for one in found.witnesses} == {(PROPERTY, None, "complete")}
    generators = {
        CONFTEST: world.digest_of(CONFTEST),
        "tests/seeds/gate.json": world.digest_of("tests/seeds/gate.json"),
    }
    assert all(one.generator_hashes == generators for one in found.witnesses)
    assert found.arguments["test_length[2]"] == [{"xs": [0, 0]}]
    (path,) = [line.rpartition(": ")[2] for line in found.out.splitlines() if "::test_order (" in line]
    assert Path(path).name.removesuffix(".json") in found.files
    assert "flakeledger: {" not in found.out  # nobody is shown our notes


#: a property for each kind of value that a test may draw: its strategy, and what fails the test
VALUES = {
    "float": ("st.floats()", "x >= 3.5"),
    "nan": ("st.floats()", "x != x"),
    "large": ("st.integers()", "x >= 2**60"),
    "decimal": ("st.decimals(allow_nan=False, allow_infinity=False, places=2)", "x >= 10"),
    "fraction": ("st.fractions()", "x >= 2"),
    "text": ("st.text()", "len(x) > 2"),
    "bytes": ("st.binary()", "len(x) > 3"),
    "tuple": ("st.tuples(st.integers(), st.booleans())", "x[0] > 5 and x[1]"),
    "set": ("st.sets(st.integers())", "len(x) > 2"),
    "dict": ("st.dictionaries(st.text(), st.integers())", "len(x) > 1"),
    "datetime": ("st.datetimes(timezones=st.just(datetime.timezone.utc))", "x.month == 3"),
    "timedelta": ("st.timedeltas()", "x.days > 4"),
}
#: their digests, the same everywhere too
VALUE_DIGESTS = {
    "float": "9db68172337a1fd676aeb2df4e0c67e9dbf30945e3f585cfca7c6bdb7ece64e2",
    "nan": "ef1f39f48d987add102c32c62317df4159ea304a8015f2a980c38e28dcc21524",
    "large": "71a0585f16e189ba9a153fefb50e3393b4ff69df5fa8432ebb0386991843cfe7",
    "decimal": "b98e43b1335b84588ecd83cf5633d50122121d3eaf4b4969fb5c892fdb1725b8",
    "fraction": "7f98ac7eda6f932e603e7fceadadf57b47a4daa0fe38b59b4a56554b4924fc52",
    "text": "be95cfc81564154db7bf9f90ed1b92aa769fec2d64aebbf728eaece8592b2f54",
    "bytes": "0ba901cee8b5c32b80a3689e753fff9eab1764cd3ebcaf883b6c5677152c43b3",
    "tuple": "518e1c1d3e9e8548f8ab0bc3f1f62d0f0572f9a54789d150609b2564c676e505",
    "set": "1cab04835b9f201ca5d2cd93761e374c23388cf455c12912ee5c002f53f553a4",
    "dict": "02f1b2aa93529cf4eb5f22ec8e0e2a2e7019363185995fcfe55230612e1a1324",
    "datetime": "1fb890b87b40892689f9e727f49e36d7301036984876ec3f1e577fb5249e95d8",
    "timedelta": "aa192ab67d13c2d3234cfa4fa4fa51aa4447a2a46e7ced3335d717b86d6854bd",
}


def test_every_kind_of_value_gives_the_same_digest_everywhere(tmp_path: Path) -> None:
    # a NaN is rare, and a busy machine late
    text = "import datetime\nsought = settings(derandomize=True, deadline=None, max_examples=1000)\n" + "".join(
        f"@sought\n@given({strategy})\ndef test_{name}(x):\n    assert not ({fails})\n"
        for name, (strategy, fails) in VALUES.items()
    )
    found = capture(property_suite(tmp_path / "world", text, *(f"test_{name}" for name in VALUES)))
    digests = {one.test.rpartition("::test_")[2]: one.example_sha256 for one in found.witnesses}
    assert digests == VALUE_DIGESTS
    assert found.refused == []


def test_workers_write_and_their_controller_tells(kinds: World, tmp_path: Path) -> None:
    alone = capture(kinds.copy(tmp_path / "alone"), SUITE, "-k", "order or length")
    spread = capture(kinds.copy(tmp_path / "spread"), "-p", "xdist.plugin", "-n2", SUITE, "-k", "order or length")
    assert spread.files == alone.files != {}
    assert spread.out.count("witness of ") == alone.out.count("witness of ") == len(alone.files)


def test_the_group_that_a_worker_runs_is_no_part_of_the_test(tmp_path: Path) -> None:
    text = '@pytest.mark.xdist_group("one")\n@given(st.integers())\ndef test_it(x): assert x < 9'
    world = property_suite(tmp_path / "world", text, "test_it")
    found = capture(world, "-p", "xdist.plugin", "-n1", "--dist=loadgroup", SUITE)
    assert [one.test for one in found.witnesses] == [f"{SUITE}::test_it"]


#: tests that fail without a witness
REFUSED = """
from hypothesis.stateful import RuleBasedStateMachine, rule

@given(st.data())
def test_data(data):
    assert data.draw(st.integers()) < 5

class Machine(RuleBasedStateMachine):
    @rule()
    def step(self):
        assert False
TestMachine = Machine.TestCase

@given(st.builds(object))
def test_object(x):
    assert False

@given(st.integers())
@example(3)
def test_example(x):
    assert x != 3

@settings(phases=[Phase.generate])
@given(st.integers())
def test_unshrunk(x):
    assert x < 9

@given(st.integers().filter(lambda x: x != x))
def test_nothing(x):
    pass

@given(st.just("a" * 9000))
def test_large(x):
    assert False
"""
#: their names, and words of the reason
REASONS = {
    "test_data": "through data() while it runs",
    "TestMachine::runTest": "it is a state machine",
    "test_object": "a value of builtins.object has no faithful form",
    "test_example": "that the test gives itself",
    "test_unshrunk": "leave the phase `shrink` out",
    "test_nothing": "outside of the body of the test",
    "test_large": "`witness_bytes` of the policy is 8192",
}


def test_where_there_is_no_witness_the_reason_lies_beside(tmp_path: Path) -> None:
    found = capture(property_suite(tmp_path / "world", REFUSED, *REASONS))
    assert found.files == {}
    assert found.reasons.keys() == REASONS.keys()
    for name, reason in REASONS.items():
        assert reason in found.reasons[name]
        assert f"no witness of {SUITE}::{name}: " in found.out
    assert {tuple(one["properties"]) for one in found.refused} == {(PROPERTY,)}


def test_a_flaky_test_is_captured_as_flaky(tmp_path: Path) -> None:
    text = "ran = []\n@given(st.integers())\ndef test_it(x):\n    ran.append(x)\n    assert len(ran) != 10\n"
    found = capture(property_suite(tmp_path / "world", text, "test_it"))
    assert [one.shrink for one in found.witnesses] == ["flaky"]


IT = "@given(st.integers())\ndef test_it(x):\n    assert x < 7\n"


def test_who_protects_no_property_leaves_nothing_and_who_says_so_wrongly_a_reason(tmp_path: Path) -> None:
    text = (
        IT
        + IT.replace("test_it", "test_other")
        + IT.replace("test_it", "test_named").replace("    assert", '    """property_id: PROP-9"""\n    assert')
    )
    world = property_suite(tmp_path / "world", text, "test_it")
    found = capture(world)
    assert set(found.arguments) == {"test_it"}
    assert set(found.reasons) == {"test_named"}
    assert "no property lists" in found.reasons["test_named"]
    world.sub(PROPERTIES, "statement", "statment")
    (broken,) = capture(world, SUITE, "-k", "test_named").refused[-1:]
    assert "missing-field" in broken["reason"] or "unknown-field" in broken["reason"]


def test_a_test_of_two_properties_is_a_witness_of_each(tmp_path: Path) -> None:
    world = property_suite(tmp_path / "world", f'"""property_id: PROP-3"""\n# property_id: PROP-3\n{IT}', "test_it")
    world.add_row(PROPERTIES, id="PROP-3", statement="another", fixtures=["FX-1"], tests=[f"{SUITE}::test_it"])
    found = capture(world)
    assert sorted(one.property_id for one in found.witnesses) == [PROPERTY, "PROP-3"]


def test_what_fails_around_a_test_is_no_failure_of_its_property(tmp_path: Path) -> None:
    text = (
        "import unittest\nclass TestA(unittest.TestCase):\n    def setUp(self):\n        raise ValueError\n"
        "    @given(st.integers())\n    def test_it(self, x):\n        pass\n"
        "@pytest.fixture\ndef broken():\n    raise ValueError\n"
        "@given(x=st.integers())\ndef test_setup(broken, x):\n    pass\n"
        "@given(x=st.integers())\ndef test_skipped(x):\n    pytest.skip('not here')\n"
    )
    found = capture(property_suite(tmp_path / "world", text, "TestA::test_it", "test_setup", "test_skipped"))
    assert found.files == {}
    assert found.refused == []


def test_a_faked_world_changes_no_answer(tmp_path: Path) -> None:
    text = (
        "import os, sys\n@pytest.fixture(autouse=True)\ndef faked(monkeypatch, tmp_path):\n"
        "    monkeypatch.chdir(tmp_path)\n    monkeypatch.setenv('PATH', '')\n"
        "@settings(suppress_health_check=list(__import__('hypothesis').HealthCheck))\n" + IT
    )
    found = capture(property_suite(tmp_path / "world", text, "test_it"))
    assert found.arguments == {"test_it": [{"x": 7}]}
    assert "observing.py" not in found.out  # nobody is shown our frames


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    world = property_suite(tmp_path / "world", IT, "test_it")
    world.write(FOLDER, "a file")
    out = capture(world, SUITE)
    assert out.code == pytest.ExitCode.USAGE_ERROR
    assert "--flakeledger-witness: " in out.out
    (world.root / FOLDER).unlink()
    if os.getuid() == 0:  # root may write anywhere, but not below what a test removed
        world.write("tests/conftest.py", f"import shutil\ndef pytest_runtest_setup():\n    shutil.rmtree('{FOLDER}')\n")
    else:
        world.write("tests/conftest.py", f"import os\ndef pytest_runtest_setup():\n    os.chmod('{FOLDER}', 0o500)\n")
    found = capture(world)
    assert found.code == 1
    assert "cannot be written: " in found.out


def test_a_witness_is_captured_where_a_freeze_excuses_the_failure(tmp_path: Path) -> None:
    world = property_suite(tmp_path / "world", IT, "test_it", level="ledger")
    world.freeze(f"{SUITE}::test_it", 10, 14)
    world.record()
    found = capture(world, "--flakeledger-now=2026-03-12T12:00:00Z", SUITE)
    assert found.arguments == {"test_it": [{"x": 7}]}


def test_every_test_draws_under_the_prefix_of_the_seed_list(tmp_path: Path) -> None:
    text = (
        "import random\ndrawn = []\n@settings(derandomize=True, max_examples=3)\n@given(st.integers())\n"
        "def test_it(x):\n    drawn.append(x)\n    assert len(drawn) < 4 or x < 7\n"
    )
    world = property_suite(tmp_path / "world", IT, "test_it")
    found = capture(world, f"--flakeledger-seeds={SEEDS}", "--flakeledger-seed-budget=2", SUITE)
    assert [one.seed_budget for one in found.witnesses] == [2]
    world = property_suite(
        tmp_path / "other", text + "\ndef test_count():\n    print('drawn', len(drawn))\n", "test_it"
    )
    counts = [
        capture(world, "-s", f"--flakeledger-seeds={SEEDS}", *budget, SUITE).out
        for budget in (["--flakeledger-seed-budget=1"], [])
    ]
    assert "drawn 3\n" in counts[0]
    assert "drawn 3\n" not in counts[1]  # all three seeds


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([f"--flakeledger-seeds={SEEDS}", "--flakeledger-seed-budget=0"], "a budget of 0 seeds"),
        ([f"--flakeledger-seeds={SEEDS}", "--flakeledger-seed-budget=4"], "a budget of 4 seeds"),
        (["--flakeledger-seed-budget=1"], "of which list?"),
        (["--flakeledger-seeds=nowhere.json"], "cannot be read"),
        ([f"--flakeledger-seeds={SUITE}"], "write [1, 2, 3]"),
    ],
)
def test_seeds_that_are_none_are_bad_usage(tmp_path: Path, options: list[str], said: str) -> None:
    world = World(tmp_path)
    world.write(SEEDS, "[1, 2, 3]")
    world.write(SUITE, "")
    found = capture(world, *options, SUITE)
    assert found.code == pytest.ExitCode.USAGE_ERROR
    assert said in found.out
    assert "Traceback" not in found.out


def test_an_example_that_looks_like_a_secret_is_not_kept(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    text = f"@given(st.sampled_from([{token[:20]!r} + {token[20:]!r}]))\ndef test_key(key):\n    assert len(key) < 5\n"
    found = capture(property_suite(tmp_path / "shop", text, "test_key"))
    reason = "its example holds what looks like a secret (GitHub Token) at arguments.key"
    assert found.files == {}
    assert found.reasons == {"test_key": reason}
    folder = tmp_path / "shop" / FOLDER
    assert not any(token.encode() in path.read_bytes() for path in folder.iterdir())
