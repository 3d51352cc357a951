"""The arguments that commands share: what is read, and what argparse says of the rest."""

from __future__ import annotations

import argparse
import os
import pty
import sys
from collections.abc import Mapping

import pytest

from flakeledger.precommit.arguments import number_up_to, seconds, wants_colour


@pytest.mark.parametrize(("text", "expected"), [("1", 1), ("99", 99), ("07", 7)])
def test_a_number_up_to_a_bound_is_read(text: str, expected: int) -> None:
    assert number_up_to(99)(text) == expected


@pytest.mark.parametrize("text", ["", "0", "100", "-1", "1.0", "1_0", "٣", "9" * 5000])
def test_any_other_number_is_refused_with_the_bound(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"is no number from 1 to 99$"):
        number_up_to(99)(text)


@pytest.mark.parametrize(("text", "expected"), [("1", 1.0), ("0.5", 0.5), ("1e3", 1000.0)])
def test_seconds_are_read(text: str, expected: float) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize("text", ["", "0", "-1", "inf", "nan", "1e999", "soon", "5s"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"is no number of seconds$"):
        seconds(text)


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_a_terminal_is_coloured_where_it_knows_colours_and_nobody_minds(
    environment: Mapping[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(ours), os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        assert wants_colour(environment) is coloured


def test_a_pipe_is_never_coloured() -> None:
    assert wants_colour({"TERM": "xterm-256color"}) is False
