"""A network of one's own, taken for real where this system lets us.

property_id: FL-ONE-RULE
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from flakeledger.evidence.namespaces import is_alone, network_leaving

#: by bash: the Python of the tests may lie where nobody else may read
OUT = "exec 3<>/dev/udp/192.0.2.1/9"
SELF = "exec 3<>/dev/tcp/127.0.0.1/9"
STATUS = "grep -E '^(Uid|Gid|Cap(Amb|Eff))' /proc/self/status"
NOBODY = 65534
#: prctl.h: without it, /proc of a process that gave its rights away belongs to root
PR_SET_DUMPABLE = 4


def run(code: str, *first: Callable[[], object]) -> subprocess.CompletedProcess[str]:
    def every() -> None:
        for one in first:
            one()

    command = ["bash", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=every, cwd=os.sep)


def become_nobody() -> None:
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)


def is_let(*first: Callable[[], object]) -> bool:
    """Whether this system lets a process make a network at all, asked by another program."""
    words = ("--user", "--map-current-user") if first else ()
    asked = subprocess.run(
        ["unshare", *words, "--net", "true"],
        check=False,
        capture_output=True,
        preexec_fn=first[0] if first else None,
    )
    return asked.returncode == 0


#: who leaves: what their process does before
WHO: dict[str, tuple[Callable[[], object], ...]] = {"as we are": ()}
if sys.platform == "linux" and os.geteuid() == 0:
    WHO["as a user without rights"] = (become_nobody,)


@pytest.mark.parametrize("who", WHO)
def test_a_process_that_left_has_its_loopback_and_no_way_out(who: str) -> None:
    leave = network_leaving()
    if leave is None or not is_let(*WHO[who]):
        with pytest.raises(subprocess.SubprocessError):
            run("", *WHO[who], leave or _never)
        return
    assert "unreachable" in run(OUT, *WHO[who], leave).stderr
    assert "refused" in run(SELF, *WHO[who], leave).stderr, "nobody listens, but somebody answers"
    assert run("exit 7", *WHO[who], leave).returncode == 7


def _never() -> None:
    raise OSError


@pytest.mark.parametrize("who", WHO)
def test_it_keeps_its_user_and_gains_no_right(who: str) -> None:
    leave = network_leaving()
    if leave is not None and is_let(*WHO[who]):
        assert run(STATUS, *WHO[who], leave).stdout == run(STATUS, *WHO[who]).stdout != ""


def test_who_is_alone_was_tried() -> None:
    leave = network_leaving()
    has_network = run(OUT).returncode == 0
    assert is_alone(_never) is False
    assert is_alone(lambda: None) is not has_network
    assert leave is None or is_alone(leave) is is_let()


def test_what_fails_in_another_way_ends_the_process_that_tries_too() -> None:
    def fails() -> None:
        raise ValueError

    assert is_alone(fails) is False
