"""The policy: what the reviewers of this repository decided, with its floors and ceilings.

Invariants:
* A policy that breaks a floor or a ceiling is no policy: `build_policy` gives None and findings.
* Every default is the one that `docs/policy.md` shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ClassName = Literal["freeze_config", "generator", "runner", "review_only", "test_body", "production"]
LevelName = Literal["ledger", "keyed", "witnessed"]


@dataclass(frozen=True)
class PathClass:
    """One entry of `paths`: a class and the gitignore patterns that give it."""

    name: ClassName
    match: tuple[str, ...]


@dataclass(frozen=True)
class Limits:
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


@dataclass(frozen=True)
class Runner:
    """A runner class: the kind of machine on which a freeze holds and replays run."""

    name: str
    python: str | None = None
    timezone: str | None = None
    hash_seed: str | None = None
    command: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Policy:
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
