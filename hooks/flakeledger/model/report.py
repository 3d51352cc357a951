"""A report: the outcome of one command, before any reporter gives it a form.

Invariants:
* `findings` are sorted: by path, line and column.
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

    @property
    def errors(self) -> int:
        """How many findings fail the build."""
        return sum(finding.level == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many findings do not."""
        return len(self.findings) - self.errors
