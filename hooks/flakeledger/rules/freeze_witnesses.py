"""State rules about the witness and the review note of a freeze, and whether they say that its input was seen to flip.

Invariants:
* Everything is told from the tree alone: the two files, the policy, the row, and the generators as they stand.
* They are asked at level `witnessed`, of tests that draw their arguments (`@given`). A window of at most
  `unproven_days` needs neither; one that is named must be good all the same.
* The key is the property, the example, the generators and the test: a renamed test has no witness any more, and an
  edited generator voids the freeze.
* A note is believed as far as its own facts bear it out: an `eligible_short` over replays that show no flip is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES, NOTES, WITNESSES
from flakeledger.rules.freeze_evidence import needs_replay
from flakeledger.rules.freezes import at, lacks, shown

if TYPE_CHECKING:
    from flakeledger.model.policy import Policy
    from flakeledger.model.records import Freeze
    from flakeledger.model.witness import Witness
    from flakeledger.repo.ledger import Ledger
    from flakeledger.rules.witnesses import Refused


class WitnessFacts(NamedTuple):
    """The digest of the example of the witness that a freeze names, and what keeps the two files from counting.

    `example` is empty where `wrong_witness` is not.
    """

    example: str
    wrong_witness: str
    wrong_note: str


_FIXES = {
    "witness": "pytest --flakeledger-witness DIR   # captures its failure\n"
    "flakeledger gate --base REV --witness FILE --out note.json\n"
    f"then write both digests into the row, or remove it from {FREEZES}",
    "note": "flakeledger gate --base REV --witness FILE --out note.json\n"
    f"then write its digest into the row, or remove it from {FREEZES}",
}


def freeze_witness(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The witness is missing, is no good one, or is one of another test, property or set of generators."""
    yield from _findings(ledger, "witness", _wrong_witness)


def freeze_note(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The review note is missing, is none, is about something else, or does not say `eligible_short`."""
    yield from _findings(ledger, "note", _wrong_note)


def has_flipped(ledger: Ledger, freeze: Freeze) -> bool:
    """Whether a good witness of the freeze was seen both to pass and to fail, as its note says."""
    if ledger.policy is None or freeze.witness is None or freeze.note is None:
        return False
    return not _wrong_witness(ledger, freeze) and not _wrong_note(ledger, freeze)


def witness_facts(ledger: Ledger, freeze: Freeze) -> WitnessFacts | None:
    """What the tree says to the witness of a freeze; None where no witness decides what the freeze covers.

    That is below level `witnessed`, of a test that draws no arguments, and of a row that names none.
    """
    policy = ledger.policy
    if policy is None or policy.level != "witnessed" or freeze.witness is None or freeze.test is None:
        return None
    if not ledger.sources.is_given(freeze.test):
        return None
    from flakeledger.rules.witnesses import Refused

    witness, wrong = _witness_of(ledger, freeze, policy), _wrong_witness(ledger, freeze)
    example = "" if isinstance(witness, Refused) or wrong else witness.example_sha256
    return WitnessFacts(example, wrong, "there is none" if freeze.note is None else _wrong_note(ledger, freeze))


def _findings(ledger: Ledger, field: str, wrong: Callable[[Ledger, Freeze], str]) -> Iterator[Finding]:
    """A finding for each row whose file is missing, or wrong for a reason."""
    assert ledger.policy is not None
    if ledger.policy.level != "witnessed":
        return
    for freeze in ledger.freezes:
        if freeze.test is None or not ledger.sources.is_given(freeze.test):
            continue
        if getattr(freeze, field) is not None:
            reason = wrong(ledger, freeze)
        else:
            reason = "there is none" if lacks(freeze, field) and needs_replay(ledger, freeze) else ""
        if reason:
            message = f"the {_NAMES[field]} of {shown(freeze)}: {reason}"
            yield at(freeze, field, f"freeze-{field}", message, _FIXES[field])


_NAMES = {"witness": "witness", "note": "review note"}


def _witness_of(ledger: Ledger, freeze: Freeze, policy: Policy) -> Witness | Refused:
    """The witness that a row names, as the policy takes it; else why not."""
    from flakeledger.rules.witnesses import Refused, WitnessFile, good_witness  # only level `witnessed` pays for it

    name = f"{freeze.witness}.json"
    data = ledger.tree.read(f"{WITNESSES}{name}")
    if data is None:
        return Refused(f"{WITNESSES}{name} is not there as a regular file")
    return good_witness(WitnessFile(name, data), policy)


def _wrong_witness(ledger: Ledger, freeze: Freeze) -> str:
    """Why the witness that a row names is not one for it, or the empty text."""
    from flakeledger.model import wording
    from flakeledger.rules.witnesses import Refused, differing

    assert ledger.policy is not None
    witness = _witness_of(ledger, freeze, ledger.policy)
    if isinstance(witness, Refused):
        return witness.reason
    if witness.test != freeze.test:
        return f"it is one of {wording.shown(witness.test)}"
    if witness.property_id != freeze.property_id:
        return f"it is one of property {wording.shown(witness.property_id)}, and the row names {freeze.property_id}"
    drift = differing(witness.generator_hashes, ledger.generator_hashes(witness.property_id))
    return f"the generators are not those it was drawn from: {drift}" if drift else ""


def _wrong_note(ledger: Ledger, freeze: Freeze) -> str:
    """Why the note that a row names is not one for it, or the empty text."""
    from flakeledger.model.canonical import NotCanonical
    from flakeledger.model.digest_files import digest_file_name
    from flakeledger.model.note import ELIGIBLE, read_note
    from flakeledger.rules.witnesses import Refused
    from flakeledger.verdicts.gate import ORDINARY

    assert ledger.policy is not None
    name = f"{freeze.note}.json"
    data = ledger.tree.read(f"{NOTES}{name}")
    if data is None:
        return f"{NOTES}{name} is not there as a regular file"
    if name != digest_file_name(data):
        return "its name is not its digest"
    try:
        note = read_note(data)
    except NotCanonical as wrong:
        return f"line {wrong.line}, column {wrong.column}: {wrong.message}"
    witness = _witness_of(ledger, freeze, ledger.policy)
    example = None if isinstance(witness, Refused) else witness.example_sha256
    answers = (
        (note.freeze != ELIGIBLE, f"it says `{note.freeze}`, not `{ELIGIBLE}`"),
        (note.property_id != freeze.property_id, f"it is about property {note.property_id}"),
        (example not in (None, note.example_sha256), "it is about another example than that of the witness"),
        (note.generator_hashes_match_base is not True, "its generators were not those of the base"),
        (set(note.replay_outcomes) != {"pass", "fail"}, "its replays show no input that both passed and failed"),
        (not ORDINARY.issuperset(note.diff_class.split("+")), f"it is about a patch of class {note.diff_class}"),
    )
    return next((reason for applies, reason in answers if applies), "")
