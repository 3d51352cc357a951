"""The pytest plugin: freezes honoured at run time. `honouring.py` does it; here are the options, and the start.

Invariants:
* Inert where the rootdir has no ledgers and no log is wanted: two looks at the disk, and nothing heavy is imported.
  Ledgers of the repository around it are not honoured either, and the header says so.
* The clock is read once a run: pytest-xdist hands the instant on to its workers, as an option.
* `--flakeledger-log` is obeyed in every mode, and without ledgers too: it was asked for.
"""

from __future__ import annotations

import os
import time
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

import pytest

from flakeledger.model.ledger_paths import FREEZES, POLICY

if TYPE_CHECKING:
    from flakeledger.evidence.frozen_tests import FrozenTests
    from flakeledger.evidence.outcome_log import OutcomeLog
    from flakeledger.evidence.watching import Watching

_MARKERS = (
    "property_id(id): the test protects this property of ledgers/properties.yaml",
    "frozen(property_id, runner_class=...): the test relies on an open freeze; the ledgers decide, the mark does not",
)
#: what starts `capture.py`
_CAPTURE_OPTIONS = ("--flakeledger-witness", "--flakeledger-seeds", "--flakeledger-seed-budget")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("flakeledger", "freezes of flaky tests (flakeledger)")
    group.addoption(
        "--flakeledger",
        choices=("off", "report", "enforce"),
        default="enforce",
        help="honour open freezes (enforce, the default), only tell what would be excused (report), or neither (off)",
    )
    group.addoption(
        "--flakeledger-now",
        type=_instant,
        metavar="INSTANT",
        help="judge freezes at this time: 2026-10-11T00:00:00Z",
    )
    group.addoption("--flakeledger-log", metavar="FILE", help="write the raw outcome of each test as JSON lines")
    group.addoption(
        "--flakeledger-witness",
        metavar="DIR",
        help="write the smallest example of each failure of a property test to DIR, or why there is none",
    )
    group.addoption(
        "--flakeledger-seeds", metavar="FILE", help="let every test of Hypothesis draw under the seeds of this list"
    )
    group.addoption(
        "--flakeledger-seed-budget",
        type=int,
        metavar="N",
        help="of the list of --flakeledger-seeds the first N (default: all)",
    )


def _instant(text: str) -> int:
    from flakeledger.model.clock import parse_instant

    try:
        return parse_instant(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers; and the hooks, where there are ledgers or a log or witnesses are wanted.

    UsageError when the log or a witness cannot be written, or the seeds are none.
    """
    for line in _MARKERS:
        config.addinivalue_line("markers", line)
    root, wanted = str(config.rootpath), config.getoption("--flakeledger-log")
    honoured = config.getoption("--flakeledger") != "off" and _has_ledgers(root)
    captures = any(config.getoption(option) is not None for option in _CAPTURE_OPTIONS)
    frozen = _frozen(config, root) if honoured else None
    watching = _watching(frozen, captures)
    if honoured or wanted is not None:
        _start(config, root, frozen, wanted, watching)
    if watching is not None:
        config.pluginmanager.register(watching, "flakeledger-watching")
        if captures:
            _start_capture(config, root, watching)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say that the repository's ledgers lie above the rootdir, as in a run from a subfolder; else nothing."""
    root = str(config.rootpath)
    around = _repository_of(root)
    if config.getoption("--flakeledger") == "off" or around is None or around == root or not _has_ledgers(around):
        return []
    from flakeledger.reporters.escape import escape_line

    return [escape_line(f"flakeledger: nothing is excused: {root} has no ledgers; fix: pytest --rootdir={around}")]


def _repository_of(folder: str) -> str | None:
    """The nearest folder around this one, or this one itself, that is a work tree of git; None when none is."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, inner = os.path.dirname(folder), folder
        if folder == inner:
            return None
    return folder


def _has_ledgers(root: str) -> bool:
    return any(os.path.lexists(os.path.join(root, path)) for path in (POLICY, FREEZES))


def _now(config: pytest.Config) -> int:
    """The instant of this run."""
    if config.option.flakeledger_now is None:
        config.option.flakeledger_now = int(time.time())
    now: int = config.option.flakeledger_now
    return now


def _frozen(config: pytest.Config, root: str) -> FrozenTests:
    from flakeledger.evidence.frozen_tests import frozen_tests

    return frozen_tests(root, dict(os.environ), _now(config))


def _watching(frozen: FrozenTests | None, captures: bool) -> Watching | None:
    """What watches the tests whose arguments are asked for; None where nobody asks."""
    tests = frozenset() if frozen is None else frozen.for_one_example
    if not captures and not tests:
        return None
    from flakeledger.evidence.watching import Watching

    if captures:
        return Watching(lambda _item: True)
    from flakeledger.evidence.honouring import test_id

    return Watching(lambda item: test_id(item, tests) in tests)


def _start(
    config: pytest.Config, root: str, frozen: FrozenTests | None, wanted: str | None, watching: Watching | None
) -> None:
    from flakeledger.evidence.frozen_tests import FrozenTests
    from flakeledger.evidence.honouring import Honouring, Setting

    mode, is_worker = config.getoption("--flakeledger"), hasattr(config, "workerinput")
    setting = Setting(root, dict(os.environ), mode, _now(config))
    # a pytest-xdist worker reports to its controller, which tells and logs
    log = None if wanted is None or is_worker else _log(config, wanted)
    honouring = Honouring(setting, frozen or FrozenTests(None, "", {}), log, wanted is not None, watching)
    config.pluginmanager.register(honouring, "flakeledger-honouring")
    if log is not None:
        config.pluginmanager.register(log, "flakeledger-log")


def _log(config: pytest.Config, wanted: str) -> OutcomeLog:
    from flakeledger.evidence.outcome_log import OutcomeLog

    path = os.path.join(config.invocation_params.dir, wanted)
    try:
        return OutcomeLog(path)
    except OSError as error:
        raise pytest.UsageError(f"--flakeledger-log: {path} cannot be written: {error.strerror}") from None


def _start_capture(config: pytest.Config, root: str, watching: Watching) -> None:
    from flakeledger.evidence.capture import Capture, CaptureSetting

    folder, seeds, budget = map(config.getoption, _CAPTURE_OPTIONS)
    if budget is not None and seeds is None:
        raise pytest.UsageError("--flakeledger-seed-budget: of which list? Name it with --flakeledger-seeds FILE")
    directory = config.invocation_params.dir
    if folder is not None:
        folder = os.path.join(directory, folder)
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise pytest.UsageError(f"--flakeledger-witness: {folder} cannot be made: {error.strerror}") from None
    found = None if seeds is None else _seeds(os.path.join(directory, seeds), budget)
    setting = CaptureSetting(root, dict(os.environ), folder, found, hasattr(config, "workerinput"))
    config.pluginmanager.register(Capture(setting, watching), "flakeledger-capture")


def _seeds(path: str, budget: int | None) -> tuple[int, ...]:
    from flakeledger.evidence.seed_budget import seeds_within
    from flakeledger.model.errors import CannotTell

    try:
        return seeds_within(path, budget)
    except CannotTell as error:
        place = f"{error.place}: " if error.place else ""
        raise pytest.UsageError(f"--flakeledger-seeds: {place}{error.reason}; fix: {error.fix}") from None
