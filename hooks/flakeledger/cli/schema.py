"""`flakeledger schema`: prints the JSON Schema of a ledger, for an editor, or of the report, for a program.

Invariants:
* The text is stable: the files of `schema/` are this command's output, byte for byte.
"""

from __future__ import annotations

import argparse
import json
import sys

EXAMPLES = """\
  flakeledger schema freezes > schema/freezes.json
  flakeledger schema --list"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    from flakeledger.model.schemas import SCHEMAS

    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("name", nargs="?", choices=tuple(SCHEMAS), help=f"one of {', '.join(SCHEMAS)}", metavar="NAME")
    what.add_argument("--list", action="store_true", help="print the names, one a line")


def run(arguments: argparse.Namespace) -> int:
    """Print one schema, or the names of all."""
    from flakeledger.model.schemas import SCHEMAS

    sys.stdout.write("".join(f"{name}\n" for name in SCHEMAS) if arguments.list else schema_text(arguments.name))
    return 0


def schema_text(name: str) -> str:
    """The text of a schema's file; KeyError for an unknown name."""
    from flakeledger.model.schemas import schema_of

    return json.dumps(schema_of(name), indent=2, ensure_ascii=False) + "\n"
