"""How far a replay is, in a log. (The bar is tested where a terminal is: test_replay_signals.py.)"""

from __future__ import annotations

import pytest

from flakeledger.cli import replay_progress
from flakeledger.cli.replay_progress import counted, duration, passes_and_failures, progress
from flakeledger.evidence.runs import SeedRun

PASSED, FAILED = SeedRun(1, "pass"), SeedRun(2, "fail")


def test_a_log_gets_whole_lines_and_not_one_for_each_seed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([100.0, 101.0, 109.0, 110.0, 110.0, 111.0])
    monkeypatch.setattr(replay_progress, "monotonic", lambda: next(clock))
    shown = progress(40, (PASSED,) * 10)
    for run in (PASSED, FAILED, PASSED, SeedRun(3, "timeout")):
        shown.seed(run)
    shown.close()
    assert capsys.readouterr().err == "13 of 40 seeds, 0.30 a second, about 1 min 30 s left, 12 passed, 1 failed\n"


def test_what_is_said_of_a_test_is_one_harmless_line(capsys: pytest.CaptureFixture[str]) -> None:
    progress(1, ()).say("a\x1btest: done\n")
    assert capsys.readouterr().err == "a\\x1btest: done\\n\n"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (61, "1 min 1 s"), (3600, "1 h 0 min"), (7325, "2 h 2 min")],
)
def test_times_are_for_people(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_what_is_neither_is_named_where_there_is_some() -> None:
    assert passes_and_failures(counted((PASSED, PASSED, FAILED))) == "2 passed, 1 failed"
    assert passes_and_failures(counted((SeedRun(1, "error"),))) == "0 passed, 0 failed, 1 neither"
