"""`flakeledger report`: one HTML file for people, with everything that the ledgers on disk and their history say.

Invariants:
* It judges as `check` and `review` do, and changes nothing but the one file.
* A file that is no page of ours is never replaced; the old page stays until the new one is whole.
* Where the ledgers cannot be read as a whole there is no page: a page that leaves something out would look fine.
* The packages of the extra `report` are looked for before anything is read.
"""

from __future__ import annotations

import argparse
import importlib.util
import os

from flakeledger.model.errors import CannotTell
from flakeledger.precommit.arguments import instant, now_of
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.repo.trend import Trend, trend
from flakeledger.reporters.escape import escape_line
from flakeledger.reporters.page import BEGINNING, ENGINES, page
from flakeledger.reporters.page_view import Untold, View, view_of
from flakeledger.rules.inspection import Request, inspect_both
from flakeledger.rules.overview import overview
from flakeledger.store.placing import place, read_regular

EXAMPLES = """\
  flakeledger report --out build/flakeledger
  flakeledger report --out /tmp/page --now 2026-12-01T00:00:00Z"""

_NAME = "index.html"
_EXTRA = "pip install 'flakeledger[report]'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--out", required=True, metavar="DIR", help=f"the folder that gets the page, as {_NAME}")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="judge at this time: 2026-10-11T00:00:00Z")


def run(arguments: argparse.Namespace) -> int:
    """Write the page: 0. CannotTell where it cannot be made whole, or another file stands in its place."""
    missing = next((name for name in ENGINES if importlib.util.find_spec(name) is None), None)
    if missing is not None:
        raise CannotTell(f"the page needs the package {missing}, which is not installed", _EXTRA)
    folder = os.path.realpath(arguments.out)
    before = _old_page(folder)
    with open_repository(os.curdir, os.environ, from_disk=True) as repository:
        view = _view(repository, now_of(arguments))
    place(folder, _NAME, before, page(view).encode())
    print(escape_line(f"wrote {os.path.join(arguments.out, _NAME)}"))
    return 0


def _view(repository: Repository, now: int) -> View:
    ledger = repository.ledger(repository.tree(INDEX))
    rows = overview(ledger, now)
    report = inspect_both(repository, Request("check", os.environ, now)).report
    return view_of(os.path.basename(repository.git.root), ledger, rows, report, _trend(repository, now), now)


def _trend(repository: Repository, now: int) -> Trend | Untold:
    """The trend; where the history cannot tell it, the page says why, and shows the rest."""
    try:
        return trend(repository, now, None, _unheard)
    except CannotTell as error:
        return Untold(error.reason, error.fix)


def _unheard(_read: int, _of: int) -> None:
    """How far the history was read: a page is written in a few seconds, and nobody is told."""


def _old_page(folder: str) -> bytes | None:
    """The page of an earlier run; None where nothing stands. CannotTell when something else stands there.

    `folder` is absolute and need not be there.
    """
    standing = folder
    while not os.path.lexists(standing):
        standing = os.path.dirname(standing)
    if not os.path.isdir(standing):
        raise CannotTell(f"{standing} is no folder, and stays as it is", "name another folder with --out")
    before = read_regular(folder, _NAME)
    if before is not None and not before.startswith(BEGINNING.encode()):
        path = os.path.join(folder, _NAME)
        raise CannotTell(f"{path} is no page of flakeledger, and stays as it is", "name another folder with --out")
    return before
