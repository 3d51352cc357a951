"""Ways to take the network from a command, tried for real."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flakeledger.evidence import sealing as module
from flakeledger.evidence.sealing import ALLOWED_VARIABLES, OPEN, Sealing, sealing

OUT = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
SELF = (
    "import socket; server = socket.create_server(('127.0.0.1', 0)); "
    "socket.create_connection(server.getsockname(), 5); print('heard')"
)


def run(found: Sealing, code: str) -> subprocess.CompletedProcess[str]:
    command = [*found.words, sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=found.call)


def without_calls(patched: pytest.MonkeyPatch) -> None:
    """As on a system whose own calls take no network away."""
    patched.setattr(module, "network_leaving", lambda: None)


@pytest.mark.parametrize("by_program", [False, True])
def test_a_sealed_command_has_the_loopback_and_no_way_out(monkeypatch: pytest.MonkeyPatch, by_program: bool) -> None:
    if by_program:
        without_calls(monkeypatch)
    found = sealing(os.environ)
    if found.network == OPEN:
        assert found == Sealing(OPEN)
    else:
        assert found.network == ("off (bwrap)" if by_program else "off (unshare)")
        assert "unreachable" in run(found, OUT).stderr
    assert run(found, SELF).stdout == "heard\n"
    assert run(found, "import sys; sys.exit(7)").returncode == 7


def test_a_program_of_this_system_seals_where_no_call_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A script stands in for `bwrap`, which few machines have."""
    without_calls(monkeypatch)
    script = tmp_path / "seals"
    python = "import os, sys\nfrom flakeledger.evidence.namespaces import network_leaving\nnetwork_leaving()()\n"
    script.write_text(f"#!{sys.executable}\n{python}os.execvp(sys.argv[1], sys.argv[1:])\n")
    script.chmod(0o755)
    monkeypatch.setattr(module, "PROGRAMS", (("no", ("no-such-program",)), ("seals", ("seals",))))
    found = sealing(os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"})
    if found.network != OPEN:
        assert found == Sealing("off (seals)", words=(str(script),))
        assert "unreachable" in run(found, OUT).stderr


def test_a_command_keeps_its_user_and_gains_no_right() -> None:
    code = "import os; print(os.getuid(), [line for line in open('/proc/self/status') if line.startswith('CapAmb')])"
    assert run(sealing(os.environ), code).stdout == run(Sealing(OPEN), code).stdout


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
    if run(Sealing(OPEN), OUT).returncode:  # without a network `env` would be a way
        words = ("false",)
    without_calls(monkeypatch)
    monkeypatch.setattr(module, "PROGRAMS", (("way", words),))
    assert sealing(os.environ) == Sealing(OPEN)


def test_no_variable_on_the_list_sounds_like_a_secret() -> None:
    words = ("TOKEN", "SECRET", "KEY", "PASS", "AUTH", "CREDENTIAL", "GIT", "AWS", "PROXY")
    assert not [name for name in ALLOWED_VARIABLES if any(word in name for word in words)]
