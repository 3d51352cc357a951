"""CODEOWNERS: who may own a path. The parser is the `codeowners` package; this module bounds what it is fed.

Invariants:
* The package turns patterns into backtracking regular expressions, and a stranger writes them: a
  pattern that is too long or has too many stars is refused (exit 2), not matched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flakeledger.model.errors import CannotTell
from flakeledger.repo.tree import CODEOWNERS, Tree

if TYPE_CHECKING:
    from codeowners import CodeOwners as ParsedOwners

#: with 4 stars the worst match of a 4,096-character path stays under a second
MOST_STARS = 4
LONGEST_LINE = 1000


class CodeOwners:
    """The owners that the tree's CODEOWNERS file gives to paths."""

    def __init__(self, parsed: ParsedOwners | None) -> None:
        """None: nobody owns anything."""
        self._parsed = parsed

    @classmethod
    def read(cls, tree: Tree) -> CodeOwners:
        """The first CODEOWNERS file of the tree; one that owns nothing when there is none."""
        for path in CODEOWNERS:
            data = tree.read(path)
            if data is not None:
                return cls(_parse(path, data))
        return cls(None)

    def of(self, path: str) -> tuple[str, ...]:
        """The owners of a path, as CODEOWNERS writes them; empty when nobody owns it."""
        return () if self._parsed is None else tuple(name for _, name in self._parsed.of(path))


def _parse(path: str, data: bytes) -> ParsedOwners:
    from codeowners import CodeOwners as ParsedOwners  # only a policy with `owners: codeowners` pays for it

    try:
        text = data.decode("utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            if len(line) > LONGEST_LINE or line.split("#")[0].count("*") > MOST_STARS:
                raise CannotTell(
                    "this CODEOWNERS pattern is too long or has too many stars to be matched safely",
                    f"split the line: at most {LONGEST_LINE} characters and {MOST_STARS} stars",
                    f"{path}:{number}:1",
                )
        return ParsedOwners(text)
    except ValueError as error:
        raise CannotTell(f"CODEOWNERS cannot be read: {error}", "mend the file", f"{path}:1:1") from None
