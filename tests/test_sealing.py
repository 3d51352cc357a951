"""Ways to take the network from a command, tried for real."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from flakeledger.evidence import sealing as module
from flakeledger.evidence.sealing import ALLOWED_VARIABLES, OPEN, sealing

OUT = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
SELF = (
    "import socket; server = socket.create_server(('127.0.0.1', 0)); "
    "socket.create_connection(server.getsockname(), 5); print('heard')"
)


def run(words: tuple[str, ...], code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*words, sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_a_sealed_command_has_the_loopback_and_no_way_out() -> None:
    found = sealing(os.environ)
    if found.words:
        assert found.network in ("off (bwrap)", "off (unshare)")
        assert "unreachable" in run(found.words, OUT).stderr
        assert run(found.words, SELF).stdout == "heard\n"
        assert run(found.words, "import sys; sys.exit(7)").returncode == 7
    else:
        assert found.network == OPEN


def test_a_command_keeps_its_user_and_gains_no_right() -> None:
    found = sealing(os.environ)
    code = "import os; print(os.getuid(), [line for line in open('/proc/self/status') if line.startswith('CapAmb')])"
    assert run(found.words, code).stdout == run((), code).stdout


@pytest.mark.parametrize(
    "words",
    [
        ("no-such-program",),
        ("false",),
        ("env",),  # it runs, and takes nothing away
        ("sh", "-c", "exit 0"),
    ],
)
def test_a_way_that_does_not_work_is_not_taken(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    code = f"{OUT}"
    if run((), code).returncode:  # without a network `env` would be a way
        words = ("false",)
    monkeypatch.setattr(module, "WAYS", (("way", words),))
    assert sealing(os.environ) == ((), OPEN)


def test_no_variable_on_the_list_sounds_like_a_secret() -> None:
    words = ("TOKEN", "SECRET", "KEY", "PASS", "AUTH", "CREDENTIAL", "GIT", "AWS", "PROXY")
    assert not [name for name in ALLOWED_VARIABLES if any(word in name for word in words)]
