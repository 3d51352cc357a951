"""Outcomes of real tests of every kind: what counts as a failure, and what is none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from flakeledger.evidence.runs import Mode, Outcome
from replaying import BOTH_MODES, committed, job, replayed

MODULE = """
    import os, socket, sys, unittest
    import pytest
    from hypothesis import HealthCheck, assume, given, settings, strategies as st

    def test_passes(): pass
    def test_fails(): raise ConnectionRefusedError("no route")
    def test_asserts(): assert [1, 2] == [1, 3]
    def test_skips(): pytest.skip("no device")
    @pytest.mark.skipif(True, reason="never here")
    def test_is_skipped(): pass
    @pytest.mark.xfail(reason="known")
    def test_is_expected_to_fail(): raise ValueError("it did")
    @pytest.mark.xfail(strict=True, reason="known")
    def test_is_strictly_expected_to_fail(): pass
    @pytest.mark.xfail(run=False, reason="crashes")
    def test_is_not_run(): pass
    def test_gives_up_expectedly(): pytest.xfail("here")
    def test_exits(): sys.exit(3)
    def test_ends_the_session(): pytest.exit("enough")
    def test_interrupts(): raise KeyboardInterrupt
    def test_groups(): raise ExceptionGroup("both", [ConnectionResetError(), ExceptionGroup("in", [KeyError("k")])])
    def test_groups_accepted(): raise ExceptionGroup("both", [ConnectionResetError(), TimeoutError()])
    def test_looks_up(): raise socket.gaierror("unknown")
    @pytest.mark.flaky(reruns=5)
    def test_is_rerun(tmp_path_factory):
        global RUNS
        RUNS = globals().get("RUNS", 0) + 1
        assert RUNS > 1

    @pytest.fixture
    def broken(): raise TimeoutError("too slow")
    def test_setup(broken): pass
    @pytest.fixture
    def broken_late():
        yield
        raise OSError("gone")
    def test_teardown(broken_late): pass
    def test_fails_and_teardown(broken_late): assert False
    @pytest.fixture(scope="session")
    def broken_session(): raise LookupError("no session")
    def test_session(broken_session): pass

    class TestClass:
        @classmethod
        def setup_class(cls): raise ValueError("no class")
        def test_it(self): pass

    class Case(unittest.TestCase):
        def test_passes(self): pass
        def test_fails(self): self.assertEqual(1, 2)
        def test_skips(self): self.skipTest("not here")
        def test_sub(self):
            for number in range(3):
                with self.subTest(number=number):
                    self.assertNotEqual(number, 1)
        @unittest.expectedFailure
        def test_expected(self): raise KeyError("k")
        @unittest.expectedFailure
        def test_unexpected(self): pass
        @given(st.integers())
        def test_given(self, number): self.assertLess(number, 10**6)

    class Setup(unittest.TestCase):
        def setUp(self): raise ValueError("no case")
        def test_it(self): pass

    class Teardown(unittest.TestCase):
        def tearDown(self): raise ValueError("no end")
        def test_it(self): pass

    class Async(unittest.IsolatedAsyncioTestCase):
        async def test_it(self): raise TimeoutError

    def test_subtests(subtests):
        for number in range(3):
            with subtests.test(number=number):
                if number == 1:
                    raise TimeoutError("one of them")

    @pytest.mark.parametrize("text", ["a::b", "x]y", "[", "ü", "a/b", " "])
    def test_parameters(text): assert text == "ü"

    @settings(database=None)
    @given(st.integers())
    def test_assumes_too_much(number): assume(False)
    @given(st.integers())
    def test_skips_inside(number): pytest.skip("inside")
"""
#: test, outcome, failure, a part of what is said
CASES: list[tuple[str, Outcome, str, str]] = [
    ("test_passes", "pass", "", ""),
    ("test_fails", "fail", "ConnectionError", "ConnectionRefusedError: no route"),
    ("test_asserts", "fail", "AssertionError", "assert [1, 2] == [1, 3]"),
    ("test_skips", "skipped", "", "no device"),
    ("test_is_skipped", "skipped", "", "never here"),
    ("test_is_expected_to_fail", "fail", "ValueError", "ValueError: it did"),
    ("test_is_strictly_expected_to_fail", "pass", "", ""),
    ("test_is_not_run", "pass", "", ""),
    ("test_gives_up_expectedly", "pass", "", ""),
    ("test_exits", "fail", "SystemExit", "SystemExit: 3"),
    ("test_ends_the_session", "error", "_pytest.outcomes.Exit", "enough"),
    ("test_interrupts", "error", "KeyboardInterrupt", ""),
    ("test_groups", "fail", "KeyError", "ExceptionGroup: both"),
    ("test_groups_accepted", "fail", "ConnectionError", "ExceptionGroup: both"),
    ("test_looks_up", "fail", "socket.gaierror", "unknown"),
    ("test_is_rerun", "fail", "AssertionError", "assert 1 > 1"),
    ("test_setup", "error", "TimeoutError", "setup: TimeoutError: too slow"),
    ("test_teardown", "error", "OSError", "teardown: OSError: gone"),
    ("test_fails_and_teardown", "error", "OSError", "teardown: OSError: gone"),
    ("test_session", "error", "LookupError", "setup: LookupError: no session"),
    ("TestClass::test_it", "error", "ValueError", "setup: ValueError: no class"),
    ("Case::test_passes", "pass", "", ""),
    ("Case::test_fails", "fail", "AssertionError", "AssertionError: 1 != 2"),
    ("Case::test_skips", "skipped", "", "not here"),
    ("Case::test_sub", "fail", "AssertionError", "1 == 1"),
    ("Case::test_expected", "fail", "KeyError", "KeyError: 'k'"),
    ("Case::test_unexpected", "pass", "", ""),
    ("Case::test_given", "fail", "AssertionError", "not less than"),
    ("Setup::test_it", "error", "ValueError", "call: ValueError: no case"),
    ("Teardown::test_it", "error", "ValueError", "call: ValueError: no end"),
    ("Async::test_it", "fail", "TimeoutError", "TimeoutError"),
    ("test_subtests", "fail", "TimeoutError", "one of them"),
    ("test_parameters[a::b]", "fail", "AssertionError", "a::b"),
    ("test_parameters[x]y]", "fail", "AssertionError", "x]y"),
    ("test_parameters[[]", "fail", "AssertionError", "["),
    ("test_parameters[\\xfc]", "pass", "", ""),
    ("test_parameters[a/b]", "fail", "AssertionError", "a/b"),
    ("test_parameters[ ]", "fail", "AssertionError", ""),
    ("test_assumes_too_much", "fail", "hypothesis.errors.FailedHealthCheck", "filtering out"),
    ("test_skips_inside", "skipped", "", "inside"),
    ("test_missing", "not_run", "", "there is no such test"),
    ("TestClass::test_missing", "not_run", "", "there is no such test"),
]
#: one session of pytest that sees every test in turn, as the plugin does with one
SEES_ALL = """
    import json, pytest
    from flakeledger.evidence.seeding_plugin import prepare
    from flakeledger.evidence.seeding_seen import Seen

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(session):
        found, manager = {}, session.config.pluginmanager
        for item in session.items:
            seen = Seen(item, dict)
            manager.register(seen, "seen")
            prepare(item, 1)
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            manager.unregister(seen)
            found[item.nodeid] = seen.verdict(["TimeoutError", "ConnectionError"])
        with open("found.json", "w") as file:
            json.dump(found, file)
        return True
"""
#: tests that end a session, or need one of their own
IN_A_SESSION = ("test_fails", "test_ends_the_session", "Setup::test_it", "test_missing", "test_parameters[\\xfc]")


@pytest.fixture(autouse=True)
def _few_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def test_outcomes(tmp_path: Path) -> None:
    (tmp_path / "test_all.py").write_text(dedent(MODULE), encoding="utf-8")
    (tmp_path / "conftest.py").write_text(dedent(SEES_ALL), encoding="utf-8")
    # pytest 9 has subtests of its own
    plugin = ["-p", "subtests"] if pytest.version_tuple < (9,) else []
    command = [sys.executable, "-m", "pytest", "-q", *plugin, "--runxfail", "-p", "no:cacheprovider", "test_all.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (tmp_path / "found.json").exists(), done.stdout + done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    for name, outcome, failure, said in CASES:
        seen = found.pop(f"test_all.py::{name}", None)
        if seen is None:
            assert outcome == "not_run", name
        else:
            assert (name, seen["outcome"], seen["failure"]) == (name, outcome, failure), seen
            assert said in seen["detail"], name
            assert bool(seen["detail"]) == (outcome != "pass"), name
    assert not found


@pytest.mark.parametrize("mode", BOTH_MODES)
def test_outcomes_in_sessions_of_their_own(repository: Path, mode: Mode) -> None:
    options = "[pytest]\naddopts = -x --strict-markers\n"
    git = committed(repository, {"tests/test_all.py": MODULE, "pytest.ini": options})
    expected = {name: (outcome, failure) for name, outcome, failure, _ in CASES}
    runs = replayed(git, *(job(f"tests/test_all.py::{name}", mode=mode) for name in IN_A_SESSION))
    assert [(run.outcome, run.failure) for run in runs] == [expected[name] for name in IN_A_SESSION]
