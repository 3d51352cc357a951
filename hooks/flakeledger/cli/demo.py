"""`flakeledger demo`: a small shop repository whose hooks let one commit pass and refuse three.

Invariants:
* The shop is built in an empty folder, and stays.
* 0 only when every commit went as said; 2 with what differed otherwise.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import tempfile
import time

from flakeledger.cli import demo_shop as shop
from flakeledger.cli.demo_stage import Demo
from flakeledger.cli.demo_steps import STEPS, play
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.precommit.arguments import wants_colour

EXAMPLES = """\
  flakeledger demo
  flakeledger demo --folder /tmp/shop"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--folder", metavar="DIR", help="build the shop here (default: a new temporary folder)")


def run(arguments: argparse.Namespace) -> int:
    """Build the shop and show the four commits: 0; CannotTell when one of them does not go as said."""
    if importlib.util.find_spec("pre_commit") is None:
        raise CannotTell("the demo runs pre-commit, which is not installed", "pip install 'flakeledger[pre-commit]'")
    demo = Demo(_new_folder(arguments.folder), int(time.time()), wants_colour(os.environ))
    demo.open_shop()
    found = [difference for step in STEPS for difference in play(demo, step)]
    demo.say("", *_LAST_WORDS)
    demo.say("", f"The shop stays in {demo.folder}")
    if found:
        raise CannotTell(
            f"the demo did not go as said: {'; '.join(found)}",
            f"git -C {shlex.quote(demo.folder)} status   # shows where it stopped",
        )
    return 0


_LAST_WORDS = (
    "Three things to try in the shop:",
    "  1. flakeledger classify                  which class every path has, and why",
    f"  2. bring `expires` in {FREEZES} forward by a day and commit: stricter is always allowed",
    f"  3. edit {shop.REFUNDS_FIXTURE} and commit: the freeze that was granted for it is void",
)


def _new_folder(named: str | None) -> str:
    """The absolute path of an empty folder."""
    if named is None:
        return os.path.realpath(tempfile.mkdtemp(prefix="flakeledger-demo-"))
    try:
        os.makedirs(named, exist_ok=True)
        if os.listdir(named):
            raise CannotTell(
                f"{named} is not empty", "flakeledger demo --folder DIR   # a folder that does not exist yet"
            )
    except OSError as error:
        raise CannotTell(
            f"{named} cannot be used: {error.strerror}", "flakeledger demo --folder DIR   # another folder"
        ) from error
    return os.path.realpath(named)
