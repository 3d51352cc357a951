"""The faithful form of a test's arguments: values as JSON that can be turned back into the very same values.

Beside the seeding plugin it is copied into the tests' interpreter: it and its siblings `faithful_*.py` import the
standard library and one another, and their syntax is no newer than Python 3.8.

Invariants:
* null, true, false, texts, lists and whole numbers up to 2**53 stand for themselves. Everything else is tagged,
  `{"$": kind, …}`, with exactly the fields of its kind. An exact type counts, never a subclass.
* Encoding what was decoded gives the same text, or the value is refused with its reason.
* Encoding runs no code that a test wrote, and decoding imports nothing that a witness names. Only with `build` is a
  class looked up, among what is loaded; otherwise its values stay unbuilt.
* Depth and size are bounded. Whatever JSON is decoded, the answer is a value or `Refused`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .faithful_kinds import TAG, Kind, Refused, Unbuilt, array, kind, text_of
from .faithful_leaves import LARGEST_PLAIN, LEAF_KINDS, LEAVES
from .faithful_named import NAMED_KINDS, node_of_named

DEEPEST = 64
#: a node takes a byte of the text or more, and no policy allows a longer one (model/policy_fields.py)
MOST_NODES = 65536
#: what making a value of wrong parts raises, but for what the code of a test raises
_UNMADE = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, OSError, ImportError)


def encoded_arguments(arguments: Mapping[str, Any], largest: int) -> dict[str, Any]:
    """The arguments of a test by name, in their faithful form.

    Refused, with the reason, for a value without one, and when all of them take more than `largest` bytes.
    """
    nodes = {}
    for name, value in arguments.items():
        try:
            nodes[name] = encode(value)
        except Refused as refused:
            raise Refused(f"the argument {name}: {refused}") from None
    size = len(text_of(nodes))
    if size > largest:
        raise Refused(f"the arguments take {size} bytes, and the largest witness has {largest}")
    decoded_arguments(nodes, build=False)
    return nodes


def decoded_arguments(nodes: Mapping[str, Any], build: bool) -> dict[str, Any]:
    """The arguments that the nodes stand for.

    Refused for what is no node, for one in another form than ours, and for a class that is not loaded.
    """
    found = {}
    for name, node in nodes.items():
        try:
            found[name] = decode(node, build)
            if text_of(encode(found[name])) != text_of(node):
                raise Refused("its faithful form is another one")
        except Refused as refused:
            raise Refused(f"the argument {name}: {refused}") from None
    return found


# encoding


def encode(value: Any) -> Any:
    """The node of a value. Refused, with the reason, when it has none."""
    return _Encoding().node(value, DEEPEST)


class _Encoding:
    """A value under way: how many nodes it may still have."""

    def __init__(self) -> None:
        """Nothing is encoded yet."""
        self.left = MOST_NODES

    def node(self, value: Any, depth: int) -> Any:
        """The node of a part that may be so deep."""
        self.left -= 1
        if self.left < 0:
            raise Refused(f"it holds more than {MOST_NODES} values")
        if depth == 0:
            raise Refused(f"it is nested deeper than {DEEPEST} levels, or holds itself")
        of = type(value)
        if of in LEAVES:
            return LEAVES[of](value)
        if of is Unbuilt:
            return json.loads(value.text)

        def part(inner: Any) -> Any:
            return self.node(inner, depth - 1)

        found = _CONTAINERS[of](value, part) if of in _CONTAINERS else node_of_named(value, part)
        if found is None:
            raise Refused(_why_no_form(of))
        return found


def _why_no_form(of: type) -> str:
    name = f"{of.__module__}.{of.__qualname__}"
    if str(of.__module__).partition(".")[0] == "hypothesis":
        drawing = "data()" if of.__name__ == "DataObject" else name
        return f"the test draws through {drawing} while it runs, and that cannot be given to it again"
    return f"a value of {name} has no faithful form"


def _unordered(tag: str) -> Callable[[Any, Callable[[Any], Any]], Any]:
    return lambda value, part: {TAG: tag, "items": sorted(map(part, value), key=text_of)}


_CONTAINERS: dict[type, Callable[[Any, Callable[[Any], Any]], Any]] = {
    list: lambda value, part: [part(inner) for inner in value],
    tuple: lambda value, part: {TAG: "tuple", "items": [part(inner) for inner in value]},
    set: _unordered("set"),
    frozenset: _unordered("frozenset"),
    # in the order of insertion, which is data
    dict: lambda value, part: {TAG: "dict", "items": [[part(key), part(inner)] for key, inner in value.items()]},
}

# decoding


def decode(node: Any, build: bool, depth: int = DEEPEST) -> Any:
    """The value of a node. Refused when it is none. `build` says whether classes and zones are looked up."""
    if depth == 0:
        raise Refused(f"it is nested deeper than {DEEPEST} levels")
    of = type(node)
    if node is None or of in (bool, str):
        return node
    if of is int and abs(node) <= LARGEST_PLAIN:
        return node

    def part(inner: Any) -> Any:
        return decode(inner, build, depth - 1)

    if of is list:
        return [part(inner) for inner in node]
    if of is dict:
        return _decode_tagged(node, part, build)
    raise Refused("a number of JSON beyond 2**53, or with a fraction, stands for no value")


def _decode_tagged(node: dict[str, Any], part: Callable[[Any], Any], build: bool) -> Any:
    tag = node.get(TAG)
    known = KINDS.get(tag) if type(tag) is str else None
    if known is None:
        raise Refused(f"an object whose `{TAG}` names no kind stands for no value")
    if not known.fields <= node.keys() - {TAG} <= known.fields | known.optional:
        raise Refused(f"a `{tag}` has other fields than these")
    try:
        value = known.decode(node, part, build)
    except Refused:
        raise
    except _UNMADE as error:
        raise Refused(f"there is no such `{tag}`: {type(error).__name__}") from None
    return Unbuilt(text_of(node)) if value is None else value


def _pairs(node: dict[str, Any], part: Callable[[Any], Any], _build: bool) -> dict[Any, Any]:
    items = array(node, "items")
    if not all(type(pair) is list and len(pair) == 2 for pair in items):
        raise Refused("`items` is a list of pairs")
    return {part(key): part(value) for key, value in items}


def _items(make: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    return lambda node, part, _build: make([part(inner) for inner in array(node, "items")])


KINDS: dict[str, Kind] = {
    **LEAF_KINDS,
    **NAMED_KINDS,
    "tuple": kind("items")(_items(tuple)),
    "set": kind("items")(_items(set)),
    "frozenset": kind("items")(_items(frozenset)),
    "dict": kind("items")(_pairs),
}
