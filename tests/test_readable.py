"""Arguments as people write them: what Python would make of the text again, wherever it could."""

from __future__ import annotations

import datetime
import decimal
import fractions
import sys
import uuid
import zoneinfo
from typing import Any

import numpy
import pytest
from hypothesis import given

import drawn
from flakeledger.evidence.faithful import encode
from flakeledger.evidence.faithful_kinds import Refused
from flakeledger.evidence.readable import readable, readable_arguments
from test_faithful import NODES, VALUES, same

SHOWN: list[tuple[Any, str]] = [
    (None, "None"),
    ("a\x1b[2J'", '"a\\x1b[2J\'"'),
    ("\ud800", "'\\ud800'"),
    (2**60, "1152921504606846976"),
    (-0.5, "-0.5"),
    (float("-inf"), "float('-inf')"),
    (float("nan"), "float('nan')"),
    ([1, (2,), ()], "[1, (2,), ()]"),
    ({2, 1}, "{1, 2}"),
    (set(), "set()"),
    (frozenset({1}), "frozenset({1})"),
    (frozenset(), "frozenset()"),
    ({"b": [1], (1, 2): None}, "{'b': [1], (1, 2): None}"),
    (b"\0", "b'\\x00'"),
    (decimal.Decimal("1.50"), "Decimal('1.50')"),
    (fractions.Fraction(1, 3), "Fraction(1, 3)"),
    (uuid.UUID(int=0), "UUID('00000000-0000-0000-0000-000000000000')"),
    (datetime.date(2026, 1, 2), "datetime.date(2026, 1, 2)"),
    (
        datetime.datetime(2026, 1, 2, fold=1, tzinfo=zoneinfo.ZoneInfo("Europe/Madrid")),
        "datetime.datetime(2026, 1, 2, 0, 0, fold=1, tzinfo=zoneinfo.ZoneInfo('Europe/Madrid'))",
    ),
    (datetime.time(1, 2, tzinfo=datetime.UTC), "datetime.time(1, 2, tzinfo=datetime.timezone.utc)"),
    (drawn.Colour.ROT, "drawn.Colour.RED"),
    (drawn.Holder.Inner(drawn.Point([1], 2)), "drawn.Holder.Inner(x=drawn.Point(x=[1], y=2))"),
    (numpy.int16(-3), "numpy.dtype('<i2').type(-3)"),
    (numpy.zeros((2, 1)), "numpy.array([0.0, 0.0], '<f8').reshape(2, 1)"),
    (numpy.array([True, False]), "numpy.array([True, False], '|b1')"),
    (numpy.array([b"ab", b"c"]), "numpy.array([b'ab', b'c\\x00'], '|S2')"),
    (numpy.array([258], ">u2"), "numpy.array([258], '>u2')"),
]


@pytest.mark.parametrize(("value", "text"), SHOWN, ids=lambda part: part if isinstance(part, str) else "")
def test_a_value_is_shown_as_python(value: object, text: str) -> None:
    assert readable(encode(value)) == text


NAMES: dict[str, Any] = {
    "drawn": drawn,
    "datetime": datetime,
    "zoneinfo": zoneinfo,
    "numpy": numpy,
    "Decimal": decimal.Decimal,
    "Fraction": fractions.Fraction,
    "UUID": uuid.UUID,
}


def is_plain(node: object) -> bool:
    """Whether Python makes the same value of the text: not of NaN, infinite parts, and what numpy shows as bytes."""
    if isinstance(node, dict):
        tag = node.get("$")
        if tag in ("float", "complex", "numpy", "numpy.ndarray", "decimal", "int"):
            return tag in ("decimal", "int")
        return all(map(is_plain, node.values()))
    return all(map(is_plain, node)) if isinstance(node, list) else True


@given(VALUES)
def test_python_reads_the_same_value_from_the_text(value: object) -> None:
    node = encode(value)
    text = readable(node)
    assert "\n" not in text
    if is_plain(node):
        assert same(eval(text, NAMES), value)


def test_a_class_is_shown_by_its_name_alone() -> None:
    node = {"$": "dataclass", "class": "antigravity:Order", "fields": [["x", 1]]}
    assert readable_arguments({"order": node}) == {"order": "antigravity.Order(x=1)"}
    assert "antigravity" not in sys.modules


def test_a_number_of_any_length_is_shown() -> None:
    assert readable(encode(10**5000)) == hex(10**5000)


@pytest.mark.parametrize("node", [{"$": "no kind"}, 1.5, {"$": "tuple", "items": [1.5]}])
def test_what_is_no_argument_is_refused(node: object) -> None:
    with pytest.raises(Refused, match="the argument x: "):
        readable_arguments({"x": node})


def test_every_node_can_be_shown() -> None:
    assert all(readable(node) for _, node in NODES)
