"""A report: the outcome of one command, before any reporter gives it a form.

Invariants:
* `findings` are sorted: by path, line and column.
* What could not be decided is never silent: `undecided` stands in `notes` as well, and the code is 2.
* Nothing in it is escaped; every reporter escapes all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from flakeledger.model.findings import Finding


class Report(NamedTuple):
    """What a command found, what it judged, and against what."""

    #: "check-ledgers", "check-change", "check"
    command: str
    findings: tuple[Finding, ...]
    #: how many freezes, fixtures, properties and replays there are, in this order
    counts: Mapping[str, int]
    #: the tree that was judged: "staged tree", "commit 1a2b3c4", "working tree"
    judged: str
    #: the base and why it is the base; "" for state rules alone
    base: str
    #: the instant that the windows were held against
    now: str
    #: what the reader should know although nothing is wrong with it
    notes: tuple[str, ...]
    #: the rules that were applied, by name
    rules: tuple[str, ...] = ()
    #: those of the notes that say what could not be decided
    undecided: tuple[str, ...] = ()

    @property
    def errors(self) -> int:
        """How many findings fail the build."""
        return sum(finding.level == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many findings do not."""
        return len(self.findings) - self.errors

    @property
    def code(self) -> int:
        """The exit code that the report deserves: 0 nothing wrong, 1 findings, 2 not everything was decided."""
        return 2 if self.undecided else int(self.errors > 0)
