"""What the modules of the faithful form share: a kind of tagged value, a refusal, a value that is not built.

Part of what the tests' interpreter is given: see `faithful.py`.

Invariants:
* A refusal is a clause that says why, without the name of what was refused.
* Two unbuilt values are equal when their texts are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

TAG = "$"


class Refused(ValueError):
    """A value, or a node, has no faithful form."""


class Unbuilt(NamedTuple):
    """A value of a class that is not looked up here, known by the canonical text of its node."""

    text: str


class Kind(NamedTuple):
    """How a tagged value is read.

    `decode` is given the node, what decodes the nodes in it, and whether the value is to be built; it gives None for
    one that needs what is not looked up here.
    """

    fields: frozenset[str]
    decode: Callable[[dict[str, Any], Callable[[Any], Any], bool], Any]
    optional: frozenset[str] = frozenset()


def kind(*fields: str, optional: tuple[str, ...] = ()) -> Callable[[Callable[..., Any]], Kind]:
    """Makes a Kind with these fields of its decoder."""
    return lambda decode: Kind(frozenset(fields), decode, frozenset(optional))


def text_of(node: Any) -> str:
    """The canonical text of a node. Refused when it has none."""
    try:
        return json.dumps(node, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise Refused("it is no canonical JSON") from None


def matching(node: dict[str, Any], field: str, pattern: str) -> str:
    """The text of a field that matches. Refused for any other."""
    value = node[field]
    if type(value) is not str or not re.fullmatch(pattern, value):
        raise Refused(f"`{field}` is no such text")
    return value


def whole(node: dict[str, Any], field: str) -> int:
    """The whole number of a field. Refused for anything else."""
    value = node[field]
    if type(value) is not int:
        raise Refused(f"`{field}` is no whole number")
    return value


def array(node: dict[str, Any], field: str) -> list[Any]:
    """The list of a field. Refused for anything else."""
    value = node[field]
    if type(value) is not list:
        raise Refused(f"`{field}` is no list")
    return value
