"""The arguments of a witness as people write them in Python, made of their faithful form alone.

Invariants:
* Nothing that a witness names is imported or looked up: a class is shown by its name.
* A text is shown whole, in one line of ASCII or printable characters as `repr` gives it; who prints it escapes it.
* Only what `faithful.decode` takes is shown.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from datetime import datetime, time
from math import prod
from typing import Any

from flakeledger.evidence.faithful import decode, decoded_arguments
from flakeledger.evidence.faithful_kinds import TAG
from flakeledger.evidence.faithful_leaves import base64_of
from flakeledger.evidence.faithful_named import item_size

#: Python turns no longer number into decimal digits
_MOST_BITS = 4096
#: how `struct` calls what numpy holds
_FORMATS = {
    "b1": "?",
    "i1": "b",
    "i2": "h",
    "i4": "i",
    "i8": "q",
    "u1": "B",
    "u2": "H",
    "u4": "I",
    "u8": "Q",
    "f2": "e",
    "f4": "f",
    "f8": "d",
}


def readable_arguments(nodes: Mapping[str, Any]) -> dict[str, str]:
    """Each argument as text. Refused when one of them is no argument."""
    decoded_arguments(nodes, build=False)
    return {name: readable(node) for name, node in nodes.items()}


def readable(node: Any) -> str:
    """A node that `decode` takes, as text."""
    if type(node) is list:
        return f"[{_joined(node)}]"
    if type(node) is not dict:
        return repr(node)
    shown = _SHOWN.get(node[TAG])
    return _plain(node) if shown is None else shown(node)


def _joined(nodes: list[Any]) -> str:
    return ", ".join(map(readable, nodes))


def _plain(node: dict[str, Any]) -> str:
    return repr(decode(node, build=False))


def _tuple(node: dict[str, Any]) -> str:
    return f"({_joined(node['items'])}{',' if len(node['items']) == 1 else ''})"


def _set(node: dict[str, Any]) -> str:
    return f"{{{_joined(node['items'])}}}" if node["items"] else "set()"


def _dict(node: dict[str, Any]) -> str:
    return f"{{{', '.join(f'{readable(key)}: {readable(value)}' for key, value in node['items'])}}}"


def _integer(node: dict[str, Any]) -> str:
    value: int = decode(node, build=False)
    return repr(value) if value.bit_length() <= _MOST_BITS else hex(value)


def _float(node: dict[str, Any]) -> str:
    value = repr(decode(node, build=False))
    return value if value[-1].isdigit() else f"float('{value}')"


def _moment(of: Any) -> Callable[[dict[str, Any]], str]:
    def shown(node: dict[str, Any]) -> str:
        zone = node["zone"]
        if zone is None or zone[TAG] != "zone":
            return _plain(node)
        naive = repr(of.fromisoformat(node["text"]).replace(fold=node["fold"]))
        return f"{naive[:-1]}, tzinfo=zoneinfo.ZoneInfo({zone['key']!r}))"

    return shown


def _dataclass(node: dict[str, Any]) -> str:
    fields = ", ".join(f"{name}={readable(value)}" for name, value in node["fields"])
    return f"{_class(node)}({fields})"


def _class(node: dict[str, Any]) -> str:
    return str(node["class"]).replace(":", ".")


def _array(node: dict[str, Any]) -> str:
    shape, dtype = node.get("shape", []), node["dtype"]
    items = _items(dtype, base64_of(node), prod(shape))
    if "shape" not in node:
        return f"numpy.dtype({dtype!r}).type({items[0]})"
    reshaped = f".reshape({', '.join(map(str, shape))})" if len(shape) != 1 else ""
    return f"numpy.array([{', '.join(items)}], {dtype!r}){reshaped}"


def _items(dtype: str, data: bytes, count: int) -> list[str]:
    """The items of an array, as numbers where they are some that `struct` reads, else as their bytes."""
    letter = _FORMATS.get(dtype[1:])
    if letter is not None:
        order = ">" if dtype[0] == ">" else "<"
        return [repr(value) for value in struct.unpack(f"{order}{count}{letter}", data)]
    size = item_size(dtype)
    return [repr(data[start : start + size]) for start in range(0, size * count, size)]


#: how a tagged value is shown, where it is not as Python shows the value itself
_SHOWN: dict[str, Callable[[dict[str, Any]], str]] = {
    "int": _integer,
    "float": _float,
    "tuple": _tuple,
    "set": _set,
    "frozenset": lambda node: f"frozenset({_set(node) if node['items'] else ''})",
    "dict": _dict,
    "datetime": _moment(datetime),
    "time": _moment(time),
    "enum": lambda node: f"{_class(node)}.{node['name']}",
    "dataclass": _dataclass,
    "numpy": _array,
    "numpy.ndarray": _array,
}
