"""The pytest plugin: freezes honoured at run time. `honouring.py` does it; here are the options, and the start.

Invariants:
* Inert where the rootdir has no ledgers and no log is wanted: two looks at the disk, and nothing heavy is imported.
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
    from flakeledger.evidence.outcome_log import OutcomeLog

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
    if honoured or wanted is not None:
        _start(config, root, honoured, wanted)
    if any(config.getoption(option) is not None for option in _CAPTURE_OPTIONS):
        _start_capture(config, root)


def _has_ledgers(root: str) -> bool:
    return any(os.path.lexists(os.path.join(root, path)) for path in (POLICY, FREEZES))


def _start(config: pytest.Config, root: str, honoured: bool, wanted: str | None) -> None:
    from flakeledger.evidence.frozen_tests import FrozenTests, frozen_tests
    from flakeledger.evidence.honouring import Honouring, Setting

    if config.option.flakeledger_now is None:
        config.option.flakeledger_now = int(time.time())
    environment, now = dict(os.environ), config.option.flakeledger_now
    setting = Setting(root, environment, config.getoption("--flakeledger"), now, hasattr(config, "workerinput"))
    frozen = frozen_tests(root, environment, now) if honoured else FrozenTests(None, "", {})
    log = None if wanted is None or setting.is_worker else _log(config, wanted)
    config.pluginmanager.register(Honouring(setting, frozen, log, wanted is not None), "flakeledger-honouring")


def _log(config: pytest.Config, wanted: str) -> OutcomeLog:
    from flakeledger.evidence.outcome_log import OutcomeLog

    path = os.path.join(config.invocation_params.dir, wanted)
    try:
        return OutcomeLog(path)
    except OSError as error:
        raise pytest.UsageError(f"--flakeledger-log: {path} cannot be written: {error.strerror}") from None


def _start_capture(config: pytest.Config, root: str) -> None:
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
    config.pluginmanager.register(Capture(setting), "flakeledger-capture")


def _seeds(path: str, budget: int | None) -> tuple[int, ...]:
    from flakeledger.evidence.seed_budget import seeds_within
    from flakeledger.model.errors import CannotTell

    try:
        return seeds_within(path, budget)
    except CannotTell as error:
        place = f"{error.place}: " if error.place else ""
        raise pytest.UsageError(f"--flakeledger-seeds: {place}{error.reason}; fix: {error.fix}") from None
