"""The change rule about removing freezes: table 3 says whether a row may go.

Invariants:
* The row of the base is judged on the new tree and the new log, by the policy that judges the change.
* A row that the change itself voids goes as a consequence, and a row that this branch itself added may be taken back:
  neither is judged here.
* What was right when it was pushed stays right: freezes and replays grow older, and a scheduled run only warns.
"""

from __future__ import annotations

from collections.abc import Iterator

from flakeledger.model.findings import Finding, Level
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.repo.change import Change
from flakeledger.rules.freezes import thaw_command


def thaw_unearned(change: Change, now: int) -> Iterator[Finding]:
    """A row was removed by choice although the exit interview says that it may not go."""
    if FREEZES not in change.changed_paths:
        return
    for operation in change.operations:
        if operation.path != FREEZES or operation.what != "removed" or operation.key in change.own:
            continue
        from flakeledger.rules.interviews import interview, next_step, reason  # only a removed row pays for it

        limits = change.policy.limits
        found = interview(change.new, change.base.freeze_by_test[operation.key], limits, now)
        if not found.may_go:
            message = f"the freeze of {operation.key} was removed, but {reason(found)}: `{found.verdict.name}`"
            fix = (
                f"put the row back, or {next_step(found)}; once it has expired, it may go: {thaw_command(found.freeze)}"
            )
            level: Level = "warning" if change.is_seen_again else "error"
            yield Finding(FREEZES, *operation.place, "thaw-unearned", message, fix, level, operation.key)
