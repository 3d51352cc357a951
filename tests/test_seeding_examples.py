"""The digest of what a test drew: equal for equal examples, another for any other, honest where it cannot tell."""

from __future__ import annotations

import datetime
import decimal
import enum
import hashlib
import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.evidence.runs import identical_streams
from flakeledger.evidence.seeding_examples import Walk
from replaying import committed, job, outcomes, replayed


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclass
class Point:
    x: object
    y: object = 0


@dataclass(slots=True)
class Slotted:
    x: object


class Plain:
    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)


class Pair(NamedTuple):
    x: int
    y: int


class Rude:
    """Whatever is called on it fails."""

    def __init__(self) -> None:
        self.x = 1

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError

    def __getattr__(self, name: str) -> object:
        raise RuntimeError

    def __iter__(self) -> Any:
        raise RuntimeError


class Listed(list[int]):
    pass


def walked(value: object) -> tuple[str, bool]:
    """The digest of a value, and whether it is partial."""
    walk = Walk(hashlib.sha256())
    walk.add(value)
    return walk.digest.hexdigest(), walk.partial


def endless() -> list[object]:
    """A list that holds itself, twice."""
    value: list[object] = []
    value += [value, value]
    return value


#: each is another value than all the others
DIFFERENT: list[object] = [
    None, True, False, 0, 1, -1, 10**5000, 10**5000 + 1, 0.0, -0.0, 1.0, float("inf"), 1j, "", "1", "ü", "\ud800",
    b"", b"1", bytearray(b"1"), [], [1], [1, 2], [2, 1], [[1], 2], [[1, 2]], (), (1, 2), {}, {1: 2}, {2: 1},
    {"a": 1, "b": 2}, {"b": 2, "a": 1}, set(), {1, 2}, frozenset({1, 2}), {1, 3}, Colour.RED, Colour.BLUE,
    Point(1), Point(2), Point(1, 1),
    Slotted(1), Slotted(2), Plain(x=1), Plain(x=2), Plain(y=1), Pair(1, 2), Pair(2, 1), int, str,
    datetime.date(2026, 1, 1), datetime.date(2026, 1, 2), decimal.Decimal("1.0"), decimal.Decimal("1.00"),
    numpy.array([1, 2]), numpy.array([[1, 2]]), numpy.array([1.0, 2.0]), numpy.int8(1), numpy.int16(1), Rude(),
]  # fmt: skip


def test_different_values_have_different_digests_and_none_is_partial() -> None:
    digests = [walked(value) for value in DIFFERENT]
    assert [value for value, (_, partial) in zip(DIFFERENT[:-1], digests, strict=False) if partial] == []
    for (one, first), (other, second) in combinations(enumerate(digests), 2):
        assert first != second, (one, other)


@pytest.mark.parametrize(
    "value",
    [object(), iter([1]), (one for one in [1]), lambda: 1, sys, Listed([1]), numpy.array([object()]), endless(),
     list(range(20_000)), Plain(), [[object()]], {1: iter(())}, open, re.compile("x")],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_has_no_faithful_form_is_partial(value: object) -> None:
    assert walked(value)[1]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.sets(st.text()),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_a_copy_has_the_same_digest(value: object) -> None:
    import copy

    digest, partial = walked(value)
    assert walked(copy.deepcopy(value)) == (digest, partial)
    assert not partial


def test_hash_order_does_not_matter() -> None:
    code = """if True:
        import hashlib
        from flakeledger.evidence.seeding_examples import Walk
        walk = Walk(hashlib.sha256())
        walk.add({str(number) for number in range(100)})
        print(walk.digest.hexdigest())
    """
    variables = [{"PYTHONHASHSEED": seed} for seed in ("1", "2")]
    digests = {subprocess.check_output([sys.executable, "-c", code], env=one) for one in variables}
    assert len(digests) == 1


MODULE = """
    import asyncio, inspect
    import pytest
    from hypothesis import given, settings, strategies as st
    from hypothesis.stateful import RuleBasedStateMachine, rule

    @given(st.integers())
    def test_given(number): pass

    @pytest.mark.parametrize("name", ["a", "b"])
    @given(number=st.integers())
    def test_parametrised(tmp_path_factory, name, number): pass

    @given(st.booleans())
    def test_few_values(flag): pass

    @given(st.sampled_from([object(), 0]))
    def test_partly_told(value): pass

    @given(st.data())
    def test_data(data): data.draw(st.integers())

    class TestClass:
        @given(st.integers())
        def test_method(self, number): pass

    @pytest.mark.asyncio
    @given(st.integers())
    async def test_async(number): await asyncio.sleep(0)

    class Machine(RuleBasedStateMachine):
        @rule(number=st.integers())
        def step(self, number):
            with open("drawn.txt", "a") as file:
                file.write(str(number))

    TestMachine = Machine.TestCase
    TestMachine.settings = settings(max_examples=3, stateful_step_count=3, deadline=None, derandomize=True)

    def test_plain(): pass

    def test_inner_function_is_restored():
        assert not inspect.iscoroutinefunction(test_given.hypothesis.inner_test)
"""


def test_each_kind_of_test_of_hypothesis(repository: Path) -> None:
    git = committed(
        repository, {"test_all.py": MODULE, "pytest.ini": "[pytest]\nasyncio_default_fixture_loop_scope=function\n"}
    )
    names = ("test_given", "test_parametrised[b]", "test_few_values", "test_partly_told", "test_data",
             "TestClass::test_method", "test_async", "TestMachine::runTest", "test_plain")  # fmt: skip
    runs = {name: replayed(git, job(f"test_all.py::{name}", (1, 2, 1), "fork")) for name in names}
    for name, three in runs.items():
        assert outcomes(three) == ["pass"] * 3, (name, three[0].detail)
        one, two, again = three
        draws = name not in ("test_plain", "TestMachine::runTest")
        assert bool(one.examples) == draws, name
        assert one.examples == again.examples
        assert one.executions == again.executions
        assert one.partial == (name in ("test_partly_told", "test_data", "TestMachine::runTest")), name
        assert not identical_streams([one, two]), name
        if draws and name not in ("test_few_values", "test_partly_told", "test_data"):
            assert one.examples != two.examples, name
            assert (one.executions, one.used_up) == (100, True), name
    assert identical_streams([runs["test_given"][0], runs["test_given"][2]])
    assert not runs["test_few_values"][0].used_up
