"""`flakeledger digest`: the digest of the canonical form of JSON files, or the canonical form itself.

Invariants:
* Every file is looked at: a refusal of one does not keep the digest of another back.
* With `--canonical` standard output holds the bytes that are hashed, and nothing else: no newline, no path.
* It reads the files that were named, one at a time, and nothing of a repository.
"""

from __future__ import annotations

import argparse
import sys

from flakeledger.cli.named_file import of_contract
from flakeledger.model.canonical import canonical_text, digest
from flakeledger.model.errors import CannotTell
from flakeledger.reporters.escape import escape_line
from flakeledger.reporters.text import undecided

EXAMPLES = """\
  flakeledger digest tests/contracts/order.json
  flakeledger digest tests/contracts/*.json
  flakeledger digest --canonical tests/contracts/order.json | sha256sum"""

_FIX = "mend this place, or lock the file by its bytes: `hash: bytes`"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a JSON object; of each: its digest and its path")
    parser.add_argument(
        "--canonical",
        action="store_true",
        help="of one file: print the canonical text itself, without a newline at its end: the bytes that are hashed",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the digests: 0; 2 when some file has none. CannotTell for `--canonical` of several files."""
    if not arguments.canonical:
        return max([_print_digest(path) for path in arguments.files])
    if len(arguments.files) > 1:
        raise CannotTell(
            "--canonical prints one text, and several files were named",
            "flakeledger digest --canonical FILE   # one file at a time",
        )
    sys.stdout.write(of_contract(arguments.files[0], canonical_text, _FIX))
    return 0


def _print_digest(path: str) -> int:
    try:
        found = of_contract(path, digest, _FIX)
    except CannotTell as refused:
        sys.stderr.write(undecided("digest", refused))
        return 2
    print(f"{found}  {escape_line(path)}", flush=True)  # in order with what is refused
    return 0
