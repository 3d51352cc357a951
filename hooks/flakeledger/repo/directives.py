"""Parts of a source text that a preprocessor may leave out: what stands under an `#if` that depends on something.

Invariants:
* A condition that is always true decides nothing, and neither does the guard of a header that is included twice.
* What is not closed reaches to the end of the text. The work is linear in the text.
"""

from __future__ import annotations

import re

from flakeledger.repo.constants import constant

_DIRECTIVE = re.compile(r"(?m:^)[ \t]{0,80}#[ \t]{0,80}(if|ifdef|ifndef|elif|else|endif|define)\b[ \t]*([^\n]*)")


def dependent_parts(bare: str) -> list[tuple[int, bool]]:
    """From where on bare code stands under an `#if` that depends on something, and from where on it does not."""
    found: list[tuple[int, bool]] = []
    stack: list[bool] = []
    depends = 0
    directives = list(_DIRECTIVE.finditer(bare))
    for index, match in enumerate(directives):
        if match[1] in ("if", "ifdef", "ifndef"):
            stack.append(not (_is_include_guard(directives, index) or constant(match[2]) is True))
            depends += stack[-1]
        elif match[1] == "endif" and stack:
            depends -= stack.pop()
        elif match[1] in ("elif", "else") and stack and not stack[-1]:
            stack[-1] = True
            depends += 1
        found.append((match.start(), depends > 0))
    return found


def _is_include_guard(directives: list[re.Match[str]], index: int) -> bool:
    """`#ifndef NAME`, `#define NAME`: so that a file counts once."""
    match = directives[index]
    after = directives[index + 1] if index + 1 < len(directives) else None
    return match[1] == "ifndef" and after is not None and after[2].split()[:1] == match[2].split()[:1]
