"""The faithful form of values whose class has a name of its own: enumerations, dataclasses, what numpy holds.

Part of what the tests' interpreter is given: see `faithful.py`.

Invariants:
* No module is imported and no code of a class runs because a witness names it: a class is looked up in the dictionaries
  of what is loaded. A dataclass is built field by field, without its own `__init__`.
* A class counts when its name leads back to it; what else an instance holds than its fields is refused.
* How much an array takes is known before it is made.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import math
import re
import sys
import types
from collections.abc import Callable
from typing import Any

from .faithful_kinds import TAG, Kind, Refused, array, kind, matching
from .faithful_leaves import LEAVES as _LEAVES
from .faithful_leaves import base64_of

_NAME = r"[^\W\d]\w*"
_CLASS = rf"{_NAME}(?:\.{_NAME})*:{_NAME}(?:\.{_NAME})*"
#: kinds of numpy that are their bytes: not object, not long double (which has padding), not structured
_DTYPE = r"[<>|](?:b1|[iu][1248]|f[248]|c8|c16|[SU][1-9][0-9]{0,5}|[mM]8(?:\[[0-9]{0,6}[A-Za-z]{1,2}\])?)"
_MOST_DIMENSIONS = 32
#: flags of a type (CPython's object.h): a class statement makes a mutable type on the heap
_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8


def node_of_named(value: Any, part: Callable[[Any], Any]) -> Any:
    """The node of a value of a named class; None when its class is no such."""
    of = type(value)
    if issubclass(of, enum.Enum):
        return _node_of_member(value)
    if getattr(sys.modules.get("numpy"), "__name__", None) == "numpy" and of.__module__ == "numpy":
        return _node_of_array(value)
    if "__dataclass_fields__" in vars(of):
        return _node_of_dataclass(value, part)
    return None


def _name_of(of: type) -> str:
    """The name that leads to a class. Refused when it leads elsewhere, as that of a local class does."""
    name = f"{of.__module__}:{of.__qualname__}"
    if not re.fullmatch(_CLASS, name) or of.__module__ == "__main__" or _found(name) is not of:
        raise Refused(f"{of.__module__}.{of.__qualname__} cannot be found by its name: define it in a module")
    return name


def _found(name: str) -> Any:
    """What a name leads to among the loaded modules; None when it leads nowhere."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for step in path.split("."):
        holds_names = isinstance(found, (types.ModuleType, type))
        found = vars(found).get(step) if holds_names else None
    return found


def _class_named(name: str) -> Any:
    found = _found(name)
    if not isinstance(found, type) or _name_of(found) != name:
        raise Refused(f"the test has loaded no class {name.replace(':', '.')}")
    return found


def _node_of_member(value: Any) -> Any:
    of = type(value)
    name = value._name_
    if type(name) is not str or vars(of)["_member_map_"].get(name) is not value:
        raise Refused(f"a value of {of.__module__}.{of.__qualname__} is none of its members, but made of several")
    return {TAG: "enum", "class": _name_of(of), "name": name}


def _decode_member(node: dict[str, Any], _part: Callable[[Any], Any], build: bool) -> Any:
    name, of = matching(node, "name", _NAME), matching(node, "class", _CLASS)
    if not build:
        return None
    members = vars(_class_named(of)).get("_member_map_")
    if type(members) is not dict or name not in members:
        raise Refused(f"{of.replace(':', '.')} has no member {name}")
    return members[name]


def _node_of_dataclass(value: Any, part: Callable[[Any], Any]) -> Any:
    of = type(value)
    name = _name_of(of)
    if not all(one is object or one.__flags__ & (_HEAP_TYPE | _IMMUTABLE_TYPE) == _HEAP_TYPE for one in of.__mro__):
        raise Refused(f"{of.__module__}.{of.__qualname__} is a dataclass of a built-in type")
    names = [field.name for field in dataclasses.fields(value)]
    held = _held(value)
    if held.keys() != set(names):
        raise Refused(f"a value of {of.__module__}.{of.__qualname__} holds other than its fields")
    return {TAG: "dataclass", "class": name, "fields": [[one, part(held[one])] for one in names]}


def _held(value: Any) -> dict[str, Any]:
    """All that an instance holds, in its dictionary and in its slots."""
    held: dict[str, Any] = {}
    for parent in type(value).__mro__:
        for name, slot in vars(parent).items():
            if isinstance(slot, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError):
                    held[name] = slot.__get__(value)
    with contextlib.suppress(AttributeError):
        held.update(object.__getattribute__(value, "__dict__"))
    return held


def _decode_dataclass(node: dict[str, Any], part: Callable[[Any], Any], build: bool) -> Any:
    name, fields = matching(node, "class", _CLASS), array(node, "fields")
    if not all(type(field) is list and len(field) == 2 and type(field[0]) is str for field in fields):
        raise Refused("`fields` is a list of names with values")
    values = [(field, part(inner)) for field, inner in fields]
    if not build:
        return None
    of = _class_named(name)
    if "__dataclass_fields__" not in vars(of) or [one.name for one in dataclasses.fields(of)] != [
        field for field, _ in values
    ]:
        raise Refused(f"{name.replace(':', '.')} is no dataclass with these fields")
    built = object.__new__(of)
    for field, value in values:
        object.__setattr__(built, field, value)
    return built


def _node_of_array(value: Any) -> Any:
    numpy: Any = sys.modules["numpy"]
    of = type(value)
    is_array = of is numpy.ndarray
    if not is_array and not (isinstance(value, numpy.generic) and of is value.dtype.type):
        return None
    if not re.fullmatch(_DTYPE, value.dtype.str):
        raise Refused(f"a numpy value of type {value.dtype} has no faithful form")
    if is_array and not value.flags.c_contiguous:
        raise Refused("a numpy array whose items are not in the order of C has no faithful form")
    data = _LEAVES[bytes](value.tobytes())["base64"]
    shape = {"shape": list(value.shape)} if is_array else {}
    return {TAG: "numpy.ndarray" if is_array else "numpy", "dtype": value.dtype.str, "base64": data, **shape}


def _decode_array(node: dict[str, Any], _part: Callable[[Any], Any], build: bool) -> Any:
    dtype, data = matching(node, "dtype", _DTYPE), bytearray(base64_of(node))
    shape = array(node, "shape") if "shape" in node else []
    if len(shape) > _MOST_DIMENSIONS or not all(type(length) is int and 0 <= length < 2**31 for length in shape):
        raise Refused("`shape` is a list of lengths")
    if len(data) != item_size(dtype) * math.prod(shape):
        raise Refused("its bytes are not as many as its type and its shape say")
    numpy: Any = sys.modules.get("numpy")
    if not build:
        return None
    if numpy is None:
        raise Refused("the test has not loaded numpy")
    made = numpy.ndarray(tuple(shape), dtype, buffer=data)
    return made if "shape" in node else made[()]


def item_size(dtype: str) -> int:
    """The bytes of one item of a type that has a faithful form."""
    digits = re.match("[0-9]+", dtype[2:])
    assert digits is not None
    return int(digits[0]) * (4 if dtype[1] == "U" else 1)


NAMED_KINDS: dict[str, Kind] = {
    "enum": kind("class", "name")(_decode_member),
    "dataclass": kind("class", "fields")(_decode_dataclass),
    "numpy": kind("dtype", "base64")(_decode_array),
    "numpy.ndarray": kind("dtype", "base64", "shape")(_decode_array),
}
