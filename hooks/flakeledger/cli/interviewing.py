"""Which of the frozen tests a user means.

Invariants:
* A freeze is meant by its whole test id. Anything else is answered with the ids that look most like it.
"""

from __future__ import annotations

from collections.abc import Sequence

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.rules.interviews import Interview

_MOST_SUGGESTED = 3
#: suggestions compare texts, which is quadratic in their length
_LONGEST_COMPARED = 200


def meant(found: Sequence[Interview], test: str) -> Interview:
    """The interview of the freeze that a user names. CannotTell when no row, or more than one, is of that test."""
    same = [one for one in found if one.freeze.test == test]
    if len(same) == 1:
        return same[0]
    if same:
        lines = ", ".join(str(one.freeze.places.line) for one in same)
        raise CannotTell(
            f"{test} is frozen by several rows: lines {lines} of {FREEZES}",
            f"delete all but one of them from {FREEZES}",
        )
    near = nearest_names(test, [one.freeze.test for one in found if one.freeze.test is not None])
    raise CannotTell(
        f"{test} is not frozen",
        f"did you mean {' or '.join(near)}?" if near else "flakeledger review   # lists the frozen tests",
    )


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
