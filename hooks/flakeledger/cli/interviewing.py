"""Which of the frozen tests a user means.

Invariants:
* A freeze is meant by its whole test id. Anything else is answered with the ids that look most like it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.rules.interviews import Interview

_MOST_SUGGESTED = 3
#: suggestions compare texts, which is quadratic in their length
_LONGEST_COMPARED = 200


def meant(found: Sequence[Interview], test: str) -> Interview:
    """The interview of the freeze that a user names. CannotTell when no row, or more than one, is of that test."""
    return meant_of(found, [test])[0]


def meant_of(found: Sequence[Interview], tests: Iterable[str]) -> list[Interview]:
    """The interviews of the freezes that a user names, each as `meant` finds one."""
    by_test: dict[str | None, list[Interview]] = {}
    for one in found:
        by_test.setdefault(one.freeze.test, []).append(one)
    return [_only(found, by_test.get(test, []), test) for test in tests]


def _only(found: Sequence[Interview], same: Sequence[Interview], test: str) -> Interview:
    """The only one of the interviews of a test."""
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
