"""Signals that are noted instead of obeyed. (How a replay ends by them: test_replay_signals.py.)"""

from __future__ import annotations

import signal

import pytest

from flakeledger.cli.interrupts import interrupts
from flakeledger.evidence.engines import Abandoned


def test_the_first_lets_what_runs_end_and_the_second_does_not(capfd: pytest.CaptureFixture[str]) -> None:
    with interrupts() as noted:
        assert (noted.stop(), noted.code) == (False, None)
        signal.raise_signal(signal.SIGINT)
        assert (noted.stop(), noted.code) == (True, 130)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(Abandoned):
            noted.stop()
    assert noted.code == 130
    first, second = capfd.readouterr().err.strip().split("\n\n")
    assert "may end" in first
    assert "are killed" in second


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_who_is_told_to_go_goes_at_once(number: int, code: int) -> None:
    with interrupts() as noted:
        signal.raise_signal(number)
        with pytest.raises(Abandoned):
            noted.stop()
    assert noted.code == code


def test_the_handlers_of_before_are_back() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    with pytest.raises(KeyError), interrupts():
        raise KeyError
    assert [signal.getsignal(number) for number in numbers] == before
