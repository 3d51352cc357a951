"""State rules about evidence: what the newest replay lacks for the freeze that stands on it.

Invariants:
* The newest replay by `run_at` from the freeze's `replay_env` judges it, wherever it stands in the file.
* A window of at most `unproven_days` needs no replay; but a replay that passed nothing always counts.
* `seeded: false` for a `@given` test is no evidence.
* Every count is printed with its bound.
* What the replays of a test failed with is told of its first row; any other row of it is `freeze-duplicate`.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from flakeledger.model.clock import DAY
from flakeledger.model.findings import Finding
from flakeledger.model.window import start_of, window_days
from flakeledger.rules.freezes import MOST_NAMED, at, named, shown, thaw_command
from flakeledger.verdicts.rates import bound_text

if TYPE_CHECKING:
    from flakeledger.model.policy import Limits
    from flakeledger.model.records import Freeze, Replay
    from flakeledger.repo.ledger import Ledger


def _judged(ledger: Ledger) -> Iterator[tuple[Freeze, Replay | None]]:
    """Each freeze with the newest replay that judges it."""
    return zip(ledger.freezes, ledger.newest_replays, strict=True)


def needs_replay(ledger: Ledger, freeze: Freeze) -> bool:
    """Whether the window is too long to stand without a replay. (A row without a window has its own finding.)"""
    assert ledger.policy is not None
    days = window_days(freeze)
    return days is not None and days > ledger.policy.limits.unproven_days


def replay_command(freeze: Freeze) -> str:
    """The command that replays a frozen test where its row says, be the row committed or not."""
    return f"flakeledger replay {named(freeze)} --runner {freeze.replay_env}"


def _fix(freeze: Freeze) -> str:
    return f"{replay_command(freeze)}, or remove the row"


def replay_missing(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """No replay of the test at all."""
    for freeze, newest in _judged(ledger):
        if newest is not None or freeze.test is None or not needs_replay(ledger, freeze):
            continue
        if not ledger.replays_by_test.get(freeze.test):
            yield _aged(freeze, "replay-missing", f"no replay of {freeze.test} is recorded", _fix(freeze))


def replay_wrong_env(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """Replays there are, but none of them is evidence from the row's `replay_env`."""
    for freeze, newest in _judged(ledger):
        if newest is not None or freeze.test is None or not needs_replay(ledger, freeze):
            continue
        runners = ledger.evidence.runners(freeze.test)
        if runners:
            seen = ", ".join(runners[:MOST_NAMED]) + (", …" if len(runners) > MOST_NAMED else "")
            message = f"no replay of {freeze.test} from {freeze.replay_env} is evidence (recorded from: {seen})"
            yield _aged(freeze, "replay-wrong-env", message, _fix(freeze))


def replay_stale(ledger: Ledger, now: int) -> Iterator[Finding]:
    """The newest replay is too old."""
    assert ledger.policy is not None
    oldest = ledger.policy.limits.max_replay_age_days
    for freeze, newest in _judged(ledger):
        if newest is not None and now - newest.at > oldest * DAY and needs_replay(ledger, freeze):
            days = (now - newest.at) // DAY
            message = f"the newest replay of {freeze.test} is {days} days old; the policy allows {oldest}"
            yield _aged(freeze, "replay-stale", message, _fix(freeze))


def replay_few_seeds(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The newest replay ran under too few seeds."""
    assert ledger.policy is not None
    least = ledger.policy.limits.min_seeds
    for freeze, newest in _judged(ledger):
        if newest is not None and newest.total < least and needs_replay(ledger, freeze):
            message = (
                f"the newest replay of {freeze.test} ran under {newest.total} seeds; the policy asks for {least} "
                f"(0 failures in {least} runs bound the rate at {bound_text(0, least)})"
            )
            yield _aged(freeze, "replay-few-seeds", message, _fix(freeze))


def replay_broken(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The newest replay passed nothing: broken, not flaky."""
    for freeze, newest in _judged(ledger):
        if newest is not None and newest.passed == 0:
            message = (
                f"{freeze.test} failed {newest.total} of {newest.total} runs on {newest.run_at}: "
                "it is broken, not flaky, and the freeze hides a bug"
            )
            yield _aged(freeze, "replay-broken", message, f"mend the product or the test, and: {thaw_command(freeze)}")


def _aged(freeze: Freeze, rule: str, message: str, fix: str) -> Finding:
    return at(freeze, "test", rule, message, fix)._replace(by_time=True)


def freeze_not_environment(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """`failure_class: invariant`, or recorded failures that do not look like the environment (LEDGERS.md)."""
    assert ledger.policy is not None
    if ledger.policy.level == "ledger":
        return
    suspicious = _suspicious_tests(ledger, ledger.policy.environment_failures)
    for freeze in ledger.freezes:
        if freeze.failure_class == "invariant":
            yield _not_environment(freeze, "an invariant failure is a bug to fix, not a reason to freeze")
        elif freeze.test in suspicious and freeze.failure_class is not None and ledger.is_first(freeze):
            yield from _recorded_failures(ledger, freeze)


def _suspicious_tests(ledger: Ledger, accepted: tuple[str, ...]) -> frozenset[str]:
    """The tests with a replay that shows no failure of the environment, or a failure of another kind."""
    return frozenset(
        replay.test
        for replay in ledger.replays
        if not replay.failures or not all(is_environment(name, accepted) for name in replay.failures)
    )


def _not_environment(freeze: Freeze, why: str) -> Finding:
    message = f"{shown(freeze)}: {why}"
    fix = f"mend the product or the test, then: {thaw_command(freeze)}"
    return at(freeze, "failure_class", "freeze-not-environment", message, fix)._replace(by_time=True)


def _recorded_failures(ledger: Ledger, freeze: Freeze) -> Iterator[Finding]:
    assert ledger.policy is not None and freeze.test is not None
    replays = replays_that_count(ledger, freeze, ledger.policy.limits)
    failures = {name for replay in replays for name in replay.failures}
    if not failures:
        if replays and needs_replay(ledger, freeze):
            runs = sum(replay.total for replay in replays)
            message = f"{freeze.test}: no failure is recorded in {runs} runs (rate at most {bound_text(0, runs)})"
            found = at(
                freeze, "failure_class", "freeze-not-environment", message, f"if it is mended: {thaw_command(freeze)}"
            )
            yield found._replace(level="warning", by_time=True)
        return
    others = sorted([name for name in failures if not is_environment(name, ledger.policy.environment_failures)])
    if others and not was_seen_to_flip(ledger, freeze, ledger.policy.limits):
        yield _not_environment(
            freeze, f"its replays failed with {', '.join(others)}, which no `environment_failures` of the policy names"
        )


def replays_that_count(ledger: Ledger, freeze: Freeze, limits: Limits) -> list[Replay]:
    """The replays of a freeze's test whose failures say what the freeze is for (RULES.md, replay-* and LEDGERS.md)."""
    since = (start_of(freeze) or 0) - limits.max_replay_age_days * DAY
    return [replay for replay in ledger.replays_by_test.get(freeze.test or "", ()) if replay.at >= since]


def was_seen_to_flip(ledger: Ledger, freeze: Freeze, limits: Limits) -> bool:
    """Whether the same input was seen both to pass and to fail: of a test that draws nothing, a replay shows it.

    Of a `@given` test its witness and note do. Runs that ended in neither show nothing.
    """
    if freeze.test is None:
        return False
    if ledger.sources.is_given(freeze.test):
        from flakeledger.rules.freeze_witnesses import has_flipped  # it builds on this module

        return has_flipped(ledger, freeze)
    replays = replays_that_count(ledger, freeze, limits)
    return any(0 < replay.passed < replay.total - replay.unsettled for replay in replays)


@lru_cache(maxsize=1024)  # replays fail with the same few exceptions
def is_environment(name: str, accepted: tuple[str, ...]) -> bool:
    """Whether an exception's name is one of the accepted, or a built-in subclass of one of them."""
    if name in accepted or name.rpartition(".")[2] in accepted:
        return True
    kind = getattr(builtins, name.removeprefix("builtins."), None)
    if not isinstance(kind, type):
        return False
    return any(parent.__name__ in accepted for parent in kind.__mro__)
