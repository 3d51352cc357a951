"""The change rule that guards the guard.

Invariants:
* Alone in its change it is a warning: whoever may merge may switch a tool off, but not in passing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import GUARD

if TYPE_CHECKING:
    from flakeledger.repo.change import Change


def guard_removed(change: Change) -> Iterator[Finding]:
    """This tool's hooks vanished from the configuration, are skipped, filtered, or lost a stage."""
    alone = change.changed_paths == {GUARD}
    for sentence in change.guard_weakened:
        yield Finding(
            GUARD,
            1,
            1,
            "guard-removed",
            sentence,
            f"restore it (git checkout {change.basis.base[:12]} -- {GUARD}), or make this edit in a change of its own",
            level="warning" if alone else "error",
        )
