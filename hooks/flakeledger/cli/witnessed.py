"""The witness and the review note that a freeze is granted on: the files that were named, as the ledger will hold them.

Invariants:
* Nothing is judged here but secrets: whether a witness and its note are good, the rules say, of the files as they would
  lie in the tree.
* A file lies under the digest of its own bytes, whatever it was called before.
* Both or neither, and only where a rule verifies them: at level `witnessed`, for a test that Hypothesis draws for.
"""

from __future__ import annotations

from typing import NamedTuple

from flakeledger.cli.ledger_edits import policy_of
from flakeledger.cli.named_file import read_named
from flakeledger.model.canonical import NotCanonical
from flakeledger.model.digest_files import SUFFIX, digest_file_name
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import NOTES, WITNESSES
from flakeledger.model.note import read_note
from flakeledger.model.witness import read_witness
from flakeledger.repo.ledger import Ledger

#: the policy's own ceiling for an example is 64 KiB; the paths of its generators stand beside it
_LARGEST = 1024 * 1024
GATE = "flakeledger gate --base REV --witness FILE --out note.json"


class Granted(NamedTuple):
    """The digests of a witness and its note, the files of the ledger that hold them, and what is wrong with them.

    `secret` says of each field of the row (`witness`, `note`) what looks like a secret in its file.
    """

    witness: str
    note: str
    files: dict[str, bytes]
    secrets: dict[str, str]


def granted(ledger: Ledger, test: str, witness: str | None, note: str | None) -> Granted | None:
    """What the named files grant; None where none is named.

    CannotTell when one of them is missing or cannot be read, and where no rule would verify them.
    """
    if witness is None and note is None:
        return None
    if witness is None:
        raise CannotTell("a note is about a witness, and none is named", "name the one that was judged: --witness FILE")
    if note is None:
        raise CannotTell("a witness alone grants nothing", f"{GATE}   # then: --witness FILE --note note.json")
    _refuse_unverified(ledger, test)
    found, noted = read_named(witness, _LARGEST), read_named(note, _LARGEST)
    names = digest_file_name(found), digest_file_name(noted)
    files = {f"{WITNESSES}{names[0]}": found, f"{NOTES}{names[1]}": noted}
    secrets = {"witness": _secret_of_witness(found), "note": _secret_of_note(noted)}
    return Granted(names[0].removesuffix(SUFFIX), names[1].removesuffix(SUFFIX), files, secrets)


def _refuse_unverified(ledger: Ledger, test: str) -> None:
    level = policy_of(ledger).level
    if level != "witnessed":
        fix = "leave --witness and --note out; or set `level: witnessed` in a change of its own"
        raise CannotTell(f"the policy's level is {level}, at which nobody verifies a witness", fix)
    if ledger.sources.test(test).state == "found" and not ledger.sources.is_given(test):
        fix = "leave --witness and --note out"
        raise CannotTell(f"Hypothesis draws nothing for {test}, so it has no witness", fix)


def _secret_of_witness(data: bytes) -> str:
    """What looks like a secret in a witness, as a clause; the empty text where nothing does, or it is no witness."""
    from flakeledger.evidence.secrets import secret_in_witness

    try:
        secret = secret_in_witness(read_witness(data))
    except NotCanonical:  # the rule says so, with the place
        return ""
    return "" if secret is None else f"its example holds {secret.told}"


def _secret_of_note(data: bytes) -> str:
    """The same of a note. Its digests and its property are checked by their kinds."""
    from flakeledger.evidence.secrets import secret_in

    try:
        note = read_note(data)
    except NotCanonical:
        return ""
    secret = secret_in([note.diff_class, note.network or "", list(note.replay_outcomes)])
    return "" if secret is None else f"it holds what looks like a secret ({secret.kind})"
