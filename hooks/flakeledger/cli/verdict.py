"""`flakeledger verdict`: decides whether the failures of a run may pass, by the JUnit XML reports that it left behind.

Invariants:
* Freezes, policy and pins are those of the files on disk, which are what was tested; nothing of the repository is
  written.
* A test that is not known to have run and passed, or to have failed as its open freeze allows, fails the verdict.
* Whatever cannot be read is CannotTell: of a report that is cut off nobody knows what it would have said.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from flakeledger.cli.named_file import read_named
from flakeledger.evidence.excuses import TreeFacts, tree_facts
from flakeledger.evidence.frozen_tests import RUNNER_VARIABLE, frozen_by_test, runner_named
from flakeledger.evidence.junit import Report, excuse, read_report, written
from flakeledger.evidence.junit_matching import Matching
from flakeledger.evidence.report_verdicts import Failure, Judged, NotRun, judge
from flakeledger.evidence.standing import runner_class_of
from flakeledger.model.clock import format_instant
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Policy
from flakeledger.model.records import Freeze
from flakeledger.model.window import end_of, time_left
from flakeledger.precommit.arguments import instant, now_of
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.reporters.escape import escape_line, escape_surrogates, escape_text
from flakeledger.reporters.json import dumped
from flakeledger.rules.interviews import readable_policy
from flakeledger.store.placing import place, read_regular

EXAMPLES = """\
  flakeledger verdict junit.xml --runner node
  flakeledger verdict target/surefire-reports/*.xml --runner jvm --format json
  flakeledger verdict junit.xml --write excused.xml    # for a service to read"""

VERSION = 1
#: a hundred thousand test cases with what they print; read, a byte can cost thirty
LARGEST_REPORT = 64 * 1024 * 1024
_ABSENCES = {
    "missing": "no report lists it",
    "skipped": "it was skipped",
    "unclear": "it cannot be told whether it ran",
}


class Setting(NamedTuple):
    """For which runner class, and when, is judged; `frozen` counts the freezes of that class."""

    runner: str
    now: int
    frozen: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("reports", nargs="+", metavar="REPORT", help="a JUnit XML report of the run")
    parser.add_argument(
        "--runner",
        metavar="NAME",
        help=f"the runner class that it ran on (default: {RUNNER_VARIABLE}, or the policy's default_runner)",
    )
    parser.add_argument("--write", metavar="FILE", help="write the report, with what is excused as skipped")
    parser.add_argument("--format", choices=["json", "text"], default="text", help="how to print (default: text)")
    parser.add_argument("--now", type=instant, metavar="INSTANT", help="judge at this time: 2026-10-11T00:00:00Z")


def run(arguments: argparse.Namespace) -> int:
    """Judge: 0 when every failure is excused and every frozen test of the runner class ran, else 1.

    CannotTell when a report, a ledger or the policy cannot be read, or no report has a test case.
    """
    now = now_of(arguments)
    reports = [read_report(read_named(path, LARGEST_REPORT), path) for path in arguments.reports]
    if not any(report.cases for report in reports):
        raise CannotTell("there is no test case in what was reported", "run the tests, and give the report of that run")
    with open_repository(os.curdir, os.environ, from_disk=True) as repository:
        ledger = repository.ledger(repository.tree(INDEX))
        policy = readable_policy(ledger)
        wanted = arguments.runner or os.environ.get(RUNNER_VARIABLE) or policy.default_runner
        runner = runner_named(policy, wanted, "--runner NAME   # one of")
        judged = _judged(ledger, policy, reports, runner, now, repository.git.root)
    if arguments.write is not None:
        _write(arguments.write, reports, judged, now)
    frozen = sum(runner_class_of(freeze, policy) == runner for freeze in ledger.freezes)
    setting = Setting(runner, now, frozen)
    if arguments.format == "json":
        sys.stdout.write(_json_text(reports, judged, setting))
    else:
        sys.stdout.writelines(f"{escape_line(line)}\n" for line in _lines(judged, now))
        sys.stdout.flush()
        sys.stderr.write(f"{escape_line(_summary(reports, judged, setting))}\n")
    return int(not judged.passes)


def _judged(ledger: Ledger, policy: Policy, reports: Sequence[Report], runner: str, now: int, root: str) -> Judged:
    frozen = frozen_by_test(ledger.freezes, policy, runner, now)
    cases = [report.cases for report in reports]
    matches = Matching(ledger, frozen.keys(), root).match(cases)
    return judge(cases, matches, frozen, policy, runner, _facts(ledger, policy))


def _facts(ledger: Ledger, policy: Policy) -> Callable[[Freeze], TreeFacts]:
    """What the tree says to a freeze, asked once."""
    known = cache(lambda test: tree_facts(ledger, ledger.freeze_by_test[test], policy))
    return lambda freeze: known(freeze.test)


def _write(path: str, reports: Sequence[Report], judged: Judged, now: int) -> None:
    """Write the report with what is excused. It is the user's own path, and may be anywhere."""
    for failure in judged.failures:
        if not failure.reason and failure.freeze is not None:
            message = escape_text(_freeze_text(failure.freeze, now))
            excuse(reports[failure.report].nodes[failure.number], message)
    folder, name = os.path.split(os.path.abspath(path))
    place(folder, name, read_regular(folder, name), written(reports))


# text


def _lines(judged: Judged, now: int) -> Iterator[str]:
    """A line for each failure, and for each frozen test that did not run."""
    for failure in judged.failures:
        failed = _exceptions(failure)
        about = f"{_name(failure)}{': ' if failed else ''}{failed}"
        if failure.reason:
            yield f"not excused: {about}: {failure.reason}"
        elif failure.freeze is not None:
            yield f"excused: {about}: {_freeze_text(failure.freeze, now)}"
    for absent in judged.not_run:
        detail = f": {absent.detail}" if absent.detail else ""
        owner = absent.freeze.owner or "nobody"
        yield f"not run: {absent.freeze.test}: {_ABSENCES[absent.absence]}{detail}; {owner} owns its freeze"


def _name(failure: Failure) -> str:
    case = failure.case
    if failure.freeze is not None and failure.freeze.test is not None:
        return failure.freeze.test
    return f"{case.name} of {case.classname}" if case.classname else case.name


def _exceptions(failure: Failure) -> str:
    return ", ".join(dict.fromkeys(names[0] for names in failure.case.failed.exceptions))


def _freeze_text(freeze: Freeze, now: int) -> str:
    end = end_of(freeze)
    left = "" if end is None else f", {time_left(end, now)} left"
    protects = f" ({freeze.property_id})" if freeze.property_id else ""
    return f"frozen, {freeze.owner or 'nobody'} owns it{left}{protects}"


def _counts(reports: Sequence[Report], judged: Judged, setting: Setting) -> dict[str, int]:
    return {
        "cases": sum(len(report.cases) for report in reports),
        "excused": sum(not failure.reason for failure in judged.failures),
        "not_excused": sum(bool(failure.reason) for failure in judged.failures),
        "frozen": setting.frozen,
        "not_run": len(judged.not_run),
    }


def _summary(reports: Sequence[Report], judged: Judged, setting: Setting) -> str:
    counts = _counts(reports, judged, setting)
    failures = f"{counts['excused']} failures excused, {counts['not_excused']} not"
    frozen = f"{counts['frozen']} frozen tests of {setting.runner}, {counts['not_run']} of them not run"
    return f"{counts['cases']} test cases: {failures}; {frozen}; now: {format_instant(setting.now)}"


# JSON


def _json_text(reports: Sequence[Report], judged: Judged, setting: Setting) -> str:
    """For programs; `docs/commands.md` says what the keys mean."""
    value = {
        "version": VERSION,
        "runner": setting.runner,
        "now": format_instant(setting.now),
        "passes": judged.passes,
        "counts": _counts(reports, judged, setting),
        "failures": [_json_failure(reports, failure) for failure in judged.failures],
        "not_run": [_json_absence(absent) for absent in judged.not_run],
    }
    return dumped(value)


def _json_failure(reports: Sequence[Report], failure: Failure) -> dict[str, object]:
    case, freeze = failure.case, failure.freeze
    exceptions = [escape_surrogates(names[0]) for names in case.failed.exceptions]
    return {
        "report": escape_surrogates(reports[failure.report].path),
        "name": case.name,
        "classname": case.classname,
        "exceptions": exceptions,
        "excused": not failure.reason,
        "reason": failure.reason or None,
        **_json_freeze(freeze),
    }


def _json_absence(absent: NotRun) -> dict[str, object]:
    return {"absence": absent.absence, "detail": absent.detail or None, **_json_freeze(absent.freeze)}


def _json_freeze(freeze: Freeze | None) -> dict[str, object]:
    names = ("test", "owner", "expires", "property_id")
    return {name: None if freeze is None else getattr(freeze, name) for name in names}
