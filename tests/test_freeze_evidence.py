"""What replays say: which failures are the environment's."""

from __future__ import annotations

import pytest

from flakeledger.rules.freeze_evidence import is_environment

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
