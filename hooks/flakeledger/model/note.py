"""The review note: what the gate said of a patch, as a file below ledgers/notes/ that is named by its digest.

Invariants:
* A note says what was known when the gate decided, and nothing else: what was not asked is null, or an empty list.
* It holds no time and no float, so that the same patch, witness and replays give the same note.
* A note is never edited: whoever relies on one reads it again, with its digest.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from flakeledger.model import kinds
from flakeledger.model.digest_files import (
    DigestFile,
    FileField,
    digest_file,
    flag,
    listed_of,
    optional,
    read_digest_file,
    text,
)

ELIGIBLE = "eligible_short"


class Note(NamedTuple):
    """A review note. The fields after the first are None (or empty) where the gate had no need to ask."""

    #: the classes of the patch's paths, joined by "+"
    diff_class: str
    property_id: str | None
    example_sha256: str | None
    generator_hashes_match_base: bool | None
    #: one a replay, in their order: "pass", "fail", or what was neither
    replay_outcomes: tuple[str, ...]
    #: how the replays were kept from the network
    network: str | None
    #: `eligible_short`, or `deny:` and the line of the table
    freeze: str
    #: commits, for information
    base: str
    head: str


def _verdict(value: object) -> str:
    fine = isinstance(value, str) and (value == ELIGIBLE or re.fullmatch("deny:[a-z_]{1,40}", value))
    return "" if fine else f"it is `{ELIGIBLE}`, or `deny:` and a reason"


NOTE_FIELDS = (
    FileField("diff_class", text(kinds.TEXT), "the classes of the patch's paths, joined by +"),
    FileField("property_id", optional(text(kinds.NAME)), "the property of the witness, or null"),
    FileField("example_sha256", optional(text(kinds.DIGEST)), "the digest of the witness's example, or null"),
    FileField("generator_hashes_match_base", optional(flag), "whether the generators are those of the base, or null"),
    FileField("replay_outcomes", listed_of(text(kinds.TEXT)), "what each replay of the witness showed"),
    FileField("network", optional(text(kinds.TEXT)), "how the replays were kept from the network, or null"),
    FileField("freeze", _verdict, "what the gate decided"),
    FileField("base", text(kinds.COMMIT), "the merge base of the patch"),
    FileField("head", text(kinds.COMMIT), "the commit that was judged"),
)


def read_note(data: bytes) -> Note:
    """The note in the bytes of its file; NotCanonical, with the place, for anything else."""
    values = read_digest_file(data, NOTE_FIELDS)
    note = Note(**values)  # type: ignore[arg-type]  # the table has checked every value
    return note._replace(replay_outcomes=tuple(note.replay_outcomes))


def note_file(note: Note) -> DigestFile:
    """The file of a note: its name and its bytes."""
    return digest_file(note._asdict())
