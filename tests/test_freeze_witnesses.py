"""freeze-witness and freeze-note: what a freeze names, verified from the tree alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FREEZES, NOTES, POLICY, WITNESSES
from flakeledger.model.note import Note, note_file
from flakeledger.model.witness import Witness, example_of, witness_file
from flakeledger.repo.ledger import Ledger
from flakeledger.rules.freeze_evidence import freeze_not_environment, was_seen_to_flip
from flakeledger.rules.freeze_witnesses import WitnessFacts, freeze_note, freeze_witness, has_flipped, witness_facts
from patched import FLIPPED, PROPERTY, a_witness
from world import CLOCK, CONFTEST, REFUND, STRATEGIES, TESTS, World

COMMIT = "1" * 40
MONTH, DAYS = 20, 3
GOOD: tuple[str, str] = ("", "")
Spoil = Callable[[World], object]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.new(tmp_path / "shop", level="witnessed")


def a_note(witness: Witness, **changed: object) -> Note:
    """An eligible note about a witness, with some fields changed."""
    note = Note("production", PROPERTY, witness.example_sha256, True, FLIPPED, None, "eligible_short", COMMIT, COMMIT)
    return note._replace(**changed)  # type: ignore[arg-type]  # tests change any field to anything


def freeze(world: World, witness: Witness | None, note: Note | None, days: int = MONTH) -> None:
    """Freeze the refund on a witness and a note, with both files."""
    named: dict[str, str] = {}
    if witness is not None:
        file = witness_file(witness)
        world.write(f"{WITNESSES}{file.digest}.json", file.data.decode())
        named["witness"] = file.digest
    if note is not None:
        noted = note_file(note)
        world.write(f"{NOTES}{noted.digest}.json", noted.data.decode())
        named["note"] = noted.digest
    world.freeze(REFUND, 0, days, **named)


def reasons(world: World) -> tuple[str, str]:
    """What the two rules say of the one frozen test; empty where they say nothing."""
    with world.ledger() as ledger:
        return tuple(  # type: ignore[return-value]  # there are two rules
            ", ".join(found.message.partition(": ")[2] for found in rule(ledger, 0))
            for rule in (freeze_witness, freeze_note)
        )


def test_a_good_witness_and_its_note_are_fine(world: World) -> None:
    witness = a_witness(world)
    freeze(world, witness, a_note(witness))
    assert reasons(world) == GOOD


WRONG_WITNESSES: dict[str, tuple[Callable[[World], Witness], str]] = {
    "another test": (lambda world: a_witness(world, test=CLOCK), f"it is one of `{CLOCK}`"),
    "another property": (
        lambda world: a_witness(world, property_id="PROP-9"),
        "it is one of property `PROP-9`, and the row names PROP-1",
    ),
    "tampered": (
        lambda world: a_witness(world)._replace(example=example_of({"x": 8}, REFUND)), "the digest of the example is",
    ),
    "too large": (lambda world: a_witness(world, example=example_of({"x": "y" * 8192}, REFUND)), "allows 8192"),
    "incomplete": (lambda world: a_witness(world, shrink="capped"), "`shrink`: it is one of"),
    "flaky": (lambda world: a_witness(world, shrink="flaky"), "the policy denies that"),
    "other generators": (
        lambda world: a_witness(world, generator_hashes={}), "the generators are not those it was drawn from",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "reason"), WRONG_WITNESSES.values(), ids=WRONG_WITNESSES.keys())
def test_a_witness_that_is_none_for_the_row(world: World, make: Callable[[World], Witness], reason: str) -> None:
    witness = make(world)
    freeze(world, witness, a_note(witness))
    found, noted = reasons(world)
    assert reason in found
    assert noted == ""


NOTES_OF: dict[str, tuple[dict[str, object], str]] = {
    "a denial": ({"freeze": "deny:stable_fail"}, "it says `deny:stable_fail`, not `eligible_short`"),
    "another property": ({"property_id": "PROP-2"}, "it is about property PROP-2"),
    "no property": ({"property_id": None}, "it is about property None"),
    "another example": ({"example_sha256": "0" * 64}, "it is about another example"),
    "no example": ({"example_sha256": None}, "it is about another example"),
    "other generators": ({"generator_hashes_match_base": False}, "its generators were not those of the base"),
    "unknown generators": ({"generator_hashes_match_base": None}, "its generators were not those of the base"),
    "no replay": ({"replay_outcomes": ()}, "its replays show no input that both passed and failed"),
    "stable": ({"replay_outcomes": ("fail",) * 5}, "its replays show no input that both passed and failed"),
    "skipped": ({"replay_outcomes": (*FLIPPED, "skipped")}, "its replays show no input"),
    "a patch of generators": ({"diff_class": "generator+production"}, "a patch of class generator+production"),
    "no verdict of the gate": ({"freeze": "maybe"}, "`freeze`: it is `eligible_short`, or `deny:` and a reason"),
}


@pytest.mark.parametrize(("changed", "reason"), NOTES_OF.values(), ids=NOTES_OF.keys())
def test_a_note_that_is_none_for_the_row(world: World, changed: dict[str, object], reason: str) -> None:
    witness = a_witness(world)
    freeze(world, witness, a_note(witness, **changed))
    found, noted = reasons(world)
    assert found == ""
    assert reason in noted


def test_a_flaky_witness_is_fine_where_the_policy_says_so(world: World) -> None:
    world.append(POLICY, "flaky_witness: accept\n")
    witness = a_witness(world, shrink="flaky")
    freeze(world, witness, a_note(witness))
    assert reasons(world) == GOOD


@pytest.mark.parametrize(
    ("days", "expected"), [(MONTH, ("there is none", "there is none")), (DAYS, GOOD)], ids=["long", "short"]
)
def test_a_short_window_needs_neither(world: World, days: int, expected: tuple[str, str]) -> None:
    freeze(world, None, None, days)
    assert reasons(world) == expected


@pytest.mark.parametrize("value", ["no digest", ["a"], "a" * 63])
def test_what_is_no_digest_is_told_by_the_reader_alone(world: World, value: str | list[str]) -> None:
    freeze(world, None, None)
    world.set_fields(FREEZES, REFUND, witness=value, note=value)
    with world.ledger() as ledger:
        assert [found.rule for found in ledger.findings] == ["bad-value", "bad-value"]
    assert reasons(world) == GOOD


def test_what_a_short_window_names_must_be_good_all_the_same(world: World) -> None:
    witness = a_witness(world, shrink="flaky")
    freeze(world, witness, a_note(witness, freeze="deny:witness"), DAYS)
    assert all(reasons(world))


@pytest.mark.parametrize("level", ["ledger", "keyed"])
def test_other_levels_ask_for_neither(world: World, level: str) -> None:
    world.set_policy(level=level)
    freeze(world, a_witness(world, shrink="flaky"), None)
    assert reasons(world) == GOOD


def test_a_test_that_draws_nothing_needs_neither(world: World) -> None:
    world.freeze(CLOCK, 0, MONTH)
    assert reasons(world) == GOOD


def edited(folder: str) -> Spoil:
    """One byte of the one file below a folder."""

    def spoil(world: World) -> None:
        path = next((world.root / folder).iterdir())
        path.write_text(path.read_text().replace("PROP-1", "PROP-7"))

    return spoil


def linked(folder: str) -> Spoil:
    def spoil(world: World) -> None:
        path = next((world.root / folder).iterdir())
        path.rename(path.with_suffix(".old"))
        path.symlink_to(path.with_suffix(".old").name)

    return spoil


def removed(folder: str) -> Spoil:
    return lambda world: next((world.root / folder).iterdir()).unlink()


def rename(world: World) -> None:
    for path in (TESTS, FREEZES):
        world.sub(path, "test_refund", "test_pay")


FILES: dict[str, tuple[Spoil, str, str]] = {
    "witness removed": (removed(WITNESSES), "is not there as a regular file", ""),
    "witness edited": (edited(WITNESSES), "its name is not its digest", ""),
    "witness a link": (linked(WITNESSES), "is not there as a regular file", ""),
    "note removed": (removed(NOTES), "", "is not there as a regular file"),
    "note edited": (edited(NOTES), "", "its name is not its digest"),
    "note a link": (linked(NOTES), "", "is not there as a regular file"),
    "a strategy edited": (
        lambda world: world.append(STRATEGIES, "x = 1\n"),
        f"the generators are not those it was drawn from: `{STRATEGIES}`",
        "",
    ),
    "a conftest edited": (
        lambda world: world.append(CONFTEST, "x = 1\n"),
        f"the generators are not those it was drawn from: `{CONFTEST}`",
        "",
    ),
    "the test renamed": (
        rename,
        f"it is one of `{REFUND}`",
        "",
    ),
}


@pytest.mark.parametrize(("spoil", "found", "noted"), FILES.values(), ids=FILES.keys())
def test_what_happens_to_a_good_freeze(world: World, spoil: Spoil, found: str, noted: str) -> None:
    witness = a_witness(world)
    freeze(world, witness, a_note(witness))
    spoil(world)
    for said, expected in zip(reasons(world), (found, noted), strict=True):
        assert bool(said) == bool(expected)
        assert expected in said


def test_a_finding_stands_at_the_field_and_says_what_to_do(world: World) -> None:
    witness = a_witness(world)
    freeze(world, witness, a_note(witness, freeze="deny:stable_pass"))
    row = world.read(FREEZES).splitlines()
    with world.ledger() as ledger:
        (found,) = freeze_note(ledger, 0)
    assert (found.path, found.rule, found.subject, found.level) == (FREEZES, "freeze-note", REFUND, "error")
    assert row[found.line - 1].startswith("  note: ")
    assert "flakeledger gate" in found.fix


# a flip of the same input makes a failure one of the environment


def judged(world: World) -> tuple[bool, bool, list[str]]:
    """Whether the witness flipped, whether that counts as seen, and what freeze-not-environment says."""
    with world.ledger() as ledger:
        return (*_flips(ledger), [found.message for found in freeze_not_environment(ledger, 0)])


def _flips(ledger: Ledger) -> tuple[bool, bool]:
    assert ledger.policy is not None
    (row,) = ledger.freezes
    return has_flipped(ledger, row), was_seen_to_flip(ledger, row, ledger.policy.limits)


@pytest.mark.parametrize("level", ["keyed", "witnessed"])
def test_a_witness_that_flipped_is_a_failure_of_the_environment(world: World, level: str) -> None:
    world.set_policy(level=level)
    witness = a_witness(world)
    freeze(world, witness, a_note(witness))
    world.replay(0, failure="AssertionError")
    assert judged(world) == (True, True, [])


@pytest.mark.parametrize("changed", [{"freeze": "deny:stable_fail"}, {"example_sha256": None}], ids=str)
def test_a_note_that_is_no_good_shows_no_flip(world: World, changed: dict[str, object]) -> None:
    witness = a_witness(world)
    freeze(world, witness, a_note(witness, **changed))
    world.replay(0, failure="AssertionError")
    flipped, seen, said = judged(world)
    assert (flipped, seen, len(said)) == (False, False, 1)
    assert "AssertionError" in said[0]


def test_a_witness_from_other_generators_shows_no_flip(world: World) -> None:
    witness = a_witness(world, generator_hashes={})
    freeze(world, witness, a_note(witness))
    world.replay(0, failure="AssertionError")
    flipped, seen, said = judged(world)
    assert (flipped, seen, len(said)) == (False, False, 1)


def test_a_given_test_without_a_witness_was_not_seen_to_flip(world: World) -> None:
    freeze(world, None, None)
    world.replay(0, failure="AssertionError")
    flipped, seen, said = judged(world)
    assert (flipped, seen, len(said)) == (False, False, 1)


@pytest.mark.parametrize(
    ("level", "test", "names_a_witness", "decides"),
    [
        ("witnessed", REFUND, True, True),
        ("keyed", REFUND, True, False),
        ("witnessed", CLOCK, True, False),
        ("witnessed", REFUND, False, False),
    ],
)
def test_a_witness_decides_what_the_freeze_of_a_property_covers(
    world: World, level: str, test: str, names_a_witness: bool, decides: bool
) -> None:
    witness = a_witness(world)
    freeze(world, witness, None)
    world.set_policy(level=level)
    with world.ledger() as ledger:
        (row,) = ledger.freezes
        asked = row._replace(test=test, witness=row.witness if names_a_witness else None)
        found = witness_facts(ledger, asked)
    assert found == (WitnessFacts(witness.example_sha256, "", "there is none") if decides else None)
