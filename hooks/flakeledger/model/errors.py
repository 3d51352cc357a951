"""The one way to say "cannot tell": exit code 2 with a reason and the literal fix.

Invariants:
* Nothing in flakeledger turns an unknown into a pass; it raises `CannotTell`.
* Only the edge (`cli/main.py`, `precommit/checking.py`) makes an exit code of it; whoever else catches it says so.
"""

from __future__ import annotations


class CannotTell(Exception):
    """The question has no answer here: exit code 2.

    `reason` is one sentence about what could not be decided; `fix` is the command or the text that
    repairs it; `place` is `path:line:column` when the trouble has a place in a file, else empty.
    """

    def __init__(self, reason: str, fix: str, place: str = "") -> None:
        """See the class."""
        super().__init__(reason)
        self.reason = reason
        self.fix = fix
        self.place = place
