"""Which failure an open freeze covers: asked while tests run, and of a report that a run left behind.

Invariants:
* What is not known excuses nothing: every answer but the empty one is the reason why a failure stays a failure.
* Pure: the freeze, the policy, what failed and `now` are arguments; what only the tree can say is asked last, and only
  when everything else speaks for the excuse.
* A freeze covers a failure of its test alone: who asks leaves setup, teardown, crashes and a strict xfail out.
* At level `witnessed` the witness of a freeze narrows it, as `witness_match` of the policy says: to failures under the
  example of the witness alone, or to a property whose witness was seen to flip.
* A pin that is present must match at any level; from level `keyed` on it must be present (LEDGERS.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Policy
from flakeledger.model.records import Freeze
from flakeledger.model.wording import shown
from flakeledger.rules.freeze_evidence import is_environment, was_seen_to_flip
from flakeledger.rules.freeze_witnesses import WitnessFacts, witness_facts

if TYPE_CHECKING:
    from flakeledger.repo.ledger import Ledger

#: an exception: the qualified name of its class, then those of its ancestors as far as they are known
Names = Sequence[str]

_PINS = {
    "fixture_hashes": "a fixture",
    "generator_hash": "a generator of its property",
    "test_hash": "the text of the test, or of what it uses in its module,",
}


#: so much of a digest names an example to people
_SHORT = 12


class TreeFacts(NamedTuple):
    """What a tree and its replay log say to a freeze: the pins that differ, and whether its input was seen to flip.

    `witness` is None where no witness decides what the freeze covers.
    """

    void_pins: tuple[str, ...]
    flipped: bool
    witness: WitnessFacts | None = None


class Example(NamedTuple):
    """Under which example a test failed, by its digest; where that is empty, `reason` says why it is not known."""

    digest: str
    reason: str = ""


def tree_facts(ledger: Ledger, freeze: Freeze, policy: Policy) -> TreeFacts:
    """What this ledger's tree and log say to a freeze. CannotTell when the tree cannot be read."""
    flipped = was_seen_to_flip(ledger, freeze, policy.limits)
    return TreeFacts(tuple(ledger.void_pins(freeze)), flipped, witness_facts(ledger, freeze))


def why_not_covered(
    freeze: Freeze,
    policy: Policy,
    failures: Sequence[Names],
    facts: Callable[[], TreeFacts],
    examples: Sequence[Example] = (),
) -> str:
    """Why an open freeze does not cover a failure of its test; empty when it does.

    `failures` are all exceptions that failed it: each leaf of a group; none when they are not known. `examples` are
    those of all ways in which it failed; none where nobody saw them, as in a report. `facts` is asked once at most, and
    only when the answer depends on it; its CannotTell becomes the reason.
    """
    if policy.level == "ledger" and not any(getattr(freeze, pin) for pin in _PINS):
        return ""
    try:
        known = facts()
    except CannotTell as error:
        place = f"{error.place}: " if error.place else ""
        return f"its pins cannot be checked: {place}{error.reason} (fix: {error.fix})"
    if known.void_pins:
        changed = " and ".join(_PINS[pin] for pin in known.void_pins)
        return f"its freeze is void: {changed} changed since it was granted"
    if known.witness is not None:
        narrowed = _why_not_by_its_witness(known.witness, policy, examples)
        if narrowed:
            return narrowed
    return "" if policy.level == "ledger" or known.flipped else _why_not_by_its_kind(failures, policy)


def _why_not_by_its_kind(failures: Sequence[Names], policy: Policy) -> str:
    """Why a failure whose input was not seen to flip is none of the environment; empty when it is."""
    accepted = policy.environment_failures
    others = [names[0] for names in failures if not any(is_environment(name, accepted) for name in names)]
    if failures and not others:
        return ""
    named = ", ".join(map(shown, dict.fromkeys(others)))
    why = f"no `environment_failures` of the policy names {named}" if named else "what it failed with is not known"
    return f"{why}, and no replay shows that the same input both passes and fails"


def _why_not_by_its_witness(witness: WitnessFacts, policy: Policy, examples: Sequence[Example]) -> str:
    """Why the witness of a freeze does not speak for a failure of its test; empty when it does."""
    if witness.wrong_witness:
        return f"its witness does not count: {witness.wrong_witness}"
    if policy.witness_match == "property":
        return f"its review note does not count: {witness.wrong_note}" if witness.wrong_note else ""
    asked = "`witness_match: exact` of the policy asks for that of its witness"
    if not examples:
        return f"under which example it failed is not known, and {asked}"
    unknown = next((one.reason for one in examples if not one.digest), "")
    if unknown:
        return f"under which example it failed is not known ({unknown}), and {asked}"
    other = next((one.digest for one in examples if one.digest != witness.example), "")
    if other:
        return f"it failed under another example ({other[:_SHORT]}), and {asked} ({witness.example[:_SHORT]})"
    return ""
