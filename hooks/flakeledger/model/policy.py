"""The records of the policy: what the reviewers of a repository decided. `policy_reading.py` makes them of a text.

Invariants:
* Every default is the one that `docs/formats.md` shows, and that `policy_fields.py` gives to editors.

The records are named tuples: making four frozen dataclasses costs every run of a hook 2 ms.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

ClassName = Literal["freeze_config", "generator", "runner", "review_only", "test_body", "production"]
LevelName = Literal["ledger", "keyed", "witnessed"]
CLASSES: tuple[ClassName, ...] = get_args(ClassName)
#: from what proves least to what proves most
LEVELS: tuple[LevelName, ...] = get_args(LevelName)


class PathClass(NamedTuple):
    """One entry of `paths`: a class and the gitignore patterns that give it."""

    name: ClassName
    match: tuple[str, ...]


class Limits(NamedTuple):
    """The numbers of the policy: days, counts, bytes."""

    max_window_days: int = 30
    unproven_days: int = 3
    max_replay_age_days: int = 14
    min_seeds: int = 20
    max_freezes: int = 50
    max_renewals: int = 1
    warn_days: int = 7
    witness_bytes: int = 8192
    witness_replays: int = 5
    seed_budget: int = 32


class Runner(NamedTuple):
    """A runner class: the kind of machine on which a freeze holds and replays run."""

    name: str
    python: str | None = None
    timezone: str | None = None
    hash_seed: str | None = None
    command: tuple[str, ...] | None = None


class Policy(NamedTuple):
    """policy.yaml, typed."""

    paths: tuple[PathClass, ...]
    runners: tuple[Runner, ...]
    level: LevelName = "keyed"
    forbid: tuple[tuple[ClassName, ClassName], ...] = (("generator", "freeze_config"),)
    limits: Limits = Limits()
    seeds: str | None = None
    stale_rows: Literal["block", "block_touched"] = "block"
    witness_match: Literal["exact", "property"] = "exact"
    flaky_witness: Literal["deny", "accept"] = "deny"
    environment_failures: tuple[str, ...] = ("TimeoutError", "ConnectionError", "socket.gaierror")
    permanent_skips: tuple[str, ...] = ()
    owners: Literal["any", "codeowners"] = "any"
    default_runner: str | None = None
