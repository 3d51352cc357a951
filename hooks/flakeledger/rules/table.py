"""Every rule by name, once: those of the two tables, and those that are found without a function of their own.

Invariants:
* Names are kebab-case and stable; each has an entry in `docs/rules.md` and a pair of example trees.
"""

from __future__ import annotations

from flakeledger.rules.change_table import CHANGE_RULES, ChangeRule
from flakeledger.rules.state_table import READING_RULES, STATE_RULES, State, StateRule

__all__ = [
    "CHANGE_RULES",
    "READING_RULES",
    "RULE_NAMES",
    "STATE_RULES",
    "UNDECIDED_RULES",
    "ChangeRule",
    "State",
    "StateRule",
]

#: exit code 2, raised while the base is looked for; it has no function here
UNDECIDED_RULES = ("base-unknown",)

RULE_NAMES = tuple(
    dict.fromkeys((*READING_RULES, *(rule.name for rule in STATE_RULES), *CHANGE_RULES, *UNDECIDED_RULES))
)
