"""Conditions in source text that are the same on every machine: `if (true)`, `skipIf(1 == 1)`, `unless false`.

Invariants:
* Only what is written out is judged; an unknown condition is a real one.
* Blanks and parentheses around a condition say nothing. The work is linear in its length.
"""

from __future__ import annotations

#: A text is true: of `""` nobody makes a condition.
_TRUE = frozenset(
    {
        "true",
        "True",
        "TRUE",
        "1",
        "!0",
        "!false",
        "YES",
        "!NO",
        "1==1",
        "!!1",
        "!!true",
        "Boolean.TRUE",
        "notfalse",
        '""',
    }
)
_FALSE = frozenset({"false", "False", "FALSE", "0", "!1", "!true", "NO", "!YES", "nil", "null", "undefined", "nottrue"})


def constant(condition: str) -> bool | None:
    """Whether a condition is always true or always false; None where that depends on something."""
    said = "".join(condition.split())
    around = min(len(said) - len(said.lstrip("(")), len(said) - len(said.rstrip(")")))
    said = said[around : len(said) - around]
    return True if said in _TRUE else False if said in _FALSE else None
