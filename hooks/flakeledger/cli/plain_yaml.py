"""Lists and comments for the YAML files that `init` writes.

Invariants:
* A text stands without quotes only if every YAML, 1.1 or 1.2, reads it as this text.
"""

from __future__ import annotations

from collections.abc import Iterable

from flakeledger.store.scalars import scalar


def flow(texts: Iterable[str]) -> str:
    """The texts as a list on one line."""
    return f"[{', '.join(map(scalar, texts))}]"


def comment(lines: str) -> str:
    """The lines as comments, each with its newline."""
    return "".join(f"# {line}\n" if line else "#\n" for line in lines.splitlines())
