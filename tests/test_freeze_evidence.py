"""What replays say: bounds, and which failures are the environment's."""

from __future__ import annotations

import pytest

from flakeledger.rules.freeze_evidence import bound, is_environment


@pytest.mark.parametrize(("runs", "text"), [(1, "95.0 %"), (20, "13.9 %"), (50, "5.8 %"), (300, "1.0 %")])
def test_the_bound_of_a_rate_that_was_never_seen(runs: int, text: str) -> None:
    assert bound(runs) == text


ACCEPTED = ("TimeoutError", "ConnectionError", "socket.gaierror", "mydriver.errors.Unavailable")


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("TimeoutError", True),
        ("builtins.TimeoutError", True),
        ("ConnectionResetError", True),  # a built-in subclass of ConnectionError
        ("BrokenPipeError", True),
        ("socket.gaierror", True),
        ("mydriver.errors.Unavailable", True),
        ("asyncio.TimeoutError", True),
        ("AssertionError", False),
        ("OSError", False),
        ("Exception", False),
        ("Unavailable", False),
        ("print", False),
        ("", False),
    ],
)
def test_which_failures_are_the_environments(name: str, answer: bool) -> None:
    assert is_environment(name, ACCEPTED) is answer
