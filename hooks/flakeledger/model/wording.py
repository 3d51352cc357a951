"""How texts from files stand in the sentence of a finding.

Invariants:
* However long the text is, the sentence stays short.
* Nothing is escaped here: the reporters do that, once.
"""

from __future__ import annotations

from collections.abc import Iterable

LONGEST_SHOWN = 80


def shown(text: str) -> str:
    """The text in backquotes, cut after 80 characters."""
    cut = text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"
    return f"`{cut}`"


def listed(names: Iterable[str]) -> str:
    """The names in backquotes, separated by commas."""
    return ", ".join(shown(name) for name in names)
