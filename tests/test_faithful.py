"""The faithful form: every value comes back as it was, or is refused; whatever JSON is read is a value or refused."""

from __future__ import annotations

import ast
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import importlib.util
import json
import struct
import subprocess
import sys
import uuid
import zoneinfo
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import drawn
from flakeledger.evidence import faithful
from flakeledger.evidence.copied_files import FILES
from flakeledger.evidence.faithful import decode, decoded_arguments, encode, encoded_arguments
from flakeledger.evidence.faithful_kinds import Refused, Unbuilt, text_of
from flakeledger.model.canonical import canonical_dump

HOUSE = Path(faithful.__file__).parent
MADRID = zoneinfo.ZoneInfo("Europe/Madrid")


class Zone(zoneinfo.ZoneInfo):
    """A zone of somebody's own."""


def nan(bits: str) -> float:
    found: float = struct.unpack(">d", bytes.fromhex(bits))[0]
    return found


def tagged(kind: str, **fields: object) -> dict[str, object]:
    return {"$": kind, **fields}


def the_float(text: str) -> dict[str, object]:
    return tagged("float", hex=text)


#: value -> its node, as it must stay: a node is part of a digest
NODES: list[tuple[Any, Any]] = [
    (None, None),
    (True, True),
    ("ü\n", "ü\n"),
    (2**53, 2**53),
    (2**53 + 1, tagged("int", hex="0x20000000000001")),
    (-(2**53) - 1, tagged("int", hex="-0x20000000000001")),
    ([1, [2]], [1, [2]]),
    ("\ud800", tagged("str", base64="ANg=")),
    (1.5, the_float("0x1.8000000000000p+0")),
    (-0.0, the_float("-0x0.0p+0")),
    (float("-inf"), the_float("-inf")),
    (nan("7ff8000000000000"), tagged("float", bits="7ff8000000000000")),
    (nan("fff8000000000001"), tagged("float", bits="fff8000000000001")),
    (1j, tagged("complex", real=the_float("0x0.0p+0"), imaginary=the_float("0x1.0000000000000p+0"))),
    (b"\0\xff", tagged("bytes", base64="AP8=")),
    (bytearray(b"1"), tagged("bytearray", base64="MQ==")),
    ((1, "a"), tagged("tuple", items=[1, "a"])),
    ({3, 1}, tagged("set", items=[1, 3])),
    (frozenset(), tagged("frozenset", items=[])),
    ({"b": 1, "a": (2,)}, tagged("dict", items=[["b", 1], ["a", tagged("tuple", items=[2])]])),
    (decimal.Decimal("-1E+2"), tagged("decimal", text="-1E+2")),
    (fractions.Fraction(2, 6), tagged("fraction", numerator=1, denominator=3)),
    (uuid.UUID(int=1), tagged("uuid", text="00000000-0000-0000-0000-000000000001")),
    (datetime.date(2026, 10, 25), tagged("date", text="2026-10-25")),
    (
        datetime.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=MADRID),
        tagged("datetime", text="2026-10-25T02:30:00", fold=1, zone=tagged("zone", key="Europe/Madrid")),
    ),
    (
        datetime.time(1, 2, 3, 4, tzinfo=datetime.timezone(datetime.timedelta(hours=-1), "west")),
        tagged(
            "time",
            text="01:02:03.000004",
            fold=0,
            zone=tagged("offset", by=tagged("timedelta", days=-1, seconds=82800, microseconds=0), name="west"),
        ),
    ),
    (datetime.timedelta(days=-1, microseconds=5), tagged("timedelta", days=-1, seconds=0, microseconds=5)),
    (drawn.Colour.ROT, tagged("enum", **{"class": "drawn:Colour", "name": "RED"})),
    (drawn.Point(1, "b"), tagged("dataclass", **{"class": "drawn:Point", "fields": [["x", 1], ["y", "b"]]})),
    (drawn.Adding(1), tagged("dataclass", **{"class": "drawn:Adding", "fields": [["total", 2]]})),
    (drawn.Slotted([1]), tagged("dataclass", **{"class": "drawn:Slotted", "fields": [["x", [1]]]})),
    (drawn.Holder.Inner(1), tagged("dataclass", **{"class": "drawn:Holder.Inner", "fields": [["x", 1]]})),
    (numpy.float32(1.5), tagged("numpy", dtype="<f4", base64="AADAPw==")),
    (numpy.array([[True], [False]]), tagged("numpy.ndarray", dtype="|b1", base64="AQA=", shape=[2, 1])),
    (numpy.array(7, dtype=">i2"), tagged("numpy.ndarray", dtype=">i2", base64="AAc=", shape=[])),
]  # fmt: skip


def same(one: Any, other: Any) -> bool:
    """Whether two values are alike in every bit that Python shows."""
    if type(one) is not type(other):
        return False
    if isinstance(one, numpy.ndarray | numpy.generic):
        return bool(one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes())
    if isinstance(one, float):
        return struct.pack(">d", one) == struct.pack(">d", other)
    if isinstance(one, complex):
        return same(one.real, other.real) and same(one.imag, other.imag)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    if isinstance(one, set | frozenset):
        return sorted(map(repr, one)) == sorted(map(repr, other))
    if dataclasses.is_dataclass(one):
        return all(same(getattr(one, each.name), getattr(other, each.name)) for each in dataclasses.fields(one))
    if isinstance(one, datetime.datetime | datetime.time):
        return bool(one.fold == other.fold and one.tzinfo == other.tzinfo and repr(one) == repr(other))
    return repr(one) == repr(other)


@pytest.mark.parametrize(("value", "node"), NODES, ids=lambda part: str(part)[:40].encode("ascii", "replace").decode())
def test_a_value_has_this_node_and_comes_back(value: object, node: object) -> None:
    assert encode(value) == node
    back = decode(node, build=True)
    assert same(back, value)
    assert text_of(node) == canonical_dump(node)


PLAIN = (
    st.none()
    | st.booleans()
    | st.text(st.characters())
    | st.integers()
    | st.floats(allow_nan=True, allow_subnormal=True)
    | st.complex_numbers()
    | st.binary(max_size=8)
    | st.decimals()
    | st.fractions()
    | st.uuids()
    | st.dates()
    | st.datetimes(timezones=st.none() | st.timezones() | st.just(datetime.UTC))
    | st.times()
    | st.timedeltas()
    | st.sampled_from(drawn.Colour)
)
HASHABLE = PLAIN.filter(lambda value: not (isinstance(value, decimal.Decimal) and value.is_snan()))
NUMPY = arrays.arrays(
    arrays.scalar_dtypes().filter(lambda dtype: dtype.itemsize > 0 and dtype.str[1:] not in ("f16", "c32")),
    arrays.array_shapes(max_dims=3, max_side=3, min_side=0),
)
VALUES = st.recursive(
    PLAIN | st.binary(max_size=3).map(bytearray) | NUMPY,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.sets(HASHABLE, max_size=3)
        | st.frozensets(HASHABLE, max_size=3)
        | st.dictionaries(HASHABLE, inner, max_size=3)
        | st.builds(drawn.Point, inner, inner)
        | st.builds(drawn.Slotted, inner)
    ),
    max_leaves=6,
)


@example(drawn.Point(0, {8, 0}))  # a set shows its values in the order in which they came
@given(VALUES)
def test_whatever_a_test_draws_comes_back(value: object) -> None:
    nodes = encoded_arguments({"x": value}, 1 << 20)
    text = json.dumps(nodes)
    (back,) = decoded_arguments(json.loads(text), build=True).values()
    assert same(back, value)


@given(VALUES)
def test_what_is_not_built_keeps_its_node(value: object) -> None:
    nodes = encoded_arguments({"x": value}, 1 << 20)
    (back,) = decoded_arguments(nodes, build=False).values()
    assert text_of(encode(back)) == text_of(nodes["x"])


def cyclic() -> object:
    value: list[object] = []
    value.append(value)
    return value


REFUSALS: list[tuple[Any, str]] = [
    (object(), "a value of builtins.object has no faithful form"),
    (drawn.Pair(1), "a value of drawn.Pair has no faithful form"),
    (collections.OrderedDict(), "OrderedDict has no faithful form"),
    (print, "has no faithful form"),
    (iter([]), "has no faithful form"),
    (drawn.Rude(), "a value of drawn.Rude has no faithful form"),
    (drawn.local_class(), "cannot be found by its name"),
    (drawn.Remembering(1), "holds other than its fields"),
    (drawn.Whole(), "a dataclass of a built-in type"),
    (drawn.Right.READ | drawn.Right.WRITE, "none of its members, but made of several"),
    (enum.Enum("Odd", ["A"], module="drawn").A, "cannot be found by its name"),  # type: ignore[attr-defined]  # dynamic
    (datetime.datetime(2026, 1, 1, tzinfo=Zone("UTC")), "its time zone, a test_faithful.Zone, has no key"),
    (numpy.array([object()]), "a numpy value of type object has no faithful form"),
    (numpy.longdouble(1), "has no faithful form"),
    (numpy.zeros((2, 2), order="F"), "not in the order of C"),
    (cyclic(), "nested deeper than 64 levels, or holds itself"),
    ([0] * 70_000, "more than 65536 values"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "reason"), REFUSALS, ids=lambda part: str(type(part))[:40])
def test_what_cannot_be_given_again_is_refused_with_its_reason(value: object, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        encoded_arguments({"xs": value}, 1 << 20)
    assert str(refused.value).startswith("the argument xs: ")
    assert reason in str(refused.value)


def test_data_is_refused_in_its_own_words() -> None:
    @given(st.data())
    def draws(data: st.DataObject) -> None:
        with pytest.raises(Refused, match=r"draws through data\(\) while it runs"):
            encode(data)

    draws()


def test_the_size_of_all_arguments_counts() -> None:
    text = len(text_of({"x": "a" * 10}))
    assert encoded_arguments({"x": "a" * 10}, text)
    with pytest.raises(Refused, match=f"the arguments take {text} bytes, and the largest witness has {text - 1}"):
        encoded_arguments({"x": "a" * 10}, text - 1)


#: JSON that looks like a node and is none, whether values are built or not
NO_NODES: list[Any] = [
    1.5, 2**53 + 1, {}, {"a": 1}, {"$": 1}, {"$": "no such kind"}, {"$": ["int"]},
    tagged("int", hex="0x1"), tagged("int", hex="0X20000000000001"), tagged("int", hex=1), tagged("int"),
    tagged("int", hex="0x20000000000001", more=1),
    tagged("float"), tagged("float", hex="1.5"), the_float("0x1.8p+0"), tagged("float", bits="3ff8000000000000"),
    tagged("float", hex="inf", bits="7ff8000000000000"), tagged("complex", real=0, imaginary=0),
    tagged("bytes", base64="A"), tagged("bytes", base64="MR=="), tagged("str", base64="YQA="),
    tagged("str", base64="YQ=="),
    tagged("tuple", items=1), tagged("set", items=[3, 1]), tagged("set", items=[1, 1]), tagged("set", items=[[1]]),
    tagged("dict", items=[[1]]), tagged("dict", items=[[1, 2], [1, 3]]), tagged("dict", items=[[[], 1]]),
    tagged("decimal", text="one"), tagged("decimal", text="1e2"), tagged("fraction", numerator=1, denominator=0),
    tagged("fraction", numerator=2, denominator=4), tagged("fraction", numerator=True, denominator=1),
    tagged("uuid", text="0" * 36), tagged("date", text="2026-02-30"), tagged("date", text="20260230"),
    tagged("timedelta", days=0, seconds=86400, microseconds=0),
    tagged("timedelta", days=1e9, seconds=0, microseconds=0),
    tagged("datetime", text="2026-01-01T00:00:00", fold=2, zone=None),
    tagged("datetime", text="2026-01-01T00:00:00", fold=0, zone=tagged("zone", key="../../etc/passwd")),
    tagged("datetime", text="2026-01-01T00:00:00+01:00", fold=0, zone=None),
    tagged("enum", **{"class": "drawn", "name": "RED"}), tagged("enum", **{"class": "drawn:Colour", "name": "a b"}),
    tagged("dataclass", **{"class": "drawn:Point", "fields": {"x": 1}}),
    tagged("dataclass", **{"class": "drawn:Point", "fields": [[1, 1]]}),
    tagged("numpy", dtype="|O8", base64=""), tagged("numpy", dtype="<f8", base64="AA=="),
    tagged("numpy.ndarray", dtype="<f8", base64="", shape=[-1]),
    tagged("numpy.ndarray", dtype="|b1", base64="AQ==", shape=[1 << 31, 1 << 31]),
]  # fmt: skip


@pytest.mark.parametrize("build", [True, False])
@pytest.mark.parametrize("node", NO_NODES, ids=str)
def test_what_is_no_node_is_refused(node: object, build: bool) -> None:
    with pytest.raises(Refused):
        decoded_arguments({"x": node}, build)


#: nodes that are well made, of what the tests have not loaded: refused only where values are built
UNKNOWN: list[Any] = [
    tagged("enum", **{"class": "antigravity:Colour", "name": "RED"}),
    tagged("enum", **{"class": "drawn:Colour", "name": "GREEN"}),
    tagged("enum", **{"class": "drawn:Colour", "name": "ROT"}),
    tagged("enum", **{"class": "drawn:Point", "name": "x"}),
    tagged("enum", **{"class": "drawn:enum.Enum", "name": "x"}),
    tagged("dataclass", **{"class": "drawn:Colour", "fields": []}),
    tagged("dataclass", **{"class": "drawn:Point", "fields": [["x", 1]]}),
    tagged("dataclass", **{"class": "drawn:Point", "fields": [["__class__", 1], ["y", 2]]}),
    tagged("dataclass", **{"class": "drawn:local_class", "fields": []}),
    tagged("set", items=[tagged("dataclass", **{"class": "drawn:Slotted", "fields": [["x", 1]]})]),
    tagged("datetime", text="2026-01-01T00:00:00", fold=0, zone=tagged("zone", key="No/Where")),
]


@pytest.mark.parametrize("node", UNKNOWN, ids=str)
def test_a_class_is_looked_up_only_when_values_are_built(node: object) -> None:
    before = set(sys.modules)
    decoded_arguments({"x": node}, build=False)
    with pytest.raises(Refused):
        decoded_arguments({"x": node}, build=True)
    assert "antigravity" not in set(sys.modules) - before


def test_what_is_not_built_is_known_by_its_text() -> None:
    node = encode(drawn.Colour.RED)
    assert decode(node, build=False) == Unbuilt(text_of(node))
    assert decode(node, build=True) is drawn.Colour.RED


TAGS = st.sampled_from(sorted(faithful.KINDS))
FIELDS = sorted({field for kind in faithful.KINDS.values() for field in kind.fields | kind.optional})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(FIELDS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["$", *FIELDS]), inner, max_size=3)
        | st.builds(lambda tag, fields: fields | {"$": tag}, TAGS, st.dictionaries(st.sampled_from(FIELDS), inner))
        | TAGS.flatmap(
            lambda tag: st.fixed_dictionaries({"$": st.just(tag), **dict.fromkeys(faithful.KINDS[tag].fields, inner)})
        )
    ),
    max_leaves=8,
)


@given(JSON, st.booleans())
def test_any_json_is_a_value_or_refused(node: object, build: bool) -> None:
    before = set(sys.modules)
    try:
        found = decoded_arguments({"x": node}, build)
    except Refused:
        pass
    else:
        assert text_of(encode(found["x"])) == text_of(node)
    assert not {name for name in set(sys.modules) - before if not name.startswith(("zoneinfo", "tzdata", "importlib"))}


def test_depth_is_refused_before_python_gives_up() -> None:
    node: object = 1
    for _ in range(5000):
        node = [node]
    with pytest.raises(Refused, match="nested deeper"):
        decode(node, build=False)


@pytest.mark.parametrize("name", sorted(name for name in FILES if name.startswith(("faithful", "seeding"))))
def test_what_the_tests_interpreter_is_given_is_old_syntax_and_stands_alone(name: str) -> None:
    tree = ast.parse((HOUSE / name).read_text(encoding="utf-8"), feature_version=(3, 8))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module is not None
            assert node.module.partition(".")[0] in sys.stdlib_module_names | {"pytest"}, node.module
        elif isinstance(node, ast.ImportFrom):
            assert f"{node.module}.py" in FILES, node.module
        elif isinstance(node, ast.Import):
            assert {one.name.partition(".")[0] for one in node.names} <= sys.stdlib_module_names | {"pytest"}


def test_it_works_where_neither_flakeledger_nor_numpy_is(tmp_path: Path) -> None:
    package = tmp_path / "copied"
    package.mkdir()
    (package / "__init__.py").touch()
    for name in FILES:
        if name.startswith("faithful"):
            (package / name).write_bytes((HOUSE / name).read_bytes())
    code = "from copied.faithful import encode, decode; print(decode(encode({(1, 2): 0.5}), True))"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "{(1, 2): 0.5}\n"
    assert importlib.util.find_spec("copied") is None
