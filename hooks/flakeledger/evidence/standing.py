"""Whether a freeze is open, here and now: asked of every freeze when a run of tests begins.

Invariants:
* What is not known excuses nothing: only `open` is.
* Pure: the freeze, the policy, the runner class and `now` are arguments; no tree is asked.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from flakeledger.model.clock import DAY, format_instant
from flakeledger.model.fields import FREEZE_FIELDS, needed_at
from flakeledger.model.policy import Policy
from flakeledger.model.records import Freeze
from flakeledger.model.window import end_of, start_of, window_days
from flakeledger.model.wording import listed

State = Literal["open", "expired", "other_runner", "unfit"]


class Standing(NamedTuple):
    """Whether a freeze is open for a runner class at an instant; `reason` is empty when it is."""

    state: State
    reason: str = ""


def standing(freeze: Freeze, policy: Policy, runner: str, now: int) -> Standing:
    """Whether the freeze is open for failures on this runner class; its reason is a clause about "its freeze"."""
    start, end, days = start_of(freeze), end_of(freeze), window_days(freeze)
    if start is None or end is None or days is None:
        return Standing("unfit", "its freeze has no window")
    if now >= end:
        return Standing("expired", f"its freeze ended at {format_instant(end)}; {freeze.owner or 'nobody'} owned it")
    longest = policy.limits.max_window_days
    runner_class = runner_class_of(freeze, policy)
    answers: tuple[tuple[bool, State, str], ...] = (
        (start > now + DAY, "unfit", f"its freeze begins on {freeze.frozen_on}, more than a day ahead of now"),
        (days > longest, "unfit", f"the window of its freeze is {days} days long; the policy allows {longest}"),
        (runner_class is None, "unfit", "its freeze names no runner class"),
        (runner_class != runner, "other_runner", f"its freeze holds on {runner_class}, and this is {runner}"),
    )
    first = next((Standing(state, reason) for applies, state, reason in answers if applies), None)
    return first or _what_the_level_asks(freeze, policy)


def _what_the_level_asks(freeze: Freeze, policy: Policy) -> Standing:
    """What level `keyed` asks of a freeze beyond its window: every pin, and that it is one of the environment."""
    if policy.level == "ledger":
        return Standing("open")
    absent = [
        field.name
        for field in needed_at(FREEZE_FIELDS, policy.level)
        if field.needed_at == "keyed" and getattr(freeze, field.name) is None
    ]
    if absent:
        return Standing("unfit", f"its freeze lacks {listed(absent)}, which level `{policy.level}` needs")
    if freeze.failure_class != "environment":
        return Standing("unfit", f"its freeze is of failure class {freeze.failure_class}: a bug to mend")
    return Standing("open")


def runner_class_of(freeze: Freeze, policy: Policy) -> str | None:
    """The runner class on which a freeze holds; at level `ledger` an absent one means `replay_env` (LEDGERS.md)."""
    return freeze.runner_class or (freeze.replay_env if policy.level == "ledger" else None)
