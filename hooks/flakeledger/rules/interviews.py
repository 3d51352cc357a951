"""What the tree and the ledger show of a frozen test, for the exit interview; and the interviews of all of them.

Invariants:
* Whatever cannot be read as a whole is `CannotTell`: what is missing might be what decides.
* The newest replay by `run_at` from the freeze's `replay_env` judges it; the policy's limits say what it must be.
* A fact that is not known (a row without a first day) is never in the row's favour.
"""

from __future__ import annotations

from typing import NamedTuple

from flakeledger.model.clock import DAY
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import POLICY
from flakeledger.model.policy import Limits, Policy
from flakeledger.model.records import Freeze, Replay
from flakeledger.model.window import end_of, start_of
from flakeledger.repo.ledger import Ledger
from flakeledger.rules.freeze_evidence import replay_command
from flakeledger.rules.freezes import is_owner, thaw_command
from flakeledger.verdicts.interview import CONCLUSIVE, TABLE, Evidence, Facts, Verdict, decide
from flakeledger.verdicts.rates import USUAL_RATES, bound_text, percent, replays_needed


class Interview(NamedTuple):
    """A frozen test, what is known of it, and what must happen to it."""

    freeze: Freeze
    facts: Facts
    verdict: Verdict
    newest: Replay | None

    @property
    def end(self) -> int | None:
        """The first second after its window; None for a row without an end."""
        return end_of(self.freeze)

    @property
    def may_go(self) -> bool:
        """Whether the row may be removed now."""
        return self.verdict.may_go(self.facts)


def readable_policy(ledger: Ledger) -> Policy:
    """The policy of a ledger that can be read as a whole. CannotTell with the first thing that is wrong with it."""
    wrong = next((finding for finding in sorted(ledger.findings) if finding.level == "error"), None)
    if wrong is not None:
        raise CannotTell(
            f"{wrong.path} cannot be read as a whole: {wrong.message}",
            wrong.fix or "flakeledger check   # says what is wrong, and how to mend it",
            f"{wrong.path}:{wrong.line}:{wrong.column}",
        )
    if ledger.policy is None:
        raise CannotTell(f"{ledger.tree.label} has no {POLICY}, and its limits decide", "flakeledger init")
    return ledger.policy


def interviews(ledger: Ledger, now: int) -> list[Interview]:
    """The interview of every freeze, the most urgent first. CannotTell when something cannot be read.

    Rows without an end come first, then expired ones, then those that end sooner; of two that end at once, the one
    whose verdict stands higher in the decision table.
    """
    limits = readable_policy(ledger).limits
    found = [interview(ledger, freeze, limits, now) for freeze in ledger.freezes]
    return sorted(found, key=lambda one: (one.end or 0, TABLE.index(one.verdict), one.freeze.test or ""))


def interview(ledger: Ledger, freeze: Freeze, limits: Limits, now: int) -> Interview:
    """The exit interview of a row of any ledger on this one's tree and log, under the limits of a policy."""
    facts = facts_of(ledger, freeze, limits, now)
    newest = ledger.newest_replay(freeze)
    return Interview(freeze, facts, decide(facts), newest)


def facts_of(ledger: Ledger, freeze: Freeze, limits: Limits, now: int) -> Facts:
    """What the table asks about the row."""
    start, end = start_of(freeze), end_of(freeze)
    found = ledger.property_by_id.get(freeze.property_id or "")
    return Facts(
        test_is_gone=freeze.test is not None and not ledger.has_test(freeze.test),
        is_void=bool(ledger.void_pins(freeze)),
        is_young=start is not None and now < start + (limits.unproven_days + 1) * DAY,
        has_owner=is_owner(freeze.owner),
        is_expired=end is not None and now >= end,
        was_replayed=start is not None and _was_replayed(ledger, freeze.test, start),
        newest_replay=_evidence(ledger, freeze, limits, now),
        property_is_bound=found is not None and bool(found.statement) and bool(found.fixtures),
    )


def _was_replayed(ledger: Ledger, test: str | None, since: int) -> bool:
    """Whether a replay on any runner is evidence from that time on."""
    newest = ledger.evidence.newest(test or "")
    return newest is not None and newest.at >= since


def _evidence(ledger: Ledger, freeze: Freeze, limits: Limits, now: int) -> Evidence:
    """What the newest replay lacks, else what it shows; the first that applies."""
    newest = ledger.newest_replay(freeze)
    if newest is None:
        return "missing"
    start = start_of(freeze)
    answers: tuple[tuple[bool, Evidence], ...] = (
        (start is None or newest.at < start, "before_the_freeze"),
        (now - newest.at > limits.max_replay_age_days * DAY, "too_old"),
        (newest.total < limits.min_seeds, "too_few_seeds"),
        (newest.unsettled > 0, "incomplete"),
        (newest.passed == 0, "all_failed"),
        (newest.passed < newest.total, "some_failed"),
    )
    return next((answer for applies, answer in answers if applies), "green")


def counted(replay: Replay) -> str:
    """What a replay counted, with the bound of the rate of failure that it leaves possible (95 %, one-sided)."""
    failed = replay.total - replay.passed
    bound = bound_text(failed, replay.total)
    rate = f"{percent(failed / replay.total)} (at most {bound})" if failed else f"at most {bound}"
    return f"{replay.passed}/{replay.total} passed, failing {rate}"


def lower_rates(replay: Replay | None) -> str:
    """How many runs without a failure lower bounds take than that of a replay without one; empty after a failure."""
    if replay is None or not 0 < replay.total == replay.passed:
        return ""
    lower = [(f"{100 * rate:g} %", replays_needed(rate)) for rate in USUAL_RATES]
    bounds = [f"at most {rate} takes {runs}" for rate, runs in lower if runs > replay.total]
    return f"runs without a failure: {', '.join(bounds)}" if bounds else ""


#: what to say of a newest replay that shows nothing; `{env}` is where it ran, or should have
_LACKS: dict[Evidence, str] = {
    "missing": "no replay from {env} is recorded",
    "before_the_freeze": "its newest replay from {env} is older than the freeze",
    "too_old": "its newest replay from {env} is too old",
    "too_few_seeds": "its newest replay from {env} ran under too few seeds",
    "incomplete": "some runs of its newest replay from {env} neither passed nor failed",
}


def reason(found: Interview) -> str:
    """Why the verdict is what it is, as a clause."""
    name, freeze = found.verdict.name, found.freeze
    if name == "replay":
        return _LACKS[found.facts.newest_replay].format(env=freeze.replay_env)
    if name == "bind_property":
        return f"its property {freeze.property_id} has no statement or no fixture"
    if name in ("fix", "delete_test", "thaw") and found.newest is not None:
        return f"its newest replay from {freeze.replay_env} has {counted(found.newest)}"
    if name == "delete_first":
        return "it is expired and was never replayed since it was frozen" if found.facts.has_owner else "nobody owns it"
    return found.verdict.shows


#: what to do with a young freeze whose replay is there: to replay it again would tell nothing
_PROVEN_YOUNG = "its replay is recorded: keep the freeze, or take it back: {thaw}"


def next_step(found: Interview) -> str:
    """What to run or to do next."""
    freeze, verdict = found.freeze, found.verdict
    thaw = thaw_command(freeze)
    is_proven_young = verdict.name == "withdraw" and found.facts.newest_replay in CONCLUSIVE
    step = (_PROVEN_YOUNG if is_proven_young else verdict.next_step).format(
        thaw=thaw,
        replay=replay_command(freeze),
        property=freeze.property_id,
    )
    return f"{step}, or {thaw}" if verdict.departure != "yes" and found.may_go else step
