"""A digest of all that a test of Hypothesis drew under one seed, so that two seeds can be seen to be two runs.

Part of what the tests' interpreter is given: see `seeding_plugin.py`.

Invariants:
* Equal examples give equal digests in every process: neither hash order nor an address goes into them.
* What has no faithful form is marked as partial, never taken for equal.
* No method that a test wrote is called, and a value is walked in bounded depth and size.
* The test's own function is restored: parametrised tests share it.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import hashlib
import inspect
import struct
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pytest


def function_of(item: pytest.Item) -> Any:
    """The function that was collected, None for an item of another kind."""
    collected = getattr(item, "obj", None)
    return getattr(collected, "__func__", collected)


def given_function(item: pytest.Item) -> Any:
    """The collected function when it is a test of Hypothesis, else None."""
    function = function_of(item)
    return function if getattr(function, "is_hypothesis_test", False) is True else None


#: flags of a type (CPython's object.h): a class statement makes a mutable type on the heap
HEAP_TYPE, IMMUTABLE_TYPE = 1 << 9, 1 << 8
KIND_FLAGS = HEAP_TYPE | IMMUTABLE_TYPE


class Examples:
    """A digest of everything that one test drew, in order."""

    def __init__(self) -> None:
        """Nothing was drawn yet."""
        self.digest = hashlib.sha256()
        self.executions = 0
        self.partial = False

    @contextlib.contextmanager
    def of(self, item: pytest.Item) -> Iterator[None]:
        """Note what the test draws while it runs; parametrised tests share their function, so it is restored."""
        function = given_function(item)
        handle = getattr(function, "hypothesis", None)
        if handle is None:
            self.partial = function is not None  # a state machine: what it draws is not handed over in one place
            yield
            return
        inner = handle.inner_test
        drawn = set(inspect.signature(inner).parameters) - set(inspect.signature(function).parameters)
        handle.inner_test = self._noting(inner, drawn)
        try:
            yield
        finally:
            handle.inner_test = inner

    def facts(self, item: pytest.Item) -> dict[str, Any]:
        """The digest and how it came about."""
        stopped = getattr(item, "hypothesis_statistics", None)
        return {
            "examples": "" if getattr(given_function(item), "hypothesis", None) is None else self.digest.hexdigest(),
            "executions": self.executions,
            "partial": self.partial,
            "used_up": isinstance(stopped, str) and "Stopped because settings.max_examples=" in stopped,
        }

    def _noting(self, inner: Callable[..., Any], drawn: set[str]) -> Callable[..., Any]:
        def note(arguments: Mapping[str, object]) -> None:
            walk = Walk(self.digest)
            walk.add({name: value for name, value in sorted(arguments.items()) if name in drawn})
            self.executions += 1
            self.partial = self.partial or walk.partial

        @functools.wraps(inner)
        def noted(*arguments: Any, **named: Any) -> Any:
            note(named)
            return inner(*arguments, **named)

        @functools.wraps(inner)
        async def noted_coroutine(*arguments: Any, **named: Any) -> Any:
            note(named)
            return await inner(*arguments, **named)

        return noted_coroutine if inspect.iscoroutinefunction(inner) else noted


class Walk:
    """Adds a value to a digest by exact type, in bounded depth and size; calls no method that a test wrote."""

    DEEPEST = 16
    MOST = 10_000
    #: types of the standard library whose repr says all that they hold
    TOLD_BY_REPR = frozenset(("datetime", "decimal", "fractions", "ipaddress", "pathlib", "uuid", "zoneinfo"))

    def __init__(self, digest: Any) -> None:
        """`partial` becomes true once a value has no faithful form."""
        self.digest = digest
        self.partial = False
        self.left = self.MOST

    def add(self, value: Any, depth: int = DEEPEST) -> None:
        """Add a value and what it holds."""
        self.left -= 1
        kind = type(value)
        self._feed(f"{kind.__module__}.{kind.__qualname__}".encode(errors="surrogatepass"))
        if depth == 0 or self.left < 0:
            self.partial = True
        elif kind in PLAIN:
            self._feed(PLAIN[kind](value))
        elif kind in (list, tuple) or issubclass(kind, tuple):
            self._add_all(tuple.__iter__(value) if issubclass(kind, tuple) else list.__iter__(value), depth)
        elif kind is dict:
            self._add_all((part for pair in value.items() for part in pair), depth)
        elif kind in (set, frozenset):
            self._add_unordered(value, depth)
        elif isinstance(value, enum.Enum):
            self._feed(str(value._name_).encode(errors="surrogatepass"))
        elif kind.__module__ == "numpy" and hasattr(value, "tobytes") and not value.dtype.hasobject:
            self._feed(f"{value.dtype.str} {value.shape}".encode())
            self._feed(value.tobytes())
        elif kind.__module__.partition(".")[0] in self.TOLD_BY_REPR:
            self._feed(repr(value).encode(errors="surrogatepass"))
        else:
            self._add_fields(value, kind, depth)

    def _add_all(self, values: Iterable[object], depth: int) -> None:
        for value in values:
            if self.left < 0:
                self.partial = True
                break
            self.add(value, depth - 1)
        self._feed(b"end")

    def _add_unordered(self, values: Iterable[object], depth: int) -> None:
        """A set, sorted by what its members' own digests are: its order depends on the hash seed."""
        parts = []
        for value in values:
            part = Walk(hashlib.sha256())
            part.left = self.left
            part.add(value, depth - 1)
            self.left, self.partial = part.left, self.partial or part.partial
            parts.append(part.digest.digest())
        self._feed(b"".join(sorted(parts)))

    def _add_fields(self, value: object, kind: type, depth: int) -> None:
        """The fields of an object of a class written in Python; of another one nothing is known."""
        own = [parent for parent in kind.__mro__ if parent is not object]
        written_in_python = all(one.__flags__ & KIND_FLAGS == HEAP_TYPE for one in own)
        if kind.__module__.partition(".")[0] == "hypothesis" or not written_in_python:
            self.partial = True
            return
        fields: dict[str, object] = {}
        for parent in own:
            for name, slot in vars(parent).items():
                if isinstance(slot, types.MemberDescriptorType):
                    with contextlib.suppress(AttributeError):
                        fields[name] = slot.__get__(value)
        with contextlib.suppress(AttributeError):
            fields.update(object.__getattribute__(value, "__dict__"))
        if not fields:
            self.partial = True
        self._add_all((part for pair in sorted(fields.items(), key=lambda pair: pair[0]) for part in pair), depth)

    def _feed(self, data: bytes) -> None:
        self.digest.update(b"%d:" % len(data))
        self.digest.update(data)


#: types whose values are one piece -> its bytes
PLAIN: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda _: b"",
    bool: lambda value: b"1" if value else b"0",
    int: lambda value: hex(value).encode(),  # str() refuses, or crawls through, a long one
    float: lambda value: struct.pack("<d", value),
    complex: lambda value: struct.pack("<dd", value.real, value.imag),
    str: lambda value: value.encode("utf-8", "surrogatepass"),
    bytes: lambda value: value,
    bytearray: lambda value: bytes(value),
    type: lambda value: f"{value.__module__}.{value.__qualname__}".encode(errors="surrogatepass"),
}
