"""What a row says where a person said nothing: from the policy, the tree and the standing row, never a guess."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from flakeledger.cli.granting import Wanted, default_owner, new_row, pinned_row, renewed_row, values_of, window_ends
from flakeledger.model.clock import parse_date
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import POLICY
from flakeledger.repo.ledger import Ledger
from flakeledger.rules.freeze_renewals import Predecessor
from world import CLOCK, REFUND, World, on

NOW = parse_date(on(1))
WANTED = Wanted(REFUND, "depends on the clock", "@finley")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    """A frozen test beside one that is not; everything that the tests ask for is read before the repository closes."""
    world = World.new(tmp_path_factory.mktemp("granting") / "world")
    world.freeze(CLOCK, 0, 3, issue="https://example.org/1")
    with world.ledger() as found:
        new_row(found, WANTED, NOW)
        pinned_row(found, found.freeze_by_test[CLOCK])
        assert found.freeze_by_test[CLOCK].places.line == 1
    return found


WINDOWS = (
    (WANTED, [on(31), on(4)]),
    (WANTED._replace(days=9), [on(10)]),
    (WANTED._replace(days=40), [on(41)]),
    (WANTED._replace(expires=on(2)), [on(2)]),
    (WANTED._replace(expires=on(2), days=9), [on(2)]),
)


@pytest.mark.parametrize(("wanted", "ends"), WINDOWS)
def test_the_ends_that_may_be_meant_come_longest_first(ledger: Ledger, wanted: Wanted, ends: list[str]) -> None:
    assert list(window_ends(ledger, wanted, NOW)) == ends


def test_a_window_beyond_the_calendar_cannot_be_told(ledger: Ledger) -> None:
    with pytest.raises(CannotTell, match="9999"):
        list(window_ends(ledger, WANTED, parse_date("9999-12-20")))


def test_a_policy_whose_windows_are_equal_offers_one(tmp_path: Path) -> None:
    world = World.new(tmp_path / "world", unproven_days=5, max_window_days=5)
    with world.ledger() as found:
        assert list(window_ends(found, WANTED, NOW)) == [on(6)]


def test_a_new_row_takes_what_was_said_before_what_is_known(ledger: Ledger) -> None:
    said = WANTED._replace(property_id="PROP-7", runner="x", failure_class="invariant", issue="y", days=2)
    row = new_row(ledger, said, NOW)
    assert (row.property_id, row.replay_env, row.runner_class, row.failure_class) == ("PROP-7", "x", "x", "invariant")
    assert (row.frozen_on, row.expires, row.issue, row.renewed) == (on(1), on(3), "y", None)
    assert (row.fixture_hashes, row.generator_hash) == (None, None), "pins of a property that nobody knows"


@pytest.mark.parametrize(
    ("before", "fate", "owners", "found"),
    [
        ("@finley", "fell", "any", "@finley"),
        ("@finley", "left", "any", "@dana"),
        ("@finley", "stands", "any", "@dana"),
        ("tbd", "fell", "any", "@dana"),
        (None, "fell", "any", "@dana"),
        ("@finley", "fell", "codeowners", "@dana"),
        ("@DANA", "fell", "codeowners", "@DANA"),
    ],
)
def test_whoever_answered_for_a_freeze_that_fell_does_so_again(
    before: str | None, fate: Literal["stands", "fell", "left"], owners: str, found: str, tmp_path: Path
) -> None:
    world = World.new(tmp_path / "world")
    world.append(POLICY, f"owners: {owners}\n")
    world.write("CODEOWNERS", "* @dana\n")
    world.freeze(CLOCK, 0, 3)
    with world.ledger() as ledger:
        row = ledger.freeze_by_test[CLOCK]._replace(owner=before)
        assert default_owner(ledger, CLOCK, Predecessor(row, fate)) == found
        assert default_owner(ledger, CLOCK, None) == "@dana"


def test_a_renewal_keeps_what_was_not_said_and_counts(ledger: Ledger) -> None:
    standing = ledger.freeze_by_test[CLOCK]
    renewed = renewed_row(ledger, standing, Wanted(CLOCK), NOW)
    assert renewed == standing._replace(frozen_on=on(1), expires=on(31), renewed=1)
    again = renewed_row(ledger, renewed, Wanted(CLOCK, owner="@dana", runner="local-fixture", days=1), NOW)
    expected = renewed._replace(owner="@dana", renewed=2, expires=on(2))
    assert again == expected._replace(replay_env="local-fixture", runner_class="local-fixture")


def test_a_row_names_the_witness_that_it_is_granted_on(ledger: Ledger) -> None:
    witnessed = WANTED._replace(witness="1" * 64, note="2" * 64)
    row = new_row(ledger, witnessed._replace(property_id="PROP-1"), NOW)
    assert (row.witness, row.note) == ("1" * 64, "2" * 64)
    standing = ledger.freeze_by_test[CLOCK]
    renewed = renewed_row(ledger, standing, witnessed._replace(test=CLOCK), NOW)
    assert (renewed.witness, renewed.note) == ("1" * 64, "2" * 64)
    kept = renewed_row(ledger, renewed, Wanted(CLOCK), NOW)
    assert (kept.witness, kept.note) == (renewed.witness, renewed.note)


def test_only_absent_pins_are_filled(ledger: Ledger) -> None:
    whole = ledger.freeze_by_test[CLOCK]
    bare = new_row(ledger, WANTED._replace(test=CLOCK), NOW)
    assert (bare.fixture_hashes, bare.generator_hash, bare.test_hash) == (
        whole.fixture_hashes,
        whole.generator_hash,
        whole.test_hash,
    )
    other = bare._replace(test_hash=None, generator_hash="f" * 64)
    assert pinned_row(ledger, other) == bare._replace(generator_hash="f" * 64)
    refused = whole._replace(test_hash=None)  # it is written, but its value was refused
    assert pinned_row(ledger, refused) == refused


def test_the_values_of_a_row_are_its_fields_in_table_order(ledger: Ledger) -> None:
    values = values_of(ledger.freeze_by_test[CLOCK])
    assert list(values)[:4] == ["test", "owner", "frozen_on", "expires"]
    assert "renewed" not in values
    assert "places" not in values
    assert values["issue"] == "https://example.org/1"


def test_without_a_policy_nothing_is_granted(tmp_path: Path) -> None:
    world = World.new(tmp_path / "world")
    world.delete(POLICY)
    with world.ledger() as found, pytest.raises(CannotTell, match="no policy"):
        new_row(found, WANTED, NOW)
