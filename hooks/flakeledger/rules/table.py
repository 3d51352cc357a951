"""Every rule by name, once: those of the two tables, and those that are found without a function of their own.

Invariants:
* Names are kebab-case and stable; each has an entry in `docs/rules.md` and a pair of example trees.
"""

from __future__ import annotations

from flakeledger.rules.change_table import CHANGE_RULES, ChangeRule
from flakeledger.rules.state_table import STATE_RULES, State, StateRule

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

#: what the reader and the field tables find while a tree is read; `Ledger.findings` holds them
READING_RULES = (
    "yaml-syntax",
    "yaml-forbidden",
    "conflict-marker",
    "duplicate-key",
    "unknown-field",
    "missing-field",
    "bad-value",
    "policy-invalid",
    "replay-malformed",
    "replay-inconsistent",
    "replay-duplicate",
)

#: exit code 2, raised while the base is looked for; it has no function here
UNDECIDED_RULES = ("base-unknown",)

RULE_NAMES = tuple(
    dict.fromkeys((*READING_RULES, *(rule.name for rule in STATE_RULES), *CHANGE_RULES, *UNDECIDED_RULES))
)
