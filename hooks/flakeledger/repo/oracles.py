"""What an edit of a test file does to its oracle: which assertions, strategies and inputs came, went or changed.

Invariants:
* Both sides are compared definition by definition: what moved inside one, or in the file, is no difference.
* A part that went is set against a part of its kind that came in the same definition: then it changed.
* A file that is no Python, or cannot be parsed, has no such difference, and that is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Literal, NamedTuple

from flakeledger.repo.assertions import MODULE, Kind, Part, parts_of

How = Literal["added", "removed", "changed"]


class PartChange(NamedTuple):
    """One difference. `before` is empty for what was added, `after` for what was removed."""

    how: How
    owner: str
    kind: Kind
    before: str
    after: str

    @property
    def text(self) -> str:
        """The difference in one line."""
        where = f" in {self.owner}" if self.owner != MODULE else ""
        what = " -> ".join(filter(None, (self.before, self.after)))
        return f"{self.how} {self.kind}{where}: {what}"


def oracle_changes(base: bytes | None, head: bytes | None) -> list[PartChange] | str:
    """What differs between two versions of a Python test module (None: it is not there); or why it cannot be told."""
    before, after = (parts_of(side) if side is not None else [] for side in (base, head))
    if isinstance(before, str):
        return f"the base cannot be parsed: {before}"
    if isinstance(after, str):
        return f"the patch cannot be parsed: {after}"
    return list(_changes(before, after))


def _changes(before: list[Part], after: list[Part]) -> Iterator[PartChange]:
    gone, come = _only_in(before, after), _only_in(after, before)
    for owner, kind in dict.fromkeys((*gone, *come)):
        for old, new in zip_longest(gone.get((owner, kind), ()), come.get((owner, kind), ()), fillvalue=""):
            how: How = "changed" if old and new else "removed" if old else "added"
            yield PartChange(how, owner, kind, old, new)


def _only_in(parts: Iterable[Part], others: Iterable[Part]) -> dict[tuple[str, Kind], list[str]]:
    """The texts of the parts that the others lack, as often as they lack them, by definition and kind."""
    left = Counter(others)
    found: dict[tuple[str, Kind], list[str]] = {}
    for part in parts:
        if left[part]:
            left[part] -= 1
        else:
            found.setdefault((part.owner, part.kind), []).append(part.text)
    return found
