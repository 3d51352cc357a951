"""The options of the project's pytest that a replay does not obey, and what it knows of absent plugins.

Part of what the tests' interpreter is given: see `seeding_plugin.py`.

Invariants:
* Options that a project sets for plugins that are blocked here are read, and forgotten.
* What would select, spread, repeat or end the test does nothing; whatever else a project sets stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: options of plugins that are blocked, which may stand in the project's addopts: option -> how it is read
ABSENT_OPTIONS = {
    "--flakeledger": "store",
    "--flakeledger-log": "store",
    "--flakeledger-now": "store",
    "--flakeledger-seed-budget": "store",
    "--flakeledger-seeds": "store",
    "--flakeledger-witness": "store",
    "--randomly-dont-reorganize": "store_true",
    "--randomly-dont-reset-seed": "store_true",
    "--randomly-seed": "store",
    "--randomly-seed-per-test": "store_true",
}
MARKERS = (
    "property_id(id): the property that a test protects",
    "frozen: the test is frozen",
    "flaky: what pytest-rerunfailures reads",
)
#: plugins that go once their options are known: they repeat tests, and run threads
REMOVED_PLUGINS = ("rerunfailures",)
#: options that would take the test away, spread it, end it early or run a part of it: name -> what does nothing
QUIET_OPTIONS: dict[str, Any] = {
    "dist": "no",
    "failedfirst": False,
    "lf": False,
    "maxfail": 0,
    "no_cov": True,
    "numprocesses": 0,
    "setuponly": False,
    "setupplan": False,
    "stepwise": False,
    "trace": False,
    "tx": [],
    "usepdb": False,
}
#: what chooses tests, while one is asked for
CHOOSING_OPTIONS = {"keyword": "", "markexpr": ""}


def quiet(options: Any, values: Mapping[str, Any]) -> None:
    """Give the options that exist the values that do nothing."""
    for name, value in values.items():
        if hasattr(options, name):
            setattr(options, name, value)
