"""That growth is told apart by itself, and that no test measures speed in any other way."""

from __future__ import annotations

import ast
import gc
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from growing import ROUNDS, assert_linear

TESTS = Path(__file__).parent


def pairs(size: int) -> int:
    return sum(1 for _ in range(size) for _ in range(size))


def taken_from_the_front(size: int) -> None:
    left = list(range(size))
    while left:
        left.pop(0)


def cut_off_the_front(size: int) -> None:
    text = bytes(size)
    while text:
        text = text[1:]


def looked_for_in_a_list(size: int) -> int:
    names = list(range(size))
    return sum(name in names for name in range(size))


QUADRATIC: list[tuple[Callable[[int], object], int]] = [
    (pairs, 1_500),
    (taken_from_the_front, 60_000),
    (cut_off_the_front, 100_000),
    (looked_for_in_a_list, 4_000),
]
LINEAR: list[Callable[[int], object]] = [
    lambda size: sum(range(size)),
    lambda size: sorted(range(size, 0, -1)),
    lambda size: dict.fromkeys(range(size)),
    lambda size: b"a" * size == b"a" * size,
    lambda _size: None,
]


@pytest.mark.parametrize(("call", "size"), QUADRATIC)
def test_what_is_quadratic_is_refused(call: Callable[[int], object], size: int) -> None:
    with pytest.raises(AssertionError, match=r"^8 times the input took (\d+ times \(.* s against .* s\)(, |$)){5}"):
        assert_linear(lambda size: partial(call, size), size)


@pytest.mark.parametrize("call", LINEAR)
def test_what_is_linear_is_not(call: Callable[[int], object]) -> None:
    assert_linear(lambda size: partial(call, size), 1_000_000)


def test_what_the_whole_input_gave_is_given() -> None:
    assert assert_linear(lambda size: lambda: size, 800) == 800


class Clock:
    """One that only moves when a call says so, and keeps which calls were made."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.calls: list[int] = []

    def __call__(self) -> float:
        return self.seconds

    def work(self, took: Callable[[int, int], float]) -> Callable[[int], Callable[[], None]]:
        """Calls that take what is told for their size and the number of calls before."""

        def prepared(size: int) -> Callable[[], None]:
            self.seconds += 1000.0 * size  # what is prepared does not count

            def call() -> None:
                self.seconds += took(size, len(self.calls))
                self.calls.append(size)

            return call

        return prepared


@pytest.mark.parametrize(
    ("took", "calls"),
    [
        (lambda size, _: size, [1, 1, 1, 8]),
        (lambda size, made: size + (100 if made == 0 else 0), [1, 1, 1, 8]),  # what is done once
        (lambda size, made: size + (100 if made == 1 else 0), [1, 1, 1, 8]),  # a disturbed part
        (lambda size, made: size + (100 if made == 3 else 0), [1, 1, 1, 8, 1, 1, 8]),  # a disturbed whole
        (lambda size, made: size + (100 if made < 15 else 0) * (size == 8), [1] + [1, 1, 8] * ROUNDS),
        (lambda size, _: 2.99 * size if size == 8 else size, [1, 1, 1, 8]),
        (lambda size, _: 0.0029 if size == 8 else 0, [1, 1, 1, 8]),  # less than can be told
    ],
)
def test_the_first_round_that_holds_is_enough(took: Callable[[int, int], float], calls: list[int]) -> None:
    clock = Clock()
    assert_linear(clock.work(took), 8, clock)
    assert clock.calls == calls


@pytest.mark.parametrize(
    "took", [lambda size, _: size**2, lambda size, _: 24 if size == 8 else 1, lambda size, _: 0.025 * (size == 8)]
)
def test_what_holds_in_no_round_is_refused_after_the_last(took: Callable[[int, int], float]) -> None:
    clock = Clock()
    with pytest.raises(AssertionError, match="times"):
        assert_linear(clock.work(took), 8, clock)
    assert clock.calls == [1] + [1, 1, 8] * ROUNDS


def refused() -> None:
    raise ValueError("not this")


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_is_off_and_then_as_it_was(collects: bool) -> None:
    seen = set()
    try:
        if not collects:
            gc.disable()
        assert_linear(lambda _: lambda: seen.add(gc.isenabled()), 8)
        assert (seen, gc.isenabled()) == ({False}, collects)
        with pytest.raises(ValueError, match="not this"):
            assert_linear(lambda _: refused, 8)
        assert gc.isenabled() is collects
    finally:
        gc.enable()


# how tests look at clocks

#: what is there to measure speed with
STOPWATCHES = frozenset(
    [
        *("process_time", "process_time_ns", "perf_counter", "perf_counter_ns", "thread_time", "thread_time_ns"),
        *("timeit", "os.times", "ru_utime", "ru_stime", "clock_gettime", "clock_gettime_ns"),
    ]
)
#: what tells an instant: to wait until a deadline, it is added to, or compared with one
INSTANTS = frozenset(["monotonic", "monotonic_ns"])
#: modules that may, and why
MAY = {
    "growing.py": "it compares what it measures with itself",
    "fuzz/worst.py": "a benchmark, which a command of its own starts",
    "fuzz/run.py": "it tells how many inputs a second a campaign tries",
    "faulted.py": "how long a command runs, so that a campaign can kill it at any moment of that",
}


def measured(tree: ast.Module) -> Iterator[str]:
    """Where a module measures a duration."""
    deadlines = {
        id(part)
        for node in ast.walk(tree)
        for part in _operands(node)
        if isinstance(part, ast.Call) and _name(part.func) in INSTANTS
    }
    for node in ast.walk(tree):
        if _name(node) in STOPWATCHES:
            yield f"line {getattr(node, 'lineno', 1)}: {_name(node)}"
        elif isinstance(node, ast.Call) and _name(node.func) in INSTANTS and id(node) not in deadlines:
            yield f"line {node.lineno}: {_name(node.func)} for no deadline"


def _operands(node: ast.AST) -> list[ast.expr]:
    """What is added up, or compared."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [node.left, node.right]
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else []


def _name(node: ast.AST) -> str:
    """The last part of a name, of whatever is used or imported."""
    if isinstance(node, ast.alias):
        return node.name.rpartition(".")[2]
    if isinstance(node, ast.ImportFrom):
        return node.module or ""
    if isinstance(node, ast.Attribute):
        return f"os.{node.attr}" if ast.unparse(node.value) == "os" else node.attr
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("begun = time.process_time()", ["line 1: process_time"]),
        ("from time import perf_counter as clock", ["line 1: perf_counter"]),
        ("import timeit", ["line 1: timeit"]),
        ("from timeit import repeat", ["line 1: timeit"]),
        ("x = os.times().elapsed", ["line 1: os.times"]),
        ("begun = time.monotonic()\nf()\nassert time.monotonic() - begun < 5", ["monotonic"] * 2),
        ("begun = monotonic()", ["monotonic"]),
        ("def soon(): return time.monotonic()", ["monotonic"]),
        ("until = time.monotonic() + 60\nwhile time.monotonic() < until: pass", []),
        ("assert until <= time.monotonic()", []),
        ("monkeypatch.setattr(module, 'monotonic', lambda: 0)", []),
        ("times = agreed_times(dates)", []),
        ("# time.process_time() < 2", []),
    ],
)
def test_what_measures_a_duration(text: str, said: list[str]) -> None:
    found = list(measured(ast.parse(text)))
    assert len(found) == len(said)
    assert all(one in line for one, line in zip(said, found, strict=True))


def test_no_test_compares_a_duration_with_seconds() -> None:
    """Speed belongs to `benchmarks/` and `fuzz.worst`; a test says how work grows, and what became of what it ended."""
    files = {file.relative_to(TESTS).as_posix(): file for file in TESTS.rglob("*.py")}
    found = {name: list(measured(ast.parse(file.read_bytes()))) for name, file in sorted(files.items())}
    assert {name: said for name, said in found.items() if said and name not in MAY} == {}
    assert [name for name in MAY if not found[name]] == []
