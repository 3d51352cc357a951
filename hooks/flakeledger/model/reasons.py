"""Patterns of the reasons of permanent skips: `permanent_skips` of the policy.

Invariants:
* `*` stands for any text, every other character for itself; letter case counts. The pattern is about the whole reason.
* Strangers write patterns and reasons: every piece between stars takes its leftmost place and never another one, so
  the work is at most pattern x reason, and of a reason only the first `LONGEST` characters are looked at.
* A skip that gives no reason is never permanent.
"""

from __future__ import annotations

from collections.abc import Iterable

#: of a reason; longer ones are cut
LONGEST = 512


def is_permanent(reason: str, patterns: Iterable[str]) -> bool:
    """Whether one of the policy's patterns covers the reason of a skip. Blanks in a row count as one."""
    text = " ".join(reason[: 2 * LONGEST].split())[:LONGEST]
    return bool(text) and any(_covers(" ".join(pattern.split()), text) for pattern in patterns)


def _covers(pattern: str, text: str) -> bool:
    first, *others = pattern.split("*")
    if not others:
        return text == first
    *middle, last = others
    if not text.startswith(first):
        return False
    at = len(first)
    for piece in middle:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return text.endswith(last) and at <= len(text) - len(last)
