"""The faithful form of values of the standard library that hold no others: numbers, bytes, ids, dates and times.

Part of what the tests' interpreter is given: see `faithful.py`.

Invariants:
* Every bit that Python shows is kept: the sign of a zero, what a NaN carries, the fold of a time, the key of its zone.
* A zone is looked up in the zones of the system only when a value is built.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import fractions
import struct
import sys
import uuid
from collections.abc import Callable
from typing import Any

from .faithful_kinds import TAG, Kind, Refused, kind, matching, whole

#: the largest whole number that every reader of JSON keeps as it is
LARGEST_PLAIN = 2**53
_BASE64 = r"[A-Za-z0-9+/]*={0,2}"

# encoding


def _text(value: str) -> Any:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # halves of characters, which JSON may not hold
        return {TAG: "str", "base64": _base64(value.encode("utf-16-le", "surrogatepass"))}
    return value


def _integer(value: int) -> Any:
    return value if abs(value) <= LARGEST_PLAIN else {TAG: "int", "hex": hex(value)}


def _float(value: float) -> Any:
    if value != value:  # its bits are all that tells one NaN from another
        return {TAG: "float", "bits": struct.pack(">d", value).hex()}
    return {TAG: "float", "hex": value.hex()}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _timedelta(value: datetime.timedelta) -> Any:
    return {TAG: "timedelta", "days": value.days, "seconds": value.seconds, "microseconds": value.microseconds}


def _moment(tag: str) -> Callable[[Any], Any]:
    def encode(value: Any) -> Any:
        naive = value.replace(tzinfo=None, fold=0).isoformat()
        return {TAG: tag, "text": naive, "fold": value.fold, "zone": _zone(value.tzinfo)}

    return encode


def _zone(zone: Any) -> Any:
    if zone is None:
        return None
    if type(zone) is datetime.timezone:
        # a name stands among them only if the zone was given one
        offset, *name = zone.__getinitargs__()  # type: ignore[attr-defined]  # what pickle reads; typeshed lacks it
        return {TAG: "offset", "by": _timedelta(offset), **({"name": _text(name[0])} if name else {})}
    key = getattr(zone, "key", None)
    if type(zone) is getattr(sys.modules.get("zoneinfo"), "ZoneInfo", None) and type(key) is str:
        return {TAG: "zone", "key": key}
    raise Refused(f"its time zone, a {type(zone).__module__}.{type(zone).__qualname__}, has no key")


def _fraction(value: fractions.Fraction) -> Any:
    return {TAG: "fraction", "numerator": _integer(value.numerator), "denominator": _integer(value.denominator)}


#: what makes the node of a value, by its exact type
LEAVES: dict[type, Callable[[Any], Any]] = {
    type(None): lambda value: value,
    bool: lambda value: value,
    str: _text,
    int: _integer,
    float: _float,
    complex: lambda value: {TAG: "complex", "real": _float(value.real), "imaginary": _float(value.imag)},
    bytes: lambda value: {TAG: "bytes", "base64": _base64(value)},
    bytearray: lambda value: {TAG: "bytearray", "base64": _base64(bytes(value))},
    decimal.Decimal: lambda value: {TAG: "decimal", "text": str(value)},
    fractions.Fraction: _fraction,
    uuid.UUID: lambda value: {TAG: "uuid", "text": str(value)},
    datetime.date: lambda value: {TAG: "date", "text": value.isoformat()},
    datetime.datetime: _moment("datetime"),
    datetime.time: _moment("time"),
    datetime.timedelta: _timedelta,
}

# decoding: what is written otherwise than above is found out by encoding the value again


def base64_of(node: dict[str, Any]) -> bytes:
    """The bytes of the field `base64`."""
    return base64.b64decode(matching(node, "base64", _BASE64), validate=True)


def _decode_float(node: dict[str, Any], *_: object) -> float:
    if ("hex" in node) == ("bits" in node):
        raise Refused("it has either `hex` or `bits`")
    if "hex" in node:
        return float.fromhex(matching(node, "hex", r"-?(?:inf|0x[01]\.[0-9a-f]+p[+-][0-9]+)"))
    found: float = struct.unpack(">d", bytes.fromhex(matching(node, "bits", "[0-9a-f]{16}")))[0]
    return found


def _decode_complex(node: dict[str, Any], part: Callable[[Any], Any], _build: bool) -> complex:
    real, imaginary = part(node["real"]), part(node["imaginary"])
    if type(real) is not float or type(imaginary) is not float:
        raise Refused("its parts are no floats")
    return complex(real, imaginary)


def _decode_fraction(node: dict[str, Any], part: Callable[[Any], Any], _build: bool) -> fractions.Fraction:
    numerator, denominator = part(node["numerator"]), part(node["denominator"])
    if type(numerator) is not int or type(denominator) is not int:
        raise Refused("its parts are no whole numbers")
    return fractions.Fraction(numerator, denominator)


def _decode_moment(of: Any) -> Callable[..., Any]:
    def decode(node: dict[str, Any], part: Callable[[Any], Any], build: bool) -> Any:
        naive = of.fromisoformat(matching(node, "text", "[0-9T:.-]+")).replace(fold=whole(node, "fold"))
        zone = node["zone"]
        if zone is None:
            return naive
        found = _decode_zone(zone, part, build)
        return None if found is None else naive.replace(tzinfo=found)

    return decode


def _decode_zone(zone: Any, part: Callable[[Any], Any], build: bool) -> datetime.tzinfo | None:
    tag = zone.get(TAG) if type(zone) is dict else None
    if tag == "zone" and zone.keys() == {TAG, "key"}:
        key = matching(zone, "key", r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*")
        if not build:
            return None
        from zoneinfo import ZoneInfo

        return ZoneInfo(key)
    if tag == "offset" and {TAG, "by"} <= zone.keys() <= {TAG, "by", "name"}:
        by, name = part(zone["by"]), [part(zone["name"])] if "name" in zone else []
        if type(by) is datetime.timedelta and all(type(one) is str for one in name):
            return datetime.timezone(by, *name)
    raise Refused("its `zone` is none")


def _decode_timedelta(node: dict[str, Any], *_: object) -> datetime.timedelta:
    names = ("days", "seconds", "microseconds")
    return datetime.timedelta(**{name: whole(node, name) for name in names})


LEAF_KINDS: dict[str, Kind] = {
    "str": kind("base64")(lambda node, *_: base64_of(node).decode("utf-16-le", "surrogatepass")),
    "int": kind("hex")(lambda node, *_: int(matching(node, "hex", "-?0x[0-9a-f]+"), 16)),
    "float": kind(optional=("hex", "bits"))(_decode_float),
    "complex": kind("real", "imaginary")(_decode_complex),
    "bytes": kind("base64")(lambda node, *_: base64_of(node)),
    "bytearray": kind("base64")(lambda node, *_: bytearray(base64_of(node))),
    "decimal": kind("text")(lambda node, *_: decimal.Decimal(matching(node, "text", "[-+.0-9A-Za-z]+"))),
    "fraction": kind("numerator", "denominator")(_decode_fraction),
    "uuid": kind("text")(lambda node, *_: uuid.UUID(matching(node, "text", "[0-9a-f-]{36}"))),
    "date": kind("text")(lambda node, *_: datetime.date.fromisoformat(matching(node, "text", "[0-9-]{10}"))),
    "datetime": kind("text", "fold", "zone")(_decode_moment(datetime.datetime)),
    "time": kind("text", "fold", "zone")(_decode_moment(datetime.time)),
    "timedelta": kind("days", "seconds", "microseconds")(_decode_timedelta),
}
