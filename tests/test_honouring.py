"""Freezes honoured by real runs of pytest, with the plugins that people use beside ours."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from commands import noon
from flakeledger.evidence.frozen_tests import frozen_tests
from flakeledger.evidence.honouring import Honouring, Setting
from flakeledger.model.clock import parse_instant
from flakeledger.model.ledger_paths import FREEZES, POLICY
from plugin_runs import DAYS, FROZEN, SUITE, Run, run, suite
from world import CONFTEST, Value, World, on

#: every kind of failure that a frozen test can have; the first one has replaced what the plugin would stand on
KINDS = """
import asyncio, builtins, json, os, subprocess, time, unittest
import pytest

class Late(TimeoutError):
    pass

def test_in_a_faked_world(monkeypatch, tmp_path):
    def fail(*arguments, **options):
        raise AssertionError("not for you")
    for module, name in [(subprocess, "Popen"), (subprocess, "run"), (builtins, "open"), (json, "dumps"),
                         (json, "loads"), (time, "time"), (os, "mkdir")]:
        monkeypatch.setattr(module, name, fail)
    for name in list(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    os.chdir(tmp_path)
    raise TimeoutError("late")

def test_listed():
    raise TimeoutError("late")

def test_subclass():
    raise Late("late")

def test_group():
    raise ExceptionGroup("both", [TimeoutError("one"), ExceptionGroup("deep", [Late("other")])])

def test_mixed_group():
    raise ExceptionGroup("both", [TimeoutError("one"), ExceptionGroup("deep", [ValueError("a bug")])])

def test_bug():
    assert 1 == 2

def test_flips():
    assert 1 == 2

def test_passes():
    pass

def test_skips():
    pytest.skip("not here")

def test_other_text():
    pytest.fail("no exception of its own")

@pytest.mark.xfail(strict=True)
def test_strict():
    pass

@pytest.mark.xfail(strict=True)
def test_expected():
    raise TimeoutError("late")

@pytest.fixture
def broken():
    raise TimeoutError("late")

@pytest.fixture
def breaks_after():
    yield
    raise TimeoutError("late")

@pytest.fixture(scope="session")
def broken_session():
    raise TimeoutError("late")

def test_setup(broken):
    pass

def test_session_setup(broken_session):
    pass

def test_teardown(breaks_after):
    pass

def test_call_and_teardown(breaks_after):
    raise TimeoutError("late")

@pytest.mark.parametrize("word", ["a", "b"])
def test_words(word):
    raise TimeoutError("late")

class TestClass:
    @pytest.fixture(scope="class", autouse=True)
    def start(self):
        raise TimeoutError("late")

    def test_method(self):
        pass

class TestCase(unittest.TestCase):
    def test_call(self):
        raise TimeoutError("late")

    def test_call_and_cleanup(self):
        self.addCleanup(self.fail, "a bug")
        raise TimeoutError("late")

class TestSetUp(unittest.TestCase):
    def setUp(self):
        raise TimeoutError("late")

    def test_case(self):
        pass

class TestTearDown(unittest.IsolatedAsyncioTestCase):
    async def asyncTearDown(self):
        raise TimeoutError("late")

    async def test_case(self):
        pass

class TestSetUpClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise TimeoutError("late")

    def test_case(self):
        pass

@pytest.mark.asyncio
async def test_async():
    await asyncio.sleep(0)
    raise TimeoutError("late")

def test_not_frozen():
    raise TimeoutError("late")
"""
#: for each frozen test the phase that fails, its outcome, and what the reason says; None: its call is excused
FROZEN_KINDS: dict[str, tuple[str, str, str] | None] = {
    "test_in_a_faked_world": None,
    "test_listed": None,
    "test_subclass": None,
    "test_group": None,
    "test_flips": None,
    "test_words[a]": None,
    "TestCase::test_call": None,
    "test_async": None,
    "test_call_and_teardown": None,
    "TestCase::test_call_and_cleanup": None,
    "test_mixed_group": ("call", "failed", "`ValueError`"),
    "test_bug": ("call", "failed", "`AssertionError`"),
    "test_other_text": ("call", "failed", "`Failed`"),
    "test_strict": ("call", "failed", "without an exception"),
    "test_setup": ("setup", "failed", "its setup failed"),
    "test_session_setup": ("setup", "failed", "its setup failed"),
    "TestClass::test_method": ("setup", "failed", "its setup failed"),
    "TestSetUpClass::test_case": ("setup", "failed", "its setup failed"),
    "test_teardown": ("teardown", "failed", "its teardown failed"),
    "TestSetUp::test_case": ("call", "failed", "of its TestCase failed"),
    "TestTearDown::test_case": ("call", "failed", "of its TestCase failed"),
    "test_expected": ("call", "xfailed", ""),
    "test_passes": ("call", "passed", ""),
    "test_skips": ("call", "skipped", ""),
}

TWO = """
def test_one():
    raise TimeoutError("late")

def test_two():
    raise TimeoutError("late")

def test_plain():
    pass
"""
NAMES = ("test_one", "test_two")


class Suites:
    """Repositories and runs that several tests look at, each made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kinds: Run | None = None
        self.two: World | None = None
        self.unfit: Run | None = None


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Suites:
    return Suites(tmp_path_factory.mktemp("suites"))


@pytest.fixture
def kinds(suites: Suites) -> Run:
    """One run of the suite of all kinds."""
    if suites.kinds is None:
        world = suite(World.new(suites.folder / "kinds"), KINDS, list(FROZEN_KINDS))
        world.replay(FROZEN, test=f"{SUITE}::test_flips", failure="AssertionError")
        suites.kinds = run(world, "-p", "asyncio", SUITE)
    return suites.kinds


@pytest.fixture
def two(suites: Suites, tmp_path: Path) -> World:
    """A repository with two frozen tests that fail and one test that passes."""
    if suites.two is None:
        suites.two = suite(World.new(suites.folder / "two"), TWO, NAMES)
    return suites.two.copy(tmp_path / "two")


# which failures are excused


@pytest.mark.parametrize("name", [name for name, wanted in FROZEN_KINDS.items() if wanted is None])
def test_what_a_freeze_covers_is_expected_to_fail(kinds: Run, name: str) -> None:
    line = kinds.line(name)
    assert (line["outcome"], line["raw_outcome"], line["excused"], line["reason"]) == ("xfailed", "failed", True, "")
    assert line["property_id"] == "PROP-2"
    assert any(
        told.startswith(f"excused: {SUITE}::{name}: frozen, @finley owns it, 15 days left (PROP-2), ")
        for told in kinds.summary
    )


@pytest.mark.parametrize("name", [name for name, wanted in FROZEN_KINDS.items() if wanted is not None])
def test_what_no_freeze_covers_stays_what_it_is(kinds: Run, name: str) -> None:
    wanted = FROZEN_KINDS[name]
    assert wanted is not None
    when, outcome, reason = wanted
    line = kinds.line(name, when)
    assert (line["outcome"], line["raw_outcome"], line["excused"]) == (outcome, outcome, False)
    assert reason in line["reason"]
    told = [text for text in kinds.summary if f"{SUITE}::{name}" in text]
    assert [text.startswith("not excused: ") for text in told] == ([True] if outcome == "failed" else [])


@pytest.mark.parametrize("name", ["test_call_and_teardown", "TestCase::test_call_and_cleanup"])
def test_a_teardown_after_an_excused_call_still_fails(kinds: Run, name: str) -> None:
    assert kinds.line(name, "teardown")["outcome"] == "failed"


def test_a_test_that_is_not_frozen_fails(kinds: Run) -> None:
    for name in ("test_not_frozen", "test_words[b]"):
        line = kinds.line(name)
        assert (line["outcome"], line["property_id"], line["exceptions"]) == ("failed", None, ["TimeoutError"])
    assert kinds.code == 1


def test_every_failing_leaf_is_logged_by_its_class(kinds: Run) -> None:
    assert kinds.line("test_group")["exceptions"] == ["TimeoutError", "test_suite.Late"]


def test_the_header_counts(kinds: Run) -> None:
    assert kinds.header == f"flakeledger: {len(FROZEN_KINDS)} freezes open for pinned-py311 (enforce)"


SUBTESTS = """
def test_all_late(subtests):
    for number in range(2):
        with subtests.test("try", number=number):
            raise TimeoutError("late")

def test_one_bug(subtests):
    with subtests.test("late"):
        raise TimeoutError("late")
    with subtests.test("bug"):
        raise ValueError("a bug")

import unittest

class TestCase(unittest.TestCase):
    def test_late(self):
        with self.subTest(number=1):
            raise TimeoutError("late")
"""


def test_each_subtest_is_judged_by_what_failed_it(tmp_path: Path) -> None:
    names = ["test_all_late", "test_one_bug", "TestCase::test_late"]
    # pytest 9 has subtests of its own
    plugin = ("-p", "subtests") if pytest.version_tuple < (9,) else ()
    result = run(suite(World.new(tmp_path / "world"), SUBTESTS, names), SUITE, *plugin)
    outcomes = {
        (line["test"].rpartition("::")[2], line["subtest"]): line["outcome"] for line in result.lines if line["subtest"]
    }
    assert outcomes == {
        ("test_all_late", "try number=0"): "xfailed",
        ("test_all_late", "try number=1"): "xfailed",
        ("test_one_bug", "late"): "xfailed",
        ("test_one_bug", "bug"): "failed",
        ("test_late", "number=1"): "xfailed",
    }
    assert result.code == 1
    assert any(text.startswith(f"not excused: {SUITE}::test_one_bug (bug), ValueError: ") for text in result.summary)
    assert run(World(tmp_path / "world"), SUITE, "-k", "late", *plugin).code == 0


# what is asked of a freeze


#: what is changed in a right row -> why the freeze then excuses nothing
UNFIT: dict[str, tuple[dict[str, Value | None], str]] = {
    "a_fixture": (
        {"fixture_hashes": {"FX-1": "0" * 64}},
        "its freeze is void: a fixture changed since it was granted",
    ),
    "a_generator": (
        {"generator_hash": "0" * 64},
        "its freeze is void: a generator of its property changed since it was granted",
    ),
    "the_test": (
        {"test_hash": "0" * 64},
        "its freeze is void: the text of the test, or of what it uses in its module, changed since it was granted",
    ),
    "two_pins": (
        {"fixture_hashes": {"FX-1": "0" * 64}, "generator_hash": "0" * 64},
        "its freeze is void: a fixture and a generator of its property changed since it was granted",
    ),
    "no_test_hash": ({"test_hash": None}, "its freeze lacks `test_hash`, which level `keyed` needs"),
    "no_runner": ({"runner_class": None}, "its freeze names no runner class"),
    "expired": ({"expires": on(FROZEN - 1)}, f"its freeze ended at {on(FROZEN)}T00:00:00Z; @finley owned it"),
    "early": ({"frozen_on": on(FROZEN + 2)}, f"its freeze begins on {on(FROZEN + 2)}, more than a day ahead of now"),
    "long": ({"expires": on(FROZEN + 31)}, "the window of its freeze is 31 days long; the policy allows 30"),
    "other": ({"runner_class": "local-fixture"}, "its freeze holds on local-fixture, and this is pinned-py311"),
    "invariant": ({"failure_class": "invariant"}, "its freeze is of failure class invariant: a bug to mend"),
    "twice": ({}, "two rows freeze it, and one must go"),
}
FINE = "test_fine"


def run_unfit(root: Path) -> Run:
    names = [FINE, *(f"test_{name}" for name in UNFIT)]
    text = "".join(f"def {name}():\n    raise TimeoutError('late')\n\n" for name in names)
    world = suite(World.new(root), text, names)
    for name, (fields, _) in UNFIT.items():
        world.set_fields(FREEZES, f"{SUITE}::test_{name}", **fields)
    world.append(FREEZES, world.row(FREEZES, f"{SUITE}::test_twice"))
    return run(world, SUITE)


@pytest.mark.parametrize("name", UNFIT)
def test_a_freeze_that_does_not_hold_excuses_nothing(suites: Suites, name: str) -> None:
    suites.unfit = suites.unfit or run_unfit(suites.folder / "unfit")
    reason = UNFIT[name][1]
    line = suites.unfit.line(f"test_{name}")
    assert (line["outcome"], line["reason"]) == ("failed", reason)
    assert f"not excused: {SUITE}::test_{name}, TimeoutError: {reason}" in suites.unfit.summary


def test_a_freeze_that_does_not_hold_takes_no_other_with_it(suites: Suites) -> None:
    suites.unfit = suites.unfit or run_unfit(suites.folder / "unfit")
    assert suites.unfit.outcomes(FINE) == ["xfailed"]
    assert suites.unfit.header == (
        "flakeledger: 5 freezes open for pinned-py311, 1 expired, 1 of other runners, 6 unfit (enforce)"
    )


def test_pins_are_those_of_what_lies_on_the_disk(two: World) -> None:
    two.sub(CONFTEST, "1", "2")
    result = run(two, SUITE)
    assert result.code == 1
    assert all("its freeze is void: a generator" in text for text in result.summary)


def test_at_level_ledger_a_freeze_without_pins_needs_no_git_and_covers_every_failure(tmp_path: Path) -> None:
    world = suite(World.new(tmp_path / "world"), "def test_bug():\n    assert 1 == 2\n", ["test_bug"], "ledger")
    shutil.rmtree(world.root / ".git")
    result = run(world, SUITE, path="/nowhere")
    assert (result.code, result.outcomes("test_bug")) == (0, ["xfailed"])


def test_the_last_second_of_a_window_counts(two: World) -> None:
    last = f"--flakeledger-now={on(FROZEN + DAYS)}T23:59:59Z"
    assert run(two, SUITE, last).summary[0].partition("TimeoutError")[0] == (
        f"excused: {SUITE}::test_one: frozen, @finley owns it, less than a day left (PROP-2), "
    )
    after = run(two, SUITE, day=FROZEN + DAYS + 1)
    assert after.header == "flakeledger: 0 freezes open for pinned-py311, 2 expired (enforce)"
    assert after.code == 1


# which machine this is


def test_the_runner_class_comes_from_the_environment(two: World) -> None:
    result = run(two, SUITE, FLAKELEDGER_RUNNER="local-fixture")
    assert result.header == "flakeledger: 0 freezes open for local-fixture, 2 of other runners (enforce)"
    assert result.code == 1


def test_an_unknown_runner_class_excuses_nothing(two: World) -> None:
    result = run(two, SUITE, FLAKELEDGER_RUNNER="moon\x1b[31m")
    problem = (
        "nothing is excused: `moon\\x1b[31m` is no runner of the policy; "
        "fix: set FLAKELEDGER_RUNNER to one of `pinned-py311`, `local-fixture`"
    )
    assert result.header == f"flakeledger: {problem}"
    assert result.summary == [problem]
    assert result.code == 1


def test_without_git_nothing_is_excused_and_the_summary_says_why(two: World) -> None:
    result = run(two, SUITE, path="/nowhere")
    assert result.code == 1
    assert result.header.endswith("2 freezes open for pinned-py311 (enforce)")
    assert len(result.summary) == 2
    assert all("its pins cannot be checked: git" in text for text in result.summary)


def test_a_yaml_module_of_the_project_is_neither_used_nor_hidden(two: World) -> None:
    # pytest as `python -m pytest` looks for modules in the current folder first, in that of the tests then
    two.write("yaml.py", "raise SystemExit('not a reader')\n")
    result = run(two, SUITE)
    assert (result.code, result.header) == (0, "flakeledger: 2 freezes open for pinned-py311 (enforce)")
    two.delete("yaml.py")
    two.write("plain/yaml.py", "OURS = True\n")
    two.write("plain/test_yaml.py", "import yaml\ndef test_ours():\n    assert yaml.OURS\n")
    assert run(two, "plain", SUITE).code == 0


def test_a_repository_around_the_rootdir_is_none(two: World, tmp_path: Path) -> None:
    shutil.rmtree(two.root / ".git")
    World(tmp_path).git("init", "-q")
    result = run(two, "--rootdir=.", SUITE)
    assert result.code == 1
    assert "is not the root of its repository" in result.summary[0]


# ledgers that are wrong


@pytest.mark.parametrize(
    ("path", "old", "new", "place"),
    [
        (FREEZES, "owner: ", "ownr: ", "ledgers/freezes.yaml:2:3: unknown-field: "),
        (FREEZES, "@finley", "\x1b]0;owned\x07", "ledgers/freezes.yaml:2:"),
        (POLICY, "version: 1", "<<<<<<< ours", "ledgers/policy.yaml:1:1: conflict-marker: "),
    ],
)
def test_a_broken_ledger_excuses_nothing_and_says_where(two: World, path: str, old: str, new: str, place: str) -> None:
    two.sub(path, old, new)
    result = run(two, SUITE)
    assert result.code == 1
    assert result.header.startswith(f"flakeledger: nothing is excused: {place}")
    assert "; fix: " in result.header
    assert result.summary == [result.header.removeprefix("flakeledger: ")]
    assert "\x1b" not in result.out
    assert "\x07" not in result.out


def test_other_ledgers_are_read_when_a_frozen_test_fails(two: World) -> None:
    two.append("ledgers/replays.jsonl", "{\n")
    result = run(two, SUITE)
    assert result.code == 1
    assert "its pins cannot be checked: ledgers/replays.jsonl:1:" in result.summary[0]


def test_without_a_policy_nothing_is_excused(two: World) -> None:
    two.delete(POLICY)
    result = run(two, SUITE)
    assert result.code == 1
    assert result.summary == ["nothing is excused: ledgers/policy.yaml is missing; fix: flakeledger init"]


def test_ledgers_behind_a_link_are_not_read(two: World) -> None:
    two.move("ledgers", "elsewhere")
    (two.root / "ledgers").symlink_to("elsewhere")
    result = run(two, SUITE)
    assert result.code == 1
    assert "ledgers is a symbolic link" in result.header


# modes


def test_report_tells_what_enforce_would_do(two: World) -> None:
    result = run(two, SUITE, "--flakeledger=report")
    assert result.code == 1
    assert result.header.endswith("2 freezes open for pinned-py311 (report)")
    assert result.outcomes("test_one") == ["failed"]
    assert [text.partition(":")[0] for text in result.summary] == ["would be excused"] * 2


def test_off_honours_nothing_and_says_nothing(two: World) -> None:
    result = run(two, SUITE, "--flakeledger=off")
    assert (result.code, result.header, result.summary) == (1, "", [])
    assert result.outcomes("test_one") == ["failed"]


def test_colours_are_pytests_own(two: World) -> None:
    assert "\x1b[33mexcused: " in run(two, SUITE, "--color=yes").out


# beside pytest's own options and other people's plugins


@pytest.mark.parametrize("option", ["-x", "--maxfail=1"])
def test_an_excused_failure_stops_nothing(two: World, option: str) -> None:
    result = run(two, SUITE, option)
    assert (result.code, result.outcomes("test_plain")) == (0, ["passed"])


def test_a_failure_that_is_not_excused_stops_as_ever(two: World) -> None:
    two.set_fields(FREEZES, f"{SUITE}::test_one", test_hash="0" * 64)
    result = run(two, SUITE, "-x")
    assert (result.code, result.outcomes("test_two")) == (1, [])


def test_last_failed_forgets_what_was_excused(two: World) -> None:
    assert run(two, SUITE, "--cache-clear", "--flakeledger=off").code == 1
    excused = run(two, SUITE, "--lf")
    assert (excused.code, len(excused.lines)) == (0, 6)
    assert len(run(two, SUITE, "--lf").lines) == 9


def test_the_junit_report_has_it_skipped_with_the_freeze(two: World) -> None:
    run(two, SUITE, "--junitxml=report.xml")
    root = ElementTree.parse(two.root / "report.xml").getroot()
    (counts,) = root.iter("testsuite")
    assert (counts.get("failures"), counts.get("errors"), counts.get("skipped")) == ("0", "0", "2")
    skipped = [(found.get("type"), found.get("message")) for found in root.iter("skipped")]
    text = "flakeledger: frozen, @finley owns it, 15 days left (PROP-2)"
    assert skipped == [("pytest.xfail", text)] * 2


def test_xdist_judges_on_workers_and_tells_on_the_controller(two: World) -> None:
    result = run(two, SUITE, "-p", "xdist", "-n", "2")
    calls = {line["test"].rpartition("::")[2]: line["outcome"] for line in result.lines if line["when"] == "call"}
    assert calls == {"test_one": "xfailed", "test_two": "xfailed", "test_plain": "passed"}
    assert len(result.lines) == 9
    assert [text.startswith("excused: ") for text in result.summary] == [True, True]
    assert result.out.count("2 freezes open for pinned-py311") == 1


def test_a_group_of_xdist_is_no_part_of_the_id(tmp_path: Path) -> None:
    text = "import pytest\n\n@pytest.mark.xdist_group('clock')\ndef test_one():\n    raise TimeoutError\n"
    world = suite(World.new(tmp_path / "world"), text, ["test_one"])
    result = run(world, SUITE, "-p", "xdist", "-n", "1", "--dist=loadgroup")
    (told,) = result.summary
    assert result.code == 0
    assert told.startswith(f"excused: {SUITE}::test_one: ")


def test_a_process_that_died_is_told_and_not_excused(two: World) -> None:
    """The report is what pytest-xdist makes of a worker that crashed in a test."""
    now = parse_instant(noon(FROZEN))
    hooks = Honouring(Setting(str(two.root), {}, "enforce", now), frozen_tests(str(two.root), {}, now), None, False)
    test = f"{SUITE}::test_one"
    crash = pytest.TestReport(test, (SUITE, None, SUITE), {}, "failed", "worker 'gw0' crashed", "???")  # type: ignore[arg-type]  # as xdist does
    ((told, verdict),) = hooks.told({"failed": [crash]})
    assert crash.outcome == "failed"
    assert (told, verdict.covered) == (test, False)
    assert verdict.reason == "its process died, and no freeze covers that"


RERUN = """
seen = []

def test_late():
    raise TimeoutError("late")

def test_bug():
    assert 1 == 2

def test_second_try():
    seen.append(1)
    assert len(seen) > 1
"""


def test_what_is_excused_is_not_run_again_and_the_last_run_is_told(tmp_path: Path) -> None:
    world = suite(World.new(tmp_path / "world"), RERUN, ["test_late", "test_bug", "test_second_try"])
    result = run(world, SUITE, "-p", "rerunfailures", "--reruns", "2")
    assert result.outcomes("test_late") == ["xfailed"]
    assert result.outcomes("test_bug") == ["rerun", "rerun", "failed"]
    assert result.outcomes("test_second_try") == ["rerun", "passed"]
    assert [text.partition(",")[0].partition(": frozen")[0] for text in result.summary] == [
        f"excused: {SUITE}::test_late",
        f"not excused: {SUITE}::test_bug",
    ]


def test_the_order_of_randomly_changes_nothing(two: World) -> None:
    result = run(two, SUITE, "-p", "randomly")
    assert (result.code, len(result.summary)) == (0, 2)


def test_the_debugger_does_not_open_for_an_excused_failure(two: World) -> None:
    assert run(two, SUITE, "--pdb").code == 0


def test_pytest_can_do_without_the_terminal(two: World) -> None:
    result = run(two, SUITE, "-p", "no:terminal")
    assert (result.code, result.outcomes("test_one")) == (0, ["xfailed"])
