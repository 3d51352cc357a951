"""`flakeledger verdict` on the reports of real runs: pytest's are made here, the others lie in `data/reports`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import Answer, noon, typed
from flakeledger.evidence.junit import EXCUSED, read_report
from flakeledger.model.ledger_paths import FREEZES, POLICY, PROPERTIES, REPLAYS
from world import World, on

REPORTS = Path(__file__).parent / "data" / "reports"
SOURCES = REPORTS / "sources"
DAY, DAYS = 10, 14
SUITE = "tests/test_suite.py"
CODE = '''\
"""property_id: PROP-2"""
import socket
import pytest
class Late(TimeoutError): pass
def test_late(): raise TimeoutError("the clock")
def test_later(): raise Late("the clock")
def test_wrong(): assert 1 == 2
@pytest.mark.parametrize("name", ["a::b", "c"])
def test_each(name): raise TimeoutError(name)
class TestIt:
    @pytest.fixture
    def broken(self): raise TimeoutError("the fixture")
    def test_setup(self, broken): pass
    def test_fine(self): pass
@pytest.mark.skip(reason="not today")
def test_skipped(): pass
@pytest.mark.xfail(strict=True)
def test_strict(): pass
@pytest.mark.xfail
def test_expected(): raise TimeoutError("expected")
def test_live(): pass
def test_gone(): pass
'''
#: what becomes of each test, all of them frozen
EXCUSED_TESTS = ("test_late", "test_each[a::b]")
REFUSED = {
    "test_later": "Late: no `environment_failures` of the policy names",
    "test_wrong": "what it failed with is not known, and no replay shows",
    "TestIt::test_setup": "the report calls it an error",
    "test_strict": "it is a strict xfail that passed",
}
QUIET = ("TestIt::test_fine", "test_expected")
ABSENT = {"test_skipped": "it was skipped", "test_gone": "no report lists it"}
FROZEN = (*EXCUSED_TESTS, *REFUSED, *QUIET, *ABSENT)


def frozen_world(root: Path, tests: dict[str, str], level: str = "keyed") -> World:
    """A world whose tests (by id; each with the text of its file) are frozen by right rows."""
    world = World.new(root, level=level)
    for test, text in tests.items():
        world.write(test.partition("::")[0], text)
    world.add_row(PROPERTIES, id="PROP-2", statement="an answer comes", fixtures=["FX-1"], tests=list(tests))
    world.freeze_all(list(tests), DAY, DAYS)
    world.record("frozen")
    return world


def verdict(world: World, *arguments: str, day: int = DAY) -> Answer:
    return typed(world, "verdict", *arguments, "--runner", "pinned-py311", "--now", noon(day))


def judged(world: World, *arguments: str, day: int = DAY) -> dict[str, Any]:
    """The verdict for programs."""
    answer = verdict(world, *arguments, "--format", "json", day=day)
    assert not answer.err, answer.err
    found: dict[str, Any] = json.loads(answer.out)
    assert answer.code == int(not found["passes"])
    return found


def pytest_report(world: World, *arguments: str) -> None:
    """Let pytest, with no plugin that is not named, write `junit.xml`; one test is not run."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=junit.xml"]
    command += ["-k", "not test_gone"]
    # bytecode that is copied with its world would name the files of the other one
    environment = clean | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([*command, *arguments], cwd=world.root, env=environment, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stdout


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A suite of pytest, run once."""
    world = frozen_world(tmp_path_factory.mktemp("verdict") / "world", {f"{SUITE}::{name}": CODE for name in FROZEN})
    pytest_report(world, SUITE)
    return world


@pytest.fixture
def world(template: World, tmp_path: Path) -> World:
    return template.copy(tmp_path / "world")


def test_what_becomes_of_each_test_of_pytest(world: World) -> None:
    answer = verdict(world, "junit.xml")
    lines = answer.out.splitlines()
    assert answer.code == 1
    for name in EXCUSED_TESTS:
        assert f"excused: {SUITE}::{name}: TimeoutError: frozen, @finley owns it, 15 days left (PROP-2)" in lines
    for name, reason in REFUSED.items():
        assert any(line.startswith(f"not excused: {SUITE}::{name}: ") and reason in line for line in lines), name
    for name, why in ABSENT.items():
        assert f"not run: {SUITE}::{name}: {why}; @finley owns its freeze" in lines
    assert "not excused: test_each[c] of tests.test_suite: TimeoutError: no freeze is of this test" in lines
    assert len(lines) == len(EXCUSED_TESTS) + len(REFUSED) + len(ABSENT) + 1
    assert answer.err == (
        "11 test cases: 2 failures excused, 5 not; 10 frozen tests of pinned-py311, 2 of them not run; "
        f"now: {noon(DAY)}\n"
    )


def test_the_other_family_of_pytest_reports_is_judged_alike(world: World) -> None:
    first = verdict(world, "junit.xml")
    pytest_report(world, SUITE, "-o", "junit_family=xunit1")
    assert 'file="tests/test_suite.py"' in world.read("junit.xml")
    assert verdict(world, "junit.xml").out == first.out


def test_it_passes_when_every_failure_is_excused_and_every_frozen_test_ran(world: World) -> None:
    kept = {f"{SUITE}::{name}" for name in ("test_late", "test_each[a::b]")}
    world.unfreeze(*(f"{SUITE}::{name}" for name in FROZEN if f"{SUITE}::{name}" not in kept))
    pytest_report(world, f"{SUITE}::test_late", f"{SUITE}::test_each[a::b]", f"{SUITE}::test_live")
    answer = verdict(world, "junit.xml")
    assert answer.code == 0
    assert [line.split(": ")[0] for line in answer.out.splitlines()] == ["excused", "excused"]


def test_an_ended_freeze_excuses_nothing_and_its_owner_is_named(world: World) -> None:
    answer = verdict(world, "junit.xml", day=DAY + DAYS + 1)
    end = f"{on(DAY + DAYS + 1)}T00:00:00Z"
    assert f"not excused: {SUITE}::test_late: TimeoutError: its freeze ended at {end}; @finley owned it" in answer.out
    assert "\nexcused: " not in f"\n{answer.out}"


def test_a_freeze_that_is_void_on_disk_excuses_nothing(world: World) -> None:
    world.sub(SUITE, '"the clock"', '"a clock"')
    answer = verdict(world, "junit.xml")
    assert f"not excused: {SUITE}::test_late: TimeoutError: its freeze is void: the text of the test" in answer.out
    assert f"\nexcused: {SUITE}::test_each[a::b]" in f"\n{answer.out}"


def test_on_another_runner_class_no_freeze_of_this_one_counts(world: World) -> None:
    answer = typed(world, "verdict", "junit.xml", "--runner", "local-fixture", "--now", noon(DAY))
    assert "its freeze holds on pinned-py311, and this is local-fixture" in answer.out
    assert "not run: " not in answer.out


def test_the_environment_names_the_runner_class(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAKELEDGER_RUNNER", "local-fixture")
    answer = typed(world, "verdict", "junit.xml", "--now", noon(DAY))
    assert "0 frozen tests of local-fixture" in answer.err


def test_an_exception_counts_when_a_replay_shows_that_the_test_flips(world: World) -> None:
    world.replay(DAY, test=f"{SUITE}::test_wrong", failure="AssertionError")
    answer = verdict(world, "junit.xml")
    assert f"excused: {SUITE}::test_wrong: frozen, @finley owns it" in answer.out


def test_at_level_ledger_every_failure_of_the_test_itself_is_excused(tmp_path: Path) -> None:
    world = frozen_world(tmp_path / "world", {f"{SUITE}::{name}": CODE for name in FROZEN}, level="ledger")
    pytest_report(world, SUITE)
    found = judged(world, "junit.xml")
    refused = [one["test"] for one in found["failures"] if not one["excused"]]
    assert refused == [None, f"{SUITE}::TestIt::test_setup", f"{SUITE}::test_strict"]


def test_the_written_report_has_the_excused_failures_as_skips(world: World) -> None:
    verdict(world, "junit.xml", "--write", "out/excused.xml")
    text = world.read("out/excused.xml")
    before = read_report(world.read("junit.xml").encode(), "junit.xml")
    after = read_report(text.encode(), "excused.xml")
    changed = [one.name for one, other in zip(before.cases, after.cases, strict=True) if one != other]
    assert changed == ["test_late", "test_each[a::b]"]
    assert text.count(f'type="{EXCUSED}" message="frozen, @finley owns it, 15 days left (PROP-2)"') == 2
    suites = [report.root.find("testsuite") for report in (before, after)]
    counts = [[suite.get(name) for name in ("failures", "skipped", "errors")] for suite in suites if suite is not None]
    assert counts == [["6", "2", "1"], ["4", "4", "1"]]
    # judged again, the excused tests ran
    again = judged(world, "out/excused.xml")
    assert {one["test"] for one in again["not_run"]} == {f"{SUITE}::{name}" for name in ABSENT}
    assert again["counts"]["excused"] == 0


def test_the_report_may_be_written_in_its_own_place_and_nothing_else_is_written(world: World) -> None:
    world.git("add", "-f", "junit.xml")
    verdict(world, "junit.xml", "--write", "junit.xml")
    assert world.git("status", "--porcelain").split() == ["AM", "junit.xml"]


def test_the_verdict_as_json(world: World) -> None:
    found = judged(world, "junit.xml")
    assert sorted(found) == ["counts", "failures", "not_run", "now", "passes", "runner", "version"]
    assert found["counts"] == {"cases": 11, "excused": 2, "not_excused": 5, "frozen": 10, "not_run": 2}
    first = found["failures"][0]
    assert first == {
        "report": "junit.xml",
        "name": "test_late",
        "classname": "tests.test_suite",
        "exceptions": ["TimeoutError"],
        "excused": True,
        "reason": None,
        "test": f"{SUITE}::test_late",
        "owner": "@finley",
        "expires": on(DAY + DAYS),
        "property_id": "PROP-2",
    }
    assert [one["absence"] for one in found["not_run"]] == ["skipped", "missing"]


def test_what_the_plugin_excused_ran(world: World) -> None:
    options = ("-p", "flakeledger", f"--flakeledger-now={noon(DAY)}")
    pytest_report(world, f"{SUITE}::test_late", f"{SUITE}::test_live", *options)
    assert 'type="pytest.xfail" message="flakeledger: frozen' in world.read("junit.xml")
    found = judged(world, "junit.xml")
    assert found["failures"] == []
    assert f"{SUITE}::test_late" not in {one["test"] for one in found["not_run"]}


def test_an_error_after_a_failure_is_no_part_of_it(world: World) -> None:
    broken = "import pytest\n@pytest.fixture(autouse=True)\ndef late():\n    yield\n    raise TimeoutError('late')\n"
    world.write("tests/conftest.py", broken)
    pytest_report(world, f"{SUITE}::test_each[a::b]")
    found = judged(world, "junit.xml")
    reasons = [one["reason"].partition(":")[0] for one in found["failures"]]
    assert reasons == [
        "its freeze is void",  # a conftest that it pins is new
        "the report calls it an error, not a failure of the test, and a freeze covers the test alone",
    ]


# other frameworks


def reported(tmp_path: Path, test: str, **policy: str) -> World:
    """A world that holds the source of a checked-in report, with one frozen test."""
    world = frozen_world(tmp_path / "world", {test: (SOURCES / SOURCE_OF[test.partition("::")[0]]).read_text()})
    world.set_policy(**policy)
    return world


JS, SPEC, CMAKE, JAVA = "test/orders.test.js", "src/orders.test.js", "CMakeLists.txt", "src/shop/OrdersTest.java"
SETUP = "src/shop/SetupTest.java"
#: kept under names that no one takes for those of tests
SOURCE_OF = {
    JS: "node-orders.js.txt",
    SPEC: "jest-orders.js.txt",
    CMAKE: "CMakeLists.txt",
    JAVA: "OrdersTest.java.txt",
    SETUP: "SetupTest.java.txt",
}


@pytest.mark.parametrize(
    ("report", "test", "failures", "expected"),
    [
        (
            "node",
            f"{JS}::refund waits for the clock",
            "[TimeoutError]",
            {"excused": 1, "not_excused": 1, "not_run": 0},
        ),
        (
            "node",
            f"{JS}::orders::refund is partial",
            "[TimeoutError]",
            {"excused": 0, "not_excused": 2, "not_run": 0},
        ),
        ("node", f"{JS}::total adds up", "[TimeoutError]", {"excused": 0, "not_excused": 2, "not_run": 0}),
        ("node", f"{JS}::later", "[TimeoutError]", {"excused": 0, "not_excused": 2, "not_run": 1}),
        (
            "jest",
            f"{SPEC}::refund waits for the clock",
            "[Error]",
            {"excused": 1, "not_excused": 1, "not_run": 0},
        ),
        (
            "jest",
            f"{SPEC}::orders::refund is partial",
            "[TimeoutError]",
            {"excused": 0, "not_excused": 2, "not_run": 0},
        ),
        ("jest", f"{SPEC}::later", "[TimeoutError]", {"excused": 0, "not_excused": 2, "not_run": 1}),
        ("ctest", f"{CMAKE}::orders_refund", "[TimeoutError]", {"excused": 0, "not_excused": 1, "not_run": 0}),
        ("ctest", f"{CMAKE}::orders_off", "[TimeoutError]", {"excused": 0, "not_excused": 1, "not_run": 1}),
        (
            "ant-orders",
            f"{JAVA}::refund",
            "[SocketTimeoutException]",
            {"excused": 1, "not_excused": 1, "not_run": 0},
        ),
        (
            "ant-orders",
            f"{JAVA}::partialRefund",
            "[SocketTimeoutException]",
            {"excused": 0, "not_excused": 2, "not_run": 0},
        ),
        (
            "ant-orders",
            f"{JAVA}::later",
            "[SocketTimeoutException]",
            {"excused": 0, "not_excused": 2, "not_run": 1},
        ),
        (
            "ant-setup",
            f"{SETUP}::refund",
            "[SocketTimeoutException]",
            {"excused": 0, "not_excused": 1, "not_run": 0},
        ),
    ],
)
def test_reports_of_other_frameworks(
    report: str, test: str, failures: str, expected: dict[str, int], tmp_path: Path
) -> None:
    world = reported(tmp_path, test, environment_failures=failures)
    found = judged(world, str(REPORTS / f"{report}.xml"))
    assert {name: found["counts"][name] for name in expected} == expected


def test_without_exceptions_a_replay_that_flips_is_what_counts(tmp_path: Path) -> None:
    world = reported(tmp_path, f"{CMAKE}::orders_refund")
    world.replay(DAY, test=f"{CMAKE}::orders_refund")
    assert judged(world, str(REPORTS / "ctest.xml"))["passes"]


def test_several_reports_are_one_verdict(tmp_path: Path) -> None:
    world = reported(tmp_path, f"{JAVA}::refund", environment_failures="[SocketTimeoutException]")
    found = judged(world, *(str(REPORTS / f"ant-{name}.xml") for name in ("orders", "setup")))
    assert found["counts"] == {"cases": 5, "excused": 1, "not_excused": 2, "frozen": 1, "not_run": 0}
    assert [one["classname"] for one in found["failures"]] == ["shop.OrdersTest", "shop.OrdersTest", "shop.SetupTest"]


# what cannot be told


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<testsuites/>", "there is no test case in what was reported"),
        ("<testsuite><testcase", "is no XML"),
        ('<!DOCTYPE a [<!ENTITY b "b">]><testsuite>&b;</testsuite>', "declares a document type"),
    ],
)
def test_a_report_that_says_nothing_is_no_pass(text: str, reason: str, world: World) -> None:
    world.write("junit.xml", text)
    answer = verdict(world, "junit.xml")
    assert (answer.code, answer.out) == (2, "")
    assert reason in answer.err


def test_ledgers_that_cannot_be_read_are_no_pass(world: World) -> None:
    for path in (POLICY, FREEZES, REPLAYS):
        copy = world.copy(world.root.with_name(path.replace("/", "-")))
        copy.append(path, "nothing at all\n")
        answer = verdict(copy, "junit.xml")
        assert (answer.code, answer.out) == (2, ""), path
        assert path in answer.err


@pytest.mark.parametrize("report", ["gone.xml", "tests"])
def test_a_report_that_is_no_file_is_no_pass(report: str, world: World) -> None:
    assert verdict(world, report).code == 2


def test_an_unknown_runner_class_is_no_pass(world: World) -> None:
    answer = typed(world, "verdict", "junit.xml", "--runner", "nobody", "--now", noon(DAY))
    assert answer.code == 2
    assert "`nobody` is no runner of the policy" in answer.err
    assert "fix: --runner NAME   # one of `" in answer.err


def test_text_from_a_report_drives_no_terminal(world: World) -> None:
    name = "::error::x&#10;::warning::y\u202e"
    world.write("junit.xml", f'<testsuite><testcase name="{name}" classname="c&#9;d"><failure/></testcase></testsuite>')
    out = verdict(world, "junit.xml").out
    assert "not excused: ::error::x\\n::warning::y\\u202e of c\\td: no freeze is of this test" in out.splitlines()
