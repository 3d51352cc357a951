"""Takes the network from a process that is about to become another program, by Linux's own calls.

Invariants:
* Afterwards the process is in a network of its own, whose loopback is up and which nothing leads out of; or there is an
  OSError, and it does not go on.
* It keeps its user and group, and what it becomes gains no right: those of a new user namespace end with exec.
* Whatever is looked up is looked up before the fork; between fork and exec there are only calls of the C library, and
  three small files of /proc.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

#: sched.h
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
#: socket.h, linux/sockios.h, and if.h: the request that sets the flags of an interface
_AF_INET, _SOCK_DGRAM, _SIOCSIFFLAGS, _IFF_UP = 2, 2, 0x8914, 1
#: `struct ifreq`: a name of 16 bytes, and a union of 24
_LOOPBACK_UP = b"lo".ljust(16, b"\0") + _IFF_UP.to_bytes(2, sys.byteorder).ljust(24, b"\0")


def network_leaving() -> Callable[[], None] | None:
    """What a forked process calls before it becomes another program; None where the system has no such calls."""
    if sys.platform != "linux":
        return None
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    unshare, open_socket, control = library.unshare, library.socket, library.ioctl

    def called(result: int) -> int:
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    def leave() -> None:
        user, group = os.geteuid(), os.getegid()
        try:
            called(unshare(_CLONE_NEWNET))
        except OSError as error:
            if error.errno != errno.EPERM:
                raise
            # who may not make a network may make a user namespace, and a network in it
            called(unshare(_CLONE_NEWUSER | _CLONE_NEWNET))
            for name, text in (("setgroups", b"deny"), ("uid_map", b"%d %d 1" % (user, user))):
                _write(f"/proc/self/{name}", text)
            _write("/proc/self/gid_map", b"%d %d 1" % (group, group))
        descriptor = called(open_socket(_AF_INET, _SOCK_DGRAM, 0))
        called(control(descriptor, _SIOCSIFFLAGS, _LOOPBACK_UP))
        os.close(descriptor)

    return leave


def is_alone(leave: Callable[[], None]) -> bool:
    """Whether a process that has called this has no route but that of its loopback: tried in one that ends at once."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            leave()
            code = int(any(_routes_out()))
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def _routes_out() -> list[bytes]:
    """What /proc says of routes through anything but the loopback. OSError where it says nothing."""
    with open("/proc/self/net/route", "rb") as file:
        routes = file.read().splitlines()[1:]  # without its heading
    if os.path.exists("/proc/self/net/ipv6_route"):
        with open("/proc/self/net/ipv6_route", "rb") as file:
            routes += [line for line in file.read().splitlines() if line.split()[-1:] != [b"lo"]]
    return routes


def _write(path: str, text: bytes) -> None:
    """The kernel takes the whole of such a file in one write."""
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text)
    finally:
        os.close(descriptor)
