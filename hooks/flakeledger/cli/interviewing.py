"""The frozen tests of what is on disk, each with its exit interview; and which of them a user means.

Invariants:
* Whatever cannot be read as a whole is `CannotTell`: what is missing might be what decides.
* A freeze is meant by its whole test id. Anything else is answered with the ids that look most like it.
"""

from __future__ import annotations

from collections.abc import Sequence

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES, POLICY
from flakeledger.model.policy import Policy
from flakeledger.repo.ledger import Ledger
from flakeledger.rules.interviews import Interview, interview
from flakeledger.verdicts.interview import TABLE

_MOST_SUGGESTED = 3
#: suggestions compare texts, which is quadratic in their length
_LONGEST_COMPARED = 200


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


def meant(found: Sequence[Interview], test: str) -> Interview:
    """The interview of the freeze that a user names. CannotTell when no row, or more than one, is of that test."""
    same = [one for one in found if one.freeze.test == test]
    if len(same) == 1:
        return same[0]
    if same:
        lines = ", ".join(str(one.freeze.places.line) for one in same)
        raise CannotTell(f"{test} is frozen by several rows: lines {lines} of {FREEZES}", "keep one of them")
    near = nearest_names(test, [one.freeze.test for one in found if one.freeze.test is not None])
    raise CannotTell(f"{test} is not frozen", f"did you mean {' or '.join(near)}?" if near else "flakeledger review")


def nearest_names(test: str, frozen: Sequence[str]) -> list[str]:
    """The frozen tests of that name in other files or classes, else those that look most like it.

    So it is with the ids of properties.
    """
    name = test.rpartition("::")[2].partition("[")[0]
    same = [one for one in frozen if one.partition("[")[0].rpartition("::")[2] == name]
    if same:
        return same[:_MOST_SUGGESTED]
    from difflib import get_close_matches  # only a name that is wrong pays for it

    return get_close_matches(test[:_LONGEST_COMPARED], frozen, n=_MOST_SUGGESTED)
