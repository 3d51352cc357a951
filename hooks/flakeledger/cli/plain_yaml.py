"""Texts as YAML scalars, for the files that `init` writes.

Invariants:
* A scalar stands without quotes only if every YAML, 1.1 or 1.2, reads it as this text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9/.@_+=-]*(?:[ :]+[A-Za-z0-9/.@_+=-]+)*", re.ASCII)
_NOT_TEXT = re.compile("y|n|yes|no|on|off|true|false|null", re.IGNORECASE)


def scalar(text: str) -> str:
    """The text as a YAML scalar on one line, quoted where it must be."""
    plain = _PLAIN.fullmatch(text) and not _NOT_TEXT.fullmatch(text) and ": " not in text and "  " not in text
    return text if plain else json.dumps(text, ensure_ascii=False)


def flow(texts: Iterable[str]) -> str:
    """The texts as a list on one line."""
    return f"[{', '.join(map(scalar, texts))}]"


def comment(lines: str) -> str:
    """The lines as comments, each with its newline."""
    return "".join(f"# {line}\n" if line else "#\n" for line in lines.splitlines())
