"""The state rules: every rule that judges one tree, once, by name.

Invariants:
* A state rule is a pure function of a `Ledger` and `now`; it never reads a file, the clock or the environment.
* This table imports nothing about changes, so that a passing `check-ledgers` pays for none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from flakeledger.model.findings import Finding
from flakeledger.repo.ledger import Ledger
from flakeledger.rules import (
    citations,
    fixtures,
    freeze_evidence,
    freeze_owners,
    freeze_pins,
    freeze_witnesses,
    freezes,
    policies,
    properties,
    replays,
)

StateRule = Callable[[Ledger, int], Iterator[Finding]]


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


class State(NamedTuple):
    """A rule that judges one tree. `needs_policy`: without a policy it has nothing to judge by."""

    name: str
    check: StateRule
    needs_policy: bool = True


STATE_RULES = (
    State("policy-missing", policies.policy_missing, needs_policy=False),
    State("missing-field", freezes.missing_field),
    State("freeze-unowned", freeze_owners.freeze_unowned),
    State("freeze-expired", freezes.freeze_expired, needs_policy=False),
    State("freeze-expiring", freezes.freeze_expiring),
    State("freeze-window", freezes.freeze_window),
    State("freeze-no-property", freezes.freeze_no_property, needs_policy=False),
    State("freeze-unknown-property", freezes.freeze_unknown_property, needs_policy=False),
    State("freeze-not-bound", freezes.freeze_not_bound, needs_policy=False),
    State("freeze-dangling", freezes.freeze_dangling, needs_policy=False),
    State("freeze-duplicate", freezes.freeze_duplicate, needs_policy=False),
    State("freeze-cap", freezes.freeze_cap),
    State("freeze-renewals", freezes.freeze_renewals),
    State("freeze-unknown-runner", freezes.freeze_unknown_runner),
    State("freeze-fixture-hash", freeze_pins.freeze_fixture_hash, needs_policy=False),
    State("freeze-generator-hash", freeze_pins.freeze_generator_hash),
    State("freeze-test-hash", freeze_pins.freeze_test_hash, needs_policy=False),
    State("freeze-not-environment", freeze_evidence.freeze_not_environment),
    State("freeze-witness", freeze_witnesses.freeze_witness),
    State("freeze-note", freeze_witnesses.freeze_note),
    State("replay-missing", freeze_evidence.replay_missing),
    State("replay-wrong-env", freeze_evidence.replay_wrong_env),
    State("replay-stale", freeze_evidence.replay_stale),
    State("replay-few-seeds", freeze_evidence.replay_few_seeds),
    State("replay-broken", freeze_evidence.replay_broken, needs_policy=False),
    State("replay-future", replays.replay_future, needs_policy=False),
    State("fixture-missing", fixtures.fixture_missing, needs_policy=False),
    State("fixture-drifted", fixtures.fixture_drifted, needs_policy=False),
    State("fixture-not-a-file", fixtures.fixture_not_a_file, needs_policy=False),
    State("fixture-duplicate", fixtures.fixture_duplicate, needs_policy=False),
    State("fixture-contract", fixtures.fixture_contract, needs_policy=False),
    State("fixture-unlocked", fixtures.fixture_unlocked),
    State("property-untested", properties.property_untested),
    State("property-unprotected", properties.property_unprotected),
    State("property-no-fixture", properties.property_no_fixture, needs_policy=False),
    State("property-unknown-fixture", properties.property_unknown_fixture, needs_policy=False),
    State("property-duplicate", properties.property_duplicate, needs_policy=False),
    State("property-unnamed", properties.property_unnamed, needs_policy=False),
    State("property-dangling", properties.property_dangling, needs_policy=False),
    State("citation-unknown", citations.citation_unknown),
    State("citation-rejected", citations.citation_rejected),
)
